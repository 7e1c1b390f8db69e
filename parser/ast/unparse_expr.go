package ast

import (
	"fmt"
	"strings"
)

// opText says how strongly each operator binds, and how it is written.
var opText = map[string]struct {
	prec int
	text string
}{
	".eqv.": {1, " .eqv. "}, ".neqv.": {1, " .neqv. "},
	".or.": {2, " .or. "}, ".and.": {3, " .and. "},
	"==": {precRel, " == "}, "/=": {precRel, " /= "}, "<": {precRel, " < "},
	"<=": {precRel, " <= "}, ">": {precRel, " > "}, ">=": {precRel, " >= "},
	"//": {6, " // "}, "+": {precAdd, " + "}, "-": {precAdd, " - "},
	"*": {8, "*"}, "/": {8, "/"}, "**": {precPower, "**"},
}

const (
	precNot   = 4
	precRel   = 5
	precAdd   = 7
	precPower = 9
	precAtom  = 10
)

// writeExpr writes x, in parentheses when it binds less than min. A tree that
// was parsed has its parentheses as nodes and gets no further ones; a tree
// that was made gets those that it needs.
func writeExpr(b *strings.Builder, x Expr, min int) {
	if precedence(x) < min {
		b.WriteString("(")
		defer b.WriteString(")")
	}
	switch x := x.(type) {
	case *IntLit:
		b.WriteString(x.Text)
		writeKind(b, x.Kind)
	case *RealLit:
		b.WriteString(x.Text)
		writeKind(b, x.Kind)
	case *StringLit:
		switch x.Quote {
		case 'h':
			fmt.Fprintf(b, "%dH%s", len(x.Value), x.Value)
			return
		case 'b', 'o', 'z':
			fmt.Fprintf(b, "%c'%s'", x.Quote, x.Value)
			return
		}
		q := "'"
		if x.Quote == '"' {
			q = `"`
		}
		if x.Kind != "" {
			b.WriteString(x.Kind + "_")
		}
		b.WriteString(q + strings.ReplaceAll(x.Value, q, q+q) + q)
	case *LogicalLit:
		if x.Value {
			b.WriteString(".true.")
		} else {
			b.WriteString(".false.")
		}
		if x.Kind != "" {
			b.WriteString("_" + x.Kind)
		}
	case *Ident:
		b.WriteString(x.Name)
	case *Index:
		if op := x.Operator(); op != "" {
			if len(x.Args) == 2 {
				writeExpr(b, x.Args[0], 0)
				b.WriteString(" ")
			}
			b.WriteString(op + " ")
			writeExpr(b, x.Args[len(x.Args)-1], []int{precAtom, 1}[len(x.Args)-1])
			return
		}
		if part := x.Part(); part != "" {
			writeExpr(b, x.Args[0], 0)
			b.WriteString("%" + part)
			return
		}
		b.WriteString(x.Name + "(")
		for i, a := range x.Args {
			if i > 0 {
				b.WriteString(",")
			}
			writeExpr(b, a, 0)
		}
		b.WriteString(")")
	case *Component:
		writeExpr(b, x.Base, precAtom)
		b.WriteString("%" + x.Name)
		if x.List {
			b.WriteString("(")
			writeList(b, x.Args)
			b.WriteString(")")
		}
	case *Triplet:
		if x.Lo != nil {
			writeExpr(b, x.Lo, 0)
		}
		b.WriteString(":")
		if x.Hi != nil {
			writeExpr(b, x.Hi, 0)
		}
		if x.Step != nil {
			b.WriteString(":")
			writeExpr(b, x.Step, 0)
		}
	case *Substring:
		writeExpr(b, x.Base, precAtom)
		b.WriteString("(")
		if x.Lo != nil {
			writeExpr(b, x.Lo, 0)
		}
		b.WriteString(":")
		if x.Hi != nil {
			writeExpr(b, x.Hi, 0)
		}
		b.WriteString(")")
	case *CoIndex:
		writeExpr(b, x.Base, precAtom)
		b.WriteString("[")
		writeList(b, x.Images)
		b.WriteString("]")
	case *Unary:
		b.WriteString(x.Op)
		if x.Op == ".not." {
			b.WriteString(" ")
			writeExpr(b, x.X, precRel)
		} else {
			writeExpr(b, x.X, precAdd+1)
		}
	case *Binary:
		op, left, right := opText[x.Op], opText[x.Op].prec, opText[x.Op].prec+1
		switch op.prec {
		case precRel:
			left = right // a < b < c does not exist
		case precPower:
			left, right = right, left
		}
		writeExpr(b, x.X, left)
		b.WriteString(op.text)
		writeExpr(b, x.Y, right)
	case *Paren:
		b.WriteString("(")
		writeExpr(b, x.X, 0)
		b.WriteString(")")
	case *Complex:
		b.WriteString("(")
		writeList(b, []Expr{x.Re, x.Im})
		b.WriteString(")")
	case *Array:
		open, end := "(/ ", " /)"
		if x.Brackets {
			open, end = "[", "]"
		}
		b.WriteString(open)
		if x.Type != nil {
			writeType(b, x.Type)
			b.WriteString(" :: ")
		}
		writeList(b, x.Items)
		b.WriteString(end)
	case *ImpliedDo:
		b.WriteString("(")
		writeList(b, x.Items)
		b.WriteString(", " + x.Var.Name + " = ")
		writeControl(b, x.Lo, x.Hi, x.Step)
		b.WriteString(")")
	case *Elements:
		writeExpr(b, x.X, 0)
	case *AltReturn:
		fmt.Fprintf(b, "*%d", x.To.Label)
	case *Keyword:
		b.WriteString(x.Name + "=")
		writeExpr(b, x.X, 0)
	case nil:
		b.WriteString("?")
	default:
		fmt.Fprintf(b, "?%T?", x)
	}
}

func writeKind(b *strings.Builder, kind string) {
	if kind != "" {
		b.WriteString("_" + kind)
	}
}

// precedence is how strongly the outermost operator of x binds.
func precedence(x Expr) int {
	switch x := x.(type) {
	case *Unary:
		if x.Op == ".not." {
			return precNot
		}
		return precAdd
	case *Binary:
		return opText[x.Op].prec
	case *Index:
		if x.Operator() != "" && len(x.Args) == 2 {
			return 0
		}
	}
	return precAtom
}
