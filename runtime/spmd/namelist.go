package spmd

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/runtime/record"
)

// Namelist is a NAMELIST group that is written, laid out as gfortran does:
//
//	&G
//	 N=5          ,
//	 A=  1.50000000    , 2*2.00000000      ,
//	 /
type Namelist struct {
	line  Line
	text  []byte
	on    int // what stands on the line: a name counts as a value
	last  any // a value that has not been written, so many times
	count int
}

// NewNamelist begins the group called name.
func NewNamelist(name string) *Namelist { return &Namelist{text: []byte("&" + name)} }

// For sets how values are treated, and returns n.
func (n *Namelist) For(m record.Modes) *Namelist {
	n.line.modes = m
	return n
}

// Name begins a variable.
func (n *Namelist) Name(name string) {
	n.flush()
	n.text = append(append(append(n.text, "\n "...), name...), '=')
	n.on = 1
}

// Add appends elements of the variable, as Line.Add does.
func (n *Namelist) Add(items ...any) {
	for _, x := range items {
		if n.count > 0 && sameBits(n.last, x) {
			n.count++
			continue
		}
		n.flush()
		n.last, n.count = x, 1
	}
}

func sameBits(a, b any) bool {
	switch a := a.(type) {
	case float64:
		b, ok := b.(float64)
		return ok && math.Float64bits(a) == math.Float64bits(b)
	case float32:
		b, ok := b.(float32)
		return ok && math.Float32bits(a) == math.Float32bits(b)
	case complex128:
		b, ok := b.(complex128)
		return ok && sameBits(real(a), real(b)) && sameBits(imag(a), imag(b))
	case complex64:
		b, ok := b.(complex64)
		return ok && sameBits(real(a), real(b)) && sameBits(imag(a), imag(b))
	}
	return a == b
}

// flush writes the value at hand, with its repeat count: whole numbers and what is repeated
// begin at once, and are filled up behind.
func (n *Namelist) flush() {
	if n.count == 0 {
		return
	}
	l := &n.line
	l.buf, l.started = l.buf[:0], false
	if !l.modes.Bare && l.modes.Delim == 0 {
		l.modes.Delim = '"'
	}
	l.Add(n.last)
	value := string(l.buf[1:])
	switch n.last.(type) {
	case int, int32, int16, int8:
		value = fmt.Sprintf("%-*s", len(value), strings.TrimLeft(value, " "))
	case complex128, complex64:
		value = strings.TrimLeft(value, " ")
		n.on++ // it counts as two values
	case float64, float32:
		if n.count > 1 {
			value = fmt.Sprintf("%-*s", len(value), strings.TrimLeft(value, " "))
		}
	}
	if n.count > 1 {
		n.text = append(n.text, " "+strconv.Itoa(n.count)+"*"...)
	}
	n.text = append(n.text, value...)
	const most = 5
	n.on++
	if _, text := n.last.(string); !text || !l.modes.Bare || n.on > most {
		comma := byte(',')
		if l.modes.Comma {
			comma = ';'
		}
		n.text = append(n.text, comma)
	}
	if n.on > most {
		n.text, n.on = append(n.text, "\n "...), 0
	}
	n.count = 0
}

// End ends the group and returns its records, each with its end.
func (n *Namelist) End() []byte {
	n.flush()
	return append(n.text, "\n /\n"...)
}

// RecordsOf ends the group and returns old, which is records of length k, with it in place
// of the first ones. A single record has all of it, with blanks for the ends.
func (n *Namelist) RecordsOf(k int, old string) string {
	text := n.End()
	if len(old) == k {
		text = bytes.TrimRight(bytes.ReplaceAll(text, []byte{'\n'}, []byte{' '}), " ")
	}
	return record.Fill(text, k, old)
}

// Namelist is `read(unit, nml=group)`, of which items are the next elements. The first part
// reads the group on PE 0 and gives all PEs what it has; further ones send nothing. Collective.
func (pe *PE) Namelist(site int, iostat *int, group string, items ...any) {
	pe.endRecord()
	open, variables := pe.source(), pe.variables
	s, stay := pe.part(func() partReader {
		c := pe.count(site)
		c.Calls++
		if pe.prog.Coarray {
			g := readGroup(open, group, variables)
			pe.images.ended = pe.images.ended || pe.id == 0 && pe.in.end
			return g.reader()
		}
		pe.prompt(site)
		g := &groupValues{variables: variables}
		var got []byte
		pe.collective(c, 0, int64(8*len(variables)))
		if pe.id == 0 {
			g = readGroup(open, group, variables)
			got = packed(g.list()...)
		}
		if got = pe.t.Share(site, 0, got); pe.id != 0 {
			g.set(unpacked(got))
		}
		return g.reader()
	})
	err, size := s.next(stay, items)
	pe.settle(site, iostat, err, size)
}

// NamelistInternal is Namelist from a string: each PE reads for itself.
func (pe *PE) NamelistInternal(site int, from string, iostat *int, group string, items ...any) {
	open, variables := pe.theString(from), pe.variables
	pe.readString(site, iostat, items, func() partReader { return readGroup(open, group, variables).reader() })
}

// groupVariable is a variable of a NAMELIST group.
type groupVariable struct {
	name   string
	kind   byte  // i INTEGER(4), l INTEGER(8), r REAL(4), d REAL(8), z COMPLEX(4), w COMPLEX(8), b LOGICAL, c CHARACTER
	length int   // of a text, 0 if it is not known
	lo, n  []int // lower bounds and extents of an array
}

func (v *groupVariable) size() int {
	size := 1
	for _, n := range v.n {
		size *= n
	}
	return size
}

// groupVariables are the variables of what, a name, a kind and a rank for each; bounds has the
// lower bounds and extents of all dimensions.
func groupVariables(what string, bounds []any) (list []groupVariable) {
	words := strings.Fields(what)
	for i := 0; i+2 < len(words); i += 3 {
		v := groupVariable{name: words[i], kind: words[i+1][0]}
		v.length, _ = strconv.Atoi(words[i+1][1:])
		for range words[i+2][0] - '0' {
			v.lo, v.n = append(v.lo, bounds[0].(int)), append(v.n, max(0, bounds[1].(int)))
			bounds = bounds[2:]
		}
		list = append(list, v)
	}
	return list
}

// groupValues is what a group in the input has: for each variable the values of elements,
// by their place in array element order.
type groupValues struct {
	variables []groupVariable
	values    []map[int][]any
	err       *readError
}

// list is the values and the error, for other PEs.
func (g *groupValues) list() []any {
	list := []any{g.err.values()}
	for _, elements := range g.values {
		var some []any
		for element, values := range elements {
			some = append(some, element, values)
		}
		list = append(list, some)
	}
	return list
}

// set takes what list has made on PE 0.
func (g *groupValues) set(list []any) {
	g.err = readErrorOf(list[0])
	for _, some := range list[1:] {
		elements := map[int][]any{}
		for some := some.([]any); len(some) > 0; some = some[2:] {
			elements[some[0].(int)] = some[1].([]any)
		}
		g.values = append(g.values, elements)
	}
}

// textPart is a value of the characters lo to hi of a text, 0 for its ends.
type textPart struct {
	lo, hi int
	text   string
}

// reader returns what gives items the values of elements, one after the other. How the group
// has failed comes last.
func (g *groupValues) reader() partReader {
	variable, element := 0, 0
	return func(stay bool, items []any) (*record.Source, *readError) {
		for _, item := range items {
			for variable < len(g.variables) && element >= g.variables[variable].size() {
				variable, element = variable+1, 0
			}
			for _, x := range g.values[variable][element] {
				setItem(bareItem(item), x)
				note(item)
			}
			element++
		}
		if stay {
			return nil, nil
		}
		return nil, g.err
	}
}

func bareItem(item any) any {
	if n, ok := item.(*Noted); ok {
		return n.item
	}
	return item
}

// setItem gives item, as of READ, the value x.
func setItem(item, x any) {
	s, isText := item.(*String)
	if !isText {
		store([]any{item}, []any{x})
		return
	}
	part := x.(textPart)
	if part.lo == 0 && part.hi == 0 {
		s.Set(part.text)
		return
	}
	hi := part.hi
	if hi == 0 {
		hi = s.length
	}
	*s.s = SetSub(Pad(*s.s, s.length), max(1, part.lo), hi, part.text)
}
