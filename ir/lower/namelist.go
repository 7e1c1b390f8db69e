package lower

import (
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
)

// READ and WRITE of a NAMELIST group have a format that is "&" and the name of the group.
// The items of WRITE are, for each variable of the group, its name, a constant, and the
// variable. READ takes the elements of the variables one by one in parts, of which the first
// reads the whole group:
//
//	namelist /g/ n, a           read 10, "&G", nml "n i 0 a r 1", 1, size(a), stay: t
//	read (10, nml=g)            n = t
//	                            do i = ...;  read ..., stay: t;  a(i) = t;  end do
//	                            read 10, "&G"

// namelist is a group: the names that it has are those of at.
type namelist struct {
	ast.NamelistGroup
	at *scope
}

func (l *lowerer) namelistStmt(s *ast.Namelist) {
	for _, g := range s.Groups {
		if first := l.namelists[g.Name.Name]; first != nil && first.at == l.scope {
			first.Names = append(first.Names, g.Names...) // it goes on
			continue
		} else if first != nil {
			l.errorf(codeDuplicate, g.Name.Pos, "the NAMELIST group %s comes from a module, and cannot get more variables here", g.Name.Name).
				WithNote(first.Name.Pos, "the group is declared here").WithHelp("choose another name for the group here, with all of its variables")
			continue
		}
		l.namelists[g.Name.Name] = &namelist{g, l.scope}
	}
}

// namelistNames declares what only NAMELIST names, when all is declared.
func (l *lowerer) namelistNames() {
	for _, g := range l.namelists {
		for _, n := range g.Names {
			if g.at == l.scope && l.lookup(n.Name) == nil {
				l.symbol(n.Name, n.Pos)
			}
		}
	}
}

// group is the NAMELIST group that e, a format, names; nil for none.
func (l *lowerer) group(e ast.Expr) *namelist {
	id, ok := e.(*ast.Ident)
	if !ok {
		return nil
	}
	for at := l.scope; at != nil; at = at.host {
		if g := at.namelists[id.Name]; g != nil {
			return g
		}
		if at.names[id.Name] != nil {
			return nil
		}
	}
	return nil
}

// variablesOf are the variables of g as they are named here; ok is false after an error.
func (l *lowerer) variablesOf(g *namelist, items []ast.Expr) (list []*ast.Ident, ok bool) {
	if len(items) > 0 {
		l.errorf(codeIO, items[0].Position(), "items behind a NAMELIST group").WithHelp("remove them: the group has the variables")
		return nil, false
	}
	for _, n := range g.Names {
		s := g.at.lookup(n.Name)
		switch {
		case s == nil || s.Type == ir.Invalid:
			return nil, false // reported
		case s.Param || kindLetter[s.Type] == "":
			l.errorf(codeDeclaration, n.Pos, "%s cannot be in a NAMELIST group", n.Name).WithHelp("name variables of type INTEGER, REAL, COMPLEX, LOGICAL or CHARACTER")
			return nil, false
		}
		id := &ast.Ident{XBase: ast.XBase{Pos: n.Pos, End: n.Pos}, Name: n.Name}
		if l.lookup(n.Name) != s {
			l.temps++
			id.Name = tempName(n.Name, l.temps)
			l.names[id.Name] = s
		}
		list = append(list, id)
	}
	return list, true
}

// kindLetter is how the run time is told of the types of variables.
var kindLetter = map[ir.Type]string{ir.Byte: "p", ir.Short: "q", ir.Logical1: "b", ir.Logical2: "b", ir.Logical8: "b", ir.Integer: "i", ir.Long: "l", ir.Real: "r", ir.Double: "d", ir.Complex: "z", ir.DoubleComplex: "w", ir.Logical: "b", ir.Character: "c"}

// namelistItems are the items of a WRITE of g.
func (l *lowerer) namelistItems(g *namelist, items []ast.Expr) (list []ir.Expr, ok bool) {
	variables, ok := l.variablesOf(g, items)
	for i, id := range variables {
		x := l.printItem(id)
		ok = ok && !isBad(x)
		list = append(list, &ir.Const{X: ir.X{Pos: id.Pos, Typ: ir.Character}, Str: strings.ToUpper(g.Names[i].Name)}, x)
	}
	return list, ok
}

// namelistRead makes READ s of g one of its variables, and tells r what they are.
func (l *lowerer) namelistRead(g *namelist, s *ast.Read, r *ir.Read) (*ast.Read, bool) {
	variables, ok := l.variablesOf(g, s.Items)
	if !ok {
		return nil, false
	}
	out := *s
	var what []string
	var bounds []ir.Expr
	for i, id := range variables {
		sym := l.lookup(id.Name)
		rank := "0"
		if sym.IsArray() && !sym.Cell {
			_, sh := l.wholeView(sym, id.Pos)
			rank = string(rune('0' + len(sh.n)))
			for k := range sh.n {
				bounds = append(bounds, l.convert(ir.Clone(sh.lo[k]), ir.Long), l.convert(ir.Clone(sh.n[k]), ir.Long))
			}
		}
		kind := kindLetter[sym.Type]
		if sym.Len > 0 {
			kind += strconv.Itoa(sym.Len)
		}
		what = append(what, g.Names[i].Name, kind, rank)
		out.Items = append(out.Items, id)
	}
	r.Keys = strings.TrimSpace(r.Keys + " nml")
	r.Given = append(append(r.Given, &ir.Const{X: ir.X{Pos: s.Pos, Typ: ir.Character}, Str: strings.Join(what, " ")}), bounds...)
	return &out, true
}
