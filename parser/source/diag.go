package source

import (
	"fmt"
	"slices"
	"sort"
)

// Severity says whether a diagnostic stops the compilation.
type Severity int

const (
	Error Severity = iota
	Warning
)

func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Note is a second place that a diagnostic speaks of, such as the beginning
// of the block that is not closed.
type Note struct {
	Pos Pos
	Msg string
}

// Diag is one diagnostic: what was found at Pos, and what to do about it.
type Diag struct {
	Code     Code
	Severity Severity
	Pos      Pos
	End      Pos    // just behind the last byte at fault; zero: one byte
	Msg      string // lower case, no full stop
	Help     string // the remedy, or ""
	Notes    []Note
}

// Error makes a Diag an error: position, message and code, without the name
// of the file.
func (d *Diag) Error() string {
	return fmt.Sprintf("%d:%d: %s [%s]", d.Pos.Line, d.Pos.Col, d.Msg, d.Code)
}

// WithEnd sets the place just behind the last byte at fault.
func (d *Diag) WithEnd(end Pos) *Diag {
	d.End = end
	return d
}

// WithHelp sets the remedy.
func (d *Diag) WithHelp(format string, args ...any) *Diag {
	d.Help = fmt.Sprintf(format, args...)
	return d
}

// WithNote adds a second place.
func (d *Diag) WithNote(pos Pos, format string, args ...any) *Diag {
	d.Notes = append(d.Notes, Note{pos, fmt.Sprintf(format, args...)})
	return d
}

// List collects the diagnostics of one file.
type List struct {
	File  *File
	Diags []*Diag
}

// NewList returns an empty list for f.
func NewList(f *File) *List { return &List{File: f} }

// Add appends d.
func (l *List) Add(d *Diag) { l.Diags = append(l.Diags, d) }

// Errorf records an error and returns it, for WithEnd, WithHelp and WithNote.
func (l *List) Errorf(code Code, pos Pos, format string, args ...any) *Diag {
	return l.record(Error, code, pos, format, args)
}

// Warnf records a warning and returns it.
func (l *List) Warnf(code Code, pos Pos, format string, args ...any) *Diag {
	return l.record(Warning, code, pos, format, args)
}

func (l *List) record(s Severity, code Code, pos Pos, format string, args []any) *Diag {
	d := &Diag{Code: code, Severity: s, Pos: pos, Msg: fmt.Sprintf(format, args...)}
	l.Add(d)
	return d
}

// Len returns the number of diagnostics, warnings included.
func (l *List) Len() int { return len(l.Diags) }

// Sort puts the diagnostics in source order; those of one place stay in the
// order in which they were found.
func (l *List) Sort() {
	sort.SliceStable(l.Diags, func(i, j int) bool {
		return l.Diags[i].Pos.Before(l.Diags[j].Pos)
	})
}

// Unique removes diagnostics that say the same of the same place, as the copies
// of a procedure that is called more than once give them.
func (l *List) Unique() {
	type key struct {
		Pos  Pos
		Code Code
		Msg  string
	}
	seen := map[key]bool{}
	kept := l.Diags[:0]
	for _, d := range l.Diags {
		k := key{d.Pos, d.Code, d.Msg}
		if !seen[k] {
			seen[k] = true
			kept = append(kept, d)
		}
	}
	l.Diags = kept
}

// DropWarnings leaves the errors.
func (l *List) DropWarnings() {
	l.Diags = slices.DeleteFunc(l.Diags, func(d *Diag) bool { return d.Severity == Warning })
}

// HasErrors reports whether there is a diagnostic that is more than a warning.
func (l *List) HasErrors() bool { return l.Errors() > 0 }

// Errors returns the number of diagnostics that are more than warnings.
func (l *List) Errors() int {
	n := 0
	for _, d := range l.Diags {
		if d.Severity == Error {
			n++
		}
	}
	return n
}

// Err returns nil when there is no error, else an error whose text is the
// first error of the list with the name of the file, and how many follow.
func (l *List) Err() error {
	n := l.Errors()
	if n == 0 {
		return nil
	}
	for _, d := range l.Diags {
		if d.Severity != Error {
			continue
		}
		name := ""
		if l.File != nil {
			shown, line := l.File.Place(d.Pos.Line)
			name, d = shown+":", &Diag{Code: d.Code, Pos: Pos{line, d.Pos.Col}, Msg: l.File.Spell(d.Msg)}
		}
		if n > 1 {
			return fmt.Errorf("%s%w (and %d more)", name, d, n-1)
		}
		return fmt.Errorf("%s%w", name, d)
	}
	return nil
}
