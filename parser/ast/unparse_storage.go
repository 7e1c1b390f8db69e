package ast

import "strings"

func writeImplicit(b *strings.Builder, s *Implicit) {
	b.WriteString("implicit ")
	for i, r := range s.Rules {
		comma(b, i)
		writeType(b, &r.Type)
		b.WriteString(" (")
		for k, letters := range r.Letters {
			comma(b, k)
			b.WriteByte(letters.From)
			if letters.To != letters.From {
				b.WriteString("-" + string(letters.To))
			}
		}
		b.WriteString(")")
	}
}

func writeData(b *strings.Builder, s *Data) {
	b.WriteString("data ")
	for i, set := range s.Sets {
		comma(b, i)
		writeList(b, set.Objects)
		writeValues(b, set.Values)
	}
}

// writeValues writes " / 1, 2*0 /".
func writeValues(b *strings.Builder, values []DataValue) {
	b.WriteString(" / ")
	for i, v := range values {
		comma(b, i)
		if v.Repeat != nil {
			writeExpr(b, v.Repeat, 0)
			b.WriteString("*")
		}
		writeExpr(b, v.X, 0)
	}
	b.WriteString(" /")
}

func writeSave(b *strings.Builder, s *Save) {
	b.WriteString("save")
	if len(s.Names)+len(s.Blocks) > 0 {
		b.WriteString(" ::")
	}
	for i, n := range s.Names {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(" " + n.Name)
	}
	for i, n := range s.Blocks {
		if i+len(s.Names) > 0 {
			b.WriteString(",")
		}
		b.WriteString(" /" + n.Name + "/")
	}
}

func writeCommon(b *strings.Builder, s *Common) {
	b.WriteString("common")
	for _, block := range s.Blocks {
		b.WriteString(" /" + block.Name.Name + "/ ")
		writeEntities(b, block.Entities)
	}
}
