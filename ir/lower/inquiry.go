package lower

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
)

// inquiries are the intrinsics that ask about the type, bounds or length of
// their argument and do not evaluate it: the argument may be a whole array, and
// the result is a constant (but for LEN of an expression).
var inquiries = map[string]func(*lowerer, *ast.Index, ir.Expr) ir.Expr{
	"kind":         numericInquiry(func(_ *lowerer, k kindInfo) any { return k.kind }),
	"huge":         numericInquiry(func(_ *lowerer, k kindInfo) any { return k.huge }),
	"tiny":         realInquiry(func(k kindInfo) any { return k.tiny }),
	"epsilon":      realInquiry(func(k kindInfo) any { return k.epsilon }),
	"digits":       numericInquiry(func(_ *lowerer, k kindInfo) any { return k.digits }),
	"range":        numericInquiry(func(_ *lowerer, k kindInfo) any { return k.rng }),
	"radix":        numericInquiry(func(_ *lowerer, k kindInfo) any { return 2 }),
	"precision":    realInquiry(func(k kindInfo) any { return k.precision }),
	"maxexponent":  realInquiry(func(k kindInfo) any { return k.maxExp }),
	"minexponent":  realInquiry(func(k kindInfo) any { return k.minExp }),
	"bit_size":     numericInquiry(func(_ *lowerer, k kindInfo) any { return 8 * k.kind }),
	"len":          nil, // below: they need more than a type
	"size":         nil,
	"lbound":       nil,
	"ubound":       nil,
	"storage_size": nil,
	"sizeof":       nil, // an extension of gfortran
	"extent%":      nil, // not in the source, see package derived
}

// storageSize is STORAGE_SIZE, the bits of a scalar or of an element, or SIZEOF, the bytes of all elements.
func (l *lowerer) storageSize(e *ast.Index, arg ast.Expr) ir.Expr {
	of := l.molded(arg)
	if of.typ == ir.Invalid {
		return l.expr(arg) // for the error
	}
	if of.bytes() < 0 {
		l.errorf(codeArgument, arg.Position(), "%s of a text whose length is not constant", e.Name).WithHelp("write len(...), times 8 for bits")
		return bad(e.Pos)
	}
	if e.Name == "storage_size" {
		return l.intConst(8*of.bytes(), e.Pos)
	}
	var n ir.Expr = intConstOf(ir.Long, 1, e.Pos)
	if l.firstPart(arg) != nil {
		n = l.boundOfSome(&ast.Index{XBase: e.XBase, Name: "size", NamePos: e.NamePos, Args: e.Args}, []ast.Expr{arg})
	}
	return l.convert(l.arith(ir.Mul, n, l.intConst(of.bytes(), e.Pos), e.Pos), ir.Long)
}

// kindInfo is what Fortran's inquiry functions say of a numeric type.
type kindInfo struct {
	typ            ir.Type
	kind           int
	huge           any // int or float64
	tiny, epsilon  float64
	digits, rng    int
	precision      int
	maxExp, minExp int
}

var kindInfos = map[string]kindInfo{
	"i1": {typ: ir.Byte, kind: 1, huge: math.MaxInt8, digits: 7, rng: 2},
	"i2": {typ: ir.Short, kind: 2, huge: math.MaxInt16, digits: 15, rng: 4},
	"i4": {typ: ir.Integer, kind: 4, huge: math.MaxInt32, digits: 31, rng: 9},
	"i8": {typ: ir.Long, kind: 8, huge: math.MaxInt64, digits: 63, rng: 18},
	"r4": {ir.Real, 4, float64(math.MaxFloat32), 0x1p-126, 0x1p-23, 24, 37, 6, 128, -125},
	"r8": {ir.Double, 8, math.MaxFloat64, 0x1p-1022, 0x1p-52, 53, 307, 15, 1024, -1021},
}

func (l *lowerer) kindInfo(x ir.Expr) (kindInfo, bool) {
	switch x.Type().Part() {
	case ir.Byte:
		return kindInfos["i1"], true
	case ir.Short:
		return kindInfos["i2"], true
	case ir.Integer:
		return kindInfos["i4"], true
	case ir.Long:
		return kindInfos["i8"], true
	case ir.Real:
		return kindInfos["r4"], true
	case ir.Double:
		return kindInfos["r8"], true
	}
	return kindInfo{}, false
}

func numericInquiry(get func(*lowerer, kindInfo) any) func(*lowerer, *ast.Index, ir.Expr) ir.Expr {
	return func(l *lowerer, e *ast.Index, x ir.Expr) ir.Expr {
		k, ok := l.kindInfo(x)
		ok = ok && (!x.Type().IsComplex() || e.Name == "kind" || e.Name == "range" || e.Name == "precision")
		if !ok && e.Name == "kind" { // of LOGICAL and CHARACTER
			if k.kind, ok = x.Type().Bytes(), true; x.Type() == ir.Character {
				k.kind = 1
			}
		}
		if !ok {
			l.errorf(codeArgument, x.Position(), "the argument of %s is %s, it must be numeric", e.Name, x.Type())
			return bad(e.Pos)
		}
		c := &ir.Const{X: ir.X{Pos: e.Pos}}
		switch v := get(l, k).(type) {
		case int:
			if c.Typ, c.Int = ir.Integer, v; e.Name == "huge" || e.Name == "bit_size" {
				c.Typ = k.typ
			}
		case float64:
			c.Typ, c.Float = k.typ, v
		}
		return c
	}
}

func realInquiry(get func(kindInfo) any) func(*lowerer, *ast.Index, ir.Expr) ir.Expr {
	return func(l *lowerer, e *ast.Index, x ir.Expr) ir.Expr {
		if !x.Type().Part().IsReal() {
			l.errorf(codeArgument, x.Position(), "the argument of %s is %s, it must be REAL or DOUBLE PRECISION", e.Name, x.Type())
			return bad(e.Pos)
		}
		return numericInquiry(func(_ *lowerer, k kindInfo) any { return get(k) })(l, e, x)
	}
}

// inquiry lowers an inquiry function; ok is false for other intrinsics.
func (l *lowerer) inquiry(e *ast.Index) (x ir.Expr, ok bool) {
	build, ok := inquiries[e.Name]
	if !ok {
		return nil, false
	}
	if e.Name == "extent%" { // SIZE of an array in a dimension, the last argument where the first is a scalar
		if l.firstPart(e.Args[0]) == nil {
			return l.expr(e.Args[2]), true
		}
		return l.boundOfSome(&ast.Index{XBase: e.XBase, Name: "size", NamePos: e.NamePos}, e.Args[:2]), true
	}
	if e.Name == "size" || e.Name == "lbound" || e.Name == "ubound" {
		args := l.ordered(e, 1, "array", "dim", "kind")
		if args == nil {
			return bad(e.Pos), true
		}
		typ := ir.Integer
		if args[2] != nil {
			var ok bool
			if typ, ok = l.kindOf(args[2], e.Name); !ok {
				return bad(e.Pos), true
			}
		}
		if args = args[:2]; args[1] == nil {
			args = args[:1]
		}
		if l.needsEnd(e.Name, args) {
			return bad(e.Pos), true
		}
		x = l.boundOfSome(e, args)
		if typ != ir.Integer {
			x = l.convert(x, typ)
		}
		return x, true
	}
	args := make([]ast.Expr, len(e.Args))
	for i, a := range e.Args {
		if k, is := a.(*ast.Keyword); is {
			a = k.X
		}
		args[i] = a
	}
	if len(args) != 1 {
		l.errorf(codeArgument, e.Pos, "%s takes %s", e.Name, count(1, "argument"))
		return bad(e.Pos), true
	}
	if e.Name == "len" {
		return l.lenInquiry(e, args[0]), true
	}
	if e.Name == "storage_size" || e.Name == "sizeof" {
		return l.storageSize(e, args[0]), true
	}
	arg := l.sample(args[0])
	if isBad(arg) {
		return arg, true
	}
	return build(l, e, arg), true
}

// needsEnd reports, and says it is an error, that SIZE, SHAPE, LBOUND or UBOUND, which name is, of args
// asks for the last upper bound of an array of assumed size.
func (l *lowerer) needsEnd(name string, args []ast.Expr) bool {
	id, ok := args[0].(*ast.Ident)
	if !ok || name == "lbound" || !l.assumedSize(id.Name) {
		return false
	}
	if len(args) > 1 {
		if lit, is := args[1].(*ast.IntLit); !is || lit.Text != strconv.Itoa(len(l.lookup(id.Name).Dims)) {
			return false
		}
	}
	l.noEnd(&argument{pos: id.Pos, name: id.Name})
	return true
}

// sample is a value of the type of a, which may be a whole array.
func (l *lowerer) sample(a ast.Expr) ir.Expr {
	if id, ok := a.(*ast.Ident); ok {
		if s := l.lookup(id.Name); isArray(s) {
			return &ir.Var{X: ir.X{Pos: id.Pos, Typ: s.Type}, Sym: s}
		}
	}
	return l.expr(a)
}

// boundInquiry is SIZE, LBOUND and UBOUND of an array, in one dimension.
func (l *lowerer) boundInquiry(e *ast.Index, args []ast.Expr) ir.Expr {
	if x := l.boundThere(e, args); x != nil {
		return x
	}
	id, ok := args[0].(*ast.Ident)
	var s *ir.Symbol
	if ok {
		s = l.symbol(id.Name, id.Pos)
	}
	if !isArray(s) {
		if l.firstPart(args[0]) != nil {
			return l.expressionBound(e, args)
		}
		if s == nil || s.Type != ir.Invalid {
			l.errorf(codeArgument, args[0].Position(), "the argument of %s must be an array", e.Name)
		}
		return bad(e.Pos)
	}
	dims := s.Dims
	if len(args) == 2 {
		d, ok := l.constInt(args[1], "the dimension of "+e.Name)
		if !ok {
			return bad(e.Pos)
		}
		if d < 1 || d > len(dims) {
			l.errorf(codeArgument, args[1].Position(), "%s has no dimension %d", s.Source(), d)
			return bad(e.Pos)
		}
		dims = dims[d-1 : d]
	} else if e.Name != "size" {
		l.errorf(codeRank, e.Pos, "%s without a dimension gives an array, and a single value is needed here", e.Name).
			WithHelp("write %s(%s, 1)", e.Name, s.Source())
		return bad(e.Pos)
	}
	if sh := l.shapes[s]; sh != nil && l.views[s] != nil {
		return l.shapeInquiry(e, sh, args)
	}
	switch e.Name {
	case "lbound":
		if dims[0].Extent() == 0 {
			return l.intConst(1, e.Pos)
		}
		return l.intConst(dims[0].Lo, e.Pos)
	case "ubound":
		if dims[0].Extent() == 0 {
			return l.intConst(0, e.Pos)
		}
		return l.intConst(dims[0].Hi, e.Pos)
	}
	n := 1
	for _, b := range dims {
		n *= b.Extent()
	}
	return l.intConst(n, e.Pos)
}

// boundOfSome is boundInquiry where the dimension may be one that the run decides: of the
// values for all dimensions of an array the wanted one.
func (l *lowerer) boundOfSome(e *ast.Index, args []ast.Expr) ir.Expr {
	id, named := args[0].(*ast.Ident)
	if !named || len(args) < 2 || !isArray(l.lookup(id.Name)) {
		return l.boundInquiry(e, args)
	}
	dim := l.integer(args[1], "the dimension of "+e.Name)
	if _, known := constOf(dim); known || isBad(dim) || l.noCalls {
		return l.boundInquiry(e, args)
	}
	rank := len(l.lookup(id.Name).Dims)
	x := l.boundOf(e, id, rank)
	for d := rank - 1; d > 0 && !isBad(x); d-- {
		this := l.convert(l.boundOf(e, id, d), ir.Integer)
		when := l.bin(ir.Eq, ir.Clone(dim), l.intConst(d, e.Pos), e.Pos, e.Pos)
		x = &ir.Call{X: ir.X{Pos: e.Pos, Typ: ir.Integer}, Name: "merge", Args: []ir.Expr{this, l.convert(x, ir.Integer), when}}
	}
	return x
}

// boundOf is SIZE, LBOUND or UBOUND, as e is, of a in dimension d.
func (l *lowerer) boundOf(e *ast.Index, a ast.Expr, d int) ir.Expr {
	return l.boundInquiry(e, []ast.Expr{a, &ast.IntLit{XBase: e.XBase, Text: strconv.Itoa(d)}})
}

// expressionBound is boundInquiry of a section or an expression, whose bounds begin at 1.
func (l *lowerer) expressionBound(e *ast.Index, args []ast.Expr) ir.Expr {
	var pre []ir.Stmt
	n := l.extents(args[0], &pre)
	if n == nil {
		return bad(e.Pos)
	}
	n = slices.Clone(n)
	l.prelude = append(l.prelude, pre...)
	switch {
	case len(args) == 2:
		d, ok := l.dim(args[1], len(n))
		if !ok {
			return bad(e.Pos)
		}
		n = n[d-1 : d]
	case e.Name != "size":
		l.errorf(codeRank, e.Pos, "%s without a dimension gives an array, and a single value is needed here", e.Name)
		return bad(e.Pos)
	}
	if e.Name == "lbound" {
		return l.intConst(1, e.Pos)
	}
	return l.convert(l.product1(n), ir.Integer)
}

// shapeInquiry is boundInquiry of a dummy argument.
func (l *lowerer) shapeInquiry(e *ast.Index, sh *shape, args []ast.Expr) ir.Expr {
	lo, n := sh.lo, sh.n
	if len(args) == 2 {
		d, _ := l.constInt(args[1], "the dimension of "+e.Name)
		lo, n = lo[d-1:d], n[d-1:d]
	}
	if e.Name == "size" {
		size := ir.Clone(n[0])
		for _, x := range n[1:] {
			size = l.arith(ir.Mul, size, ir.Clone(x), e.Pos)
		}
		return size
	}
	first, okLo := constOf(lo[0])
	size, okN := constOf(n[0])
	// An empty dimension is 1:0.
	empty := map[string]int{"lbound": 1, "ubound": 0}[e.Name]
	value := ir.Clone(lo[0])
	if e.Name == "ubound" {
		value = l.minus(l.plus(value, ir.Clone(n[0]), e.Pos), l.intConst(1, e.Pos), e.Pos)
	}
	switch {
	case okN && size == 0:
		return l.intConst(empty, e.Pos)
	case okN, okLo && first == 1:
		return value
	}
	none := &ir.Bin{X: ir.X{Pos: e.Pos, Typ: ir.Logical}, Op: ir.Eq, L: ir.Clone(n[0]), R: intConstOf(n[0].Type(), 0, e.Pos)}
	t := value.Type()
	return &ir.Call{X: ir.X{Pos: e.Pos, Typ: t}, Name: "merge", Args: []ir.Expr{intConstOf(t, empty, e.Pos), value, none}}
}

// lenInquiry is LEN: a constant where the length is known.
func (l *lowerer) lenInquiry(e *ast.Index, arg ast.Expr) ir.Expr {
	if l.isPart(arg) {
		var pre []ir.Stmt
		a := l.partOrEndless(arg, &pre)
		if a == nil {
			return bad(e.Pos)
		}
		if a.typ == ir.Character {
			return l.intConst(a.view.base.Len, e.Pos)
		}
	}
	x := l.lengthOf(arg)
	switch {
	case isBad(x):
		return x
	case x.Type() != ir.Character:
		l.errorf(codeArgument, x.Position(), "the argument of len is %s, it must be CHARACTER", x.Type())
		return bad(e.Pos)
	}
	return l.lenOf(x, e.Pos)
}

// lengthOf is a text as long as arg is: of parts of elements, as in a(:)(2:3), one of them.
func (l *lowerer) lengthOf(arg ast.Expr) ir.Expr {
	if s, ok := arg.(*ast.Substring); ok && l.isPart(s.Base) {
		var pre []ir.Stmt
		if a := l.partOrEndless(s.Base, &pre); a != nil {
			first := l.elementOf(a, l.elements(a.shape.n, s.Pos, &pre), s.Pos)
			for k := range first.Subs {
				first.Subs[k] = l.intConst(1, s.Pos)
			}
			return l.substringOf(s, first)
		}
		return bad(s.Pos)
	}
	return l.expr(arg)
}

// selectedIntKind is SELECTED_INT_KIND(R), with gfortran's kinds.
func selectedIntKind(l *lowerer, c *call) ir.Expr {
	r, ok := l.constArgument(c, 0)
	if !ok {
		return bad(c.Pos)
	}
	for _, k := range []struct{ digits, kind int }{{2, 1}, {4, 2}, {9, 4}, {18, 8}, {38, 16}} {
		if r <= k.digits {
			return l.intConst(k.kind, c.Pos)
		}
	}
	return l.intConst(-1, c.Pos)
}

// selectedCharKind is SELECTED_CHAR_KIND(NAME).
func selectedCharKind(l *lowerer, c *call) ir.Expr {
	k, ok := c.args[0].(*ir.Const)
	if !ok || k.Typ != ir.Character {
		return l.wrong(c, 0, "a constant text")
	}
	kind, known := map[string]int{"ascii": 1, "default": 1, "iso_10646": 4}[strings.ToLower(strings.TrimRight(k.Str, " "))]
	if !known {
		kind = -1
	}
	return l.intConst(kind, c.Pos)
}

// selectedRealKind is SELECTED_REAL_KIND(P, R): the smallest of gfortran's
// kinds with P digits and decimal exponent range R.
func selectedRealKind(l *lowerer, c *call) ir.Expr {
	p, okP := l.constArgument(c, 0)
	r, okR := l.constArgument(c, 1)
	if !okP || !okR {
		return bad(c.Pos)
	}
	for _, k := range []struct{ precision, rng, kind int }{{6, 37, 4}, {15, 307, 8}, {18, 4931, 10}, {33, 4931, 16}} {
		if p <= k.precision && r <= k.rng {
			return l.intConst(k.kind, c.Pos)
		}
	}
	return l.intConst(-1, c.Pos)
}

// constArgument is the value of a constant INTEGER argument, 0 when absent.
func (l *lowerer) constArgument(c *call, i int) (int, bool) {
	if c.args[i] == nil {
		return 0, true
	}
	k, ok := c.args[i].(*ir.Const)
	if !ok || !k.Typ.IsInteger() {
		l.errorf(codeNotConstant, c.args[i].Position(), "the arguments of %s must be INTEGER constants", c.name)
		return 0, false
	}
	return k.Int, true
}
