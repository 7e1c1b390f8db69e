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
// which the overlap has, as if all of them were written out.

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
	at := map[string]int64{}
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
		lo, ok1 := t.a.affine(d.Lo)
		hi, ok2 := t.a.affine(d.Hi)
		step, ok3 := t.a.affine(d.Step)
		if !ok1 || !ok2 || !ok3 || !lo.IsConst() || !hi.IsConst() || !step.IsConst() || step.C == 0 {
			return false
		}
		last := lo.C + (hi.C-lo.C)/step.C*step.C
		if (hi.C-lo.C)*step.C < 0 || abs((last-lo.C)/step.C) >= mostNeighbours {
			return false
		}
		for x := lo.C; ; x += step.C {
			at[d.Index.Name] = x
			if !visit(loops[1:]) {
				return false
			}
			if x == last {
				return true
			}
		}
	}
	if !visit(loops) || len(list) == 0 {
		return nil
	}
	return list
}

// neighbour is what o needs where indices have the values at.
func (t *attempt) neighbour(o occurrence, exec []Constraint, at map[string]int64) (n neighbour, ok bool) {
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
					if f, known = f.Subst(name, linalg.Const(x)); !known {
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
