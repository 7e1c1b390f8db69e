package parser

import (
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/scan"
	"github.com/spmdc/spmdc/parser/source"
)

// The statements of FORTRAN 77 that say what names mean, which storage they have, and what
// is in it at first.
type (
	implicitTypes struct {
		Rules []implicitRule `parser:"'implicit' @@ ( ',' @@ )*"`
	}
	// implicitRule is "real(8) (a-h, o-z)".
	implicitRule struct {
		typ    *typeSpec
		ranges []ast.LetterRange
	}
	dataStmt struct {
		Sets []dataSet `parser:"'data' @@ ( ','? @@ )*"`
	}
	// dataSet is "a, b(1) / 1, 2*0 /".
	dataSet struct{ set ast.DataSet }
	// dataValues is "/ 1, 2*0 /".
	dataValues struct{ list []ast.DataValue }

	saveStmt struct {
		Names []saved `parser:"'save' ( '::'? @@ ( ',' @@ )* )?"`
	}
	saved struct {
		Name  *lexer.Token `parser:"( @Ident"`
		Block *lexer.Token `parser:"| '/' @Ident '/' )"`
	}
	commonStmt struct {
		Items []commonItem `parser:"'common' @@ @@*"`
	}
	// commonItem is a name, with the name of its block where that begins.
	commonItem struct {
		Comma bool         `parser:"@','?"`
		Blank *lexer.Token `parser:"( @'//'"`
		Slash *lexer.Token `parser:"| @'/'"`
		Block *lexer.Token `parser:"  @Ident? '/' )?"`
		Item  shaped       `parser:"@@"`
	}
	namelistStmt struct {
		Groups []namelistGroup `parser:"'namelist' @@ ( ','? @@ )*"`
	}
	namelistGroup struct {
		Name  lexer.Token   `parser:"'/' @Ident '/'"`
		Names []groupMember `parser:"@@ ( ',' @@ )*"`
	}
	groupMember struct {
		Name lexer.Token `parser:"@Ident"`
	}
	equivalenceStmt struct {
		Groups []equivalent `parser:"'equivalence' @@ ( ',' @@ )*"`
	}
	equivalent struct {
		Names []variable `parser:"'(' @@ ( ',' @@ )* ')'"`
	}
	blockDataStmt struct {
		Word lexer.Token  `parser:"( @'blockdata' | @'block' 'data' )"`
		Name *lexer.Token `parser:"@Ident?"`
	}
)

// Parse implements participle.Parseable. Both the kind of a type and the letters stand in
// parentheses: the letters come last.
func (r *implicitRule) Parse(lex *lexer.PeekingLexer) (err error) {
	c := climber{lex: lex}
	if lex.Peek().Type != scan.Ident {
		return participle.NextMatch
	}
	if r.typ, err = c.typeSpec(c.listFollows); err != nil {
		return err
	}
	if !c.at("(") {
		return problem(source.Syntax, lex.Peek(), "expected the letters in parentheses, found "+quoted(lex.Peek())).
			WithHelp("the form is: implicit real(8) (a-h, o-z)")
	}
	open := lex.Next()
	for {
		rng := ast.LetterRange{Pos: startOf(lex.Peek())}
		if rng.From, err = c.letter(); err != nil {
			return err
		}
		rng.To = rng.From
		if c.at("-") {
			lex.Next()
			if rng.To, err = c.letter(); err != nil {
				return err
			}
		}
		if rng.To < rng.From {
			return problem(source.Syntax, open, "the letters are in the wrong order").WithHelp("write (%c-%c)", rng.To, rng.From)
		}
		r.ranges = append(r.ranges, rng)
		if !c.at(",") {
			break
		}
		lex.Next()
	}
	_, err = c.close(open)
	return err
}

func (c *climber) letter() (byte, error) {
	t := c.lex.Peek()
	if t.Type != scan.Ident || len(t.Value) != 1 {
		return 0, problem(source.Syntax, t, "expected a letter, found "+quoted(t)).WithHelp("the form is: implicit real(8) (a-h, o-z)")
	}
	c.lex.Next()
	return t.Value[0], nil
}

// listFollows reports whether behind the parentheses that begin here others begin.
func (c *climber) listFollows() bool {
	mark := c.lex.MakeCheckpoint()
	defer c.lex.LoadCheckpoint(mark)
	for depth := 0; ; {
		t := c.lex.Next()
		switch {
		case t.EOF():
			return false
		case t.Type == scan.Op && t.Value == "(":
			depth++
		case t.Type == scan.Op && t.Value == ")":
			if depth--; depth == 0 {
				return c.at("(")
			}
		}
	}
}

// typeSpec parses a type where the grammar cannot, since what stands behind it may be in
// parentheses too; hasKind reports whether parentheses behind the word are of the type.
func (c *climber) typeSpec(hasKind func() bool) (*typeSpec, error) {
	g := &typeSpec{Word: *c.lex.Next()}
	if next := c.lex.Peek().Value; g.Word.Value == "double" && (next == "precision" || next == "complex") {
		g.Of = c.lex.Next()
	}
	var err error
	switch {
	case !isTypeWord(g.Word.Value):
		if source.Nearest(g.Word.Value, "none") != "" {
			return nil, problem(source.Syntax, &g.Word, quoted(&g.Word)+" is no type").WithHelp("did you mean NONE?")
		}
		return nil, problem(source.Syntax, &g.Word, quoted(&g.Word)+" is no type").
			WithHelp("the types are integer, real, double precision, complex, logical and character")
	case c.at("*"):
		c.lex.Next()
		g.Star, err = c.starLen()
	case c.at("(") && hasKind():
		open := c.lex.Next()
		for {
			var arg typeArg
			if t := c.lex.Peek(); t.Type == scan.Ident && c.second().Value == "=" {
				arg.Key = c.lex.Next()
				c.lex.Next()
			}
			if c.at("*") || c.at(":") {
				arg.Any = c.lex.Next()
			} else {
				arg.X = &expr{}
				if arg.X.X, err = c.expr(); err != nil {
					return nil, err
				}
			}
			g.Args = append(g.Args, arg)
			if !c.at(",") {
				break
			}
			c.lex.Next()
		}
		_, err = c.close(open)
	}
	return g, err
}

func isTypeWord(word string) bool {
	switch word {
	case "integer", "real", "complex", "logical", "character", "double", "doubleprecision", "doublecomplex", "byte":
		return true
	}
	return false
}

// starLen parses what follows the * in REAL*8 or CHARACTER*(n).
func (c *climber) starLen() (*starLen, error) {
	s := &starLen{}
	if c.lex.Peek().Type == scan.Int {
		s.Int = c.lex.Next()
		return s, nil
	}
	if !c.at("(") {
		return nil, problem(source.Syntax, c.lex.Peek(), "expected a size, found "+quoted(c.lex.Peek()))
	}
	open := c.lex.Next()
	if c.at("*") {
		s.Any = c.lex.Next()
	} else {
		s.X = &expr{}
		var err error
		if s.X.X, err = c.expr(); err != nil {
			return nil, err
		}
	}
	_, err := c.close(open)
	return s, err
}

func (g *implicitTypes) build(p *parser, base ast.Base) ast.Stmt {
	s := &ast.Implicit{Base: base}
	for i := range g.Rules {
		r := ast.ImplicitRule{Letters: g.Rules[i].ranges}
		if !g.Rules[i].typ.build(p, &r.Type) {
			return nil
		}
		s.Rules = append(s.Rules, r)
	}
	return s
}

// Parse implements participle.Parseable.
func (d *dataSet) Parse(lex *lexer.PeekingLexer) error {
	c := climber{lex: lex}
	if lex.Peek().Type != scan.Ident && !c.at("(") {
		return participle.NextMatch
	}
	for {
		var x ast.Expr
		var err error
		switch {
		case c.atImpliedDo():
			x, err = c.ioItem()
		case lex.Peek().Type == scan.Ident:
			x, err = c.designator()
		default:
			err = problem(source.Syntax, lex.Peek(), "expected a variable, found "+quoted(lex.Peek()))
		}
		if err != nil {
			return err
		}
		d.set.Objects = append(d.set.Objects, x)
		if !c.at(",") {
			break
		}
		lex.Next()
	}
	var err error
	d.set.Values, err = c.dataValues()
	return err
}

// dataValues parses "/ 1, 2*0 /".
func (c *climber) dataValues() (list []ast.DataValue, err error) {
	t := c.lex.Peek()
	if !c.at("/") {
		return nil, problem(source.Syntax, t, `expected "/" in front of the values, found `+quoted(t)).
			WithHelp("the form is: data a, b / 1.0, 2.0 /")
	}
	c.lex.Next()
	for {
		var v ast.DataValue
		if v.X, err = c.constant(); err != nil {
			return nil, err
		}
		if c.at("*") {
			c.lex.Next()
			v.Repeat = v.X
			if v.X, err = c.constant(); err != nil {
				return nil, err
			}
		}
		list = append(list, v)
		if c.at("/") {
			c.lex.Next()
			return list, nil
		}
		if t := c.lex.Peek(); !c.at(",") {
			return nil, problem(source.Syntax, t, `expected "," or "/" behind a value, found `+quoted(t)).
				WithHelp("values are constants: compute one by PARAMETER, and write its name")
		}
		c.lex.Next()
	}
}

// constant parses a constant with its sign.
func (c *climber) constant() (ast.Expr, error) {
	t := c.lex.Peek()
	if !c.at("-") && !c.at("+") {
		return c.primary()
	}
	c.lex.Next()
	x, err := c.primary()
	if err != nil {
		return nil, err
	}
	return &ast.Unary{XBase: span(startOf(t), x.EndPosition()), Op: t.Value, X: x}, nil
}

func (g *dataStmt) build(_ *parser, base ast.Base) ast.Stmt {
	s := &ast.Data{Base: base}
	for i := range g.Sets {
		s.Sets = append(s.Sets, g.Sets[i].set)
	}
	return s
}

// Parse implements participle.Parseable.
func (d *dataValues) Parse(lex *lexer.PeekingLexer) (err error) {
	c := climber{lex: lex}
	if !c.at("/") {
		return participle.NextMatch
	}
	d.list, err = c.dataValues()
	return err
}

func (g *saveStmt) build(_ *parser, base ast.Base) ast.Stmt {
	s := &ast.Save{Base: base}
	for _, n := range g.Names {
		if n.Name != nil {
			s.Names = append(s.Names, ast.Name{Pos: startOf(n.Name), Name: n.Name.Value})
		} else {
			s.Blocks = append(s.Blocks, ast.Name{Pos: startOf(n.Block), Name: n.Block.Value})
		}
	}
	return s
}

func (g *commonStmt) build(p *parser, base ast.Base) ast.Stmt {
	s := &ast.Common{Base: base}
	for i := range g.Items {
		item := &g.Items[i]
		begins := item.Blank != nil || item.Slash != nil
		switch {
		case item.Comma && i == 0, !item.Comma && i > 0 && !begins:
			p.diags.Add(problem(source.Syntax, &item.Item.Name, `expected one "," in front of `+quoted(&item.Item.Name)))
			return nil
		case begins || i == 0:
			b := ast.CommonBlock{Name: ast.Name{Pos: base.Pos}}
			if item.Block != nil {
				b.Name = ast.Name{Pos: startOf(item.Block), Name: item.Block.Value}
			}
			s.Blocks = append(s.Blocks, b)
		}
		e := ast.Entity{Pos: startOf(&item.Item.Name), Name: item.Item.Name.Value}
		var ok bool
		if e.Dims, ok = p.dims(item.Item.Dims, true); !ok {
			return nil
		}
		last := &s.Blocks[len(s.Blocks)-1]
		last.Entities = append(last.Entities, e)
	}
	return s
}

func (g *namelistStmt) build(_ *parser, base ast.Base) ast.Stmt {
	s := &ast.Namelist{Base: base}
	for i := range g.Groups {
		group := ast.NamelistGroup{Name: ast.Name{Pos: startOf(&g.Groups[i].Name), Name: g.Groups[i].Name.Value}}
		for k := range g.Groups[i].Names {
			n := &g.Groups[i].Names[k].Name
			group.Names = append(group.Names, ast.Name{Pos: startOf(n), Name: n.Value})
		}
		s.Groups = append(s.Groups, group)
	}
	return s
}

func (g *equivalenceStmt) build(p *parser, base ast.Base) ast.Stmt {
	s := &ast.Equivalence{Base: base}
	for _, group := range g.Groups {
		var list []ast.Expr
		for _, v := range group.Names {
			list = append(list, v.X)
		}
		if len(list) < 2 {
			p.diags.Errorf(source.Syntax, list[0].Position(), "EQUIVALENCE of one name").WithHelp("write two names or more: equivalence (a, b)")
			return nil
		}
		s.Groups = append(s.Groups, list)
	}
	return s
}

func (g *blockDataStmt) build(_ *parser, base ast.Base) ast.Stmt {
	return &unitHead{base, &ast.Program{Pos: base.Pos, Kind: ast.BlockDataUnit, Name: strings.TrimSpace(valueOf(g.Name))}}
}
