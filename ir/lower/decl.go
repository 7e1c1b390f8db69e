package lower

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
	"github.com/spmdc/spmdc/runtime/dist"
)

// maxElements bounds the size of one array, so that a misprint is an error of
// the program and not of the machine it runs on.
const maxElements = 1 << 40

// maxLength bounds the length of a CHARACTER variable, and maxText that of a constant,
// which the compiler holds and every emitted program may contain.
const (
	maxLength = 1 << 28
	maxText   = 1 << 16
)

// tempName is the name of a compiler-made scalar. The underscore in front keeps
// it apart from all names of the source.
func tempName(base string, n int) string { return "_" + base + strconv.Itoa(n) }

// declarations declares the names of the specification part. It returns the
// mapping directives, which may precede the declarations that they concern, and
// an INDEPENDENT that stands just before the first statement.
func (l *lowerer) declarations(spec []ast.Stmt) (directives []ast.Stmt, independent *ast.Independent) {
	outer := l.noCalls
	l.noCalls = true
	defer func() { l.noCalls = outer }()
	l.data, l.saves, l.unsized = nil, nil, nil
	l.deferred = deferredElsewhere(spec)
	l.commonNames, l.postponed = namesInCommon(spec), nil
	var commons []*ast.Common
	var interfaces []ast.Name
	var equivalences []*ast.Equivalence
	for _, s := range ast.JoinUses(spec) {
		independent = nil
		switch s := s.(type) {
		case *ast.ImplicitNone:
			l.implicitNone = true
		case *ast.Implicit:
			l.implicit(s)
		case *ast.Data:
			l.data = append(l.data, s)
		case *ast.Save:
			l.saves = append(l.saves, s)
		case *ast.TypeDecl:
			l.typeDecl(s)
		case *ast.ParameterStmt:
			for i := range s.Names {
				l.parameter(&s.Names[i])
			}
		case *ast.DimensionStmt:
			for i := range s.Entities {
				l.dimension(&s.Entities[i], false)
			}
		case *ast.AllocatableStmt:
			for i := range s.Entities {
				e := &s.Entities[i]
				if !l.deferred[e.Name] {
					l.dimension(e, true)
				}
				if x := l.names[e.Name]; x != nil && s.Pointer {
					l.isPointer[x] = true
				}
			}
		case *ast.Attribute:
			for _, n := range s.Names {
				l.attribute(n, s.Word)
			}
		case *ast.Import:
		case *ast.Interface:
			l.interfaceBlock(s)
		case *ast.Use:
			l.use(s)
		case *ast.Access:
			l.accessStmt(s)
		case *ast.Intent:
			for _, n := range s.Names {
				l.intent(n, s.Intent)
			}
		case *ast.External:
			for _, n := range s.Names {
				if s.Interface.Name != "" {
					l.ofInterface(n)
				} else {
					l.procedureName(n, s.Intrinsic)
				}
			}
			if s.Interface.Name != "" {
				interfaces = append(interfaces, s.Interface)
			}
		case *ast.Inherit:
			l.inherit(s)
		case *ast.Processors, *ast.Template, *ast.Align, *ast.Distribute, *ast.Dynamic, *ast.Shadow:
			directives = append(directives, s)
		case *ast.Independent:
			independent = s
		case *ast.Namelist:
			l.namelistStmt(s)
		case *ast.Common:
			l.commonDims(s)
			commons = append(commons, s)
		case *ast.Equivalence:
			equivalences = append(equivalences, s)
		default:
			l.errorf(codeOutside, s.Position(), "this statement cannot stand among the declarations")
		}
	}
	for _, n := range interfaces {
		l.checkInterface(n)
	}
	for _, e := range l.unsized {
		l.errorf(codeDeclaration, e.Pos, "the length of %s is *, which only a PARAMETER may have", e.Name).
			WithHelp("write the length: character(len=80) :: %s", e.Name)
	}
	l.storage(commons, equivalences)
	l.commonNames = nil
	for _, set := range l.postponed {
		set()
	}
	if !l.surveying {
		l.saveStmts()
		l.dataStmts()
	}
	l.namelistNames()
	return directives, independent
}

// declType is a type of a declaration with its parameters evaluated.
type declType struct {
	typ     ir.Type
	length  int      // CHARACTER
	assumed bool     // CHARACTER(*): length of the PARAMETER's value
	of      ir.Expr  // the length, where length is AnyLength but the declaration gives one
	colon   bool     // the length is deferred
	late    ast.Expr // the length, where it depends on COMMON and is evaluated with the storage known
}

func (l *lowerer) typeDecl(d *ast.TypeDecl) {
	base := l.typeSpec(&d.Type, d.Pos)
	for i := range d.Entities {
		e := &d.Entities[i]
		t := base
		if e.Len != nil {
			l.charLength(e.Len, &t)
		}
		if t.colon && d.Allocatable && len(e.Codims)+len(d.Codimension) > 0 {
			if n, ok := l.allocatedLength(e); ok {
				t.length, t.colon = n, false
			}
		}
		s := l.declare(e, t)
		if s == nil {
			continue
		}
		l.isPointer[s] = l.isPointer[s] || d.Pointer
		l.keepsLength(s, t, e, d)
		name := ast.Name{Pos: e.Pos, Name: e.Name}
		if d.Access != "" {
			l.nameAccess(name, d.Access)
		}
		if d.Intent != "" {
			l.intent(name, d.Intent)
		}
		if d.External || d.Intrinsic {
			l.procedureName(name, d.Intrinsic)
		}
		for i, has := range []bool{d.Optional, d.Value, d.Protected} {
			if has {
				l.attribute(name, []string{"optional", "value", "protected"}[i])
			}
		}
		dims := e.Dims
		if len(dims) == 0 {
			dims = d.Dimension
		}
		codims := e.Codims
		if codims == nil {
			codims = d.Codimension
		}
		if codims != nil {
			dims = l.coarray(s, d, e, dims, codims)
		}
		for _, word := range d.Unused {
			l.attribute(name, word)
		}
		switch {
		case d.Allocatable, len(dims) > 0 && l.deferred[e.Name]:
			l.declareAllocatable(s, dims, e.Pos)
		case len(dims) > 0:
			l.setDims(s, dims, e.Pos)
		}
		switch {
		case l.dummies[e.Name] != nil:
			if d.Parameter || d.Save {
				l.errorf(codeDeclaration, e.Pos, "the dummy argument %s cannot be a PARAMETER or have SAVE", e.Name).
					WithHelp("remove the attribute")
			}
		case d.Parameter && e.Init == nil:
			l.errorf(codeDeclaration, e.Pos, "PARAMETER %s has no value", e.Name).
				WithHelp("write: %s = value", e.Name)
			s.Type = ir.Invalid // nothing more is known of it
		case d.Parameter:
			l.setParameter(s, e, t.assumed)
		case t.assumed && l.binding != nil && e.Name == resultName(l.scope.unit) && l.scope.unit.Kind == ast.FunctionUnit:
			s.Len = l.binding.resultLen
		case t.assumed:
			l.unsized = append(l.unsized, e)
		case e.Null:
			l.saved(e.Name, s)
		case e.Init != nil:
			if l.saved(e.Name, s) == s {
				l.initial(s, e.Init)
			}
		case e.Data != nil:
			l.data = append(l.data, dataOf(e))
		case d.Save:
			l.saved(e.Name, s)
		}
	}
}

// intent takes note of the INTENT of a dummy argument.
func (l *lowerer) intent(n ast.Name, intent string) {
	d := l.dummies[n.Name]
	switch {
	case d == nil:
		l.errorf(codeDeclaration, n.Pos, "INTENT of %s, which is no dummy argument", n.Name).WithHelp("remove it")
	case d.intent != "":
		l.errorf(codeDuplicate, n.Pos, "the INTENT of %s is given twice", n.Name).WithHelp("remove one")
	default:
		d.intent = intent
	}
}

// typeSpec evaluates a type as written.
func (l *lowerer) typeSpec(t *ast.TypeSpec, pos source.Pos) declType {
	kind := 0
	if t.Kind != nil {
		k, ok := l.constInt(t.Kind, "a kind")
		if kind, pos = k, t.Kind.Position(); !ok {
			kind = 8 // reported; every type has this kind
		}
	}
	unknown := func(help string) {
		l.errorf(codeOutside, pos, "%s of kind %d is not supported", strings.ToUpper(t.Name), kind).WithHelp("%s", help)
	}
	ofKind := func(single, double ir.Type) ir.Type {
		switch kind {
		case 0, 4:
			return single
		case 8:
		default:
			unknown(fmt.Sprintf("use %[1]s, %[1]s(4) or %[1]s(8)", t.Name))
		}
		return double
	}
	switch t.Name {
	case "integer":
		typ, known := integerOf(kind)
		if !known {
			unknown("use integer(1), integer(2), integer(4) or integer(8)")
		}
		return declType{typ: typ}
	case "real":
		return declType{typ: ofKind(ir.Real, ir.Double)}
	case "double precision":
		return declType{typ: ir.Double}
	case "complex":
		if t.Star && kind%2 == 0 { // the size of both parts
			kind /= 2
		}
		return declType{typ: ofKind(ir.Complex, ir.DoubleComplex)}
	case "double complex":
		return declType{typ: ir.DoubleComplex}
	case "logical":
		typ, known := logicalOf(kind)
		if !known {
			unknown("use logical(1), logical(2), logical(4) or logical(8)")
		}
		return declType{typ: typ}
	case "character":
		if kind > 1 {
			unknown("leave it out: character(len=n)")
		}
		d := declType{typ: ir.Character, length: 1}
		if t.Len != nil {
			l.charLength(t.Len, &d)
		}
		return d
	}
	l.errorf(codeOutside, pos, "type %s is not supported", strings.ToUpper(t.Name)).
		WithHelp("use INTEGER, REAL, DOUBLE PRECISION, COMPLEX, LOGICAL or CHARACTER")
	return declType{}
}

// charLength evaluates a CHARACTER length.
func (l *lowerer) charLength(e ast.Expr, t *declType) {
	t.length, t.assumed, t.of, t.colon, t.late = 1, false, nil, false, nil
	if id, ok := e.(*ast.Ident); ok && isStar(e) {
		if t.assumed = id.Name == "*"; !t.assumed {
			t.length, t.colon = ir.AnyLength, true
		}
		return
	}
	if b := l.binding; b != nil {
		if !l.phantom && mentionsDummy(e, l.commonNames) {
			t.length, t.late = ir.AnyLength, e
			return
		}
		x := b.bound(e)
		if _, isConst := x.(*ir.Const); !isConst {
			if !l.phantom {
				t.length, t.of = ir.AnyLength, b.captured(l.atLeast0(l.convert(x, ir.Long), e.Position()), e.Position())
			}
			return
		}
	}
	n, ok := l.constInt(e, "a CHARACTER length")
	if ok && n > maxLength {
		l.errorf(codeLarge, e.Position(), "a CHARACTER length of %d, the most is %d", n, maxLength).
			WithHelp("declare a shorter variable, and work on the text in parts")
		ok = false
	}
	if ok {
		t.length = max(0, n)
	}
}

// declare gives the name of e its type. A name may get its type once.
func (l *lowerer) declare(e *ast.Entity, t declType) *ir.Symbol {
	if d := l.dummies[e.Name]; d != nil && (d.arg == nil || d.arg.proc == nil) {
		return l.binding.declare(d, e, t)
	}
	s := l.names[e.Name]
	if l.used[e.Name] {
		l.errorf(codeDuplicate, e.Pos, "%s is declared here, and comes from a module too", e.Name).
			WithHelp("rename it, or leave it out by USE module, ONLY: names")
		return nil
	}
	if s == nil {
		s = l.newSymbol(e.Name, e.Pos)
	} else if at, ok := l.typed[s]; ok {
		l.errorf(codeDuplicate, e.Pos, "%s is declared twice", e.Name).
			WithNote(at, "%s was declared here", e.Name).WithHelp("remove one of the declarations, or rename one of the variables")
		return nil
	} else if s.Param && s.Type != t.typ {
		l.errorf(codeDuplicate, e.Pos, "the type of %s is declared after its PARAMETER statement", e.Name).
			WithNote(s.Pos, "%s got its value here", e.Name).WithHelp("declare the type first")
		return nil
	}
	s.Type, s.Len = t.typ, t.length
	l.typed[s] = e.Pos
	return s
}

// dimension is one entity of a DIMENSION or ALLOCATABLE statement, possibly before its type.
func (l *lowerer) dimension(e *ast.Entity, allocatable bool) {
	s := l.names[e.Name]
	if s == nil {
		s = l.newSymbol(e.Name, e.Pos)
		l.retype(s, e.Name)
	}
	if s.IsArray() {
		l.errorf(codeDuplicate, e.Pos, "the dimensions of %s are declared twice", e.Name).
			WithNote(s.Pos, "%s was declared here", e.Name)
		return
	}
	if allocatable || l.deferred[e.Name] {
		l.declareAllocatable(s, e.Dims, e.Pos)
		return
	}
	l.setDims(s, e.Dims, e.Pos)
}

// commonDims declares the names in COMMON, some of which get their dimensions there.
func (l *lowerer) commonDims(c *ast.Common) {
	for _, b := range c.Blocks {
		for i := range b.Entities {
			e := &b.Entities[i]
			switch {
			case len(e.Dims) > 0:
				l.dimension(e, false)
			case l.names[e.Name] == nil:
				l.retype(l.newSymbol(e.Name, e.Pos), e.Name)
			}
		}
	}
}

// setDims makes s an array.
func (l *lowerer) setDims(s *ir.Symbol, dims []ast.DimSpec, pos source.Pos) {
	if s.IsArray() {
		l.errorf(codeDuplicate, pos, "the dimensions of %s are declared twice", s.Source())
		return
	}
	if len(dims) > 7 {
		l.errorf(codeOutside, pos, "%s has %d dimensions, Fortran allows 7", s.Source(), len(dims))
	}
	ok := true
	if b := l.binding; b != nil {
		if mentionsAny(dims, l.commonNames) {
			l.postponed = append(l.postponed, func() { l.setDims(s, dims, pos) })
			return
		}
		if d := b.bySym[s]; d != nil {
			b.setShape(d, dims)
			return
		}
		if s.Dims, ok = b.localBounds(dims, s.Source(), s); s.IsOpen() {
			return
		}
	} else {
		s.Dims, ok = l.bounds(dims, "the bounds of array "+s.Source())
	}
	if ok = ok && l.inReach(s.Dims, dims, "array "+s.Source()); !ok {
		l.unbounded[s] = true
		return
	}
	size := 1.0
	for _, b := range s.Dims {
		size *= float64(b.Extent())
	}
	if size > maxElements {
		l.errorf(codeLarge, pos, "array %s has %.3g elements, more than the %d that can be handled", s.Source(), size, maxElements).
			WithHelp("check its bounds (%s)", ir.BoundsString(s.Dims))
	}
}

// namesInCommon are the names in the COMMON blocks of a specification part. An array bound
// that mentions one is evaluated when the names have their storage, which another unit may
// have declared.
func namesInCommon(spec []ast.Stmt) map[string]source.Pos {
	names := map[string]source.Pos{}
	for _, s := range spec {
		if c, ok := s.(*ast.Common); ok {
			for _, b := range c.Blocks {
				for _, e := range b.Entities {
					names[e.Name] = e.Pos
				}
			}
		}
	}
	return names
}

// mentionsAny reports whether a bound mentions one of the names.
func mentionsAny(dims []ast.DimSpec, names map[string]source.Pos) bool {
	return slices.ContainsFunc(dims, func(d ast.DimSpec) bool {
		return d.Lo != nil && mentionsDummy(d.Lo, names) || d.Hi != nil && mentionsDummy(d.Hi, names)
	})
}

// bounds evaluates constant bounds; one in error becomes 1 and ok false.
func (l *lowerer) bounds(dims []ast.DimSpec, what string) (list []ir.Bound, ok bool) {
	list, ok = make([]ir.Bound, len(dims)), true
	for i, d := range dims {
		b := ir.Bound{Lo: 1, Hi: 1}
		if d.Lo != nil {
			lo, good := l.constInt(d.Lo, what)
			b.Lo, ok = lo, ok && good
		}
		switch {
		case d.Hi == nil || isStar(d.Hi):
			l.errorf(codeOutside, d.Pos, "%s must have constant upper bounds", what).
				WithHelp("declare the largest size as a PARAMETER and work on a part of the array, or make the array ALLOCATABLE")
			ok = false
		default:
			hi, good := l.constInt(d.Hi, what)
			b.Hi, ok = hi, ok && good
		}
		list[i] = b
	}
	return list, ok
}

// inReach reports whether the bounds of an array or template, written as dims, are such
// that no arithmetic with positions overflows; if not, it says so.
func (l *lowerer) inReach(bounds []ir.Bound, dims []ast.DimSpec, what string) bool {
	for k, b := range bounds {
		_, okLo := dist.Position(1, b.Lo, 0)
		_, okHi := dist.Position(1, b.Hi, 0)
		if okLo && okHi && b.Extent() <= dist.MaxPosition {
			continue
		}
		l.errorf(codeLarge, dims[k].Pos, "dimension %d of %s is %d:%d; bounds are at most 2**48, and so is an extent", k+1, what, b.Lo, b.Hi).
			WithHelp("check the bounds, or choose nearer ones")
		return false
	}
	return true
}

func isStar(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && (id.Name == "*" || id.Name == ":")
}

// parameter is one "name = value" of a PARAMETER statement.
func (l *lowerer) parameter(e *ast.Entity) {
	s := l.names[e.Name]
	if s == nil && !l.implicitNone {
		s = l.newSymbol(e.Name, e.Pos)
		l.retype(s, e.Name)
	} else if s == nil {
		s = l.symbol(e.Name, e.Pos)
	}
	switch {
	case l.dummies[e.Name] != nil || l.used[e.Name]:
		l.errorf(codeDuplicate, e.Pos, "%s cannot become a PARAMETER here", e.Name).WithHelp("give the PARAMETER another name")
	case s.Param:
		l.errorf(codeDuplicate, e.Pos, "PARAMETER %s has a value already", e.Name).
			WithNote(s.Pos, "%s was declared here", e.Name)
	case s.Type == ir.Invalid: // reported
	default:
		declared := len(l.unsized)
		l.unsized = slices.DeleteFunc(l.unsized, func(u *ast.Entity) bool { return u.Name == e.Name })
		l.setParameter(s, e, len(l.unsized) < declared)
	}
}

// setParameter makes s a named constant.
func (l *lowerer) setParameter(s *ir.Symbol, e *ast.Entity, assumed bool) {
	if s.IsArray() {
		l.parameterArray(s, e, assumed)
		return
	}
	s.Param = true
	value := l.constant(e.Init, "the value of PARAMETER "+s.Name)
	if value == nil {
		s.Type = ir.Invalid
		return
	}
	if assumed && value.Typ == ir.Character {
		s.Len = len(value.Str)
	}
	if s.Type == ir.Character && s.Len > maxText {
		l.longText(e.Pos, s.Len)
		s.Type = ir.Invalid
		return
	}
	s.Init = l.constantFor(s, value)
	if s.Init == nil {
		s.Type = ir.Invalid
	} else if s.Type == ir.Character {
		padded := *s.Init.(*ir.Const)
		padded.Str = pad(padded.Str, s.Len)
		s.Init = &padded
	}
}

// parameterArray makes s an array of constants.
func (l *lowerer) parameterArray(s *ir.Symbol, e *ast.Entity, assumed bool) {
	if s.Values != nil || s.Init != nil {
		l.errorf(codeDuplicate, e.Pos, "PARAMETER %s has a value already", e.Name)
		return
	}
	if assumed {
		s.Len = l.constantLength(e.Init)
	}
	l.initial(s, e.Init)
	if s.Values == nil && s.Init == nil {
		s.Type = ir.Invalid
		return
	}
	l.constants[s], l.readOnly[s] = true, e.Name+" is a PARAMETER"
	if l.scope.unit.Kind.IsProcedure() {
		l.saved(e.Name, s)
	}
}

func (l *lowerer) longText(pos source.Pos, length int) {
	l.errorf(codeLarge, pos, "a CHARACTER constant of %d characters, the most is %d", length, maxText).
		WithHelp("make it a variable, and assign the text to it")
}

// constantFor converts value to the type of s as an assignment does. A text keeps its
// length: it is fitted to s when it is assigned.
func (l *lowerer) constantFor(s *ir.Symbol, value *ir.Const) ir.Expr {
	if !l.assignable(s.Type, value, s.Name) {
		return nil
	}
	c, _ := l.convert(value, s.Type).(*ir.Const)
	if c == nil {
		return nil
	}
	return c
}

// pad fits text to n characters as Fortran assignment does.
func pad(text string, n int) string {
	if n < 0 { // a deferred length, which is an error where a value is
		return text
	}
	if len(text) >= n {
		return text[:n]
	}
	return text + strings.Repeat(" ", n-len(text))
}

// constant evaluates a constant expression, or reports and returns nil.
func (l *lowerer) constant(e ast.Expr, what string) *ir.Const {
	x := l.expr(e)
	if isBad(x) {
		return nil
	}
	c, ok := x.(*ir.Const)
	if n := l.charLen(x); !ok && n > maxText && firstVariable(x) == nil {
		l.longText(e.Position(), n)
		return nil
	}
	if !ok {
		d := l.errorf(codeNotConstant, e.Position(), "%s must be a constant expression", what)
		if s := firstVariable(x); s != nil {
			d.WithNote(s.Pos, "%s is a variable", s.Source()).WithHelp("make %s a PARAMETER", s.Source())
		}
		return nil
	}
	return c
}

// constInt evaluates a constant INTEGER expression.
func (l *lowerer) constInt(e ast.Expr, what string) (int, bool) {
	c := l.constant(e, what)
	if c == nil {
		return 1, false
	}
	if !c.Typ.IsInteger() {
		l.errorf(codeType, e.Position(), "%s must be INTEGER, not %s", what, c.Typ)
		return 1, false
	}
	return c.Int, true
}

func firstVariable(e ir.Expr) (found *ir.Symbol) {
	ir.WalkExpr(e, func(e ir.Expr) bool {
		if found == nil {
			switch e := e.(type) {
			case *ir.Var:
				found = e.Sym
			case *ir.Ref:
				found = e.Sym
			}
		}
		return found == nil
	})
	return found
}

// checkDeclared reports names that have dimensions but, under IMPLICIT NONE,
// no type.
func (l *lowerer) checkDeclared() {
	if !l.implicitNone {
		return
	}
	for _, s := range l.prog.Symbols {
		if s.Temp || s.Site != l.scope.site || !l.owns(s) {
			continue
		}
		if _, ok := l.typed[s]; !ok && l.scope.binding.of(s) == nil {
			l.errorf(codeUndeclared, s.Pos, "%s has dimensions but no type", s.Source()).
				WithHelp("declare it, as in: %s :: %s", typeWord(l.implicitType(s.Source())), s.Source())
		}
	}
}

// typeWord is t as a declaration spells it.
func typeWord(t ir.Type) string {
	switch t {
	case ir.Integer:
		return "integer"
	case ir.Byte, ir.Short, ir.Logical1, ir.Logical2, ir.Logical8:
		return strings.ToLower(t.String())
	case ir.Long:
		return "integer(8)"
	case ir.Real:
		return "real"
	case ir.Double:
		return "real(8)"
	case ir.Complex:
		return "complex"
	case ir.DoubleComplex:
		return "complex(8)"
	case ir.Logical:
		return "logical"
	}
	return "character(len=80)"
}
