package check

import (
	"math/rand/v2"
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

// brute is the definition: all values of all indices, and all coordinates where
// nothing is said.
func brute(r *Relation) Pairs {
	np := r.Shape.Size()
	out := Pairs{make([]bool, np*np), make([]bool, np*np)}
	certain := r.Must
	values := make([]int, 1+len(r.Vars))
	values[0] = 1
	var spans [][]int
	for _, v := range r.Vars {
		var list []int
		switch {
		case v.Unknown:
			for c := range 64 { // as many as any coordinate of the test
				list = append(list, c)
			}
		case v.Step > 0:
			for x := v.Lo; x <= v.Hi; x += v.Step {
				list = append(list, x)
			}
		default:
			for x := v.Lo; x >= v.Hi; x += v.Step {
				list = append(list, x)
			}
		}
		certain = certain && len(list) > 0
		spans = append(spans, list)
	}
	// An index that no position has does not matter to what is possible.
	matters := func(v int) bool {
		for d := range r.From {
			for _, x := range []Place{r.From[d], r.To[d]} {
				if v+1 < len(x.At) && x.At[v+1] != 0 {
					return true
				}
			}
		}
		return false
	}
	for v := range spans {
		if len(spans[v]) == 0 && !matters(v) {
			spans[v] = []int{0}
		}
	}
	var run func(v int)
	run = func(v int) {
		if v < len(spans) {
			for _, x := range spans[v] {
				values[v+1] = x
				run(v + 1)
			}
			return
		}
		sure := certain
		for _, b := range r.Inside {
			x := b.At.value(values)
			sure = sure && b.Lo <= x && x <= b.Hi
		}
		at := func(list []Place, pe int) bool {
			for d := range list {
				if list[d].At == nil {
					continue
				}
				if c := list[d].coordinate(values, r.Shape[d]); c != r.Shape.Coord(pe, d) {
					return false
				}
			}
			return true
		}
		for p := range np {
			for q := range np {
				if at(r.From, p) && at(r.To, q) {
					out.May[p*np+q] = true
					out.Must[p*np+q] = out.Must[p*np+q] || sure
				}
			}
		}
	}
	run(0)
	return out
}

// Groups of dimensions give what enumerating everything gives.
func TestPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	may, must, empty, none := 0, 0, 0, 0
	for range 4000 {
		x := Relation{Must: r.IntN(4) > 0}
		for range 1 + r.IntN(2) {
			x.Shape = append(x.Shape, 1+r.IntN(4))
		}
		for range r.IntN(4) {
			v := Span{Lo: r.IntN(5), Hi: r.IntN(12), Step: 1 + r.IntN(2)}
			if r.IntN(5) == 0 {
				v.Step = -v.Step
			}
			x.Vars = append(x.Vars, v)
		}
		form := func() Form {
			f := Form{r.IntN(7) - 3}
			for range x.Vars {
				f = append(f, []int{0, 0, 1, 1, 2, -1}[r.IntN(6)])
			}
			return f[:1+r.IntN(len(f))]
		}
		place := func() Place {
			if r.IntN(5) == 0 {
				return Place{}
			}
			return Place{At: form(), Format: []dist.Format{dist.Block, dist.Cyclic}[r.IntN(2)], TLo: r.IntN(2), THi: 5 + r.IntN(9)}
		}
		for range x.Shape {
			x.From, x.To = append(x.From, place()), append(x.To, place())
		}
		if r.IntN(4) == 0 { // each coordinate to itself
			own := Place{At: make(Form, len(x.Vars)+2), Format: dist.Collapsed}
			own.At[len(x.Vars)+1] = 1
			x.Vars = append(x.Vars, Span{Unknown: true})
			x.From[0], x.To[0] = own, own
		}
		for range r.IntN(3) {
			x.Inside = append(x.Inside, Bounded{form(), 1, 6 + r.IntN(6)})
		}
		got, want := x.Pairs(), brute(&x)
		for k := range want.May {
			if got.May[k] != want.May[k] || got.Must[k] != want.Must[k] {
				t.Fatalf("%+v\npair %d of %v: %v %v, want %v %v", x, k, x.Shape, got.May[k], got.Must[k], want.May[k], want.Must[k])
			}
			if want.Must[k] && !want.May[k] {
				t.Fatalf("%+v: certain, and not possible", x)
			}
			if want.Must[k] {
				must++
			} else if want.May[k] {
				may++
			} else {
				none++
			}
		}
		if x.Must && x.Vars == nil {
			empty++
		}
		if !x.Equal(&x) {
			t.Fatal("a relation differs from itself")
		}
	}
	if may < 1000 || must < 1000 || none < 1000 || empty < 100 {
		t.Errorf("the relations show little: %d possible, %d certain, %d neither; %d without indices", may, must, none, empty)
	}
}

// Where there are too many values, or none is known, anything is possible and nothing
// is certain.
func TestPairsThatAreNotKnown(t *testing.T) {
	for _, x := range []Relation{
		{Must: true, Shape: dist.Grid{3}, Vars: []Span{{Lo: 1, Hi: 1000, Step: 1}, {Lo: 1, Hi: 1000, Step: 1}},
			From: []Place{{At: Form{0, 1, 1}, Format: dist.Block, TLo: 1, THi: 4000}}, To: []Place{{At: Form{0, 1}, Format: dist.Block, TLo: 1, THi: 4000}}},
		{Must: true, Shape: dist.Grid{3}, Vars: []Span{{Unknown: true}},
			From: []Place{{At: Form{0, 1}, Format: dist.Block, TLo: 1, THi: 4}}, To: []Place{{At: Form{1}, Format: dist.Block, TLo: 1, THi: 4}}},
	} {
		got := x.Pairs()
		for k := range got.May {
			if !got.May[k] || got.Must[k] {
				t.Errorf("%+v: pair %d: %v, %v", x, k, got.May[k], got.Must[k])
			}
		}
	}
}

func TestRelationsDiffer(t *testing.T) {
	x := Relation{Must: true, Shape: dist.Grid{2}, Vars: []Span{{1, 2, 1, false}}, From: []Place{{Form{1}, dist.Block, 1, 2}}, To: []Place{{}}, Inside: []Bounded{{Form{1}, 1, 2}}}
	for i, change := range []func(r *Relation){
		func(r *Relation) { r.Must = false }, func(r *Relation) { r.Shape = dist.Grid{3} }, func(r *Relation) { r.Vars = []Span{{1, 3, 1, false}} },
		func(r *Relation) { r.From = []Place{{Form{2}, dist.Block, 1, 2}} }, func(r *Relation) { r.To = []Place{{At: Form{}}} },
		func(r *Relation) { r.From = []Place{{Form{1}, dist.Cyclic, 1, 2}} }, func(r *Relation) { r.Inside = []Bounded{{Form{1}, 1, 3}} },
		func(r *Relation) { r.Inside = nil },
	} {
		y := x
		if change(&y); x.Equal(&y) || y.Equal(&x) {
			t.Errorf("change %d is not seen", i)
		}
	}
}
