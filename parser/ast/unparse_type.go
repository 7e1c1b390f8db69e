package ast

import "strings"

// writeTypeDef writes the first line of the definition of a derived type.
func writeTypeDef(b *strings.Builder, s *TypeDef) {
	b.WriteString("type")
	if s.Abstract {
		b.WriteString(", abstract")
	}
	if s.Access != "" {
		b.WriteString(", " + s.Access)
	}
	if s.Extends.Name != "" {
		b.WriteString(", extends(" + s.Extends.Name + ")")
	}
	b.WriteString(" :: " + s.Name.Name)
}

// typeDef writes the components and procedures of a derived type, and its end.
func (p *printer) typeDef(s *TypeDef) {
	p.depth++
	for _, c := range s.Components {
		p.stmt(c)
	}
	p.depth--
	if len(s.Bound)+len(s.Final) > 0 {
		p.line(0, "contains")
	}
	p.depth++
	for i := range s.Bound {
		p.line(0, s.Bound[i].text())
	}
	if len(s.Final) > 0 {
		p.line(0, "final :: "+joinNames(s.Final))
	}
	p.depth--
	p.line(0, "end type")
}

func (d *Binding) text() string {
	text := "procedure"
	switch {
	case d.Generic:
		return "generic :: " + d.Name.Name + " => " + joinNames(d.Targets)
	case d.Deferred:
		text += "(" + d.Face.Name + "), deferred"
	case d.NoPass:
		text += ", nopass"
	case d.Pass.Name != "":
		text += ", pass(" + d.Pass.Name + ")"
	}
	text += " :: " + d.Name.Name
	if d.Targets[0].Name != d.Name.Name {
		text += " => " + d.Targets[0].Name
	}
	return text
}
