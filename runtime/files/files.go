// Package files has the units of a program: what OPEN, CLOSE, INQUIRE and the statements
// that position a file do, and the records of all kinds of files. The bytes are those that
// gfortran writes. For
//
//	open(10, file='a', form='unformatted')
//	write(10) 1, 2
//
// the run time calls
//
//	t := files.New()
//	t.Do("open", map[string]any{"unit": 10, "file": "a", "form": "unformatted"}, nil)
//	t.Write(spmd.Transfer{Unit: 10, Unformatted: true}, [][]byte{{1, 0, 0, 0, 2, 0, 0, 0}})
//
// which leaves 8, the eight bytes, and 8 again in the file.
package files

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"syscall"

	"github.com/spmdc/spmdc/runtime/record"
	"github.com/spmdc/spmdc/runtime/spmd"
)

// table is the units of a process.
type table struct {
	mu    sync.Mutex // a PE that an abort left behind may still write when the run ends
	units map[int]*unit
	ended bool
}

// New is the units of a program that begins: none is connected.
func New() spmd.Files { return &table{units: map[int]*unit{}} }

// Do executes a statement: word is "open", "close", "inquire", "rewind", "backspace",
// "endfile" or "flush", given are the values of its entries by their keys, asked the keys of
// those that are to get a value: int, string or bool.
func (t *table) Do(word string, given map[string]any, asked []string) (map[string]any, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return nil, nil
	}
	e := entries{given}
	n := e.number("unit", 0)
	if word == "inquire" {
		return t.inquire(e)
	} else if err := possible(n); err != nil {
		return nil, err
	}
	if word == "open" {
		return t.open(e, asked)
	}
	u := t.units[n]
	switch word {
	case "close":
		return nil, t.close(u, e)
	case "rewind":
		if u != nil {
			return nil, u.rewind()
		}
	case "backspace":
		if u == nil {
			return nil, unattached(n)
		}
		return nil, u.backspace()
	case "endfile":
		u, err := t.connected(n, true) // as gfortran connects it
		if err != nil {
			return nil, err
		}
		return nil, u.endFile()
	case "flush":
		switch {
		case u != nil:
			u.d.flush()
			return nil, u.failed()
		case n != 0 && n != 5 && n != 6:
			return nil, &record.Error{Status: record.Unflushed, Text: "Specified UNIT in FLUSH is not connected",
				Msg: fmt.Sprintf("FLUSH of unit %d, which is not connected to a file", n), Help: "connect it by OPEN"}
		}
	default:
		panic("files: no statement " + word)
	}
	return nil, nil
}

// possible is the error of a unit with a number that none has.
func possible(n int) error {
	if n <= math.MaxInt32 {
		return nil
	}
	return &record.Error{Status: record.BadUnit, Text: "Unit number in I/O statement too large",
		Msg: fmt.Sprintf("%d is no number of a unit", n), Help: "units have numbers up to 2147483647"}
}

func unattached(n int) error {
	return &record.Error{Status: record.BadUnit, Text: "Unattached unit",
		Msg: fmt.Sprintf("unit %d is not connected to a file", n), Help: "connect it by OPEN"}
}

// Has reports whether a unit is connected.
func (t *table) Has(n int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.units[n] != nil
}

// Modes are those of a unit.
func (t *table) Modes(n int) record.Modes {
	t.mu.Lock()
	defer t.mu.Unlock()
	if u := t.units[n]; u != nil {
		return u.modes
	}
	return record.Modes{}
}

// Connected names a file that is open, "" if there is none.
func (t *table) Connected() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	name := ""
	first := 0
	for n, u := range t.units {
		if name == "" || n < first {
			name, first = fmt.Sprintf("unit %d, file %s", n, u.shown()), n
		}
	}
	return name
}

// End closes all files.
func (t *table) End() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	var all []error
	for _, u := range t.units {
		all = append(all, u.close(""))
	}
	t.units = nil
	return errors.Join(all...)
}

// connected is a unit; one that no OPEN has connected gets the file fort.N.
func (t *table) connected(n int, unformatted bool) (*unit, error) {
	if u := t.units[n]; u != nil {
		return u, nil
	}
	if err := possible(n); err != nil {
		return nil, err
	}
	if n < 0 {
		return nil, &record.Error{Status: record.BadOption, Text: "Unit number is negative and unit was not already opened with OPEN(NEWUNIT=...)",
			Msg: fmt.Sprintf("%d is no number of a unit", n), Help: "units have numbers from 0 on, or one that NEWUNIT= has given"}
	}
	given := map[string]any{"unit": n}
	if unformatted {
		given["form"] = "unformatted"
	}
	if _, err := t.open(entries{given}, nil); err != nil {
		return nil, err
	}
	return t.units[n], nil
}

// entries are those of a statement.
type entries struct{ given map[string]any }

func (e entries) has(key string) bool { return e.given[key] != nil }

// text is the value of key, in lower case, without blanks at its end.
func (e entries) text(key, standard string) string {
	s, ok := e.given[key].(string)
	if !ok {
		return standard
	}
	return strings.ToLower(strings.TrimRight(s, " "))
}

func (e entries) number(key string, standard int) int {
	switch n := e.given[key].(type) {
	case int:
		return n
	case int32:
		return int(n)
	}
	return standard
}

// choice is the value of key, which must be one of list; the first is the default.
func (e entries) choice(key string, list ...string) (string, error) {
	s := e.text(key, list[0])
	for _, may := range list {
		if s == may {
			return s, nil
		}
	}
	return "", &record.Error{Status: record.BadOption, Text: fmt.Sprintf("Bad %s parameter in OPEN statement", strings.ToUpper(key)),
		Msg: fmt.Sprintf("%s=%q", strings.ToUpper(key), s), Help: "it may be " + strings.Join(list, ", ")}
}

// systemError is an error of the system with a file.
func systemError(name string, err error) error {
	e := &record.Error{Status: record.CorruptFile, Help: "see whether the file exists, and what its rights are"}
	reason := err.Error()
	var no syscall.Errno
	if errors.As(err, &no) {
		e.Status = int(no)
		reason = strings.ToUpper(no.Error()[:1]) + no.Error()[1:]
	}
	e.Msg = fmt.Sprintf("cannot open file %s: %s", name, reason)
	e.Text = fmt.Sprintf("Cannot open file '%s': %s", name, reason)
	return e
}

func sameFile(a, b os.FileInfo) bool { return a != nil && b != nil && os.SameFile(a, b) }
