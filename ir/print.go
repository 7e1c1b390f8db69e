package ir

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
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

// shownValues is how many initial values of an array are shown.
const shownValues = 20

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

func (sp spelling) list(list []Expr) []string {
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = sp.expr(e)
	}
	return parts
}

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

func precedence(e Expr) int {
	switch e := e.(type) {
	case *Bin:
		switch e.Op {
		case Add, Sub:
			return precAdd
		case Mul, Div:
			return precMul
		case Pow:
			return precPow
		case Concat:
			return precConcat
		case And:
			return precAnd
		case Or:
			return precOr
		case Eqv, Neqv:
			return precEqv
		}
		return precCompare
	case *Un:
		switch e.Op {
		case Neg:
			return precAdd
		case Not:
			return precNot
		}
	case *Const:
		if e.Typ.IsOrdered() && (e.Int < 0 || math.Signbit(e.Float)) {
			return precAdd
		}
	}
	return precPrimary
}

// ExprString is e as Fortran text, for diagnostics and comments: "u(i-1,j)".
// Implicit conversions of operands are not shown; parentheses are those of the
// source and those that a rewritten tree needs.
// Long texts are cut.
func ExprString(e Expr) string { return spelling{}.expr(e) }

// ExprText is ExprString with all that is in e: conversions, and the whole of constants.
func ExprText(e Expr) string { return spelling{conversions: true}.expr(e) }

// longestText is how much of a CHARACTER constant stands in diagnostics and comments.
const longestText = 200

// spelling says how expressions are written: with conversions as int(), real()
// and dble(), or without.
// conversions is set in dumps, which leave nothing out.
type spelling struct{ conversions bool }

func (sp spelling) expr(e Expr) string {
	switch e := e.(type) {
	case *Const:
		if len(e.Str) > longestText && !sp.conversions {
			cut := strings.TrimRight(e.Str[:longestText], " ")
			return constString(&Const{X: e.X, Str: cut + "..."})
		}
		return constString(e)
	case *Var:
		return e.Sym.Name
	case *Ref:
		return sp.element(e.Sym, e.Subs)
	case *CoRef:
		return sp.coindexed(sp.element(e.Sym, e.Subs), e.Image)
	case *Substr:
		return sp.expr(e.Base) + "(" + sp.expr(e.Lo) + ":" + sp.expr(e.Hi) + ")"
	case *Bin:
		return sp.bin(e)
	case *Un:
		switch e.Op {
		case Group:
			return "(" + sp.expr(e.E) + ")"
		case Not:
			return ".not." + sp.operand(e.E, precNot)
		}
		// -a*b is -(a*b) in Fortran, which is the tree; -(a+b) needs its own.
		return "-" + sp.operand(e.E, precMul)
	case *Conv:
		if sp.conversions {
			if e.Typ == Long {
				return "int(" + sp.expr(e.E) + ", 8)"
			}
			return map[Type]string{Integer: "int", Real: "real", Double: "dble"}[e.Typ] + "(" + sp.expr(e.E) + ")"
		}
		return sp.expr(e.E)
	case *Call:
		return e.Name + "(" + strings.Join(sp.list(e.Args), ",") + ")"
	case *ImpliedDo:
		parts := append(sp.list(e.Items), e.Index.Name+"="+sp.expr(e.Lo), sp.expr(e.Hi))
		if c, ok := e.Step.(*Const); !ok || c.Int != 1 {
			parts = append(parts, sp.expr(e.Step))
		}
		return "(" + strings.Join(parts, ",") + ")"
	}
	return "?"
}

func (sp spelling) bin(e *Bin) string {
	prec := precedence(e)
	left, right := prec, prec+1 // left associative
	switch {
	case e.Op == Pow:
		left, right = prec+1, prec
	case prec == precCompare:
		left = prec + 1
	}
	op := e.Op.String()
	switch prec {
	case precMul, precPow, precAdd, precConcat:
	default:
		op = " " + op + " "
	}
	return sp.operand(e.L, left) + op + sp.operand(e.R, right)
}

// operand writes e, in parentheses when it binds less tightly than min; a
// negative constant counts as a sum, since Fortran forbids a+-1.
func (sp spelling) operand(e Expr, min int) string {
	inner := e
	for {
		c, ok := inner.(*Conv)
		if !ok || sp.conversions {
			break
		}
		inner = c.E
	}
	text := sp.expr(inner)
	if precedence(inner) < min {
		return "(" + text + ")"
	}
	return text
}

func constString(c *Const) string {
	switch c.Typ {
	case Integer, Long:
		return strconv.Itoa(c.Int)
	case Real:
		return realString(c.Float, 32, "e")
	case Double:
		return realString(c.Float, 64, "d")
	case Complex:
		return "(" + realString(c.Float, 32, "e") + ", " + realString(c.Imag, 32, "e") + ")"
	case DoubleComplex:
		return "(" + realString(c.Float, 64, "d") + ", " + realString(c.Imag, 64, "d") + ")"
	case Logical:
		if c.Bool {
			return ".true."
		}
		return ".false."
	case Character:
		return charString(c.Str)
	}
	return "?"
}

// charString writes a CHARACTER value on one line: control characters, which
// Fortran cannot spell, and bytes that are not UTF-8 become char(n).
func charString(s string) string {
	var parts []string
	plain := ""
	flush := func() {
		if plain != "" {
			parts = append(parts, "'"+strings.ReplaceAll(plain, "'", "''")+"'")
		}
		plain = ""
	}
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 || !unicode.IsPrint(r) {
			flush()
			for _, b := range []byte(s[:n]) {
				parts = append(parts, "char("+strconv.Itoa(int(b))+")")
			}
		} else {
			plain += s[:n]
		}
		s = s[n:]
	}
	flush()
	if len(parts) == 0 {
		return "''"
	}
	return strings.Join(parts, "//")
}

// realString writes f so that reading it back gives f, with the exponent
// letter of its type: 1.5, 1d-10, 2.5d0.
func realString(f float64, bits int, letter string) string {
	text := strconv.FormatFloat(f, 'g', -1, bits)
	if strings.ContainsAny(text, "eE") {
		mantissa, exponent, _ := strings.Cut(text, "e")
		return mantissa + letter + strings.TrimPrefix(exponent, "+")
	}
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	if letter == "d" {
		text += "d0"
	}
	return text
}
