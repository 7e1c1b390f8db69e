package codegen

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Go's binary precedences.
const (
	precOr = iota + 1
	precAnd
	precCompare
	precAdd
	precMul
	precUnary
	precAtom
)

func goType(t ir.Type) string {
	switch t {
	case ir.Integer:
		return "int32"
	case ir.Long:
		return "int"
	case ir.Real:
		return "float32"
	case ir.Double:
		return "float64"
	case ir.Complex:
		return "complex64"
	case ir.DoubleComplex:
		return "complex128"
	case ir.Logical:
		return "bool"
	}
	return "string"
}

// expr renders e as a Go expression.
func (g *gen) expr(e ir.Expr) string {
	s, _ := g.prec(e)
	return s
}

// atLeast renders e so that it may stand as an operand of precedence p.
func (g *gen) atLeast(e ir.Expr, p int) string {
	s, q := g.prec(e)
	return enclose(s, q, p)
}

// typed renders e so that a constant has its Fortran type where Go would choose one.
func (g *gen) typed(e ir.Expr) string {
	s := g.expr(e)
	if c, ok := e.(*ir.Const); ok && c.Typ.IsReal() || e.Type() == ir.Integer && isConst(e) {
		return goType(e.Type()) + "(" + s + ")"
	}
	return s
}

func (g *gen) prec(e ir.Expr) (string, int) {
	if e.Type() == ir.Integer {
		if s, p, ok := g.short(e); ok {
			return s, p
		}
	}
	if name := g.held[e]; name != "" {
		return name, precAtom
	}
	if len(g.texts)+len(g.textElements) > 0 {
		for _, x := range transient(e) {
			g.passing[x] = true
		}
	}
	switch e := e.(type) {
	case *ir.Const:
		return constant(e)
	case *ir.Var:
		return g.load(e), precAtom
	case *ir.Ref:
		return g.element(e, false), precAtom
	case *ir.CoRef:
		return g.coref(e), precAtom
	case *ir.Substr:
		if text := g.edited(e.Base); text != "" {
			return g.partOf(text, e), precAtom
		}
		if ir.Same(e.Lo, e.Hi) {
			return fmt.Sprintf("spmd.CharAt(%s, %s)", g.expr(e.Base), g.position(e.Lo)), precAtom
		}
		return fmt.Sprintf("spmd.Substr(%s, %s, %s)", g.expr(e.Base), g.position(e.Lo), g.position(e.Hi)), precAtom
	case *ir.Un:
		return g.unary(e)
	case *ir.Bin:
		return g.binary(e)
	case *ir.Conv:
		return g.conv(e)
	case *ir.Call:
		return g.call(e)
	}
	panic(fmt.Sprintf("codegen: no Go for %T", e))
}

func constant(c *ir.Const) (string, int) {
	switch c.Typ {
	case ir.Integer, ir.Long:
		s := strconv.Itoa(c.Int)
		if c.Int < 0 {
			return s, precUnary
		}
		return s, precAtom
	case ir.Logical:
		return strconv.FormatBool(c.Bool), precAtom
	case ir.Character:
		return character(c.Str, len(c.Str))
	case ir.Complex, ir.DoubleComplex:
		return complexConstant(c)
	}
	return float(c.Float, c.Typ)
}

// longBlank is how many blanks in a row are not written out.
const longBlank = 256

// character renders s, which is filled up with blanks to length n. Long runs of blanks are
// made at run time.
func character(s string, n int) (string, int) {
	var parts []string
	for len(s)+n > 0 {
		// The text in front of the next long run, and that run.
		at := strings.Index(s, strings.Repeat(" ", longBlank))
		if at < 0 {
			at = len(strings.TrimRight(s, " "))
		}
		rest := strings.TrimLeft(s[at:], " ")
		end := len(s) - len(rest)
		if rest == "" {
			end = n
		}
		if end-at < longBlank {
			parts = append(parts, strconv.Quote(s+strings.Repeat(" ", n-len(s))))
			break
		}
		parts = append(parts, fmt.Sprintf("spmd.Pad(%s, %d)", strconv.Quote(s[:at]), end))
		s, n = rest, n-end
	}
	switch len(parts) {
	case 0:
		return `""`, precAtom
	case 1:
		return parts[0], precAtom
	}
	return strings.Join(parts, " + "), precAdd
}

func float(f float64, t ir.Type) (string, int) {
	prec := precAtom
	if f < 0 && !math.IsInf(f, -1) {
		prec = precUnary
	}
	return kernel.FloatText(f, t == ir.Real), prec
}

func (g *gen) unary(e *ir.Un) (string, int) {
	switch e.Op {
	case ir.Not:
		return "!" + g.atLeast(e.E, precUnary), precUnary
	case ir.Neg:
		return negated(g.atLeast(e.E, precUnary))
	}
	s, p := g.prec(e.E)
	return grouped(s, p)
}

// negated puts a minus sign in front of an operand.
func negated(s string) (string, int) {
	if strings.HasPrefix(s, "-") {
		s = "(" + s + ")"
	}
	return "-" + s, precUnary
}

// grouped renders parentheses of the source, which fix the order of evaluation. Go keeps
// to that order anyway, so they are only written where Go needs them.
func grouped(s string, p int) (string, int) {
	if p >= precUnary {
		return s, p
	}
	return "(" + s + ")", precAtom
}

var goOps = map[ir.Op]struct {
	text string
	prec int
}{
	ir.Add: {"+", precAdd}, ir.Sub: {"-", precAdd}, ir.Mul: {"*", precMul}, ir.Div: {"/", precMul},
	ir.Eq: {"==", precCompare}, ir.Ne: {"!=", precCompare}, ir.Lt: {"<", precCompare}, ir.Le: {"<=", precCompare}, ir.Gt: {">", precCompare}, ir.Ge: {">=", precCompare},
	ir.And: {"&&", precAnd}, ir.Or: {"||", precOr}, ir.Eqv: {"==", precCompare}, ir.Neqv: {"!=", precCompare},
	ir.Concat: {"+", precAdd},
}

func (g *gen) binary(e *ir.Bin) (string, int) {
	if e.Typ.IsComplex() {
		if s, ok := g.complexBinary(e); ok {
			return s, precAtom
		}
	}
	if e.Op == ir.Pow {
		return g.power(e)
	}
	if g.fused[e] != 0 {
		return g.contracted(e), precAtom
	}
	if c, ok := folded(e.R); ok && c.Int == 0 && e.Op == ir.Div { // Go's compiler refuses it
		return fmt.Sprintf("spmd.Div[%s](%s, %s)", goType(e.Typ), g.typed(e.L), g.typed(e.R)), precAtom
	}
	op := goOps[e.Op]
	if e.Op >= ir.Eq && e.Op <= ir.Ge && e.L.Type() == ir.Character {
		return g.compareTexts(e, op.text), precCompare
	}
	var l, r string
	if op.prec == precCompare && e.L.Type().IsInteger() {
		l, r = g.compared(e.L, e.R)
	} else {
		l, r = g.atLeast(e.L, op.prec), g.atLeast(e.R, op.prec+1)
	}
	if e.Op == ir.Add || e.Op == ir.Sub {
		// A product is rounded before it is added, on every machine.
		l, r = unfused(e.L, l), unfused(e.R, r)
	}
	_, lc := e.L.(*ir.Const)
	_, rc := e.R.(*ir.Const)
	if lc && rc && e.L.Type().IsReal() {
		l, r = g.typed(e.L), g.typed(e.R)
	}
	return l + " " + op.text + " " + r, op.prec
}

// unfused keeps a product from being fused with the addition around it.
func unfused(e ir.Expr, s string) string {
	for {
		switch x := e.(type) {
		case *ir.Un:
			if x.Op != ir.Group && x.Op != ir.Neg {
				return s
			}
			e = x.E
			continue
		case *ir.Bin:
			if (x.Op == ir.Mul || x.Op == ir.Pow) && x.Typ.IsReal() {
				if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") && balanced(s[1:len(s)-1]) {
					s = s[1 : len(s)-1]
				}
				return goType(x.Typ) + "(" + s + ")"
			}
		}
		return s
	}
}

func balanced(s string) bool {
	depth := 0
	for _, r := range s {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
			if depth < 0 {
				return false
			}
		case '"', '`', '\'':
			return false
		}
	}
	return depth == 0
}

// power renders x**y. Small constant powers of simple operands are products,
// as gfortran makes them.
func (g *gen) power(e *ir.Bin) (string, int) {
	t := goType(e.Typ)
	if e.R.Type().IsInteger() {
		n, _ := g.whole(e.R)
		if c, ok := e.R.(*ir.Const); ok && simple(e.L) {
			x := g.atLeast(e.L, precUnary)
			switch {
			case c.Int == 2:
				return x + " * " + x, precMul
			case c.Int == 3:
				return x + " * " + x + " * " + x, precMul
			}
		}
		if e.Typ.IsInteger() {
			return fmt.Sprintf("spmd.PowInt(%s, %s)", g.typed(e.L), n), precAtom
		}
		if c, ok := folded(e.R); ok && products[c.Int] != "" {
			return fmt.Sprintf("elementary.%s(%s)", products[c.Int], g.typed(e.L)), precAtom
		}
		return fmt.Sprintf("elementary.Powi(%s, %s)", g.typed(e.L), n), precAtom
	}
	if n, ok := ir.HalfPower(e.R); ok {
		if e.Typ == ir.Real {
			return fmt.Sprintf("float32(elementary.PowHalf(float64(%s), %d))", g.typed(e.L), n), precAtom
		}
		return fmt.Sprintf("elementary.PowHalf(%s, %d)", g.typed(e.L), n), precAtom
	}
	if e.Typ == ir.Real {
		return fmt.Sprintf("float32(elementary.Pow(float64(%s), float64(%s)))", g.typed(e.L), g.typed(e.R)), precAtom
	}
	return fmt.Sprintf("%s(elementary.Pow(%s, %s))", t, g.expr(e.L), g.expr(e.R)), precAtom
}

// products are the powers that package elementary has without a loop.
var products = map[int]string{2: "Square", 3: "Cube", 4: "Fourth"}

func simple(e ir.Expr) bool {
	switch e := e.(type) {
	case *ir.Var:
		return true
	case *ir.Un:
		return e.Op == ir.Group && simple(e.E)
	}
	return false
}

func (g *gen) conv(e *ir.Conv) (string, int) {
	if e.Typ.IsInteger() {
		return g.convInteger(e)
	}
	if g.native(e.E) && !isConst(e.E) {
		s, _ := g.whole(e.E)
		return goType(e.Typ) + "(" + s + ")", precAtom
	}
	if c, ok := e.E.(*ir.Const); ok {
		switch {
		case c.Typ.IsInteger():
			return goType(e.Typ) + "(" + strconv.Itoa(c.Int) + ")", precAtom
		case e.Typ == ir.Double && c.Typ == ir.Real:
			s, _ := float(float64(float32(c.Float)), ir.Double)
			return "float64(" + s + ")", precAtom
		}
	}
	return goType(e.Typ) + "(" + g.expr(e.E) + ")", precAtom
}

// affine renders an affine form over Go's variables.
func (g *gen) affine(f linalg.Affine) string {
	var b strings.Builder
	for _, v := range f.Vars() {
		k := f.Coef(v)
		name := g.variable(v)
		switch {
		case b.Len() == 0 && k == 1:
			b.WriteString(name)
		case b.Len() == 0:
			fmt.Fprintf(&b, "%d*%s", k, name)
		case k == 1:
			b.WriteString(" + " + name)
		case k == -1:
			b.WriteString(" - " + name)
		case k < 0:
			fmt.Fprintf(&b, " - %d*%s", -k, name)
		default:
			fmt.Fprintf(&b, " + %d*%s", k, name)
		}
	}
	switch {
	case b.Len() == 0:
		return strconv.FormatInt(f.C, 10)
	case f.C > 0:
		fmt.Fprintf(&b, " + %d", f.C)
	case f.C < 0:
		fmt.Fprintf(&b, " - %d", -f.C)
	}
	return b.String()
}

// variable renders the INTEGER scalar of that source name as a Go int.
func (g *gen) variable(name string) string {
	s := g.symbols[name]
	if s == nil {
		panic("codegen: no variable " + name)
	}
	g.reads(s)
	if s.Type == ir.Integer && g.bound[s] == 0 {
		return "int(" + g.scalar(s) + ")"
	}
	return g.scalar(s)
}

// load renders a scalar that is read.
func (g *gen) load(v *ir.Var) string {
	s := g.scalar(v.Sym)
	g.reads(v.Sym)
	if g.opt.Check && g.bound[v.Sym] == 0 && !v.Sym.Temp && !v.Raw && v.Sym.Type != ir.Logical && !mayBeEmpty(v.Sym) {
		return fmt.Sprintf("spmd.Def(%s, %q)", s, v.Sym.Name)
	}
	return s
}

// mayBeEmpty reports whether the empty text, which stands for no value, is a value of s.
func mayBeEmpty(s *ir.Symbol) bool { return s.Type == ir.Character && s.Len <= 0 }

// reads notes that the function's variable for s is used, unless a loop has its
// own of that name here.
func (g *gen) reads(s *ir.Symbol) {
	if g.bound[s] == 0 {
		g.read[s] = true
	}
}

// scalar renders a scalar's name and notes that it must be declared.
func (g *gen) scalar(s *ir.Symbol) string {
	if p := g.partial[s]; p != nil {
		return p()
	}
	if g.bound[s] == 0 {
		g.declared[s] = true
	}
	return g.names.sym(s)
}
