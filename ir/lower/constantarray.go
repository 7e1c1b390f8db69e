package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
)

// folded is the constant that element r of an array of constants is, or r.
func (l *lowerer) folded(r *ir.Ref) ir.Expr {
	if !l.constants[r.Sym] {
		return r
	}
	at, size := 0, 1
	for k, sub := range r.Subs {
		i, ok := constOf(sub)
		b := r.Sym.Dims[k]
		if !ok || i < b.Lo || i > b.Hi {
			return r
		}
		at += (i - b.Lo) * size
		size *= b.Extent()
	}
	c := constantAt(r.Sym, at)
	if c == nil {
		return r
	}
	c.Pos = r.Pos
	return c
}

// constantAt is element number at of an array of constants, with the length of its elements;
// nil for one without a value.
func constantAt(s *ir.Symbol, at int) *ir.Const {
	c := initialOf(s, at)
	if c == nil {
		return nil
	}
	out := *c
	if s.Type == ir.Character && s.Len >= 0 {
		out.Str = pad(c.Str, s.Len)
	}
	return &out
}

// constantElements are the elements of constant array expression e in array element
// order, and its extents; ok is false where it is not constant, or after an error.
func (l *lowerer) constantElements(e ast.Expr) (list []*ir.Const, extents []int, ok bool) {
	switch x := e.(type) {
	case *ast.Paren:
		return l.constantElements(x.X)
	case *ast.Array:
		m := &maker{l: l, pos: x.Pos}
		if x.Type != nil {
			t := l.typeSpec(x.Type, x.Pos)
			m.typ, m.length, m.typed = t.typ, t.length, true
		}
		ok = m.items(x.Items)
		return m.list, []int{len(m.list)}, ok
	case *ast.Ident:
		s := l.lookup(x.Name)
		if s == nil || !l.constants[s] {
			return nil, nil, false
		}
		size := 1
		for _, b := range s.Dims {
			extents = append(extents, b.Extent())
			size *= b.Extent()
		}
		for at := range size {
			list = append(list, constantAt(s, at))
		}
		return list, extents, true
	case *ast.Index:
		if x.Name == "reshape" && l.isFunction(x) {
			return l.constantReshape(x)
		}
	}
	return l.constantElementwise(e)
}

// constantLength is the length of the elements of constant array expression e, 1 where it has none.
func (l *lowerer) constantLength(e ast.Expr) int {
	if a, is := e.(*ast.Array); is && a.Type != nil {
		return max(0, l.typeSpec(a.Type, a.Pos).length)
	}
	if list, _, ok := l.constantElements(e); ok && len(list) > 0 {
		return len(list[0].Str)
	}
	return 1
}

// constantReshape is constantElements of RESHAPE.
func (l *lowerer) constantReshape(e *ast.Index) (list []*ir.Const, extents []int, ok bool) {
	args := l.ordered(e, 2, reshapeArguments...)
	if args == nil || args[3] != nil {
		return nil, nil, false
	}
	from, _, ok := l.constantElements(args[0])
	if !ok {
		return nil, nil, false
	}
	shape, _, ok := l.constantElements(args[1])
	if !ok {
		return nil, nil, false
	}
	size := 1
	for _, c := range shape {
		extents = append(extents, max(0, c.Int))
		size *= max(0, c.Int)
	}
	if args[2] != nil && len(from) < size {
		more, _, ok := l.constantElements(args[2])
		if !ok || len(more) == 0 {
			return nil, nil, false
		}
		for k := 0; len(from) < size; k++ {
			from = append(from, more[k%len(more)])
		}
	}
	if len(from) < size {
		l.errorf(codeArgument, e.Pos, "reshape makes %d elements of %d", size, len(from)).WithHelp("give more elements, or PAD")
		return nil, nil, false
	}
	return from[:size], extents, true
}

// constantElementwise is constantElements of an expression that is evaluated element by
// element.
func (l *lowerer) constantElementwise(e ast.Expr) (list []*ir.Const, extents []int, ok bool) {
	shaping := l.firstPart(e)
	if shaping == nil || shaping == e {
		return nil, nil, false
	}
	_, extents, ok = l.constantElements(shaping)
	if !ok {
		return nil, nil, false
	}
	var scratch []ir.Stmt
	ctx := &elemental{pos: e.Position(), pre: &scratch, place: make([]ir.Expr, len(extents))}
	for _, n := range extents {
		ctx.n = append(ctx.n, l.intConst(n, e.Position()))
	}
	place := make([]int, len(extents))
	for !slices.Contains(extents, 0) {
		for k, i := range place {
			ctx.place[k] = l.intConst(i+1, e.Position())
		}
		c, isConst := l.elementally(ctx, e).(*ir.Const)
		if !isConst || isBad(c) {
			return nil, nil, false
		}
		list = append(list, c)
		k := 0
		for ; k < len(place); k++ {
			if place[k]++; place[k] < extents[k] {
				break
			}
			place[k] = 0
		}
		if k == len(place) {
			break
		}
	}
	return list, extents, true
}

// constantArray are the values of constant array expression e for an array of type t with
// the bounds; done is false where e is a scalar. The list is nil after an error.
func (l *lowerer) constantArray(e ast.Expr, what string, s *ir.Symbol) (list []*ir.Const, done bool) {
	if l.firstPart(e) == nil {
		return nil, false
	}
	errors := l.diags.Errors()
	list, extents, ok := l.constantElements(e)
	if !ok {
		if l.diags.Errors() == errors {
			l.errorf(codeNotConstant, e.Position(), "%s must be a constant expression", what).
				WithHelp("write constants, PARAMETERs and array constructors of them")
		}
		return nil, true
	}
	for k, b := range s.Dims {
		if len(extents) != len(s.Dims) || extents[k] != b.Extent() {
			l.errorf(codeBounds, e.Position(), "%s has another shape than %s(%s)", what, s.Source(), ir.BoundsString(s.Dims)).
				WithHelp("give as many values as elements; reshape([...], [m, n]) makes a matrix")
			return nil, true
		}
	}
	for k, c := range list {
		value, _ := l.constantFor(s, c).(*ir.Const)
		if value == nil {
			return nil, true
		}
		list[k] = value
	}
	return list, true
}
