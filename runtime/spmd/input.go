package spmd

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spmdc/spmdc/runtime/record"
)

// Values of IOSTAT, those of gfortran.
const (
	iostatEnd  = record.End
	iostatPast = record.Conflict // a further READ after the end of file
	iostatBad  = record.BadValue
)

// input is standard input, read by PE 0.
type input struct {
	r    *bufio.Reader
	line int // number of the last line read, from 1
	end  bool
	used passed // where checkpoints are taken

	source *record.Source
}

// newInput flushes out before it waits for more input.
func newInput(r io.Reader, out *output) *input {
	if r == nil {
		r = strings.NewReader("")
	}
	in := &input{r: bufio.NewReaderSize(&prompting{r, out}, 1<<16)}
	in.source = &record.Source{Next: in.next, Name: "standard input", Where: in.where, Back: func() { in.end = false }}
	return in
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

// Stored makes an item of READ of an *int32 or *bool, of which files have so many bytes.
func Stored(item any, bytes int) *record.Stored { return &record.Stored{Item: item, Bytes: bytes} }

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
	text      string // of IOMSG
}

// Read is `read(*,*) items`: PE 0 reads one list-directed record, which may
// continue over lines, and all PEs get the values. Collective. Items are *int32,
// *int, *float64, *float32, *bool, *String, and *Noted of these. With iostat nil, the end of input and
// bad values abort the run; else *iostat is 0, -1 at the end of input, or
// positive.
func (pe *PE) Read(site int, iostat *int, items ...any) {
	pe.readOnRoot(site, iostat, items, listed(pe.source()))
}

// listed begins a list-directed READ.
func listed(open func() (*record.Source, error)) func() partReader {
	return func() partReader {
		var r *listReader
		return func(stay bool, items []any) (*record.Source, *readError) {
			if r == nil {
				src, err := open()
				if err != nil {
					return nil, asReadError("", err)
				}
				r = newListReader(src)
			}
			err := r.read(items)
			if !stay {
				r.src.Held = false
			}
			return r.src, err
		}
	}
}

// FromUnit tells that the next READ is from a unit.
func (pe *PE) FromUnit(unit int) { pe.from = &unit }

// GoesOn tells that the next call that reads is part of a statement with more items:
// the call behind it goes on with them.
func (pe *PE) GoesOn() { pe.goesOn = true }

// partReader reads items of a statement; with stay more are to follow. The source is nil
// where the statement could not begin.
type partReader func(stay bool, items []any) (*record.Source, *readError)

// readStatement is a READ that is executed in parts.
type readStatement struct {
	read partReader
	err  *readError // of an earlier part: the further ones read nothing
	size int        // characters read so far
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

// next reads items, unless an earlier part has failed; size is what the statement has
// read so far.
func (s *readStatement) next(stay bool, items []any) (err *readError, size int) {
	if v, ok := repeated(items); ok {
		for lo := 0; lo < v.n; lo += piece {
			s.next(true, v.items(lo, min(v.n, lo+piece)))
		}
		return s.err, s.size
	}
	if unnoted(items); s.err == nil {
		var src *record.Source
		if src, s.err = s.read(stay, items); src != nil {
			s.size = src.Chars
		}
	}
	return s.err, s.size
}

// ReadFormat is a format that reads: *fio.Format.
type ReadFormat interface {
	Reader(from *record.Source) func(stay bool, items ...any) error
}

// Formatted is Read by a format. Collective.
func (pe *PE) Formatted(site int, iostat *int, form ReadFormat, items ...any) {
	pe.readOnRoot(site, iostat, items, formReader(form, pe.source()))
}

// formReader begins a READ by a format.
func formReader(form ReadFormat, open func() (*record.Source, error)) func() partReader {
	return func() partReader {
		var src *record.Source
		var read func(stay bool, items ...any) error
		return func(stay bool, items []any) (*record.Source, *readError) {
			if src == nil {
				var err error
				if src, err = open(); err != nil {
					return nil, asReadError("", err)
				}
				read = form.Reader(src)
			}
			return src, asReadError(src.Place(), read(stay, items...))
		}
	}
}

// Unformatted is Read of bytes, as they lie in memory. Collective.
func (pe *PE) Unformatted(site int, iostat *int, items ...any) {
	open := pe.source()
	pe.readOnRoot(site, iostat, items, func() partReader {
		var src *record.Source
		return func(_ bool, items []any) (*record.Source, *readError) {
			if src == nil {
				var err error
				if src, err = open(); err != nil {
					return nil, asReadError("", err)
				}
			}
			for _, item := range items {
				if err := takeItem(src, item); err != nil {
					return src, asReadError("", err)
				}
				note(item)
			}
			return src, nil
		}
	})
}

// FormattedInternal is `read(from, format) items`: each PE reads for itself.
func (pe *PE) FormattedInternal(site int, from string, iostat *int, form ReadFormat, items ...any) {
	pe.readString(site, iostat, items, formReader(form, pe.theString(from)))
}

// theString begins a READ from a string, which With may have said to be records.
func (pe *PE) theString(s string) func() (*record.Source, error) {
	length := pe.recordsOf
	pe.recordsOf = 0
	return func() (*record.Source, error) {
		if length > 0 {
			return &record.Source{Next: record.Cut(s, length), Name: "the array", InString: true}, nil
		}
		return &record.Source{Next: record.Once(s), Name: "the string", InString: true}, nil
	}
}

// readString is a READ from a string, of which each PE makes its own.
func (pe *PE) readString(site int, iostat *int, items []any, begin func() partReader) {
	s, stay := pe.part(begin)
	err, size := s.next(stay, items)
	pe.settle(site, iostat, err, size)
}

// asReadError is why a READ failed; where says how far it has come.
func asReadError(where string, err error) *readError {
	if err == nil {
		return nil
	}
	o := outcomeOf(err)
	e := &readError{status: o.status, msg: err.Error(), text: o.msg}
	if h, ok := err.(interface{ Hint() string }); ok {
		e.hint = h.Hint()
	}
	if where != "" && o.status > 0 {
		e.msg = fmt.Sprintf("%v (%s)", err, where)
	}
	return e
}

// prompt shows what has been printed to somebody who watches and is to answer, when it
// is held back until it is known to be right.
func (pe *PE) prompt(site int) {
	if pe.elided == nil || pe.prog.Coarray || !pe.elided.watched {
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
	c := pe.count(site)
	c.Calls++
	if pe.prog.Coarray {
		err, size := s.next(stay, items)
		pe.images.ended = pe.images.ended || pe.id == 0 && pe.in.end
		pe.settle(site, iostat, err, size)
		return
	}
	pe.prompt(site)
	pe.collective(c, 0, int64(8*countItems(items)))
	var err *readError
	var size int
	var got []byte
	if pe.id == 0 {
		err, size = s.next(stay, items)
		got = packed(err.values(), size, load(items))
	}
	if got = pe.t.Share(site, 0, got); pe.id != 0 {
		list := unpacked(got)
		err, size = readErrorOf(list[0]), list[1].(int)
		store(items, list[2].([]any))
	}
	pe.settle(site, iostat, err, size)
}

// ReadInternal is `read(from,*) items`: each PE reads for itself.
func (pe *PE) ReadInternal(site int, from string, iostat *int, items ...any) {
	pe.readString(site, iostat, items, listed(pe.theString(from)))
}

// settle ends a READ on each PE: with its status, or with an error. The error
// is the same everywhere; PE 0 reports it.
func (pe *PE) settle(site int, iostat *int, err *readError, size int) {
	if pe.outcome = (outcome{size: size}); err != nil {
		pe.outcome.status, pe.outcome.msg = err.status, err.text
	}
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
		case *complex128:
			values[i] = *item
		case *complex64:
			values[i] = *item
		case *bool:
			values[i] = *item
		case *string:
			values[i] = *item
		case *String:
			values[i] = *item.s
		case *record.Stored:
			values[i] = load([]any{item.Item})[0]
		case *Noted:
			values[i] = notedValue{*item.got, load([]any{item.item})}
		case *Repeated:
			values[i] = item.save()
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
		case *complex128:
			*item = values[i].(complex128)
		case *complex64:
			*item = values[i].(complex64)
		case *bool:
			*item = values[i].(bool)
		case *string:
			*item = values[i].(string)
		case *String:
			*item.s = values[i].(string)
		case *record.Stored:
			store([]any{item.Item}, values[i:i+1])
		case *Noted:
			v := values[i].(notedValue)
			*item.got = v.got
			store([]any{item.item}, v.value)
		case *Repeated:
			item.restore(values[i].(string))
		}
	}
}
