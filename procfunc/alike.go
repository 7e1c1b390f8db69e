package procfunc

import (
	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Some answers depend on the number of PEs. In
//
//	do i = 2, n-1
//	   b(i) = a(i-1) + a(i+1)      ! a BLOCK
//	end do
//
// position 1 sends to 2, and 2 does not send to 1, since nobody computes there: no
// kill can be proved for all numbers of PEs. But where no PE has position 1 alone,
// every PE that gets a(i-1) from its neighbour sends it a(i+1). Which pairs of PEs
// have an answer is then known when the program runs, to both of them, as long as
// the messages of the killer are always the same.

// Alike reports whether all instances of y in the outermost loop around put have
// the same messages, whatever the number of PEs, so that each of them answers the
// same pairs of PEs. y is not pipelined, and in the same outermost loop.
func (f *Functions) Alike(y, put int) bool {
	ny, nx := f.puts[y-1], f.puts[put-1]
	loop := outermost(nx)
	if loop == nil || outermost(ny) != loop || ny.Flavour == "send" {
		return false
	}
	known, ok := f.unchanging[y]
	if !ok {
		known = f.isUnchanging(y, loop)
		f.unchanging[y] = known
	}
	return known
}

// isUnchanging is Alike for any put in the outermost loop around y.
func (f *Functions) isUnchanging(y int, loop *cfg.Loop) bool {
	r := f.Relations[y-1]
	if r.Comm.Kind == comm.Irregular || r.Comm.Kind == comm.Pipeline {
		return false
	}
	own := map[string]bool{}
	var forms []linalg.Affine
	for _, v := range r.Vars {
		own[v.Name] = true
		if !v.Unknown {
			forms = append(forms, v.Lo, v.Hi)
		}
	}
	if r.Must {
		// The relation tells the messages exactly; what else the needs depend on,
		// as an index of a dimension that is not divided, moves no message, unless it
		// may lie outside of the array.
		for d := range r.P {
			forms = append(forms, r.P[d].Form, r.Q[d].Form)
		}
		for _, e := range r.Elements {
			if !f.inside(e, y) {
				forms = append(forms, e.Sub, e.Lo, e.Hi)
			}
		}
	} else {
		forms = append(forms, r.Comm.Affines()...)
	}
	in := f.extents[loop]
	for _, g := range forms {
		for _, v := range g.Vars() {
			if !own[v] && f.definedBetween(v, in.first, in.last) {
				return false
			}
		}
	}
	return true
}

// inside reports whether an element of communication y is in the array in all iterations
// of the loops around: what lies outside is not sent.
func (f *Functions) inside(e Element, y int) bool {
	t := &test{f: f}
	for _, l := range chain(f.puts[y-1].Loop) {
		t.bounds(l, func(g linalg.Affine) linalg.Affine { return g })
	}
	for _, v := range f.Relations[y-1].Vars {
		if !v.Unknown {
			t.inRange(linalg.Var(v.Name), v.Lo, v.Hi, v.Step)
		}
	}
	below := t.plus(t.sub(e.Lo, e.Sub), -1)
	above := t.plus(t.sub(e.Sub, e.Hi), -1)
	return !t.overflow && t.impossible(nil, []linalg.Affine{below}) && t.impossible(nil, []linalg.Affine{above})
}

func outermost(n *cfg.Node) *cfg.Loop {
	l := n.Loop
	for l != nil && l.Parent != nil {
		l = l.Parent
	}
	return l
}

// AnswersAll reports whether every execution of y, in the outermost loop around x, sends
// from q to p for each message from p to q of x: of any execution of x there, since it
// has the same messages in all of them. Unlike Kills it does not ask which execution of
// x follows, or whether one does.
func (f *Functions) AnswersAll(y, x int) bool {
	ry, rx := f.Relations[y-1], f.Relations[x-1]
	ny, nx := f.puts[y-1], f.puts[x-1]
	if y == x || !ry.Must || ry.Comm.Kind == comm.Pipeline || !f.Alike(x, x) || outermost(ny) != outermost(nx) {
		return false
	}
	m, _ := match(ry, rx)
	if m == nil {
		return false
	}
	var common []*cfg.Loop
	for _, l := range chain(nx.Loop) {
		if l.Contains(ny.Loop) {
			common = append(common, l)
		}
	}
	t := &test{f: f, y: ry, x: rx, common: common, cross: len(common), any: true}
	return t.fails(m) == ""
}
