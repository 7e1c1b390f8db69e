package ir

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

func (sp spelling) list(list []Expr) []string {
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = sp.expr(e)
	}
	return parts
}

func precedence(e Expr) int {
	switch e := e.(type) {
	case *Bin:
		switch e.Op {
		case Add, Sub:
			return precAdd
		case Mul, Div:
			return precMul
		case Pow:
			return precPow
		case Concat:
			return precConcat
		case And:
			return precAnd
		case Or:
			return precOr
		case Eqv, Neqv:
			return precEqv
		}
		return precCompare
	case *Un:
		switch e.Op {
		case Neg:
			return precAdd
		case Not:
			return precNot
		}
	case *Const:
		if e.Typ.IsOrdered() && (e.Int < 0 || math.Signbit(e.Float)) {
			return precAdd
		}
	}
	return precPrimary
}

// ExprString is e as Fortran text, for diagnostics and comments: "u(i-1,j)".
// Implicit conversions of operands are not shown; parentheses are those of the
// source and those that a rewritten tree needs.
// Long texts are cut.
func ExprString(e Expr) string { return spelling{}.expr(e) }

// ExprText is ExprString with all that is in e: conversions, and the whole of constants.
func ExprText(e Expr) string { return spelling{conversions: true}.expr(e) }

func (sp spelling) expr(e Expr) string {
	switch e := e.(type) {
	case *Const:
		if len(e.Str) > longestText && !sp.conversions {
			cut := strings.TrimRight(e.Str[:longestText], " ")
			return constString(&Const{X: e.X, Str: cut + "..."})
		}
		return constString(e)
	case *Var:
		return e.Sym.Name
	case *Ref:
		return sp.element(e.Sym, e.Subs)
	case *CoRef:
		return sp.coindexed(sp.element(e.Sym, e.Subs), e.Image)
	case *Substr:
		return sp.expr(e.Base) + "(" + sp.expr(e.Lo) + ":" + sp.expr(e.Hi) + ")"
	case *Bin:
		return sp.bin(e)
	case *Un:
		switch e.Op {
		case Group:
			return "(" + sp.expr(e.E) + ")"
		case Not:
			return ".not." + sp.operand(e.E, precNot)
		}
		// -a*b is -(a*b) in Fortran, which is the tree; -(a+b) needs its own.
		return "-" + sp.operand(e.E, precMul)
	case *Conv:
		if sp.conversions {
			if e.Typ == Long {
				return "int(" + sp.expr(e.E) + ", 8)"
			}
			return map[Type]string{Integer: "int", Real: "real", Double: "dble"}[e.Typ] + "(" + sp.expr(e.E) + ")"
		}
		return sp.expr(e.E)
	case *Call:
		return e.Name + "(" + strings.Join(sp.list(e.Args), ",") + ")"
	case *ImpliedDo:
		parts := append(sp.list(e.Items), e.Index.Name+"="+sp.expr(e.Lo), sp.expr(e.Hi))
		if c, ok := e.Step.(*Const); !ok || c.Int != 1 {
			parts = append(parts, sp.expr(e.Step))
		}
		return "(" + strings.Join(parts, ",") + ")"
	}
	return "?"
}

func (sp spelling) bin(e *Bin) string {
	prec := precedence(e)
	left, right := prec, prec+1 // left associative
	switch {
	case e.Op == Pow:
		left, right = prec+1, prec
	case prec == precCompare:
		left = prec + 1
	}
	op := e.Op.String()
	switch prec {
	case precMul, precPow, precAdd, precConcat:
	default:
		op = " " + op + " "
	}
	return sp.operand(e.L, left) + op + sp.operand(e.R, right)
}

// operand writes e, in parentheses when it binds less tightly than min; a
// negative constant counts as a sum, since Fortran forbids a+-1.
func (sp spelling) operand(e Expr, min int) string {
	inner := e
	for {
		c, ok := inner.(*Conv)
		if !ok || sp.conversions {
			break
		}
		inner = c.E
	}
	text := sp.expr(inner)
	if precedence(inner) < min {
		return "(" + text + ")"
	}
	return text
}

func constString(c *Const) string {
	switch c.Typ {
	case Byte, Short, Integer, Long:
		return strconv.Itoa(c.Int)
	case Real:
		return realString(c.Float, 32, "e")
	case Double:
		return realString(c.Float, 64, "d")
	case Complex:
		return "(" + realString(c.Float, 32, "e") + ", " + realString(c.Imag, 32, "e") + ")"
	case DoubleComplex:
		return "(" + realString(c.Float, 64, "d") + ", " + realString(c.Imag, 64, "d") + ")"
	case Logical1, Logical2, Logical, Logical8:
		if c.Bool {
			return ".true."
		}
		return ".false."
	case Character:
		return charString(c.Str)
	}
	return "?"
}

// charString writes a CHARACTER value on one line: control characters, which
// Fortran cannot spell, and bytes that are not UTF-8 become char(n).
func charString(s string) string {
	var parts []string
	plain := ""
	flush := func() {
		if plain != "" {
			parts = append(parts, "'"+strings.ReplaceAll(plain, "'", "''")+"'")
		}
		plain = ""
	}
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 || !unicode.IsPrint(r) {
			flush()
			for _, b := range []byte(s[:n]) {
				parts = append(parts, "char("+strconv.Itoa(int(b))+")")
			}
		} else {
			plain += s[:n]
		}
		s = s[n:]
	}
	flush()
	if len(parts) == 0 {
		return "''"
	}
	return strings.Join(parts, "//")
}

// realString writes f so that reading it back gives f, with the exponent
// letter of its type: 1.5, 1d-10, 2.5d0.
func realString(f float64, bits int, letter string) string {
	text := strconv.FormatFloat(f, 'g', -1, bits)
	if strings.ContainsAny(text, "eE") {
		mantissa, exponent, _ := strings.Cut(text, "e")
		return mantissa + letter + strings.TrimPrefix(exponent, "+")
	}
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	if letter == "d" {
		text += "d0"
	}
	return text
}
