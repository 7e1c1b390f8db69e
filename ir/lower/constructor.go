package lower

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
)

// constantArray is the value of constant array expression e, element by element, for an
// array of the type and bounds; nil where e is a scalar, or after an error.
func (l *lowerer) constantArray(e ast.Expr, what string, t ir.Type, length int, dims []ir.Bound) []*ir.Const {
	return nil
}
