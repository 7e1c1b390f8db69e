package check

import (
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

// What is said of the next instance is compared with the positions that send in it,
// iteration by iteration, for the loop over which it is reached.
func TestForesees(t *testing.T) {
	at := func(f ...int) []Place { return []Place{{At: f, Format: dist.Block, TLo: 1, THi: 100}} }
	said := func(depth int, row Row) []Next { return []Next{{Depth: depth, Rows: []Row{row}}} }
	now := Relation{Vars: []Span{{Lo: 1, Hi: 9, Step: 1}}, From: at(-1, 1), To: at(0, 1)}
	same := Row{Own: true, Lo: Form{0}, Hi: Form{0}, Step: 1}
	for name, c := range map[string]struct {
		next  []Next
		later []Place
		span  Span
		depth int
		want  bool
	}{
		"the same positions":        {said(0, same), at(-1, 1), now.Vars[0], 0, true},
		"one further":               {said(0, same), at(0, 1), now.Vars[0], 0, false},
		"another loop":              {said(1, same), at(0, 1), now.Vars[0], 0, true},
		"nothing is said":           {nil, at(0, 1), now.Vars[0], 0, true},
		"any":                       {said(0, Row{Any: true}), at(0, 1), now.Vars[0], 0, true},
		"some range":                {said(0, Row{Own: true, Lo: Form{0}, Hi: Form{4}, Step: 2}), at(1, 1), now.Vars[0], 0, true},
		"between its steps":         {said(0, Row{Own: true, Lo: Form{0}, Hi: Form{4}, Step: 2}), at(0, 1), now.Vars[0], 0, false},
		"a place of its own":        {said(0, Row{Lo: Form{7}, Hi: Form{7}, Step: 1}), at(7), now.Vars[0], 0, true},
		"another place":             {said(0, Row{Lo: Form{7}, Hi: Form{7}, Step: 1}), at(8), now.Vars[0], 0, false},
		"by the iteration":          {said(0, Row{Lo: Form{0, 2}, Hi: Form{0, 2}, Step: 1}), at(0, 2), now.Vars[0], 0, true},
		"by the iteration, wrongly": {said(0, Row{Lo: Form{0, 2}, Hi: Form{0, 2}, Step: 1}), at(0, 3), now.Vars[0], 0, false},
		"no iteration in common":    {said(0, same), at(5, 1), Span{Lo: 20, Hi: 30, Step: 1}, 0, true},
		"few in common":             {said(0, same), at(5, 1), Span{Lo: 9, Hi: 30, Step: 1}, 0, false},
		"all coordinates":           {said(0, same), []Place{{}}, now.Vars[0], 0, true},
		"unknown iterations":        {said(0, same), at(5, 1), Span{Unknown: true}, 0, true},
	} {
		r := now
		r.Next = c.next
		s := Relation{Vars: []Span{c.span}, From: c.later, To: at(0, 1)}
		if _, ok := r.Foresees(&s, c.depth); ok != c.want {
			t.Errorf("%s: %v, want %v", name, ok, c.want)
		}
		if !r.Equal(&r) || c.next != nil && r.Equal(&now) {
			t.Errorf("%s: it is equal to what says nothing of the next", name)
		}
	}
}
