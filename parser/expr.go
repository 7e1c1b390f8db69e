package parser

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/scan"
	"github.com/spmdc/spmdc/parser/source"
)

// expr, variable and ioItem are the places in the statement grammar where an
// expression stands. They parse it by precedence climbing.
type (
	expr     struct{ X ast.Expr }
	variable struct{ X ast.Expr }
	ioItem   struct{ X ast.Expr }
	// callee is the procedure of a CALL with its arguments.
	callee struct {
		Of   ast.Expr // x in x%name
		Name ast.Name
		Args []ast.Expr
	}
)

// Parse implements participle.Parseable.
func (e *expr) Parse(lex *lexer.PeekingLexer) (err error) {
	c := climber{lex: lex}
	if !c.startsOperand() {
		return participle.NextMatch
	}
	e.X, err = c.expr()
	return err
}

// Parse implements participle.Parseable.
func (v *variable) Parse(lex *lexer.PeekingLexer) (err error) {
	if lex.Peek().Type != scan.Ident {
		return participle.NextMatch
	}
	c := climber{lex: lex}
	v.X, err = c.designator()
	return err
}

// Parse implements participle.Parseable.
func (c *callee) Parse(lex *lexer.PeekingLexer) error {
	t := lex.Peek()
	if t.Type != scan.Ident {
		return participle.NextMatch
	}
	c.Name = ast.Name{Pos: startOf(t), Name: t.Value}
	climb := climber{lex: lex}
	if atMethod(lex) {
		return c.method(&climb)
	}
	lex.Next()
	if !climb.at("(") {
		return nil
	}
	open := lex.Next()
	args, rng, err := climb.arguments()
	if err == nil && rng != nil {
		err = problem(source.Syntax, open, "a range is no argument").WithHelp("write the array in front of it: call %s(a(1:n))", c.Name.Name)
	}
	if err == nil {
		_, err = climb.close(open)
	}
	c.Args = args
	return err
}

// Parse implements participle.Parseable.
func (i *ioItem) Parse(lex *lexer.PeekingLexer) (err error) {
	c := climber{lex: lex}
	if !c.startsOperand() {
		return participle.NextMatch
	}
	i.X, err = c.ioItem()
	return err
}

// imageSet is what stands behind SYNC, CRITICAL, EVENT POST, LOCK and their like: images, as (*), (p)
// or ([p, q]), or a variable, and keywords like STAT=.
type imageSet struct {
	list     []ast.Expr
	given    bool // images
	brackets bool
	status   []ast.Expr
}

// Parse implements participle.Parseable.
func (s *imageSet) Parse(lex *lexer.PeekingLexer) error {
	c := climber{lex: lex}
	if !c.at("(") {
		return participle.NextMatch
	}
	open := lex.Next()
	more := c.at(")")
	for !more {
		var x ast.Expr
		var err error
		switch {
		case c.lex.Peek().Type == scan.Ident && c.second().Value == "=":
			if x, err = c.keyword(); err == nil {
				s.status = append(s.status, x)
			}
		case s.given || len(s.status) > 0:
			return problem(source.Syntax, lex.Peek(), `expected a keyword like STAT= behind the first argument, found `+quoted(lex.Peek())).
				WithHelp("several images are written as an array: sync images ([p, q])")
		case c.at("*"):
			lex.Next()
			s.given = true
		default:
			s.given = true
			if x, err = c.expr(); err == nil {
				s.images(x)
			}
		}
		if err != nil {
			return err
		}
		if more = !c.at(","); !more {
			lex.Next()
		}
	}
	_, err := c.close(open)
	return err
}

// teamArgs are the arguments of FORM TEAM and CHANGE TEAM: expressions, associations of coarrays
// and keywords.
type teamArgs struct {
	list   []ast.Expr
	names  []ast.Association
	status []ast.Expr
}

// Parse implements participle.Parseable.
func (a *teamArgs) Parse(lex *lexer.PeekingLexer) error {
	c := climber{lex: lex}
	if !c.at("(") {
		return participle.NextMatch
	}
	open := lex.Next()
	for {
		if c.lex.Peek().Type == scan.Ident && c.second().Value == "=" {
			k, err := c.keyword()
			if err != nil {
				return err
			}
			a.status = append(a.status, k)
		} else if err := a.positional(&c); err != nil {
			return err
		}
		if !c.at(",") {
			break
		}
		lex.Next()
	}
	_, err := c.close(open)
	return err
}

// positional parses an argument without a keyword.
func (a *teamArgs) positional(c *climber) error {
	t := c.lex.Peek()
	x, err := c.expr()
	if err != nil {
		return err
	}
	if !c.at("=>") {
		a.list = append(a.list, x)
		return nil
	}
	c.lex.Next()
	co, _ := x.(*ast.CoIndex)
	if co == nil || !isName(co.Base) {
		return problem(source.Syntax, t, "in front of => must stand a name with codimensions").WithHelp("write change team (team, name[2,*] => coarray)")
	}
	to, err := c.expr()
	if err != nil {
		return err
	}
	name := co.Base.(*ast.Ident)
	a.names = append(a.names, ast.Association{Name: ast.Name{Pos: name.Pos, Name: name.Name}, Codims: co.Images, X: to})
	return nil
}

func isName(x ast.Expr) bool {
	_, ok := x.(*ast.Ident)
	return ok
}

// images takes x as the images.
func (s *imageSet) images(x ast.Expr) {
	if a, ok := x.(*ast.Array); ok && a.Type == nil && !slices.ContainsFunc(a.Items, isImpliedDo) {
		s.list, s.brackets = a.Items, true
		return
	}
	s.list = []ast.Expr{x}
}

func isImpliedDo(x ast.Expr) bool {
	_, ok := x.(*ast.ImpliedDo)
	return ok
}

// Binding strength of the operators, weakest first. Signs bind like + and -,
// .not. stands between .and. and the relations. An operator that the program defines
// is the weakest between two operands, and the strongest in front of one.
const (
	precDefined = iota
	precEquiv
	precOr
	precAnd
	precNot
	precRel
	precConcat
	precAdd
	precMul
	precPower
)

// binaryOps maps an operator to its strength and to the spelling that the tree
// has.
var binaryOps = map[string]struct {
	prec int
	op   string
}{
	".eqv.": {precEquiv, ".eqv."}, ".neqv.": {precEquiv, ".neqv."},
	".or.": {precOr, ".or."}, ".and.": {precAnd, ".and."},
	"==": {precRel, "=="}, ".eq.": {precRel, "=="},
	"/=": {precRel, "/="}, ".ne.": {precRel, "/="},
	"<": {precRel, "<"}, ".lt.": {precRel, "<"},
	"<=": {precRel, "<="}, ".le.": {precRel, "<="},
	">": {precRel, ">"}, ".gt.": {precRel, ">"},
	">=": {precRel, ">="}, ".ge.": {precRel, ">="},
	"//": {precConcat, "//"},
	"+":  {precAdd, "+"}, "-": {precAdd, "-"},
	"*": {precMul, "*"}, "/": {precMul, "/"},
	"**": {precPower, "**"},
}

// maxDepth bounds the nesting of parentheses and of ** so that no input can
// exhaust the stack.
const maxDepth = 400

// climber parses one expression from lex.
type climber struct {
	lex   *lexer.PeekingLexer
	depth int
}

func (c *climber) startsOperand() bool {
	t := c.lex.Peek()
	switch t.Type {
	case scan.Ident, scan.Int, scan.Real, scan.String, scan.Logical, scan.DotOp, scan.Hollerith:
		return true
	}
	return t.Value == "(" || t.Value == "-" || t.Value == "+" || t.Value == "["
}

// at reports whether the next token is the operator or punctuation op.
func (c *climber) at(op string) bool {
	t := c.lex.Peek()
	return t.Type == scan.Op && t.Value == op
}

// second returns the token behind the next one.
func (c *climber) second() *lexer.Token {
	mark := c.lex.MakeCheckpoint()
	c.lex.Next()
	t := c.lex.Peek()
	c.lex.LoadCheckpoint(mark)
	return t
}

func (c *climber) expr() (ast.Expr, error) { return c.binary(precDefined) }

// binary parses an expression of operators that bind at least as strongly as
// min. Fortran's grammar puts a sign in front of a whole term: -a*b is -(a*b),
// and a*-b is no expression.
func (c *climber) binary(min int) (ast.Expr, error) {
	if c.depth++; c.depth > maxDepth {
		return nil, problem(source.TooDeep, c.lex.Peek(), "the expression is nested too deeply").
			WithHelp("compute parts of it into variables first")
	}
	defer func() { c.depth-- }()
	x, err := c.operand(min)
	if err != nil {
		return nil, err
	}
	for {
		t := c.lex.Peek()
		op, ok := binaryOps[t.Value]
		if isDefined(t) && min == precDefined {
			c.lex.Next()
			y, err := c.binary(precEquiv)
			if err != nil {
				return nil, err
			}
			x = defined(t, x, y)
			continue
		}
		if !ok || t.Type != scan.Op && t.Type != scan.DotOp {
			return x, nil
		}
		if op.prec < min || t.Value == "/" && c.second().Value == ")" { // the end of (/ ... /)
			return x, nil
		}
		c.lex.Next()
		right := op.prec + 1
		if op.prec == precPower {
			right = precPower // a**b**c is a**(b**c)
		}
		y, err := c.binary(right)
		if err != nil {
			return nil, err
		}
		x = &ast.Binary{XBase: span(x.Position(), y.EndPosition()), Op: op.op, OpPos: startOf(t), X: x, Y: y}
		if op.prec == precRel {
			if n := c.lex.Peek(); binaryOps[n.Value].prec == precRel {
				return nil, problem(source.Syntax, n, "a comparison of a comparison").
					WithHelp("join comparisons with .and.: a < b .and. b < c")
			}
		}
	}
}

// operand parses a primary, or a sign or .not. with what it applies to.
func (c *climber) operand(min int) (ast.Expr, error) {
	t := c.lex.Peek()
	inner, outer := 0, 0
	switch {
	case t.Type == scan.Op && (t.Value == "-" || t.Value == "+"):
		outer, inner = precAdd, precMul
	case t.Type == scan.DotOp && t.Value == ".not.":
		outer, inner = precNot, precRel
	default:
		return c.primary()
	}
	if min > outer {
		return nil, problem(source.Syntax, t, "two operators in a row: "+quoted(t)+" needs parentheses").
			WithHelp("write (%s ...)", t.Value)
	}
	c.lex.Next()
	x, err := c.binary(inner)
	if err != nil {
		return nil, err
	}
	return &ast.Unary{XBase: span(startOf(t), x.EndPosition()), Op: t.Value, X: x}, nil
}

func (c *climber) primary() (ast.Expr, error) {
	t := c.lex.Peek()
	base := span(startOf(t), endOf(t))
	switch t.Type {
	case scan.Ident:
		return c.designator()
	case scan.Int:
		c.lex.Next()
		text, kind, _ := strings.Cut(t.Value, "_")
		return &ast.IntLit{XBase: base, Text: text, Kind: kind}, nil
	case scan.Real:
		c.lex.Next()
		text, kind, _ := strings.Cut(t.Value, "_")
		return &ast.RealLit{XBase: base, Text: text, Kind: kind}, nil
	case scan.String:
		c.lex.Next()
		first := strings.IndexAny(t.Value, `'"`)
		kind, q := strings.ToLower(strings.TrimSuffix(t.Value[:first], "_")), t.Value[first:first+1]
		x := &ast.StringLit{XBase: base, Quote: q[0], Kind: kind, Value: strings.ReplaceAll(t.Value[first+1:len(t.Value)-1], q+q, q)}
		if c.at("(") {
			return c.substring(x)
		}
		return x, nil
	case scan.Logical:
		c.lex.Next()
		text, kind, _ := strings.Cut(t.Value, "_")
		return &ast.LogicalLit{XBase: base, Value: text == ".true.", Kind: kind}, nil
	case scan.Hollerith:
		c.lex.Next()
		_, text, _ := strings.Cut(strings.ToLower(t.Value), "h")
		return &ast.StringLit{XBase: base, Quote: 'h', Value: t.Value[len(t.Value)-len(text):]}, nil
	}
	if isDefined(t) {
		c.lex.Next()
		x, err := c.primary()
		if err != nil {
			return nil, err
		}
		return defined(t, x), nil
	}
	switch {
	case c.at("("):
		return c.paren()
	case c.at("["):
		return c.array(c.lex.Next(), "]")
	}
	return nil, problem(source.Syntax, t, "an operand is missing: found "+quoted(t))
}

func (c *climber) paren() (ast.Expr, error) {
	open := c.lex.Next()
	if c.at("/") {
		c.lex.Next()
		return c.array(open, "/")
	}
	x, err := c.expr()
	if err != nil {
		return nil, err
	}
	if c.at(",") {
		return c.complex(open, x)
	}
	end, err := c.close(open)
	if err != nil {
		return nil, err
	}
	return &ast.Paren{XBase: span(startOf(open), end), X: x}, nil
}

// close takes the parenthesis that closes open and returns its end.
func (c *climber) close(open *lexer.Token) (source.Pos, error) {
	t := c.lex.Peek()
	if !c.at(")") {
		return source.Pos{}, problem(source.Syntax, t, `expected ")" or an operator, found `+quoted(t)).
			WithNote(startOf(open), `to close this "("`).
			WithHelp(`add the ")" or an operator between two operands`)
	}
	c.lex.Next()
	return endOf(t), nil
}

func span(pos, end source.Pos) ast.XBase { return ast.XBase{Pos: pos, End: end} }

// isDefined reports whether t is an operator that the program defines, as .cross.
func isDefined(t *lexer.Token) bool {
	_, ok := binaryOps[t.Value]
	return t.Type == scan.DotOp && !ok && t.Value != ".not."
}

// defined is operator t of the program with its operands: a reference to the function
// that has the generic name operator(t).
func defined(t *lexer.Token, operands ...ast.Expr) ast.Expr {
	x := &ast.Index{Name: ast.OperatorName(t.Value), NamePos: startOf(t), Args: operands}
	x.XBase = span(startOf(t), operands[len(operands)-1].EndPosition())
	if len(operands) == 2 {
		x.Pos = operands[0].Position()
	}
	return x
}
