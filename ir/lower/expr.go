package lower

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// expr lowers an expression. The result is never nil; after an error it has
// type ir.Invalid, and what is made of it reports nothing more.
func (l *lowerer) expr(e ast.Expr) ir.Expr {
	switch e := e.(type) {
	case *ast.IntLit:
		return l.intLit(e)
	case *ast.RealLit:
		return l.realLit(e)
	case *ast.Complex:
		return l.complexLit(e)
	case *ast.StringLit:
		if _, ok := bitConstant(e); ok {
			l.errorf(codeArgument, e.Pos, "%s'%s' has no type here", string(e.Quote), e.Value).
				WithHelp("write int(%s'%s'): constants of bits are arguments of int, real, dble, iand, ior and ieor, and values of INTEGER variables in DATA", string(e.Quote), e.Value)
			return bad(e.Pos)
		}
		if e.Kind != "" {
			kind, ok := l.literalKind(e.Kind, e.Pos)
			if ok && kind != 1 {
				l.errorf(codeOutside, e.Pos, "CHARACTER of kind %d is not supported", kind).WithHelp("leave the kind out, or use kind 1")
			}
			if !ok || kind != 1 {
				return bad(e.Pos)
			}
		}
		return &ir.Const{X: ir.X{Pos: e.Pos, Typ: ir.Character}, Str: e.Value}
	case *ast.LogicalLit:
		return l.logicalLit(e)
	case *ast.Ident:
		return l.ident(e)
	case *ast.Index:
		return l.index(e)
	case *ast.Substring:
		if x := l.beyond(e); x != nil {
			return x
		}
		return l.substring(e)
	case *ast.CoIndex:
		return l.coindexed(e)
	case *ast.Unary:
		return l.unary(e)
	case *ast.Binary:
		return l.binary(e)
	case *ast.Paren:
		x := l.expr(e.X)
		if c, ok := x.(*ir.Const); ok {
			moved := *c
			moved.Pos = e.Pos
			return &moved
		}
		return &ir.Un{X: ir.X{Pos: e.Pos, Typ: x.Type()}, Op: ir.Group, E: x}
	case *ast.ImpliedDo:
		l.errorf(codeOutside, e.Pos, "an implied DO can stand only in the item list of PRINT, WRITE or READ").
			WithHelp("write a DO loop")
	case *ast.Array:
		if l.elem != nil {
			return l.operand(e)
		}
		l.errorf(codeOutside, e.Pos, "an array constructor cannot stand here").WithHelp("assign it to an array first")
	case *ast.Triplet:
		l.errorf(codeOutside, e.Pos, "array sections are supported as arguments of procedures only").WithHelp("write a DO loop over the elements")
	case *ast.Keyword:
		l.errorf(codeArgument, e.Pos, "%s= cannot stand here", e.Name)
	default:
		l.errorf(codeOutside, e.Position(), "this expression is not supported")
	}
	return bad(e.Position())
}

func (l *lowerer) ident(e *ast.Ident) ir.Expr {
	l.present(e.Name, e.Pos)
	s := l.symbol(e.Name, e.Pos)
	switch {
	case s.Type == ir.Invalid:
		return bad(e.Pos)
	case s.Param && s.Init == nil: // what is wrong with it has been reported
		return bad(e.Pos)
	case s.Param:
		c := *s.Init.(*ir.Const)
		c.Pos = e.Pos
		return &c
	case s.Cell:
		return l.cell(s, e.Pos)
	case s.IsArray() && l.elem != nil:
		return l.operand(e)
	case s.IsArray():
		l.wholeArray(s, e.Pos)
		return bad(e.Pos)
	}
	l.mention[s] = true
	return &ir.Var{X: ir.X{Pos: e.Pos, Typ: s.Type}, Sym: s}
}

func (l *lowerer) wholeArray(s *ir.Symbol, pos source.Pos) {
	subs := make([]string, len(s.Dims))
	for k := range subs {
		subs[k] = string(rune('i' + k))
	}
	l.errorf(codeOutside, pos, "array %s stands without subscripts where a single value is needed", s.Source()).
		WithHelp("write an element, %s(%s), in a loop where all are meant", s.Source(), strings.Join(subs, ","))
}

// index lowers name(args): an array element, else an intrinsic.
func (l *lowerer) index(e *ast.Index) ir.Expr {
	s := l.lookup(e.Name)
	if e.Name == "present" && s == nil && l.procedure(e.Name) == nil {
		return l.presentCall(e)
	}
	if isArray(s) {
		l.present(e.Name, e.NamePos)
		if l.elem != nil && l.isPart(e) {
			return l.operand(e)
		}
		return l.element(s, e)
	}
	if l.arrayValued(e) {
		if l.elem != nil {
			return l.operand(e)
		}
		l.errorf(codeRank, e.Pos, "the value of %s is an array, and a single value is needed here", e.Name).WithHelp("assign it to an array first")
		return bad(e.Pos)
	}
	p, wrong := l.callee(ast.Name{Pos: e.NamePos, Name: e.Name}, e.Args)
	if wrong {
		return bad(e.Pos)
	}
	if imageFunctions[e.Name] && p == nil && s == nil {
		return l.imageQuery(e)
	}
	if e.Name == "typecode%" { // see withTypes
		return l.intConst(-l.typeCode(e.Args[0]), e.Pos)
	}
	if e.Name == "image_state%" { // see imagesOf
		image := l.expr(e.Args[0])
		if l.teams != nil {
			image = l.initialImage(image, varOf(l.teams.current, e.Pos), e.Pos)
		}
		return l.ofTeam("image_state", e.Pos, image)
	}
	if teamFunctions[e.Name] && p == nil && s == nil {
		return l.teamQuery(e)
	}
	if e.Name == "allocated" && p == nil && s == nil {
		return l.isAllocated(e)
	}
	if e.Name == "associated" && p == nil && s == nil {
		return l.isAssociated(e)
	}
	if p == nil && l.isFunction(e) {
		switch {
		case arrayFunctions[e.Name]:
			return l.arrayFunction(e)
		case arrayReductions[e.Name] != nil:
			return l.reduction(e)
		case e.Name == "transfer" && !l.hasArrayValue(e):
			return l.transferOf(e)
		case e.Name == "transfer":
			return l.arrayFunction(e)
		}
	}
	if p != nil && (s == nil || !s.Param && (!l.mention[s] || e.Name == resultName(p.unit))) {
		if s != nil && !l.mention[s] {
			l.intrinsics[s] = true
		}
		x := l.functionRef(p, e)
		if !l.explicit(p) && !isBad(x) {
			l.checkType(p, s, e, x)
		}
		return x
	}
	if _, ok := intrinsics[e.Name]; ok && (!ofModules[e.Name] || l.fromModule(e.Name)) && (s == nil || !l.mention[s] && !s.Param) {
		if s != nil {
			l.intrinsics[s] = true
		}
		return l.intrinsic(e)
	}
	switch {
	case s != nil && s.Type == ir.Invalid:
		l.unambiguous(s, e.Pos) // else reported
	case l.unknownProcedure(e.Name):
	case s != nil && l.ofOtherEntry(e.Name):
		return varOf(s, e.Pos)
	case s != nil && s.Type == ir.Character:
		l.errorf(codeType, e.Pos, "%s is a CHARACTER scalar: a substring needs a colon", s.Source()).
			WithHelp("write %s(i:i) for one character", s.Source())
	case s != nil:
		l.errorf(codeRank, e.Pos, "%s is a scalar and cannot have subscripts", s.Source()).
			WithNote(s.Pos, "%s was declared here", s.Source()).
			WithHelp("declare it as an array, or add a function of this name to the file")
	case knownOutside[e.Name] != "":
		l.errorf(codeOutside, e.NamePos, "intrinsic %s is not supported", strings.ToUpper(e.Name)).
			WithHelp("%s", knownOutside[e.Name])
		return bad(e.Pos)
	case e.Operator() != "":
		l.errorf(codeUndeclared, e.NamePos, "the operator %s is not defined here", e.Operator()).
			WithHelp("write interface %s with the function that it stands for, or use the module that has it", e.Name)
	default:
		d := l.errorf(codeUndeclared, e.NamePos, "%s is neither an array nor an intrinsic function", e.Name)
		if near := source.Nearest(e.Name, slices.Sorted(maps.Keys(intrinsics))...); near != "" {
			d.WithHelp("did you mean %s? Else declare it as an array, or add a function of this name to the file", near)
		} else {
			d.WithHelp("declare it as an array, or add a function of this name to the file")
		}
	}
	for _, a := range e.Args {
		if k, ok := a.(*ast.Keyword); ok {
			a = k.X
		}
		l.expr(a) // for the errors in it
	}
	return bad(e.Pos)
}

// element lowers an array element: as many INTEGER subscripts as dimensions,
// constant ones within bounds.
func (l *lowerer) element(s *ir.Symbol, e *ast.Index) ir.Expr {
	r := l.subscripted(s, e)
	if r == nil {
		return bad(e.Pos)
	}
	if v := l.views[s]; v != nil {
		r = l.viewed(v, r)
	}
	return l.folded(r)
}

// subscripted is an array element as it is written, nil after an error.
func (l *lowerer) subscripted(s *ir.Symbol, e *ast.Index) *ir.Ref {
	subs := make([]ir.Expr, len(e.Args))
	ok := true
	for i, a := range e.Args {
		if k, is := a.(*ast.Keyword); is {
			l.errorf(codeArgument, k.Pos, "%s= cannot stand in a subscript list", k.Name)
			a = k.X
		}
		if l.isSection(a) {
			l.errorf(codeOutside, a.Position(), "array sections are not supported: subscript %d of %s", i+1, s.Source()).
				WithHelp("write a DO loop over the elements")
			ok = false
			continue
		}
		subs[i] = l.expr(a)
		switch t := subs[i].Type(); {
		case t == ir.Invalid:
			ok = false
		case !t.IsInteger():
			d := l.errorf(codeType, a.Position(), "subscript %d of %s is %s, it must be INTEGER", i+1, s.Source(), t)
			if t.IsReal() {
				d.WithHelp("write int(%s) or nint(%s)", ir.ExprString(subs[i]), ir.ExprString(subs[i]))
			}
			ok = false
		}
	}
	if len(subs) != len(s.Dims) {
		l.errorf(codeRank, e.Pos, "%s has %s, not %d", s.Source(), count(len(s.Dims), "dimension"), len(subs)).
			WithNote(s.Pos, "declared as %s(%s)", s.Source(), ir.BoundsString(s.Dims)).
			WithHelp("write %s", count(len(s.Dims), "subscript"))
		return nil
	}
	if !ok || s.Type == ir.Invalid {
		return nil
	}
	r := &ir.Ref{X: ir.X{Pos: e.Pos, Typ: s.Type}, Sym: s, Subs: subs}
	if !l.inBounds(r) {
		return nil
	}
	return r
}

// checkType compares the type that a unit declares for an external function with
// that of its value x.
func (l *lowerer) checkType(p *procedure, s *ir.Symbol, e *ast.Index, x ir.Expr) {
	typ, declared := l.implicitType(e.Name), !l.implicitNone
	if s != nil {
		typ, declared = s.Type, true
	}
	if declared && typ == x.Type() {
		return
	}
	l.errorf(codeCall, e.NamePos, "the type of function %s is not declared here as what it is, %s", e.Name, x.Type()).
		WithNote(p.unit.Pos, "%s begins here", e.Name).WithHelp("declare it: %s, external :: %s", typeWord(x.Type()), e.Name)
}

// inBounds reports whether the constant subscripts of r are within the bounds,
// or says by an error which is not.
func (l *lowerer) inBounds(r *ir.Ref) bool {
	for i, sub := range r.Subs {
		c, ok := sub.(*ir.Const)
		if b := r.Sym.Dims[i]; ok && !l.unbounded[r.Sym] && !l.loose[r.Sym] && (c.Int < b.Lo || c.Int > b.Hi) {
			l.errorf(codeBounds, c.Pos, "subscript %d of %s is %d, out of the bounds %d:%d", i+1, r.Sym.Source(), c.Int, b.Lo, b.Hi).
				WithNote(r.Sym.Pos, "%s was declared here", r.Sym.Source()).WithHelp("correct the subscript, or declare the array with other bounds")
			return false
		}
	}
	return true
}

// isSection reports whether a subscript is a section or a whole array.
func (l *lowerer) isSection(e ast.Expr) bool {
	if _, ok := e.(*ast.Triplet); ok || isStar(e) {
		return true
	}
	return l.firstPart(e) != nil
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// substring lowers base(lo:hi) of a CHARACTER scalar, with both bounds explicit.
func (l *lowerer) substring(e *ast.Substring) ir.Expr {
	if id, ok := e.Base.(*ast.Ident); ok {
		if s := l.symbol(id.Name, id.Pos); isArray(s) {
			if l.elem != nil {
				return l.operand(e)
			}
			l.errorf(codeOutside, e.Pos, "array sections are not supported: %s", s.Source()).
				WithHelp("write a DO loop over the elements of %s", s.Source())
			return bad(e.Pos)
		}
	}
	return l.substringOf(e, l.expr(e.Base))
}

// beyond lowers a part of a CHARACTER argument that leaves the text which this call passes, nil
// where it does not: in place of what may lie behind the text there are blanks.
func (l *lowerer) beyond(e *ast.Substring) ir.Expr {
	id, ok := e.Base.(*ast.Ident)
	if !ok {
		return nil
	}
	d := l.scope.dummy(id.Name)
	if d == nil || d.isArray || d.arg == nil || e.Hi == nil {
		return nil
	}
	base := l.expr(id)
	lo, okLo := literal(e.Lo)
	hi, okHi := literal(e.Hi)
	length := l.charLen(base)
	if !okLo || !okHi || base.Type() != ir.Character || length < 0 || lo < 1 || hi <= length || hi < lo {
		return nil
	}
	l.diags.Warnf(codeBounds, e.Pos, "the part (%d:%d) leaves the %s that a call passes for %s: there it has blanks behind them", lo, hi, count(length, "character"), id.Name).
		WithHelp("compare the text as a whole: Fortran pads the shorter one with blanks")
	blank := func(n int) ir.Expr {
		return &ir.Const{X: ir.X{Pos: e.Pos, Typ: ir.Character}, Str: strings.Repeat(" ", n)}
	}
	if lo > length {
		return blank(hi - lo + 1)
	}
	inside := *e
	inside.Hi = &ast.IntLit{XBase: ast.XBase{Pos: e.Hi.Position(), End: e.Hi.EndPosition()}, Text: strconv.Itoa(length)}
	return &ir.Bin{X: ir.X{Pos: e.Pos, Typ: ir.Character}, Op: ir.Concat, L: l.substring(&inside), R: blank(hi - length)}
}

// substringOf lowers the part of base that e says.
func (l *lowerer) substringOf(e *ast.Substring, base ir.Expr) ir.Expr {
	if isBad(base) {
		return base
	}
	if base.Type() != ir.Character {
		l.errorf(codeType, e.Pos, "%s is %s: only CHARACTER has substrings", ir.ExprString(base), base.Type())
		return bad(e.Pos)
	}
	length := l.charLen(base)
	var lo, hi ir.Expr = l.intConst(1, e.Pos), nil
	if e.Lo != nil {
		lo = l.integer(e.Lo, "a substring bound")
	}
	if e.Hi != nil {
		hi = l.integer(e.Hi, "a substring bound")
	} else {
		hi = l.lenOf(base, e.Pos)
	}
	if isBad(lo, hi) {
		return bad(e.Pos)
	}
	cl, okL := lo.(*ir.Const)
	ch, okH := hi.(*ir.Const)
	nonempty := !okL || !okH || cl.Int <= ch.Int
	if nonempty && length >= 0 && (okL && (cl.Int < 1 || cl.Int > length) || okH && (ch.Int > length || ch.Int < 0)) {
		l.errorf(codeBounds, e.Pos, "the substring leaves the %s of %s", count(length, "character"), ir.ExprString(base))
		return bad(e.Pos)
	}
	if c, ok := base.(*ir.Const); ok && okL && okH {
		text := ""
		if nonempty {
			text = c.Str[cl.Int-1 : ch.Int]
		}
		return &ir.Const{X: ir.X{Pos: e.Pos, Typ: ir.Character}, Str: text}
	}
	return &ir.Substr{X: ir.X{Pos: e.Pos, Typ: ir.Character}, Base: base, Lo: lo, Hi: hi}
}

// charLen is the length of a CHARACTER variable or constant, -1 when it is not
// known before run time.
func (l *lowerer) charLen(e ir.Expr) int {
	switch e := e.(type) {
	case *ir.Const:
		return len(e.Str)
	case *ir.Var:
		return e.Sym.Len
	case *ir.Ref:
		return e.Sym.Len
	case *ir.CoRef:
		return e.Sym.Len
	case *ir.Un:
		return l.charLen(e.E)
	case *ir.Bin:
		if a, b := l.charLen(e.L), l.charLen(e.R); a >= 0 && b >= 0 {
			return a + b
		}
	case *ir.Substr:
		lo, from := offset(e.Lo)
		hi, to := offset(e.Hi)
		if lo == nil && hi == nil || lo != nil && hi != nil && ir.Same(lo, hi) {
			return max(0, to-from+1)
		}
	case *ir.Call:
		switch e.Name {
		case "char", "achar":
			return 1
		case "merge":
			return l.charLen(e.Args[0])
		case "pad":
			if n, ok := constOf(e.Args[1]); ok {
				return n
			}
		case "adjustl", "adjustr":
			return l.charLen(e.Args[0])
		}
	}
	return -1
}

// lenOf is the length of e.
func (l *lowerer) lenOf(e ir.Expr, pos source.Pos) ir.Expr {
	if n := l.charLen(e); n >= 0 {
		return l.intConst(n, pos)
	}
	return &ir.Call{X: ir.X{Pos: pos, Typ: ir.Integer}, Name: "len", Args: []ir.Expr{ir.Clone(e)}}
}

// offset is e as a sum of something, nil for nothing, and a constant.
func offset(e ir.Expr) (ir.Expr, int) {
	if n, ok := constOf(e); ok {
		return nil, n
	}
	if b, ok := e.(*ir.Bin); ok && (b.Op == ir.Add || b.Op == ir.Sub) {
		if n, ok := constOf(b.R); ok {
			if b.Op == ir.Sub {
				n = -n
			}
			return b.L, n
		}
	}
	return e, 0
}

// integer lowers an expression that must be INTEGER.
func (l *lowerer) integer(e ast.Expr, what string) ir.Expr {
	x := l.expr(e)
	if t := x.Type(); !t.IsInteger() && t != ir.Invalid {
		d := l.errorf(codeType, e.Position(), "%s is %s, it must be INTEGER", what, t)
		if t.IsReal() {
			d.WithHelp("write int(%s) or nint(%s)", ir.ExprString(x), ir.ExprString(x))
		}
		return bad(e.Position())
	}
	return x
}

// logical lowers a condition.
func (l *lowerer) logical(e ast.Expr, what string) ir.Expr {
	x := l.expr(e)
	if t := x.Type(); !t.IsLogical() && t != ir.Invalid {
		d := l.errorf(codeType, e.Position(), "%s is %s, it must be LOGICAL", what, t)
		if t.IsNumeric() {
			d.WithHelp("compare it: %s /= 0", ast.UnparseExpr(e))
		}
		return bad(e.Position())
	}
	return x
}

// intConst is the constant n, an INTEGER(8) only where it must be.
func (l *lowerer) intConst(n int, pos source.Pos) *ir.Const {
	t := ir.Integer
	if t.Wrap(n) != n {
		t = ir.Long
	}
	return intConstOf(t, n, pos)
}

// intConstOf is what a variable of type t holds when n is stored in it.
func intConstOf(t ir.Type, n int, pos source.Pos) *ir.Const {
	return &ir.Const{X: ir.X{Pos: pos, Typ: t}, Int: t.Wrap(n)}
}

// convert makes e a t: numeric conversion, folded for constants.
func (l *lowerer) convert(e ir.Expr, t ir.Type) ir.Expr {
	from := e.Type()
	if from.IsLogical() && t.IsLogical() && from != t {
		return ofKindLogical(e, t)
	}
	if from == t || from == ir.Invalid || !t.IsNumeric() || !from.IsNumeric() {
		return e
	}
	if from.IsComplex() != t.IsComplex() {
		return l.convertParts(e, t)
	}
	c, ok := e.(*ir.Const)
	if !ok {
		return &ir.Conv{X: ir.X{Pos: e.Position(), Typ: t}, E: e}
	}
	conv := &ir.Conv{X: ir.X{Pos: c.Pos, Typ: t}, E: c}
	out, fits, ok := ir.Compute(conv, []*ir.Const{c})
	switch {
	case t.IsInteger() && !(ok && fits):
		d := l.errorf(codeOverflow, c.Pos, "%s does not fit in INTEGER(%d)", ir.ExprString(c), t.Bytes())
		if ok {
			wider := map[ir.Type]int{ir.Byte: 4, ir.Short: 4, ir.Integer: 8}[t]
			d.WithHelp("use INTEGER(%d), as in integer(%[1]d) :: i and int(x, %[1]d)", wider)
		}
		return bad(c.Pos)
	case !fits:
		l.errorf(codeOverflow, c.Pos, "%s is out of the range of REAL", ir.ExprString(c)).WithHelp("use DOUBLE PRECISION")
		return bad(c.Pos)
	}
	return out
}

// ofKindLogical is LOGICAL e as one of type t.
func ofKindLogical(e ir.Expr, t ir.Type) ir.Expr {
	if c, ok := e.(*ir.Const); ok {
		out := *c
		out.Typ = t
		return &out
	}
	return &ir.Conv{X: ir.X{Pos: e.Position(), Typ: t}, E: e}
}

// assignable reports, or says by an error, whether value can be assigned to
// something of type t called name.
func (l *lowerer) assignable(t ir.Type, value ir.Expr, name string) bool {
	v := value.Type()
	if t == ir.Invalid || v == ir.Invalid {
		return false
	}
	if t == v || t.IsNumeric() && v.IsNumeric() || t.IsLogical() && v.IsLogical() {
		return true
	}
	d := l.errorf(codeType, value.Position(), "%s value cannot be assigned to %s, which is %s", v, name, t)
	switch {
	case t.IsLogical() && v.IsNumeric():
		d.WithHelp("write a comparison: %s /= 0", ir.ExprString(value))
	case t.IsNumeric() && v.IsLogical():
		d.WithHelp("write merge(1, 0, %s)", conditionText(value))
	case t.IsNumeric() && v == ir.Character && isVariable(value):
		d.WithHelp("to convert the text write read(%s, *) %s", ir.ExprString(value), name)
	case t.IsNumeric() && v == ir.Character:
		d.WithHelp("write a number, or declare %s as character(len=%d)", name, max(1, l.charLen(value)))
	case t == ir.Character && v.IsNumeric():
		d.WithHelp("to make a text of the number write: write(%s, *) %s", name, ir.ExprString(value))
	}
	return false
}

// conditionText is a condition as written; one that was folded is not shown.
func conditionText(e ir.Expr) string {
	if _, ok := e.(*ir.Const); ok {
		return "condition"
	}
	return ir.ExprString(e)
}

func isVariable(e ir.Expr) bool {
	_, ok := e.(*ir.Var)
	return ok
}
