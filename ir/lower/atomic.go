package lower

import (
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// An atomic subroutine is a critical construct: one lock for all of them makes each
// indivisible. That orders memory more than Fortran wants, which nobody can rely on.
//
//	call atomic_fetch_add(n[p], 1, old)      critical; old = n[p]; n[p] = n[p] + 1; end critical

// atomics are the arguments of the atomic subroutines without STAT.
var atomics = map[string][]string{
	"atomic_define": {"atom", "value"}, "atomic_ref": {"value", "atom"},
	"atomic_add": {"atom", "value"}, "atomic_and": {"atom", "value"}, "atomic_or": {"atom", "value"}, "atomic_xor": {"atom", "value"},
	"atomic_fetch_add": {"atom", "value", "old"}, "atomic_fetch_and": {"atom", "value", "old"},
	"atomic_fetch_or": {"atom", "value", "old"}, "atomic_fetch_xor": {"atom", "value", "old"},
	"atomic_cas": {"atom", "old", "compare", "new"},
}

// lockOf is the number of the lock for pos, where a critical construct begins; no position
// stands for the atomic subroutines.
func (l *lowerer) lockOf(pos source.Pos) int {
	k := slices.Index(l.locks, pos)
	if k < 0 {
		k = len(l.locks)
		l.locks = append(l.locks, pos)
	}
	return k
}

// atomic lowers a call of an atomic subroutine.
func (l *lowerer) atomic(s *ast.Call) []ir.Stmt {
	names := atomics[s.Proc.Name]
	call := &ast.Index{XBase: ast.XBase{Pos: s.Proc.Pos, End: s.Proc.Pos}, Name: s.Proc.Name, NamePos: s.Proc.Pos, Args: s.Args}
	args := l.ordered(call, len(names), append(slices.Clone(names), "stat")...)
	if args == nil {
		return nil
	}
	a := &atomicCall{l: l, pos: s.Pos, args: map[string]ast.Expr{}}
	for k, name := range names {
		a.args[name] = args[k]
	}
	body := a.body(s.Proc.Name)
	if body == nil {
		return nil
	}
	out := append(a.pre, &ir.Critical{S: ir.S{Pos: s.Pos}, Lock: l.lockOf(source.Pos{}), Body: body})
	if stat := args[len(names)]; stat != nil {
		return l.succeeds(out, []ast.Expr{&ast.Keyword{XBase: ast.XBase{Pos: stat.Position(), End: stat.EndPosition()}, Name: "stat", X: stat}})
	}
	return out
}

// atomicCall is a call of an atomic subroutine: pre is executed in front of it.
type atomicCall struct {
	l    *lowerer
	pos  source.Pos
	args map[string]ast.Expr
	pre  []ir.Stmt
	atom ir.Expr
}

// body is what is indivisible, nil after an error.
func (a *atomicCall) body(name string) []ir.Stmt {
	l := a.l
	if a.atom = l.target(a.args["atom"]); isBad(a.atom) {
		return nil
	}
	sym := ir.Target(a.atom)
	if typ := a.atom.Type(); sym == nil || !sym.Coarray || typ != ir.Integer && typ != ir.Logical {
		l.errorf(codeArgument, a.args["atom"].Position(), "the atom of %s must be a coarray, or one of another image, that is INTEGER or LOGICAL of the kinds atomic_int_kind and atomic_logical_kind", name).
			WithHelp("declare it as in: integer(atomic_int_kind) :: n[*]")
		return nil
	}
	switch name {
	case "atomic_define":
		return a.assign(a.value("value"))
	case "atomic_ref":
		return a.fetch("value")
	}
	if !a.atom.Type().IsInteger() && name != "atomic_cas" {
		l.errorf(codeArgument, a.args["atom"].Position(), "the atom of %s must be INTEGER", name)
		return nil
	}
	if name == "atomic_cas" {
		if !a.alike("compare") {
			return nil
		}
		compare, next, old := a.value("compare"), a.value("new"), a.fetch("old")
		set := a.assign(next)
		if isBad(compare) || old == nil || set == nil {
			return nil
		}
		op := ir.Eq
		if a.atom.Type() == ir.Logical {
			op = ir.Eqv
		}
		same := l.bin(op, ir.Clone(a.atom), compare, a.pos, a.pos)
		return append(old, &ir.If{S: ir.S{Pos: a.pos}, Cond: same, Then: set})
	}
	var body []ir.Stmt
	value := a.value("value")
	if a.args["old"] != nil {
		if body = a.fetch("old"); body == nil {
			return nil
		}
	}
	if isBad(value) {
		return nil
	}
	set := a.assign(a.combined(name[len(name)-3:], value))
	if set == nil {
		return nil
	}
	return append(body, set...)
}

// alike reports an argument that has not the type and kind of the atom, as OLD and COMPARE must.
func (a *atomicCall) alike(name string) bool {
	x := a.l.expr(a.args[name])
	if isBad(x) || x.Type() == a.atom.Type() {
		return true // else it is reported
	}
	a.l.errorf(codeArgument, a.args[name].Position(), "%s is %s, and the atom is %s", strings.ToUpper(name), x.Type(), a.atom.Type()).
		WithHelp("give it the type and kind of the atom")
	return false
}

// value is an argument, evaluated in front.
func (a *atomicCall) value(name string) ir.Expr {
	x := a.l.expr(a.args[name])
	if isBad(x) {
		return x
	}
	if x = a.l.convert(x, a.atom.Type()); isBad(x) {
		return x
	}
	return a.l.fixed(x, name, a.pos, &a.pre)
}

// combined is the atom with a value added to it, or another operation, the last three letters of
// the subroutine's name.
func (a *atomicCall) combined(op string, value ir.Expr) ir.Expr {
	now := ir.Clone(a.atom)
	if op == "add" {
		return a.l.plus(now, value, a.pos)
	}
	name := map[string]string{"and": "iand", "_or": "ior", "xor": "ieor"}[op]
	return &ir.Call{X: ir.X{Pos: a.pos, Typ: a.atom.Type()}, Name: name, Args: []ir.Expr{now, value}}
}

func (a *atomicCall) assign(x ir.Expr) []ir.Stmt {
	if isBad(x) {
		return nil
	}
	return one(&ir.Assign{S: ir.S{Pos: a.pos}, LHS: ir.Clone(a.atom), RHS: a.l.convert(x, a.atom.Type())})
}

// fetch assigns the atom to an argument.
func (a *atomicCall) fetch(name string) []ir.Stmt {
	to := a.l.target(a.args[name])
	if isBad(to) || name == "old" && !a.alike(name) {
		return nil
	}
	x := a.l.convert(ir.Clone(a.atom), to.Type())
	if isBad(x) {
		return nil
	}
	return one(&ir.Assign{S: ir.S{Pos: a.pos}, LHS: to, RHS: x})
}
