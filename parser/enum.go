package parser

import (
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/spmdc/spmdc/parser/ast"
)

// ENUM gives names to INTEGER constants, each one more than the one in front of it where it has
// no value of its own: they become PARAMETERs.

type (
	enumStmt struct {
		Word lexer.Token `parser:"@'enum' ',' 'bind' '(' Ident ')'"`
	}
	enumeratorStmt struct {
		Names []enumerator `parser:"'enumerator' '::'? @@ ( ',' @@ )*"`
	}
	enumerator struct {
		Name lexer.Token `parser:"@Ident"`
		X    *expr       `parser:"( '=' @@ )?"`
	}
	endEnumStmt struct {
		Word lexer.Token `parser:"@( 'endenum' | 'end' 'enum' )"`
	}
)

// enumerators are those of one statement; without any it is ENUM or END ENUM.
type enumerators struct {
	ast.Base
	list []ast.Entity
}

func (g *enumStmt) build(_ *parser, base ast.Base) ast.Stmt { return &enumerators{Base: base} }

func (g *endEnumStmt) build(_ *parser, base ast.Base) ast.Stmt { return &enumerators{Base: base} }

func (g *enumeratorStmt) build(_ *parser, base ast.Base) ast.Stmt {
	n := &enumerators{Base: base}
	for i := range g.Names {
		e := &g.Names[i]
		n.list = append(n.list, ast.Entity{Pos: startOf(&e.Name), Name: e.Name.Value, Init: e.X.orNil()})
	}
	return n
}

// enumerators declares the constants of n.
func (p *parser) enumerators(n *enumerators) {
	if len(n.list) == 0 {
		p.unit.enumerated = ""
		return
	}
	for i := range n.list {
		e := &n.list[i]
		if at := (ast.XBase{Pos: e.Pos, End: e.Pos}); e.Init == nil {
			e.Init = &ast.IntLit{XBase: at, Text: "0"}
			if p.unit.enumerated != "" {
				e.Init = &ast.Binary{XBase: at, Op: "+", OpPos: e.Pos, X: &ast.Ident{XBase: at, Name: p.unit.enumerated}, Y: &ast.IntLit{XBase: at, Text: "1"}}
			}
		}
		p.unit.enumerated = e.Name
		if !p.declared.IsValid() {
			p.declared = n.Pos
		}
		p.declare(&ast.TypeDecl{Base: n.Base, Type: ast.TypeSpec{Name: "integer"}, Parameter: true, HasColons: true, Entities: []ast.Entity{*e}})
	}
}
