package lower

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// TRANSFER becomes what one would write for it: values are taken apart into words of 32 bits, which
// are INTEGER(4), or into characters where CHARACTER takes part, and others are made of these.
//
//	x = transfer(l, x)      x = transfer(iand(l, ...)): the lower word of an INTEGER(8)
//	y = transfer(j, y)      y(i) = transfer(ior(j(2*i-1), ishft(j(2*i), 32))) in a loop
//
// The lower word, and the first character, come first. What the source has no bits for is zero.

// maxTransferred bounds of how many characters a value is made that is no copy of another text.
const maxTransferred = 256

// bitsOf says how values of a type are taken apart and made.
type bitsOf struct {
	typ    ir.Type
	length int // of CHARACTER
}

// bytes is how many a value has.
func (b bitsOf) bytes() int {
	if b.typ == ir.Character {
		return b.length
	}
	return b.typ.Bytes()
}

// transferer makes the expressions of one TRANSFER.
type transferer struct {
	l    *lowerer
	pos  source.Pos
	from bitsOf
	to   bitsOf
}

func (t *transferer) call(name string, typ ir.Type, args ...ir.Expr) ir.Expr {
	return t.l.foldCall(&ir.Call{X: ir.X{Pos: t.pos, Typ: typ}, Name: name, Args: args})
}

func (t *transferer) bin(op ir.Op, typ ir.Type, x, y ir.Expr) ir.Expr {
	return t.l.foldBinary(&ir.Bin{X: ir.X{Pos: t.pos, Typ: typ}, Op: op, L: x, R: y}, t.pos)
}

func (t *transferer) int(n int) ir.Expr  { return intConstOf(ir.Integer, n, t.pos) }
func (t *transferer) long(n int) ir.Expr { return intConstOf(ir.Long, n, t.pos) }

// texts reports whether values are taken apart into characters.
func (t *transferer) texts() bool { return t.from.typ == ir.Character || t.to.typ == ir.Character }

// unit is the number of bytes of what values are taken apart into.
func (t *transferer) unit() int {
	if t.texts() || t.from.bytes() < 4 || t.to.bytes() < 4 {
		return 1
	}
	return 4
}

// parts takes x, of the type of the source, apart: into words, or into codes of characters.
func (t *transferer) parts(x ir.Expr) []ir.Expr {
	if t.from.typ == ir.Character {
		var list []ir.Expr
		for k := range t.from.length {
			c := &ir.Substr{X: ir.X{Pos: t.pos, Typ: ir.Character}, Base: ir.Clone(x), Lo: t.int(k + 1), Hi: t.int(k + 1)}
			list = append(list, t.call("ichar", ir.Integer, c))
		}
		return list
	}
	words := t.words(x)
	if t.unit() == 4 {
		return words
	}
	var list []ir.Expr
	for _, w := range words {
		for k := range min(4, t.from.bytes()) {
			list = append(list, t.call("iand", ir.Integer, t.call("ishft", ir.Integer, ir.Clone(w), t.int(-8*k)), t.int(255)))
		}
	}
	return list
}

func (t *transferer) words(x ir.Expr) []ir.Expr {
	switch x.Type() {
	case ir.Real:
		return []ir.Expr{t.call("transfer", ir.Integer, x)}
	case ir.Byte, ir.Short:
		return []ir.Expr{t.l.convert(x, ir.Integer)}
	case ir.Logical1, ir.Logical2, ir.Logical:
		return []ir.Expr{t.call("merge", ir.Integer, t.int(1), t.int(0), x)}
	case ir.Logical8:
		return []ir.Expr{t.call("merge", ir.Integer, t.int(1), t.int(0), x), t.int(0)}
	case ir.Double:
		return t.words(t.call("transfer", ir.Long, x))
	case ir.Long:
		word := func(x ir.Expr) ir.Expr { // the lower word, which has a sign
			const sign = 1 << 31
			x = t.call("ieor", ir.Long, t.call("iand", ir.Long, x, t.long(1<<32-1)), t.long(sign))
			return t.l.convert(t.bin(ir.Sub, ir.Long, x, t.long(sign)), ir.Integer)
		}
		return []ir.Expr{word(ir.Clone(x)), word(t.call("ishft", ir.Long, ir.Clone(x), t.int(-32)))}
	case ir.Complex, ir.DoubleComplex:
		part := x.Type().Part()
		return append(t.words(t.call("real", part, ir.Clone(x))), t.words(t.call("aimag", part, ir.Clone(x)))...)
	}
	return []ir.Expr{x}
}

// made is a value of the type of the result, of parts.
func (t *transferer) made(parts []ir.Expr) ir.Expr {
	n := t.to.bytes() / t.unit()
	for len(parts) < n {
		parts = append(parts, t.int(0))
	}
	if parts = parts[:n]; t.unit() == 4 {
		return t.ofWords(t.to.typ, parts)
	}
	if t.to.typ != ir.Character {
		var words []ir.Expr
		for k := 0; k < len(parts); k += 4 {
			w := parts[k]
			for i := 1; i < min(4, n); i++ {
				w = t.call("ior", ir.Integer, w, t.call("ishft", ir.Integer, parts[k+i], t.int(8*i)))
			}
			words = append(words, w)
		}
		return t.ofWords(t.to.typ, words)
	}
	var out ir.Expr = &ir.Const{X: ir.X{Pos: t.pos, Typ: ir.Character}}
	for k, c := range parts {
		x := t.call("achar", ir.Character, c)
		if k == 0 {
			out = x
			continue
		}
		out = t.bin(ir.Concat, ir.Character, out, x)
	}
	return out
}

func (t *transferer) ofWords(typ ir.Type, w []ir.Expr) ir.Expr {
	switch typ {
	case ir.Real:
		return t.call("transfer", ir.Real, w[0])
	case ir.Byte, ir.Short:
		if n, ok := constOf(w[0]); ok {
			return intConstOf(typ, n, t.pos)
		}
		return t.l.convert(w[0], typ)
	case ir.Logical1, ir.Logical2, ir.Logical, ir.Logical8:
		return t.l.convert(t.bin(ir.Ne, ir.Logical, w[0], t.int(0)), typ)
	case ir.Long:
		low := t.call("iand", ir.Long, t.l.convert(w[0], ir.Long), t.long(1<<32-1))
		return t.call("ior", ir.Long, low, t.call("ishft", ir.Long, t.l.convert(w[1], ir.Long), t.int(32)))
	case ir.Double:
		return t.call("transfer", ir.Double, t.ofWords(ir.Long, w))
	case ir.Complex, ir.DoubleComplex:
		h := len(w) / 2
		return t.call("cmplx", typ, t.ofWords(typ.Part(), w[:h]), t.ofWords(typ.Part(), w[h:]))
	}
	return w[0]
}

// transferFunc is TRANSFER of a scalar to a scalar.
func transferFunc(l *lowerer, c *call) ir.Expr {
	x, like := c.args[0], c.args[1]
	t := &transferer{l: l, pos: c.Pos, from: bitsOf{x.Type(), l.charLen(x)}, to: bitsOf{like.Type(), l.charLen(like)}}
	switch {
	case t.from.typ == t.to.typ && t.from.typ != ir.Character:
		return l.regroup(x, c)
	case !t.known():
		return bad(c.Pos)
	case t.from.typ == ir.Character && t.to.typ == ir.Character:
		return t.call("pad", ir.Character, x, t.long(t.to.length))
	case t.from.typ == ir.Character:
		x = l.fixed(x, "source", c.Pos, &l.prelude)
	}
	return t.made(t.parts(x))
}

// known reports, or says by an error, whether the lengths of texts are constants and small enough.
func (t *transferer) known() bool {
	text := func(b bitsOf) bool { return b.typ == ir.Character }
	what, length := "the result", t.to.length
	if text(t.from) && !text(t.to) {
		what, length = "the source", t.from.length
	}
	switch {
	case !t.texts() || text(t.from) && text(t.to) && length >= 0:
		return true
	case length < 0:
		t.l.errorf(codeOutside, t.pos, "TRANSFER, where the length of %s is not constant", what).WithHelp("use a variable of constant length")
	case length > maxTransferred:
		t.l.errorf(codeOutside, t.pos, "TRANSFER, where %s has %d characters", what, length).WithHelp("at most %d of them are made of numbers: use an array of shorter texts", maxTransferred)
	default:
		return true
	}
	return false
}

// transfersArrays reports whether TRANSFER e has an array as its source, or makes one.
func (l *lowerer) transfersArrays(e *ast.Index) bool {
	for i, a := range e.Args {
		if k, ok := a.(*ast.Keyword); ok && k.Name == "size" || !ok && i == 2 || l.firstPart(a) != nil {
			return true
		}
	}
	return false
}

// makesArray reports whether the value of TRANSFER e is an array.
func makesArray(l *lowerer, e *ast.Index) bool {
	for i, a := range e.Args {
		k, ok := a.(*ast.Keyword)
		if ok && k.Name == "size" || !ok && i == 2 || (ok && k.Name == "mold" || !ok && i == 1) && l.firstPart(a) != nil {
			return true
		}
	}
	return false
}

// elementsFrom is the source of a TRANSFER as a vector.
type elementsFrom struct {
	n  ir.Expr
	at func(i ir.Expr) ir.Expr
}

// transferred lowers TRANSFER with an array as source or value: an array, or a value; neither
// after an error.
func (l *lowerer) transferred(e *ast.Index, pre *[]ir.Stmt) (*argument, ir.Expr) {
	args := l.ordered(e, 2, "source", "mold", "size")
	if args == nil {
		return nil, bad(e.Pos)
	}
	t := &transferer{l: l, pos: e.Pos, to: l.molded(args[1])}
	from, ok := t.source(args[0], pre)
	if !ok || !t.known() {
		return nil, bad(e.Pos)
	}
	if s, r := t.from.bytes(), t.to.bytes(); t.texts() && (t.from.typ == t.to.typ || s%r != 0 && r%s != 0) {
		from = t.characters(from, pre)
	}
	if !makesArray(l, e) {
		return nil, t.one(from)
	}
	var n ir.Expr
	if args[2] != nil {
		if n = l.integer(args[2], "SIZE"); isBad(n) {
			return nil, n
		}
		n = l.atLeast0(n, e.Pos)
	} else {
		all := t.bin(ir.Mul, ir.Long, l.convert(ir.Clone(from.n), ir.Long), t.long(t.from.bytes()))
		n = t.bin(ir.Div, ir.Long, t.bin(ir.Add, ir.Long, all, t.long(t.to.bytes()-1)), t.long(t.to.bytes()))
	}
	return t.array(from, l.convert(l.fixed(n, "size", e.Pos, pre), ir.Long), pre), nil
}

// molded is the type of a MOLD, which is not evaluated.
func (l *lowerer) molded(e ast.Expr) (b bitsOf) {
	l.aside(func() {
		l.elem = nil
		if l.isPart(e) {
			var pre []ir.Stmt
			if a := l.part(e, &pre); a != nil {
				b = bitsOf{a.typ, a.view.base.Len}
			}
			return
		}
		if l.firstPart(e) != nil {
			var pre []ir.Stmt
			if a := l.valueOf(e, &pre); a != nil {
				b = bitsOf{a.typ, a.view.base.Len}
			}
			return
		}
		x := l.expr(e)
		b = bitsOf{x.Type(), l.charLen(x)}
	})
	return b
}

// source evaluates the source.
func (t *transferer) source(e ast.Expr, pre *[]ir.Stmt) (from elementsFrom, ok bool) {
	l := t.l
	if t.to.typ == ir.Invalid || t.to.bytes() == 0 {
		l.errorf(codeArgument, t.pos, "argument mold of transfer has no type that values can be made of")
		return from, false
	}
	if l.firstPart(e) == nil {
		x := l.expr(e)
		if isBad(x) {
			return from, false
		}
		t.from = bitsOf{x.Type(), l.charLen(x)}
		x = l.fixed(x, "source", t.pos, pre)
		if t.from.typ == ir.Character && t.from.length != 1 { // an array of characters
			length := l.lenOf(x, t.pos)
			t.from.length = 1
			if _, isVar := x.(*ir.Var); !isVar {
				v := l.local("source", ir.Character, t.pos)
				v.Len = l.charLen(x)
				*pre = append(*pre, l.set(v, x, t.pos))
				x = varOf(v, t.pos)
			}
			return elementsFrom{length, func(i ir.Expr) ir.Expr {
				return &ir.Substr{X: ir.X{Pos: t.pos, Typ: ir.Character}, Base: ir.Clone(x), Lo: i, Hi: ir.Clone(i)}
			}}, true
		}
		return elementsFrom{t.int(1), func(ir.Expr) ir.Expr { return ir.Clone(x) }}, true
	}
	a := l.valueOf(e, pre)
	if a != nil && len(a.shape.n) > 1 {
		a = l.line(a, nil, nil, pre)
	}
	if a == nil {
		return from, false
	}
	if t.from = (bitsOf{a.typ, a.view.base.Len}); t.from.bytes() == 0 {
		l.errorf(codeArgument, t.pos, "argument source of transfer has elements without characters")
		return from, false
	}
	return elementsFrom{a.shape.n[0], func(i ir.Expr) ir.Expr {
		return l.elementOf(a, &elemental{n: a.shape.n, place: []ir.Expr{i}}, t.pos)
	}}, true
}

// characters makes an array of single characters of one of other elements.
func (t *transferer) characters(from elementsFrom, pre *[]ir.Stmt) elementsFrom {
	size := t.from.bytes()
	if t.from.typ == ir.Character && size == 1 {
		return from
	}
	l := t.l
	all := t.bin(ir.Mul, ir.Long, l.convert(ir.Clone(from.n), ir.Long), t.long(size))
	room := l.room(&elemental{n: []ir.Expr{all}, pre: pre}, ir.Character, 1, t.pos)
	each := func(ctx *elemental, k ir.Expr, c ir.Expr) {
		at := t.bin(ir.Add, ir.Long, t.bin(ir.Mul, ir.Long, t.bin(ir.Sub, ir.Long, ctx.at(len(ctx.n)-1, t.pos), t.long(1)), t.long(size)), k)
		*pre = append(*pre, l.nest(ctx, t.set(room, at, c), t.pos))
	}
	if t.from.typ == ir.Character {
		ctx := l.elements([]ir.Expr{t.int(size), from.n}, t.pos, pre)
		each(ctx, ctx.at(0, t.pos), &ir.Substr{X: ir.X{Pos: t.pos, Typ: ir.Character}, Base: from.at(ctx.at(1, t.pos)), Lo: ctx.at(0, t.pos), Hi: ctx.at(0, t.pos)})
	} else {
		for k := range size {
			ctx := l.elements([]ir.Expr{from.n}, t.pos, pre)
			each(ctx, t.long(k+1), t.call("achar", ir.Character, t.parts(from.at(ctx.at(0, t.pos)))[k]))
		}
	}
	t.from = bitsOf{ir.Character, 1}
	return elementsFrom{all, func(i ir.Expr) ir.Expr {
		return l.elementOf(room, &elemental{n: room.shape.n, place: []ir.Expr{i}}, t.pos)
	}}
}

// one is a value made of the first elements.
func (t *transferer) one(from elementsFrom) ir.Expr {
	var parts []ir.Expr
	have, known := constOf(from.n)
	for i := 0; i*t.from.bytes() < t.to.bytes() && (!known || i < have); i++ {
		parts = append(parts, t.parts(from.at(t.long(i+1)))...)
	}
	return t.made(parts)
}

// set is the assignment to element i of a vector.
func (t *transferer) set(a *argument, i, x ir.Expr) ir.Stmt {
	return &ir.Assign{S: ir.S{Pos: t.pos}, LHS: t.l.elementOf(a, &elemental{n: a.shape.n, place: []ir.Expr{i}}, t.pos), RHS: x}
}

// array makes a vector of n values; nil after an error.
//
// A value that is larger than an element of the source is made of several of these, and several
// values are made of an element that is larger.
func (t *transferer) array(from elementsFrom, n ir.Expr, pre *[]ir.Stmt) *argument {
	l, s, r := t.l, t.from.bytes(), t.to.bytes()
	have := l.convert(ir.Clone(from.n), ir.Long)
	least := func(x, y ir.Expr) ir.Expr { return t.call("min", ir.Long, x, y) }
	per, of := max(1, s/r), max(1, r/s) // values that an element makes, and elements that make one
	groups := t.bin(ir.Div, ir.Long, t.bin(ir.Add, ir.Long, ir.Clone(n), t.long(per-1)), t.long(per))
	room := l.room(&elemental{n: []ir.Expr{t.bin(ir.Mul, ir.Long, ir.Clone(groups), t.long(per))}, pre: pre}, t.to.typ, t.to.length, t.pos)
	if room == nil {
		return nil
	}
	full := least(groups, t.bin(ir.Div, ir.Long, have, t.long(of)))
	ctx := l.elements([]ir.Expr{l.fixed(full, "full", t.pos, pre)}, t.pos, pre)
	scaled := func(c, k int) ir.Expr { // c*(i-1) + k
		return t.bin(ir.Add, ir.Long, t.bin(ir.Mul, ir.Long, t.bin(ir.Sub, ir.Long, ctx.at(0, t.pos), t.long(1)), t.long(c)), t.long(k))
	}
	zero := l.elements(room.shape.n, t.pos, pre)
	*pre = append(*pre, l.nest(zero, t.set(room, zero.at(0, t.pos), t.made(nil)), t.pos))
	var parts []ir.Expr
	for k := range of {
		parts = append(parts, t.parts(from.at(scaled(of, k+1)))...)
	}
	size := len(parts) / per
	for k := range per {
		*pre = append(*pre, l.nest(ctx, t.set(room, scaled(per, k+1), t.made(parts[k*size:(k+1)*size])), t.pos))
	}
	out := *room
	out.shape = &shape{lo: room.shape.lo, n: []ir.Expr{n}}
	return &out
}

// transferOf lowers TRANSFER of an array to a value.
func (l *lowerer) transferOf(e *ast.Index) ir.Expr {
	elem := l.elem
	l.elem = nil
	defer func() { l.elem = elem }()
	var pre []ir.Stmt
	_, x := l.transferred(e, &pre)
	l.prelude = append(l.prelude, pre...)
	return x
}
