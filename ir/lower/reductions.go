package lower

import (
	"math"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// A reduction of an array becomes the loops that one would write, in front of the
// statement:
//
//	s = sum(a)            t = 0;  t = t + a(i,j)
//	r = sum(a, dim=1)     t(j) = 0;  t(j) = t(j) + a(i,j)
//
// with loops over i inside j. MAXLOC is two of them: the largest element, and the
// first place where it is.

// arrayReductions are the intrinsics that reduce an array, to one value or along a
// dimension, with the names of their arguments.
var arrayReductions = map[string][]string{
	"sum": {"array", "dim", "mask"}, "product": {"array", "dim", "mask"}, "maxval": {"array", "dim", "mask"}, "minval": {"array", "dim", "mask"},
	"iall": {"array", "dim", "mask"}, "iany": {"array", "dim", "mask"}, "iparity": {"array", "dim", "mask"},
	"any": {"mask", "dim"}, "all": {"mask", "dim"}, "parity": {"mask", "dim"}, "count": {"mask", "dim", "kind"}, "norm2": {"x", "dim"},
	"dot_product": {"vector_a", "vector_b"},
	"maxloc":      {"array", "dim", "mask", "kind", "back"}, "minloc": {"array", "dim", "mask", "kind", "back"},
	"findloc": {"array", "value", "dim", "mask", "kind", "back"},
}

// locations are those that say where an element is, as subscripts.
var locations = map[string]bool{"maxloc": true, "minloc": true, "findloc": true}

// reductionArgs are the arguments of a reduction; all but x may be nil.
type reductionArgs struct{ x, y, value, dim, mask, kind, back ast.Expr }

// reductionArguments sorts the arguments of a reduction. It returns nil if they are not what the
// reduction takes, and with tell says so by an error.
func (l *lowerer) reductionArguments(e *ast.Index, tell bool) *reductionArgs {
	names := arrayReductions[e.Name]
	out := &reductionArgs{}
	wrong := func(pos source.Pos, format string, args ...any) *reductionArgs {
		if tell {
			l.errorf(codeArgument, pos, format, args...).WithHelp("its arguments: %s(%s)", e.Name, strings.Join(names, ", "))
		}
		return nil
	}
	for i, a := range e.Args {
		name := ""
		if k, ok := a.(*ast.Keyword); ok {
			if name, a = k.Name, k.X; !slices.Contains(names, name) {
				return wrong(k.Pos, "%s has no argument %s", e.Name, name)
			}
		} else {
			at := i
			if slices.Contains(names, "dim") && slices.Contains(names, "mask") && names[0] != "mask" {
				// DIM may be left out in front of MASK.
				if d := slices.Index(names, "dim"); i >= d && (out.mask != nil || i == d && !l.isDim(a)) {
					at = i + 1
				}
			}
			if at >= len(names) {
				return wrong(a.Position(), "%s has too many arguments", e.Name)
			}
			name = names[at]
		}
		if (name == "mask" || name == "back") && l.isAbsent(a) {
			continue
		}
		var slot *ast.Expr
		switch name {
		case "value":
			slot = &out.value
		case "vector_b":
			slot = &out.y
		case "dim":
			slot = &out.dim
		case "kind":
			slot = &out.kind
		case "back":
			slot = &out.back
		case "mask":
			if slot = &out.mask; names[0] == "mask" {
				slot = &out.x
			}
		default:
			slot = &out.x
		}
		if *slot != nil {
			return wrong(a.Position(), "argument %s of %s is given twice", name, e.Name)
		}
		*slot = a
	}
	if out.x == nil || e.Name == "dot_product" && out.y == nil || e.Name == "findloc" && out.value == nil {
		return wrong(e.Pos, "%s lacks an argument", e.Name)
	}
	return out
}

// isDim reports whether a, an argument in the place of DIM, is that and not MASK.
func (l *lowerer) isDim(a ast.Expr) bool {
	if l.firstPart(a) != nil {
		return false
	}
	before, elem := l.diags.Len(), l.elem
	l.elem = nil
	var t ir.Type
	l.functions(func() { t = l.expr(a).Type() })
	l.elem = elem
	l.diags.Diags = l.diags.Diags[:before]
	return !t.IsLogical()
}

// reduction lowers a reduction to one value.
func (l *lowerer) reduction(e *ast.Index) ir.Expr {
	elem := l.elem
	l.elem = nil
	defer func() { l.elem = elem }()
	if l.hasArrayValue(e) {
		l.errorf(codeRank, e.Pos, "%s has an array as its value here", e.Name).WithHelp("assign it to an array, or use an element of that")
		return bad(e.Pos)
	}
	var pre []ir.Stmt
	a, x := l.reduce(e, goal{}, &pre)
	if a != nil {
		l.errorf(codeRank, e.Pos, "the rank of the argument of %s is not known here", e.Name).WithHelp("assign the argument to an array first")
		return bad(e.Pos)
	}
	l.prelude = append(l.prelude, pre...)
	return x
}

// fold is a reduction in the making.
type fold struct {
	l    *lowerer
	e    *ast.Index
	args *reductionArgs
	g    goal
	pre  *[]ir.Stmt

	ctx  *elemental // the loops over all elements
	dim  int        // from 1, 0 for all
	keep []int      // dimensions of the value
	x    ir.Expr    // the element
	mask ir.Expr    // or nil
}

// reduce appends the loops of a reduction to pre. The result is an array, or a value where
// it has no dimensions; a bad value after an error.
func (l *lowerer) reduce(e *ast.Index, g goal, pre *[]ir.Stmt) (*argument, ir.Expr) {
	if a, x, found := l.chosen(e, pre); found {
		return a, x
	}
	f := &fold{l: l, e: e, g: g, pre: pre}
	if !f.begin() {
		return nil, bad(e.Pos)
	}
	if locations[e.Name] {
		return f.location()
	}
	switch typ := f.x.Type(); {
	case len(f.keep) == 0 && typ.IsInteger() && typ < ir.Integer && e.Name != "maxval" && e.Name != "minval":
		f.x = l.convert(f.x, ir.Integer) // it wraps at the end, so that the loop is a reduction
		_, x := f.combined()
		return nil, l.convert(x, typ)
	}
	return f.combined()
}

// begin lowers the arguments; false after an error.
func (f *fold) begin() bool {
	l, e := f.l, f.e
	if f.args = l.reductionArguments(e, true); f.args == nil {
		return false
	}
	for _, a := range []ast.Expr{f.args.x, f.args.y} {
		if a != nil && l.firstPart(a) == nil {
			l.errorf(codeArgument, a.Position(), "the argument of %s must be an array", e.Name).
				WithHelp("pass an array, a section or an expression of them")
			return false
		}
	}
	x := f.args.x
	if f.args.y != nil {
		if n := max(l.rank(x), l.rank(f.args.y)); n != 1 && !l.phantom {
			l.errorf(codeArgument, e.Pos, "the arguments of %s have rank %d, they must have rank 1", e.Name, n).WithHelp("write sum(a*b)")
			return false
		}
		x = &ast.Binary{XBase: e.XBase, Op: "*", OpPos: e.Pos, X: x, Y: f.args.y}
	}
	if x = l.evaluated(x, goal{}, f.pre); x == nil {
		return false
	}
	if f.ctx = l.elementsLike(l.firstPart(x), f.pre); f.ctx == nil {
		return false
	}
	if f.args.y != nil {
		f.x = f.products(x.(*ast.Binary))
	} else {
		f.x = l.elementally(f.ctx, x)
	}
	if isBad(f.x) || !f.dimension() {
		return false
	}
	f.x = f.saved(f.x)
	if m := f.args.mask; m != nil {
		if m = l.evaluated(m, goal{}, f.pre); m == nil {
			return false
		}
		if f.mask = l.maskAt(f.ctx, m, nil); isBad(f.mask) {
			return false
		}
		f.mask = f.saved(f.mask)
	}
	return true
}

// saved is x, an element of an array instead where loops pass over x more than once and statements
// come before it in them: an elemental procedure is executed once for each element.
func (f *fold) saved(x ir.Expr) ir.Expr {
	once := !locations[f.e.Name] && f.e.Name != "norm2" && f.e.Name != "maxval" && f.e.Name != "minval"
	if once || f.ctx.inner == nil || len(*f.ctx.inner) == 0 {
		return x
	}
	a := f.l.room(f.ctx, x.Type(), max(0, f.l.charLen(x)), f.e.Pos)
	f.each(f.ctx, &ir.Assign{S: ir.S{Pos: f.e.Pos}, LHS: f.l.elementOf(a, f.ctx, f.e.Pos), RHS: x})
	return f.l.elementOf(a, f.ctx, f.e.Pos)
}

// products is the element of DOT_PRODUCT: of LOGICAL vectors that of their conjunction, of
// COMPLEX ones with the conjugate of the first.
func (f *fold) products(x *ast.Binary) ir.Expr {
	a, b := f.l.elementally(f.ctx, x.X), f.l.elementally(f.ctx, x.Y)
	if isBad(a, b) {
		return bad(x.Pos)
	}
	op := ir.Mul
	if a.Type().IsLogical() && b.Type().IsLogical() {
		op = ir.And
	}
	if a.Type().IsComplex() {
		a = &ir.Call{X: ir.X{Pos: a.Position(), Typ: a.Type()}, Name: "conjg", Args: []ir.Expr{a}}
	}
	return f.l.bin(op, a, b, x.Pos, x.Pos)
}

// dimension finds out which dimensions the value has.
func (f *fold) dimension() bool {
	l := f.l
	if f.args.dim == nil {
		return true
	}
	x := l.integer(f.args.dim, "DIM")
	d, ok := constOf(x)
	switch {
	case isBad(x):
		return false
	case !ok:
		l.errorf(codeNotConstant, f.args.dim.Position(), "DIM of %s must be a constant", f.e.Name).WithHelp("write SELECT CASE or an IF with one %s for each dimension", f.e.Name)
		return false
	case !l.phantom && (d < 1 || d > len(f.ctx.n)):
		l.errorf(codeArgument, f.args.dim.Position(), "DIM is %d, the array has rank %d", d, len(f.ctx.n))
		return false
	}
	f.dim = d
	for k := range f.ctx.n {
		if k != d-1 {
			f.keep = append(f.keep, k)
		}
	}
	return true
}

// accumulator is what a reduction makes: a scalar, or an array with an element for each
// element of the dimensions that it keeps.
type accumulator struct {
	f   *fold
	typ ir.Type
	sym *ir.Symbol // of a scalar
	arr *argument
}

// accumulate makes an accumulator, and sets it to start; nil after an error.
func (f *fold) accumulate(typ ir.Type, start ir.Expr) *accumulator {
	l, pos := f.l, f.e.Pos
	a := &accumulator{f: f, typ: typ}
	if len(f.keep) == 0 {
		if a.sym = l.local(f.e.Name, typ, pos); typ == ir.Character {
			a.sym.Len = l.charLen(f.x)
		}
	} else if a.arr = f.room(typ); a.arr == nil {
		return nil
	}
	f.each(f.kept(), &ir.Assign{S: ir.S{Pos: pos}, LHS: a.at(), RHS: start})
	return a
}

// room is the array of an accumulator: that which is assigned to where the elements that are
// reduced lie on all PEs or on none apart, else one that lies as they do.
func (f *fold) room(typ ir.Type) *argument {
	var n []ir.Expr
	for _, k := range f.keep {
		n = append(n, f.ctx.n[k])
	}
	if of := f.ctx.of; f.g.direct(typ, n, f.x, f.mask) && !(of != nil && f.l.hasDirectives(of.view.base)) && !locations[f.e.Name] {
		return f.g.to
	}
	return f.l.roomFor(f.ctx, f.keep, typ, 0, f.e.Pos)
}

// kept are the loops over the dimensions that the value has.
func (f *fold) kept() *elemental {
	out := &elemental{pos: f.ctx.pos, pre: f.pre}
	for _, k := range f.keep {
		out.index, out.n = append(out.index, f.ctx.index[k]), append(out.n, f.ctx.n[k])
	}
	return out
}

// each appends loops around s.
func (f *fold) each(ctx *elemental, s ir.Stmt) {
	*f.pre = append(*f.pre, f.l.nest(ctx, s, f.e.Pos))
}

// all appends loops over all elements around s, under the mask.
func (f *fold) all(list ...ir.Stmt) {
	if f.mask != nil {
		list = one(&ir.If{S: ir.S{Pos: f.e.Pos}, Cond: ir.Clone(f.mask), Then: list})
	}
	for _, s := range list {
		f.each(f.ctx, s)
	}
}

// at is the accumulator, or the element of it that the loops have come to.
func (a *accumulator) at() ir.Expr {
	pos := a.f.e.Pos
	if a.sym != nil {
		return &ir.Var{X: ir.X{Pos: pos, Typ: a.typ}, Sym: a.sym}
	}
	return a.f.l.elementOf(a.arr, a.f.kept(), pos)
}

// set is the statement that sets it to x.
func (a *accumulator) set(x ir.Expr) ir.Stmt {
	return &ir.Assign{S: ir.S{Pos: a.f.e.Pos}, LHS: a.at(), RHS: x}
}

// op is the statement that combines it with x.
func (a *accumulator) op(op ir.Op, x ir.Expr) ir.Stmt {
	return a.set(&ir.Bin{X: ir.X{Pos: a.f.e.Pos, Typ: a.typ}, Op: op, L: a.at(), R: x})
}

// call is the same by an intrinsic.
func (a *accumulator) call(name string, x ir.Expr) ir.Stmt {
	return a.set(&ir.Call{X: ir.X{Pos: a.f.e.Pos, Typ: a.typ}, Name: name, Args: []ir.Expr{a.at(), x}})
}

// value is what the reduction returns.
func (a *accumulator) value() (*argument, ir.Expr) {
	if a == nil {
		return nil, &ir.Const{}
	}
	if a.arr != nil {
		return a.arr, nil
	}
	return nil, a.at()
}

// combined makes the loops of a reduction that is no location.
func (f *fold) combined() (*argument, ir.Expr) {
	l, name, pos := f.l, f.e.Name, f.e.Pos
	typ := f.x.Type()
	want := "numeric"
	ok := typ.IsNumeric()
	switch name {
	case "any", "all", "parity", "count":
		want, ok = "LOGICAL", typ.IsLogical()
	case "iall", "iany", "iparity":
		want, ok = "INTEGER", typ.IsInteger()
	case "norm2":
		want, ok = "REAL", typ.IsReal()
	case "dot_product":
		ok = ok || typ.IsLogical()
	case "maxval", "minval":
		want, ok = "INTEGER, REAL or CHARACTER", typ.IsOrdered() || typ == ir.Character
		if typ == ir.Character && (l.charLen(f.x) < 0 || len(f.keep) > 0) {
			l.errorf(codeOutside, f.e.Args[0].Position(), "%s of CHARACTER with DIM, or of a length that is not constant", name).WithHelp("write a loop over the elements")
			return nil, bad(pos)
		}
	}
	if !ok {
		l.errorf(codeArgument, f.e.Args[0].Position(), "the argument of %s is %s, it must be %s", name, typ, want)
		return nil, bad(pos)
	}
	k := func(n int) ir.Expr {
		if typ.Part().IsReal() {
			return &ir.Const{X: ir.X{Pos: pos, Typ: typ}, Float: float64(n)}
		}
		return &ir.Const{X: ir.X{Pos: pos, Typ: typ}, Int: n, Bool: n != 0}
	}
	simple := func(start int, step func(*accumulator) ir.Stmt) (*argument, ir.Expr) {
		a := f.accumulate(typ, k(start))
		if a == nil {
			return nil, bad(pos)
		}
		f.all(step(a))
		return a.value()
	}
	switch name {
	case "any":
		return simple(0, func(a *accumulator) ir.Stmt { return a.op(ir.Or, f.x) })
	case "all":
		return simple(1, func(a *accumulator) ir.Stmt { return a.op(ir.And, f.x) })
	case "parity":
		return simple(0, func(a *accumulator) ir.Stmt { return a.op(ir.Neqv, f.x) })
	case "product":
		return simple(1, func(a *accumulator) ir.Stmt { return a.op(ir.Mul, f.x) })
	case "iall":
		return simple(-1, func(a *accumulator) ir.Stmt { return a.call("iand", f.x) })
	case "iany":
		return simple(0, func(a *accumulator) ir.Stmt { return a.call("ior", f.x) })
	case "iparity":
		return simple(0, func(a *accumulator) ir.Stmt { return a.call("ieor", f.x) })
	case "maxval", "minval":
		if typ == ir.Character {
			return f.extremeText(name[:3]).value()
		}
		return f.extreme(name[:3]).value()
	case "norm2":
		return f.norm()
	case "count":
		f.mask, typ = f.x, ir.Integer
		var ok bool
		if typ, ok = f.kind(); !ok {
			return nil, bad(pos)
		}
		f.x = k(1)
	}
	if typ.IsLogical() { // of DOT_PRODUCT
		return simple(0, func(a *accumulator) ir.Stmt { return a.op(ir.Or, f.x) })
	}
	return simple(0, func(a *accumulator) ir.Stmt { return a.op(ir.Add, f.x) })
}

// kind is INTEGER of the kind that KIND= says.
func (f *fold) kind() (ir.Type, bool) {
	if f.args.kind == nil {
		return ir.Integer, true
	}
	return f.l.kindOf(f.args.kind, f.e.Name)
}

// kindOf is INTEGER of the kind that argument KIND of a function says; ok is false after an error.
func (l *lowerer) kindOf(kind ast.Expr, function string) (t ir.Type, ok bool) {
	x := l.integer(kind, "KIND")
	n, _ := constOf(x)
	if t, ok = integerOf(n); (!ok || n == 0) && !isBad(x) {
		l.errorf(codeArgument, kind.Position(), "the kind argument of %s must be the constant 1, 2, 4 or 8", function)
	}
	return t, ok && n != 0
}

// extreme appends the loops of MAXVAL or MINVAL, as op is "max" or "min". Without elements the
// value is huge. That of reals starts from NaN, which loses against every element. It
// returns nil after an error.
func (f *fold) extreme(op string) *accumulator {
	l, pos, typ := f.l, f.e.Pos, f.x.Type()
	start := &ir.Const{X: ir.X{Pos: pos, Typ: typ}}
	info, _ := l.kindInfo(start)
	none := &ir.Const{X: ir.X{Pos: pos, Typ: typ}}
	if i, ok := info.huge.(int); ok {
		if start.Int = i; op == "max" {
			start.Int = -i - 1
		}
	} else {
		start.Float = math.NaN()
		if none.Float = info.huge.(float64); op == "max" {
			none.Float = -none.Float
		}
	}
	a := f.accumulate(typ, start)
	if a == nil {
		return nil
	}
	if !typ.IsReal() {
		f.all(a.call(op, f.x))
		return a
	}
	empty, ok := f.empty()
	if !ok {
		return nil
	}
	f.all(a.call(op, f.x))
	if empty != nil {
		f.each(f.kept(), &ir.If{S: ir.S{Pos: pos}, Cond: empty, Then: one(a.set(none))})
	}
	return a
}

// extremeText is extreme of texts. Without elements the value has the first characters of all, or
// the last.
func (f *fold) extremeText(op string) *accumulator {
	first, better := "\x00", ir.Gt
	if op == "min" {
		first, better = "\xff", ir.Lt
	}
	start := &ir.Const{X: ir.X{Pos: f.e.Pos, Typ: ir.Character}, Str: strings.Repeat(first, f.l.charLen(f.x))}
	a := f.accumulate(ir.Character, start)
	if a == nil {
		return nil
	}
	is := &ir.Bin{X: ir.X{Pos: f.e.Pos, Typ: ir.Logical}, Op: better, L: ir.Clone(f.x), R: a.at()}
	f.all(&ir.If{S: ir.S{Pos: f.e.Pos}, Cond: is, Then: one(a.set(f.x))})
	return a
}

// empty is the condition that no element is reduced, for the element of the value that the
// loops have come to; nil if there surely is one. What finds it out goes in front.
func (f *fold) empty() (none ir.Expr, ok bool) {
	l, pos := f.l, f.e.Pos
	if f.mask != nil {
		some := f.accumulate(ir.Logical, &ir.Const{X: ir.X{Pos: pos, Typ: ir.Logical}})
		if some == nil {
			return nil, false
		}
		f.each(f.ctx, some.op(ir.Or, ir.Clone(f.mask)))
		return l.not(some.at()), true
	}
	for k, n := range f.ctx.n {
		if c, ok := constOf(n); ok && c > 0 || slices.Contains(f.keep, k) {
			continue
		}
		var is ir.Expr = &ir.Bin{X: ir.X{Pos: pos, Typ: ir.Logical}, Op: ir.Lt, L: ir.Clone(n), R: intConstOf(n.Type(), 1, pos)}
		if none != nil {
			is = &ir.Bin{X: ir.X{Pos: pos, Typ: ir.Logical}, Op: ir.Or, L: none, R: is}
		}
		none = is
	}
	return none, true
}

// norm appends the loops of NORM2: the root of the sum of squares, divided by the largest
// where the squares would be too large or too small.
func (f *fold) norm() (*argument, ir.Expr) {
	l, pos, typ := f.l, f.e.Pos, f.x.Type()
	x := f.x
	k := func(v float64) ir.Expr { return &ir.Const{X: ir.X{Pos: pos, Typ: typ}, Float: v} }
	call := func(name string, args ...ir.Expr) ir.Expr {
		return &ir.Call{X: ir.X{Pos: pos, Typ: typ}, Name: name, Args: args}
	}
	bin := func(op ir.Op, a, b ir.Expr, t ir.Type) ir.Expr {
		return &ir.Bin{X: ir.X{Pos: pos, Typ: t}, Op: op, L: a, R: b}
	}
	s := f.accumulate(typ, k(0))
	if s == nil {
		return nil, bad(pos)
	}
	f.all(s.op(ir.Add, bin(ir.Mul, ir.Clone(x), ir.Clone(x), typ)))
	info, _ := l.kindInfo(s.at())
	small, large := math.Sqrt(info.tiny), math.Sqrt(info.huge.(float64))
	rare := func(at ir.Expr) ir.Expr {
		return bin(ir.Or, bin(ir.Lt, at, k(small), ir.Logical), bin(ir.Gt, ir.Clone(at), k(large), ir.Logical), ir.Logical)
	}
	any := l.local("rare", ir.Logical, pos)
	is := func() ir.Expr { return &ir.Var{X: ir.X{Pos: pos, Typ: ir.Logical}, Sym: any} }
	*f.pre = append(*f.pre, &ir.Assign{S: ir.S{Pos: pos}, LHS: is(), RHS: &ir.Const{X: ir.X{Pos: pos, Typ: ir.Logical}}})
	f.each(f.kept(), &ir.Assign{S: ir.S{Pos: pos}, LHS: is(), RHS: bin(ir.Or, is(), rare(s.at()), ir.Logical)})
	outer := f.pre
	var scaled []ir.Stmt
	f.pre = &scaled
	f.x = call("abs", ir.Clone(x))
	m := f.accumulate(typ, k(0))
	t := f.accumulate(typ, k(0))
	if m == nil || t == nil {
		return nil, bad(pos)
	}
	f.all(m.call("max", f.x))
	f.each(f.kept(), &ir.If{S: ir.S{Pos: pos}, Cond: bin(ir.Eq, m.at(), k(0), ir.Logical), Then: one(m.set(k(1)))})
	part := func() ir.Expr { return bin(ir.Div, ir.Clone(x), m.at(), typ) }
	f.all(t.op(ir.Add, bin(ir.Mul, part(), part(), typ)))
	f.each(f.kept(), t.set(bin(ir.Mul, m.at(), call("sqrt", t.at()), typ)))
	f.pre = outer
	root := s.set(call("sqrt", s.at()))
	f.each(f.kept(), root)
	// Each is what it is by the one or the other.
	scaled = append(scaled, l.nest(f.kept(), &ir.If{S: ir.S{Pos: pos}, Cond: rare(bin(ir.Mul, s.at(), s.at(), typ)), Then: one(s.set(t.at()))}, pos))
	*f.pre = append(*f.pre, &ir.If{S: ir.S{Pos: pos}, Cond: is(), Then: scaled})
	return s.value()
}
