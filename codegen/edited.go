package codegen

import (
	"fmt"
	"strconv"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// A CHARACTER value is a string of Go, which cannot be changed: an assignment to a part of it
// makes another. In a loop that uses a text by its parts alone it is a slice of bytes:
//
//	sText := []byte(s)
//	for ... { spmd.Put(sText, k, 97+k) }
//	s = spmd.Edited(sText)

// editTexts emits that the texts which loop s of region r, a DO or a DO WHILE, edits become bytes,
// if there are any. What it returns makes them texts again.
func (g *gen) editTexts(s ir.Stmt, r *comm.Region) (end func()) {
	var syms []*ir.Symbol
	body := ir.Bodies(s)[0]
	if !g.opt.Check && (isLeaf(body) || r != nil && assignsAlone(s)) {
		for _, a := range edits(body) {
			x, ok := a.LHS.(*ir.Var)
			if !ok || x.Sym.Coarray || x.Sym.Cell || g.texts[x.Sym] != "" {
				continue
			}
			if byParts(s, func(e ir.Expr) bool { v, ok := e.(*ir.Var); return ok && v.Sym == x.Sym }) {
				g.texts[x.Sym] = g.names.fresh(g.names.sym(x.Sym) + "Text")
				syms = append(syms, x.Sym)
				g.out.at = s.Position().Line
				g.out.p("%s := []byte(%s)", g.texts[x.Sym], g.scalar(x.Sym))
			}
		}
	}
	return func() {
		for _, sym := range syms {
			g.out.p("%s = spmd.Edited(%s)", g.scalar(sym), g.texts[sym])
			delete(g.texts, sym)
		}
	}
}

// edits are the assignments to parts of texts.
func edits(body []ir.Stmt) (list []*ir.Assign) {
	ir.Walk(body, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Assign); ok && edit(a) != nil {
			list = append(list, a)
		}
		return true
	})
	return list
}

// edit is the call by which a assigns a part of a text, nil if it does not.
func edit(a *ir.Assign) *ir.Call {
	if c, ok := a.RHS.(*ir.Call); ok && c.Name == "setsub" && ir.Same(a.LHS, c.Args[0]) {
		return c
	}
	return nil
}

// assignsAlone reports whether loop s has only assignments, IFs and loops of them in it, and
// ends behind itself.
func assignsAlone(s ir.Stmt) bool {
	ok := true
	ir.Walk([]ir.Stmt{s}, func(x ir.Stmt) bool {
		switch x := x.(type) {
		case *ir.Assign:
			ok = ok && isPlain(x)
		case *ir.If, *ir.Do, *ir.While:
		case *ir.Exit:
			ok = ok && contains(s, x.Loop)
		case *ir.Cycle:
			ok = ok && contains(s, x.Loop)
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// byParts reports whether loop s assigns only parts of a text, some at all, and uses only parts of
// it, none of them in the bounds of a DO.
func byParts(s ir.Stmt, is func(ir.Expr) bool) bool {
	ok, edited := true, false
	whole := map[ir.Expr]bool{}
	if d, do := s.(*ir.Do); do {
		for _, e := range []ir.Expr{d.Lo, d.Hi, d.Step} {
			ir.WalkExpr(e, func(e ir.Expr) bool { ok = ok && !is(e); return ok })
		}
	}
	for _, a := range edits(ir.Bodies(s)[0]) {
		if is(a.LHS) {
			edited, whole[a.LHS], whole[edit(a).Args[0]] = true, true, true
		}
	}
	ir.WalkExprs([]ir.Stmt{s}, func(_ ir.Stmt, e ir.Expr) bool {
		if x, part := e.(*ir.Substr); part && is(x.Base) {
			whole[x.Base] = true
		}
		ok = ok && (!is(e) || whole[e])
		return ok
	})
	return ok && edited
}

// transient are the parts of texts in e that nothing keeps: operands of comparisons, and
// arguments of functions whose values are numbers.
func transient(e ir.Expr) (list []ir.Expr) {
	switch e := e.(type) {
	case *ir.Bin:
		if e.Op >= ir.Eq && e.Op <= ir.Ge {
			return []ir.Expr{ir.Ungrouped(e.L), ir.Ungrouped(e.R)}
		}
	case *ir.Call:
		if e.Name == "setsub" {
			return []ir.Expr{ir.Ungrouped(e.Args[3])}
		}
		if !e.Type().IsInteger() && e.Type() != ir.Logical {
			return nil
		}
		for _, x := range e.Args {
			list = append(list, ir.Ungrouped(x))
		}
	}
	return list
}

// edited is the slice of bytes that the text e is here, "" if it is a string.
func (g *gen) edited(e ir.Expr) string {
	switch e := e.(type) {
	case *ir.Var:
		return g.texts[e.Sym]
	case *ir.Ref:
		if name := g.leaf[e]; name != "" && g.textElements[name] {
			return name
		}
	}
	return ""
}

// partOf renders part e of a text that is bytes here: a copy, where something may keep it.
func (g *gen) partOf(text string, e *ir.Substr) string {
	switch {
	case g.passing[e]:
		return fmt.Sprintf("spmd.PartOf(%s, %s, %s)", text, g.position(e.Lo), g.position(e.Hi))
	case ir.Same(e.Lo, e.Hi):
		return fmt.Sprintf("spmd.CharOf(%s, %s)", text, g.position(e.Lo))
	}
	return fmt.Sprintf("spmd.CopyOf(%s, %s, %s)", text, g.position(e.Lo), g.position(e.Hi))
}

// assignPart emits an assignment to a part of a text that is bytes here.
func (g *gen) assignPart(text string, c *ir.Call) {
	if c1, ok := g.character(c.Args[3]); ok && ir.Same(c.Args[1], c.Args[2]) {
		g.out.p("spmd.Put(%s, %s, %s)", text, g.position(c.Args[1]), c1)
		return
	}
	g.out.p("spmd.Edit(%s, %s, %s, %s)", text, g.position(c.Args[1]), g.position(c.Args[2]), g.expr(c.Args[3]))
}

// character renders an expression of one character as its position, a number of Go's type int.
func (g *gen) character(e ir.Expr) (string, bool) {
	switch e := ir.Ungrouped(e).(type) {
	case *ir.Const:
		if len(e.Str) == 1 {
			return strconv.Itoa(int(e.Str[0])), true
		}
	case *ir.Call:
		if (e.Name == "char" || e.Name == "achar") && !g.opt.Check && !isConst(e.Args[0]) {
			return fmt.Sprintf("int(byte(%s))", g.position(e.Args[0])), true
		}
	case *ir.Substr:
		if g.opt.Check || !ir.Same(e.Lo, e.Hi) {
			break
		}
		text := g.edited(e.Base)
		if text == "" {
			text = g.expr(e.Base)
		}
		return fmt.Sprintf("spmd.At(%s, %s)", text, g.position(e.Lo)), true
	case *ir.Var, *ir.Ref:
		if n, ok := textLength(e); ok && n == 1 && !g.opt.Check && g.edited(e) == "" {
			return fmt.Sprintf("spmd.At(%s, 1)", g.expr(e)), true
		}
	}
	return "", false
}

// textLength is the number of characters that text e has, if it is known here.
func textLength(e ir.Expr) (n int, ok bool) {
	switch e := ir.Ungrouped(e).(type) {
	case *ir.Const:
		return len(e.Str), true
	case *ir.Var:
		return e.Sym.Len, e.Sym.Len != ir.AnyLength
	case *ir.Ref:
		return e.Sym.Len, e.Sym.Len != ir.AnyLength
	case *ir.Substr:
		return 1, ir.Same(e.Lo, e.Hi)
	case *ir.Call:
		return 1, e.Name == "char" || e.Name == "achar"
	}
	return 0, false
}

// compareTexts renders a comparison of texts.
func (g *gen) compareTexts(e *ir.Bin, op string) string {
	_, lc := e.L.(*ir.Const)
	_, rc := e.R.(*ir.Const)
	l, lok := g.character(e.L)
	r, rok := g.character(e.R)
	switch {
	case lok && rok && !(lc && rc):
		return fmt.Sprintf("%s %s %s", l, op, r)
	case e.Op == ir.Eq && !g.opt.Check:
		return fmt.Sprintf("spmd.SameStr(%s, %s)", g.expr(e.L), g.expr(e.R))
	case e.Op == ir.Ne && !g.opt.Check:
		return fmt.Sprintf("!spmd.SameStr(%s, %s)", g.expr(e.L), g.expr(e.R))
	}
	return fmt.Sprintf("spmd.CmpStr(%s, %s) %s 0", g.expr(e.L), g.expr(e.R), op)
}
