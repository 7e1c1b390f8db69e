package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// letterTypes are the types of names without declaration, by their first letters.
type letterTypes struct {
	types [26]declType
	set   [26]source.Pos // where IMPLICIT gives a letter its type
}

// defaultTypes are those without IMPLICIT: I to N are INTEGER, all others REAL.
func defaultTypes() *letterTypes {
	t := &letterTypes{}
	for k := range t.types {
		t.types[k].typ = ir.Real
		if c := 'a' + k; 'i' <= c && c <= 'n' {
			t.types[k].typ = ir.Integer
		}
	}
	return t
}

// implicitType is the type of an undeclared name.
func (s *scope) implicitType(name string) ir.Type { return s.implicitDecl(name).typ }

func (s *scope) implicitDecl(name string) declType {
	if name == "" || name[0] < 'a' || name[0] > 'z' {
		return declType{typ: ir.Real}
	}
	return s.letters.types[name[0]-'a']
}

// retype gives s the type that its name has by the rules of the unit in hand.
func (s *scope) retype(sym *ir.Symbol, name string) {
	t := s.implicitDecl(name)
	sym.Type, sym.Len = t.typ, t.length
}

// implicit takes IMPLICIT with types: it is about names of this unit and of those that it
// contains. IMPLICIT NONE of the host holds no more.
func (l *lowerer) implicit(s *ast.Implicit) {
	own := *l.letters
	if h := l.host; h != nil && l.letters == h.letters {
		own.set = [26]source.Pos{}
		l.implicitNone = slices.ContainsFunc(l.unit.Spec, func(s ast.Stmt) bool { _, is := s.(*ast.ImplicitNone); return is })
	}
	if l.implicitNone {
		l.errorf(codeDeclaration, s.Pos, "IMPLICIT with a type, where IMPLICIT NONE holds").WithHelp("remove one of them")
		return
	}
	l.letters = &own
	for i := range s.Rules {
		r := &s.Rules[i]
		t := l.typeSpec(&r.Type, s.Pos)
		if t.assumed {
			l.errorf(codeDeclaration, s.Pos, "IMPLICIT with the length *").WithHelp("write the length: implicit character(len=8) (c)")
			t.length = 1
		}
		for _, rng := range r.Letters {
			for c := rng.From; c <= rng.To; c++ {
				if first := own.set[c-'a']; first.IsValid() {
					l.errorf(codeDuplicate, rng.Pos, "the letter %c gets its type twice", c).
						WithNote(first, "the first time here").WithHelp("remove one")
					continue
				}
				own.types[c-'a'], own.set[c-'a'] = t, rng.Pos
			}
		}
	}
	for name, d := range l.dummies {
		if !d.declared.IsValid() {
			d.typ = l.implicitType(name)
			if d.arg == nil || d.isArray {
				l.retype(d.sym, name)
			}
		}
	}
}
