package codegen

import (
	"fmt"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
	"github.com/spmdc/spmdc/runtime/dist"
)

// A leaf loop is an innermost loop of assignments and IFs. Its array
// references are addressed once, before the loop:
//
//	uN1 := u.Data[u.At2(i-1, j):][:nT]         stride 1: a slice of nT elements, no bounds checks
//	aN2, aN2By := a.At2(k, i), a.Stride(1, 1)  other strides: a.Data[aN2+t*aN2By]
//	bN3 := b.Data[b.At1(j)]                    invariant: loaded once
type leaf struct {
	g      *gen
	d      *ir.Do
	step   int
	part   []comm.Constraint
	writes map[*ir.Symbol]bool // arrays assigned in the body
	varies map[*ir.Symbol]bool // scalars assigned in the body
	done   map[string]string   // address -> Go expression of the element
	n      int
}

// leafLoop emits d as a leaf loop if it is one.
func (g *gen) leafLoop(d *ir.Do, r *comm.Region) bool {
	if g.opt.Check || !isLeaf(d.Body) || g.step(d) == 0 {
		return false
	}
	l := &leaf{g: g, d: d, step: g.step(d), writes: map[*ir.Symbol]bool{}, varies: map[*ir.Symbol]bool{}, done: map[string]string{}}
	if r != nil {
		l.part = r.Part[d]
	}
	for s := range g.prog.Modified(d) {
		if s.IsArray() {
			l.writes[s] = true
		} else {
			l.varies[s] = true
		}
	}
	refs := l.refs()
	if len(refs) == 0 {
		return false
	}
	g.out.at = d.Pos.Line
	it := fmt.Sprintf("dist.Range(%s, %s, %d)", g.expr(d.Lo), g.expr(d.Hi), l.step)
	if l.part != nil {
		it = g.ownIterations(d, l.part)
	}
	k := g.names.sym(d.Index)
	g.saveFinal(d)
	g.out.p("if it := %s; it.N > 0 {", it)
	g.bound[d.Index]++
	first := len(g.out.lines)
	g.out.p("%s := %s", k, l.start())
	g.out.p("nT := it.N")
	for _, f := range refs {
		l.address(f)
	}
	g.out.p("for t := 0; t < nT; t++ {")
	inner := len(g.out.lines)
	if l.step > 0 {
		g.out.p("%s := it.Lo + t*it.Step", k)
	} else {
		g.out.p("%s := it.Hi() - t*it.Step", k)
	}
	g.walks(d, r)
	g.stmts(d.Body, r)
	g.dropUnused(inner, k)
	g.out.p("}")
	g.dropUnusedBefore(first, inner, k)
	g.out.p("}")
	g.bound[d.Index]--
	g.setFinal(d)
	for _, f := range refs {
		delete(g.leaf, f.ref)
	}
	return true
}

// start is the index of the first iteration.
func (l *leaf) start() string {
	if l.step > 0 {
		return "it.Lo"
	}
	return "it.Hi()"
}

// dropUnusedBefore removes the definition in line at if lines up to end do not use it.
func (g *gen) dropUnusedBefore(at, end int, name string) {
	for _, l := range g.out.lines[at+1 : end] {
		if mentions(l.text, name) {
			return
		}
	}
	g.out.lines = append(g.out.lines[:at], g.out.lines[at+1:]...)
}

func isLeaf(body []ir.Stmt) bool {
	for _, s := range body {
		switch s := s.(type) {
		case *ir.Assign:
		case *ir.If:
			if !isLeaf(s.Then) || !isLeaf(s.Else) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// leafRef is a reference whose address is linear in the loop's iterations.
type leafRef struct {
	ref         *ir.Ref
	subs        []linalg.Affine // in terms of what the object is addressed by
	object      string
	conditional bool
	identity    bool // addressed by the array's own subscripts
}

// refs lists the references that can be addressed before the loop.
func (l *leaf) refs() []leafRef {
	var out []leafRef
	var expr func(e ir.Expr, cond bool)
	// add reports whether r's subscripts need not be evaluated in the loop.
	add := func(r *ir.Ref, cond bool) bool {
		if acc := l.g.prog.Access[r]; acc != nil && acc.Mode == comm.Walk {
			return true
		}
		f, ok := l.linear(r)
		if ok {
			f.conditional = cond
			out = append(out, f)
		}
		return ok
	}
	expr = func(e ir.Expr, cond bool) {
		switch e := e.(type) {
		case *ir.Ref:
			if !add(e, cond) {
				for _, s := range e.Subs {
					expr(s, cond)
				}
			}
		case *ir.Bin:
			expr(e.L, cond)
			expr(e.R, cond || e.Op == ir.And || e.Op == ir.Or)
		default:
			for _, x := range ir.Children(e) {
				expr(x, cond)
			}
		}
	}
	var body func(list []ir.Stmt, cond bool)
	body = func(list []ir.Stmt, cond bool) {
		for _, s := range list {
			switch s := s.(type) {
			case *ir.Assign:
				expr(s.RHS, cond)
				switch lhs := s.LHS.(type) {
				case *ir.Ref:
					expr(lhs, cond)
				case *ir.Substr:
					expr(lhs.Lo, cond)
					expr(lhs.Hi, cond)
				}
			case *ir.If:
				expr(s.Cond, cond)
				body(s.Then, true)
				body(s.Else, true)
			}
		}
	}
	body(l.d.Body, false)
	return out
}

// linear describes r if its subscripts are affine in the index and in terms
// that the loop does not change.
func (l *leaf) linear(r *ir.Ref) (leafRef, bool) {
	g := l.g
	f := leafRef{ref: r, object: g.names.sym(r.Sym), identity: true}
	acc := g.prog.Access[r]
	if acc != nil && acc.Mode == comm.Walk {
		return f, false
	}
	if acc != nil && acc.Mode == comm.Temp {
		f.object = g.temps[acc.Comm]
		if acc.Comm.Subs != nil {
			f.identity = false
			for _, ax := range acc.Comm.Axes {
				f.subs = append(f.subs, linalg.Var(ax.Terms[0].Range.Index))
			}
			return f, true
		}
	}
	for _, s := range r.Subs {
		a, ok := g.prog.Affine(s)
		if !ok {
			return f, false
		}
		for _, v := range a.Vars() {
			sym := g.symbols[v]
			if sym != l.d.Index && l.varies[sym] {
				return f, false
			}
		}
		f.subs = append(f.subs, a)
	}
	return f, true
}

// address emits the addressing of f and records how its element is written.
func (l *leaf) address(f leafRef) {
	g := l.g
	index := l.d.Index.Name
	texts := make([]string, len(f.subs))
	moving, axis := 0, -1
	for d, a := range f.subs {
		texts[d] = g.affine(a)
		if a.Uses(index) {
			moving++
			axis = d
		}
	}
	at := fmt.Sprintf("%s.%s", f.object, atCall(texts))
	load := moving == 0 && !f.conditional && !l.writes[f.ref.Sym]
	slice := moving == 1 && axis == 0 && !f.conditional && l.unit(f)
	key := fmt.Sprintf("%s %v %v", at, load, slice)
	if have := l.done[key]; have != "" {
		g.leaf[f.ref] = have
		return
	}
	l.n++
	var elem string
	// Capitals keep these names apart from those of the source.
	base := fmt.Sprintf("%sN%d", f.object, l.n)
	switch {
	case load:
		g.out.p("%s := %s.Data[%s]", base, f.object, at)
		elem = base
	case slice:
		g.out.p("%s := %s.Data[%s:][:nT]", base, f.object, at)
		elem = base + "[t]"
	case moving == 0:
		g.out.p("%s := %s", base, at)
		elem = fmt.Sprintf("%s.Data[%s]", f.object, base)
	default:
		stride := ""
		for d, a := range f.subs {
			if k := a.Coef(index); k != 0 {
				by := "it.Step"
				if k *= sign(l.step); k != 1 {
					by = fmt.Sprintf("%d*it.Step", k)
				}
				if stride != "" {
					stride += " + "
				}
				stride += fmt.Sprintf("%s.Stride(%d, %s)", f.object, d, by)
			}
		}
		g.out.p("%s, %sBy := %s, %s", base, base, at, stride)
		elem = fmt.Sprintf("%s.Data[%s+t*%sBy]", f.object, base, base)
	}
	l.done[key] = elem
	g.leaf[f.ref] = elem
}

func sign(x int) int64 {
	if x < 0 {
		return -1
	}
	return 1
}

// unit reports whether f, whose first subscript alone moves, moves through
// consecutive storage: one local element per iteration.
func (l *leaf) unit(f leafRef) bool {
	k := f.subs[0].Coef(l.d.Index.Name) * sign(l.step)
	if k < 0 {
		return false
	}
	acc := l.g.prog.Access[f.ref]
	if acc != nil && acc.Mode == comm.Temp {
		return l.unitTemp(f, acc.Comm, k)
	}
	if k != 1 {
		return false
	}
	var ax *dist.Axis
	if m := f.ref.Sym.Mapping; m != nil && m.Map.Axes[0].Grid >= 0 {
		ax = &m.Map.Axes[0]
	}
	if len(l.part) == 0 {
		// All iterations: the whole dimension must be here.
		return ax == nil && (l.step == 1 || l.step == -1)
	}
	if l.step != 1 && l.step != -1 {
		return false
	}
	for _, c := range l.part {
		if a := c.Sub.Coef(l.d.Index.Name); a != 1 && a != -1 {
			continue
		}
		ca := c.Array.Mapping.Map.Axes[c.Axis]
		switch {
		case ca.Format == dist.Block && len(l.part) == 1 && (ax == nil || ax.Format == dist.Block):
			// Owned elements of BLOCK dimensions are consecutive.
			return true
		case ca.Format == dist.Cyclic && len(l.part) == 1 && ax != nil && ax.Format == dist.Cyclic &&
			c.Array.Mapping.Grid == f.ref.Sym.Mapping.Grid && ca.Grid == ax.Grid && (ca.A == ax.A || ca.A == -ax.A):
			// Iterations step over the other PEs' elements as the storage does.
			return true
		}
	}
	return false
}

// unitTemp is unit for a temporary: its first axis holds exactly the images of
// the iterations, in order, when that axis was made from this loop alone.
func (l *leaf) unitTemp(f leafRef, c *comm.Comm, k int64) bool {
	ax := c.Axes[0]
	if ax.All {
		return k == 1 && len(l.part) == 0 && (l.step == 1 || l.step == -1)
	}
	if dense(ax) && len(l.part) == 0 && k == 1 && (l.step == 1 || l.step == -1) {
		return true // though it was made for another loop
	}
	if len(ax.Terms) != 1 || ax.Terms[0].Range.Loop != l.d || ax.Terms[0].Range.Step*l.step < 0 && abs(ax.Terms[0].Range.Step) != 1 {
		return false
	}
	r := ax.Terms[0].Range
	if len(r.Cons) != len(l.part) {
		return false
	}
	// A range that was widened lost its stride.
	return abs(r.Step) == abs(l.step) && !r.Unknown
}

// dense reports whether an axis holds a run of elements without gaps, the
// same on all PEs.
func dense(ax comm.Axis) bool {
	if len(ax.Terms) != 1 || abs(ax.Terms[0].Coef) != 1 {
		return false
	}
	r := ax.Terms[0].Range
	return abs(r.Step) == 1 && len(r.Cons) == 0 && !r.Unknown
}

func abs(x int) int { return max(x, -x) }
