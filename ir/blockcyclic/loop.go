package blockcyclic

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// mostNear is how many iterations a loop has at most that goes through its elements once
// for each piece, so that they stay in the cache.
const mostNear = 4096

// maxCuts bounds the pieces that the elements of a block are cut into, and maxSize the
// statements of all copies of a body. A subscript that would need more is divided when it
// is evaluated.
const (
	maxCuts = 8
	maxSize = 1000
)

// block copies statements, with loops and subscripts divided.
func (d *divider) block(list []ir.Stmt) []ir.Stmt {
	var out []ir.Stmt
	for _, s := range list {
		switch s := s.(type) {
		case *ir.Do:
			if l := d.chosen(s); l != nil {
				out = append(out, l.divide()...)
				continue
			}
			out = append(out, d.copier.Do(s, d.block))
		case *ir.While:
			n := &ir.While{S: s.S, Name: s.Name, Cond: d.expr(s.Cond), End: s.End}
			d.copier.Loops[s] = n
			n.Body = d.block(s.Body)
			out = append(out, n)
		case *ir.If:
			out = append(out, &ir.If{S: s.S, Cond: d.expr(s.Cond), Then: d.block(s.Then), Else: d.block(s.Else)})
		case *ir.Exit:
			if to, ok := d.exits[s.Loop]; ok {
				out = append(out, &ir.Exit{S: s.S, Loop: to})
				continue
			}
			out = append(out, d.copier.Stmt(s))
		default:
			out = append(out, d.copier.Stmt(s))
		}
	}
	return out
}

// use is a subscript coef*i + rest of a divided dimension, the shift of its blocks included,
// where the blocks divide all of rest but the constant.
type use struct {
	coef, rest int64
	size       int64
	assigned   bool
}

// loop is a loop that is divided.
type loop struct {
	d           *divider
	do          *ir.Do
	size, shift int64 // iteration i is element (i+shift) mod size of a block
	step        int64
	cuts        []int64 // the first elements of pieces
	ends        bool    // the index is used behind the loop
	peeled      bool    // blocks of which a constant bound cuts off elements stand alone
	apart       bool    // each piece has a loop over blocks of its own
	cycles      bool    // the body has a CYCLE of the loop
	from, to    bound
	parts
}

// bound is a bound of the loop, counted as the elements of blocks are.
type bound struct {
	form  linalg.Affine // in terms of parts, if ok
	ok    bool
	value ir.Expr // else
}

func (b bound) constant() bool { return b.ok && b.form.IsConst() }

// chosen is how a loop is to be divided; nil if it has no index that selects elements of
// blocks, or assigns by it to arrays that are distributed otherwise.
func (d *divider) chosen(s *ir.Do) *loop {
	step := d.info.Bounds(s).Step
	if step == 0 || s.Lo.IsVarying() || s.Hi.IsVarying() {
		return nil
	}
	uses, ok := d.uses(s)
	if !ok || len(uses) == 0 {
		return nil
	}
	home := uses[0]
	for _, u := range uses {
		if (u.coef == 1 || u.coef == -1) && u.assigned {
			home = u
			break
		}
	}
	l := &loop{d: d, do: s, step: step, size: home.size / linalg.GCD(home.size, home.coef)}
	switch {
	case home.coef == -1:
		l.shift = mod(-1-home.rest, l.size)
	case home.coef > 0:
		l.shift = floorDiv(home.rest, home.coef)
	}
	l.ends = d.info.LiveAfter(s, s.Index)
	l.cycles = jumps(s, false)
	if l.ends && leaves(s) {
		return nil
	}
	l.from, l.to = d.bound(s.Lo, l.shift), d.bound(s.Hi, l.shift)
	if step < 0 {
		l.from, l.to = l.to, l.from
	}
	l.peeled = l.from.constant() && l.to.constant() && !ir.HasLoop(s.Body) && !jumps(s, true)
	l.cut(uses)
	l.apart = len(l.cuts) > 1 && l.peeled && l.to.form.C-l.from.form.C < mostNear && d.analysis.Unordered(s)
	p, found := d.parts[s.Index]
	if !found {
		p = parts{d.index(s.Index, "block"), d.index(s.Index, "offset")}
		d.parts[s.Index] = p
	}
	l.parts = p
	return l
}

// uses are the subscripts of divided dimensions that the index of s is in, those that are
// assigned first. It is false if s assigns to elements of another distributed array that
// the index selects.
func (d *divider) uses(s *ir.Do) (list []use, ok bool) {
	ok = true
	ir.Walk(s.Body, func(st ir.Stmt) bool {
		var target ir.Expr
		if as, is := st.(*ir.Assign); is {
			target = as.LHS
		}
		for _, r := range ir.Refs(st) {
			blocked := d.blocked[r.Sym]
			for k, sub := range r.Subs {
				if blocked != nil && blocked[k] != nil {
					if u, found := d.use(s, sub, blocked[k]); found {
						u.assigned = r == target
						list = append(list, u)
					}
				} else if r == target && r.Sym.Mapping != nil && r.Sym.Mapping.Map.Axes[k].Grid >= 0 {
					f, affine := d.info.Affine(sub)
					ok = ok && affine && !f.Uses(s.Index.Name)
				}
			}
		}
		return ok
	})
	slices.SortStableFunc(list, func(a, b use) int {
		switch {
		case a.assigned == b.assigned:
			return 0
		case a.assigned:
			return -1
		}
		return 1
	})
	return list, ok
}

func (d *divider) use(s *ir.Do, sub ir.Expr, b *blocking) (use, bool) {
	f, ok := d.info.Affine(sub)
	if !ok {
		return use{}, false
	}
	if f, ok = b.form(f); !ok {
		return use{}, false
	}
	size, coef := int64(b.size), f.Coef(s.Index.Name)
	if coef%size == 0 {
		return use{}, false
	}
	rest, ok := f.Sub(linalg.Term(coef, s.Index.Name))
	if !ok {
		return use{}, false
	}
	if rest, ok = d.divided(rest); !ok {
		return use{}, false
	}
	if _, rest = split(rest, size); !rest.IsConst() {
		return use{}, false
	}
	return use{coef: coef, rest: rest.C, size: size}, true
}

// cut sets the pieces: within one all subscripts stay in one block, and all iterations are within
// a constant bound, or none.
func (l *loop) cut(uses []use) {
	l.cuts = []int64{0}
	add := func(at ...int64) {
		l.cuts = append(l.cuts, at...)
		slices.Sort(l.cuts)
		l.cuts = slices.Compact(l.cuts)
	}
	if l.from.constant() && !l.peeled {
		add(mod(l.from.form.C, l.size))
	}
	if l.to.constant() && !l.peeled {
		if at := mod(l.to.form.C+1, l.size); at > 0 {
			add(at)
		}
	}
	limit := len(l.cuts) + maxCuts
	if most := maxSize / (1 + size(l.do.Body)) / l.d.copies; limit > most {
		limit = most
	}
	for _, u := range uses {
		if u.coef*l.size%u.size != 0 {
			continue
		}
		at, few := u.crossings(l.size, u.rest-u.coef*l.shift, limit)
		if all := slices.Concat(l.cuts, at); few {
			slices.Sort(all)
			if len(slices.Compact(all)) <= limit {
				add(at...)
			}
		}
	}
}

// crossings are the x above 0 and below n where coef*x + rest is in another block than
// for x-1; false if there are more than limit.
func (u use) crossings(n, rest int64, limit int) (list []int64, few bool) {
	first, last := floorDiv(rest, u.size), floorDiv(u.coef*(n-1)+rest, u.size)
	if first > last {
		for t := first; t > last; t-- { // the least x with coef*x + rest < t*size
			list = append(list, floorDiv(rest-t*u.size, -u.coef)+1)
			if len(list) > limit {
				return nil, false
			}
		}
		return list, true
	}
	for t := first + 1; t <= last; t++ {
		list = append(list, ceilDiv(t*u.size-rest, u.coef))
		if len(list) > limit {
			return nil, false
		}
	}
	return list, true
}

func size(body []ir.Stmt) (n int) {
	ir.Walk(body, func(ir.Stmt) bool { n++; return true })
	return n
}

// jumps reports whether the body of s has a CYCLE of s, or an EXIT.
func jumps(s *ir.Do, exit bool) (found bool) {
	ir.Walk(s.Body, func(st ir.Stmt) bool {
		switch st := st.(type) {
		case *ir.Exit:
			found = found || exit && st.Loop == s
		case *ir.Cycle:
			found = found || !exit && st.Loop == s
		}
		return !found
	})
	return found
}

// leaves reports whether a jump in s leads out of it.
func leaves(s *ir.Do) (found bool) {
	inside := map[ir.Stmt]bool{}
	ir.Walk(s.Body, func(st ir.Stmt) bool {
		switch st := st.(type) {
		case *ir.Do, *ir.While:
			inside[st] = true
		case *ir.Exit:
			found = found || !inside[st.Loop]
		case *ir.Cycle:
			found = found || !inside[st.Loop] && st.Loop != s
		}
		return !found
	})
	return found
}

func (d *divider) bound(e ir.Expr, shift int64) bound {
	if f, ok := d.info.Affine(e); ok {
		if f, ok = f.Add(linalg.Const(shift)); ok {
			if f, ok = d.divided(f); ok {
				return bound{form: f, ok: true}
			}
		}
	}
	return bound{value: d.plus(d.expr(e), int(shift))}
}
