package lower

import (
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
)

// COMPLEX numbers are values of two types of the IR, and arithmetic on them is arithmetic. They
// are made of reals and taken apart by calls of three intrinsics, which conversions become too:
//
//	z = x          z = cmplx(x)
//	n = z          n = int(real(z))
//	z%im = y       z = cmplx(real(z), y)

// complexLit lowers (re, im): constants, of which either may be INTEGER.
func (l *lowerer) complexLit(e *ast.Complex) ir.Expr {
	re, im := l.expr(e.Re), l.expr(e.Im)
	if isBad(re, im) {
		return bad(e.Pos)
	}
	part := ir.Real
	for _, x := range []ir.Expr{re, im} {
		if _, isConst := x.(*ir.Const); !isConst || !x.Type().IsOrdered() {
			l.errorf(codeNotConstant, x.Position(), "the parts of a COMPLEX constant must be INTEGER or REAL constants").
				WithHelp("write cmplx(re, im) for other values")
			return bad(e.Pos)
		}
		if x.Type() == ir.Double {
			part = ir.Double
		}
	}
	c := &call{X: ir.X{Pos: e.Pos}, name: "cmplx"}
	return l.foldCall(c.result("cmplx", ir.WithParts(part), l.convert(re, part), l.convert(im, part)))
}

// convertParts is the conversion of e to t, of which one is COMPLEX and the other is not.
func (l *lowerer) convertParts(e ir.Expr, t ir.Type) ir.Expr {
	c := &call{X: ir.X{Pos: e.Position()}}
	if t.IsComplex() {
		x := l.convert(e, t.Part())
		if isBad(x) {
			return x
		}
		return l.foldCall(c.result("cmplx", t, x))
	}
	return l.convert(l.foldCall(c.result("real", e.Type().Part(), e)), t)
}

// complexTypes and its relatives are the types that functions of COMPLEX take.
var (
	complexTypes = typeSet{ir.Type.IsComplex, "COMPLEX"}
	onlyComplex  = typeSet{func(t ir.Type) bool { return t == ir.Complex }, "COMPLEX"}
	onlyDoubleC  = typeSet{func(t ir.Type) bool { return t == ir.DoubleComplex }, "COMPLEX(8)"}
)

// complexIntrinsics defines the functions that make COMPLEX numbers and take them apart, and the
// specific names of those that have another generic name.
func complexIntrinsics(def func(name, params string, build func(*lowerer, *call) ir.Expr)) {
	def("cmplx", "x y? kind?", complexOf)
	def("dcmplx", "x y?", func(l *lowerer, c *call) ir.Expr { return l.cmplx(c, ir.Double) })
	for name, types := range map[string]typeSet{"aimag": complexTypes, "imag": complexTypes, "imagpart": complexTypes, "dimag": onlyDoubleC} {
		def(name, "z", ofComplex("aimag", types))
	}
	def("realpart", "z", ofComplex("real", complexTypes))
	for part, name := range map[string]string{"%re": "real", "%im": "aimag"} {
		def(part, "z", ofComplex(name, complexTypes))
		def(part+"=", "z x", withPart)
	}
	def("dreal", "z", ofComplex("real", onlyDoubleC))
	def("conjg", "z", ofComplex("conjg", complexTypes))
	def("dconjg", "z", ofComplex("conjg", onlyDoubleC))
	for _, name := range strings.Fields("abs sqrt exp log sin cos") {
		def("c"+name, "x", ofComplex(name, onlyComplex))
		def("cd"+name, "x", ofComplex(name, onlyDoubleC))
		def("z"+name, "x", ofComplex(name, onlyDoubleC))
	}
}

// ofComplex builds a function of one COMPLEX argument. REAL, AIMAG and ABS give a part's type.
func ofComplex(generic string, types typeSet) func(*lowerer, *call) ir.Expr {
	return func(l *lowerer, c *call) ir.Expr {
		t := c.args[0].Type()
		if !types.has(t) {
			return l.badArgument(c, 0, generic, types)
		}
		switch generic {
		case "real", "aimag", "abs":
			t = t.Part()
		}
		return l.foldCall(c.result(generic, t, c.args[0]))
	}
}

// orComplex builds a function that takes a COMPLEX argument too.
func orComplex(generic string, other func(*lowerer, *call) ir.Expr) func(*lowerer, *call) ir.Expr {
	own := ofComplex(generic, complexTypes)
	return func(l *lowerer, c *call) ir.Expr {
		if c.args[0].Type().IsComplex() {
			return own(l, c)
		}
		return other(l, c)
	}
}

// complexOf is CMPLX, whose value is COMPLEX(4) unless KIND says otherwise.
func complexOf(l *lowerer, c *call) ir.Expr {
	part := ir.Real
	if k := c.args[2]; k != nil {
		n, _ := constOf(k)
		var ok bool
		if part, ok = ofBytes(n, ir.Real, ir.Real, ir.Double); !ok || n == 0 {
			l.errorf(codeArgument, k.Position(), "the kind argument of %s must be the constant 4 or 8", c.name)
			return bad(c.Pos)
		}
	}
	return l.cmplx(c, part)
}

// cmplx makes a COMPLEX number with parts of a type.
func (l *lowerer) cmplx(c *call, part ir.Type) ir.Expr {
	x, y := c.args[0], c.args[1]
	switch {
	case !x.Type().IsNumeric():
		return l.wrong(c, 0, "numeric")
	case y == nil && x.Type().IsComplex():
		return l.regroup(l.convert(x, ir.WithParts(part)), c)
	case y == nil:
		return l.foldCall(c.result("cmplx", ir.WithParts(part), l.convert(x, part)))
	case x.Type().IsComplex():
		return l.wrong(c, 0, "INTEGER or REAL where there is another one")
	case !y.Type().IsOrdered():
		return l.wrong(c, 1, "INTEGER or REAL")
	}
	x, y = l.convert(x, part), l.convert(y, part)
	if isBad(x, y) {
		return bad(c.Pos)
	}
	return l.foldCall(c.result("cmplx", ir.WithParts(part), x, y))
}

// withPart is a COMPLEX number of which one part is replaced; the other one may have no value.
func withPart(l *lowerer, c *call) ir.Expr {
	z, x := c.args[0], c.args[1]
	t := z.Type()
	switch {
	case !t.IsComplex():
		l.errorf(codeType, z.Position(), "%s is %s: only COMPLEX has the parts %%re and %%im", ir.ExprString(z), t)
		return bad(c.Pos)
	case !l.assignable(t.Part(), x, "a part of "+ir.ExprString(z)):
		return bad(c.Pos)
	}
	switch z := z.(type) {
	case *ir.Var:
		z.Raw = true
	case *ir.Ref:
		z.Raw = true
	}
	x = l.convert(x, t.Part())
	if c.name == "%re=" {
		return c.result("cmplx", t, x, c.result("aimag", t.Part(), z))
	}
	return c.result("cmplx", t, c.result("real", t.Part(), z), x)
}
