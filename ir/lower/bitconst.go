package lower

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
)

// Constants of bits, z'ff', have no type of their own (Fortran 2018, 7.7): in DATA it is that of the
// variable, as an argument that which the function says.

// bitConstant is the value of x if it is a constant of bits.
func bitConstant(x ast.Expr) (value uint64, ok bool) {
	s, ok := x.(*ast.StringLit)
	if !ok {
		return 0, false
	}
	return s.Bits()
}

// takesBits is for how many of its first arguments a function takes constants of bits.
var takesBits = map[string]int{"int": 1, "real": 1, "dble": 1, "iand": 2, "ior": 2, "ieor": 2}

// typeOfBits is the type of argument at of c, a constant of bits.
func (c *call) typeOfBits(at int) ir.Type {
	switch c.name {
	case "dble":
		return ir.Double
	case "int", "real":
		types := map[string][2]ir.Type{"int": {ir.Integer, ir.Long}, "real": {ir.Real, ir.Double}}[c.name]
		if k, ok := c.args[1].(*ir.Const); ok && k.Int == 8 {
			return types[1]
		}
		return types[0]
	}
	return c.args[1-at].Type()
}
