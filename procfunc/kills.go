package procfunc

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/depend"
	"github.com/spmdc/spmdc/procfunc/linalg"
	"github.com/spmdc/spmdc/runtime/dist"
)

// Reason is the answer to whether one communication kills the synchronisation
// of another, for people.
type Reason struct {
	Kills bool
	Text  string // inside of this package {y} and {x} stand for the two
}

// Kills reports whether communication y, executed after the use of communication
// use's value, orders that use before the next puts of communication put: every
// position q to which put will send from p sends in y to p. It is the exact form
// of Conditions 2 and 3 (Theorems 1 and 2), asked of the instance of put that
// comes, so that it does not matter which positions earlier instances had, or
// whether there were any. True is proved; false may mean not proved.
func (f *Functions) Kills(y, use, put int) bool {
	return y != use && y != put && f.KillsAfter(y, put, 1)
}

// KillsAfter is Kills for the instance of put that comes as number nth behind y,
// from 1: every position q to which that one will send from p sends in y to p.
// Communications with several slots ask for it, which use a slot again only in
// their nth instance from now on. y may be put itself: its messages say what its
// senders are done with from earlier instances.
func (f *Functions) KillsAfter(y, put, nth int) bool {
	if !f.Relations[y-1].Must {
		return false
	}
	w := f.waysTo(put)
	set := w.nth(f.puts[y-1], f.puts[put-1], nth)
	return set != 0 && f.decide(y, put, w, set).Kills
}

// KillReason is Kills with the reason.
func (f *Functions) KillReason(y, use, put int) Reason {
	var r *Reason
	w := f.waysTo(put)
	switch ry := f.Relations[y-1]; {
	case y == use || y == put:
		r = no("a communication does not answer itself: it has one slot")
	case !ry.Must:
		r = no("{y} proves nothing: " + ry.Why)
	case w.of(f.puts[y-1]) == 0:
		r = no("{y} is not followed by {x}")
	default:
		r = f.decide(y, put, w, w.of(f.puts[y-1]))
	}
	names := strings.NewReplacer("{y}", fmt.Sprintf("C_%d", y), "{x}", fmt.Sprintf("C_%d", put))
	return Reason{r.Kills, names.Replace(r.Text)}
}

func no(text string) *Reason { return &Reason{false, text} }

// waysTo keeps the ways to one communication: questions come one put after
// another, and all ways of a large program take much memory.
func (f *Functions) waysTo(put int) *ways {
	if f.ways == nil || f.waysPut != put {
		f.ways, f.waysPut = waysTo(f.puts[put-1], f.extents), put
	}
	return f.ways
}

// cacheKey is what an answer depends on: the relations and the places, but not
// the numbers, of the two communications.
type cacheKey struct {
	y, x           int       // shapes
	common         *cfg.Loop // innermost loop around both
	yLoops, xLoops int       // shapes of the loops around one alone
	set            waySet
	changed        string // scalars of x that are assigned on a straight way from y
}

// decide asks whether y answers the instances of put that are reached from it on
// the ways of set.
func (f *Functions) decide(y, put int, w *ways, set waySet) *Reason {
	ry, rx := f.Relations[y-1], f.Relations[put-1]
	ny, nx := f.puts[y-1], f.puts[put-1]
	common := nx.Loop
	for common != nil && !common.Contains(ny.Loop) {
		common = common.Parent
	}
	key := cacheKey{f.shape(ry), f.shape(rx), common, f.loopShape(ny.Loop, common), f.loopShape(nx.Loop, common), set, ""}
	for _, v := range f.scalars(put) {
		if f.assignedBetween(v, ny, nx, common) {
			key.changed += v + " "
		}
	}
	if r := f.cache[key]; r != nil {
		return r
	}
	m, why := match(ry, rx)
	var r *Reason
	if m == nil {
		r = no(why)
	} else {
		r = f.prove(m, ry, rx, w, set)
	}
	f.cache[key] = r
	return r
}

// loopShape numbers what is known of the loops from l outwards to outer, which is
// left out.
func (f *Functions) loopShape(l, outer *cfg.Loop) int {
	if l == outer {
		return 0
	}
	pair := [2]*cfg.Loop{l, outer}
	if n := f.loopShapes[pair]; n != 0 {
		return n
	}
	key := "loops "
	for k := l; k != outer; k = k.Parent {
		b, ok := f.loopBounds(k)
		key += fmt.Sprintf("%s %v %+v;", k.Index, ok, b)
	}
	f.loopShapes[pair] = f.number(key)
	return f.loopShapes[pair]
}

// scalars are the names in the positions of communication r, in the ranges of
// its Vars and in the bounds of loops around it, Vars and indices of these loops aside:
// their values may differ between an instance of another communication and it.
func (f *Functions) scalars(r int) []string {
	rel := f.Relations[r-1]
	if rel.scalars != nil {
		return *rel.scalars
	}
	known := map[string]bool{}
	for _, v := range rel.Vars {
		known[v.Name] = true
	}
	var forms []linalg.Affine
	for d := range rel.P {
		forms = append(forms, rel.P[d].Form, rel.Q[d].Form)
	}
	for _, v := range rel.Vars {
		forms = append(forms, v.Lo, v.Hi)
	}
	for l := f.puts[r-1].Loop; l != nil; l = l.Parent {
		known[l.Index] = true
		if b, ok := f.loopBounds(l); ok {
			forms = append(forms, b.lo, b.hi)
		}
	}
	names := []string{}
	for _, g := range forms {
		for _, v := range g.Vars() {
			if !known[v] {
				known[v] = true
				names = append(names, v)
			}
		}
	}
	rel.scalars = &names
	return names
}

// assignedBetween reports whether v may be assigned on a way from ny to nx that
// stays in one iteration of common and the loops around it. Such a way runs
// forward through the text, but for the loops around ny or nx alone.
func (f *Functions) assignedBetween(v string, ny, nx *cfg.Node, common *cfg.Loop) bool {
	lo, hi := ny.ID, nx.ID
	for _, n := range []*cfg.Node{ny, nx} {
		var out *cfg.Loop
		for l := n.Loop; l != common; l = l.Parent {
			out = l
		}
		if out != nil {
			lo, hi = min(lo, f.extents[out].first), max(hi, f.extents[out].last)
		}
	}
	return f.definedBetween(v, lo, hi)
}

// shape numbers relations that say the same.
func (f *Functions) shape(r *Relation) int {
	if r.shape == 0 {
		var b strings.Builder
		if r.Grid.Rank > 1 {
			fmt.Fprintf(&b, "%p ", r.Grid)
		}
		for d := range r.P {
			for _, p := range []Pos{r.P[d], r.Q[d]} {
				fmt.Fprintf(&b, "%v@%p.%d%v%d:%d ", p, p.Space.Grid, p.Space.Dim, p.Space.Format, p.Space.TLo, p.Space.THi)
			}
		}
		for _, v := range r.Vars {
			fmt.Fprintf(&b, "%v %v,", v, v.Idle)
		}
		fmt.Fprintf(&b, "%v", r.Elements)
		r.shape = f.number(b.String())
	}
	return r.shape
}

// number gives equal texts equal numbers, from 1.
func (f *Functions) number(text string) int {
	if f.texts[text] == 0 {
		f.texts[text] = len(f.texts) + 1
	}
	return f.texts[text]
}

// matching is what has to hold, dimension by dimension, for y to send from every
// q to p: equations over y's Vars and the positions of x.
type matching struct {
	// each pair is a form of y's side and one of x's that have to be equal
	pairs [][2]linalg.Affine
	// same holds pairs of x's own forms that have to be equal
	same [][2]linalg.Affine
}

// match compares the spaces and kinds of positions: x's consumers have to be
// y's producers, x's producers y's consumers.
func match(y, x *Relation) (*matching, string) {
	if !sameGrid(y.Grid, x.Grid) {
		return nil, "{y} and {x} lie on different processor arrangements"
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
			return nil, fmt.Sprintf("all positions (U) consume in {x}, but only %v send in {y}", yp)
		case xq.Kind != At:
			return nil, "the consumers of {x} are not known"
		case xq.Space != yp.Space:
			return nil, fmt.Sprintf("consumers of {x} and producers of {y} lie in different template spaces (%v, %v)", xq.Space, yp.Space)
		}
		m.pairs = append(m.pairs, [2]linalg.Affine{yp.Form, xq.Form})
		if yq.Kind == All {
			continue
		}
		switch {
		case xp.Kind != At:
			return nil, "the producers of {x} are not known"
		case xp.Space != yq.Space:
			return nil, fmt.Sprintf("producers of {x} and consumers of {y} lie in different template spaces (%v, %v)", xp.Space, yq.Space)
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
	return &Reason{true, "in {y} every PE that {x} sends to next sends to the one it will hear from"}
}

// test asks for a counterexample on one way: an instance of y, the next of x,
// and a pair (p, q) of x for which y sends nothing from q to p.
type test struct {
	f      *Functions
	y, x   *Relation
	common []*cfg.Loop // around both
	cross  int         // index of the outermost of them whose back edge is crossed; len(common): none
	often  bool        // perhaps more than once

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
		s.zero = append(s.zero, condition{t.sub(t.side(p[0], t.x, true), t.side(p[1], t.x, true)), "it does not stay on its coordinate"})
	}
	for _, p := range m.pairs {
		s.eqs = append(s.eqs, t.sub(t.side(p[0], t.y, false), t.side(p[1], t.x, true)))
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
	for _, l := range xLoops {
		t.bounds(l, atX)
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
