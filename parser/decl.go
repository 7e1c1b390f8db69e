package parser

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/scan"
	"github.com/spmdc/spmdc/parser/source"
)

// The grammars of the declarations.
type (
	programStmt struct {
		Name lexer.Token `parser:"'program' @Ident"`
	}
	implicitStmt struct {
		None bool     `parser:"'implicit' @'none'"`
		What []string `parser:"( '(' ( @'type' | @'external' ) ( ',' ( @'type' | @'external' ) )* ')' )?"`
	}
	typeDecl struct {
		Type     typeSpec    `parser:"@@"`
		Attrs    []attribute `parser:"( ',' @@ )*"`
		Colons   bool        `parser:"@'::'?"`
		Entities []entity    `parser:"@@ ( ',' @@ )*"`
	}
	parameterStmt struct {
		Names []constant `parser:"'parameter' '(' @@ ( ',' @@ )* ')'"`
	}
	dimensionStmt struct {
		Entities []shaped `parser:"'dimension' '::'? @@ ( ',' @@ )*"`
	}

	typeSpec struct {
		Word lexer.Token  `parser:"( @('integer' | 'real' | 'complex' | 'logical' | 'character' | 'doubleprecision' | 'doublecomplex' | 'byte' | 'type' | 'class') | @'double'"`
		Of   *lexer.Token `parser:"@('precision' | 'complex') )"`
		Star *starLen     `parser:"( '*' @@"`
		Args []typeArg    `parser:"| '(' @@ ( ',' @@ )* ')' )?"`
	}
	// starLen is what follows the * in REAL*8 or CHARACTER*(n).
	starLen struct {
		Int *lexer.Token `parser:"( @Int"`
		Any *lexer.Token `parser:"| '(' ( @'*'"`
		X   *expr        `parser:"| @@ ) ')' )"`
	}
	typeArg struct {
		Key *lexer.Token `parser:"( (?= Ident '=') @( 'kind' | 'len' ) '=' )?"`
		Any *lexer.Token `parser:"( @( '*' | ':' )"`
		X   *expr        `parser:"| @@ )"`
	}
	attribute struct {
		Dims []dimension  `parser:"( 'dimension' '(' @@ ( ',' @@ )* ')'"`
		Co   []dimension  `parser:"| 'codimension' '[' @@ ( ',' @@ )* ']'"`
		Word *lexer.Token `parser:"| @Ident"`
		Arg  *expr        `parser:"( '(' @@"`
		Out  *lexer.Token `parser:"@'out'? ')' )? )"` // of INTENT(IN OUT)
	}
	entity struct {
		Name lexer.Token `parser:"@Ident"`
		Dims []dimension `parser:"( '(' @@ ( ',' @@ )* ')' )?"`
		Co   []dimension `parser:"( '[' @@ ( ',' @@ )* ']' )?"`
		Len  *starLen    `parser:"( '*' @@ )?"`
		Data *dataValues `parser:"( @@"`
		Null *expr       `parser:"| '=>' @@"`
		Init *expr       `parser:"| '=' @@ )?"`
	}
	constant struct {
		Name lexer.Token `parser:"@Ident '='"`
		X    expr        `parser:"@@"`
	}
	shaped struct {
		Name lexer.Token `parser:"@Ident"`
		Dims []dimension `parser:"( '(' @@ ( ',' @@ )* ')' )?"`
	}
	dimension struct {
		Pos    lexer.Position
		Star   bool         `parser:"( @'*'"`
		First  *expr        `parser:"| @@"`
		Colon  *lexer.Token `parser:"  ( @':'"`
		Second *expr        `parser:"    ( @@"`
		Free   bool         `parser:"    | @'*' )? )?"`
		Any    bool         `parser:"| @':' )"`
	}
)

func (g *programStmt) build(_ *parser, base ast.Base) ast.Stmt {
	return &programUnit{base, g.Name}
}

func (g *implicitStmt) build(p *parser, base ast.Base) ast.Stmt {
	out := &ast.ImplicitNone{Base: base, External: slices.Contains(g.What, "external")}
	if out.External && !slices.Contains(g.What, "type") {
		p.diags.Errorf(source.OutsideSubset, base.Pos, "IMPLICIT NONE (EXTERNAL), which leaves the implicit types, is not supported").
			WithHelp("write implicit none (type, external)")
	}
	return out
}

func (g *typeDecl) build(p *parser, base ast.Base) ast.Stmt {
	d := &ast.TypeDecl{Base: base, HasColons: g.Colons}
	ok := g.Type.build(p, &d.Type)
	for i := range g.Attrs {
		ok = g.Attrs[i].build(p, d) && ok
	}
	attrsOK := ok
	if len(g.Attrs) > 0 && !g.Colons {
		p.diags.Errorf(source.Syntax, startOf(&g.Entities[0].Name), `"::" is missing behind the attributes`).
			WithHelp("write :: in front of %q", g.Entities[0].Name.Value)
		ok = false
	}
	for i := range g.Entities {
		e := &g.Entities[i]
		ent := ast.Entity{Pos: startOf(&e.Name), Name: e.Name.Value}
		if attrsOK {
			ent.Dims, ok = p.dims(e.Dims, ok)
			ent.Codims, ok = p.codims(e.Co, ok)
		}
		if e.Len != nil {
			ent.Len = e.Len.expr()
			if d.Type.Name != "character" {
				p.diags.Add(problem(source.Syntax, &e.Name, "a length behind a name that is not of type CHARACTER").
					WithHelp("put the size behind the type: %s*8", d.Type.Name))
				ok = false
			}
		}
		switch {
		case e.Init != nil && !g.Colons && len(g.Attrs) == 0:
			p.diags.Add(problem(source.Syntax, &e.Name, "an initial value needs :: in the declaration").
				WithHelp("write %s :: %s = ...", d.Type.Name, e.Name.Value))
			ok = false
		case e.Init != nil:
			ent.Init = e.Init.X
		case e.Data != nil && g.Colons:
			p.diags.Add(problem(source.Syntax, &e.Name, "an initial value between slashes, in a declaration with ::").
				WithHelp("write %s = ..., or a DATA statement", e.Name.Value))
			ok = false
		case e.Data != nil:
			ent.Data = e.Data.list
		case e.Null != nil:
			if call, is := e.Null.X.(*ast.Index); !is || call.Name != "null" || len(call.Args) > 0 || !d.Pointer {
				p.diags.Add(problem(source.OutsideSubset, &e.Name, "=> stands in the declaration of a pointer, with null() behind it").
					WithHelp("write => null(), and associate the pointer in a statement"))
				ok = false
			}
			ent.Null = true
		}
		d.Entities = append(d.Entities, ent)
	}
	if !ok {
		return nil
	}
	return d
}

func (g *typeSpec) build(p *parser, t *ast.TypeSpec) bool {
	t.Name = g.Word.Value
	if g.Of != nil {
		t.Name = "double" + g.Of.Value
	}
	switch t.Name {
	case "byte": // an extension of gfortran
		if g.Star != nil || g.Args != nil {
			p.diags.Add(problem(source.Syntax, &g.Word, "BYTE has no kind").WithHelp("write integer(1)"))
			return false
		}
		t.Name, t.Kind = "integer", &ast.IntLit{XBase: span(startOf(&g.Word), endOf(&g.Word)), Text: "1"}
		return true
	case "doubleprecision", "doublecomplex":
		plain := map[string]string{"precision": "real", "complex": "complex"}[t.Name[len("double"):]]
		t.Name = "double " + t.Name[len("double"):]
		if g.Star != nil || g.Args != nil {
			p.diags.Add(problem(source.Syntax, &g.Word, strings.ToUpper(t.Name)+" has no kind").
				WithHelp("write %s(8)", plain))
			return false
		}
		return true
	case "character":
		return g.character(p, t)
	case "type", "class":
		return g.derived(p, t)
	}
	if g.Star != nil {
		if g.Star.Int == nil {
			p.diags.Add(problem(source.Syntax, &g.Word, "the size of a type must be a number").
				WithHelp("write %s*8 or %s(8)", t.Name, t.Name))
			return false
		}
		t.Kind, t.Star = g.Star.expr(), true
	}
	for i, a := range g.Args {
		if i > 0 || a.X == nil || a.Key != nil && a.Key.Value != "kind" {
			p.diags.Add(problem(source.Syntax, &g.Word, "in parentheses behind "+t.Name+" stands its kind and nothing else").
				WithHelp("write %s(8)", t.Name))
			return false
		}
		t.Kind = a.X.X
	}
	return true
}

// character takes CHARACTER*n, CHARACTER(n) and CHARACTER(len=n).
func (g *typeSpec) character(p *parser, t *ast.TypeSpec) bool {
	if g.Star != nil {
		t.Len, t.Star = g.Star.expr(), true
	}
	for i := range g.Args {
		a := &g.Args[i]
		if a.Key != nil && a.Key.Value == "kind" || a.Key == nil && i == 1 {
			if t.Kind != nil || a.X == nil {
				p.diags.Add(problem(source.Syntax, &g.Word, "this is no kind of CHARACTER, or the second one").WithHelp("write character(len=n)"))
				return false
			}
			t.Kind = a.X.X
			continue
		}
		switch {
		case t.Len != nil:
			p.diags.Add(problem(source.Syntax, &g.Word, "more than one length").
				WithHelp("write character(len=n)"))
			return false
		case a.X != nil:
			t.Len = a.X.X
		default:
			t.Len = anyLength(a.Any)
		}
	}
	return true
}

// anyLength is the * or : of character(len=*).
func anyLength(t *lexer.Token) ast.Expr {
	return &ast.Ident{XBase: span(startOf(t), endOf(t)), Name: t.Value}
}

func (g *starLen) expr() ast.Expr {
	switch {
	case g.Int != nil:
		return &ast.IntLit{XBase: span(startOf(g.Int), endOf(g.Int)), Text: g.Int.Value}
	case g.Any != nil:
		return anyLength(g.Any)
	}
	return g.X.X
}

// withoutEffect are the attributes that say what holds anyway where there are no pointers:
// they are checked to be of something that is declared, and dropped.
var withoutEffect = map[string]bool{"target": true, "contiguous": true, "volatile": true, "asynchronous": true}

// attributeAdvice says for each attribute outside the subset what to do.
var attributeAdvice = map[string]string{
	"bind": "remove it",
}

func (g *attribute) build(p *parser, d *ast.TypeDecl) bool {
	if g.Co != nil {
		if d.Codimension != nil {
			p.diags.Errorf(source.Syntax, d.Pos, "the attribute CODIMENSION is given twice").WithHelp("remove one")
			return false
		}
		var ok bool
		d.Codimension, ok = p.codims(g.Co, true)
		return ok
	}
	if g.Word == nil {
		if d.Dimension != nil {
			p.diags.Errorf(source.Syntax, d.Pos, "the attribute DIMENSION is given twice").WithHelp("remove one")
			return false
		}
		var ok bool
		d.Dimension, ok = p.dims(g.Dims, true)
		return ok
	}
	advice, outside := attributeAdvice[g.Word.Value]
	if g.Out != nil && g.Word.Value != "intent" {
		p.diags.Add(unexpectedToken(g.Out, rules()[scan.TypeDecl]))
		return false
	}
	switch {
	case g.Word.Value == "parameter" && g.Arg == nil && !d.Parameter:
		d.Parameter = true
	case g.Word.Value == "save" && g.Arg == nil && !d.Save:
		d.Save = true
	case g.Word.Value == "allocatable" && g.Arg == nil && !d.Allocatable:
		d.Allocatable = true
	case g.Word.Value == "pointer" && g.Arg == nil && !d.Allocatable:
		d.Pointer, d.Allocatable = true, true
	case g.Word.Value == "external" && g.Arg == nil && !d.External:
		d.External = true
	case g.Word.Value == "intrinsic" && g.Arg == nil && !d.Intrinsic:
		d.Intrinsic = true
	case withoutEffect[g.Word.Value] && g.Arg == nil && !slices.Contains(d.Unused, g.Word.Value):
		d.Unused = append(d.Unused, g.Word.Value)
	case g.Word.Value == "optional" && g.Arg == nil && !d.Optional:
		d.Optional = true
	case g.Word.Value == "value" && g.Arg == nil && !d.Value:
		d.Value = true
	case g.Word.Value == "protected" && g.Arg == nil && !d.Protected:
		if d.Protected = true; p.prog.Kind != ast.ModuleUnit {
			p.protectedOutside(g.Word)
			return false
		}
	case (g.Word.Value == "public" || g.Word.Value == "private") && g.Arg == nil && d.Access == "":
		d.Access = g.Word.Value
		if p.prog.Kind != ast.ModuleUnit {
			p.diags.Add(problem(source.Syntax, g.Word, strings.ToUpper(g.Word.Value)+" outside of a module").
				WithHelp("it says which names of a module others can use: remove it"))
			return false
		}
	case g.Word.Value == "intent" && g.Arg != nil && d.Intent == "":
		if id, ok := g.Arg.X.(*ast.Ident); ok && (id.Name == "in" || g.Out == nil && (id.Name == "out" || id.Name == "inout")) {
			d.Intent = id.Name + valueOf(g.Out)
			return true
		}
		p.diags.Add(problem(source.Syntax, g.Word, "an unknown INTENT").WithHelp("write intent(in), intent(out) or intent(inout)"))
		return false
	case outside:
		p.diags.Add(problem(source.OutsideSubset, g.Word, "the attribute "+quoted(g.Word)+" is outside the subset").
			WithHelp("%s", advice))
		return false
	default:
		d := problem(source.Syntax, g.Word, quoted(g.Word)+" is no attribute, or is there already")
		if near := source.Nearest(g.Word.Value, attributeWords...); near != "" && near != g.Word.Value {
			d.WithHelp("did you mean %s?", strings.ToUpper(near))
		} else {
			d.WithHelp("attributes are parameter, dimension(...), allocatable, intent(...), optional, external and save; without attributes, write no comma")
		}
		p.diags.Add(d)
		return false
	}
	return true
}

// attributeWords are those that a misspelt one is compared with.
var attributeWords = []string{"parameter", "dimension", "codimension", "allocatable", "intent", "optional", "external", "intrinsic", "save", "public", "private", "protected", "target", "value", "contiguous", "volatile", "pointer"}

// dims builds the extents of an array; ok is false when there was an error, or
// was before.
func (p *parser) dims(dims []dimension, ok bool) ([]ast.DimSpec, bool) {
	var out []ast.DimSpec
	for i := range dims {
		g := &dims[i]
		d := ast.DimSpec{Pos: source.Pos{Line: g.Pos.Line, Col: g.Pos.Column}}
		switch {
		case g.Star || g.Free: // assumed size
			d.Hi = &ast.Ident{XBase: span(d.Pos, d.Pos), Name: "*"}
			if g.Free {
				d.Lo = g.First.X
			}
		case g.Any || g.Colon != nil && g.Second == nil:
			if g.First != nil {
				d.Lo = g.First.X
			}
		case g.Colon != nil:
			d.Lo, d.Hi = g.First.X, g.Second.X
		default:
			d.Hi = g.First.X
		}
		out = append(out, d)
	}
	return out, ok
}

// codims builds the codimensions of a coarray. The last is "*" or "lo:*", or all are ":".
func (p *parser) codims(dims []dimension, ok bool) ([]ast.DimSpec, bool) {
	var out []ast.DimSpec
	deferred := 0
	for i := range dims {
		g := &dims[i]
		d := ast.DimSpec{Pos: source.Pos{Line: g.Pos.Line, Col: g.Pos.Column}}
		star := &ast.Ident{XBase: span(d.Pos, d.Pos), Name: "*"}
		switch {
		case g.Star:
			d.Hi = star
		case g.Free:
			d.Lo, d.Hi = g.First.X, star
		case g.Any:
			deferred++
		case g.Colon != nil && g.Second != nil:
			d.Lo, d.Hi = g.First.X, g.Second.X
		case g.Colon != nil:
			p.diags.Errorf(source.Syntax, d.Pos, "a codimension without end").WithHelp("write [*]")
			ok = false
		default:
			d.Hi = g.First.X
		}
		if i == len(dims)-1 && ok && !isStar(d.Hi) && deferred < len(dims) {
			p.diags.Errorf(source.Syntax, d.Pos, "the last codimension must be *: the number of images is known at run time only").
				WithHelp("write [*]")
			ok = false
		}
		out = append(out, d)
	}
	return out, ok
}

func isStar(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "*"
}

func (g *parameterStmt) build(_ *parser, base ast.Base) ast.Stmt {
	s := &ast.ParameterStmt{Base: base}
	for i := range g.Names {
		n := &g.Names[i]
		s.Names = append(s.Names, ast.Entity{Pos: startOf(&n.Name), Name: n.Name.Value, Init: n.X.X})
	}
	return s
}

func (g *dimensionStmt) build(p *parser, base ast.Base) ast.Stmt {
	entities, ok := p.shapes(g.Entities, true)
	for i := range g.Entities {
		if n := &g.Entities[i]; len(n.Dims) == 0 {
			p.diags.Add(problem(source.Syntax, &n.Name, "extents are missing behind "+quoted(&n.Name)).
				WithHelp("the form is: %s", rules()[scan.Dimension].form))
			ok = false
		}
	}
	if !ok {
		return nil
	}
	return &ast.DimensionStmt{Base: base, Entities: entities}
}

// shapes builds names with extents.
func (p *parser) shapes(list []shaped, ok bool) ([]ast.Entity, bool) {
	var out []ast.Entity
	for i := range list {
		e := ast.Entity{Pos: startOf(&list[i].Name), Name: list[i].Name.Value}
		e.Dims, ok = p.dims(list[i].Dims, ok)
		out = append(out, e)
	}
	return out, ok
}
