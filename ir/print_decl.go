package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// String is the directive as written after "!HPF$".
func (d *Independent) String() string {
	text := "independent"
	if len(d.New) > 0 {
		text += ", new(" + symbolNames(d.New) + ")"
	}
	if len(d.Reduction) > 0 {
		text += ", reduction(" + symbolNames(d.Reduction) + ")"
	}
	return text
}

func symbolNames(list []*Symbol) string {
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = s.Name
	}
	return strings.Join(names, ", ")
}

// Decl is the declaration of s with every bound explicit.
func (s *Symbol) Decl() string {
	text := s.TypeString()
	if s.Param {
		text += ", parameter"
	}
	text += " :: " + s.Name
	if s.IsArray() && !s.Cell {
		text += "(" + BoundsString(s.Dims) + ")"
	}
	if s.Coarray {
		text += "[*]"
	}
	if s.Init != nil {
		text += " = " + ExprString(s.Init)
	}
	if s.Values != nil {
		text += " / "
		next := 0
		for i, v := range s.Values {
			if i > 0 {
				text += ", "
			}
			if i == shownValues {
				text += "..."
				break
			}
			if v.At != next {
				text += fmt.Sprintf("at %d: ", v.At)
			}
			if next = v.At + v.N; v.N > 1 {
				text += fmt.Sprintf("%d*", v.N)
			}
			text += ExprString(v.Const)
		}
		text += " /"
	}
	if s.Temp {
		text += "   ! made by the compiler"
	}
	return text
}

// TypeString is the type of s as a declaration spells it.
func (s *Symbol) TypeString() string {
	switch s.Type {
	case Integer:
		return "integer"
	case Long:
		return "integer(8)"
	case Real:
		return "real(4)"
	case Double:
		return "real(8)"
	case Logical:
		return "logical"
	case Character:
		if s.Len == AnyLength {
			return "character(:)"
		}
		return fmt.Sprintf("character(%d)", s.Len)
	}
	return "invalid"
}

// BoundsString writes array bounds as "1:10,0:n".
func BoundsString(dims []Bound) string {
	parts := make([]string, len(dims))
	for i, b := range dims {
		parts[i] = EndString(b.Lo) + ":" + EndString(b.Hi)
	}
	return strings.Join(parts, ",")
}

// String is the directive as written after "!HPF$", constants folded.
func (d *Directive) String() string {
	switch d.Kind {
	case ProcessorsDirective:
		return "processors " + d.Name + "(" + strings.Join(spelling{}.list(d.Extents), ",") + ")"
	case TemplateDirective:
		return "template " + d.Name + "(" + BoundsString(d.Shape) + ")"
	case AlignDirective:
		text := "align " + d.Name
		if d.Source != nil {
			parts := make([]string, len(d.Source))
			for i, s := range d.Source {
				parts[i] = s.String()
			}
			text += "(" + strings.Join(parts, ",") + ")"
		}
		text += " with " + d.Target
		if d.Subs != nil {
			parts := make([]string, len(d.Subs))
			for i, s := range d.Subs {
				parts[i] = s.String()
			}
			text += "(" + strings.Join(parts, ",") + ")"
		}
		return text
	case DistributeDirective:
		parts := make([]string, len(d.Formats))
		for i, f := range d.Formats {
			if parts[i] = strings.ToLower(f.Format.String()); f.Format == 0 {
				parts[i] = "*"
			}
		}
		text := "distribute " + d.Name + "(" + strings.Join(parts, ",") + ")"
		if d.Onto != "" {
			text += " onto " + d.Onto
		}
		return text
	}
	return "?"
}

// String is the entry as written: a dummy name or "*".
func (s AlignSource) String() string {
	if s.Dummy == "" {
		return "*"
	}
	return dummyString(s.Dummy)
}

// dummyString is a dummy as written: those that stand for ":" have names that
// begin with it.
func dummyString(name string) string {
	if strings.HasPrefix(name, ":") {
		return ":"
	}
	return name
}

// String is the entry as written, constants folded: "2*i+1", "3" or "*".
func (s AlignSub) String() string {
	if s.Replicated {
		return "*"
	}
	if s.Dummy == "" {
		return strconv.Itoa(s.Off)
	}
	text := dummyString(s.Dummy)
	switch s.Coef {
	case 1:
	case -1:
		text = "-" + text
	default:
		text = strconv.Itoa(s.Coef) + "*" + text
	}
	if s.Off != 0 {
		text += fmt.Sprintf("%+d", s.Off)
	}
	return text
}
