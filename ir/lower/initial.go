package lower

import (
	"maps"
	"math"
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// Initial values, of declarations and of DATA. A scalar has one, in Init. An array has one
// for every element in Init, or runs of them in Values.

// maxValues bounds the different initial values of a statement.
const maxValues = 1 << 24

// saveStmts takes the SAVE statements of the unit in hand: its variables are the same in
// all calls.
func (l *lowerer) saveStmts() {
	for _, s := range l.saves {
		if len(s.Names)+len(s.Blocks) == 0 {
			l.saveAll = true
			for _, name := range slices.Sorted(maps.Keys(l.names)) {
				l.savedByAll(name, l.names[name])
			}
		}
		for _, n := range s.Names {
			sym := l.names[n.Name]
			switch {
			case l.dummies[n.Name] != nil || sym != nil && sym.Param:
				l.errorf(codeDeclaration, n.Pos, "SAVE of %s, which is no variable of this unit", n.Name).WithHelp("remove it from the list")
			case sym == nil:
				sym = l.symbol(n.Name, n.Pos)
				fallthrough
			default:
				l.saved(n.Name, sym)
			}
		}
	}
}

// savedByAll is the variable that name means where a SAVE without names may hold.
func (l *lowerer) savedByAll(name string, s *ir.Symbol) *ir.Symbol {
	if !l.saveAll || s.Temp || l.dummies[name] != nil || l.used[name] || s.Local == "" || l.loose[s] || name == resultName(l.scope.unit) {
		return s
	}
	return l.saved(name, s)
}

// dataOf is the DATA statement for "i / 5 /" in a declaration.
func dataOf(e *ast.Entity) *ast.Data {
	id := &ast.Ident{XBase: ast.XBase{Pos: e.Pos, End: e.Pos}, Name: e.Name}
	return &ast.Data{Base: ast.Base{Pos: e.Pos}, Sets: []ast.DataSet{{Objects: []ast.Expr{id}, Values: e.Data}}}
}

// dataStmts takes the DATA statements of the unit in hand.
func (l *lowerer) dataStmts() {
	for _, s := range l.data {
		for i := range s.Sets {
			d := &dataSet{l: l, pos: s.Pos, values: s.Sets[i].Values}
			ok := true
			for _, x := range s.Sets[i].Objects {
				ok = ok && d.object(x)
			}
			if n := d.left(); ok && n > 0 {
				l.errorf(codeDeclaration, d.at(), "DATA has %s more than variables", count(n, "value")).
					WithHelp("remove the values, or name the variables that have them")
			}
		}
	}
}

// dataSet is a list of values that a list of variables gets.
type dataSet struct {
	l      *lowerer
	pos    source.Pos
	values []ast.DataValue
	next   int       // the value in hand
	value  *ir.Const // that, nil before it has been lowered
	used   int       // how often it has been taken
	repeat int
}

// at is where the value in hand stands.
func (d *dataSet) at() source.Pos {
	if d.next < len(d.values) {
		return d.values[d.next].X.Position()
	}
	return d.pos
}

// load lowers the value in hand; ok is false at the end of the list and after an error,
// which has been reported.
func (d *dataSet) load(what string) (ok bool) {
	l := d.l
	for d.value == nil {
		if d.next == len(d.values) {
			l.errorf(codeDeclaration, d.pos, "DATA has no value for %s", what).WithHelp("add values, as in: 10*0.0")
			return false
		}
		v := &d.values[d.next]
		d.used, d.repeat = 0, 1
		if v.Repeat != nil {
			n, ok := l.constInt(v.Repeat, "a repeat count")
			if !ok {
				return false
			}
			if n < 0 {
				l.errorf(codeDeclaration, v.Repeat.Position(), "a repeat count is %d, it must not be negative", n)
				return false
			}
			d.repeat = n
		}
		if d.repeat == 0 {
			d.next++
			continue
		}
		if bits, ok := bitConstant(v.X); ok { // take gives it the type of the variable
			d.value = fromBits(bits, ir.Long, v.X.Position())
		} else if d.value = l.constant(v.X, "a value of DATA"); d.value == nil {
			return false
		}
	}
	return true
}

// take takes the value in hand for up to most variables of type t, and returns how many
// it is for: none after an error.
func (d *dataSet) take(s *ir.Symbol, most int) (*ir.Const, int) {
	if !d.load(s.Source()) {
		return nil, 0
	}
	x := d.values[d.next].X
	value := d.value
	h := hollerith(x)
	bits, isBits := bitConstant(x)
	switch {
	case isBits && !s.Type.IsInteger():
		d.l.errorf(codeDeclaration, x.Position(), "%s is %s, and gets a constant of bits", s.Source(), s.Type).
			WithHelp("write a number; bits are for INTEGER variables")
		return nil, 0
	case isBits:
		value = fromBits(bits, s.Type, x.Position())
	case h != nil && s.Type != ir.Character:
		value = fromText(h.Value, s.Type, h.Pos)
	}
	c, _ := d.l.constantFor(s, value).(*ir.Const)
	if c == nil {
		return nil, 0
	}
	n := min(most, d.repeat-d.used)
	if d.used += n; d.used == d.repeat {
		d.next, d.value = d.next+1, nil
	}
	return c, n
}

// left is how many values have not been taken.
func (d *dataSet) left() int {
	n := 0
	if d.value != nil {
		n = d.repeat - d.used
		d.next++
	}
	for ; d.next < len(d.values); d.next++ {
		if r, ok := d.values[d.next].Repeat.(*ast.IntLit); !ok || r.Text != "0" {
			n++
		}
	}
	return n
}

// object gives the variable, array, section, element, substring or implied DO x its values.
func (d *dataSet) object(x ast.Expr) bool {
	l := d.l
	switch x := x.(type) {
	case *ast.Ident:
		s := d.variable(x.Name, x.Pos)
		if s == nil {
			return false
		}
		if !isArray(s) {
			return d.elements(s, 0, 1)
		}
		size := 1
		for _, b := range s.Dims {
			size *= b.Extent()
		}
		return d.elements(s, 0, size)
	case *ast.Index:
		s := d.variable(x.Name, x.Pos)
		if s == nil {
			return false
		}
		places, ok := d.places(s, x)
		for _, at := range places {
			ok = ok && d.elements(s, at, 1)
		}
		return ok
	case *ast.Substring:
		return d.substring(x)
	case *ast.ImpliedDo:
		return d.loop(x)
	}
	l.errorf(codeOutside, x.Position(), "this cannot stand in DATA").WithHelp("name variables, arrays, elements or substrings")
	return false
}

// elements gives n elements of s from place at on, or scalar s, the next values.
func (d *dataSet) elements(s *ir.Symbol, at, n int) bool {
	for n > 0 {
		c, k := d.take(s, n)
		if c == nil {
			return false
		}
		if !d.l.shared[s] {
			d.l.setInitial(s, at, k, c, d.pos)
		}
		at, n = at+k, n-k
	}
	return true
}

// variable is the variable called name, which DATA saves; nil after an error.
func (d *dataSet) variable(name string, pos source.Pos) *ir.Symbol {
	l := d.l
	s := l.names[name]
	switch {
	case l.dummies[name] != nil:
		l.errorf(codeDeclaration, pos, "the dummy argument %s cannot have an initial value", name).WithHelp("assign it")
		return nil
	case l.used[name]:
		l.errorf(codeDeclaration, pos, "%s comes from a module, and its initial value with it", name).WithHelp("give it the value in the module")
		return nil
	case s == nil:
		s = l.symbol(name, pos)
	}
	switch {
	case s.Type == ir.Invalid || l.unbounded[s]:
		return nil
	case s.Param:
		l.errorf(codeType, pos, "%s is a PARAMETER and cannot have another value", name).WithNote(s.Pos, "%s was declared here", name)
		return nil
	case l.loose[s]:
		l.errorf(codeDeclaration, pos, "%s cannot have an initial value: its bounds depend on arguments", name).WithHelp("assign it")
		return nil
	}
	if base, _ := l.stored(s, 0); l.common[base] && l.scope.unit.Kind != ast.BlockDataUnit && l.scope.unit.Kind != ast.MainUnit {
		l.errorf(codeDeclaration, pos, "%s is in COMMON and gets its initial value in a %s", name, l.scope.unit.Kind).
			WithHelp("give it the value in a BLOCK DATA unit")
		return nil
	}
	return l.saved(name, s)
}

// place is the place of element x of s.
func (d *dataSet) place(s *ir.Symbol, x *ast.Index) (at int, ok bool) {
	places, ok := d.places(s, x)
	if ok && len(places) != 1 {
		d.l.errorf(codeOutside, x.Pos, "a section of %s cannot stand here", s.Source()).WithHelp("name one element")
		return 0, false
	}
	if !ok {
		return 0, false
	}
	return places[0], true
}

// places are those of element or section x of s in array element order, from 0.
func (d *dataSet) places(s *ir.Symbol, x *ast.Index) (at []int, ok bool) {
	l := d.l
	if !isArray(s) || len(x.Args) != len(s.Dims) {
		l.element(s, x) // says what is wrong
		if !isArray(s) {
			l.notArray(x, s)
		}
		return nil, false
	}
	at = []int{0}
	size := 1
	for k, sub := range x.Args {
		b := s.Dims[k]
		lo, hi, step, good := d.subscripts(sub, b)
		if !good {
			return nil, false
		}
		var more []int
		for i := lo; (hi-i)*step >= 0; i += step {
			if i < b.Lo || i > b.Hi {
				l.errorf(codeBounds, sub.Position(), "subscript %d of %s is %d, out of the bounds %d:%d", k+1, s.Source(), i, b.Lo, b.Hi).
					WithNote(s.Pos, "%s was declared here", s.Source())
				return nil, false
			}
			for _, before := range at {
				more = append(more, before+(i-b.Lo)*size)
			}
		}
		at = more
		size *= b.Extent()
	}
	return at, true
}

// subscripts are the values of a subscript in DATA of a dimension with bounds b.
func (d *dataSet) subscripts(sub ast.Expr, b ir.Bound) (lo, hi, step int, ok bool) {
	t, is := sub.(*ast.Triplet)
	if !is {
		lo, ok = d.l.constInt(sub, "a subscript in DATA")
		return lo, lo, 1, ok
	}
	step, ok = 1, true
	if t.Step != nil {
		step, ok = d.l.constInt(t.Step, "the stride of a section in DATA")
	}
	if ok && step == 0 {
		d.l.errorf(codeLoop, t.Pos, "the stride of the section is zero").WithHelp("write a stride other than 0")
		ok = false
	}
	if lo, hi = b.Lo, b.Hi; step < 0 {
		lo, hi = hi, lo
	}
	if t.Lo != nil && ok {
		lo, ok = d.l.constInt(t.Lo, "a bound of a section in DATA")
	}
	if t.Hi != nil && ok {
		hi, ok = d.l.constInt(t.Hi, "a bound of a section in DATA")
	}
	return lo, hi, step, ok
}

// substring gives a part of a CHARACTER variable or element its value.
func (d *dataSet) substring(x *ast.Substring) bool {
	l := d.l
	name, at := "", 0
	var element *ast.Index
	switch base := x.Base.(type) {
	case *ast.Ident:
		name = base.Name
	case *ast.Index:
		name, element = base.Name, base
	}
	s := d.variable(name, x.Pos)
	if s == nil {
		return false
	}
	if isArray(s) && element == nil { // lo:hi of an array of rank 1
		at := x.XBase
		return d.object(&ast.Index{XBase: at, Name: name, Args: []ast.Expr{&ast.Triplet{XBase: at, Lo: x.Lo, Hi: x.Hi}}})
	}
	if s.Type != ir.Character {
		l.errorf(codeType, x.Pos, "%s is %s: only CHARACTER has substrings", name, s.Type)
		return false
	}
	if element != nil {
		var ok bool
		if at, ok = d.place(s, element); !ok {
			return false
		}
	}
	lo, hi, ok := 1, s.Len, true
	if x.Lo != nil {
		lo, ok = l.constInt(x.Lo, "a substring bound")
	}
	if x.Hi != nil && ok {
		hi, ok = l.constInt(x.Hi, "a substring bound")
	}
	if !ok {
		return false
	}
	if lo < 1 || hi > s.Len {
		l.errorf(codeBounds, x.Pos, "the substring leaves the %s of %s", count(s.Len, "character"), name)
		return false
	}
	c, _ := d.take(s, 1)
	if c == nil {
		return false
	}
	if l.shared[s] {
		return true
	}
	text := []byte(pad("", s.Len))
	if old := initialOf(l.stored(s, at)); old != nil {
		copy(text, pad(old.Str, s.Len))
	}
	if lo <= hi {
		copy(text[lo-1:hi], pad(c.Str, hi-lo+1))
	}
	l.replaceInitial(s, at, &ir.Const{X: ir.X{Pos: x.Pos, Typ: ir.Character}, Str: string(text)})
	return true
}

// loop gives the items of an implied DO their values. Its variable is a constant in each
// iteration, and has nothing to do with one of the unit.
func (d *dataSet) loop(x *ast.ImpliedDo) bool {
	l := d.l
	var bound [3]int
	for i, e := range []ast.Expr{x.Lo, x.Hi, x.Step} {
		bound[i] = 1
		if e == nil {
			continue
		}
		var ok bool
		if bound[i], ok = l.constInt(e, "a bound of an implied DO in DATA"); !ok {
			return false
		}
	}
	lo, hi, step := bound[0], bound[1], bound[2]
	if step == 0 {
		l.errorf(codeLoop, x.Pos, "the step of the implied DO is zero").WithHelp("write a step other than 0")
		return false
	}
	outer, was := l.names[x.Var.Name]
	defer func() {
		if delete(l.names, x.Var.Name); was {
			l.names[x.Var.Name] = outer
		}
	}()
	for i := lo; (hi-i)*step >= 0; i += step {
		l.names[x.Var.Name] = &ir.Symbol{Name: x.Var.Name, Pos: x.Var.Pos, Type: ir.Integer, Param: true, Init: l.intConst(i, x.Pos)}
		for _, item := range x.Items {
			if !d.object(item) {
				return false
			}
		}
	}
	return true
}

// setInitial gives n elements of s from place at on, or scalar s, the value c.
func (l *lowerer) setInitial(s *ir.Symbol, at, n int, c *ir.Const, pos source.Pos) {
	s, at = l.stored(s, at)
	if c.Typ.IsComplex() && !s.Type.IsComplex() { // which has the parts
		for k := range n {
			for i, part := range []float64{c.Float, c.Imag} {
				l.setInitial(s, at+2*k+i, 1, &ir.Const{X: ir.X{Pos: c.Pos, Typ: c.Typ.Part()}, Float: part}, pos)
			}
		}
		return
	}
	if c.Typ != s.Type && c.Typ.IsReal() && s.Type.IsInteger() { // which has the bits
		real := c.Float
		c = &ir.Const{X: ir.X{Pos: c.Pos, Typ: s.Type}, Int: int(math.Float64bits(real))}
		if s.Type == ir.Integer {
			c.Int = int(int32(math.Float32bits(float32(real))))
		}
	}
	if s.Type == ir.Character {
		fitted := *c
		fitted.Str = pad(c.Str, s.Len)
		c = &fitted
	}
	if !s.IsArray() {
		if s.Init != nil {
			l.twiceInitial(s, pos)
		}
		s.Init = c
		return
	}
	k, _ := slices.BinarySearchFunc(s.Values, at, func(v ir.Value, at int) int { return v.At - at })
	if s.Init != nil || k > 0 && s.Values[k-1].At+s.Values[k-1].N > at || k < len(s.Values) && s.Values[k].At < at+n {
		l.twiceInitial(s, pos)
		return
	}
	if k > 0 {
		before := &s.Values[k-1]
		if before.At+before.N == at && ir.Same(before.Const, c) {
			before.N += n
			return
		}
	}
	if len(s.Values) >= maxValues {
		if len(s.Values) == maxValues {
			l.errorf(codeLarge, pos, "%s has more than %d initial values", s.Source(), maxValues).WithHelp("compute them, or read them")
		}
		return
	}
	s.Values = slices.Insert(s.Values, k, ir.Value{At: at, N: n, Const: c})
}

func (l *lowerer) twiceInitial(s *ir.Symbol, pos source.Pos) {
	l.errorf(codeDuplicate, pos, "%s gets its initial value twice", s.Source()).
		WithNote(s.Pos, "%s was declared here", s.Source()).WithHelp("remove one of the values")
}

// initialOf is the initial value of element at of s, or of scalar s; nil for none.
func initialOf(s *ir.Symbol, at int) *ir.Const {
	if s.Init != nil {
		c, _ := s.Init.(*ir.Const)
		return c
	}
	k, found := slices.BinarySearchFunc(s.Values, at, func(v ir.Value, at int) int { return v.At - at })
	switch {
	case found:
		return s.Values[k].Const
	case k > 0 && s.Values[k-1].At+s.Values[k-1].N > at:
		return s.Values[k-1].Const
	}
	return nil
}

// replaceInitial gives element at of s, or scalar s, the value c in place of one it may have.
func (l *lowerer) replaceInitial(s *ir.Symbol, at int, c *ir.Const) {
	s, at = l.stored(s, at)
	if !s.IsArray() {
		s.Init = c
		return
	}
	k, found := slices.BinarySearchFunc(s.Values, at, func(v ir.Value, at int) int { return v.At - at })
	if found && s.Values[k].N == 1 {
		s.Values[k].Const = c
		return
	}
	l.setInitial(s, at, 1, c, c.Pos)
}

// hollerith is x as a Hollerith constant, nil if it is none.
func hollerith(x ast.Expr) *ast.StringLit {
	if s, ok := x.(*ast.StringLit); ok && s.Quote == 'h' {
		return s
	}
	return nil
}

// fromText is what a variable of type t holds that has the bytes of text, filled up with
// blanks.
func fromText(text string, t ir.Type, pos source.Pos) *ir.Const {
	size := t.Bytes()
	bits := uint64(0)
	for i, b := range []byte(pad(text, size)) {
		bits |= uint64(b) << (8 * i)
	}
	return fromBits(bits, t, pos)
}

// fromBits is what a variable of type t holds that has these bits.
func fromBits(bits uint64, t ir.Type, pos source.Pos) *ir.Const {
	c := &ir.Const{X: ir.X{Pos: pos, Typ: t}}
	switch t {
	case ir.Byte, ir.Short, ir.Integer, ir.Long:
		c.Int = t.Wrap(int(bits))
	case ir.Real:
		c.Float = float64(math.Float32frombits(uint32(bits)))
	case ir.Double:
		c.Float = math.Float64frombits(bits)
	case ir.Logical1, ir.Logical2, ir.Logical, ir.Logical8:
		c.Bool = bits&1 != 0
	}
	return c
}

// initial gives s the initial value e of its declaration.
func (l *lowerer) initial(s *ir.Symbol, e ast.Expr) {
	what := "the initial value of " + s.Source()
	open := func(n int) bool { _, _, is := ir.Open(n); return is }
	if l.loose[s] || slices.ContainsFunc(s.Dims, func(b ir.Bound) bool { return open(b.Lo) || open(b.Hi) }) {
		l.errorf(codeDeclaration, e.Position(), "the bounds of %s are not constant, and it has an initial value", s.Source()).
			WithHelp("assign it in a statement")
		return
	}
	if s.IsArray() {
		if list, done := l.constantArray(e, what, s); done {
			for at, c := range list {
				l.setInitial(s, at, 1, c, e.Position())
			}
			return
		}
	}
	value := l.constant(e, what)
	if value == nil {
		return
	}
	if h := hollerith(e); h != nil && s.Type != ir.Character {
		value = fromText(h.Value, s.Type, h.Pos)
	}
	s.Init = l.constantFor(s, value)
}
