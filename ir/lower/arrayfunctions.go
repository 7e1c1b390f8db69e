package lower

import (
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
)

// arrayFunctions are the intrinsics whose value is an array with the elements of their
// first argument at other places.
var arrayFunctions = map[string]bool{"cshift": true, "transpose": true, "matmul": true}

// arrayFunction lowers the element of such an intrinsic that the array expression in hand
// has come to.
func (l *lowerer) arrayFunction(e *ast.Index) ir.Expr {
	if l.elem == nil || e.Name == "matmul" {
		d := l.errorf(codeOutside, e.Pos, "%s is supported %s only", strings.ToUpper(e.Name), map[bool]string{false: "in array assignments", true: "as the whole right side of an assignment"}[e.Name == "matmul"])
		d.WithHelp("assign it to an array first")
		return bad(e.Pos)
	}
	if e.Name == "transpose" {
		return l.transpose(e)
	}
	return l.cshift(e)
}

// ordered are the arguments of an intrinsic in the order of names; the first required of them
// must be there. It returns nil after an error.
func (l *lowerer) ordered(e *ast.Index, required int, names ...string) []ast.Expr {
	out := make([]ast.Expr, len(names))
	for i, a := range e.Args {
		if k, ok := a.(*ast.Keyword); ok {
			i, a = slices.Index(names, k.Name), k.X
		}
		if i < 0 || i >= len(out) || out[i] != nil {
			l.errorf(codeArgument, a.Position(), "this is no argument of %s", e.Name).WithHelp("its arguments: %s(%s)", e.Name, strings.Join(names, ", "))
			return nil
		}
		out[i] = a
	}
	if slices.Contains(out[:required], nil) {
		l.errorf(codeArgument, e.Pos, "%s lacks an argument", e.Name).WithHelp("its arguments: %s(%s)", e.Name, strings.Join(names, ", "))
		return nil
	}
	return out
}

// isTranspose reports whether e refers to the intrinsic of that name.
func (l *lowerer) isTranspose(e *ast.Index) bool {
	return e.Name == "transpose" && len(e.Args) == 1 && l.procedure(e.Name) == nil && l.lookup(e.Name) == nil
}

// transpose lowers transpose(a): element (i,j) is a(j,i).
func (l *lowerer) transpose(e *ast.Index) ir.Expr {
	args := l.ordered(e, 1, "matrix")
	if args == nil {
		return bad(e.Pos)
	}
	ctx := *l.elem
	if len(ctx.n) != 2 {
		l.errorf(codeRank, e.Pos, "transpose has rank 2, the array that it stands beside has rank %d", len(ctx.n)).WithNote(l.elem.pos, "that array")
		return bad(e.Pos)
	}
	ctx.place = []ir.Expr{l.elem.at(1, e.Pos), l.elem.at(0, e.Pos)}
	ctx.n = []ir.Expr{ctx.n[1], ctx.n[0]}
	return l.elementally(&ctx, args[0])
}

// cshift lowers cshift(a, shift, dim): what leaves at one end comes in at the other.
func (l *lowerer) cshift(e *ast.Index) ir.Expr {
	args := l.ordered(e, 2, "array", "shift", "dim")
	if args == nil {
		return bad(e.Pos)
	}
	if part := l.firstPart(args[1]); part != nil {
		l.errorf(codeOutside, part.Position(), "a SHIFT that is an array is not supported").WithHelp("write a DO loop over the other dimensions")
		return bad(e.Pos)
	}
	outer := l.elem
	l.elem = nil
	shift := l.fixed(l.integer(args[1], "SHIFT"), "shift", e.Pos, outer.pre)
	dim := 1
	if args[2] != nil {
		d, ok := constOf(l.integer(args[2], "DIM"))
		if dim = d; !ok || d < 1 || d > len(outer.n) {
			l.errorf(codeArgument, args[2].Position(), "DIM must be a constant from 1 to the rank, which is %d", len(outer.n))
			shift = bad(e.Pos)
		}
	}
	l.elem = outer
	if isBad(shift) {
		return shift
	}
	ctx := *outer
	ctx.place = nil
	for k := range ctx.n {
		ctx.place = append(ctx.place, outer.at(k, e.Pos))
	}
	if x, ok := l.shiftedInPart(outer, ctx.place[dim-1], shift, ctx.n[dim-1]); ok {
		ctx.place[dim-1] = x
		return l.elementally(&ctx, args[0])
	}
	n := l.convert(ir.Clone(ctx.n[dim-1]), ir.Long)
	x := l.plus(l.minus(ctx.place[dim-1], l.intConst(1, e.Pos), e.Pos), l.convert(shift, ir.Long), e.Pos)
	var around ir.Expr = &ir.Call{X: ir.X{Pos: e.Pos, Typ: ir.Long}, Name: "modulo", Args: []ir.Expr{l.convert(x, ir.Long), n}}
	ctx.place[dim-1] = l.plus(around, l.intConst(1, e.Pos), e.Pos)
	return l.elementally(&ctx, args[0])
}

// shiftedInPart is the place from which a shift brings an element to place, where it is the
// same distance for all elements that the loops are about. Where it is not, ctx learns
// where to cut them.
func (l *lowerer) shiftedInPart(ctx *elemental, place, shift, n ir.Expr) (ir.Expr, bool) {
	by, okBy := constOf(shift)
	size, okSize := constOf(n)
	if ctx.cut == nil || !okBy || !okSize {
		return nil, false
	}
	dim, lo, hi, off := -1, 0, 0, 0
	if k, ok := constOf(place); ok {
		lo, hi = k, k
	} else {
		x, k := offset(place)
		v, ok := x.(*ir.Var)
		if !ok {
			return nil, false
		}
		if dim = slices.Index(ctx.index, v.Sym); dim < 0 {
			return nil, false
		}
		off = k
		lo, hi = ctx.part[dim].lo+off, ctx.part[dim].hi+off
	}
	first := floorDiv(lo-1+by, size)
	if last := floorDiv(hi-1+by, size); last > first {
		ctx.cut.dim, ctx.cut.at = dim, (first+1)*size+1-by-off
		return nil, false
	}
	return l.plus(place, l.intConst(by-first*size, place.Position()), place.Position()), true
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// matmul lowers an assignment of matmul(a, b) to an array; ok is false for any other.
//
//	c = 0;  c(i,j) = c(i,j) + a(i,k)*b(k,j)
//
// with loops over i inside k inside j. A vector is a matrix of one row or column.
func (l *lowerer) matmul(s *ast.Assign, to *argument, pre *[]ir.Stmt) (ok, done bool) {
	e, is := s.RHS.(*ast.Index)
	if !is || e.Name != "matmul" || l.procedure("matmul") != nil || l.lookup("matmul") != nil {
		return false, false
	}
	args := l.ordered(e, 2, "matrix_a", "matrix_b")
	if args == nil {
		return false, true
	}
	var in [2]*argument
	for i, a := range args {
		if !l.isPart(a) {
			l.errorf(codeOutside, a.Position(), "an argument of MATMUL must be an array or a section").WithHelp("assign the expression to an array first")
			return false, true
		}
		if in[i] = l.near(a, pre); in[i] == nil {
			return false, true
		}
	}
	ra, rb := len(in[0].shape.n), len(in[1].shape.n)
	if ra > 2 || rb > 2 || ra+rb < 3 {
		l.errorf(codeRank, e.Pos, "the arguments of MATMUL have ranks %d and %d, one must have rank 2, and the other 1 or 2", ra, rb)
		return false, true
	}
	var want []ir.Expr
	if ra == 2 {
		want = append(want, in[0].shape.n[0])
	}
	if rb == 2 {
		want = append(want, in[1].shape.n[1])
	}
	second := &argument{pos: in[1].pos, name: in[1].name, shape: &shape{n: in[1].shape.n[:1]}}
	if !l.conform(to, want, e.Pos, pre) || !l.conform(second, in[0].shape.n[ra-1:], in[0].pos, pre) {
		return false, true
	}
	out := to
	if in[0].view.base == to.view.base || in[1].view.base == to.view.base {
		out = l.beside(to, s.Pos, pre)
	}
	zero := l.elements(to.shape.n, s.Pos, pre)
	*pre = append(*pre, l.nest(zero, &ir.Assign{S: ir.S{Pos: s.Pos}, LHS: l.elementOf(out, zero, s.Pos), RHS: l.convert(l.intConst(0, s.Pos), to.typ)}, s.Pos))
	var loops *elemental // i, k, j: those that are there
	i, j := -1, -1
	if ra == 2 {
		i = 0
	}
	k := i + 1
	list := append(slices.Clone(in[0].shape.n[:i+1]), in[0].shape.n[ra-1])
	if rb == 2 {
		j = k + 1
		list = append(list, in[1].shape.n[1])
	}
	loops = l.elements(list, s.Pos, pre)
	element := func(a *argument, at ...int) *ir.Ref {
		c := &elemental{pos: s.Pos, pre: pre}
		for _, d := range at {
			if d >= 0 {
				c.index, c.n = append(c.index, loops.index[d]), append(c.n, loops.n[d])
			}
		}
		return l.elementOf(a, c, s.Pos)
	}
	product := l.bin(ir.Mul, element(in[0], i, k), element(in[1], k, j), e.Pos, e.Pos)
	if isBad(product) {
		return false, true
	}
	sum := l.convert(l.bin(ir.Add, element(out, i, j), product, e.Pos, e.Pos), to.typ)
	*pre = append(*pre, l.nest(loops, &ir.Assign{S: ir.S{Pos: s.Pos}, LHS: element(out, i, j), RHS: sum}, s.Pos))
	if out != to {
		again := l.elements(to.shape.n, s.Pos, pre)
		*pre = append(*pre, l.nest(again, &ir.Assign{S: ir.S{Pos: s.Pos}, LHS: l.elementOf(to, again, s.Pos), RHS: l.elementOf(out, again, s.Pos)}, s.Pos))
	}
	return true, true
}
