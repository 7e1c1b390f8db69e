package ast

import (
	"strings"
)

func writeAlign(b *strings.Builder, s *Align) {
	b.WriteString("ALIGN ")
	if !s.Colons {
		for i, a := range s.Alignees {
			comma(b, i)
			b.WriteString(a.Name)
			writeAlignSource(b, s)
		}
		b.WriteString(" ")
	} else if s.HasList {
		writeAlignSource(b, s)
		b.WriteString(" ")
	}
	b.WriteString("WITH " + s.Target)
	if len(s.TargetSubs) > 0 {
		b.WriteString("(")
		for i, t := range s.TargetSubs {
			comma(b, i)
			switch {
			case t.Star:
				b.WriteString("*")
			case t.Colon:
				writeExpr(b, &Triplet{Lo: t.Lo, Hi: t.Hi, Step: t.Stride}, 0)
			default:
				writeExpr(b, t.Expr, 0)
			}
		}
		b.WriteString(")")
	}
	if s.Colons {
		b.WriteString(" :: ")
		writeEntities(b, s.Alignees)
	}
}

func writeAlignSource(b *strings.Builder, s *Align) {
	if !s.HasList {
		return
	}
	b.WriteString("(")
	for i, a := range s.Source {
		comma(b, i)
		switch {
		case a.Star:
			b.WriteString("*")
		case a.Colon:
			b.WriteString(":")
		default:
			b.WriteString(a.Name)
		}
	}
	b.WriteString(")")
}

func writeDistribute(b *strings.Builder, s *Distribute) {
	b.WriteString("DISTRIBUTE ")
	formats := func() {
		if len(s.Formats) == 0 {
			return
		}
		b.WriteString("(")
		for i, f := range s.Formats {
			comma(b, i)
			b.WriteString(strings.ToUpper(f.Name))
			if f.Arg != nil {
				b.WriteString("(" + UnparseExpr(f.Arg) + ")")
			}
		}
		b.WriteString(")")
	}
	if s.Colons {
		formats()
	} else {
		for i, d := range s.Distributees {
			comma(b, i)
			b.WriteString(d.Name)
			formats()
		}
	}
	if s.Onto != "" {
		b.WriteString(" ONTO " + s.Onto)
	}
	if s.Colons {
		b.WriteString(" :: ")
		writeEntities(b, s.Distributees)
	}
}

// IsSet reports whether there is a directive.
func (on *On) IsSet() bool { return on.Home != nil || on.Resident }

// ending is the directive that ends a block of directives.
func (s *Block) ending() string {
	switch {
	case s.Tasks:
		return "END TASK_REGION"
	case s.On.Home == nil:
		return "END RESIDENT"
	}
	return "END ON"
}

// writeOn writes ON and RESIDENT.
func writeOn(b *strings.Builder, on *On) {
	if on.Home != nil {
		b.WriteString("ON ")
		if !on.Bare {
			b.WriteString("HOME")
		}
		b.WriteString("(")
		writeExpr(b, on.Home, 0)
		b.WriteString(")")
		writeClause(b, "NEW", on.New)
	}
	if !on.Resident {
		return
	}
	if on.Home != nil {
		b.WriteString(", ")
	}
	b.WriteString("RESIDENT")
	if len(on.Objects) > 0 {
		b.WriteString("(")
		writeList(b, on.Objects)
		b.WriteString(")")
	}
}

func writeClause(b *strings.Builder, word string, names []Name) {
	if len(names) == 0 {
		return
	}
	b.WriteString(", " + word + "(")
	for i, n := range names {
		comma(b, i)
		b.WriteString(n.Name)
	}
	b.WriteString(")")
}
