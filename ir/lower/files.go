package lower

import (
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// Statements on files ask the system, as intrinsic subroutines do: PE 0 executes them, and
// all PEs get the values; in a program with coarrays each image has files of its own.
//
//	open(10, file='a', iostat=ios)      read "open unit= file= iostat", given 10 and 'a', into ios

// What entries of statements on files are, where they are not CHARACTER.
var (
	integerKeys = []string{"unit", "recl", "rec", "pos", "size", "number", "nextrec", "newunit", "iostat", "iolength"}
	logicalKeys = []string{"exist", "opened", "named", "pending"}
)

// keyType reports whether what key names may have type t.
func (l *lowerer) keyType(key string, x ir.Expr) bool {
	want, ok := "CHARACTER", isText(x.Type())
	switch {
	case slices.Contains(integerKeys, key):
		want, ok = "INTEGER", x.Type().IsInteger()
	case slices.Contains(logicalKeys, key):
		want, ok = "LOGICAL", isLogical(x.Type())
	}
	if !ok {
		l.errorf(codeIO, x.Position(), "%s= is %s, it must be %s", strings.ToUpper(key), x.Type(), want).WithHelp("use a variable or value of type %s", want)
	}
	return ok
}

// specs lowers the entries of a statement with one of the keys: the keys and the values.
func (l *lowerer) specs(c *ast.Control, keys ...string) (names []string, values []ir.Expr, ok bool) {
	ok = true
	for _, s := range c.Specs {
		if !slices.Contains(keys, s.Key) {
			continue
		}
		x := l.expr(s.X)
		if isBad(x) || !l.keyType(s.Key, x) {
			ok = false
			continue
		}
		names, values = append(names, s.Key), append(values, x)
	}
	return names, values, ok
}

// fileStmt lowers OPEN, CLOSE, INQUIRE, REWIND, BACKSPACE, ENDFILE and FLUSH.
func (l *lowerer) fileStmt(s *ast.FileStmt) []ir.Stmt {
	if to := s.Spec("iolength"); to != nil {
		return l.ioLength(s, to)
	}
	r := &ir.Read{S: ir.S{Pos: s.Pos}, What: s.Word}
	ok := true
	if s.Unit != nil {
		x := l.expr(s.Unit)
		if ok = !isBad(x) && l.keyType("unit", x); ok {
			r.What += " unit="
			r.Given = append(r.Given, l.convert(x, ir.Long))
		}
	} else if s.Word != "inquire" && (s.Word != "open" || s.Spec("newunit") == nil) || s.Word == "inquire" && s.Spec("file") == nil {
		l.errorf(codeIO, s.Pos, "%s without a unit", strings.ToUpper(s.Word)).WithHelp("write the number of a unit first: %s(10, ...)", s.Word)
		return nil
	}
	given := []string{"file"}
	if s.Word != "inquire" {
		given = []string{"file", "status", "access", "form", "recl", "action", "position", "blank", "delim", "pad", "sign", "decimal", "round", "encoding", "asynchronous"}
	}
	names, values, good := l.specs(&s.Control, given...)
	ok = ok && good
	for i, name := range names {
		r.What += " " + name + "="
		r.Given = append(r.Given, values[i])
	}
	var items []readItem
	for _, e := range s.Specs {
		if slices.Contains(given, e.Key) || e.Key == "iostat" {
			continue
		}
		x := l.target(e.X)
		if isBad(x) || !l.keyType(e.Key, x) {
			ok = false
			continue
		}
		r.What += " " + e.Key
		items = append(items, readItem{x: x})
	}
	status, behind, good := l.status(&s.Control, s.Pos)
	if !good || !ok {
		return nil
	}
	if status != nil {
		r.What += " iostat"
		items = append(items, readItem{x: &ir.Var{X: ir.X{Pos: s.Pos, Typ: status.Type}, Sym: status}})
	}
	return l.jumps(s.Pos, &s.Control, status, append(append(one(r), l.receive(r, items)...), behind...))
}

// status is the variable that gets the value of IOSTAT, nil where no error is caught: one
// of the program, or one of the compiler's own, whose value behind gives to what the
// program has named.
func (l *lowerer) status(c *ast.Control, pos source.Pos) (status *ir.Symbol, behind []ir.Stmt, ok bool) {
	e := c.Spec("iostat")
	if e == nil {
		if c.End == 0 && c.Err == 0 && c.Eor == 0 {
			return nil, nil, true
		}
		return l.temp("end", ir.Integer, 0, pos), nil, true
	}
	x := l.target(e)
	if isBad(x) || !l.keyType("iostat", x) {
		return nil, nil, false
	}
	if v, isVar := x.(*ir.Var); isVar {
		return v.Sym, nil, true
	}
	t := l.temp("end", ir.Integer, 0, pos)
	v := &ir.Var{X: ir.X{Pos: pos, Typ: t.Type}, Sym: t}
	return t, one(&ir.Assign{S: ir.S{Pos: pos}, LHS: x, RHS: l.convert(v, x.Type())}), true
}

// outcome is the statement that gets the values of keys, of how the one before has ended.
func (l *lowerer) outcome(c *ast.Control, pos source.Pos, status *ir.Symbol, keys ...string) (out []ir.Stmt, ok bool) {
	r := &ir.Read{S: ir.S{Pos: pos}, What: "outcome"}
	var items []readItem
	for _, key := range keys {
		e := c.Spec(key)
		if e == nil {
			continue
		}
		x := l.target(e)
		if isBad(x) || !l.keyType(key, x) {
			return nil, false
		}
		r.What += " " + key
		items = append(items, readItem{x: x})
	}
	if status != nil {
		r.What += " iostat"
		items = append(items, readItem{x: &ir.Var{X: ir.X{Pos: pos, Typ: status.Type}, Sym: status}})
	}
	if len(items) == 0 {
		return nil, true
	}
	return append(one(r), l.receive(r, items)...), true
}

// ioLength lowers INQUIRE(IOLENGTH=n) items: how many bytes they take in an unformatted
// record.
func (l *lowerer) ioLength(s *ast.FileStmt, to ast.Expr) []ir.Stmt {
	var pre []ir.Stmt
	var total ir.Expr = intConstOf(ir.Long, 0, s.Pos)
	bin := func(op ir.Op, x, y ir.Expr) ir.Expr {
		return l.foldBinary(&ir.Bin{X: ir.X{Pos: s.Pos, Typ: ir.Long}, Op: op, L: x, R: y}, s.Pos)
	}
	for _, e := range s.Items {
		if _, isDo := e.(*ast.ImpliedDo); isDo {
			l.errorf(codeOutside, e.Position(), "an implied DO in INQUIRE(IOLENGTH=)").WithHelp("write the array or section itself")
			return nil
		}
		var n ir.Expr = intConstOf(ir.Long, 1, s.Pos)
		var x ir.Expr
		if shaping := l.firstPart(e); shaping != nil {
			ctx := l.elementsLike(shaping, &pre)
			if ctx == nil {
				return nil
			}
			for _, extent := range ctx.n {
				n = bin(ir.Mul, n, l.convert(ir.Clone(extent), ir.Long))
			}
			x = l.elementally(ctx, e)
		} else {
			x = l.expr(e)
		}
		if isBad(x) {
			return nil
		}
		size := x.Type().Bytes()
		if x.Type() == ir.Character {
			if size = l.charLen(x); size < 0 {
				l.errorf(codeOutside, e.Position(), "the length of this item of INQUIRE(IOLENGTH=) is not constant").WithHelp("write a CHARACTER variable")
				return nil
			}
		}
		total = bin(ir.Add, total, bin(ir.Mul, n, intConstOf(ir.Long, size, s.Pos)))
	}
	x := l.target(to)
	if isBad(x) || !l.keyType("iolength", x) {
		return nil
	}
	return append(pre, &ir.Assign{S: ir.S{Pos: s.Pos}, LHS: x, RHS: l.convert(total, x.Type())})
}
