package parser

import (
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/scan"
	"github.com/spmdc/spmdc/parser/source"
)

// designator parses name, name(args), name(lo:hi) or name(args)(lo:hi).
//
// name(lo:hi) is a substring when the name is a character variable and a
// section when it is an array. The tree calls both a Substring; who knows the
// types refuses the section.
func (c *climber) designator() (ast.Expr, error) {
	name := c.lex.Next()
	var x ast.Expr = &ast.Ident{XBase: span(startOf(name), endOf(name)), Name: name.Value}
	if t := c.lex.Peek(); t.Type == scan.String {
		return c.digits(name)
	}
	x, err := c.listed(x)
	for err == nil && c.at("%") {
		x, err = c.component(x)
	}
	if err == nil && c.at("(") {
		return nil, problem(source.Syntax, c.lex.Peek(), "a second list in parentheses").
			WithHelp("an element is written a(i,j), a part of a string s(first:last)")
	}
	return x, err
}

// digits parses the string behind name: with it, it is a constant of bits like z'ff'.
func (c *climber) digits(name *lexer.Token) (ast.Expr, error) {
	t := c.lex.Next()
	letter, ok := map[string]byte{"b": 'b', "o": 'o', "z": 'z', "x": 'z'}[name.Value]
	if !ok {
		return nil, problem(source.OutsideSubset, name, "constants like "+name.Value+t.Value+" are outside the subset").
			WithHelp("write a string without prefix; bits are written b'101', o'17' or z'ff'")
	}
	x := &ast.StringLit{XBase: span(startOf(name), endOf(t)), Value: strings.ToLower(t.Value[1 : len(t.Value)-1]), Quote: letter}
	if _, ok := x.Bits(); !ok {
		return nil, problem(source.Syntax, name, "the digits of "+name.Value+t.Value+" are no number of 64 bits").
			WithHelp("behind b stand digits below 2, behind o below 8, behind z hexadecimal ones")
	}
	return x, nil
}

// component parses %name behind x, and the lists that follow it. A COMPLEX number has the parts
// re and im; whether x is one is not known here.
func (c *climber) component(x ast.Expr) (ast.Expr, error) {
	c.lex.Next()
	name := c.lex.Next()
	switch sub, isRange := x.(*ast.Substring); {
	case name.Type != scan.Ident:
		return nil, problem(source.Syntax, name, `expected the name of a component behind "%", found `+quoted(name)).
			WithHelp("a component is written a%%name")
	case name.Value == "re" || name.Value == "im":
		return &ast.Index{XBase: span(x.Position(), endOf(name)), Name: "%" + name.Value, NamePos: startOf(name), Args: []ast.Expr{x}}, nil
	case isRange: // of elements that have components
		x = withList(sub.Base, []ast.Expr{&ast.Triplet{XBase: sub.XBase, Lo: sub.Lo, Hi: sub.Hi}}, sub.End)
	}
	return c.listed(&ast.Component{XBase: span(x.Position(), endOf(name)), Base: x, Name: name.Value, NamePos: startOf(name)})
}

// listed parses the lists that may follow x, a name or component: subscripts or arguments, a
// range, images.
func (c *climber) listed(x ast.Expr) (ast.Expr, error) {
	if c.at("(") {
		open := c.lex.Next()
		args, rng, err := c.arguments()
		if err != nil {
			return nil, err
		}
		end, err := c.close(open)
		if err != nil {
			return nil, err
		}
		if rng != nil && c.at("(") { // a section, of whose elements parts are taken
			args, rng = []ast.Expr{&ast.Triplet{XBase: span(endOf(open), end), Lo: rng.lo, Hi: rng.hi}}, nil
		}
		if rng != nil {
			x = rng.of(x, end)
		} else if x = withList(x, args, end); c.at("(") {
			if x, err = c.substring(x); err != nil {
				return nil, err
			}
		}
	}
	if c.at("[") {
		return c.coindex(x)
	}
	return x, nil
}

// withList is x, a name or component, with a list in parentheses that ends at end.
func withList(x ast.Expr, args []ast.Expr, end source.Pos) ast.Expr {
	switch x := x.(type) {
	case *ast.Ident:
		return &ast.Index{XBase: span(x.Pos, end), Name: x.Name, NamePos: x.Pos, Args: args}
	case *ast.Component:
		return &ast.Component{XBase: span(x.Pos, end), Base: x.Base, Name: x.Name, NamePos: x.NamePos, List: true, Args: args}
	}
	return x
}

// cosubscript parses an image selector, or in ALLOCATE a codimension: i, *, lo:hi or lo:*.
func (c *climber) cosubscript() (ast.Expr, error) {
	first := c.lex.Peek()
	star := func() (ast.Expr, bool) {
		if !c.at("*") {
			return nil, false
		}
		t := c.lex.Next()
		return &ast.Ident{XBase: span(startOf(t), endOf(t)), Name: "*"}, true
	}
	if x, ok := star(); ok {
		return x, nil
	}
	lo, err := c.expr()
	if err != nil || !c.at(":") {
		return lo, err
	}
	c.lex.Next()
	hi, ok := star()
	if !ok {
		if hi, err = c.expr(); err != nil {
			return nil, err
		}
	}
	return &ast.Triplet{XBase: span(startOf(first), hi.EndPosition()), Lo: lo, Hi: hi}, nil
}

// imageSelector parses a cosubscript, or one of the keywords that may follow them.
func (c *climber) imageSelector() (ast.Expr, error) {
	t := c.lex.Peek()
	if t.Type != scan.Ident || c.second().Value != "=" {
		return c.cosubscript()
	}
	switch t.Value {
	case "team", "team_number", "stat":
		return c.keyword()
	}
	return nil, problem(source.Syntax, t, quoted(t)+" in an image selector").WithHelp("TEAM=, TEAM_NUMBER= and STAT= can stand there")
}

// coindex parses the [image] behind base.
func (c *climber) coindex(base ast.Expr) (ast.Expr, error) {
	open := c.lex.Next()
	x := &ast.CoIndex{Base: base}
	for {
		p, err := c.imageSelector()
		if err != nil {
			return nil, err
		}
		x.Images = append(x.Images, p)
		if !c.at(",") {
			break
		}
		c.lex.Next()
	}
	t := c.lex.Peek()
	if !c.at("]") {
		return nil, problem(source.Syntax, t, `expected "]" or an operator, found `+quoted(t)).
			WithNote(startOf(open), `to close this "["`).
			WithHelp("the form is: name(subscripts)[image]")
	}
	c.lex.Next()
	x.XBase = span(base.Position(), endOf(t))
	t = c.lex.Peek()
	if c.at("(") {
		if part, err := c.substring(x); err == nil {
			return part, nil
		}
		return nil, problem(source.Syntax, t, "behind an image selector only a part of a text can stand").
			WithHelp("an element of another image is written a(i,j)[image], a part of a text s[image](first:last)")
	}
	if c.at("[") {
		return nil, problem(source.Syntax, t, "an image selector must come last").
			WithHelp("an element of another image is written a(i,j)[image]")
	}
	return x, nil
}

// bounds is a list of one range, lo:hi.
type bounds struct{ lo, hi ast.Expr }

func (b *bounds) of(base ast.Expr, end source.Pos) ast.Expr {
	return &ast.Substring{XBase: span(base.Position(), end), Base: base, Lo: b.lo, Hi: b.hi}
}

// substring parses the (lo:hi) behind an array element.
func (c *climber) substring(base ast.Expr) (ast.Expr, error) {
	open := c.lex.Next()
	_, rng, err := c.arguments()
	if err != nil {
		return nil, err
	}
	if rng == nil {
		return nil, problem(source.Syntax, open, "a second list in parentheses that is no range").
			WithHelp("an element is written a(i,j), a part of a string s(first:last)")
	}
	end, err := c.close(open)
	if err != nil {
		return nil, err
	}
	return rng.of(base, end), nil
}

// arguments parses what stands between parentheses: a list of expressions and
// keyword arguments, or one range. The closing parenthesis is left.
func (c *climber) arguments() (args []ast.Expr, rng *bounds, err error) {
	if c.at(")") {
		return nil, nil, nil
	}
	for {
		var arg ast.Expr
		first := c.lex.Peek()
		if c.at("*") {
			arg, err = c.alternate()
		} else if first.Type == scan.Ident && c.second().Value == "=" {
			arg, err = c.keyword()
		} else if !c.at(":") && !c.at("::") {
			arg, err = c.expr()
		}
		if err != nil {
			return nil, nil, err
		}
		if c.at(":") || c.at("::") {
			section, err := c.triplet(arg, startOf(first))
			if err != nil {
				return nil, nil, err
			}
			if len(args) == 0 && section.Step == nil && (c.at(")") || c.lex.Peek().EOF()) {
				return nil, &bounds{section.Lo, section.Hi}, nil
			}
			arg = section
		}
		args = append(args, arg)
		if !c.at(",") {
			return args, nil, nil
		}
		c.lex.Next()
	}
}

// triplet parses ":hi:step" behind lo, which may be nil; pos is where it begins.
func (c *climber) triplet(lo ast.Expr, pos source.Pos) (*ast.Triplet, error) {
	colon := c.lex.Next()
	x := &ast.Triplet{XBase: span(pos, endOf(colon)), Lo: lo}
	var err error
	if colon.Value == ":" && c.startsOperand() {
		if x.Hi, err = c.expr(); err != nil {
			return nil, err
		}
		x.End = x.Hi.EndPosition()
	}
	if colon.Value == "::" || c.at(":") {
		if colon.Value == ":" {
			c.lex.Next()
		}
		if x.Step, err = c.expr(); err != nil {
			return nil, err
		}
		x.End = x.Step.EndPosition()
	}
	return x, nil
}

func (c *climber) keyword() (ast.Expr, error) {
	name := c.lex.Next()
	c.lex.Next() // =
	x, err := c.expr()
	if err != nil {
		return nil, err
	}
	return &ast.Keyword{XBase: span(startOf(name), x.EndPosition()), Name: name.Value, X: x}, nil
}

// alternate parses *10, where an alternate return of a CALL goes.
func (c *climber) alternate() (ast.Expr, error) {
	star := c.lex.Next()
	t := c.lex.Peek()
	n, err := strconv.Atoi(t.Value)
	if t.Type != scan.Int || err != nil {
		return nil, problem(source.Syntax, t, `expected a label behind "*", found `+quoted(t)).
			WithHelp("an alternate return is written call s(x, *10)")
	}
	c.lex.Next()
	return &ast.AltReturn{XBase: span(startOf(star), endOf(t)), To: ast.Target{Pos: startOf(t), Label: n}}, nil
}

// ioItem parses an item of PRINT or READ: an expression or an implied DO.
func (c *climber) ioItem() (ast.Expr, error) {
	if !c.atImpliedDo() {
		return c.expr()
	}
	if c.depth++; c.depth > maxDepth {
		return nil, problem(source.TooDeep, c.lex.Peek(), "the list is nested too deeply")
	}
	defer func() { c.depth-- }()
	open := c.lex.Next()
	do := &ast.ImpliedDo{}
	for {
		t := c.lex.Peek()
		if t.Type == scan.Ident && c.second().Value == "=" {
			do.Var = ast.Name{Pos: startOf(t), Name: t.Value}
			c.lex.Next()
			c.lex.Next()
			break
		}
		item, err := c.ioItem()
		if err != nil {
			return nil, err
		}
		do.Items = append(do.Items, item)
		if err := c.comma(); err != nil {
			return nil, err
		}
	}
	var err error
	if do.Lo, err = c.expr(); err != nil {
		return nil, err
	}
	if err := c.comma(); err != nil {
		return nil, err
	}
	if do.Hi, err = c.expr(); err != nil {
		return nil, err
	}
	if c.at(",") {
		c.lex.Next()
		if do.Step, err = c.expr(); err != nil {
			return nil, err
		}
	}
	end, err := c.close(open)
	if err != nil {
		return nil, err
	}
	do.XBase = span(startOf(open), end)
	return do, nil
}

func (c *climber) comma() error {
	if t := c.lex.Peek(); !c.at(",") {
		return problem(source.Syntax, t, `expected "," in the implied loop, found `+quoted(t)).
			WithHelp("the form is: (items, variable = first, last [, step])")
	}
	c.lex.Next()
	return nil
}

// atImpliedDo looks ahead for "( ..., name =" at the first level of
// parentheses.
func (c *climber) atImpliedDo() bool {
	if !c.at("(") {
		return false
	}
	mark := c.lex.MakeCheckpoint()
	defer c.lex.LoadCheckpoint(mark)
	depth := 0
	for {
		t := c.lex.Next()
		switch {
		case t.EOF():
			return false
		case t.Type != scan.Op:
		case t.Value == "(":
			depth++
		case t.Value == ")":
			if depth--; depth == 0 {
				return false
			}
		case t.Value == "," && depth == 1 && c.lex.Peek().Type == scan.Ident && c.second().Value == "=":
			return true
		}
	}
}
