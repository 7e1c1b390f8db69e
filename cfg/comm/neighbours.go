package comm

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// A reference in a short loop inside of the loops that are divided is one to each of
// several neighbours:
//
//	do j = 3, n - 2              by the owner of b(:,j)
//	   do q = -2, 2
//	      s = s + a(i,j+q)       a(i,j-2), a(i,j-1), a(i,j), a(i,j+1), a(i,j+2)
//
// which the overlap has, as if all of them were written out. So it is where the loop is over
// max(j-2,1), min(j+2,n), and reads a(i,q).

// mostNeighbours is the number of distances that are told apart.
const mostNeighbours = 64

// neighbour is what a reference needs in some iterations of short loops: nothing if c is nil.
type neighbour struct {
	c     *Comm
	shift []int
}

// neighbours are those of o, nil where it is not served by the overlap alone.
func (t *attempt) neighbours(o occurrence, exec []Constraint) (list []neighbour) {
	if o.print || o.conditional && len(o.implied) > 0 {
		return nil
	}
	// The loops that decide which neighbour is read.
	var loops []*ir.Do
	for _, l := range o.loops {
		d, ok := l.(*ir.Do)
		if !ok || t.region.Shares(d) || d == t.root {
			continue
		}
		for k, ax := range o.ref.Sym.Mapping.Map.Axes {
			if f, ok := t.a.affine(o.ref.Subs[k]); ax.Grid >= 0 && ok && f.Uses(d.Index.Name) {
				loops = append(loops, d)
				break
			}
		}
	}
	if len(loops) == 0 {
		return nil
	}
	at := map[string]linalg.Affine{}
	var visit func(loops []*ir.Do) bool
	visit = func(loops []*ir.Do) bool {
		if len(loops) == 0 {
			n, ok := t.neighbour(o, exec, at)
			if ok && n.c != nil && !slices.ContainsFunc(list, func(have neighbour) bool { return have.c != nil && have.c.key() == n.c.key() }) {
				list = append(list, n)
			}
			return ok && len(list) <= mostNeighbours
		}
		d := loops[0]
		first, n, step := t.few(d)
		for x := range n {
			at[d.Index.Name], _ = first.Add(linalg.Const(int64(x) * step))
			if !visit(loops[1:]) {
				return false
			}
		}
		return n > 0
	}
	if !visit(loops) || len(list) == 0 {
		return nil
	}
	return list
}

// few gives the least value that the index of d may have, the most iterations that d may have,
// 0 if that is not known or too large, and how far two of them are apart.
func (t *attempt) few(d *ir.Do) (first linalg.Affine, n int, step int64) {
	by, ok := t.a.affine(d.Step)
	if !ok || !by.IsConst() || by.C == 0 {
		return first, 0, 0
	}
	step = by.C
	lo, hi := d.Lo, d.Hi
	if step < 0 {
		lo, hi = hi, lo
	}
	changed := t.a.info.Modified(d)
	n = mostNeighbours + 1
	for _, l := range t.a.limits(lo, "max") {
		if slices.ContainsFunc(l.Vars(), func(v string) bool { return changed[t.a.symbols[v]] }) {
			continue
		}
		for _, h := range t.a.limits(hi, "min") {
			far, ok := h.Sub(l)
			if !ok || !far.IsConst() || far.C < 0 || far.C >= int64(n)*abs(step) {
				continue
			}
			trips := far.C/abs(step) + 1
			switch _, exact := t.a.affine(d.Lo); {
			case abs(step) == 1, step > 0 && exact:
				first, n = l, int(trips)
			case exact: // it counts from h down
				first, _ = h.Add(linalg.Const((trips - 1) * step))
				n = int(trips)
			}
		}
	}
	if n > mostNeighbours {
		return first, 0, 0
	}
	return first, n, abs(step)
}

// limits are affine forms of which e, a bound of a loop, has one, or is the MAX or MIN of several
// values with some of these.
func (a *analyzer) limits(e ir.Expr, of string) (list []linalg.Affine) {
	if f, ok := a.affine(e); ok {
		return []linalg.Affine{f}
	}
	if c, ok := e.(*ir.Call); ok && c.Name == of && c.Typ.IsInteger() {
		for _, x := range c.Args {
			list = append(list, a.limits(x, of)...)
		}
	}
	return list
}

// neighbour is what o needs where indices have the values at.
func (t *attempt) neighbour(o occurrence, exec []Constraint, at map[string]linalg.Affine) (n neighbour, ok bool) {
	there := o
	there.ref = &ir.Ref{X: o.ref.X, Sym: o.ref.Sym}
	defer func() {
		for _, s := range there.ref.Subs {
			delete(t.a.affines, s)
		}
	}()
	for k, s := range o.ref.Subs {
		c := ir.Clone(s)
		there.ref.Subs = append(there.ref.Subs, c)
		f, known := t.a.affine(s)
		if !known {
			continue
		}
		if o.ref.Sym.Mapping.Map.Axes[k].Grid >= 0 {
			for _, name := range f.Vars() {
				if x, fixed := at[name]; fixed {
					if f, known = f.Subst(name, x); !known {
						return n, false
					}
				}
			}
		}
		t.a.affines[c] = f
	}
	c, shift := t.classify(there, exec)
	if c == nil {
		return n, true
	}
	c.Refs = []*ir.Ref{o.ref}
	return neighbour{c, shift}, c.Overlap
}

// fetched is what o needs from other PEs, one thing without a communication for nothing.
func (t *attempt) fetched(o occurrence, exec []Constraint) []neighbour {
	if w, _ := t.producedInside(o); w == nil {
		if list := t.neighbours(o, exec); list != nil {
			return list
		}
	}
	c, shift := t.classify(o, exec)
	return []neighbour{{c, shift}}
}

// addRef notes a reference that c serves.
func (c *Comm) addRef(r *ir.Ref) {
	if !slices.Contains(c.Refs, r) {
		c.Refs = append(c.Refs, r)
	}
}
