package procfunc

import (
	"math/big"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Next is NextProducers (section 4) for one back edge: from the position that
// sends the value of an iteration of the loops that the communication was moved
// out of, to the positions that may send that iteration's value in the next
// instance, if that instance is reached over this back edge and over none of an
// outer loop.
type Next struct {
	Loop   *cfg.Loop
	Matrix linalg.Transform
	// Consecutive: the next instance certainly belongs to the next iteration of
	// Loop. Otherwise it may be any later one.
	Consecutive bool
}

// next computes one matrix for each loop around communication r, innermost
// first. p are its producers; along the dimensions in copies all positions have
// the element. In the printed form the next instance always belongs to the next
// iteration: the paper does not consider that a path may go past the
// communication.
func (f *Functions) next(r int, p []entry, copies []bool, printed bool) []Next {
	put := f.puts[r-1]
	if put == nil { // behind a jump that is always taken
		return nil
	}
	var list []Next
	var inner []*cfg.Loop
	for l := put.Loop; l != nil; l = l.Parent {
		b := &backEdge{f: f, vars: f.Relations[r-1].Vars, loop: l, inner: inner, consecutive: printed || !f.skips(l, put)}
		offset := make([]linalg.Triplet, len(p))
		coef := make([]bool, len(p))
		for i := range p {
			if copies != nil && copies[i] {
				coef[i], offset[i] = true, linalg.Point(linalg.Form{})
			} else {
				coef[i], offset[i] = b.row(p[i])
			}
		}
		m := linalg.NewTransform(len(p), offset, func(i, j int) *big.Rat {
			if i == j && coef[i] {
				return big.NewRat(1, 1)
			}
			return new(big.Rat)
		})
		list = append(list, Next{Loop: l, Matrix: m, Consecutive: b.consecutive})
		inner = append(inner, l)
	}
	return list
}

// backEdge is the way from one instance of a communication to the next over the
// back edge of loop, past the heads of the loops inner, which start anew.
type backEdge struct {
	f           *Functions
	vars        []Var
	loop        *cfg.Loop
	inner       []*cfg.Loop
	consecutive bool
}

// row is what becomes of the position e: with own, p_i plus offset; else offset
// alone. The indices of vars stay as they are, loop's own advances, and those
// of inner take any value of theirs.
func (b *backEdge) row(e entry) (own bool, offset linalg.Triplet) {
	if e.all {
		return false, linalg.U()
	}
	later, fresh, ok := b.advance(e.form)
	if !ok {
		return false, linalg.U()
	}
	open := false // a position that some index of vars moves
	for _, v := range b.vars {
		open = open || e.form.Uses(v.Name)
	}
	restarts := false
	for _, l := range b.inner {
		restarts = restarts || b.index(l) != "" && e.form.Uses(b.index(l))
	}
	if restarts && !open {
		// The next position can be said without the old one.
		set, _ := expand(entry{form: later}, fresh)
		return false, set
	}
	set, _ := expand(entry{form: later.Sub(e.form)}, fresh)
	if up, exact := set.Ascending(); exact {
		set = up
	}
	return !set.All, set
}

// laterName stands for the value of an index at the next instance.
const laterName = "\x00next "

// advance is form at the next instance, over the values now and the fresh
// indices; false where that cannot be said.
func (b *backEdge) advance(form linalg.Form) (later linalg.Form, fresh []Var, ok bool) {
	own := map[string]bool{}
	for _, v := range b.vars {
		own[v.Name] = true
	}
	stmt := b.f.Program.Loop(b.loop)
	modified := map[string]bool{}
	for s := range b.f.Program.Modified(stmt) {
		modified[s.Name] = true
	}
	later = form
	settled := map[string]bool{}
	step := linalg.Affine{} // of loop's index, where it is the next iteration's
	if d, isDo := stmt.(*ir.Do); isDo && form.Uses(d.Index.Name) && !own[d.Index.Name] {
		bounds, k := b.f.Program.Info.Bounds(d), d.Index.Name
		if bounds.Step == 0 {
			return later, nil, false
		}
		step, ok = linalg.Var(k).Add(linalg.Const(bounds.Step))
		switch {
		case !ok:
			return later, nil, false
		case b.consecutive:
			later = later.Subst(k, linalg.FormOf(step))
		case !bounds.HiOK || uses(bounds.Hi, modified):
			return later, nil, false
		default:
			v := Var{Name: laterName + k, Lo: step, Hi: bounds.Hi, Step: bounds.Step}
			fresh = append(fresh, v)
			later = later.Subst(k, linalg.FormOf(linalg.Var(v.Name)))
		}
		settled[k] = true
	}
	for _, l := range b.inner {
		u := b.index(l)
		if u == "" || !form.Uses(u) || own[u] {
			continue
		}
		v := Var{Name: laterName + u, Unknown: true}
		if lo, hi, step, ok := b.bounds(l, modified); ok {
			v = Var{Name: v.Name, Lo: lo, Hi: hi, Step: step}
		}
		fresh = append(fresh, v)
		later = later.Subst(u, linalg.FormOf(linalg.Var(v.Name)))
		settled[u] = true
	}
	for _, v := range form.Vars() {
		if modified[v] && !own[v] && !settled[v] {
			return later, nil, false
		}
	}
	return later, fresh, true
}

// bounds are the bounds of an inner loop at the next instance, in terms of now.
// They may mention the index of the loop at hand, whose next value is known when
// the next instance is that of the next iteration, and nothing else that the
// loop changes.
func (b *backEdge) bounds(l *cfg.Loop, modified map[string]bool) (lo, hi linalg.Affine, step int64, ok bool) {
	d, isDo := b.f.Program.Loop(l).(*ir.Do)
	if !isDo {
		return lo, hi, 0, false
	}
	own := b.f.Program.Info.Bounds(d)
	if !own.Affine() {
		return lo, hi, 0, false
	}
	k, next := b.index(b.loop), linalg.Affine{}
	if k != "" && b.consecutive {
		outer := b.f.Program.Info.Bounds(b.f.Program.Loop(b.loop).(*ir.Do))
		next, ok = linalg.Var(k).Add(linalg.Const(outer.Step))
		if !ok || outer.Step == 0 {
			k = "" // modified, like any other name
		}
	}
	move := func(f linalg.Affine) (linalg.Affine, bool) {
		for _, v := range f.Vars() {
			if modified[v] && (v != k || !b.consecutive) {
				return f, false
			}
		}
		if k == "" || !b.consecutive {
			return f, true
		}
		return f.Subst(k, next)
	}
	lo, ok1 := move(own.Lo)
	hi, ok2 := move(own.Hi)
	return lo, hi, own.Step, ok1 && ok2
}

// index is the name of a loop's index, "" where it has none.
func (b *backEdge) index(l *cfg.Loop) string {
	if d, ok := b.f.Program.Loop(l).(*ir.Do); ok {
		return d.Index.Name
	}
	return ""
}

func uses(f linalg.Affine, names map[string]bool) bool {
	for _, v := range f.Vars() {
		if names[v] {
			return true
		}
	}
	return false
}

// skips reports whether a path may lead from one iteration of l to the next one
// but not past n, a node in l: around it, through a loop that runs zero times,
// or by CYCLE.
func (f *Functions) skips(l *cfg.Loop, n *cfg.Node) bool {
	seen := map[*cfg.Node]bool{}
	var reach func(v *cfg.Node) bool
	reach = func(v *cfg.Node) bool {
		switch {
		case v == l.Head:
			return true
		case v == n || seen[v] || !l.Contains(v.Loop):
			return false
		}
		seen[v] = true
		succs := v.Succs
		if in := v.Loop; v.Kind == cfg.LoopHead && in.Contains(n.Loop) && len(succs) == 2 {
			// A loop around n is left without passing n only if it may run zero
			// times, or an iteration of its own may pass by.
			if d, ok := f.Program.Loop(in).(*ir.Do); ok && f.Program.Info.Bounds(d).Runs() && !f.skips(in, n) {
				succs = succs[:1]
			}
		}
		for _, s := range succs {
			if reach(s) {
				return true
			}
		}
		return false
	}
	for _, s := range l.Head.Succs[:1] {
		if reach(s) {
			return true
		}
	}
	return false
}
