package spmd

import (
	"strings"
	"testing"

	"github.com/spmdc/spmdc/runtime/check"
	"github.com/spmdc/spmdc/runtime/dist"
)

// What the analysis says of messages is compared with those that there are: none may
// be outside of it, and none may lack that it holds for certain.
func TestClaims(t *testing.T) {
	at := func(f ...int) []Place { return []Place{{At: f, Format: dist.Block, TLo: 1, THi: 8}} }
	right := Relation{Must: true, Vars: []Index{{Lo: 2, Hi: 8, Step: 1}}, From: at(-1, 1), To: at(0, 1)}
	for name, c := range map[string]struct {
		change func(r *Relation)
		want   string
	}{
		"right":               {func(r *Relation) {}, ""},
		"nothing is known":    {func(r *Relation) { r.Must, r.From, r.To = false, []Place{{}}, []Place{{}} }, ""},
		"another way":         {func(r *Relation) { r.From, r.To = r.To, r.From }, "internal error: "},
		"too far":             {func(r *Relation) { r.From = at(-5, 1) }, "internal error: "},
		"too few":             {func(r *Relation) { r.Vars = []Index{{Lo: 2, Hi: 4, Step: 1}} }, "put of #1 test r0(i) (line 100) to PE 2 in epoch 1: the analysis says that none is possible"},
		"none":                {func(r *Relation) { r.Vars = []Index{{Lo: 2, Hi: 1, Step: 1}} }, "the analysis says that none is possible"},
		"all, for certain":    {func(r *Relation) { r.To = []Place{{}} }, "in epoch 1: the analysis says that it is certain"},
		"all, not so certain": {func(r *Relation) { r.Must, r.To = false, []Place{{}} }, ""},
		"outside of the array": {func(r *Relation) {
			r.Vars[0].Hi, r.From, r.To = 9, at(-1, 1), []Place{{}}
			r.Inside = []Bounded{{At: Form{0, 1}, Lo: 9, Hi: 9}} // the last alone: to all, but that is not so
		}, "the analysis says that it is certain"},
		"inside of it none": {func(r *Relation) { r.To, r.Inside = []Place{{}}, []Bounded{{At: Form{0, 1}, Lo: 9, Hi: 9}} }, ""},
	} {
		r := right
		r.Vars = []Index{right.Vars[0]}
		c.change(&r)
		_, err := Run(sites(1), 3, nil, nil, func(pe *PE) {
			l := dist.NewLayout(axes(block(1, 8, 0)), pe.Grid(pe.N()))
			a := NewArray[float64](pe, "a", l, [][2]int{{1, 0}})
			x := NewComm(pe, 0, a, nil)
			pe.Start()
			for step := range 3 {
				set(a, step)
				x.Claim(r)
				x.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 0)) })
				x.Post()
				x.Wait()
				x.Done()
			}
		})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// Claims of an instance replace those of the one before; without checks they are
// nothing.
func TestClaimsChange(t *testing.T) {
	body := func(wrong int) func(pe *PE) {
		return func(pe *PE) {
			l := dist.NewLayout(axes(block(1, 8, 0)), pe.Grid(pe.N()))
			a := NewArray[float64](pe, "a", l, [][2]int{{1, 1}})
			x := NewComm(pe, 0, a, nil)
			pe.Start()
			for step := range 4 {
				set(a, step)
				d := 1 - 2*(step%2) // from the left, then from the right
				said := d
				if step == wrong {
					said = -d
				}
				x.Claim(Relation{Must: true, Vars: []Index{{Lo: 2, Hi: 7, Step: 1}},
					From: []Place{{At: Form{-said, 1}, Format: dist.Block, TLo: 1, THi: 8}}, To: []Place{{At: Form{0, 1}, Format: dist.Block, TLo: 1, THi: 8}}})
				x.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Intersect(dist.Range(2, 7, 1)).Image(1, -d)) })
				x.Post()
				x.Wait()
				x.Done()
			}
		}
	}
	p := sites(1)
	if _, err := Run(p, 4, nil, nil, body(-1)); err != nil {
		t.Error(err)
	}
	if _, err := Run(p, 4, nil, nil, body(2)); err == nil || !strings.Contains(err.Error(), "in epoch 3") {
		t.Errorf("the third claim is wrong: %v", err)
	}
	p.Check = false
	if _, err := Run(p, 4, nil, nil, body(2)); err != nil {
		t.Errorf("without checks: %v", err)
	}
}

// Without checks there is nothing between a PE and its transport, and nothing that a
// communication would ask about an order.
func TestChecksThatAreOff(t *testing.T) {
	for _, on := range []bool{false, true} {
		p := sites(1)
		p.Check = on
		if _, err := Run(p, 2, nil, nil, func(pe *PE) {
			a := NewArray[float64](pe, "a", dist.NewLayout(axes(block(1, 8, 0)), pe.Grid(pe.N())), [][2]int{{1, 0}})
			c := NewComm(pe, 0, a, nil)
			pe.Start()
			_, wrapped := pe.t.(*check.Monitor)
			if c.order != nil != on || pe.orders != nil != on || wrapped != on {
				t.Errorf("checks %v: order %v, orders %v, monitor %v", on, c.order != nil, pe.orders != nil, wrapped)
			}
		}); err != nil {
			t.Error(err)
		}
	}
}

// The instance that comes next over an inner loop, and over the outer one, is where it
// was said to be, or is reported.
func TestNextProducers(t *testing.T) {
	inner := Next{Depth: 1, Rows: []Row{{Own: true, Lo: Form{2}, Hi: Form{2}, Step: 1}}}
	outer := Next{Depth: 0, Rows: []Row{{Lo: Form{1}, Hi: Form{1}, Step: 1}}}
	for _, c := range []struct {
		next []Next
		want string
	}{
		{[]Next{inner, outer}, ""},
		{nil, ""},
		{[]Next{{Depth: 1, Rows: outer.Rows}}, "#1 test r0(i) (line 100) in epoch 2: the analysis excludes"},
		{[]Next{{Depth: 0, Rows: inner.Rows}}, "#1 test r0(i) (line 100) in epoch 4: the analysis excludes"},
		{[]Next{inner, {Depth: 0, Rows: []Row{{Any: true}}}}, ""},
	} {
		_, err := Run(sites(1), 3, nil, nil, func(pe *PE) {
			l := dist.NewLayout(axes(block(1, 8, 0)), pe.Grid(pe.N()))
			a := NewArray[float64](pe, "a", l, nil)
			x := NewComm(pe, 0, a, NewTemp[float64](pe, 1, 1))
			pe.Start()
			set(a, 0)
			for i := range 2 {
				pe.Loop(0, i)
				for k := 1; k <= 5; k += 2 { // a(k) to all
					pe.Loop(1, k)
					x.Claim(Relation{Must: true, From: []Place{{At: Form{k}, Format: dist.Block, TLo: 1, THi: 8}}, To: []Place{{}}, Next: c.next})
					x.Needs(func(int) Box { return pe.Box(dist.Single(k)) })
					x.Post()
					x.Wait()
					x.Done()
				}
				pe.Leave(1)
			}
			pe.Leave(0)
		})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %s", c.next, err, c.want)
		}
	}
}
