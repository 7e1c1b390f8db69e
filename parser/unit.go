package parser

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/scan"
	"github.com/spmdc/spmdc/parser/source"
)

// unit is a program unit or procedure whose END has not been seen.
type unit struct {
	prog  *ast.Program
	outer *unit // the unit that contains it, nil for one of the file
	stack []*frame

	begun    bool                  // a statement has been seen
	header   bool                  // a PROGRAM, MODULE, SUBROUTINE or FUNCTION statement has been seen
	declared source.Pos            // of the first declaration that IMPLICIT NONE must precede
	executed source.Pos            // of the first executable statement
	pending  *ast.Independent      // waits for its DO statement
	labels   map[int]source.Pos    // of the statements that have labels
	named    map[string]source.Pos // of the constructs that have names
	contains source.Pos            // of CONTAINS
	block    *ast.Interface        // the interface block that is open
	record   *recordFrame          // the definition of a derived type that is open

	enumerated string // the last ENUMERATOR of the ENUM that is open
}

// newUnit is a place for a unit of which nothing is known yet: a main program
// unless a statement says otherwise.
func newUnit(outer *unit) *unit {
	return &unit{prog: &ast.Program{Name: "main"}, outer: outer, labels: map[int]source.Pos{}, named: map[string]source.Pos{}}
}

// The grammars of the statements that begin and divide units.
type (
	subroutineStmt struct {
		Prefix []procedureWord `parser:"@@*"`
		Apart  bool            `parser:"( 'subroutine' | @'procedure' )"`
		Name   lexer.Token     `parser:"@Ident"`
		Args   []dummyArg      `parser:"( '(' ( @@ ( ',' @@ )* )? ')' )?"`
		Bind   *bindSuffix     `parser:"@@?"`
	}
	functionStmt struct {
		Prefix []prefix     `parser:"@@*"`
		Name   lexer.Token  `parser:"'function' @Ident"`
		Args   []dummyArg   `parser:"'(' ( @@ ( ',' @@ )* )? ')'"`
		First  *bindSuffix  `parser:"@@?"`
		Result *lexer.Token `parser:"( 'result' '(' @Ident ')' )?"`
		Second *bindSuffix  `parser:"@@?"`
	}
	// bindSuffix is BIND(C) or BIND(C, NAME="x"): it names the procedure for the linker, and
	// there is none.
	bindSuffix struct {
		Lang lexer.Token `parser:"'bind' '(' @Ident"`
		Name *expr       `parser:"( ',' 'name' '=' @@ )? ')'"`
	}
	dummyArg struct {
		Tok lexer.Token `parser:"@( Ident | '*' )"`
	}
	procedureWord struct {
		Tok lexer.Token `parser:"@( 'pure' | 'impure' | 'elemental' | 'recursive' | 'module' )"`
	}
	prefix struct {
		Word *lexer.Token `parser:"( @( 'pure' | 'impure' | 'elemental' | 'recursive' | 'module' )"`
		Type *typeSpec    `parser:"| @@ )"`
	}
	moduleStmt struct {
		Name lexer.Token `parser:"'module' @Ident"`
	}
	submoduleStmt struct {
		Of   lexer.Token  `parser:"'submodule' '(' @Ident"`
		Over *lexer.Token `parser:"( ':' @Ident )? ')'"`
		Name lexer.Token  `parser:"@Ident"`
	}
	containsStmt struct {
		Word lexer.Token `parser:"@'contains'"`
	}
	useStmt struct {
		Nature *lexer.Token `parser:"'use' ( ( ',' @Ident )? '::' )?"`
		Name   lexer.Token  `parser:"@Ident"`
		Only   *lexer.Token `parser:"( ',' ( @'only' ':'"`
		Names  []useName    `parser:"  ( @@"`
		More   []useName    `parser:"    ( ',' @@ )* )? | @@ ( ',' @@ )* ) )?"`
	}
	useName struct {
		Name genericSpec  `parser:"@@"`
		Old  *genericSpec `parser:"( '=>' @@ )?"`
	}
	accessStmt struct {
		Word  lexer.Token   `parser:"@( 'public' | 'private' )"`
		Names []genericSpec `parser:"( '::'? @@ ( ',' @@ )* )?"`
	}
	intentStmt struct {
		Word  lexer.Token `parser:"'intent' '(' @( 'in' | 'out' | 'inout' )"`
		Out   bool        `parser:"@'out'? ')' '::'?"`
		Names []nameRef   `parser:"@@ ( ',' @@ )*"`
	}
	externalStmt struct {
		Word  lexer.Token `parser:"@( 'external' | 'intrinsic' ) '::'?"`
		Names []nameRef   `parser:"@@ ( ',' @@ )*"`
	}
	// procedureStmt is PROCEDURE with an interface, the type of a function or nothing in parentheses.
	procedureStmt struct {
		Word      lexer.Token  `parser:"@'procedure' '('"`
		Type      *typeSpec    `parser:"( @@"`
		Interface *lexer.Token `parser:"| @Ident )? ')'"`
		Attrs     []attribute  `parser:"( ',' @@ )*"`
		Colons    lexer.Token  `parser:"@'::'?"`
		Names     []pointed    `parser:"@@ ( ',' @@ )*"`
	}
	// pointed is a name, and what it points to first.
	pointed struct {
		Tok  lexer.Token `parser:"@Ident"`
		Init *expr       `parser:"( '=>' @@ )?"`
	}
	callStmt struct {
		Proc callee `parser:"'call' @@"`
	}
	entryStmt struct {
		Name   lexer.Token  `parser:"'entry' @Ident"`
		Args   []dummyArg   `parser:"( '(' ( @@ ( ',' @@ )* )? ')' )?"`
		Result *lexer.Token `parser:"( 'result' '(' @Ident ')' )?"`
	}
	returnStmt struct {
		Word lexer.Token `parser:"@'return'"`
		Alt  *expr       `parser:"@@?"`
	}
)

// unitHead is the first statement of a unit.
type unitHead struct {
	ast.Base
	unit *ast.Program
}

// containsMark is CONTAINS.
type containsMark struct{ ast.Base }

// procedure words that stand in front of SUBROUTINE and FUNCTION.
func (p *parser) prefixWord(u *ast.Program, t *lexer.Token) {
	switch t.Value {
	case "pure":
		u.Pure = true
	case "elemental":
		u.Elemental = true
	case "recursive":
		u.Recursive = true
	case "module":
		u.Separate = true
	}
}

func (p *parser) dummyArgs(list []dummyArg) []ast.Name {
	var out []ast.Name
	for i := range list {
		t := &list[i].Tok
		if t.Value == "*" {
			out = append(out, ast.Name{Pos: startOf(t), Name: ast.Alternate})
			continue
		}
		out = append(out, ast.Name{Pos: startOf(t), Name: t.Value})
	}
	return out
}

func (g *subroutineStmt) build(p *parser, base ast.Base) ast.Stmt {
	u := &ast.Program{Pos: base.Pos, Kind: ast.SubroutineUnit, Name: g.Name.Value, Args: p.dummyArgs(g.Args), Bare: g.Apart}
	impure := false
	for i := range g.Prefix {
		p.prefixWord(u, &g.Prefix[i].Tok)
		impure = impure || g.Prefix[i].Tok.Value == "impure"
	}
	u.Pure = u.Pure || u.Elemental && !impure
	return &unitHead{base, u}
}

func (g *functionStmt) build(p *parser, base ast.Base) ast.Stmt {
	u := &ast.Program{Pos: base.Pos, Kind: ast.FunctionUnit, Name: g.Name.Value, Args: p.dummyArgs(g.Args)}
	impure := false
	for i := range g.Prefix {
		switch f := &g.Prefix[i]; {
		case f.Word != nil:
			p.prefixWord(u, f.Word)
			impure = impure || f.Word.Value == "impure"
		case u.Prefix != nil:
			p.diags.Add(problem(source.Syntax, &f.Type.Word, "a second type for the function").WithHelp("remove one"))
		default:
			t := &ast.TypeSpec{}
			if f.Type.build(p, t) {
				u.Prefix = t
			}
		}
	}
	u.Pure = u.Pure || u.Elemental && !impure
	if g.Result != nil {
		u.Result = ast.Name{Pos: startOf(g.Result), Name: g.Result.Value}
	}
	return &unitHead{base, u}
}

func (g *moduleStmt) build(_ *parser, base ast.Base) ast.Stmt {
	return &unitHead{base, &ast.Program{Pos: base.Pos, Kind: ast.ModuleUnit, Name: g.Name.Value}}
}

func (g *submoduleStmt) build(_ *parser, base ast.Base) ast.Stmt {
	return &unitHead{base, &ast.Program{Pos: base.Pos, Kind: ast.ModuleUnit, Name: g.Name.Value, Parent: ast.Name{Pos: startOf(&g.Of), Name: g.Of.Value}}}
}

func (g *containsStmt) build(_ *parser, base ast.Base) ast.Stmt { return &containsMark{base} }

func namesOf(list []nameRef) []ast.Name {
	var out []ast.Name
	for i := range list {
		out = append(out, ast.Name{Pos: startOf(&list[i].Tok), Name: list[i].Tok.Value})
	}
	return out
}

func (g *useStmt) build(p *parser, base ast.Base) ast.Stmt {
	u := &ast.Use{Base: base, Module: ast.Name{Pos: startOf(&g.Name), Name: g.Name.Value}, Only: g.Only != nil, Nature: valueOf(g.Nature)}
	if u.Nature != "" && u.Nature != "intrinsic" && u.Nature != "non_intrinsic" {
		p.diags.Add(problem(source.Syntax, g.Nature, quoted(g.Nature)+" in front of the module").
			WithHelp("write use, intrinsic :: %s, or use %s", g.Name.Value, g.Name.Value))
		return nil
	}
	for _, n := range append(g.Names, g.More...) {
		name := ast.UseName{Name: n.Name.name(p)}
		if n.Old != nil {
			name.Of = n.Old.name(p)
		} else if g.Only == nil {
			p.diags.Add(problem(source.Syntax, &n.Name.Name, quoted(&n.Name.Name)+" in USE without ONLY").
				WithHelp("write use %s, only: %s", g.Name.Value, name.Name.Name))
			return nil
		}
		u.Names = append(u.Names, name)
	}
	return u
}

func (g *accessStmt) build(p *parser, base ast.Base) ast.Stmt {
	if p.prog.Kind != ast.ModuleUnit {
		p.diags.Add(problem(source.Syntax, &g.Word, strings.ToUpper(g.Word.Value)+" outside of a module").
			WithHelp("it says which names of a module others can use: move it there, or remove it"))
		return nil
	}
	return &ast.Access{Base: base, Access: g.Word.Value, Names: p.genericNames(g.Names)}
}

func (g *intentStmt) build(_ *parser, base ast.Base) ast.Stmt {
	s := &ast.Intent{Base: base, Intent: g.Word.Value, Names: namesOf(g.Names)}
	if g.Out {
		s.Intent = "inout"
	}
	return s
}

func (g *externalStmt) build(_ *parser, base ast.Base) ast.Stmt {
	return &ast.External{Base: base, Intrinsic: g.Word.Value == "intrinsic", Names: namesOf(g.Names)}
}

// build makes the statements for the attributes of the procedures too.
func (g *procedureStmt) build(p *parser, base ast.Base) ast.Stmt {
	d := &ast.TypeDecl{Base: base, External: true, HasColons: true}
	if g.points() {
		return g.pointer(p, base)
	}
	var names []ast.Name
	for i := range g.Names {
		n := &g.Names[i]
		if n.Init != nil {
			p.diags.Add(problem(source.Syntax, &n.Tok, "=> behind a procedure that is no pointer").WithHelp("add the attribute POINTER"))
			return nil
		}
		names = append(names, ast.Name{Pos: startOf(&n.Tok), Name: n.Tok.Value})
	}
	for i := range g.Attrs {
		if !g.Attrs[i].build(p, d) {
			return nil
		}
	}
	if g.Type != nil {
		if !g.Type.build(p, &d.Type) {
			return nil
		}
		for _, n := range names {
			d.Entities = append(d.Entities, ast.Entity{Pos: n.Pos, Name: n.Name})
		}
		return d
	}
	s := &ast.External{Base: base, Names: names}
	if g.Interface != nil {
		s.Interface = ast.Name{Pos: startOf(g.Interface), Name: g.Interface.Value}
	}
	list := &sequence{Base: base, stmts: []ast.Stmt{s}}
	if d.Optional {
		list.stmts = append(list.stmts, &ast.Attribute{Base: base, Word: "optional", Names: s.Names})
	}
	if d.Access != "" {
		list.stmts = append(list.stmts, &ast.Access{Base: base, Access: d.Access, Names: s.Names})
	}
	return list
}

func (g *procedureStmt) points() bool {
	return slices.ContainsFunc(g.Attrs, func(a attribute) bool { return a.Word != nil && a.Word.Value == "pointer" })
}

// pointer is the declaration of pointers to procedures.
func (g *procedureStmt) pointer(p *parser, base ast.Base) ast.Stmt {
	if g.Interface == nil {
		p.diags.Add(problem(source.OutsideSubset, &g.Word, "a pointer to procedures without an interface is outside the subset").
			WithHelp("describe the procedures in an ABSTRACT INTERFACE, and write: procedure(name), pointer"))
		return nil
	}
	d := &ast.TypeDecl{Base: base, HasColons: true, Points: &ast.ProcedurePointer{Face: ast.Name{Pos: startOf(g.Interface), Name: g.Interface.Value}}}
	for i := range g.Attrs {
		a := &g.Attrs[i]
		word := ""
		if a.Word != nil {
			word = a.Word.Value
		}
		switch id, _ := identOf(a.Arg); {
		case word == "pointer":
		case word == "nopass":
			d.Points.NoPass = true
		case word == "pass":
			d.Points.Pass = id
		case !a.build(p, d):
			return nil
		}
	}
	for i := range g.Names {
		n := &g.Names[i]
		e := ast.Entity{Pos: startOf(&n.Tok), Name: n.Tok.Value}
		if n.Init != nil {
			e.Init = n.Init.X
			d.Save = d.Save || p.record == nil && p.prog.Kind.IsProcedure()
		}
		d.Entities = append(d.Entities, e)
	}
	return d
}

// identOf is the name that x is, and whether it is one.
func identOf(x *expr) (string, bool) {
	if x == nil {
		return "", false
	}
	id, ok := x.X.(*ast.Ident)
	if !ok {
		return "", false
	}
	return id.Name, true
}

func (g *callStmt) build(_ *parser, base ast.Base) ast.Stmt {
	return &ast.Call{Base: base, Of: g.Proc.Of, Proc: g.Proc.Name, Args: g.Proc.Args}
}

func (g *returnStmt) build(_ *parser, base ast.Base) ast.Stmt {
	s := &ast.Return{Base: base}
	if g.Alt != nil {
		s.X = g.Alt.X
	}
	return s
}

func (g *entryStmt) build(p *parser, base ast.Base) ast.Stmt {
	s := &ast.Entry{Base: base, Name: ast.Name{Pos: startOf(&g.Name), Name: g.Name.Value}, Args: p.dummyArgs(g.Args)}
	if g.Result != nil {
		s.Result = ast.Name{Pos: startOf(g.Result), Name: g.Result.Value}
	}
	switch {
	case !p.prog.Kind.IsProcedure() || p.outer != nil && p.outer.prog.Kind != ast.ModuleUnit:
		p.diags.Errorf(source.Syntax, base.Pos, "ENTRY outside of an external or module procedure").WithHelp("write a procedure of its own")
		return nil
	case len(p.stack) > 0:
		p.diags.Errorf(source.Syntax, base.Pos, "ENTRY inside of a construct").WithHelp("put it in front of the construct")
		return nil
	}
	return s
}

// enter begins a unit of the kind at pos, closing one that has no END.
func (p *parser) enter(kind scan.Kind, pos source.Pos) {
	u := p.unit
	switch {
	case !u.begun && u.outer == nil:
	case (u.contains.IsValid() || u.block != nil) && kind != scan.Program && kind != scan.Module && kind != scan.Submodule && kind != scan.BlockData:
		p.unit = newUnit(u)
	case kind == scan.Program && !u.contains.IsValid() && u.prog.Kind == ast.MainUnit:
		return // programStmt knows whether it is the first
	default:
		what := strings.ToUpper(u.prog.Kind.String())
		p.diags.Errorf(source.UnbalancedBlock, pos, "END %s is missing in front of the next program unit", what).
			WithNote(u.prog.Pos, "the %s begins here", what).
			WithHelp("add END %s %s; a procedure inside of it stands behind CONTAINS", what, u.prog.Name)
		p.closeAbove(-1, pos)
		p.leave(pos)
		if p.unit.begun {
			p.enter(kind, pos)
			return
		}
	}
	p.unit.begun = true
}

// head takes the first statement of a module or procedure.
func (p *parser) head(n *unitHead) {
	p.unit.header = true
	p.unit.prog = n.unit
}

// contain takes CONTAINS.
func (p *parser) contain(n *containsMark) {
	u := p.unit
	p.closeAbove(-1, n.Pos)
	switch {
	case u.contains.IsValid():
		p.diags.Errorf(source.Syntax, n.Pos, "a second CONTAINS").WithNote(u.contains, "the first is here").WithHelp("remove one")
		return
	case u.outer != nil && u.outer.prog.Kind != ast.ModuleUnit:
		p.diags.Errorf(source.Syntax, n.Pos, "an internal procedure cannot contain procedures").
			WithNote(u.prog.Pos, "it begins here").
			WithHelp("put them beside it, behind the CONTAINS of %s", u.outer.prog.Name)
	}
	u.contains = n.Pos
}

// leave ends the unit in hand, and puts it where it belongs.
func (p *parser) leave(pos source.Pos) {
	u := p.unit
	u.prog.EndPos = pos
	p.unit = u.outer
	if u.outer != nil && u.outer.block != nil {
		p.closeInterface(u)
		return
	}
	if u.outer != nil {
		u.outer.prog.Contains = append(u.outer.prog.Contains, u.prog)
		return
	}
	p.unit = newUnit(nil)
	switch u.prog.Kind {
	case ast.MainUnit:
		p.file.Program, p.mainHeader = u.prog, u.header
	case ast.ModuleUnit:
		p.file.Modules = append(p.file.Modules, u.prog)
	case ast.BlockDataUnit:
		p.file.BlockData = append(p.file.BlockData, u.prog)
	default:
		p.file.Procedures = append(p.file.Procedures, u.prog)
	}
}

// endUnit takes the END of a unit.
func (p *parser) endUnit(n *blockEnd) {
	u := p.unit
	p.closeAbove(-1, n.Pos)
	p.keepLabel(n)
	what := strings.ToUpper(u.prog.Kind.String())
	switch {
	case u.prog.Parent.Name != "":
		what = "SUBMODULE"
	case u.prog.Bare:
		what = "PROCEDURE"
	}
	if n.Unit != "" && n.Unit != strings.ToLower(what) {
		p.diags.Errorf(source.UnbalancedBlock, n.Pos, "END %s ends a %s", strings.ToUpper(n.Unit), what).
			WithNote(u.prog.Pos, "the %s begins here", what).
			WithHelp("write END %s", what)
	} else if n.Name != nil && u.prog.Name != "" && (!u.header || n.Name.Value != u.prog.Name) {
		d := problem(source.UnbalancedBlock, n.Name, "the "+strings.ToLower(what)+" is not called "+n.Name.Value)
		if u.header {
			d.WithNote(u.prog.Pos, "it begins here").WithHelp("write END %s %s", what, u.prog.Name)
		} else {
			d.WithHelp("write END, or begin with PROGRAM %s", n.Name.Value)
		}
		p.diags.Add(d)
	}
	p.leave(n.Pos)
}
