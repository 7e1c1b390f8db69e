package parser

import (
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/scan"
	"github.com/spmdc/spmdc/parser/source"
)

// array parses an array constructor behind its "[" or "(/"; end is "]", or "/" with a
// parenthesis behind it. Its items may be implied DO loops, with a type in front of all.
func (c *climber) array(open *lexer.Token, end string) (ast.Expr, error) {
	x := &ast.Array{Brackets: end == "]"}
	if c.typeInFront() {
		g, err := c.typeSpec(func() bool { return true })
		if err != nil {
			return nil, err
		}
		p := &parser{diags: &source.List{}}
		x.Type = &ast.TypeSpec{}
		if !g.build(p, x.Type) {
			return nil, p.diags.Diags[0]
		}
		c.lex.Next() // ::
	}
	for first := true; !c.at(end); first = false {
		if !first {
			if t := c.lex.Peek(); !c.at(",") {
				return nil, problem(source.Syntax, t, "expected \",\" or the end of the array constructor, found "+quoted(t)).
					WithNote(startOf(open), "it begins here").WithHelp("the form is: [1, 2, 3]  or  (/ 1, 2, 3 /)")
			}
			c.lex.Next()
		}
		item, err := c.ioItem()
		if err != nil {
			return nil, err
		}
		x.Items = append(x.Items, item)
	}
	last := c.lex.Next()
	if end == "/" {
		pos, err := c.close(open)
		x.XBase = span(startOf(open), pos)
		return x, err
	}
	x.XBase = span(startOf(open), endOf(last))
	return x, nil
}

// typeInFront reports whether a type and "::" follow.
func (c *climber) typeInFront() bool {
	if t := c.lex.Peek(); t.Type != scan.Ident || !isTypeWord(t.Value) {
		return false
	}
	mark := c.lex.MakeCheckpoint()
	defer c.lex.LoadCheckpoint(mark)
	for depth := 0; ; {
		t := c.lex.Next()
		switch {
		case t.EOF() || t.Type == scan.Op && t.Value == "," && depth == 0:
			return false
		case t.Type != scan.Op:
		case t.Value == "(":
			depth++
		case t.Value == ")":
			depth--
		case t.Value == "::" && depth == 0:
			return true
		}
	}
}

// complex parses the ", im)" behind "(re" of a complex constant.
func (c *climber) complex(open *lexer.Token, re ast.Expr) (ast.Expr, error) {
	c.lex.Next()
	im, err := c.expr()
	if err != nil {
		return nil, err
	}
	if t := c.lex.Peek(); c.at(",") {
		return nil, problem(source.Syntax, t, "a list in parentheses").
			WithHelp("a complex constant has two parts: (1.0, -2.0); a list has a meaning only with a loop, in PRINT or READ")
	}
	end, err := c.close(open)
	if err != nil {
		return nil, err
	}
	return &ast.Complex{XBase: span(startOf(open), end), Re: re, Im: im}, nil
}
