package parser

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/scan"
	"github.com/spmdc/spmdc/parser/source"
)

// The grammars of ALLOCATABLE, ALLOCATE and DEALLOCATE.
type (
	allocatableStmt struct {
		Word     lexer.Token `parser:"@( 'allocatable' | 'pointer' | 'codimension' ) '::'?"`
		Entities []coshaped  `parser:"@@ ( ',' @@ )*"`
	}
	coshaped struct {
		Name lexer.Token `parser:"@Ident"`
		Dims []dimension `parser:"( '(' @@ ( ',' @@ )* ')' )?"`
		Co   []dimension `parser:"( '[' @@ ( ',' @@ )* ']' )?"`
	}
	allocateStmt struct {
		Word lexer.Token `parser:"@( 'allocate' | 'deallocate' )"`
		List allocations `parser:"@@"`
	}
	// allocations is the list in parentheses. A type in front of it, as in
	// "allocate (real(8) :: a(n))", says what the declarations say, and is passed over; but the
	// length of "allocate (character(len=n) :: s)" is the argument LEN.
	allocations struct {
		Args []ast.Expr
		Of   ast.Name // a derived type in front
	}
)

// Parse implements participle.Parseable.
func (a *allocations) Parse(lex *lexer.PeekingLexer) error {
	c := climber{lex: lex}
	if !c.at("(") {
		return participle.NextMatch
	}
	open := lex.Next()
	length := c.typeLength()
	if t := lex.Peek(); t.Type == scan.Ident && c.second().Value == "::" && !intrinsicWords[t.Value] {
		a.Of = ast.Name{Pos: startOf(t), Name: t.Value}
	}
	c.passType()
	args, rng, err := c.arguments()
	if length != nil && err == nil {
		args = append(args, length)
	}
	if err == nil && rng != nil || err == nil && len(args) == 0 {
		err = problem(source.Syntax, open, "no array to allocate").WithHelp("write its name and its extents: allocate (a(n))")
	}
	if err == nil {
		_, err = c.close(open)
	}
	a.Args = args
	return err
}

// intrinsicWords are the types without parentheses.
var intrinsicWords = map[string]bool{"integer": true, "real": true, "complex": true, "logical": true, "character": true, "doubleprecision": true, "doublecomplex": true, "byte": true}

// typeLength is the length in the type CHARACTER, if that stands here; nothing is passed over.
func (c *climber) typeLength() ast.Expr {
	begin := c.lex.MakeCheckpoint()
	defer c.lex.LoadCheckpoint(begin)
	word := c.lex.Next()
	if word.Value != "character" || !c.at("(") {
		return nil
	}
	if c.lex.Next(); c.lex.Peek().Value == "len" && c.second().Value == "=" {
		c.lex.Next()
		c.lex.Next()
	}
	if c.at(":") || c.at("*") {
		return nil
	}
	x, err := c.expr()
	if err != nil || !c.at(")") {
		return nil
	}
	if c.lex.Next(); !c.at("::") {
		return nil
	}
	return &ast.Keyword{XBase: span(startOf(word), x.EndPosition()), Name: "len", X: x}
}

// passType passes over a type and the "::" behind it, if they stand here.
func (c *climber) passType() {
	begin := c.lex.MakeCheckpoint()
	for depth := 0; depth >= 0; {
		t := c.lex.Next()
		switch {
		case t.EOF(), t.Type == scan.Op && t.Value == ",":
			if depth == 0 || t.EOF() {
				depth = -1
			}
		case t.Type != scan.Op:
		case t.Value == "(":
			depth++
		case t.Value == ")":
			depth--
		case t.Value == "::" && depth == 0:
			return
		}
	}
	c.lex.LoadCheckpoint(begin)
}

func (g *allocatableStmt) build(p *parser, base ast.Base) ast.Stmt {
	s := &ast.AllocatableStmt{Base: base, Pointer: g.Word.Value == "pointer", Codimension: g.Word.Value == "codimension"}
	ok := true
	for i := range g.Entities {
		e := &g.Entities[i]
		ent := ast.Entity{Pos: startOf(&e.Name), Name: e.Name.Value}
		ent.Dims, ok = p.dims(e.Dims, ok)
		ent.Codims, ok = p.codims(e.Co, ok)
		switch {
		case s.Codimension && (len(e.Co) == 0 || len(e.Dims) > 0):
			p.diags.Add(problem(source.Syntax, &e.Name, "CODIMENSION of "+quoted(&e.Name)+" without codimensions, or with extents").WithHelp("the form is: codimension :: name[codimensions], ..."))
			ok = false
		case s.Pointer && len(e.Co) > 0:
			p.diags.Add(problem(source.Syntax, &e.Name, quoted(&e.Name)+" is a POINTER, and has codimensions").WithHelp("write ALLOCATABLE, or remove them"))
			ok = false
		}
		s.Entities = append(s.Entities, ent)
	}
	if !ok {
		return nil
	}
	return s
}

func (g *allocateStmt) build(_ *parser, base ast.Base) ast.Stmt {
	return &ast.Allocate{Base: base, Free: g.Word.Value == "deallocate", Of: g.List.Of, Args: g.List.Args}
}
