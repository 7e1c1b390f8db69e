// Package record has what the packages of input and output share: where a READ takes its
// records from, how the unit that they belong to treats values, and errors with a value
// of IOSTAT.
//
// READ of the lines "1 2" and "3" from a string makes
//
//	src := &record.Source{Next: record.Once("1 2"), Name: "the string", InString: true}
package record

import (
	"bytes"
	"fmt"
)

// Source gives records to READ statements.
type Source struct {
	// Next is the next record without its end; ok is false at the end of the file.
	Next func() (rec string, ok bool)
	// Take is the next n bytes of an unformatted record.
	Take func(n int) ([]byte, error)
	// Back, if not nil, goes back in front of the end of the file, which a statement has found.
	Back func()
	// Done, if not nil, ends the statement.
	Done func()
	// Name is what is read, and Where, if not nil, the place of the last record in it.
	Name  string
	Where func() string
	// InString: it is an internal file. Commas do not end fields, and there is no end of
	// the last record to find.
	InString bool
	Modes

	// Stays: the statement has ADVANCE='NO'. It leaves Record, of which Pos characters
	// have been read, for the next one, if Held.
	Stays  bool
	Held   bool
	Record string
	Pos    int
	// Chars is how many characters the statement has read of records, for SIZE=.
	Chars int
}

// Place is where the last record is from, for messages.
func (s *Source) Place() string {
	if s.Where == nil {
		return s.Name
	}
	return s.Where()
}

// Once is a Next that gives s as the only record.
func Once(s string) func() (string, bool) {
	read := false
	return func() (string, bool) {
		if read {
			return "", false
		}
		read = true
		return s, true
	}
}

// Cut is a Next that gives the records of n characters that s consists of.
func Cut(s string, n int) func() (string, bool) {
	return func() (rec string, ok bool) {
		if len(s) < n {
			return "", false
		}
		rec, s = s[:n], s[n:]
		return rec, true
	}
}

// Fill is records of n characters, old, of which the first ones are replaced by those of text,
// each of which ends with a line feed. It panics with an *Error where they do not fit.
func Fill(text []byte, n int, old string) string {
	out := []byte(old)
	for at := 0; len(text) > 0; at += n {
		rec, rest, _ := bytes.Cut(text, []byte{'\n'})
		if text = rest; len(rec) > n {
			panic(&Error{Status: EndRecord, Text: "End of record", Msg: fmt.Sprintf("end of record: %d characters are written to a string of %d", len(rec), n), Help: "declare longer elements"})
		}
		if at+n > len(out) {
			panic(&Error{Status: End, Text: "End of file", Msg: fmt.Sprintf("end of file: more than the %d records that the array has are written", len(old)/n), Help: "declare a larger array"})
		}
		for k := range n {
			if out[at+k] = ' '; k < len(rec) {
				out[at+k] = rec[k]
			}
		}
	}
	return string(out)
}

// Values of IOSTAT, those of gfortran.
const (
	Unflushed    = -5005
	End          = -1
	EndRecord    = -2
	Conflict     = 5001
	BadOption    = 5002
	BadUnit      = 5005
	BadFormat    = 5006
	BadAction    = 5007
	BadEndfile   = 5008
	BadUnformat  = 5009
	BadValue     = 5010
	DirectEnd    = 5015
	ShortRecord  = 5016
	CorruptFile  = 5017
	UnitInternal = 5018
)

// Error is why a statement of input or output failed.
type Error struct {
	Status int // of IOSTAT
	Msg    string
	Help   string
	Text   string // of IOMSG; "": Msg
}

func (e *Error) Error() string { return e.Msg }

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

// PastEnd is the error of a READ at the end of a file.
func PastEnd(name string) *Error {
	return &Error{Status: End, Text: "End of file", Msg: "end of file: read past the end of " + name,
		Help: "give the program more input, or use IOSTAT= or END= to find the end"}
}

// BehindEnd is the error of a READ or WRITE behind the end of a file, which an earlier
// READ has found.
func BehindEnd(name string) *Error {
	e := PastEnd(name)
	e.Status, e.Text = Conflict, "Sequential READ or WRITE not allowed after EOF marker, possibly use REWIND or BACKSPACE"
	return e
}
