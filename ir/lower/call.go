package lower

import (
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// A call is lowered to the statements of the procedure, with variables of their
// own, in place of the call. All later passes see one program, and what they find
// out about a statement holds for one path of calls.

// maxCalls bounds the calls of a program, each counted once for every path.
const maxCalls = 2000

// callStmt lowers CALL.
func (l *lowerer) callStmt(s *ast.Call) []ir.Stmt {
	if s.Status != "" { // replaced where all goes well
		l.nameInUnit(s.Status, &ir.Symbol{Name: s.Status, Pos: s.Pos})
	}
	if l.scope.checkpointing(s.Proc.Name) {
		return l.checkpoint(s)
	}
	p, wrong := l.callee(s.Proc, s.Args)
	switch {
	case wrong:
		return nil
	case p == nil && s.Proc.Name == checkpointName:
		l.errorf(codeCall, s.Proc.Pos, "spmd_checkpoint is in module spmd, which is not in use here").
			WithHelp("write: use spmd")
		return nil
	case p == nil && ieeeSubroutines[s.Proc.Name] != "" && l.fromModule(s.Proc.Name):
		l.ieeeCall(s)
		return nil
	case p == nil && atomics[s.Proc.Name] != nil:
		return l.atomic(s)
	case p == nil && s.Proc.Name == "event_query":
		return l.eventQuery(s)
	case p == nil && collectives[s.Proc.Name]:
		return l.collective(s)
	case p == nil && l.scope.dummy(s.Proc.Name) == nil:
		if s.Proc.Name == "move_alloc" {
			return l.moveAlloc(s)
		}
		if out, ok := l.system(s); ok {
			return out
		}
		fallthrough
	case p == nil:
		if l.unknownProcedure(s.Proc.Name) || l.ofOtherEntry(s.Proc.Name) {
			return nil
		}
		d := l.errorf(codeCall, s.Proc.Pos, "there is no subroutine %s in this file", s.Proc.Name)
		if l.scope.dummy(s.Proc.Name) != nil {
			d.Msg = s.Proc.Name + " is called, and what is passed for it is no procedure"
			d.WithHelp("pass a subroutine, and declare it EXTERNAL where it is passed")
		} else if help := outsideSubroutines[s.Proc.Name]; help != "" {
			d.Code, d.Msg = codeOutside, "subroutine "+strings.ToUpper(s.Proc.Name)+" is not supported"
			d.WithHelp("%s", help)
		} else {
			d.WithHelp("add it to the file, behind END or behind CONTAINS; without source it cannot be compiled")
		}
		return nil
	case p.unit.Kind != ast.SubroutineUnit:
		l.errorf(codeCall, s.Proc.Pos, "%s is a function, it cannot be called", s.Proc.Name).
			WithNote(p.unit.Pos, "%s begins here", s.Proc.Name).
			WithHelp("use its value: x = %s(...)", s.Proc.Name)
		return nil
	}
	if sym := l.lookup(s.Proc.Name); sym != nil && p.host == nil {
		l.errorf(codeCall, s.Proc.Pos, "%s is declared with a type, as a function, and called as a subroutine", s.Proc.Name).
			WithNote(sym.Pos, "it is declared here").WithHelp("leave the type out: external :: %s", s.Proc.Name)
		return nil
	}
	if l.ofElements(p, s.Args) {
		return l.eachCall(p, s, nil)
	}
	out, alternate, _ := l.execute(p, s.Proc, s.Args)
	if s.Status != "" && alternate != nil {
		l.nameInUnit(s.Status, alternate)
	}
	return out
}

// functionRef lowers a reference to a function. The statements of the function
// go in front of the statement in hand; those of one in the subscripts of a section go there once,
// however often the section is lowered.
func (l *lowerer) functionRef(p *procedure, e *ast.Index) ir.Expr {
	switch {
	case p.unit.Kind != ast.FunctionUnit:
		l.errorf(codeCall, e.NamePos, "%s is a subroutine, it has no value", e.Name).
			WithNote(p.unit.Pos, "%s begins here", e.Name).WithHelp("write: call %s(...)", e.Name)
		return bad(e.Pos)
	case l.noCalls:
		l.errorf(codeNotConstant, e.NamePos, "function %s cannot be referred to here, where a constant is needed", e.Name).
			WithHelp("write the value, or give it a name by PARAMETER")
		return bad(e.Pos)
	}
	if l.ofElements(p, e.Args) {
		return l.eachElement(p, e)
	}
	result, done := l.results[e]
	if !done || !l.steady {
		var out []ir.Stmt
		if out, result, _ = l.execute(p, ast.Name{Pos: e.NamePos, Name: e.Name}, e.Args); result == nil {
			return bad(e.Pos)
		}
		l.prelude = append(l.prelude, out...)
		if l.steady {
			l.results[e] = result
		}
	}
	if result.Cell { // a pointer
		return l.cell(result, e.Pos)
	}
	return &ir.Var{X: ir.X{Pos: e.Pos, Typ: result.Type}, Sym: result}
}

// execute lowers a call of p: the statements that take its place, and of a
// function the variable that has its value, and the arguments; nothing after an error.
func (l *lowerer) execute(p *procedure, name ast.Name, list []ast.Expr) ([]ir.Stmt, *ir.Symbol, []*argument) {
	var before []ir.Stmt
	if l.notPure(p, name) {
		return nil, nil, nil
	}
	if l.endless[p.unit] {
		return nil, nil, nil // reported
	}
	if slices.Contains(l.calls, p.unit) && !l.phantom {
		if f := l.frameOf(p.unit); f != nil {
			return l.reenter(f, p, name, list)
		}
		if !l.mayRecur(p, list) {
			l.endless[p.unit] = true
			l.recurs(p.unit)
			return nil, nil, nil
		}
	}
	args, ok := l.actuals(p, name, list, &before, func(e ast.Expr) *argument { return l.actual(e, &before) })
	if !ok {
		return nil, nil, nil
	}
	out, result := l.perform(p, name, args, before)
	return out, result, args
}

// notPure reports a call of p, which is not PURE, in a procedure that is, or in a DO CONCURRENT.
func (l *lowerer) notPure(p *procedure, name ast.Name) bool {
	l.called[p.unit] = true
	if p.unit.Pure || p.unit.Implied {
		return false
	}
	what := "a call of " + name.Name + ", which is not PURE,"
	return l.impure(what, name.Pos) || !p.unit.Statement && l.unordered(what, name.Pos)
}

// perform is execute with arguments that are lowered; before is what they do first.
func (l *lowerer) perform(p *procedure, name ast.Name, args []*argument, before []ir.Stmt) ([]ir.Stmt, *ir.Symbol) {
	l.called[p.unit] = true
	if slices.Contains(l.calls, p.unit) && l.phantom {
		return nil, nil // how often is known where it is called
	}
	if list, variables := l.uncertain(p, args); variables > 0 {
		return l.eitherWay(p, name, args, before, list, variables)
	}
	if len(l.prog.Sites) >= maxCalls {
		l.endless[p.unit] = true
		if l.repeats() {
			return nil, nil
		}
		l.errorf(codeOutside, name.Pos, "the program has more than %d calls, each counted once for every path of calls to it", maxCalls).
			WithHelp("call in a loop instead of calling often")
		return nil, nil
	}
	errors := l.diags.Errors()
	at := l.mark()
	out, result := l.instantiate(p, args, name)
	if !l.variables && l.constantsToBlame(at) && hasConstant(args) {
		// A constant argument makes an error of a statement that may never be
		// executed: as a variable it does not.
		l.reset(at)
		l.diags.Diags = l.diags.Diags[:at.diags]
		l.variables = true
		out, result = l.instantiate(p, args, name)
		l.variables = false
	}
	if l.diags.Errors() > errors && out == nil {
		return nil, nil
	}
	return append(before, out...), result
}

// constantsToBlame reports whether all errors behind m may come from the
// values of constants.
func (l *lowerer) constantsToBlame(m mark) bool {
	some := false
	for _, d := range l.diags.Diags[m.diags:] {
		if d.Severity == source.Warning {
			continue
		}
		switch d.Code {
		case codeOverflow, codeBounds, codeLoop:
			some = true
		default:
			return false
		}
	}
	return some
}

func hasConstant(args []*argument) bool {
	return slices.ContainsFunc(args, func(a *argument) bool {
		if a == nil { // absent
			return false
		}
		_, ok := a.value.(*ir.Const)
		return ok
	})
}

// instantiate lowers one execution of p. Args is nil for a procedure that is
// lowered for its errors only.
func (l *lowerer) instantiate(p *procedure, args []*argument, name ast.Name) (out []ir.Stmt, result *ir.Symbol) {
	caller, loops, pending, listed, prelude, noCalls := l.scope, l.loops, l.pending, l.listed, l.prelude, l.noCalls
	elem, steady, goal := l.elem, l.steady, l.goal
	l.elem, l.steady, l.goal = nil, false, nil
	defer func() {
		l.elem, l.steady, l.goal = elem, steady, goal
		l.scope, l.loops, l.pending, l.listed, l.prelude, l.noCalls = caller, loops, pending, listed, prelude, noCalls
		l.calls = l.calls[:len(l.calls)-1]
	}()
	b := &binding{l: l, unit: p.unit, call: name, external: !l.explicit(p), resultLen: 1}
	if s := caller.lookup(name.Name); s != nil && s.Type == ir.Character {
		b.resultLen = s.Len
	}
	l.calls = append(l.calls, p.unit)
	site := &ir.Site{ID: len(l.prog.Sites), Caller: caller.unit.Name, Callee: p.unit.Name, Pos: name.Pos, Parent: caller.site}
	l.prog.Sites = append(l.prog.Sites, site)
	l.scope = l.newScope(p.unit, p.host)
	l.scope.site = site
	l.loops, l.pending, l.listed, l.prelude, l.noCalls = nil, nil, nil, nil, false

	errors := l.diags.Errors()
	l.scope.binding = b
	if l.recursive[unitKey(p.unit)] && !l.phantom && args != nil {
		b.frame = l.openFrame(b, site)
		args = byValue(args)
	}
	b.bind(args)
	directives, independent := l.declarations(p.unit.Spec)
	l.checkDeclared()
	result = l.result(p.unit)
	l.otherResults(p.unit, result)
	if b.frame != nil {
		b.frame.result = result
	}
	b.check()
	if l.diags.Errors() > errors && !l.phantom {
		return nil, nil
	}
	l.place(b, directives)
	l.pending = independent
	body := l.unitBody(p.unit)
	if a := l.scope.alternate; a != nil {
		body = append(one(l.set(a, l.intConst(0, p.unit.Pos), p.unit.Pos)), body...)
	}
	body = append(l.returns(body), l.freedAtReturn()...)
	out = inSite(site, b.around(body))
	l.uncalledIn(p.unit)
	return out, result
}

// result declares the variable that has the value of a function, or the number of the
// alternate return of a subroutine that has such.
func (l *lowerer) result(u *ast.Program) *ir.Symbol {
	if u.Kind != ast.FunctionUnit {
		if slices.ContainsFunc(u.Args, func(a ast.Name) bool { return a.Name == ast.Alternate }) {
			l.scope.alternate = l.local("alternate", ir.Integer, u.Pos)
		}
		return l.scope.alternate
	}
	name, pos := resultName(u), u.Pos
	s := l.names[name]
	switch {
	case u.Prefix != nil && s != nil && l.typed[s].IsValid():
		l.errorf(codeDuplicate, l.typed[s], "the type of function %s is declared twice", u.Name).
			WithNote(u.Pos, "the first time here").WithHelp("remove one")
	case u.Prefix != nil:
		if s == nil {
			s = l.newSymbol(name, pos)
		}
		l.noCalls = true
		t := l.typeSpec(u.Prefix, u.Pos)
		l.noCalls = false
		s.Type, s.Len = t.typ, t.length
		l.typed[s] = u.Pos
		if t.assumed {
			s.Len = l.binding.resultLen
		}
		if t.of != nil {
			l.hasLength(s, t.of, u.Pos)
		}
	case s == nil && l.implicitNone:
		l.errorf(codeUndeclared, u.Pos, "the type of function %s is not declared", u.Name).
			WithHelp("write it in front: %s function %s(...)", typeWord(l.implicitType(name)), u.Name)
		s = &ir.Symbol{Name: name, Pos: pos}
		l.names[name] = s
	case s == nil:
		s = l.newSymbol(name, pos)
		l.retype(s, name)
	}
	l.mention[s] = true
	if s.Type == ir.Invalid {
		return nil
	}
	return s
}

func resultName(u *ast.Program) string {
	if u.Result.Name != "" {
		return u.Result.Name
	}
	return u.Name
}

// uncalled finds the errors of procedures that the program never calls.
func (l *lowerer) uncalled(f *ast.File) {
	l.uncalledIn(f.Program)
	for _, m := range f.Modules {
		if s := l.modules[m.Name]; s != nil && s.unit == m {
			for _, u := range m.Contains {
				l.check(&procedure{u, s})
			}
		}
	}
	for _, u := range f.Procedures {
		l.check(&procedure{unit: u})
	}
}

func (l *lowerer) uncalledIn(unit *ast.Program) {
	for _, u := range unit.Contains {
		l.check(&procedure{u, l.scope})
	}
	for _, u := range l.scope.inline {
		l.check(&procedure{u, l.scope})
	}
}

// check finds the errors of a procedure that has not been called.
func (l *lowerer) check(p *procedure) {
	if l.called[p.unit] || slices.Contains(l.calls, p.unit) {
		return
	}
	l.called[p.unit] = true
	outer, m := l.phantom, l.mark()
	l.phantom = true
	l.instantiate(p, nil, ast.Name{Pos: p.unit.Pos, Name: p.unit.Name})
	l.phantom = outer
	l.reset(m)
}

// returns gives the body of a procedure its structure: a RETURN is lowered to an
// EXIT.
func (l *lowerer) returns(body []ir.Stmt) []ir.Stmt {
	w := l.scope.ret
	if w == nil {
		return body
	}
	return l.leaving(w, body)
}

// leaving gives statements that are left by EXITs of w, a loop that is not there,
// their structure: where IF ... ELSE can do, it does, and else they become the body
// of w, which ends after one iteration.
func (l *lowerer) leaving(w *ir.While, body []ir.Stmt) []ir.Stmt {
	body = settle(body, w)
	if !jumps(body, w) {
		return body
	}
	w.Cond = &ir.Const{X: ir.X{Pos: w.Pos, Typ: ir.Logical}, Bool: true}
	w.Body = append(body, &ir.Exit{S: ir.S{Pos: w.End}, Loop: w})
	return one(w)
}

// settle removes the jumps to the end of list that structure can express.
func settle(list []ir.Stmt, w *ir.While) []ir.Stmt {
	for i, s := range list {
		switch s := s.(type) {
		case *ir.Exit:
			if s.Loop == w {
				return list[:i]
			}
		case *ir.If:
			then, other := leaves(s.Then, w), leaves(s.Else, w)
			rest := list[i+1:]
			switch {
			case then && other:
				rest = nil
			case then:
				s.Else = append(slices.Clip(s.Else), rest...)
			case other:
				s.Then = append(slices.Clip(s.Then), rest...)
			case i+1 < len(list) || !jumps(one(s), w):
				continue
			}
			s.Then, s.Else = settle(s.Then, w), settle(s.Else, w)
			return list[:i+1]
		}
	}
	return list
}

// leaves reports whether every path through list ends with a jump out of w.
func leaves(list []ir.Stmt, w *ir.While) bool {
	for _, s := range list {
		switch s := s.(type) {
		case *ir.Exit:
			return s.Loop == w
		case *ir.If:
			if leaves(s.Then, w) && leaves(s.Else, w) {
				return true
			}
		}
	}
	return false
}

func jumps(list []ir.Stmt, w *ir.While) bool {
	found := false
	ir.Walk(list, func(s ir.Stmt) bool {
		if e, ok := s.(*ir.Exit); ok && e.Loop == w {
			found = true
		}
		return !found
	})
	return found
}

func (l *lowerer) returnStmt(s *ast.Return) []ir.Stmt {
	pos := s.Pos
	if !l.scope.unit.Kind.IsProcedure() {
		l.errorf(codeOutside, pos, "RETURN in the main program").WithHelp("write STOP")
		return nil
	}
	at := l.scope.ofUnit()
	if l.critical.IsValid() && l.criticalIn == at {
		l.errorf(codeLoop, pos, "RETURN leaves the CRITICAL construct").
			WithNote(l.critical, "it begins here").WithHelp("move it behind END CRITICAL")
		return nil
	}
	if l.team.IsValid() && l.teamIn == at {
		l.errorf(codeLoop, pos, "RETURN leaves the CHANGE TEAM construct").
			WithNote(l.team, "it begins here").WithHelp("move it behind END TEAM")
		return nil
	}
	if at.ret == nil {
		u := at.unit
		at.ret = &ir.While{S: ir.S{Pos: u.Pos}, Name: l.unique(u.Name + "_body"), End: u.EndPos}
	}
	exit := one(&ir.Exit{S: ir.S{Pos: pos}, Loop: at.ret})
	if s.X == nil {
		return exit
	}
	x := l.integer(s.X, "the number of a RETURN")
	switch {
	case isBad(x):
		return nil
	case at.alternate == nil && otherAlternates(at.unit):
		return exit
	case at.alternate == nil:
		l.errorf(codeCall, s.X.Position(), "RETURN with a number in %s, which has no alternate returns", at.unit.Name).
			WithHelp("write RETURN, or a * among the dummy arguments")
		return nil
	}
	return append(one(l.set(at.alternate, x, pos)), exit...)
}
