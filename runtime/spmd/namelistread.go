package spmd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/runtime/record"
)

// groupReader reads a NAMELIST group as gfortran does, its values by the rules of list-directed
// input:
//
//	&g  n = 5, a(2:4) = 3*1.5, s(1:2) = 'ab'  ! comment
//	/
//
// What is no value of the variable at hand is taken for the name of the next one.
type groupReader struct {
	listReader
	g *groupValues
}

// groupError ends a READ of a group.
type groupError struct{ err *readError }

// readGroup reads the group called name from what open opens.
func readGroup(open func() (*record.Source, error), name string, variables []groupVariable) (g *groupValues) {
	g = &groupValues{variables: variables, values: make([]map[int][]any, len(variables))}
	for i := range g.values {
		g.values[i] = map[int][]any{}
	}
	src, err := open()
	if err != nil {
		g.err = asReadError("", err)
		return g
	}
	defer func() {
		switch v := recover().(type) {
		case nil:
		case groupError:
			if g.err = v.err; g.err.status == iostatEnd && src.Back != nil {
				src.Back() // the next READ finds it once more
			}
		default:
			panic(v)
		}
	}()
	r := &groupReader{listReader{src: src, group: true}, g}
	for found := r.find(name); found && r.variable(); {
	}
	return g
}

// must ends the READ where there is an error.
func (r *groupReader) must(err *readError) {
	if err != nil {
		panic(groupError{err})
	}
}

// fail ends the READ with gfortran's text.
func (r *groupReader) fail(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	r.must(&readError{status: iostatBad, text: text, msg: fmt.Sprintf("%s (%s)", text, r.src.Place()), hint: "correct the input, or use IOSTAT= to handle it"})
}

// peek is the next character, a line feed at the end of a line.
func (r *groupReader) peek() byte {
	if r.pos < len(r.line) {
		return r.line[r.pos]
	}
	return '\n'
}

func (r *groupReader) skip() {
	if r.pos++; r.pos > len(r.line) {
		r.must(r.advance())
	}
}

// find goes behind "&name".
func (r *groupReader) find(name string) bool {
	for {
		switch {
		case !r.begun || r.pos > len(r.line):
			if err := r.advance(); err != nil {
				if !r.src.InString {
					r.must(err)
				}
				return false
			}
			continue
		case r.peek() == '!':
			r.pos = len(r.line)
		case r.peek() == '&' || r.peek() == '$':
			rest := r.line[r.pos+1:]
			if len(rest) >= len(name) && strings.EqualFold(rest[:len(name)], name) {
				if r.pos += 1 + len(name); r.ends(r.peek()) {
					return true
				}
				continue
			}
		}
		r.pos++
	}
}

// ends reports whether c ends a value or name.
func (r *groupReader) ends(c byte) bool {
	return c == '\n' || r.isSeparator(c)
}

// blanks goes over blanks, ends of lines and comments.
func (r *groupReader) blanks() { r.must(r.skipBlanks()) }

// over reports whether the group ends here.
func (r *groupReader) over() bool {
	c := r.peek()
	return c == '/' || c == '&' || c == '$'
}

// variable reads a variable and its values; it reports whether there was one.
func (r *groupReader) variable() bool {
	for r.blanks(); r.isComma(r.peek()); r.blanks() {
		r.skip()
	}
	if r.over() {
		if end := strings.ToLower(r.line[r.pos:]); end[0] != '/' && !strings.HasPrefix(end[1:], "end") {
			r.fail("namelist not terminated with / or &end")
		}
		return false
	}
	start := r.pos
	for c := r.peek(); !r.ends(c) && c != '=' && c != '('; c = r.peek() {
		r.pos++
	}
	name := strings.ToLower(r.line[start:r.pos])
	k := 0
	for k < len(r.g.variables) && r.g.variables[k].name != name {
		k++
	}
	if k == len(r.g.variables) {
		r.fail("Cannot match namelist object name %s", r.line[start:r.pos])
	}
	v := &r.g.variables[k]
	places := v.whole()
	part := textPart{}
	for chosen := len(v.n) == 0; ; {
		r.blanks()
		if r.peek() != '(' {
			break
		}
		switch {
		case !chosen:
			places, chosen = r.subscripts(v), true
		case v.kind != 'c':
			r.fail("Qualifier for a scalar or non-character namelist object %s", v.name)
		default:
			part = r.substring(v)
		}
	}
	switch r.peek() {
	case '=':
	case '%':
		r.fail("Attempt to get derived component for %s", v.name)
	default:
		r.fail("Equal sign must follow namelist object name %s", v.name)
	}
	r.skip()
	r.valuesOf(v, places, part, r.g.values[k])
	return true
}

// triplet is the places lo, lo+step, ... up to hi of a dimension, from 0.
type triplet struct{ lo, hi, step int }

// whole is all places of v, of each dimension.
func (v *groupVariable) whole() []triplet {
	var list []triplet
	for _, n := range v.n {
		list = append(list, triplet{0, n - 1, 1})
	}
	return list
}

// places are the places in array element order of the elements of v in a section.
func (v *groupVariable) places(of []triplet) func() (at int, ok bool) {
	index := make([]int, len(of))
	over := false
	for d, t := range of {
		index[d] = t.lo
		over = over || t.step > 0 && t.lo > t.hi || t.step < 0 && t.lo < t.hi
	}
	return func() (at int, ok bool) {
		if over {
			return 0, false
		}
		size := 1
		for d, i := range index {
			at += i * size
			size *= v.n[d]
		}
		over = true
		for d, t := range of {
			if index[d] += t.step; t.step > 0 && index[d] <= t.hi || t.step < 0 && index[d] >= t.hi {
				over = false
				break
			}
			index[d] = t.lo
		}
		return at, true
	}
}

// subscripts reads the subscripts of an array in parentheses. Where none of them is a
// section, values go on to the end of each dimension.
func (r *groupReader) subscripts(v *groupVariable) []triplet {
	list := r.parentheses(v)
	if len(list) != len(v.n) {
		r.fail("Bad number of index fields for namelist variable %s", v.name)
	}
	sections := false
	for _, b := range list {
		sections = sections || b.colons > 0
	}
	out := v.whole()
	for d, b := range list {
		t, lo := &out[d], v.lo[d]
		if b.colons > 1 && b.given[2] {
			if t.step = b.bound[2]; t.step == 0 {
				r.fail("Step zero for namelist variable %s", v.name)
			}
		} else if b.colons > 1 {
			r.fail("Bad substring qualifier for namelist variable %s", v.name)
		}
		if t.step < 0 {
			t.lo, t.hi = t.hi, t.lo
		}
		if b.given[0] {
			t.lo = b.bound[0] - lo
		}
		switch {
		case b.given[1]:
			t.hi = b.bound[1] - lo
		case b.colons == 0 && sections:
			t.hi = t.lo
		}
		if b.colons == 0 && !b.given[0] || t.lo < 0 || t.lo >= v.n[d] || t.hi < 0 || t.hi >= v.n[d] {
			r.fail("Index %d out of range for namelist variable %s", d+1, v.name)
		}
	}
	return out
}

// substring reads the bounds of a part of a text in parentheses.
func (r *groupReader) substring(v *groupVariable) textPart {
	list := r.parentheses(v)
	if len(list) != 1 || list[0].colons != 1 {
		r.fail("Bad substring qualifier for namelist variable %s", v.name)
	}
	part := textPart{lo: 1, hi: v.length}
	if b := list[0]; b.given[0] {
		part.lo = b.bound[0]
	}
	if b := list[0]; b.given[1] {
		part.hi = b.bound[1]
	}
	if part.lo < 1 || v.length > 0 && part.hi > v.length {
		r.fail("Substring out of range for namelist variable %s", v.name)
	}
	return part
}

// groupBounds is an entry of a list in parentheses: lo:hi:step.
type groupBounds struct {
	bound  [3]int
	given  [3]bool
	colons int
}

// parentheses reads a list of bounds.
func (r *groupReader) parentheses(v *groupVariable) []groupBounds {
	r.skip()
	list := []groupBounds{{}}
	for {
		r.blanks()
		b := &list[len(list)-1]
		switch c := r.peek(); {
		case c == ')':
			r.skip()
			return list
		case c == ',':
			list = append(list, groupBounds{})
			r.skip()
		case c == ':' && b.colons < 2:
			b.colons++
			r.skip()
		case !b.given[b.colons] && (c == '+' || c == '-' || c >= '0' && c <= '9'):
			start := r.pos
			for r.pos++; r.peek() >= '0' && r.peek() <= '9'; r.pos++ {
			}
			n, err := strconv.Atoi(r.line[start:r.pos])
			if err != nil {
				r.fail("Bad integer in index of namelist variable %s", v.name)
			}
			b.bound[b.colons], b.given[b.colons] = n, true
		default:
			r.fail("Bad character in index of namelist variable %s", v.name)
		}
	}
}

// valuesOf reads values of the elements of v in places, to the end of what are its values.
func (r *groupReader) valuesOf(v *groupVariable, places []triplet, part textPart, values map[int][]any) {
	next := v.places(places)
	for {
		r.blanks()
		start := r.pos
		count, null := 1, false
		switch {
		case r.isComma(r.peek()):
			null = true
		case r.over() || r.named():
			return
		default:
			if n, width := repeatCount(r.line[r.pos:]); width > 0 {
				r.pos += width
				count, null = n, r.ends(r.peek())
			}
		}
		var x any
		if !null {
			if x = r.value(v, part); x == nil { // it must be the name of a variable
				return
			}
		}
		for n := range count {
			at, ok := next()
			switch {
			case ok:
			case n > 0:
				r.fail("Repeat count too large for namelist object %s", v.name)
			default: // what follows is no value of v
				r.pos = start
				return
			}
			if !null {
				values[at] = append(values[at], x)
			}
		}
		for r.peek() == ' ' || r.peek() == '\t' {
			r.skip()
		}
		if r.isComma(r.peek()) {
			r.skip()
		}
	}
}

// named reports whether here is the name of a variable with its "=" or "(".
func (r *groupReader) named() bool {
	at := r.pos
	for at < len(r.line) && isNameByte(r.line[at]) {
		at++
	}
	if end := strings.IndexByte(r.line[at:], ')'); end >= 0 && strings.EqualFold(r.line[r.pos:at], "nan") && r.line[at] == '(' {
		at += end + 1 // a value, NaN(...), unless an equals sign is behind it
		return strings.HasPrefix(strings.TrimLeft(r.line[at:], " \t"), "=")
	}
	rest := strings.TrimLeft(r.line[at:], " \t")
	return at > r.pos && rest != "" && (rest[0] == '=' || rest[0] == '(' || rest[0] == '%')
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// value reads a value of v, nil if here is none.
func (r *groupReader) value(v *groupVariable, part textPart) any {
	if v.kind == 'c' {
		quote := r.peek()
		if quote != '\'' && quote != '"' {
			return nil
		}
		r.must(r.quoted(quote))
		part.text = r.listReader.value.text
		return part
	}
	start, pair := r.pos, (v.kind == 'z' || v.kind == 'w') && r.peek() == '('
	var x listValue
	if pair {
		r.must(r.pair())
		x = r.listReader.value
	} else {
		for c := r.peek(); !r.ends(c); c = r.peek() {
			r.pos++
		}
		if x.text = r.line[start:r.pos]; v.kind == 'r' || v.kind == 'd' {
			x.text = r.point(x.text)
		}
	}
	var item any
	switch v.kind {
	case 'p':
		item = Stored(new(int32), 1)
	case 'q':
		item = Stored(new(int32), 2)
	case 'i':
		item = new(int32)
	case 'l':
		item = new(int)
	case 'r':
		item = new(float32)
	case 'd':
		item = new(float64)
	case 'z':
		item = new(complex64)
	case 'w':
		item = new(complex128)
	default:
		item = new(bool)
	}
	if what, _ := x.assign(item); what != "" {
		if pair {
			r.fail("Bad complex value in item 1 of list input")
		}
		if r.pos = start; strings.IndexByte("pqil", v.kind) >= 0 {
			r.pos += len(x.text) - len(strings.TrimLeft(x.text, "+-0123456789"))
			if r.pos == start+len(x.text) {
				r.fail("Integer overflow while reading item 1")
			}
		}
		return nil
	}
	if err := r.src.Nearest(); err != nil && (v.kind == 'r' || v.kind == 'd') {
		panic(groupError{asReadError("", err)})
	}
	return load([]any{item})[0]
}
