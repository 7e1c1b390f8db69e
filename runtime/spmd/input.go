package spmd

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Values of IOSTAT, those of gfortran.
const (
	iostatEnd  = -1
	iostatPast = 5001 // a further READ after the end of file
	iostatBad  = 5010
)

// input is standard input, read by PE 0.
type input struct {
	r    *bufio.Reader
	line int // number of the last line read, from 1
	end  bool
	used passed // where checkpoints are taken
}

// newInput flushes out before it waits for more input.
func newInput(r io.Reader, out *output) *input {
	if r == nil {
		r = strings.NewReader("")
	}
	return &input{r: bufio.NewReaderSize(&prompting{r, out}, 1<<16)}
}

type prompting struct {
	r   io.Reader
	out *output
}

func (p *prompting) Read(b []byte) (int, error) {
	p.out.flush()
	return p.r.Read(b)
}

// next is the next line without its end; ok is false at the end of input.
func (in *input) next() (line string, ok bool) {
	s, err := in.r.ReadString('\n')
	if in.used.sum != nil {
		in.used.add([]byte(s))
	}
	if err != nil && s == "" {
		in.end = true
		return "", false
	}
	in.line++
	s = strings.TrimSuffix(s, "\n")
	return strings.TrimSuffix(s, "\r"), true
}

// where says which line was read last.
func (in *input) where() string { return fmt.Sprintf("standard input, line %d", in.line) }

// Noted is an item of READ together with a note.
type Noted struct {
	got  *bool
	item any
}

// Note makes an item of READ of another one. READ sets *got to whether the item
// was given a value: it is not by a null value, behind a slash, after the end
// of the input, and from a bad value on.
func Note(got *bool, item any) *Noted { return &Noted{got, item} }

// Item is what n is a note of.
func (n *Noted) Item() any { return n.item }

// Note tells that the item was given a value.
func (n *Noted) Note() { *n.got = true }

// unnoted clears the notes of items and returns what they are notes of.
func unnoted(items []any) []any {
	bare := make([]any, len(items))
	for i, item := range items {
		if n, ok := item.(*Noted); ok {
			*n.got, item = false, n.item
		}
		bare[i] = item
	}
	return bare
}

// note tells that an item was given a value.
func note(item any) {
	if n, ok := item.(*Noted); ok {
		n.Note()
	}
}

// readError is why a READ failed.
type readError struct {
	status    int
	msg, hint string
}

// reading is what PE 0 tells the others of a READ.
type reading struct {
	values []any // per item; nil: left as it is
	err    *readError
}

// Read is `read(*,*) items`: PE 0 reads one list-directed record, which may
// continue over lines, and all PEs get the values. Collective. Items are *int32,
// *int, *float64, *float32, *bool, *String, and *Noted of these. With iostat nil, the end of input and
// bad values abort the run; else *iostat is 0, -1 at the end of input, or
// positive.
func (pe *PE) Read(site int, iostat *int, items ...any) {
	pe.readOnRoot(site, iostat, items, func() partReader {
		r := &listReader{next: pe.in.next, what: "standard input", where: pe.in.where}
		return func(_ bool, items []any) *readError { return r.read(items) }
	})
}

// FromUnit tells that the next READ is from a unit that is known now.
func (pe *PE) FromUnit(unit int) {
	if unit != unitInput {
		panic(&Fault{Msg: fmt.Sprintf("READ from unit %d: files are not supported", unit), Hint: "read from unit 5 (standard input)"})
	}
}

// GoesOn tells that the next call that reads is part of a statement with more items:
// the call behind it goes on with them.
func (pe *PE) GoesOn() { pe.goesOn = true }

// partReader reads items of a statement; with stay more are to follow.
type partReader func(stay bool, items []any) *readError

// readStatement is a READ that is executed in parts.
type readStatement struct {
	read partReader
	err  *readError // of an earlier part: the further ones read nothing
}

// part is the statement that a call that reads is part of, and whether more parts
// follow.
func (pe *PE) part(begin func() partReader) (s *readStatement, stay bool) {
	s, stay = pe.reading, pe.goesOn
	if s == nil {
		s = &readStatement{read: begin()}
	}
	if pe.goesOn, pe.reading = false, nil; stay {
		pe.reading = s
	}
	return s, stay
}

// next reads items by read, unless an earlier part has failed.
func (s *readStatement) next(items []any, read func() *readError) *readError {
	if unnoted(items); s.err == nil {
		s.err = read()
	}
	return s.err
}

// ReadFormat is a format that reads: *fio.Format.
type ReadFormat interface {
	Reader(inString bool) func(next func() (record string, ok bool), stay bool, items ...any) error
}

// Formatted is Read by a format. Collective.
func (pe *PE) Formatted(site int, iostat *int, form ReadFormat, items ...any) {
	pe.readOnRoot(site, iostat, items, formReader(form, pe.in.next, "standard input", pe.in.where))
}

// formReader begins a READ by a format of what next gives.
func formReader(form ReadFormat, next func() (string, bool), what string, where func() string) func() partReader {
	return func() partReader {
		read := form.Reader(what == theString)
		return func(stay bool, items []any) *readError {
			return formError(what, where, read(next, stay, items...))
		}
	}
}

// FormattedInternal is `read(from, format) items`: each PE reads for itself.
func (pe *PE) FormattedInternal(site int, from string, iostat *int, form ReadFormat, items ...any) {
	pe.readString(site, iostat, items, formReader(form, once(from), theString, func() string { return theString }))
}

const theString = "the string" // that is read from

// readString is a READ from a string, of which each PE makes its own.
func (pe *PE) readString(site int, iostat *int, items []any, begin func() partReader) {
	s, stay := pe.part(begin)
	pe.settle(site, iostat, s.next(items, func() *readError { return s.read(stay, items) }))
}

// once is the records of a string: itself.
func once(s string) func() (string, bool) {
	read := false
	return func() (string, bool) {
		if read {
			return "", false
		}
		read = true
		return s, true
	}
}

// formError is why a READ by a format failed; what is read, and where says how far.
func formError(what string, where func() string, err error) *readError {
	if err == nil {
		return nil
	}
	e := &readError{status: iostatBad, msg: fmt.Sprintf("%v (%s)", err, where())}
	if s, ok := err.(interface{ Iostat() int }); ok {
		if e.status = s.Iostat(); e.status == iostatEnd {
			return pastEnd(what)
		}
	}
	if h, ok := err.(interface{ Hint() string }); ok {
		e.hint = h.Hint()
	}
	return e
}

// prompt shows what has been printed to somebody who watches and is to answer, when it
// is held back until it is known to be right.
func (pe *PE) prompt(site int) {
	if pe.elided == nil || pe.prog.Coarray || !pe.out.lines {
		return
	}
	pe.Settle(site)
	if pe.id == 0 {
		_ = pe.out.release(false) // its error is that of the run
	}
}

// readOnRoot reads items on PE 0 and gives them to all PEs; begin begins a statement.
func (pe *PE) readOnRoot(site int, iostat *int, items []any, begin func() partReader) {
	pe.endRecord()
	s, stay := pe.part(begin)
	read := func() *readError { return s.read(stay, items) }
	c := pe.count(site)
	c.Calls++
	if pe.prog.Coarray {
		pe.settle(site, iostat, s.next(items, func() *readError { return pe.readAlone(read) }))
		return
	}
	pe.prompt(site)
	pe.collective(c, 0, int64(8*len(items)))
	var got *reading
	if pe.id == 0 {
		got = &reading{err: s.next(items, func() *readError {
			past := pe.in.end
			err := read()
			if past {
				err = pastEnd("standard input")
				err.status = iostatPast
			}
			return err
		})}
		got.values = load(items)
	}
	got = pe.t.Share(site, 0, got).(*reading)
	if pe.id != 0 {
		store(items, got.values)
	}
	pe.settle(site, iostat, got.err)
}

// readAlone is a READ of an image: image 1 has the standard input, that of all
// others is empty.
func (pe *PE) readAlone(read func() *readError) *readError {
	past := pe.images.ended
	var err *readError
	if pe.id == 0 {
		err = read()
		pe.images.ended = pe.in.end
	} else {
		pe.images.ended = true
	}
	if past || pe.id != 0 {
		err = pastEnd("standard input")
		if pe.id != 0 {
			err.hint = "image 1 alone has the standard input: read there, and give the values to the others by co_broadcast"
		}
		if past {
			err.status = iostatPast
		}
	}
	return err
}

// ReadInternal is `read(from,*) items`: each PE reads for itself.
func (pe *PE) ReadInternal(site int, from string, iostat *int, items ...any) {
	pe.readString(site, iostat, items, func() partReader {
		r := &listReader{next: once(from), what: theString, where: func() string { return theString }}
		return func(_ bool, items []any) *readError { return r.read(items) }
	})
}

// settle ends a READ on each PE: with its status, or with an error. The error
// is the same everywhere; PE 0 reports it.
func (pe *PE) settle(site int, iostat *int, err *readError) {
	switch {
	case err == nil:
		if iostat != nil {
			*iostat = 0
		}
	case iostat != nil:
		*iostat = err.status
	default:
		e := pe.errorAt(site, err.msg)
		e.Hint = err.hint
		pe.t.Abort(e)
	}
}

func pastEnd(what string) *readError {
	return &readError{
		status: iostatEnd,
		msg:    "end of file: read past the end of " + what,
		hint:   "give the program more input, or use IOSTAT= or END= to find the end",
	}
}

// load is the values of items.
func load(items []any) []any {
	values := make([]any, len(items))
	for i, item := range items {
		switch item := item.(type) {
		case *int:
			values[i] = *item
		case *int32:
			values[i] = *item
		case *float64:
			values[i] = *item
		case *float32:
			values[i] = *item
		case *bool:
			values[i] = *item
		case *String:
			values[i] = *item.s
		case *Noted:
			values[i] = notedValue{*item.got, load([]any{item.item})}
		}
	}
	return values
}

// notedValue is the value of a Noted: that of its note, and of its item.
type notedValue struct {
	got   bool
	value []any
}

// store sets items to values.
func store(items, values []any) {
	for i, item := range items {
		switch item := item.(type) {
		case *int:
			*item = values[i].(int)
		case *int32:
			*item = values[i].(int32)
		case *float64:
			*item = values[i].(float64)
		case *float32:
			*item = values[i].(float32)
		case *bool:
			*item = values[i].(bool)
		case *String:
			*item.s = values[i].(string)
		case *Noted:
			v := values[i].(notedValue)
			*item.got = v.got
			store([]any{item.item}, v.value)
		}
	}
}
