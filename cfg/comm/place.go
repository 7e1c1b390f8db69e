package comm

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/ir"
)

// block puts a statement list into SPMD form.
func (a *analyzer) block(body []ir.Stmt) []Node {
	var out []Node
	for _, s := range body {
		out = append(out, a.statement(s)...)
	}
	return out
}

// statement makes s a region where it can, else control flow that all PEs
// follow together with regions inside.
func (a *analyzer) statement(s ir.Stmt) []Node {
	if a.alone(s) {
		return explicit([]ir.Stmt{s})
	}
	switch s := s.(type) {
	case *ir.Assign:
		return a.assign(s)
	case *ir.Print:
		t, why := a.tryRegion(s)
		if t == nil {
			return a.fallback(s, why)
		}
		return t.nodes()
	case *ir.If:
		// A condition that all PEs know keeps communication from happening in vain.
		if t, _ := a.tryRegion(s); t != nil && !a.together(s) && (s.Cond.IsVarying() || len(t.pre)+len(t.pipe) == 0) {
			return t.nodes()
		}
		pre := a.fetch(s, s.Cond)
		b := &Branch{If: s, Then: a.block(s.Then), Else: a.block(s.Else)}
		if len(pre) == 0 {
			return []Node{b}
		}
		// The values are dead as soon as the condition is known.
		b.Then = append([]Node{&Done{pre}}, b.Then...)
		b.Else = append([]Node{&Done{pre}}, b.Else...)
		return []Node{&Post{pre}, &Wait{pre}, b}
	case *ir.Do:
		return a.do(s)
	case *ir.While:
		return a.while(s)
	case *ir.Read:
		var pre []*Comm
		for _, e := range ir.Exprs(s) {
			pre = append(pre, a.fetch(s, e)...)
		}
		return around(pre, []Node{&Simple{s}})
	case *ir.Stop:
		var pre []*Comm
		if s.Code != nil {
			pre = a.fetch(s, s.Code)
		}
		return around(pre, []Node{&Simple{s}})
	}
	return []Node{&Simple{s}}
}

// assign is one assignment outside loops that divide it. A subscript that is
// not affine is first computed by all PEs into a scalar of its own, so that
// every PE knows which element is meant.
func (a *analyzer) assign(s *ir.Assign) []Node {
	var out []Node
	extract := func(r *ir.Ref, onlyMapped bool) {
		if !r.Sym.Distributed() {
			return
		}
		for d, sub := range r.Subs {
			if onlyMapped && r.Sym.Mapping.Map.Axes[d].Grid < 0 {
				continue
			}
			if _, ok := a.affine(sub); ok {
				continue
			}
			sym, as := a.temp(sub, s)
			a.replaced = append(a.replaced, replacement{r, d, sub})
			v := &ir.Var{X: ir.X{Pos: sub.Position(), Typ: sym.Type}, Sym: sym}
			a.affines[v] = affineVar(sym)
			r.Subs[d] = v
			out = append(out, a.assign(as)...)
		}
	}
	for _, o := range a.occurrences(s) {
		if !o.conditional {
			extract(o.ref, o.write)
		}
	}
	t, why := a.tryRegion(s)
	if t == nil {
		return append(out, a.fallback(s, why)...)
	}
	return append(out, t.nodes()...)
}

type replacement struct {
	ref *ir.Ref
	sub int
	old ir.Expr
}

// restore undoes the replacements since mark.
func (a *analyzer) restore(mark int) {
	for i := len(a.replaced) - 1; i >= mark; i-- {
		r := a.replaced[i]
		r.ref.Subs[r.sub] = r.old
	}
	a.replaced = a.replaced[:mark]
}

func (a *analyzer) do(s *ir.Do) []Node {
	t, why := a.tryRegion(s)
	if a.together(s) {
		t, why = nil, "some of it differs among images"
	}
	if t != nil {
		return t.nodes()
	}
	mark := len(a.replaced)
	pre := a.fetch(s, s.Lo, s.Hi, s.Step)
	a.loops = append(a.loops, s)
	body := a.block(s.Body)
	a.loops = a.loops[:len(a.loops)-1]
	a.out.note(s, why)

	hoisted, body := a.hoist(s, body)
	if !ir.HasLoop(s.Body) && elementwise(body) && !jumpsOut(s) && !checkpoints(s) {
		a.restore(mark)
		return a.fallback(s, why)
	}
	reduced, body := a.finishBehind(s, body)
	return partial(reduced, s, func(inner []Node) []Node {
		return around(pre, around(hoisted, append(inner, &Loop{Do: s, Body: body})))
	})
}

func (a *analyzer) while(s *ir.While) []Node {
	if t, _ := a.tryRegion(s); t != nil && !t.divided() && !a.together(s) {
		return t.nodes()
	}
	mark := len(a.replaced)
	a.loops = append(a.loops, s)
	pre := a.fetch(s, s.Cond)
	var preNodes []Node
	if len(pre) > 0 {
		preNodes = []Node{&Post{pre}, &Wait{pre}}
	}
	body := a.block(s.Body)
	a.loops = a.loops[:len(a.loops)-1]
	h1, preNodes := a.hoist(s, preNodes)
	h2, body := a.hoist(s, body)
	if !ir.HasLoop(s.Body) && (elementwise(body) || elementwise(preNodes)) && !jumpsOut(s) && !checkpoints(s) {
		a.restore(mark)
		return a.fallback(s, "its references have subscripts that are known at run time only")
	}
	reduced, body := a.finishBehind(s, body)
	w := &WhileLoop{While: s, Pre: preNodes, Body: body}
	for _, c := range pre {
		if !slices.Contains(h1, c) {
			w.Used = append(w.Used, c)
		}
	}
	return partial(reduced, s, func(inner []Node) []Node {
		return around(append(h1, h2...), append(inner, w))
	})
}

// nodes wraps a region in its communications.
func (t *attempt) nodes() []Node {
	var plain, irregular []*Comm
	for _, c := range t.pre {
		c.CLine = t.stmt.Position().Line
		if c.Kind == Irregular {
			irregular = append(irregular, c)
		} else {
			plain = append(plain, c)
		}
	}
	for _, c := range t.pipe {
		c.CLine = t.stmt.Position().Line
	}
	// The lists of an irregular communication are made from values that the
	// ordinary ones bring.
	return partial(t.reduced, t.stmt, func(inner []Node) []Node {
		return around(plain, around(irregular, append(inner, t.region)))
	})
}

// around puts a group of communications before body, and their end behind it.
func around(comms []*Comm, body []Node) []Node {
	if len(comms) == 0 {
		return body
	}
	out := []Node{&Post{comms}, &Wait{comms}}
	out = append(out, body...)
	return append(out, &Done{comms})
}

// fetch brings the distributed elements that exprs read to every PE, for the
// conditions and bounds that all PEs evaluate.
func (a *analyzer) fetch(s ir.Stmt, exprs ...ir.Expr) []*Comm {
	w := occWalker{a: a}
	for _, e := range exprs {
		if e.IsVarying() {
			w.expr(e, occurrence{stmt: s})
		}
	}
	t := &attempt{a: a, stmt: s, region: &Region{}, occs: w.list}
	t.communicate()
	for _, c := range t.pre {
		c.CLine = s.Position().Line
	}
	return t.pre
}

// fallback executes s on all PEs: distributed arrays are gathered whole, and
// the owners keep what s assigned.
func (a *analyzer) fallback(s ir.Stmt, why string) []Node {
	r := &Region{Stmts: []ir.Stmt{s}, Fallback: true, Why: why}
	whole := map[*ir.Symbol]*Comm{}
	stored := map[*ir.Symbol]bool{}
	for _, o := range a.occurrences(s) {
		sym := o.ref.Sym
		if !sym.Distributed() {
			continue
		}
		c := whole[sym]
		if c == nil {
			c = &Comm{Kind: Whole, Array: sym, Line: o.ref.Pos.Line, Col: o.ref.Pos.Col, CLine: s.Position().Line, Region: r}
			for range sym.Dims {
				c.Axes = append(c.Axes, Axis{All: true})
			}
			whole[sym] = c
			r.Comms = append(r.Comms, c)
		}
		c.Refs = append(c.Refs, o.ref)
		if o.write && !stored[sym] {
			stored[sym] = true
			r.StoreBack = append(r.StoreBack, c)
		}
		a.out.Access[o.ref] = &Access{Mode: Temp, Comm: c}
	}
	return around(r.Comms, []Node{r})
}

// jumpsOut reports whether loop holds an EXIT or CYCLE of a loop around it.
func jumpsOut(loop ir.Stmt) bool {
	out := false
	ir.Walk([]ir.Stmt{loop}, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Exit:
			out = out || s.Loop != loop
		case *ir.Cycle:
			out = out || s.Loop != loop
		}
		return true
	})
	return out
}

// checkpoints reports whether a checkpoint is taken inside a statement: the PEs
// then stay together in it, and no gathered copies are in use between its
// statements.
func checkpoints(s ir.Stmt) bool {
	found := false
	ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) bool {
		_, is := s.(*ir.Checkpoint)
		found = found || is
		return !found
	})
	return found
}

// elementwise reports whether an innermost loop is left with communication of
// elements that only the run time knows: then gathering is cheaper.
func elementwise(body []Node) bool {
	for _, n := range body {
		switch n := n.(type) {
		case *Post:
			for _, c := range n.Comms {
				if c.Kind == Irregular {
					return true
				}
				for _, ax := range c.Axes {
					if ax.All {
						return true
					}
				}
				for _, f := range c.Affines() {
					for _, v := range f.Vars() {
						if isTemp(v) {
							return true
						}
					}
				}
			}
		case *Branch:
			if elementwise(n.Then) || elementwise(n.Else) {
				return true
			}
		}
	}
	return false
}

// note records why a loop is no region, for explain.
func (p *Program) note(s ir.Stmt, why string) {
	if p.Notes == nil {
		p.Notes = map[ir.Stmt]string{}
	}
	p.Notes[s] = why
}

// Name is the communication's name in dumps and generated code.
func (c *Comm) Name() string { return fmt.Sprintf("c%d", c.ID) }
