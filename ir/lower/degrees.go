package lower

import (
	"math"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
)

// degreeIntrinsics defines the functions of angles in degrees and the cotangents, which
// gfortran has with -fdec-math (since release 14 without it):
//
//	asind(x)  = asin(x)*(180/pi)
//	cotan(x)  = -tan(x + pi/2)
//	cotand(x) = -tand(x + 90)
func degreeIntrinsics(def func(name, params string, build func(*lowerer, *call) ir.Expr)) {
	both := func(name, params, specific string, build func(types typeSet) func(*lowerer, *call) ir.Expr) {
		def(name, params, build(realTypes))
		def(specific, params, build(onlyDouble))
	}
	for _, name := range strings.Fields("sind cosd tand") {
		both(name, "x", "d"+name, func(types typeSet) func(*lowerer, *call) ir.Expr { return same(name, types) })
	}
	for _, name := range strings.Fields("asin acos atan") {
		both(name+"d", "x", "d"+name+"d", func(types typeSet) func(*lowerer, *call) ir.Expr { return inDegrees(same(name, types)) })
	}
	both("atan2d", "y x", "datan2d", func(types typeSet) func(*lowerer, *call) ir.Expr { return inDegrees(alike(same("atan2", types))) })
	both("cotand", "x", "dcotand", func(types typeSet) func(*lowerer, *call) ir.Expr {
		return cotangent("tand", 90, types)
	})
	def("dcotan", "x", cotangent("tan", math.Pi/2, onlyDouble))
	onReals := cotangent("tan", math.Pi/2, realTypes)
	def("cotan", "x", func(l *lowerer, c *call) ir.Expr {
		if c.args[0].Type().IsComplex() {
			return complexCotangent(complexTypes)(l, c)
		}
		return onReals(l, c)
	})
	def("ccotan", "x", complexCotangent(onlyComplex))
	def("zcotan", "x", complexCotangent(onlyDoubleC))
}

// cotangent builds a cotangent of the tangent whose name is given: shift is a right angle of it.
// That of a constant is the reciprocal, which is more accurate, as in gfortran.
func cotangent(tangent string, shift float64, types typeSet) func(*lowerer, *call) ir.Expr {
	return func(l *lowerer, c *call) ir.Expr {
		x := c.args[0]
		if !types.has(x.Type()) {
			return l.wrong(c, 0, types.want)
		}
		real := func(v float64) ir.Expr { return realOf(v, x.Type(), c.Pos) }
		if _, ok := x.(*ir.Const); ok {
			return l.regroup(l.bin(ir.Div, real(1), l.foldCall(c.result(tangent, x.Type(), x)), c.Pos, c.Pos), c)
		}
		x = l.bin(ir.Add, x, real(shift), c.Pos, c.Pos)
		return l.regroup(&ir.Un{X: ir.X{Pos: c.Pos, Typ: x.Type()}, Op: ir.Neg, E: c.result(tangent, x.Type(), x)}, c)
	}
}

// complexCotangent builds the cotangent of a COMPLEX number, cos(x)/sin(x).
func complexCotangent(types typeSet) func(*lowerer, *call) ir.Expr {
	return func(l *lowerer, c *call) ir.Expr {
		x := c.args[0]
		if !types.has(x.Type()) {
			return l.wrong(c, 0, types.want)
		}
		cos, sin := l.foldCall(c.result("cos", x.Type(), x)), l.foldCall(c.result("sin", x.Type(), ir.Clone(x)))
		return l.regroup(l.bin(ir.Div, cos, sin, c.Pos, c.Pos), c)
	}
}

// inDegrees is the angle in radians that build makes, in degrees.
func inDegrees(build func(*lowerer, *call) ir.Expr) func(*lowerer, *call) ir.Expr {
	return func(l *lowerer, c *call) ir.Expr {
		x := build(l, c)
		if isBad(x) {
			return x
		}
		if k, ok := x.(*ir.Const); ok { // rounded once
			return realOf(k.Float*180/math.Pi, k.Typ, c.Pos)
		}
		pi := realOf(math.Pi, x.Type(), c.Pos) // rounded first, as in gfortran
		return l.regroup(l.bin(ir.Mul, x, realOf(180/pi.Float, x.Type(), c.Pos), c.Pos, c.Pos), c)
	}
}

// realOf is the constant of a real type that is next to v.
func realOf(v float64, t ir.Type, pos source.Pos) *ir.Const {
	if t == ir.Real {
		v = float64(float32(v))
	}
	return &ir.Const{X: ir.X{Pos: pos, Typ: t}, Float: v}
}
