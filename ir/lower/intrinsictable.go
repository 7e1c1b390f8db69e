package lower

import (
	"maps"
	"strings"

	"github.com/spmdc/spmdc/ir"
)

// intrinsics is the table of intrinsic functions by the name that the source
// uses, generic and specific. Inquiry functions, whose arguments are not
// evaluated, are in inquiries.
var intrinsics = makeIntrinsics()

// ofModules are the intrinsic functions that only a USE of their module makes known.
var ofModules = map[string]bool{}

func makeIntrinsics() map[string]intrinsicFunc {
	m := map[string]intrinsicFunc{}
	for _, module := range []map[string]intrinsicFunc{ieeeFunctions, environmentFunctions, spmdFunctions} {
		maps.Copy(m, module)
		for name := range module {
			ofModules[name] = true
		}
	}
	def := func(name, params string, build func(*lowerer, *call) ir.Expr) {
		m[name] = intrinsicFunc{strings.Fields(params), build}
	}

	m["isnan"] = m["ieee_is_nan"] // an extension of gfortran

	// Functions of one real argument, with their specific names.
	for _, name := range strings.Fields("sqrt exp log log10 sin cos tan asin acos atan sinh cosh tanh") {
		def(name, "x", same(name, realTypes))
		if name != "log10" && name != "atan2" {
			def(name, "x", orComplex(name, same(name, realTypes)))
		}
		def("d"+name, "x", same(name, onlyDouble))
	}
	for _, name := range strings.Fields("asinh acosh atanh") {
		def(name, "x", orComplex(name, same(name, realTypes)))
	}
	for _, name := range strings.Fields("erf erfc erfc_scaled gamma log_gamma bessel_j0 bessel_j1 bessel_y0 bessel_y1") {
		def(name, "x", same(name, realTypes))
	}
	def("hypot", "x y", alike(same("hypot", realTypes)))
	for _, name := range []string{"bessel_jn", "bessel_yn"} {
		def(name, "n x", modelFunction(name, 1))
	}
	oneAngle, twoSides := m["atan"].build, alike(same("atan2", realTypes))
	def("atan", "x x2?", func(l *lowerer, c *call) ir.Expr {
		if c.args[1] == nil {
			one := *c
			one.args = c.args[:1]
			return oneAngle(l, &one)
		}
		return twoSides(l, c)
	})
	degreeIntrinsics(def)
	def("alog", "x", same("log", onlyReal))
	def("alog10", "x", same("log10", onlyReal))
	def("atan2", "y x", alike(same("atan2", realTypes)))
	def("datan2", "y x", same("atan2", onlyDouble))

	// Functions of numbers that give the type of their arguments.
	for _, f := range []struct{ generic, params, integer, real, double string }{
		{"abs", "a", "iabs", "", "dabs"},
		{"mod", "a p", "", "amod", "dmod"},
		{"modulo", "a p", "", "", ""},
		{"sign", "a b", "isign", "", "dsign"},
		{"dim", "x y", "idim", "", "ddim"},
		{"max", "a1 a2 *", "max0", "amax1", "dmax1"},
		{"min", "a1 a2 *", "min0", "amin1", "dmin1"},
	} {
		build := same(f.generic, orderedTypes)
		switch f.generic {
		case "max", "min":
			build = orTexts(f.generic, build)
		case "sign":
			build = alike(build)
		case "abs":
			build = orComplex("abs", build)
		}
		def(f.generic, f.params, build)
		for name, only := range map[string]typeSet{f.integer: onlyInteger, f.real: onlyReal, f.double: onlyDouble} {
			if name != "" {
				def(name, f.params, same(f.generic, only))
			}
		}
	}
	// AMAX0 and MAX1 compare in one type and give the other.
	for _, g := range []string{"max", "min"} {
		def("a"+g+"0", "a1 a2 *", then(same(g, onlyInteger), ir.Real))
		def(g+"1", "a1 a2 *", then(same(g, onlyReal), ir.Integer))
	}

	// Conversions.
	def("int", "a kind?", conversion(ir.Integer, numericTypes))
	def("ifix", "a", conversion(ir.Integer, onlyReal))
	def("idint", "a", conversion(ir.Integer, onlyDouble))
	def("real", "a kind?", conversion(ir.Real, numericTypes))
	def("float", "a", conversion(ir.Real, onlyInteger))
	def("sngl", "a", conversion(ir.Real, onlyDouble))
	def("dble", "a", conversion(ir.Double, numericTypes))
	def("dfloat", "a", conversion(ir.Double, onlyInteger))
	def("dprod", "x y", productDouble)
	complexIntrinsics(def)

	// Rounding.
	for _, name := range strings.Fields("nint floor ceiling") {
		def(name, "a kind?", rounding(name, ir.Integer, realTypes))
	}
	def("idnint", "a", rounding("nint", ir.Integer, onlyDouble))
	def("aint", "a kind?", rounding("aint", ir.Real, realTypes))
	def("dint", "a", rounding("aint", ir.Real, onlyDouble))
	def("anint", "a kind?", rounding("anint", ir.Real, realTypes))
	def("dnint", "a", rounding("anint", ir.Real, onlyDouble))

	// The model of real numbers.
	for _, name := range strings.Fields("fraction spacing rrspacing exponent") {
		def(name, "x", modelFunction(name, 0))
	}
	def("nearest", "x s", modelFunction("nearest", 0))
	for _, name := range []string{"scale", "set_exponent"} {
		def(name, "x i", modelFunction(name, 0))
	}

	// Bits.
	for name, f := range bitFunctions {
		m[name] = f
	}

	// CHARACTER.
	def("len_trim", "string", simple("len_trim", ir.Integer, ir.Character))
	def("trim", "string", simple("trim", ir.Character, ir.Character))
	def("adjustl", "string", simple("adjustl", ir.Character, ir.Character))
	def("adjustr", "string", simple("adjustr", ir.Character, ir.Character))
	def("index", "string substring back?", simple("index", ir.Integer, ir.Character, ir.Character, ir.Logical))
	def("scan", "string set back?", simple("scan", ir.Integer, ir.Character, ir.Character, ir.Logical))
	def("lnblnk", "string", simple("len_trim", ir.Integer, ir.Character)) // an extension of gfortran
	def("verify", "string set back?", simple("verify", ir.Integer, ir.Character, ir.Character, ir.Logical))
	def("repeat", "string ncopies", simple("repeat", ir.Character, ir.Character, ir.Integer))
	def("transfer", "source mold", transferFunc)
	def("new_line", "a", newLine)
	def("ichar", "c", codeOf)
	def("iachar", "c", codeOf)
	def("char", "i", characterOf)
	def("achar", "i", characterOf)
	for _, name := range strings.Fields("lge lgt lle llt") {
		def(name, "string_a string_b", simple(name, ir.Logical, ir.Character, ir.Character))
	}

	// The rest.
	def("merge", "tsource fsource mask", mergeFunc)
	def("logical", "l kind?", logicalFunc)
	for name, code := range map[string]int{"is_iostat_end": -1, "is_iostat_eor": -2} {
		def(name, "i", func(l *lowerer, c *call) ir.Expr {
			if !c.args[0].Type().IsInteger() {
				return l.wrong(c, 0, "INTEGER")
			}
			return l.bin(ir.Eq, c.args[0], intConstOf(c.args[0].Type(), code, c.Pos), c.Pos, c.Pos)
		})
	}
	def("selected_char_kind", "name", selectedCharKind)
	def("selected_int_kind", "r", selectedIntKind)
	def("selected_real_kind", "p? r?", selectedRealKind)
	for _, name := range []string{"command_argument_count", "iargc"} {
		def(name, "", func(l *lowerer, c *call) ir.Expr { return l.argumentCount(c.Pos) })
	}
	def("image_status", "image", func(l *lowerer, c *call) ir.Expr { return l.imageStatus(c) })
	def("number_of_processors", "dim?", func(l *lowerer, c *call) ir.Expr {
		if c.args[0] != nil {
			if n, ok := constOf(c.args[0]); !ok || n != 1 {
				l.errorf(codeArgument, c.Pos, "DIM of number_of_processors must be the constant 1: the processors are in one line").
					WithHelp("write number_of_processors()")
				return bad(c.Pos)
			}
			c.args = nil
		}
		return c.result("number_of_processors", ir.Integer)
	})
	for name := range inquiries {
		def(name, "x", nil)
	}
	return m
}

// typeSet is the types that an argument may have.
type typeSet struct {
	has  func(ir.Type) bool
	want string
}

var (
	numericTypes = typeSet{ir.Type.IsNumeric, "numeric"}
	orderedTypes = typeSet{ir.Type.IsOrdered, "INTEGER or REAL"}
	realTypes    = typeSet{ir.Type.IsReal, "REAL or DOUBLE PRECISION"}
	onlyInteger  = typeSet{ir.Type.IsInteger, "INTEGER"}
	onlyReal     = typeSet{func(t ir.Type) bool { return t == ir.Real }, "REAL"}
	onlyDouble   = typeSet{func(t ir.Type) bool { return t == ir.Double }, "DOUBLE PRECISION"}
)

// same builds a function whose arguments have one type, which is that of the
// result. REAL and DOUBLE PRECISION may be mixed; INTEGER and REAL may not.
func same(generic string, types typeSet) func(*lowerer, *call) ir.Expr {
	return func(l *lowerer, c *call) ir.Expr {
		typ := c.args[0].Type()
		for i, a := range c.args {
			t := a.Type()
			if !types.has(t) {
				return l.badArgument(c, i, generic, types)
			}
			if t.IsInteger() != c.args[0].Type().IsInteger() {
				l.errorf(codeArgument, a.Position(), "%s mixes %s and %s", c.name, c.args[0].Type(), t).
					WithHelp("convert one argument, as in real(%s) or int(...)", "i")
				return bad(c.Pos)
			}
			typ = max(typ, t)
		}
		args := make([]ir.Expr, len(c.args))
		for i, a := range c.args {
			args[i] = l.convert(a, typ)
		}
		return l.foldCall(c.result(generic, typ, args...))
	}
}

// alike builds a function whose two arguments are to have the same kind.
func alike(build func(*lowerer, *call) ir.Expr) func(*lowerer, *call) ir.Expr {
	return func(l *lowerer, c *call) ir.Expr {
		a, b := c.args[0], c.args[1]
		if ta, tb := a.Type(), b.Type(); ta != tb && ta.IsNumeric() && tb.IsNumeric() {
			l.errorf(codeArgument, b.Position(), "%s mixes %s and %s", c.name, ta, tb).WithHelp("convert one argument, as in dble(...) or int(...)")
			return bad(c.Pos)
		}
		return build(l, c)
	}
}

// badArgument reports argument i, with the remedy that fits: a conversion, or
// the generic name in place of the specific one.
func (l *lowerer) badArgument(c *call, i int, generic string, types typeSet) ir.Expr {
	t := c.args[i].Type()
	x := l.wrong(c, i, types.want)
	d := l.diags.Diags[len(l.diags.Diags)-1]
	switch text := ir.ExprString(c.args[i]); {
	case t.IsNumeric() && generic != c.name && (!t.IsInteger() || intrinsicTakesInteger[generic]):
		d.WithHelp("use the generic name %s", generic)
	case t.IsInteger():
		d.WithHelp("write %s(dble(%s)) or %s(real(%s))", generic, text, generic, text)
	}
	return x
}

var intrinsicTakesInteger = map[string]bool{"abs": true, "mod": true, "modulo": true, "sign": true, "dim": true, "max": true, "min": true}

// then converts what build makes.
func then(build func(*lowerer, *call) ir.Expr, t ir.Type) func(*lowerer, *call) ir.Expr {
	return func(l *lowerer, c *call) ir.Expr { return l.convert(build(l, c), t) }
}

// simple builds a function with fixed argument types, where Integer stands for both
// kinds; the last ones may be absent.
func simple(generic string, result ir.Type, types ...ir.Type) func(*lowerer, *call) ir.Expr {
	return func(l *lowerer, c *call) ir.Expr {
		var args []ir.Expr
		for i, a := range c.args {
			if a == nil {
				break
			}
			if t := a.Type(); t != types[i] && !(t.IsInteger() && types[i].IsInteger()) && !(t.IsLogical() && types[i].IsLogical()) {
				return l.wrong(c, i, types[i].String())
			}
			args = append(args, a)
		}
		return l.foldCall(c.result(generic, result, args...))
	}
}

// modelFunction builds a function of the real number in argument at, whose other argument, if
// any, is an INTEGER, or a real number of either kind for NEAREST.
func modelFunction(name string, at int) func(*lowerer, *call) ir.Expr {
	return func(l *lowerer, c *call) ir.Expr {
		for i, a := range c.args {
			switch real := i == at || name == "nearest"; {
			case real && !a.Type().IsReal():
				return l.wrong(c, i, "REAL or DOUBLE PRECISION")
			case !real && !a.Type().IsInteger():
				return l.wrong(c, i, "INTEGER")
			}
		}
		if k, ok := c.args[len(c.args)-1].(*ir.Const); ok && name == "nearest" && k.Float == 0 {
			l.errorf(codeArgument, c.args[1].Position(), "argument s of nearest is 0").WithHelp("a positive s is for the next number above x, a negative one for that below")
			return bad(c.Pos)
		}
		typ := c.args[at].Type()
		if name == "exponent" {
			typ = ir.Integer
		}
		return l.foldCall(c.result(name, typ, c.args...))
	}
}

// logicalFunc is LOGICAL.
func logicalFunc(l *lowerer, c *call) ir.Expr {
	if !c.args[0].Type().IsLogical() {
		return l.wrong(c, 0, "LOGICAL")
	}
	to, ok := l.ofKindArgument(ir.Logical, c)
	if !ok {
		return bad(c.Pos)
	}
	return l.regroup(l.convert(c.args[0], to), c)
}

// ofKindArgument is type t, INTEGER, REAL, COMPLEX or LOGICAL, of the kind that the optional kind argument asks for; ok is
// false after an error.
func (l *lowerer) ofKindArgument(t ir.Type, c *call) (of ir.Type, ok bool) {
	kind, ok := l.kindArgument(c)
	if !ok {
		return t, false
	}
	want := "4 or 8"
	switch {
	case t.IsInteger():
		of, ok = integerOf(kind)
		want = "1, 2, 4 or 8"
	case t.IsLogical():
		of, ok = logicalOf(kind)
		want = "1, 2, 4 or 8"
	default:
		of, ok = ofBytes(kind, t, ir.Real, ir.Double)
	}
	if !ok {
		l.errorf(codeArgument, c.args[1].Position(), "the kind argument of %s must be the constant %s", c.name, want)
	}
	return of, ok
}

// kindArgument evaluates the optional kind argument, 0 where it is absent.
func (l *lowerer) kindArgument(c *call) (kind int, ok bool) {
	if len(c.args) < 2 || c.args[1] == nil {
		return 0, true
	}
	k, isConst := c.args[1].(*ir.Const)
	if !isConst || !k.Typ.IsInteger() || k.Int < 1 {
		l.errorf(codeArgument, c.args[1].Position(), "the kind argument of %s must be a constant kind", c.name)
		return 0, false
	}
	return k.Int, true
}

// conversion builds INT, REAL, DBLE and their specific forms.
func conversion(to ir.Type, types typeSet) func(*lowerer, *call) ir.Expr {
	return func(l *lowerer, c *call) ir.Expr {
		a := c.args[0]
		if !types.has(a.Type()) {
			return l.wrong(c, 0, types.want)
		}
		of, ok := l.ofKindArgument(to, c)
		if !ok {
			return bad(c.Pos)
		}
		if (len(c.args) < 2 || c.args[1] == nil) && to == ir.Real && a.Type().IsComplex() && c.name == "real" {
			return l.regroup(l.convert(a, a.Type().Part()), c)
		}
		return l.regroup(l.convert(a, of), c)
	}
}

// regroup makes a new node for x at the place of c, so that the value of a
// function call is not reassociated with what surrounds it.
func (l *lowerer) regroup(x ir.Expr, c *call) ir.Expr {
	switch x := x.(type) {
	case *ir.Const:
		k := *x
		k.Pos = c.Pos
		return &k
	case *ir.Conv:
		x.Pos = c.Pos
		return x
	}
	if isBad(x) {
		return x
	}
	return &ir.Un{X: ir.X{Pos: c.Pos, Typ: x.Type()}, Op: ir.Group, E: x}
}

// rounding builds NINT, FLOOR, CEILING (to INTEGER) and AINT, ANINT, which
// keep the type of their argument unless a kind is given.
func rounding(generic string, to ir.Type, types typeSet) func(*lowerer, *call) ir.Expr {
	return func(l *lowerer, c *call) ir.Expr {
		a := c.args[0]
		if !types.has(a.Type()) {
			return l.badArgument(c, 0, generic, types)
		}
		if to != ir.Integer {
			to = a.Type()
		}
		of, ok := l.ofKindArgument(to, c)
		if !ok {
			return bad(c.Pos)
		}
		if to == ir.Integer {
			return l.foldCall(c.result(generic, of, a))
		}
		return l.convert(l.foldCall(c.result(generic, to, a)), of)
	}
}

// productDouble is DPROD: the product of two REAL as DOUBLE PRECISION.
func productDouble(l *lowerer, c *call) ir.Expr {
	for i, a := range c.args {
		if a.Type() != ir.Real {
			return l.wrong(c, i, "REAL")
		}
	}
	x := l.bin(ir.Mul, l.convert(c.args[0], ir.Double), l.convert(c.args[1], ir.Double), c.Pos, c.Pos)
	return l.regroup(x, c)
}

// mergeFunc is MERGE: both values have one type, as the result.
func mergeFunc(l *lowerer, c *call) ir.Expr {
	t, f, mask := c.args[0], c.args[1], c.args[2]
	if t.Type() != f.Type() {
		return l.wrong(c, 1, t.Type().String()+" as argument tsource")
	}
	if !mask.Type().IsLogical() {
		return l.wrong(c, 2, "LOGICAL")
	}
	if m, n := l.charLen(t), l.charLen(f); t.Type() == ir.Character && m >= 0 && n >= 0 && m != n {
		l.errorf(codeArgument, f.Position(), "merge has texts of %d and %s, they must have the same length", m, count(n, "character")).
			WithHelp("fill the shorter one with blanks")
		return bad(c.Pos)
	}
	return l.foldCall(c.result("merge", t.Type(), t, f, mask))
}

// characterOf is CHAR and ACHAR.
func characterOf(l *lowerer, c *call) ir.Expr {
	if n, ok := constOf(c.args[0]); ok && c.args[0].Type() == ir.Integer && (n < 0 || n > 255) {
		l.errorf(codeArgument, c.args[0].Position(), "there is no character %d", n).WithHelp("%s takes 0 to 255", c.name)
		return bad(c.Pos)
	}
	return simple(c.name, ir.Character, ir.Integer)(l, c)
}

// codeOf is ICHAR and IACHAR, which take one character.
func codeOf(l *lowerer, c *call) ir.Expr {
	if n := l.charLen(c.args[0]); c.args[0].Type() == ir.Character && n >= 0 && n != 1 {
		l.errorf(codeArgument, c.args[0].Position(), "the argument of %s has %s, it must have one", c.name, count(n, "character")).
			WithHelp("take one of them, as in %s(c(1:1))", c.name)
		return bad(c.Pos)
	}
	return simple(c.name, ir.Integer, ir.Character)(l, c)
}

// newLine is NEW_LINE of a text.
func newLine(l *lowerer, c *call) ir.Expr {
	if c.args[0].Type() != ir.Character {
		return l.wrong(c, 0, "CHARACTER")
	}
	return &ir.Const{X: ir.X{Pos: c.Pos, Typ: ir.Character}, Str: "\n"}
}

// orTexts is MAX or MIN of CHARACTER arguments, by merge of two at a time: the result is as
// long as the longest.
func orTexts(name string, build func(*lowerer, *call) ir.Expr) func(*lowerer, *call) ir.Expr {
	return func(l *lowerer, c *call) ir.Expr {
		if c.args[0].Type() != ir.Character {
			return build(l, c)
		}
		longest := 0
		for i, a := range c.args {
			n := l.charLen(a)
			if a.Type() != ir.Character || n < 0 {
				return l.wrong(c, i, "CHARACTER of a constant length")
			}
			longest = max(longest, n)
		}
		op := ir.Gt
		if name == "min" {
			op = ir.Lt
		}
		pos := c.Pos
		best := c.args[0]
		for _, a := range c.args[1:] {
			better := l.foldBinary(&ir.Bin{X: ir.X{Pos: pos, Typ: ir.Logical}, Op: op, L: ir.Clone(a), R: ir.Clone(best)}, pos)
			best = &ir.Call{X: ir.X{Pos: pos, Typ: ir.Character}, Name: "merge", Args: []ir.Expr{a, best, better}}
		}
		return &ir.Call{X: ir.X{Pos: pos, Typ: ir.Character}, Name: "pad", Args: []ir.Expr{best, intConstOf(ir.Long, longest, pos)}}
	}
}
