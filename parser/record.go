package parser

import (
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/scan"
	"github.com/spmdc/spmdc/parser/source"
)

// The grammars of derived types.
type (
	typeDefStmt struct {
		Attrs []typeAttr  `parser:"'type' ( ',' @@ )* '::'?"`
		Name  lexer.Token `parser:"@Ident"`
		// Params are of a parameterised type, as the second k in "type :: t(k)".
		Params []lexer.Token `parser:"( '(' @Ident ( ',' @Ident )* ')' )?"`
	}
	typeAttr struct {
		Word lexer.Token  `parser:"@Ident"`
		Arg  *lexer.Token `parser:"( '(' @Ident ')' )?"`
	}
	bindingStmt struct {
		Word  lexer.Token  `parser:"@( 'procedure' | 'generic' | 'final' )"`
		Face  *lexer.Token `parser:"( '(' @Ident ')' )?"`
		Attrs []typeAttr   `parser:"( ',' @@ )* '::'?"`
		Names []boundName  `parser:"@@ ( ',' @@ )*"`
	}
	boundName struct {
		Name   genericSpec `parser:"@@"`
		Target *nameRef    `parser:"( '=>' @@ )?"`
	}
)

// recordFrame is a definition of a derived type whose end has not been seen.
type recordFrame struct {
	def      *ast.TypeDef
	contains bool // CONTAINS has been seen
}

func (g *typeDefStmt) build(p *parser, base ast.Base) ast.Stmt {
	d := &ast.TypeDef{Base: base, Name: ast.Name{Pos: startOf(&g.Name), Name: g.Name.Value}}
	if len(g.Params) > 0 {
		p.diags.Add(problem(source.OutsideSubset, &g.Params[0], "a derived type with parameters is outside the subset").
			WithHelp("declare a type for each kind, and components that are ALLOCATABLE in place of lengths"))
	}
	for i := range g.Attrs {
		switch a := &g.Attrs[i]; {
		case a.Word.Value == "extends" && a.Arg != nil:
			d.Extends = ast.Name{Pos: startOf(a.Arg), Name: a.Arg.Value}
		case a.Word.Value == "abstract" && a.Arg == nil:
			d.Abstract = true
		case (a.Word.Value == "public" || a.Word.Value == "private") && a.Arg == nil:
			d.Access = a.Word.Value
		case a.Word.Value == "bind":
		default:
			p.diags.Add(problem(source.Syntax, &a.Word, quoted(&a.Word)+" is no attribute of a type").
				WithHelp("write type, extends(base) :: name, or type :: name"))
		}
	}
	return d
}

// derived takes TYPE(name) and CLASS(name).
func (g *typeSpec) derived(p *parser, t *ast.TypeSpec) bool {
	if g.Star == nil && len(g.Args) == 1 && g.Args[0].Key == nil && g.Args[0].X != nil {
		if id, ok := g.Args[0].X.X.(*ast.Ident); ok {
			t.Of = ast.Name{Pos: id.Pos, Name: id.Name}
			return true
		}
	}
	if t.Name == "class" && g.Star == nil && len(g.Args) == 1 && g.Args[0].Any != nil && g.Args[0].Any.Value == "*" {
		t.Of = ast.Name{Pos: startOf(g.Args[0].Any), Name: "*"}
		return true
	}
	if len(g.Args) == 1 && g.Args[0].Any != nil {
		p.diags.Add(problem(source.OutsideSubset, &g.Word, t.Name+"(*) is outside the subset").WithHelp("write the type"))
		return false
	}
	p.diags.Add(problem(source.Syntax, &g.Word, "the name of a type is missing").WithHelp("write %s(name) :: variable", t.Name))
	return false
}

// openRecord begins the definition of a derived type.
func (p *parser) openRecord(d *ast.TypeDef) {
	if !p.unit.declared.IsValid() {
		p.unit.declared = d.Pos
	}
	p.declare(d)
	p.record = &recordFrame{def: d}
}

// inRecord takes a statement inside the definition of a derived type.
func (p *parser) inRecord(s scan.Stmt, base ast.Base) {
	r := p.record
	p.mention(s.Toks)
	word := s.Toks[0].Value
	switch {
	case s.Kind == scan.EndType:
		r.def.EndPos = base.Pos
		p.record = nil
	case s.Kind == scan.Contains:
		r.contains = true
	case s.Kind == scan.Empty, word == "sequence", s.Kind == scan.Access && s.Toks[1].EOF():
	case r.contains && (word == "procedure" || word == "generic" || word == "final"):
		p.binding(s)
	case !r.contains && s.Kind == scan.TypeDecl:
		if d, ok := p.parseOne(s, base); ok {
			r.def.Components = append(r.def.Components, d.(*ast.TypeDecl))
		}
	case !r.contains && s.Kind == scan.Procedure:
		d, ok := p.parseOne(s, base)
		if c, is := d.(*ast.TypeDecl); is && c.Points != nil {
			r.def.Components = append(r.def.Components, c)
		} else if ok {
			p.diags.Add(problem(source.Syntax, &s.Toks[0], "a component that is a procedure, and no pointer").
				WithHelp("add the attribute POINTER, or move the line behind CONTAINS"))
		}
	case word == "final":
		p.diags.Add(problem(source.Syntax, &s.Toks[0], "FINAL in front of CONTAINS").WithHelp("move the line behind CONTAINS of the type"))
	case s.Kind == scan.End || s.Kind == scan.EndUnit || s.Kind == scan.EndProgram:
		p.diags.Errorf(source.UnbalancedBlock, base.Pos, "END TYPE is missing").
			WithNote(r.def.Pos, "the type begins here").WithHelp("add END TYPE in front of this line")
		p.record = nil
		p.statement(s, base)
	default:
		p.diags.Add(problem(source.Syntax, &s.Toks[0], "a statement in the definition of a derived type that declares no component").
			WithNote(r.def.Pos, "the type begins here").WithHelp("END TYPE may be missing in front of this line"))
	}
}

// bindings is the grammar of a procedure of a derived type.
var bindings = newRule[bindingStmt]("PROCEDURE, GENERIC or FINAL statement", "procedure [, nopass] :: name [=> procedure],  generic :: name => names  or  final :: names")

// bindingNames is what bindingStmt makes.
type bindingNames struct {
	ast.Base
	list  []ast.Binding
	final []ast.Name
}

func (g *bindingStmt) build(p *parser, base ast.Base) ast.Stmt {
	out := &bindingNames{Base: base}
	all := ast.Binding{Generic: g.Word.Value == "generic"}
	if g.Face != nil {
		all.Face = ast.Name{Pos: startOf(g.Face), Name: g.Face.Value}
	}
	for i := range g.Attrs {
		switch a := &g.Attrs[i]; a.Word.Value {
		case "nopass":
			all.NoPass = true
		case "pass":
			if a.Arg != nil {
				all.Pass = ast.Name{Pos: startOf(a.Arg), Name: a.Arg.Value}
			}
		case "deferred":
			all.Deferred = true
		case "public", "private", "non_overridable":
		default:
			p.diags.Add(problem(source.Syntax, &a.Word, quoted(&a.Word)+" is no attribute of a procedure of a type").WithHelp("remove it"))
		}
	}
	for i := range g.Names {
		b := all
		b.Name = g.Names[i].Name.name(p)
		if g.Word.Value == "final" {
			out.final = append(out.final, b.Name)
			continue
		}
		target := b.Name
		if t := g.Names[i].Target; t != nil {
			target = ast.Name{Pos: startOf(&t.Tok), Name: t.Tok.Value}
		}
		if n := len(out.list); all.Generic && n > 0 { // further names of GENERIC
			out.list[0].Targets = append(out.list[0].Targets, target)
			continue
		}
		b.Targets = []ast.Name{target}
		out.list = append(out.list, b)
	}
	return out
}

func (p *parser) binding(s scan.Stmt) {
	g, err := bindings.run(s.Toks)
	if err != nil {
		p.diags.Add(explain(err, bindings, s.Toks))
		return
	}
	n := g.build(p, ast.Base{}).(*bindingNames)
	p.record.def.Bound = append(p.record.def.Bound, n.list...)
	p.record.def.Final = append(p.record.def.Final, n.final...)
}

// atMethod reports whether what follows is x%name, x a name or an element.
func atMethod(lex *lexer.PeekingLexer) bool {
	mark := lex.MakeCheckpoint()
	defer lex.LoadCheckpoint(mark)
	lex.Next()
	for depth := 0; ; {
		t := lex.Peek()
		switch {
		case t.EOF():
			return false
		case t.Value == "(" && t.Type == scan.Op:
			depth++
		case t.Value == ")" && t.Type == scan.Op:
			depth--
		case depth == 0:
			return t.Value == "%"
		}
		lex.Next()
	}
}

// method parses the x%name(args) of a CALL.
func (c *callee) method(climb *climber) error {
	first := climb.lex.Peek()
	x, err := climb.designator()
	if err != nil {
		return err
	}
	sub, isRange := x.(*ast.Substring)
	if isRange {
		x = sub.Base
	}
	m, ok := x.(*ast.Component)
	if !ok || isRange {
		return problem(source.Syntax, first, "this is no procedure of an object").WithHelp("write call object%%name(arguments)")
	}
	c.Of, c.Name, c.Args = m.Base, ast.Name{Pos: m.NamePos, Name: m.Name}, m.Args
	return nil
}
