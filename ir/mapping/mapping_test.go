package mapping_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	_ "github.com/spmdc/spmdc/internal/gcless"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/internal/irtest"
	"github.com/spmdc/spmdc/ir/mapping"
	"github.com/spmdc/spmdc/runtime/dist"
)

// TestGolden compares the explanation of each program's mapping, with the
// ranges owned on 4 PEs, and the diagnostics.
func TestGolden(t *testing.T) {
	irtest.Golden(t, []string{"mapping", "errors"}, func(t *testing.T, in string) map[string]string {
		p := irtest.Program(t, in)
		_, diags := irtest.Lower(t, in)
		mapping.Resolve(p, diags)
		got := map[string]string{"errors": irtest.Report(diags)}
		if !diags.HasErrors() {
			got["mapping"] = mapping.Explain(p, 4)
		}
		return got
	})
}

// TestMap pins the descriptors themselves for each form of ALIGN, against
// template t(0:99,200) distributed (BLOCK,CYCLIC).
func TestMap(t *testing.T) {
	axis := func(lo, hi, a, b int) dist.Axis {
		return dist.Axis{Lo: lo, Hi: hi, Grid: 0, Format: dist.Block, TLo: 0, THi: 99, A: a, B: b}
	}
	axis2 := func(lo, hi, a, b int) dist.Axis {
		return dist.Axis{Lo: lo, Hi: hi, Grid: 1, Format: dist.Cyclic, TLo: 1, THi: 200, A: a, B: b}
	}
	whole := func(lo, hi int) dist.Axis { return dist.Axis{Lo: lo, Hi: hi, Grid: -1, TLo: lo, THi: hi, A: 1} }
	for _, tt := range []struct {
		decl, align string
		want        dist.Map
	}{
		{"a(0:99,200)", "ALIGN a(i,j) WITH t(i,j)", dist.Map{Axes: []dist.Axis{axis(0, 99, 1, 0), axis2(1, 200, 1, 0)}}},
		{"a(0:99,200)", "ALIGN a WITH t", dist.Map{Axes: []dist.Axis{axis(0, 99, 1, 0), axis2(1, 200, 1, 0)}}},
		{"a(100,0:199)", "ALIGN a WITH t", dist.Map{Axes: []dist.Axis{axis(1, 100, 1, -1), axis2(0, 199, 1, 1)}}},
		{"a(100,7)", "ALIGN a(:,*) WITH t(:,*)", dist.Map{Axes: []dist.Axis{axis(1, 100, 1, -1), whole(1, 7)}}},
		{"a(50,50)", "ALIGN a(i,j) WITH t(j+49,2*i)", dist.Map{Axes: []dist.Axis{axis2(1, 50, 2, 0), axis(1, 50, 1, 49)}}},
		{"a(100)", "ALIGN a(i) WITH t(100-i,*)", dist.Map{Axes: []dist.Axis{axis(1, 100, -1, 100)}}},
		{"a(10)", "ALIGN a(i) WITH t(i,3*2)", dist.Map{Axes: []dist.Axis{axis(1, 10, 1, 0)},
			Fixed: []dist.Fixed{{Grid: 1, Format: dist.Cyclic, TLo: 1, THi: 200, Pos: 6}}}},
		{"a(10,20)", "ALIGN a(*,j) WITH t(5,j)", dist.Map{Axes: []dist.Axis{whole(1, 10), axis2(1, 20, 1, 0)},
			Fixed: []dist.Fixed{{Grid: 0, Format: dist.Block, TLo: 0, THi: 99, Pos: 5}}}},
		// through b(i) = t(2*i+1, 7): a(i) = b(11-i) sits at t(2*(11-i)+1, 7)
		{"a(10)", "ALIGN a(i) WITH b(11-i)", dist.Map{Axes: []dist.Axis{axis(1, 10, -2, 23)},
			Fixed: []dist.Fixed{{Grid: 1, Format: dist.Cyclic, TLo: 1, THi: 200, Pos: 7}}}},
		// c(i) is replicated along dimension 2; a scalar position of it fixes dimension 1
		{"a(10)", "ALIGN a(*) WITH c(4)", dist.Map{Axes: []dist.Axis{whole(1, 10)},
			Fixed: []dist.Fixed{{Grid: 0, Format: dist.Block, TLo: 0, THi: 99, Pos: 4}}}},
	} {
		t.Run(tt.decl+" "+tt.align, func(t *testing.T) {
			p := irtest.Program(t, "program p\nreal "+tt.decl+", b(40), c(0:99)\n!HPF$ TEMPLATE t(0:99,200)\n!HPF$ "+tt.align+
				"\n!HPF$ ALIGN b(i) WITH t(2*i+1,7)\n!HPF$ ALIGN c(i) WITH t(i,*)\n!HPF$ DISTRIBUTE t(BLOCK,CYCLIC)\nb(1)=0\nend program p\n")
			_, diags := irtest.Lower(t, "program p\nend program p\n")
			mapping.Resolve(p, diags)
			if diags.HasErrors() {
				t.Fatal(irtest.Report(diags))
			}
			a := p.Symbols[0]
			if a.Mapping == nil {
				t.Fatal("replicated")
			}
			if d := cmp.Diff(tt.want, a.Mapping.Map); d != "" {
				t.Error(d)
			}
			dist.NewLayout(a.Mapping.Map, mapping.Shape(a.Mapping.Grid, 6)) // must fit
		})
	}
}

// TestReplicated lists the ways to end up with a copy on every PE.
func TestReplicated(t *testing.T) {
	for _, directives := range []string{
		"",
		"!HPF$ DISTRIBUTE a(*)",
		"!HPF$ TEMPLATE t(10)\n!HPF$ ALIGN a(i) WITH t(i)",
		"!HPF$ TEMPLATE t(10)\n!HPF$ ALIGN a(*) WITH t(*)\n!HPF$ DISTRIBUTE t(BLOCK)",
		"!HPF$ TEMPLATE t(10,10)\n!HPF$ ALIGN a(i) WITH t(i,*)\n!HPF$ DISTRIBUTE t(*,BLOCK)",
		"!HPF$ TEMPLATE t(10,10)\n!HPF$ ALIGN a(i) WITH t(i,*)\n!HPF$ DISTRIBUTE t(*,*)",
		"!HPF$ ALIGN a WITH b",
	} {
		p := irtest.Program(t, "program p\nreal a(10), b(10)\n"+directives+"\na(1)=0\nend program p\n")
		_, diags := irtest.Lower(t, "program p\nend program p\n")
		mapping.Resolve(p, diags)
		if diags.HasErrors() || p.Symbols[0].Mapping != nil {
			t.Errorf("%s\n%v %s", directives, p.Symbols[0].Mapping, irtest.Report(diags))
		}
	}
}

// TestGrids: implied grids are shared by rank; shapes follow the number of PEs.
func TestGrids(t *testing.T) {
	p := irtest.Program(t, `program p
real a(10,10), b(10), c(10), d(10)
!HPF$ PROCESSORS q(2,number_of_processors()/2), r(max(1,number_of_processors()-1)), m(modulo(number_of_processors()-1,2)+1,number_of_processors()/(modulo(number_of_processors()-1,2)+1))
!HPF$ DISTRIBUTE a(BLOCK,BLOCK)
!HPF$ DISTRIBUTE b(BLOCK)
!HPF$ DISTRIBUTE c(CYCLIC)
!HPF$ DISTRIBUTE d(CYCLIC) ONTO r
b(1)=0
end program p
`)
	_, diags := irtest.Lower(t, "program p\nend program p\n")
	mapping.Resolve(p, diags)
	if len(p.Grids) != 5 {
		t.Fatalf("%d grids", len(p.Grids))
	}
	byName := map[string]*ir.Symbol{}
	for _, s := range p.Symbols {
		byName[s.Name] = s
	}
	if byName["b"].Mapping.Grid != byName["c"].Mapping.Grid || byName["a"].Mapping.Grid == byName["b"].Mapping.Grid {
		t.Error("implied grids are not shared by rank")
	}
	for i, g := range p.Grids {
		if g.ID != i {
			t.Errorf("grid %d has ID %d", i, g.ID)
		}
	}
	for _, tt := range []struct {
		grid, np int
		want     dist.Grid
	}{{0, 8, dist.Grid{2, 4}}, {0, 1, dist.Grid{1, 1}}, {0, 7, dist.Grid{1, 7}}, {1, 5, dist.Grid{5}}, {2, 6, dist.Grid{3, 2}}} {
		got := mapping.Shape(p.Grids[tt.grid], tt.np)
		if got.Size() != tt.np || len(got) != len(tt.want) {
			t.Errorf("grid %d on %d PEs: %v, want like %v", tt.grid, tt.np, got, tt.want)
		}
	}
	for _, tt := range []struct {
		grid, np int
		want     dist.Grid
	}{{0, 8, dist.Grid{2, 4}}, {2, 8, dist.Grid{2, 4}}, {2, 7, dist.Grid{1, 7}}} {
		if got := mapping.Shape(p.Grids[tt.grid], tt.np); !cmp.Equal(got, tt.want) {
			t.Errorf("grid %d on %d PEs: %v, want %v", tt.grid, tt.np, got, tt.want)
		}
	}
}
