// Package fio is formatted input and output as Fortran has it: it parses the text
// of formats, lays out values by them, and reads values of records.
//
// The format (2(i3,:,",")) lays out 1 and 2 as "  1,  2". The compiler parses the
// formats that it knows by the same code that emitted programs use for all others.
package fio

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/runtime/record"
)

// Format is a parsed format.
type Format struct {
	body   []edit
	revert int // where output goes on when items are left: the last group, else 0
}

// Error is what is wrong with a format, or with a value that does not fit it.
type Error struct {
	Offset int // in the text of the format, or -1
	Msg    string
	Help   string
	Status int
	Text   string // of IOMSG; "": Msg
}

func (e *Error) Error() string {
	if e.Offset >= 0 {
		return fmt.Sprintf("character %d of the format: %s", e.Offset+1, e.Msg)
	}
	return e.Msg
}

// Hint is what helps.
func (e *Error) Hint() string { return e.Help }

// Iostat is the value of IOSTAT.
func (e *Error) Iostat() int { return e.Status }

// Iomsg is the value of IOMSG.
func (e *Error) Iomsg() string {
	if e.Text != "" {
		return e.Text
	}
	return e.Msg
}

const (
	statusEndRecord = record.EndRecord
	statusFormat    = record.BadFormat
	statusValue     = record.BadValue
)

// kind is what an edit descriptor does.
type kind uint8

const (
	literal kind = iota // a string
	group
	slash
	colon
	scale
	space // nX
	tab
	tabLeft
	tabRight
	signPlus
	signSuppress
	signDefault
	blankNull
	blankZero
	decimalComma
	decimalPoint
	rounding // x.text is which
	data     // this and those behind it transfer an item
	editI
	editB
	editO
	editZ
	editF
	editE
	editEN
	editES
	editD
	editG
	editL
	editA
)

var kindName = map[kind]string{editI: "I", editB: "B", editO: "O", editZ: "Z", editF: "F", editE: "E", editEN: "EN",
	editES: "ES", editD: "D", editG: "G", editL: "L", editA: "A"}

// edit is one entry of a format.
type edit struct {
	kind    kind
	n       int // how often; of scale, space and the tabs the number that they have
	w, d, e int // absent: -1
	text    string
	body    []edit
	at      int // offset in the text
	room    int // of a real number without a width: with how many digits behind the point it has a 0 in front of that
}

const (
	unlimited = 1 << 30 // repeat count of *( )
	maxNumber = 100000  // of a width or a repeat count
	maxDepth  = 50      // of groups
)

// Parse parses a format from its parenthesis on. What stands behind the one that
// closes it is not looked at.
func Parse(text string) (*Format, error) {
	f, _, err := ParsePrefix(text)
	return f, err
}

// ParsePrefix is Parse, and returns also where the format ends in text.
func ParsePrefix(text string) (f *Format, end int, err error) {
	p := &parser{text: text}
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *Error:
			f, end, err = nil, p.at, v
		default:
			panic(v)
		}
	}()
	if p.peek() != '(' {
		p.fail(p.at, "a format begins with a parenthesis", "write (...) around the edit descriptors")
	}
	p.at++
	f = &Format{body: p.list(0)}
	for i := range f.body {
		if f.body[i].kind == group {
			f.revert = i
		}
	}
	return f, p.at, nil
}

// Must is Parse of a format that is known to be right, or whose error ends the
// program.
func Must(text string) *Format {
	f, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return f
}

type parser struct {
	text string
	at   int
}

func (p *parser) fail(at int, msg, help string) {
	panic(&Error{Offset: min(at, len(p.text)), Msg: msg, Help: help, Status: statusFormat})
}

// peek is the next character that is not blank, as a capital, 0 at the end.
func (p *parser) peek() byte {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
	if p.at == len(p.text) {
		return 0
	}
	c := p.text[p.at]
	if 'a' <= c && c <= 'z' {
		c -= 'a' - 'A'
	}
	return c
}

// accept passes over c if it is next.
func (p *parser) accept(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.at++
	return true
}

// number reads an unsigned number; ok is false where none is.
func (p *parser) number() (n int, ok bool) {
	start := p.at
	for c := p.peek(); '0' <= c && c <= '9'; c = p.peek() {
		ok = true
		if n = 10*n + int(c-'0'); n > maxNumber {
			p.fail(start, "a number above 100000", "no record is that long")
		}
		p.at++
	}
	return n, ok
}

// list parses entries up to the closing parenthesis.
func (p *parser) list(depth int) []edit {
	if depth > maxDepth {
		p.fail(p.at, "groups are nested more than 50 deep", "use fewer parentheses")
	}
	var list []edit
	for {
		switch c := p.peek(); c {
		case 0:
			p.fail(p.at, "the format has no closing parenthesis", "close it with )")
		case ')':
			p.at++
			return list
		case ',':
			p.at++
			continue
		}
		list = append(list, p.entry(depth))
	}
}

func (p *parser) entry(depth int) edit {
	start := p.at
	x := edit{n: 1, w: -1, d: -1, e: -1, at: start}
	negative := false
	if c := p.peek(); c == '-' || c == '+' {
		negative = c == '-'
		p.at++
		n, ok := p.number()
		if !ok || p.peek() != 'P' {
			p.fail(start, "a sign that no scale factor follows", "a sign stands in front of P only: -2P")
		}
		p.at++
		if x.kind, x.n = scale, n; negative {
			x.n = -n
		}
		return x
	}
	if p.accept('*') {
		if p.peek() != '(' {
			p.fail(start, "* that no group follows", "write *( ... )")
		}
		p.at++
		x.kind, x.n, x.body = group, unlimited, p.list(depth+1)
		return x
	}
	n, counted := p.number()
	if counted {
		x.n = n
	}
	at := p.at
	c := p.peek()
	if c != 0 {
		p.at++
	}
	next := p.second()
	switch c {
	case 'P':
		if x.kind = scale; !counted {
			p.fail(at, "P without a number", "write 0P, or 1P")
		}
		return x
	case 'X':
		x.kind = space
		return x
	case 'H':
		if !counted || n == 0 {
			p.fail(at, "H without the number of its characters", "write the text in quotes")
		}
		if p.at+n > len(p.text) {
			p.fail(at, "the format ends before the characters of H", "write the text in quotes")
		}
		x.kind, x.text, x.n = literal, p.text[p.at:p.at+n], 1
		p.at += n
		return x
	}
	if counted && n == 0 {
		p.fail(start, "a repeat count of zero", "repeat counts are 1 or more")
	}
	switch c {
	case '(':
		x.kind, x.body = group, p.list(depth+1)
		return x
	case '/':
		x.kind = slash
		return x
	}
	if counted && (strings.IndexByte(":'\"TSR", c) >= 0 || c == 'D' && (next == 'C' || next == 'P')) {
		p.fail(start, "a repeat count in front of something that has none", "put it into a group: 2( ... )")
	}
	switch c {
	case ':':
		x.kind = colon
		return x
	case '\'', '"':
		x.kind, x.text = literal, p.quoted(at, c)
		return x
	case 'T':
		switch next {
		case 'L':
			x.kind = tabLeft
			p.accept(next)
		case 'R':
			x.kind = tabRight
			p.accept(next)
		default:
			x.kind = tab
		}
		var ok bool
		if x.n, ok = p.number(); !ok || x.n == 0 {
			p.fail(p.at, "T without a column", "write T10, TL3 or TR3")
		}
		return x
	case 'S':
		switch next {
		case 'P':
			x.kind = signPlus
			p.accept(next)
		case 'S':
			x.kind = signSuppress
			p.accept(next)
		default:
			x.kind = signDefault
		}
		return x
	case 'R':
		if strings.IndexByte("UDZNCP", next) >= 0 {
			x.kind, x.text = rounding, string(next)
			p.accept(next)
			return x
		}
	case 'D':
		if next == 'C' || next == 'P' {
			if x.kind = decimalComma; next == 'P' {
				x.kind = decimalPoint
			}
			p.accept(next)
			return x
		}
	case 'B':
		if next == 'N' || next == 'Z' {
			if counted {
				p.fail(start, "a repeat count in front of something that has none", "remove it")
			}
			if x.kind = blankNull; next == 'Z' {
				x.kind = blankZero
			}
			p.accept(next)
			return x
		}
	}
	p.transfer(&x, at, c, next)
	return x
}

// second is the next character as peek gives it, without passing over blanks: what
// stands behind a quote or an H is text.
func (p *parser) second() byte {
	at := p.at
	c := p.peek()
	p.at = at
	return c
}

// quoted reads a string from behind its first quote; a doubled quote is one.
func (p *parser) quoted(at int, quote byte) string {
	var b strings.Builder
	for ; p.at < len(p.text); p.at++ {
		if p.text[p.at] != quote {
			b.WriteByte(p.text[p.at])
			continue
		}
		p.at++
		if p.at == len(p.text) || p.text[p.at] != quote {
			return b.String()
		}
		b.WriteByte(quote)
	}
	p.fail(at, "the string that begins here does not end", "close it with the same quote")
	return ""
}

// transfer parses the descriptor of an item, whose first letter is c.
func (p *parser) transfer(x *edit, at int, c, next byte) {
	const form = "write it as in I5, F8.3, ES12.4, A or G0"
	switch c {
	case 'I':
		x.kind = editI
	case 'B':
		x.kind = editB
	case 'O':
		x.kind = editO
	case 'Z':
		x.kind = editZ
	case 'F':
		x.kind = editF
	case 'D':
		x.kind = editD
		if next == 'T' {
			p.fail(at, "D"+string(next)+" is not supported", "leave it out, or write D for a number: D12.4")
		}
	case 'G':
		x.kind = editG
	case 'L':
		x.kind = editL
	case 'A':
		x.kind = editA
	case 'E':
		switch next {
		case 'N':
			x.kind = editEN
			p.accept(next)
		case 'S':
			x.kind = editES
			p.accept(next)
		case 'X':
			p.fail(at, "EX is not supported", "write Z for the bits of a number, or ES")
		default:
			x.kind = editE
		}
	case 0:
		p.fail(at, "the format has no closing parenthesis", "close it with )")
	default:
		p.fail(at, "no edit descriptor begins with "+fmt.Sprintf("%q", p.text[at:at+1]), form)
	}
	name := kindName[x.kind]
	var ok bool
	if x.w, ok = p.number(); !ok {
		x.w = -1
	}
	switch x.kind {
	case editA:
		if x.w == 0 {
			p.fail(at, "A with the width 0", "leave the width out")
		}
		return
	case editL:
		if x.w < 0 {
			x.w = 1
		}
		if x.w == 0 {
			p.fail(at, "L with the width 0", "write L1")
		}
		return
	}
	if !ok {
		p.fail(p.at, name+" without a width", form)
	}
	if p.accept('.') {
		if x.d, ok = p.number(); !ok {
			p.fail(p.at, "no number behind the point", form)
		}
		integer := x.kind == editI || x.kind == editB || x.kind == editO || x.kind == editZ
		if integer && x.w > 0 && x.d > x.w {
			p.fail(at, "more digits than the width has columns", "write a greater width")
		}
		if !integer && x.kind != editF && p.accept('E') {
			if x.kind == editD {
				p.fail(p.at-1, "the exponent of D has no width", "write E for D")
			}
			if x.e, ok = p.number(); !ok {
				p.fail(p.at, "no width behind the E of the exponent", form)
			}
		}
		return
	}
	switch x.kind {
	case editF, editE, editD, editEN, editES:
		p.fail(p.at, name+" without the digits behind the point", "write "+name+fmt.Sprint(x.w)+".d")
	}
}

// cursor goes through the edit descriptors of a format in the order in which they
// are executed.
type cursor struct {
	f     *Format
	stack []level
	items int // transferred so far
	mark  int // items at the last reversion
}

// level is a list of entries that is being executed.
type level struct {
	body  []edit
	i     int // the entry that is next
	left  int // how often it is executed still, 0: not begun
	runs  int // how often the list is executed after this time
	items int // transferred when this time began
}

func newCursor(f *Format) *cursor {
	return &cursor{f: f, stack: []level{{body: f.body}}}
}

// next is the next descriptor that is no group, nil where the format ends.
func (c *cursor) next() *edit {
	for {
		l := &c.stack[len(c.stack)-1]
		if l.i == len(l.body) {
			// An unlimited group without items ends, as it would never do.
			if l.runs > 0 && (l.runs < unlimited/2 || c.items > l.items) {
				l.runs--
				l.i, l.items = 0, c.items
				continue
			}
			if len(c.stack) == 1 {
				return nil
			}
			c.stack = c.stack[:len(c.stack)-1]
			continue
		}
		x := &l.body[l.i]
		switch {
		case x.kind == group:
			l.i++
			c.stack = append(c.stack, level{body: x.body, runs: x.n - 1, items: c.items})
			continue
		case x.kind == scale, x.kind >= space && x.kind <= tabRight, x.kind == rounding:
			l.i++
			return x
		}
		if l.left == 0 {
			l.left = x.n
		}
		if l.left--; l.left == 0 {
			l.i++
		}
		if x.kind > data {
			c.items++
		}
		return x
	}
}

// revert goes back to where a format goes on when it has ended and items are left.
func (c *cursor) revert() *Error {
	if c.items == c.mark {
		return &Error{Offset: -1, Msg: "items are left, and the format has no edit descriptor for them", Status: statusFormat,
			Help: "add one, such as G0"}
	}
	c.mark = c.items
	c.stack = []level{{body: c.f.body, i: c.f.revert}}
	return nil
}
