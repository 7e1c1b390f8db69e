// Package source holds what every part of the compiler shares about the
// user's text: files, positions in them, and diagnostics that point at them.
package source

import "fmt"

// Pos is a place in a source file: line and column, both counted from 1, the
// column in bytes. The zero Pos means "no place".
type Pos struct {
	Line, Col int
}

// IsValid reports whether p names a place.
func (p Pos) IsValid() bool { return p.Line > 0 }

// GoString is LINE:COLUMN, for %#v and what prints like it.
func (p Pos) GoString() string { return fmt.Sprintf("%d:%d", p.Line, p.Col) }

// Before reports whether p comes before q in the file.
func (p Pos) Before(q Pos) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Col < q.Col
}
