package spmd

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/runtime/record"
)

// Files is the units that are connected to files. Package files has them; programs that
// use none do without.
type Files interface {
	// Do executes OPEN, CLOSE, INQUIRE, REWIND, BACKSPACE, ENDFILE or FLUSH: word is which,
	// given are its entries, asked those that get a value.
	Do(word string, given map[string]any, asked []string) (map[string]any, error)
	// Has reports whether a unit is connected.
	Has(unit int) bool
	Modes(unit int) record.Modes
	Write(t Transfer, parts ...[]byte) error
	Read(t Transfer) (*record.Source, error)
	// Connected names a file that is open, "" if there is none.
	Connected() string
	End() error
}

// Transfer is what a READ or WRITE on a unit has in parentheses.
type Transfer struct {
	Unit        int
	Unformatted bool
	Stay        bool           // ADVANCE='NO'
	With        map[string]any // rec, pos, and what sets modes
}

// outcome is how the last statement of input or output has ended that keeps its errors.
type outcome struct {
	status int
	msg    string
	size   int // characters read
}

// outcomeOf is the outcome of a statement that has failed by err, or not.
func outcomeOf(err error) outcome {
	if err == nil {
		return outcome{}
	}
	o := outcome{status: iostatBad, msg: err.Error()}
	if e, ok := err.(interface{ Iostat() int }); ok {
		o.status = e.Iostat()
	}
	if e, ok := err.(interface{ Iomsg() string }); ok {
		o.msg = e.Iomsg()
	}
	return o
}

// Catch executes a WRITE whose errors the program handles: Ask "outcome" gets them.
func (pe *PE) Catch(write func()) {
	defer func() {
		v := recover()
		err, failed := v.(interface {
			error
			Iostat() int
		})
		if v != nil && !failed {
			panic(v)
		}
		pe.outcome = outcome{}
		if failed {
			pe.outcome = outcomeOf(err)
			pe.with = Transfer{}
		}
	}()
	write()
}

// Try is the record that an internal WRITE makes, or old where it fails: Ask "outcome"
// gets the error.
func (pe *PE) Try(old string, write func() string) (text string) {
	text = old
	pe.Catch(func() { text = write() })
	return text
}

// With sets what the next READ or WRITE on a unit has in parentheses: keys are the words,
// values their values.
func (pe *PE) With(keys string, values ...any) {
	pe.with.With = map[string]any{}
	for i, key := range strings.Fields(keys) {
		switch key {
		case "unformatted":
			pe.with.Unformatted = true
			continue
		case "advance":
			s, _ := values[i].(string)
			pe.with.Stay = strings.EqualFold(strings.TrimRight(s, " "), "no")
			continue
		case "records":
			pe.recordsOf, _ = values[i].(int)
			continue
		case "nml": // what is behind it are bounds
			pe.variables = groupVariables(values[i].(string), values[i+1:])
			continue
		}
		pe.with.With[key] = values[i]
	}
}

// Modes is how the next WRITE treats values: as OPEN of the unit has said, and With.
func (pe *PE) Modes(unit int) (m record.Modes) {
	if pe.toFile(unit) {
		m = pe.files.Modes(unit)
	}
	if err := m.Set("data transfer", pe.with.With); err != nil {
		panic(err)
	}
	return m
}

// takeWith is what With has said, for a statement on a unit.
func (pe *PE) takeWith(unit int) Transfer {
	t := pe.with
	t.Unit = unit
	pe.with = Transfer{}
	return t
}

// toFile reports whether what is written to a unit goes to a file.
func (pe *PE) toFile(unit int) bool {
	if pe.files == nil {
		return false
	}
	return unit != unitError && unit != unitOutput && unit != unitInput || pe.files.Has(unit)
}

// WriteRecords writes the records of a WRITE to a file with direct access, or, with what
// With has said, the bytes of one without a format.
func (pe *PE) WriteRecords(unit int, records ...[]byte) {
	if !pe.toFile(unit) {
		pe.with = Transfer{}
		panic(&record.Error{Status: record.Conflict, Msg: fmt.Sprintf("unit %d is no file for unformatted or direct access", unit), Help: "open another unit"})
	}
	if err := pe.files.Write(pe.takeWith(unit), records...); err != nil {
		panic(err)
	}
}

// source begins a READ from a unit.
func (pe *PE) source() func() (*record.Source, error) {
	unit := unitInput
	if pe.from != nil {
		unit = *pe.from
	}
	pe.from = nil
	pe.writeRest(unit)
	t := pe.takeWith(unit)
	return func() (*record.Source, error) {
		if pe.toFile(unit) {
			return pe.files.Read(t)
		}
		_, byRecord := t.With["rec"]
		_, byPlace := t.With["pos"]
		if unit != unitInput || t.Unformatted || byRecord || byPlace {
			return nil, &record.Error{Status: record.BadAction, Text: "Cannot read from file opened for WRITE",
				Msg: fmt.Sprintf("READ from unit %d", unit), Help: "read from unit 5 (standard input), or open a file"}
		}
		if pe.prog.Coarray && pe.id != 0 {
			return nil, pe.noInput()
		}
		if pe.in.end {
			return nil, record.BehindEnd("standard input")
		}
		src := pe.in.source
		src.Modes, src.Stays, src.Chars = record.Modes{}, t.Stay, 0
		if err := src.Set("data transfer", t.With); err != nil {
			return nil, err
		}
		return src, nil
	}
}

// noInput is the error of a READ from the standard input by another image than 1.
func (pe *PE) noInput() error {
	e := record.PastEnd("standard input")
	if pe.images.ended {
		e = record.BehindEnd("standard input")
	}
	pe.images.ended = true
	e.Help = "image 1 alone has the standard input: read there, and give the values to the others by co_broadcast"
	return e
}

// fileStatement executes OPEN and the like: what is its word, with the values of keys
// that are given, and asked for those that get a value.
func (pe *PE) fileStatement(word string, given map[string]any, q *question) {
	var values map[string]any
	var err error
	if pe.files != nil {
		if word == "flush" {
			pe.out.flush()
		}
		if word != "inquire" && word != "flush" {
			switch unit := given["unit"].(type) {
			case int:
				pe.writeRest(unit)
			case int32:
				pe.writeRest(int(unit))
			}
		}
		values, err = pe.files.Do(word, given, q.keys)
	}
	if err != nil && !q.wants("iostat") {
		panic(err)
	}
	o := outcomeOf(err)
	q.set("iostat", int64(o.status))
	if o.status != 0 {
		q.set("iomsg", o.msg)
	}
	for key, v := range values {
		switch v := v.(type) {
		case int:
			q.set(key, int64(v))
		default:
			q.set(key, v)
		}
	}
}
