package lower

import (
	"slices"
	"strings"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// Procedures as arguments. As a call is the statements of the procedure in its place, the
// name of a dummy procedure means in them what is passed: that procedure is called. For
// an intrinsic function a function is passed that refers to it.

// specifics are the specific intrinsic functions that may be passed, by the types of the
// arguments and of the value.
var specifics = []struct {
	from, to  string
	arguments int
	names     string
}{
	{"real", "real", 1, "abs acos aint alog alog10 anint asin atan cos cosh exp sin sinh sqrt tan tanh"},
	{"real", "real", 2, "amod atan2 dim sign"},
	{"double precision", "double precision", 1, "dabs dacos dint dlog dlog10 dnint dasin datan dcos dcosh dexp dsin dsinh dsqrt dtan dtanh"},
	{"double precision", "double precision", 2, "dmod datan2 ddim dsign"},
	{"integer", "integer", 1, "iabs"},
	{"integer", "integer", 2, "mod idim isign"},
	{"real", "integer", 1, "nint"},
	{"double precision", "integer", 1, "idnint"},
	{"complex", "complex", 1, "ccos cexp clog conjg csin csqrt"},
	{"complex", "real", 1, "aimag cabs"},
}

// procedureArgument is the procedure called name as an actual argument, nil after an error.
func (l *lowerer) procedureArgument(name string, pos source.Pos) *argument {
	at := l.scope
	for at.host != nil && !at.externals[name].pos.IsValid() {
		at = at.host
	}
	p := l.procedure(name)
	if at.externals[name].intrinsic || p == nil && isIntrinsicFunction(name) && l.scope.dummy(name) == nil {
		if p = specificIntrinsic(name, pos); p == nil {
			l.errorf(codeOutside, pos, "the intrinsic function %s cannot be passed", name).WithHelp("pass a function that refers to it")
			return nil
		}
	}
	if p == nil {
		if d := l.scope.dummy(name); d == nil || !l.phantom {
			l.errorf(codeCall, pos, "there is no procedure %s in this file", name).WithHelp("add it to the file; without source it cannot be compiled")
		}
		return nil
	}
	return &argument{pos: pos, proc: p, readOnly: name + " is a procedure"}
}

// specificIntrinsic is a function that refers to the intrinsic function called name, nil
// where it has no specific types.
func specificIntrinsic(name string, pos source.Pos) *procedure {
	for _, f := range specifics {
		if !slices.Contains(strings.Fields(f.names), name) {
			continue
		}
		at, base := ast.XBase{Pos: pos, End: pos}, ast.Base{Pos: pos}
		u := &ast.Program{Pos: pos, EndPos: pos, Kind: ast.FunctionUnit, Name: name, Pure: true, Prefix: &ast.TypeSpec{Name: f.to}, Result: ast.Name{Pos: pos, Name: "value"}}
		u.Args = []ast.Name{{Pos: pos, Name: "x"}, {Pos: pos, Name: "y"}}[:f.arguments]
		decl := &ast.TypeDecl{Base: base, Type: ast.TypeSpec{Name: f.from}, Intent: "in"}
		value := &ast.Index{XBase: at, Name: name, NamePos: pos}
		for _, a := range u.Args {
			decl.Entities = append(decl.Entities, ast.Entity{Pos: pos, Name: a.Name})
			value.Args = append(value.Args, &ast.Ident{XBase: at, Name: a.Name})
		}
		u.Spec = []ast.Stmt{&ast.External{Base: base, Intrinsic: true, Names: []ast.Name{{Pos: pos, Name: name}}}, decl}
		u.Body = []ast.Stmt{&ast.Assign{Base: base, LHS: &ast.Ident{XBase: at, Name: u.Result.Name}, RHS: value}}
		return &procedure{unit: u}
	}
	return nil
}

// bindProcedure makes the name of d mean the procedure that is passed.
func (b *binding) bindProcedure(d *dummy) {
	l := b.l
	if d.isArray {
		l.errorf(codeCall, d.arg.pos, "%s is a procedure, the dummy argument %s is an array", b.what(d), d.Name.Name).
			WithNote(d.Pos, "%s is an argument here", d.Name.Name).WithHelp("pass an array")
	}
	l.scope.procs[d.Name.Name] = d.arg.proc
}

// dummyProcedure takes EXTERNAL, or an interface block if described is set, of dummy argument d.
func (l *lowerer) dummyProcedure(d *dummy, n ast.Name, described bool) {
	switch {
	case d.arg == nil: // what is passed is not known
		d.procedure = true
	case d.arg.proc == nil:
		l.errorf(codeCall, d.arg.pos, "%s is no procedure, the dummy argument %s is one", l.scope.binding.what(d), n.Name).
			WithNote(n.Pos, "%s is declared here", n.Name).WithHelp("pass a procedure, and declare it EXTERNAL where it is passed")
	case described:
		l.scope.interfaces[d.arg.proc.unit.Name] = true
	default:
		l.externals[n.Name] = procedureName{n.Pos, false}
	}
}

// unknownProcedure reports whether name is a dummy argument of a procedure that is lowered
// for its errors only, which may be a procedure.
func (l *lowerer) unknownProcedure(name string) bool {
	d := l.scope.dummy(name)
	return l.phantom && d != nil && d.arg == nil && !d.isArray
}
