package comm

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/depend"
)

// producedInside finds a write of the region whose value o may read.
func (t *attempt) producedInside(o occurrence) (*occurrence, string) {
	for i := range t.writes {
		w := &t.writes[i]
		if w.ref.Sym != o.ref.Sym {
			continue
		}
		res := t.a.flow(*w, o, t.stmt, t.variant)
		if res.Answer == depend.No {
			continue
		}
		if !res.Certain && t.independent(res, w.ref.Sym) {
			continue
		}
		return w, res.Why
	}
	return nil, ""
}

// independent reports whether INDEPENDENT asserts away every level at which an
// undecided dependence of accesses to sym may be carried: not that of a REDUCTION.
func (t *attempt) independent(res depend.Result, sym *ir.Symbol) bool {
	outer := len(t.a.loops)
	if len(res.Levels) == 0 {
		return false
	}
	chain := t.chain()
	for _, l := range res.Levels {
		k := l - 1 - outer
		if l == 0 || k < 0 || k >= len(chain) || chain[k].Independent == nil || slices.Contains(chain[k].Independent.Reduction, sym) {
			return false
		}
	}
	return true
}

// chain is the nest of loops from the root inwards while each body holds a
// single loop.
func (t *attempt) chain() []*ir.Do {
	var out []*ir.Do
	for d := t.root; d != nil; {
		out = append(out, d)
		if len(d.Body) != 1 {
			break
		}
		d, _ = d.Body[0].(*ir.Do)
	}
	return out
}

// pipeline tells along which grid dimension the region can be executed PE
// after PE: one loop is divided by one BLOCK dimension, and no other loop
// is. If it is the root, all iterations of the PEs before come earlier in sequential order,
// and all those of the PEs behind come later: a neighbour's new values from the
// one side and its old values from the other are exactly the sequential ones. A loop
// inside must be one that could be the outermost, and another be divided into blocks:
// else each PE would wait for all of the one before.
func (t *attempt) pipeline() (gridDim, dir int, ok bool) {
	d := t.divisor()
	if t.root == nil || d == nil || len(t.region.Part[d]) != 1 {
		return 0, 0, false
	}
	if d != t.root {
		if loop, _ := t.blockLoop(d); loop == nil {
			return 0, 0, false
		}
	}
	c := t.region.Part[d][0]
	p := c.place()
	if !p.format.IsBlock() {
		return 0, 0, false
	}
	step, sok := t.a.affine(d.Step)
	if !sok || !step.IsConst() {
		return 0, 0, false
	}
	k := p.pos.Coef(d.Index.Name) * step.C
	switch {
	case k > 0:
		return p.dim, +1, true
	case k < 0:
		return p.dim, -1, true
	}
	return 0, 0, false
}

// pipelines reports whether o, which reads what the region writes, is served by
// pipelining: it reads the overlap on the side of the PEs that come before.
func (t *attempt) pipelines(o occurrence, c *Comm, shift []int) bool {
	g, dir, ok := t.pipeline()
	if !ok || !c.Overlap {
		return false
	}
	for d, ax := range o.ref.Sym.Mapping.Map.Axes {
		if ax.Grid == g {
			return shift[d]*ax.A*dir < 0
		}
	}
	return false
}

// prefersReduction rejects a region that would gather more than the reductions
// inside it would send: s = s + z(k,j) over distributed k, for a scalar that is
// private to the iterations around, is better reduced once per iteration. So is a
// reduction under an IF that all PEs decide together: then the IF is no region, but the
// loop in it is one.
func (t *attempt) prefersReduction(o occurrence, c *Comm) string {
	if c.Overlap || o.print {
		return ""
	}
	for n, l := range o.loops {
		d, ok := l.(*ir.Do)
		if _, branch := t.stmt.(*ir.If); !ok || n == 0 && !branch || t.region.Shares(d) {
			continue
		}
		driven := false
		for k, ax := range o.ref.Sym.Mapping.Map.Axes {
			if ax.Grid < 0 {
				continue
			}
			if f, ok := t.a.affine(o.ref.Subs[k]); ok && f.Uses(d.Index.Name) {
				driven = true
			}
		}
		if !driven || !t.reducesIn(d, o.stmt) {
			continue
		}
		degree := 0
		for _, m := range o.loops {
			e, ok := m.(*ir.Do)
			if ok && slices.ContainsFunc(o.ref.Subs, func(s ir.Expr) bool {
				f, ok := t.a.affine(s)
				return ok && f.Uses(e.Index.Name)
			}) {
				degree++
			}
		}
		if !t.divided() || degree > n {
			return fmt.Sprintf("the loop in line %d is a reduction over the distributed dimension of %s: reducing sends less than gathering", d.Pos.Line, o.ref.Sym.Name)
		}
	}
	return ""
}

// reducesIn reports whether s is a statement of a reduction of loop d that can
// be divided among the PEs.
func (t *attempt) reducesIn(d *ir.Do, s ir.Stmt) bool {
	for _, r := range t.a.info.Reductions(d) {
		for _, x := range r.Stmts {
			if x == s {
				return true
			}
		}
	}
	return false
}
