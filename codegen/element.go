package codegen

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// view is the Go object that a reference is found in, and its subscripts there.
func (g *gen) view(r *ir.Ref) (object string, subs []string) {
	acc := g.access(r)
	if acc != nil && acc.Mode == comm.Temp {
		c := acc.Comm
		object = g.temps[c]
		if c.Subs != nil {
			for _, ax := range c.Axes {
				subs = append(subs, g.variable(ax.Terms[0].Range.Index))
			}
			return object, subs
		}
	} else {
		object = g.object(r)
	}
	for _, s := range r.Subs {
		subs = append(subs, g.position(s))
	}
	return object, subs
}

// element renders an array element; store: it is assigned.
func (g *gen) element(r *ir.Ref, store bool) string {
	if g.fetches && r.Sym.Distributed() {
		return fmt.Sprintf("spmd.Def(%s.Fetch(%s), %q)", g.names.sym(r.Sym), g.ownSubs(r), ir.ExprString(r))
	}
	if acc := g.access(r); acc != nil && acc.Mode == comm.Walk {
		if b := g.leaf[r]; b != "" {
			return b
		}
		if !g.opt.Check {
			return g.walked[acc.Comm]
		}
		return fmt.Sprintf("spmd.Element(%s, %s)", g.walked[acc.Comm], g.ownSubs(r))
	}
	if p := g.partialRef[r]; p != nil {
		return p()
	}
	if b := g.leaf[r]; b != "" {
		return b
	}
	if p, ok := g.picked[r]; ok {
		return g.pickedElement(r, p)
	}
	object, subs := g.view(r)
	if g.opt.Check {
		object, subs = g.checkedSubs(r, object, subs)
	}
	at := fmt.Sprintf("%s.%s", object, atCall(subs))
	if r.Sym.Cell {
		at = "0"
	}
	if g.opt.Check && r.Sym.Coarray {
		at = fmt.Sprintf("%s.Marked(%s)", object, at)
	}
	s := fmt.Sprintf("%s.Data[%s]", object, at)
	if g.opt.Check && !store && !r.Raw && !mayBeEmpty(r.Sym) {
		return fmt.Sprintf("spmd.Def(%s, %q)", s, ir.ExprString(r))
	}
	return s
}

// checkedSubs wraps subscripts in bounds checks against the declaration.
func (g *gen) checkedSubs(r *ir.Ref, object string, subs []string) (string, []string) {
	out := make([]string, len(subs))
	copy(out, subs)
	acc := g.access(r)
	if acc != nil && acc.Comm != nil && acc.Comm.Subs != nil {
		return object, out
	}
	for d := range subs {
		out[d] = g.idx(subs[d], r, d)
	}
	return object, out
}

// ownSubs renders the subscripts of the source with their tests.
func (g *gen) ownSubs(r *ir.Ref) string {
	subs := make([]string, len(r.Subs))
	for d, s := range r.Subs {
		subs[d] = g.idx(g.position(s), r, d)
	}
	return strings.Join(subs, ", ")
}

// idx renders the test of a subscript. What all PEs execute fails on all of them, and
// one reports it.
func (g *gen) idx(sub string, r *ir.Ref, d int) string {
	test := "pe.Idx"
	if g.prog.IR.SPMD || g.divided {
		test = "spmd.Idx"
	}
	return fmt.Sprintf("%s(%s, %s, %s, %q)", test, sub, g.end(r.Sym.Dims[d].Lo), g.end(r.Sym.Dims[d].Hi), fmt.Sprintf("%s, dimension %d", ir.ExprString(r), d+1))
}

func atCall(subs []string) string {
	switch len(subs) {
	case 1, 2, 3, 4:
		return fmt.Sprintf("At%d(%s)", len(subs), strings.Join(subs, ", "))
	}
	return fmt.Sprintf("At(%s)", strings.Join(subs, ", "))
}
