package codegen

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// A leaf loop is an innermost loop of assignments and IFs. Its array
// references are addressed once, before the loop:
//
//	uN1 := u.Data[u.At2(i-1, j):][:nT]                           stride 1: uN1[t]
//	aN2, aN2K, aN2By := a.Every(a.At2(k, i), nT, a.Stride(1, 1)) other strides: aN2[aN2K]
//	aN3 := a.Data[a.At2(k, i+1)-int(aN2K):][:len(aN2)]           the same stride: aN3[aN2K]
//	bN4 := b.Data[b.At1(j)]                                      invariant: loaded once
//	sN5 := s.Data[s.At1(j):][:1]                                 invariant, assigned: sN5[0]
//
// and the loop needs no bounds check, since its condition says all that the
// compiler must know:
//
//	for t := 0; t < nT && aN2K < uint(len(aN2)); t, aN2K = t+1, aN2K+aN2By {
//
// The slice of Every ends at the element of the last iteration, so the conditions
// hold for the same iterations, whatever the sign of the stride; the count t is
// left out where nothing uses it and a stride tells the end. A reference that
// some iterations may not execute can be addressed, but not sliced: where it is
// not executed it may lie outside of the piece. It keeps its check.
type leaf struct {
	g       *gen
	d       *ir.Do
	step    int
	part    []comm.Constraint
	writes  map[string]bool     // objects that the body stores to
	varies  map[*ir.Symbol]bool // scalars assigned in the body
	done    map[string]string   // address -> Go expression of the element
	strides map[string]string   // stride -> slice whose index the others of that stride share
	streams []string            // those slices, in the order of their references
	n       int
	line    int // of the statement that inBody looks at
}

// leafLoop emits d as a leaf loop if it is one.
func (g *gen) leafLoop(d *ir.Do, r *comm.Region) bool {
	if g.opt.Check || !isLeaf(d.Body) || g.step(d) == 0 {
		return false
	}
	l := &leaf{g: g, d: d, step: g.step(d), writes: map[string]bool{}, varies: map[*ir.Symbol]bool{}, done: map[string]string{}, strides: map[string]string{}}
	if r != nil {
		l.part = r.Part[d]
	}
	for s := range g.prog.Modified(d) {
		if !s.IsArray() {
			l.varies[s] = true
		}
	}
	refs, walks := l.refs(), g.walksOf(d, r)
	if len(refs)+len(walks) == 0 {
		return false
	}
	g.out.at = d.Pos.Line
	it := fmt.Sprintf("dist.Range(%s, %s, %d)", g.position(d.Lo), g.position(d.Hi), l.step)
	if l.part != nil || g.parts[d] != "" {
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
	g.out.at = d.Pos.Line
	for _, c := range walks {
		v := "val" + strings.ToUpper(c.Name())
		g.walked[c] = v + "[t]"
		g.out.p("%s := %s.Data[%s:][:nT]", v, g.comms[c], g.counter(c))
		g.out.p("%s += nT", g.counter(c))
	}
	inner := len(g.out.lines) + 1
	g.out.p("%s", l.head(true))
	if l.step > 0 {
		g.out.p("%s := it.Lo + t*it.Step", k)
	} else {
		g.out.p("%s := it.Hi() - t*it.Step", k)
	}
	g.stmts(d.Body, r)
	g.dropUnused(inner, k)
	if len(l.streams) > 0 && !g.mentioned(inner, "t") {
		g.out.lines[inner-1].text = l.head(false)
	}
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

// head opens the loop, with or without a count of the iterations.
func (l *leaf) head(count bool) string {
	if len(l.streams) == 0 {
		return "for t := 0; t < nT; t++ {"
	}
	var init string
	var conds, vars, next []string
	if count {
		init, conds, vars, next = "t := 0", []string{"t < nT"}, []string{"t"}, []string{"t+1"}
	}
	for _, s := range l.streams {
		conds = append(conds, fmt.Sprintf("%sK < uint(len(%s))", s, s))
		vars = append(vars, s+"K")
		next = append(next, fmt.Sprintf("%sK+%sBy", s, s))
	}
	if len(vars) == 1 {
		return fmt.Sprintf("for ; %s; %s += %sBy {", conds[0], vars[0], l.streams[0])
	}
	return fmt.Sprintf("for %s; %s; %s = %s {", init, strings.Join(conds, " && "), strings.Join(vars, ", "), strings.Join(next, ", "))
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
	if !mentionedIn(g.out.lines[at+1:end], name) {
		g.out.lines = append(g.out.lines[:at], g.out.lines[at+1:]...)
	}
}

func isLeaf(body []ir.Stmt) bool {
	for _, s := range body {
		switch s := s.(type) {
		case *ir.Assign:
			if coindexed(s) {
				return false // what it stores may be an element that is addressed here
			}
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

// coindexed reports whether s itself mentions an element of another image.
func coindexed(s ir.Stmt) bool {
	for _, e := range ir.Exprs(s) {
		if _, far := ir.Coarrays(e); far {
			return true
		}
	}
	return false
}

// leafRef is a reference whose address is linear in the loop's iterations.
type leafRef struct {
	ref         *ir.Ref
	subs        []linalg.Affine // in terms of what the object is addressed by
	object      string
	line        int  // of its statement
	conditional bool // some iterations may leave it out
}

// place names the element that f refers to in an iteration.
func (f *leafRef) place() string { return fmt.Sprint(f.object, f.subs) }

// places are elements of each iteration.
type places map[string]bool

// refs lists the references that can be addressed before the loop.
func (l *leaf) refs() []leafRef {
	var out []leafRef
	always := l.inBody(l.d.Body, &out)
	for i := range out {
		out[i].conditional = !always[out[i].place()]
	}
	return out
}

// inBody adds the references in statements to out and returns the places that
// every execution of them touches.
func (l *leaf) inBody(list []ir.Stmt, out *[]leafRef) places {
	always := places{}
	for _, s := range list {
		l.line = s.Position().Line
		switch s := s.(type) {
		case *ir.Assign:
			l.inExpr(s.RHS, always, out)
			switch lhs := s.LHS.(type) {
			case *ir.Ref:
				l.writes[l.object(lhs)] = true
				l.inExpr(lhs, always, out)
			case *ir.Substr:
				l.inExpr(lhs.Lo, always, out)
				l.inExpr(lhs.Hi, always, out)
			}
		case *ir.If:
			l.inExpr(s.Cond, always, out)
			then, other := l.inBody(s.Then, out), l.inBody(s.Else, out)
			for p := range then {
				if other[p] {
					always[p] = true
				}
			}
		}
	}
	return always
}

// inExpr adds the references in an expression to out, and to always the places
// that every evaluation touches.
func (l *leaf) inExpr(e ir.Expr, always places, out *[]leafRef) {
	switch e := e.(type) {
	case *ir.Ref:
		if acc := l.g.prog.Access[e]; acc != nil && acc.Mode == comm.Walk {
			return // its subscripts are not evaluated in the loop
		}
		if f, ok := l.linear(e); ok {
			*out = append(*out, f)
			always[f.place()] = true
			return
		}
		for _, s := range e.Subs {
			l.inExpr(s, always, out)
		}
	case *ir.Bin:
		l.inExpr(e.L, always, out)
		if e.Op == ir.And || e.Op == ir.Or {
			always = places{} // Go may leave out the right side
		}
		l.inExpr(e.R, always, out)
	default:
		for _, x := range ir.Children(e) {
			l.inExpr(x, always, out)
		}
	}
}

// object is what the element of r lies in: the array or a temporary.
func (l *leaf) object(r *ir.Ref) string {
	if acc := l.g.prog.Access[r]; acc != nil && acc.Mode == comm.Temp {
		return l.g.temps[acc.Comm]
	}
	return l.g.names.sym(r.Sym)
}

// linear describes r if its subscripts are affine in the index and in terms
// that the loop does not change.
func (l *leaf) linear(r *ir.Ref) (leafRef, bool) {
	g := l.g
	f := leafRef{ref: r, object: l.object(r), line: l.line}
	acc := g.prog.Access[r]
	if acc != nil && acc.Mode == comm.Walk {
		return f, false
	}
	if acc != nil && acc.Mode == comm.Temp {
		if acc.Comm.Subs != nil {
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
