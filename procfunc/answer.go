package procfunc

import (
	"fmt"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/depend"
	"github.com/spmdc/spmdc/procfunc/linalg"
	"github.com/spmdc/spmdc/runtime/dist"
)

// Whether the messages of one communication answer those of another is a question
// about two relations and the ways between their places: it is answered by the
// search for a counterexample, an instance of each and a pair of positions.

// matching is what has to hold, dimension by dimension, for y to send from every
// q to p: equations over y's Vars and the positions of x.
type matching struct {
	// each pair is a form of y's side and one of x's that have to be equal
	pairs [][2]linalg.Affine
	// same holds pairs of x's own forms that have to be equal
	same [][2]linalg.Affine
	// joints holds pairs of y's own forms that have to be equal, where y is a chain
	joints [][2]linalg.Affine
}

// match compares the spaces and kinds of positions: x's consumers have to be
// y's producers, x's producers y's consumers.
func match(y, x *Relation) (*matching, string) {
	if !sameGrid(y.Grid, x.Grid) {
		return nil, "{y} lies on another processor arrangement than {x}: which PEs are the same depends on their number"
	}
	m := &matching{}
	for d := range y.P {
		yp, yq, xp, xq := y.P[d], y.Q[d], x.P[d], x.Q[d]
		if yp.Kind == At && yq.Kind == At && yp.Space.Format == dist.Collapsed && yp.Space == yq.Space && yp.Form.Equal(yq.Form) {
			// y goes from each coordinate to itself.
			if xp.Kind != At || xq.Kind != At || xp.Space != xq.Space {
				return nil, "{y} stays on each coordinate, {x} does not"
			}
			m.same = append(m.same, [2]linalg.Affine{xp.Form, xq.Form})
			continue
		}
		switch {
		case xq.Kind == All:
			return nil, fmt.Sprintf("{x} goes to all positions (U), but only %v sends in {y}", yp)
		case xq.Kind != At:
			return nil, "the consumers of {x} are not known"
		case xq.Space != yp.Space:
			return nil, fmt.Sprintf("whether {y} goes back where {x} comes from depends on the number of PEs: who receives in {x} is dealt out as %v, who sends in {y} as %v", xq.Space, yp.Space)
		}
		m.pairs = append(m.pairs, [2]linalg.Affine{yp.Form, xq.Form})
		if yq.Kind == All {
			continue
		}
		switch {
		case xp.Kind != At:
			return nil, "the producers of {x} are not known"
		case xp.Space != yq.Space:
			return nil, fmt.Sprintf("whether {y} goes back where {x} comes from depends on the number of PEs: who sends in {x} is dealt out as %v, who receives in {y} as %v", xp.Space, yq.Space)
		}
		m.pairs = append(m.pairs, [2]linalg.Affine{yq.Form, xp.Form})
	}
	return m, ""
}

// prove looks for a counterexample on each way from y to the next instance of x.
func (f *Functions) prove(m *matching, y, x *Relation, w *ways, set waySet) *Reason {
	common := 0
	for common < len(w.loops) && w.loops[common].Contains(f.puts[y.Ref-1].Loop) {
		common++
	}
	type way struct {
		cross int // the loop whose back edge is crossed; common: none
		often bool
	}
	var list []way
	forward := set&straight != 0
	for i := range w.loops {
		switch {
		case i >= common: // x's own loops, whose iteration is open anyway
			forward = forward || set&(once(i)|often(i)) != 0
		case set&often(i) != 0:
			list = append(list, way{i, true})
		case set&once(i) != 0:
			list = append(list, way{i, false})
		}
	}
	if forward {
		list = append(list, way{common, false})
	}
	for _, c := range list {
		t := &test{f: f, y: y, x: x, common: w.loops[:common], cross: c.cross, often: c.often}
		if why := t.fails(m); why != "" {
			return no(why)
		}
	}
	return &Reason{true, "in {y} every PE that {x} sends to next sends to the one that will send to it"}
}

// test asks for a counterexample on one way: an instance of y, the next of x,
// and a pair (p, q) of x for which y sends nothing from q to p.
type test struct {
	f      *Functions
	y, x   *Relation
	common []*cfg.Loop // around both
	cross  int         // index of the outermost of them whose back edge is crossed; len(common): none
	often  bool        // perhaps more than once
	any    bool        // the instance of x is any of those in the outermost loop, which are alike

	eqs, ineqs []linalg.Affine
	fresh      int
	overflow   bool
	rename     map[string]string // of x's side
}

// The sides of names: y's own are plain; x's differ where the value may.
const (
	mark  = "'" // the value that a scalar or index has at x
	yside = "y:"
	xside = "x:"
)

// atX is the name, at x, of what is called v in the program.
func (t *test) atX(v string) string {
	if n, ok := t.rename[v]; ok {
		return n
	}
	n := v
	if t.changes(v) {
		n = v + mark
	}
	t.rename[v] = n
	return n
}

// changes reports whether v may have another value at x than at y.
func (t *test) changes(v string) bool {
	for i, l := range t.common {
		if l.Index == v {
			return i >= t.cross
		}
	}
	if t.cross < len(t.common) {
		s := t.f.Program.Loop(t.common[t.cross])
		for sym := range t.f.Program.Modified(s) {
			if sym.Name == v {
				return true
			}
		}
		return false
	}
	var innermost *cfg.Loop
	if len(t.common) > 0 {
		innermost = t.common[len(t.common)-1]
	}
	return t.f.assignedBetween(v, t.f.puts[t.y.Ref-1], t.f.puts[t.x.Ref-1], innermost)
}

func (t *test) sub(a, b linalg.Affine) linalg.Affine {
	d, ok := a.Sub(b)
	t.overflow = t.overflow || !ok
	return d
}

func (t *test) plus(a linalg.Affine, k int64) linalg.Affine {
	d, ok := a.Add(linalg.Const(k))
	t.overflow = t.overflow || !ok
	return d
}

func (t *test) new() linalg.Affine {
	t.fresh++
	return linalg.Var(fmt.Sprintf("t:%d", t.fresh))
}

// side renames a form of one side: Vars of the relation, and on x's side what
// may have changed.
func (t *test) side(f linalg.Affine, r *Relation, x bool) linalg.Affine {
	own := map[string]bool{}
	for _, v := range r.Vars {
		own[v.Name] = true
	}
	g, ok := f.Rename(func(v string) string {
		switch {
		case own[v] && x:
			return xside + v
		case own[v]:
			return yside + v
		case x:
			return t.atX(v)
		}
		return v
	})
	t.overflow = t.overflow || !ok
	return g
}

// fails is why y does not answer x on this way, "" if it is proved that it does.
func (t *test) fails(m *matching) string {
	t.rename = map[string]string{}
	t.context()
	s := &solution{t: t, value: map[string]linalg.Affine{}}
	for _, p := range m.same {
		s.zero = append(s.zero, condition{form: t.sub(t.side(p[0], t.x, true), t.side(p[1], t.x, true))})
	}
	for _, p := range m.pairs {
		s.eqs = append(s.eqs, t.sub(t.side(p[0], t.y, false), t.side(p[1], t.x, true)))
	}
	for _, p := range m.joints {
		s.eqs = append(s.eqs, t.sub(t.side(p[0], t.y, false), t.side(p[1], t.y, false)))
	}
	if why := s.solve(); why != "" {
		return why
	}
	if t.overflow {
		return "numbers too large"
	}
	return s.check()
}

// context collects what holds of the two instances.
func (t *test) context() {
	for _, l := range chain(t.f.puts[t.y.Ref-1].Loop) {
		t.bounds(l, func(f linalg.Affine) linalg.Affine { return f })
	}
	atX := func(f linalg.Affine) linalg.Affine {
		g, ok := f.Rename(t.atX)
		t.overflow = t.overflow || !ok
		return g
	}
	xLoops := chain(t.f.puts[t.x.Ref-1].Loop)
	for i, l := range xLoops {
		if i >= len(t.common) && l.Index != "" {
			t.rename[l.Index] = l.Index + mark
		}
	}
	for i, l := range xLoops {
		if i < len(t.common) || !t.any { // x may not be executed where y is
			t.bounds(l, atX)
		}
	}
	if t.cross < len(t.common) {
		l := t.common[t.cross]
		if b, ok := t.f.loopBounds(l); ok && b.step != 0 {
			steps := t.new()
			t.ineqs = append(t.ineqs, t.plus(steps, -1))
			if !t.often {
				t.eqs = append(t.eqs, t.plus(steps, -1))
			}
			dist, ok := steps.Scale(b.step)
			t.overflow = t.overflow || !ok
			t.eqs = append(t.eqs, t.sub(t.sub(linalg.Var(t.atX(l.Index)), linalg.Var(l.Index)), dist))
		}
	}
	for _, v := range t.x.Vars {
		if v.Idle || v.Unknown {
			continue
		}
		e := linalg.Var(xside + v.Name)
		t.inRange(e, t.side(v.Lo, t.x, true), t.side(v.Hi, t.x, true), v.Step)
	}
}

// chain is the loops around what lies in l, outermost first.
func chain(l *cfg.Loop) []*cfg.Loop {
	var out []*cfg.Loop
	for ; l != nil; l = l.Parent {
		out = append([]*cfg.Loop{l}, out...)
	}
	return out
}

type loopBounds struct {
	lo, hi     linalg.Affine
	loOK, hiOK bool
	step       int64
}

func (f *Functions) loopBounds(l *cfg.Loop) (loopBounds, bool) {
	d, ok := f.Program.Loop(l).(*ir.Do)
	if !ok {
		return loopBounds{}, false
	}
	b := f.Program.Info.Bounds(d)
	return loopBounds{b.Lo, b.Hi, b.LoOK, b.HiOK, b.Step}, true
}

// bounds states that the index of l is one of its values.
func (t *test) bounds(l *cfg.Loop, name func(linalg.Affine) linalg.Affine) {
	b, ok := t.f.loopBounds(l)
	if !ok || b.step == 0 {
		return
	}
	i := name(linalg.Var(l.Index))
	if b.loOK && b.hiOK {
		t.inRange(i, name(b.lo), name(b.hi), b.step)
		return
	}
	if b.loOK {
		d := t.sub(i, name(b.lo))
		if b.step < 0 {
			d = t.sub(name(b.lo), i)
		}
		t.ineqs = append(t.ineqs, d)
	}
	if b.hiOK {
		d := t.sub(name(b.hi), i)
		if b.step < 0 {
			d = t.sub(i, name(b.hi))
		}
		t.ineqs = append(t.ineqs, d)
	}
}

// inRange states that e is one of lo, lo+step, ... hi.
func (t *test) inRange(e, lo, hi linalg.Affine, step int64) {
	if step == 1 {
		t.ineqs = append(t.ineqs, t.sub(e, lo), t.sub(hi, e))
		return
	}
	k := t.new()
	way, ok := k.Scale(step)
	t.overflow = t.overflow || !ok
	t.ineqs = append(t.ineqs, k)
	t.eqs = append(t.eqs, t.sub(t.sub(e, lo), way))
	if step > 0 {
		t.ineqs = append(t.ineqs, t.sub(hi, e))
	} else {
		t.ineqs = append(t.ineqs, t.sub(e, hi))
	}
}

// impossible reports whether the context together with more is contradictory.
func (t *test) impossible(eqs, ineqs []linalg.Affine) bool {
	return depend.Infeasible(append(t.eqs[:len(t.eqs):len(t.eqs)], eqs...), append(t.ineqs[:len(t.ineqs):len(t.ineqs)], ineqs...))
}
