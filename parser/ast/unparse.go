package ast

import (
	"strconv"
	"strings"
)

// Unparse returns the file as free form Fortran, indented by its blocks,
// in lines of less than 100 columns. Parsing the text gives the same tree but
// for positions.
func Unparse(f *File) string {
	p := &printer{}
	if f == nil || f.Program == nil {
		return ""
	}
	for _, u := range f.Modules {
		p.unit(u)
		p.b.WriteString("\n")
	}
	p.unit(f.Program)
	for _, u := range append(f.Procedures[:len(f.Procedures):len(f.Procedures)], f.BlockData...) {
		p.b.WriteString("\n")
		p.unit(u)
	}
	return p.b.String()
}

func (p *printer) unit(u *Program) {
	p.line(0, unitHead(u))
	p.depth++
	p.stmts(u.Spec)
	p.stmts(u.Body)
	for _, f := range u.Formats {
		p.stmt(f)
	}
	p.depth--
	if len(u.Contains) > 0 {
		p.line(0, "contains")
		p.depth++
		for _, in := range u.Contains {
			p.unit(in)
		}
		p.depth--
	}
	p.line(0, "end "+strings.ToLower(u.Kind.String())+" "+u.Name)
}

// unitHead is the first statement of a unit.
func unitHead(u *Program) string {
	var b strings.Builder
	switch {
	case u.Elemental && u.Pure:
		b.WriteString("elemental ")
	case u.Elemental:
		b.WriteString("impure elemental ")
	case u.Pure:
		b.WriteString("pure ")
	}
	if u.Recursive {
		b.WriteString("recursive ")
	}
	if u.Prefix != nil {
		writeType(&b, u.Prefix)
		b.WriteString(" ")
	}
	b.WriteString(strings.ToLower(u.Kind.String()) + " " + u.Name)
	if len(u.Args) > 0 || u.Kind == FunctionUnit {
		b.WriteString("(" + joinNames(u.Args) + ")")
	}
	if u.Result.Name != "" {
		b.WriteString(" result(" + u.Result.Name + ")")
	}
	return b.String()
}

func joinNames(list []Name) string {
	names := make([]string, len(list))
	for i, n := range list {
		names[i] = n.Name
	}
	return strings.Join(names, ", ")
}

// UnparseStmt returns the first line of a statement as Fortran, without label:
// "do i = 1, n" of a loop.
func UnparseStmt(s Stmt) string {
	text, _ := head(s)
	return text
}

// UnparseExpr returns an expression as Fortran.
func UnparseExpr(x Expr) string {
	var b strings.Builder
	writeExpr(&b, x, 0)
	return b.String()
}

const (
	lineWidth = 98 // of a line without the & at its end
	indent    = "  "
)

type printer struct {
	b     strings.Builder
	depth int
}

func (p *printer) stmts(list []Stmt) {
	for _, s := range list {
		p.stmt(s)
	}
}

func (p *printer) stmt(s Stmt) {
	text, directive := head(s)
	if directive {
		p.wrap("!HPF$ ", "!HPF$   &", text)
		if b, ok := s.(*Block); ok {
			p.block(b.Body)
			if !b.On.One {
				p.wrap("!HPF$ ", "!HPF$   &", b.ending())
			}
		}
		return
	}
	p.line(s.StmtLabel(), text)
	switch s := s.(type) {
	case *Do:
		p.block(s.Body)
		if s.TermLabel == 0 {
			p.line(0, named("end do", s.Name))
		}
	case *DoWhile:
		p.block(s.Body)
		if s.TermLabel == 0 {
			p.line(0, named("end do", s.Name))
		}
	case *If:
		if s.OneLine {
			return
		}
		for i, arm := range s.Arms {
			if i > 0 && s.Where {
				p.line(0, "elsewhere ("+UnparseExpr(arm.Cond)+")")
			} else if i > 0 {
				p.line(0, "else if ("+UnparseExpr(arm.Cond)+") then")
			}
			p.block(arm.Body)
		}
		if s.HasElse {
			p.line(0, map[bool]string{false: "else", true: "elsewhere"}[s.Where])
			p.block(s.Else)
		}
		p.line(0, named("end "+s.word(), s.Name))
	case *Forall:
		if s.OneLine {
			return
		}
		p.block(s.Body)
		switch {
		case !s.Concurrent:
			p.line(0, named("end forall", s.Name))
		case s.TermLabel == 0:
			p.line(0, named("end do", s.Name))
		}
	case *Select:
		for i := range s.Cases {
			p.line(0, s.Cases[i].head())
			p.block(s.Cases[i].Body)
		}
		p.line(0, named("end select", s.Name))
	case *Block:
		p.depth++
		p.stmts(s.Spec)
		p.depth--
		p.block(s.Body)
		p.line(0, named("end block", s.Name))
	case *Associate:
		p.block(s.Body)
		p.line(0, named("end associate", s.Name))
	case *ChangeTeam:
		p.block(s.Body)
		var b strings.Builder
		b.WriteString("end team")
		writeImages(&b, "", s.EndStatus)
		p.line(0, named(b.String(), s.Name))
	case *TypeDef:
		p.typeDef(s)
	case *Interface:
		p.depth++
		if len(s.Procs) > 0 {
			p.line(0, "procedure "+joinNames(s.Procs))
		}
		for _, u := range s.Units {
			p.unit(u)
		}
		p.depth--
		p.line(0, "end interface")
	case *Critical:
		p.block(s.Body)
		p.line(0, named("end critical", s.Name))
	}
}

func (p *printer) block(body []Stmt) {
	p.depth++
	p.stmts(body)
	p.depth--
}

func (p *printer) line(label int, text string) {
	// Deep nesting must not eat up the line.
	prefix := strings.Repeat(indent, min(p.depth, 20))
	cont := prefix + "    &"
	if label != 0 {
		l := strconv.Itoa(label) + " "
		prefix = l + prefix[min(len(l), len(prefix)):]
	}
	p.wrap(prefix, cont, text)
}

// wrap writes text behind prefix, and what does not fit on further lines that
// begin with cont, which ends in "&". A line is broken behind a blank or comma
// if it can, else inside a string.
func (p *printer) wrap(prefix, cont, text string) {
	if len(prefix)+len(text) <= lineWidth {
		p.b.WriteString(prefix + text + "\n")
		return
	}
	breaks := breaksOf(text)
	start, next := 0, 0 // breaks[next:] are behind start
	for {
		limit := start + lineWidth - len(prefix)
		if limit >= len(text) {
			p.b.WriteString(prefix + text[start:] + "\n")
			return
		}
		outside, inside := 0, 0
		k := next
		for ; k < len(breaks) && breaks[k].pos <= limit; k++ {
			if breaks[k].inString {
				inside = k + 1
			} else {
				outside = k + 1
			}
		}
		at := limit // no break at all: a token is cut, which the two & allow
		if outside > 0 {
			at, next = breaks[outside-1].pos, outside
		} else if inside > 0 {
			at, next = breaks[inside-1].pos, inside
		}
		p.b.WriteString(prefix + text[start:at] + "&\n")
		prefix, start = cont, at
	}
}

// breakPoint is a place where a statement may go on in the next line.
type breakPoint struct {
	pos      int
	inString bool
}

// breaksOf lists where text may be broken: outside strings behind a blank or
// comma, inside strings anywhere but between two quotes that stand for one,
// and not beside a quote or &.
func breaksOf(text string) []breakPoint {
	var out []breakPoint
	var quote byte
	for i := 0; i+1 < len(text); i++ {
		c := text[i]
		switch {
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case quote == 0:
			if (c == ' ' || c == ',') && i+1 < len(text) {
				out = append(out, breakPoint{i + 1, false})
			}
		case c == quote && text[i+1] == quote:
			i++
			if i+1 < len(text) && text[i+1] != quote {
				out = append(out, breakPoint{i + 1, true})
			}
		case c == quote:
			quote = 0
		case c != '&' && text[i+1] != '&' && text[i+1] != quote && text[i+1] < 0x80:
			out = append(out, breakPoint{i + 1, true})
		}
	}
	return out
}
