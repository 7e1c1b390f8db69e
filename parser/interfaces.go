package parser

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/scan"
	"github.com/spmdc/spmdc/parser/source"
)

// The grammars of interface blocks, and of attributes as statements.
type (
	attributeStmt struct {
		Word  lexer.Token `parser:"@( 'optional' | 'value' | 'protected' | 'target' | 'volatile' | 'asynchronous' | 'contiguous' ) '::'?"`
		Names []shaped    `parser:"@@ ( ',' @@ )*"`
	}
	interfaceStmt struct {
		Abstract *lexer.Token `parser:"@'abstract'? 'interface'"`
		Spec     *genericSpec `parser:"@@?"`
	}
	endInterfaceStmt struct {
		Word lexer.Token  `parser:"( @'endinterface' | @'end' 'interface' )"`
		Spec *genericSpec `parser:"@@?"`
	}
	// genericSpec is a name, OPERATOR(op), ASSIGNMENT(=), or what READ or WRITE is to call, which is refused.
	genericSpec struct {
		Name lexer.Token  `parser:"@Ident"`
		Op   *lexer.Token `parser:"( '(' @( Op | DotOp | 'formatted' | 'unformatted' ) ')' )?"`
	}
	moduleProcedureStmt struct {
		Names []nameRef `parser:"'module'? 'procedure' '::'? @@ ( ',' @@ )*"`
	}
	importStmt struct {
		Names []nameRef `parser:"'import' '::'? ( @@ ( ',' @@ )* )?"`
	}
)

// interfaceEnd is END INTERFACE, and moduleProcedures is MODULE PROCEDURE.
type (
	interfaceEnd struct {
		ast.Base
		name ast.Name
	}
	moduleProcedures struct {
		ast.Base
		names []ast.Name
	}
)

func (g *attributeStmt) build(p *parser, base ast.Base) ast.Stmt {
	if g.Word.Value == "protected" && p.prog.Kind != ast.ModuleUnit {
		p.protectedOutside(&g.Word)
		return nil
	}
	entities, ok := p.shapes(g.Names, true)
	if !ok {
		return nil
	}
	s := &ast.Attribute{Base: base, Word: g.Word.Value}
	for i, e := range entities {
		if len(e.Dims) > 0 {
			p.diags.Add(problem(source.OutsideSubset, &g.Names[i].Name, "extents in a statement that gives an attribute").
				WithHelp("write them into the declaration of %s", e.Name))
			return nil
		}
		s.Names = append(s.Names, ast.Name{Pos: e.Pos, Name: e.Name})
	}
	return s
}

func (p *parser) protectedOutside(t *lexer.Token) {
	p.diags.Add(problem(source.Syntax, t, "PROTECTED outside of a module").
		WithHelp("it says that others must not change a variable of a module: remove it"))
}

func (g *interfaceStmt) build(p *parser, base ast.Base) ast.Stmt {
	return &ast.Interface{Base: base, Abstract: g.Abstract != nil, Name: g.Spec.name(p)}
}

func (g *endInterfaceStmt) build(p *parser, base ast.Base) ast.Stmt {
	return &interfaceEnd{base, g.Spec.name(p)}
}

// name is the generic name as the tree has it.
func (g *genericSpec) name(p *parser) ast.Name {
	if g == nil {
		return ast.Name{}
	}
	n := ast.Name{Pos: startOf(&g.Name), Name: g.Name.Value}
	if g.Op != nil {
		if (n.Name == "read" || n.Name == "write") && strings.HasSuffix(g.Op.Value, "formatted") {
			p.diags.Add(problem(source.OutsideSubset, &g.Name, strings.ToUpper(n.Name)+"("+strings.ToUpper(g.Op.Value)+"), a procedure of the program for the transfer of a type, is not supported").
				WithHelp("call the procedure, or transfer the components"))
			return n
		}
		if n.Name != "operator" && (n.Name != "assignment" || g.Op.Value != "=") {
			p.diags.Add(problem(source.Syntax, &g.Name, quoted(&g.Name)+" with an operator").
				WithHelp("write operator(.name.), operator(+) or assignment(=)"))
		}
		if n.Name += "(" + g.Op.Value + ")"; n.Name != "assignment(=)" {
			n.Name = ast.OperatorName(g.Op.Value)
		}
	}
	return n
}

func (p *parser) genericNames(list []genericSpec) []ast.Name {
	var out []ast.Name
	for i := range list {
		out = append(out, list[i].name(p))
	}
	return out
}

func (g *moduleProcedureStmt) build(_ *parser, base ast.Base) ast.Stmt {
	return &moduleProcedures{base, namesOf(g.Names)}
}

func (g *importStmt) build(p *parser, base ast.Base) ast.Stmt {
	if p.outer == nil || p.outer.block == nil {
		p.diags.Errorf(source.Syntax, base.Pos, "IMPORT outside of an interface block").
			WithHelp("remove it: a procedure behind CONTAINS sees the names of the unit around it")
		return nil
	}
	return &ast.Import{Base: base, Names: namesOf(g.Names)}
}

// openInterface begins an interface block: the units that follow are its own.
func (p *parser) openInterface(n *ast.Interface) {
	if p.block != nil {
		p.diags.Errorf(source.UnbalancedBlock, n.Pos, "END INTERFACE is missing").
			WithNote(p.block.Pos, "the interface block begins here").WithHelp("add END INTERFACE in front of this line")
		return
	}
	if !p.declared.IsValid() {
		p.declared = n.Pos
	}
	p.declare(n)
	p.block = n
}

func (p *parser) endInterface(n *interfaceEnd) {
	switch b := p.block; {
	case b == nil:
		p.diags.Errorf(source.UnbalancedBlock, n.Pos, "END INTERFACE without a block that it ends").WithHelp("remove it")
	case n.name.Name != "" && n.name.Name != b.Name.Name:
		p.diags.Errorf(source.UnbalancedBlock, n.name.Pos, "the interface block is not that of %s", n.name.Name).
			WithNote(b.Pos, "it begins here").WithHelp("write END INTERFACE alone")
		fallthrough
	default:
		b.EndPos = n.Pos
		p.block = nil
	}
}

func (p *parser) moduleProcedures(s scan.Stmt, n *moduleProcedures) {
	if p.block == nil {
		s.Kind, s.Word = scan.Outside, "procedure"
		p.outsideSubset(s)
		return
	}
	p.block.Procs = append(p.block.Procs, n.names...)
}

// closeInterface takes unit u, which has ended, as one of the interface block around it.
func (p *parser) closeInterface(u *unit) {
	if u.executed.IsValid() {
		p.diags.Errorf(source.Syntax, u.executed, "an executable statement in an interface block").
			WithNote(u.outer.block.Pos, "the block begins here").
			WithHelp("the block has the declarations of the arguments only: move the procedure behind CONTAINS")
	}
	u.outer.block.Units = append(u.outer.block.Units, u.prog)
}

// inInterface reports a statement that cannot stand between the procedures of an interface
// block.
func (p *parser) inInterface(s scan.Stmt, pos source.Pos) bool {
	if p.block == nil {
		return false
	}
	switch s.Kind {
	case scan.Subroutine, scan.Function, scan.EndInterface, scan.ModuleProcedure, scan.Empty, scan.Interface:
		return false
	case scan.End, scan.EndUnit, scan.EndProgram:
		p.diags.Errorf(source.UnbalancedBlock, pos, "END INTERFACE is missing").
			WithNote(p.block.Pos, "the interface block begins here").WithHelp("add END INTERFACE in front of this line")
		p.block = nil
		return false
	}
	p.diags.Errorf(source.Syntax, pos, "a statement in an interface block that belongs to no procedure").
		WithNote(p.block.Pos, "the block begins here").
		WithHelp("in the block stand MODULE PROCEDURE, and the first statements and declarations of procedures")
	return true
}

// blockSpec is where a declaration goes that stands at the beginning of a BLOCK, nil
// elsewhere.
func (p *parser) blockSpec() *[]ast.Stmt {
	if len(p.stack) == 0 {
		return nil
	}
	n, ok := p.stack[len(p.stack)-1].node.(*ast.Block)
	if !ok || len(n.Body) > 0 || n.Region != "" || n.On.IsSet() || n.Tasks {
		return nil
	}
	return &n.Spec
}
