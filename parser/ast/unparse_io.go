package ast

import (
	"fmt"
	"strings"
)

func writePrint(b *strings.Builder, s *Print) {
	if s.Write {
		b.WriteString("write")
		writeControls(b, &s.Control, true, s.Items)
		return
	}
	b.WriteString("print ")
	writeFormat(b, s.Format)
	if len(s.Items) > 0 {
		b.WriteString(", ")
	}
	writeList(b, s.Items)
}

func writeRead(b *strings.Builder, s *Read) {
	if s.Paren {
		b.WriteString("read")
		writeControls(b, &s.Control, true, s.Items)
		return
	}
	b.WriteString("read ")
	writeFormat(b, s.Format)
	if len(s.Items) > 0 {
		b.WriteString(", ")
	}
	writeList(b, s.Items)
}

// writeControls writes "(unit, format, ...) items" of a transfer, "(unit, ...)" of a
// statement on files.
func writeControls(b *strings.Builder, c *Control, transfer bool, items []Expr) {
	b.WriteString("(")
	n := 0
	key := func(word string) {
		if n > 0 {
			b.WriteString(",")
		}
		b.WriteString(word)
		n++
	}
	if transfer || c.Unit != nil {
		key("")
		writeFormat(b, c.Unit) // nil is * here too
	}
	if transfer && !c.Unformatted {
		key("")
		writeFormat(b, c.Format)
	}
	for _, s := range c.Specs {
		key(s.Key + "=")
		writeExpr(b, s.X, 0)
	}
	for _, l := range []struct {
		key   string
		label int
	}{{"end=", c.End}, {"err=", c.Err}, {"eor=", c.Eor}} {
		if l.label != 0 {
			key(l.key + fmt.Sprint(l.label))
		}
	}
	b.WriteString(")")
	if len(items) > 0 {
		b.WriteString(" ")
	}
	writeList(b, items)
}

// Spec is the expression of an entry, nil where there is none.
func (c *Control) Spec(key string) Expr {
	for _, s := range c.Specs {
		if s.Key == key {
			return s.X
		}
	}
	return nil
}

func writeFormat(b *strings.Builder, x Expr) {
	if x == nil {
		b.WriteString("*")
		return
	}
	writeExpr(b, x, 0)
}

func writeList(b *strings.Builder, list []Expr) {
	for i, x := range list {
		comma(b, i)
		writeExpr(b, x, 0)
	}
}

// writeControl writes "lo, hi, step".
func writeControl(b *strings.Builder, lo, hi, step Expr) {
	writeExpr(b, lo, 0)
	b.WriteString(", ")
	writeExpr(b, hi, 0)
	if step != nil {
		b.WriteString(", ")
		writeExpr(b, step, 0)
	}
}
