package ir

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Fprint writes p in a Fortran-like form, one statement per line behind its
// source line number: declarations with types and bounds made explicit, then the
// mapping directives, then the statements.
//
//	3 | real(8) :: a(1:10)
//	7 |    do i = 2, 10, 1
//	8 |       a(i) = dble(i)
//	9 |    end do
//
// The text behind the bar is Fortran again, but for the names of temporaries.
func Fprint(w io.Writer, p *Program) error {
	pr := &printer{w: w}
	pr.line(p.Pos.Line, "program %s", p.Name)
	if p.Checkpoints() {
		pr.line(0, "use spmd")
	}
	for _, s := range p.Symbols {
		pr.line(s.Pos.Line, "%s", s.Decl())
	}
	for _, d := range p.HPF {
		pr.line(d.Pos.Line, "!hpf$ %s", d)
	}
	pr.block(p.Body)
	pr.line(0, "end program %s", p.Name)
	return pr.err
}

// printer writes lines and keeps the first error.
type printer struct {
	w     io.Writer
	depth int
	err   error

	site   *Site  // of the statement before
	remark string // names the call that the statement is the first of
}

func (p *printer) line(no int, format string, args ...any) {
	if p.err != nil {
		return
	}
	number := ""
	if no > 0 {
		number = strconv.Itoa(no)
	}
	text := strings.Repeat("   ", p.depth) + fmt.Sprintf(format, args...)
	_, p.err = fmt.Fprintf(p.w, "%4s | %s\n", number, text)
}

func (p *printer) block(body []Stmt) {
	p.depth++
	outer := p.site
	for _, s := range body {
		p.remark = ""
		if at := s.CallSite(); at != p.site {
			p.site = at
			if at != nil && at != outer {
				p.remark = "   ! in " + at.String()
			}
		}
		p.stmt(s)
	}
	p.site = outer
	p.depth--
}

func (p *printer) stmt(s Stmt) {
	at := s.Position().Line
	p.line(at, "%s%s", spelling{conversions: true}.stmt(s), p.remark)
	switch s := s.(type) {
	case *Do:
		p.block(s.Body)
		p.line(s.End.Line, "%s", strings.TrimSpace("end do "+s.Name))
	case *While:
		p.block(s.Body)
		p.line(s.End.Line, "%s", strings.TrimSpace("end do "+s.Name))
	case *If:
		p.block(s.Then)
		if len(s.Else) > 0 {
			p.line(0, "else")
			p.block(s.Else)
		}
		p.line(0, "end if")
	case *Critical:
		p.block(s.Body)
		p.line(0, "end critical")
	}
}

// StmtString is the first line of s: all of a simple statement, the head of a
// loop or conditional.
func StmtString(s Stmt) string { return spelling{}.stmt(s) }

func (sp spelling) stmt(s Stmt) string {
	switch s := s.(type) {
	case *Assign:
		if c, ok := s.RHS.(*Call); ok && c.Name == "setsub" && Same(s.LHS, c.Args[0]) {
			return sp.expr(&Substr{Base: s.LHS, Lo: c.Args[1], Hi: c.Args[2]}) + " = " + sp.expr(c.Args[3])
		}
		return sp.expr(s.LHS) + " = " + sp.expr(s.RHS)
	case *Do:
		text := fmt.Sprintf("%sdo %s = %s, %s, %s", label(s.Name), s.Index.Name, sp.expr(s.Lo), sp.expr(s.Hi), sp.expr(s.Step))
		if s.Independent != nil {
			text += "   ! " + s.Independent.String()
		}
		if s.Gathered != "" {
			text += "   ! on gathered arrays"
		}
		return text
	case *While:
		return label(s.Name) + "do while (" + sp.expr(s.Cond) + ")"
	case *If:
		return "if (" + sp.expr(s.Cond) + ") then"
	case *Exit:
		return "exit" + loopRef(s.Loop)
	case *Cycle:
		return "cycle" + loopRef(s.Loop)
	case *Print:
		format := "*"
		if s.Format != nil {
			format = sp.expr(s.Format)
		}
		head := "print " + format
		if s.Unformatted || s.Keys != "" || s.Catch {
			head = "write(" + strings.Join(sp.transfer(s.Unit, s.Format, s.Unformatted, s.Keys, s.Given), ", ")
			if s.Stay {
				head += ", advance='no'"
			}
			if s.Catch {
				head += ", catch"
			}
			return strings.TrimSuffix(head+") "+strings.Join(sp.list(s.Items), ", "), " ")
		}
		if s.Unit != nil || s.Stay {
			head = "write(*, " + format
			if s.Unit != nil {
				head = "write(" + sp.expr(s.Unit) + ", " + format
			}
			if s.Stay {
				head += ", advance='no'"
			}
			return strings.TrimSuffix(head+") "+strings.Join(sp.list(s.Items), ", "), " ")
		}
		return strings.Join(append([]string{head}, sp.list(s.Items)...), ", ")
	case *Read:
		return sp.read(s)
	case *Stop:
		text := "stop"
		if s.Error {
			text = "error stop"
		}
		if s.Quiet {
			text = "call exit"
		}
		if s.Code != nil {
			text += " " + sp.expr(s.Code)
		}
		return text
	case *Allocate:
		if s.Free {
			return "deallocate (" + s.Sym.Name + ")"
		}
		if s.Keep {
			return "grow (" + s.Sym.Name + ")"
		}
		return "allocate (" + s.Sym.Name + ")"
	case *Checkpoint:
		return "call spmd_checkpoint()"
	}
	return sp.images(s)
}

// transfer is what READ and WRITE have in parentheses.
func (sp spelling) transfer(unit, format Expr, unformatted bool, keys string, given []Expr) []string {
	list := []string{"*"}
	if unit != nil {
		list[0] = sp.expr(unit)
	}
	switch {
	case unformatted:
	case format != nil:
		list = append(list, sp.expr(format))
	default:
		list = append(list, "*")
	}
	for i, key := range strings.Fields(keys) {
		list = append(list, key+"="+sp.expr(given[i]))
	}
	return list
}

func (sp spelling) read(s *Read) string {
	if s.What != "" {
		name, keys, _ := strings.Cut(s.What, " ")
		text := "call " + name + "(" + keys + ")"
		for _, e := range s.Given {
			text += " " + sp.expr(e)
		}
		for _, v := range s.Items {
			text += " " + v.Sym.Name
		}
		return text
	}
	head := "read(" + strings.Join(sp.transfer(s.From, s.Format, s.Unformatted, s.Keys, s.Given), ", ")
	if s.Iostat != nil {
		head += ", iostat=" + s.Iostat.Name
	}
	items := make([]string, len(s.Items))
	for i, v := range s.Items {
		items[i] = v.Sym.Name
	}
	if s.Stay {
		head += ", stay"
	}
	if s.Times != nil {
		return head + ") " + sp.expr(s.Times) + " times " + symbolNames(s.Vectors)
	}
	text := strings.TrimSuffix(head+") "+strings.Join(items, ", "), " ")
	var got []*Symbol
	for _, f := range s.Got {
		if f != nil {
			got = append(got, f)
		}
	}
	if sp.conversions && len(got) > 0 {
		text += "   ! given: " + symbolNames(got)
	}
	return text
}

func label(name string) string {
	if name == "" {
		return ""
	}
	return name + ": "
}

// loopRef names the loop of an EXIT or CYCLE: by its name, else by the line it
// begins on.
func loopRef(loop Stmt) string {
	name := ""
	switch l := loop.(type) {
	case *Do:
		name = l.Name
	case *While:
		name = l.Name
	}
	if name == "" {
		return fmt.Sprintf("   ! loop of line %d", loop.Position().Line)
	}
	return " " + name
}

// shownValues is how many initial values of an array are shown.
const shownValues = 20

// Operator precedence of Fortran, higher binds tighter.
const (
	precEqv = iota + 1
	precOr
	precAnd
	precNot
	precCompare
	precConcat
	precAdd
	precMul
	precPow
	precPrimary
)

// longestText is how much of a CHARACTER constant stands in diagnostics and comments.
const longestText = 200

// spelling says how expressions are written: with conversions as int(), real()
// and dble(), or without.
// conversions is set in dumps, which leave nothing out.
type spelling struct{ conversions bool }
