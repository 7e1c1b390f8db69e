package lower

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// A call is compiled in place, so that it is known which OPTIONAL arguments it gives:
// PRESENT is a constant, and of an IF that asks for it only the branch is lowered that
// is executed. A use of an argument that is not there, which must not be executed, ends
// the program.

// attributeNames are the names to which the declarations of u give the attribute word,
// "optional" or "value".
func attributeNames(u *ast.Program, word string) map[string]bool {
	m := map[string]bool{}
	for _, s := range u.Spec {
		switch s := s.(type) {
		case *ast.TypeDecl:
			if word == "optional" && s.Optional || word == "value" && s.Value {
				for _, e := range s.Entities {
					m[e.Name] = true
				}
			}
		case *ast.Attribute:
			if s.Word == word {
				for _, n := range s.Names {
					m[n.Name] = true
				}
			}
		}
	}
	return m
}

// attribute takes OPTIONAL, VALUE or PROTECTED of a name. TARGET, CONTIGUOUS and
// ASYNCHRONOUS have no effect, and VOLATILE none where no other image has the variable.
func (l *lowerer) attribute(n ast.Name, word string) {
	switch word {
	case "target", "contiguous", "asynchronous":
		return
	case "volatile":
		if s := l.lookup(n.Name); s != nil && s.Coarray {
			l.errorf(codeOutside, n.Pos, "coarray %s is VOLATILE, which is not supported", n.Name).
				WithHelp("remove it, and write sync images where another image waits for a value")
		}
		return
	case "protected":
		if s := l.names[n.Name]; s != nil && !l.used[n.Name] {
			l.protected[s] = protected{l.scope.unit, n.Pos}
			return
		}
		l.errorf(codeDeclaration, n.Pos, "PROTECTED of %s, which is not declared in front of it", n.Name).
			WithHelp("write it behind the declaration of a variable of this module")
		return
	}
	d := l.dummies[n.Name]
	switch {
	case d == nil:
		l.errorf(codeDeclaration, n.Pos, "%s of %s, which is no dummy argument", strings.ToUpper(word), n.Name).WithHelp("remove it")
	case word == "value" && (d.isArray || d.intent == "out" || d.intent == "inout"):
		l.errorf(codeDeclaration, n.Pos, "VALUE of %s, which must be a scalar without INTENT(OUT) or INTENT(INOUT)", n.Name).WithHelp("remove it")
	}
}

// explicit reports whether the unit in hand knows the interface of p, as p itself does.
func (l *lowerer) explicit(p *procedure) bool {
	if p.host != nil {
		return true
	}
	for at := l.scope; at != nil; at = at.host {
		if unitOf(at.unit) == unitOf(p.unit) || at.interfaces[p.unit.Name] {
			return true
		}
	}
	return false
}

// noShape makes a dummy array that the call does not give an array of one element: it has
// a name and a rank, and is not used.
func (l *lowerer) noShape(d *dummy, rank int) {
	sh := l.shapes[d.sym]
	for range rank {
		d.sym.Dims = append(d.sym.Dims, ir.Bound{Lo: 1, Hi: 1})
		sh.lo, sh.n = append(sh.lo, l.intConst(1, d.Pos)), append(sh.n, l.intConst(1, d.Pos))
	}
}

// present lets the program end, before the statement in hand, if what is called name is
// an argument that the call does not give.
func (l *lowerer) present(name string, pos source.Pos) {
	d := l.scope.dummy(name)
	if d == nil || !d.absent || l.noCalls {
		return
	}
	if d.isArray && !slices.Contains(l.prog.Symbols, d.sym) {
		l.prog.Symbols = append(l.prog.Symbols, d.sym)
	}
	text := "argument " + name + " is not present"
	l.prelude = append(l.prelude, &ir.Stop{S: ir.S{Pos: pos}, Error: true, Code: &ir.Const{X: ir.X{Pos: pos, Typ: ir.Character}, Str: text}})
}

// isAbsent reports whether e is an argument that the call does not give. As an optional argument
// of an intrinsic function it is not given to that either.
func (l *lowerer) isAbsent(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	if !ok {
		return false
	}
	d := l.scope.dummy(id.Name)
	return d != nil && d.absent
}

// presentCall lowers PRESENT(name).
func (l *lowerer) presentCall(e *ast.Index) ir.Expr {
	var d *dummy
	if len(e.Args) == 1 {
		if id, ok := e.Args[0].(*ast.Ident); ok {
			d = l.scope.dummy(id.Name)
		}
	}
	if d == nil || !d.optional {
		l.errorf(codeArgument, e.Pos, "the argument of present must be a dummy argument with OPTIONAL")
		return bad(e.Pos)
	}
	if l.phantom {
		return &ir.Var{X: ir.X{Pos: e.Pos, Typ: ir.Logical}, Sym: l.temp("present", ir.Logical, 0, e.Pos)}
	}
	return &ir.Const{X: ir.X{Pos: e.Pos, Typ: ir.Logical}, Bool: !d.absent}
}

// uncertain are the numbers of arguments of p that are there or not as the run decides: an
// allocatable variable that is not allocated, or a pointer that points to nothing, is not there for
// an OPTIONAL argument that is neither. They are those of one variable, which has several where its
// type is a derived one; variables is how many there are. A procedure that does not ask must get what it uses.
func (l *lowerer) uncertain(p *procedure, args []*argument) (out []int, variables int) {
	if l.phantom {
		return nil, 0
	}
	var optional, objects map[string]bool
	var roots []string
	for i, a := range args {
		if a == nil || a.object == nil || a.there || l.allocs[a.object] == nil || i >= len(p.unit.Args) {
			continue
		}
		if optional == nil {
			optional, objects = attributeNames(p.unit, "optional"), allocatableNames(p.unit)
		}
		name, _, _ := strings.Cut(a.object.Source(), "%")
		dummy := p.unit.Args[i].Name
		if of, _, added := strings.Cut(dummy, "%"); added && strings.Contains(dummy, "%%") && !optional[of+"%%type"] {
			continue // a component of an extension, in an object that is there: all are allocated together
		}
		if optional[dummy] && !objects[dummy] && l.asksFor(p.unit, dummy) {
			if !slices.Contains(roots, name) {
				roots = append(roots, name)
			}
			if name == roots[0] {
				out = append(out, i)
			}
		}
	}
	return out, len(roots)
}

// maxUncertain is for how many variables a call is compiled both ways; what more there are must be there.
const maxUncertain = 4

// asksFor reports whether u, or a procedure inside of it, asks whether argument name is there, or passes
// it to a procedure that may.
func (l *lowerer) asksFor(u *ast.Program, name string) bool {
	is := func(x ast.Expr) bool {
		if k, ok := x.(*ast.Keyword); ok {
			x = k.X
		}
		id, ok := x.(*ast.Ident)
		return ok && id.Name == name
	}
	found := false
	ast.Each(u.Body, func(s ast.Stmt) {
		if c, ok := s.(*ast.Call); ok {
			found = found || slices.ContainsFunc(c.Args, is)
		}
		for _, x := range ast.Exprs(s) {
			found = found || *x != nil && ast.Any(*x, func(x ast.Expr) bool {
				f, ok := x.(*ast.Index)
				return ok && (f.Name == "present" || intrinsics[f.Name].build == nil && inquiries[f.Name] == nil) && slices.ContainsFunc(f.Args, is)
			})
		}
	})
	return found || slices.ContainsFunc(u.Contains, func(in *ast.Program) bool {
		return !slices.ContainsFunc(in.Args, func(a ast.Name) bool { return a.Name == name }) && l.asksFor(in, name)
	})
}

// eitherWay is perform where it depends on the run whether the arguments in list are there: the call with
// them, or the one without them. They are the first of so many variables.
func (l *lowerer) eitherWay(p *procedure, name ast.Name, args []*argument, before []ir.Stmt, list []int, variables int) ([]ir.Stmt, *ir.Symbol) {
	at := name.Pos
	with, without := slices.Clone(args), slices.Clone(args)
	optional := attributeNames(p.unit, "optional")
	for _, i := range list {
		a := *args[i]
		a.there = true
		with[i], without[i] = &a, nil
		whole, _, parts := strings.Cut(p.unit.Args[i].Name, "%")
		for k, d := range p.unit.Args {
			if of, _, _ := strings.Cut(d.Name, "%"); parts && of == whole && optional[d.Name] && k < len(without) {
				without[k] = nil // as the number of its type
			}
		}
	}
	given, one := l.perform(p, name, with, nil)
	choose := &ir.If{S: ir.S{Pos: at}, Cond: varOf(l.allocs[args[list[0]].object].flag, at)}
	out := append(before, choose)
	if many := variables > maxUncertain; many || one != nil && (one.IsArray() || l.allocs[one] != nil) {
		why := "functions whose value is an array, allocatable or a pointer"
		if many {
			why = fmt.Sprintf("more than %s of a call", count(maxUncertain, "argument"))
		}
		text := fmt.Sprintf("argument %s of %s is not there, which is not supported for %s", p.unit.Args[list[0]].Name, p.unit.Name, why)
		choose.Else = []ir.Stmt{&ir.Stop{S: ir.S{Pos: at}, Error: true, Code: &ir.Const{X: ir.X{Pos: at, Typ: ir.Character}, Str: text}}}
		return append(out, given...), one
	}
	left, other := l.perform(p, name, without, nil)
	choose.Then, choose.Else = given, left
	if one == nil || other == nil {
		return out, nil
	}
	length := one.Len
	if other.Len != length {
		length = ir.AnyLength
	}
	value := l.temp("value", one.Type, length, at)
	choose.Then = append(given, l.set(value, varOf(one, at), at))
	choose.Else = append(left, l.set(value, varOf(other, at), at))
	return out, value
}

// presence is the value of a condition as far as the presence of arguments decides it.
func (l *lowerer) presence(e ast.Expr) (value, known bool) {
	switch e := e.(type) {
	case *ast.Paren:
		return l.presence(e.X)
	case *ast.Unary:
		if e.Op == ".not." {
			value, known = l.presence(e.X)
			return !value, known
		}
	case *ast.Binary:
		if e.Op != ".and." && e.Op != ".or." {
			return false, false
		}
		x, okX := l.presence(e.X)
		y, okY := l.presence(e.Y)
		decides := e.Op == ".or."
		switch {
		case okX && x == decides, okY && y == decides:
			return decides, true
		}
		return !decides, okX && okY
	case *ast.Index:
		if e.Name != "present" || l.phantom || len(e.Args) != 1 || l.lookup(e.Name) != nil || l.procedure(e.Name) != nil {
			return false, false
		}
		id, ok := e.Args[0].(*ast.Ident)
		if !ok {
			return false, false
		}
		if d := l.scope.dummy(id.Name); d != nil && d.optional {
			return !d.absent, true
		}
	}
	return false, false
}

// presentOperand is the operand of .and. or .or. that is left where the presence of
// arguments decides the other one; nil where it does not.
func (l *lowerer) presentOperand(e *ast.Binary) ast.Expr {
	if e.Op != ".and." && e.Op != ".or." {
		return nil
	}
	if _, known := l.presence(e.X); known {
		return e.Y
	}
	if _, known := l.presence(e.Y); known {
		return e.X
	}
	return nil
}

// maxDepth bounds the calls of one procedure inside of each other.
const maxDepth = 100

// mayRecur reports whether a procedure that is being executed may be called again: with a
// constant, which may make an end of it. Then conditions that are constants decide which
// branch of an IF is lowered.
func (l *lowerer) mayRecur(p *procedure, list []ast.Expr) bool {
	depth := 0
	for _, u := range l.calls {
		if u == p.unit {
			depth++
		}
	}
	if depth >= maxDepth || l.phantom {
		return l.phantom && depth == 0
	}
	errors := l.mark()
	outer, results := l.prelude, l.results
	l.results = map[*ast.Index]*ir.Symbol{}
	defer func() {
		l.prelude, l.results = outer, results
		l.reset(errors)
		l.diags.Diags = l.diags.Diags[:errors.diags]
	}()
	for _, e := range list {
		if k, ok := e.(*ast.Keyword); ok {
			e = k.X
		}
		switch e.(type) {
		case *ast.Ident, *ast.Binary, *ast.Unary, *ast.Paren, *ast.IntLit:
			if !l.isPart(e) && l.firstPart(e) == nil {
				if c, ok := l.expr(e).(*ir.Const); ok && c.Typ.IsInteger() {
					return true
				}
			}
		}
	}
	return false
}

// repeats reports whether a procedure that is being executed calls itself: then it gets a frame.
func (l *lowerer) repeats() bool {
	found := false
	for i, u := range l.calls {
		if slices.Contains(l.calls[:i], u) {
			l.recurs(u)
			found = true
		}
	}
	return found
}

// deep reports whether the procedure in hand, or one that calls it, may call itself: it
// is RECURSIVE.
func (l *lowerer) deep() bool {
	return !l.phantom && slices.ContainsFunc(l.calls, func(u *ast.Program) bool { return u.Recursive })
}
