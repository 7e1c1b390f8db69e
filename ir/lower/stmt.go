package lower

import (
	"maps"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/lower/derived"
	"github.com/spmdc/spmdc/ir/lower/structure"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// unitBody lowers the statements of a unit, of which none jumps any more.
func (l *lowerer) unitBody(u *ast.Program) []ir.Stmt {
	l.originalNames(u.Body)
	l.statementFunctions(u)
	body, ok := l.structured[u]
	if !ok {
		executed := *u
		executed.Body = entered(u, l.scope.skip)
		body = structure.Unit(&executed, l.errorf)
		l.structured[u] = body
	}
	return l.block(body)
}

// block lowers a statement list.
func (l *lowerer) block(list []ast.Stmt) []ir.Stmt {
	var body []ir.Stmt
	for _, s := range list {
		if ind, ok := s.(*ast.Independent); ok {
			l.pending = ind // the parser has seen to it that a DO follows
			continue
		}
		body = append(body, l.stmt(s)...)
		l.pending = nil
		if l.deep() && ends(body) {
			break // a call behind it is not reached, and must not go deeper
		}
	}
	return body
}

// ends reports whether nothing behind body is executed.
func ends(body []ir.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	switch body[len(body)-1].(type) {
	case *ir.Exit, *ir.Cycle, *ir.Stop:
		return true
	}
	return false
}

// stmt lowers one statement to any number of statements: those of the functions
// that it refers to come first.
func (l *lowerer) stmt(s ast.Stmt) []ir.Stmt {
	var out []ir.Stmt
	before := l.functions(func() { out = l.simple(l.withCodimensions(l.withTypes(s))) })
	return append(before, out...)
}

// functions lowers something for which functions may have to be executed, and
// returns their statements.
func (l *lowerer) functions(lower func()) []ir.Stmt {
	prelude, hoisted, results := l.prelude, l.hoisted, l.results
	l.prelude, l.hoisted, l.results = nil, nil, map[*ast.Index]*ir.Symbol{}
	lower()
	before := append(l.hoisted, l.prelude...)
	l.prelude, l.hoisted, l.results = prelude, hoisted, results
	return before
}

// trial begins to lower something that may be lowered again: undo takes back the statements that
// it has added to pre and the prelude, and the values of functions that they compute.
func (l *lowerer) trial(pre *[]ir.Stmt) (undo func()) {
	at, before, results := len(*pre), len(l.prelude), maps.Clone(l.results)
	return func() {
		*pre, l.prelude = (*pre)[:at], l.prelude[:before]
		maps.DeleteFunc(l.results, func(e *ast.Index, s *ir.Symbol) bool { _, was := results[e]; return !was && !isArray(s) })
	}
}

func (l *lowerer) simple(s ast.Stmt) []ir.Stmt {
	if l.impureStmt(s) {
		return nil
	}
	switch s := s.(type) {
	case *ast.Assign:
		if s.Part {
			return copying(l.assign(s))
		}
		return l.assign(s)
	case *ast.Do:
		if s.Var.Name == "" {
			return l.while(s, s.EndPos, s.Name, l.forever(s.Pos), s.Body)
		}
		return l.do(s)
	case *ast.DoWhile:
		return l.doWhile(s, s.EndPos, s.Name, s.Cond, s.Body)
	case *ast.If:
		if s.Where {
			return l.where(s, nil)
		}
		return l.ifs(s)
	case *ast.Forall:
		if s.Concurrent {
			return l.concurrent(s)
		}
		return l.forall(s, forallNest{})
	case *ast.Exit:
		if loop := l.loopNamed(s.Name, "EXIT", s.Pos); loop != nil {
			return one(&ir.Exit{S: ir.S{Pos: s.Pos}, Loop: loop})
		}
	case *ast.Cycle:
		if loop := l.loopNamed(s.Name, "CYCLE", s.Pos); loop != nil {
			return one(&ir.Cycle{S: ir.S{Pos: s.Pos}, Loop: loop})
		}
	case *ast.Print:
		return l.print(s)
	case *ast.Read:
		return l.read(s)
	case *ast.FileStmt:
		return l.fileStmt(s)
	case *ast.Stop:
		return l.stop(s)
	case *ast.Call:
		return l.callStmt(s)
	case *ast.Return:
		return l.returnStmt(s)
	case *ast.Allocate:
		return l.allocate(s)
	case *ast.Sync:
		return l.sync(s)
	case *ast.Critical:
		return l.criticalBlock(s)
	case *ast.ChangeTeam:
		return l.changeTeam(s)
	case *ast.Block:
		return l.blockConstruct(s)
	case *ast.Associate:
		return l.associate(s)
	case *ast.Remap:
		return l.remap(s)
	case *ast.Continue:
	case *ast.LabelAssign:
		return l.labelAssign(s)
	case *ast.Pause:
		l.diags.Warnf(source.NotHonoured, s.Pos, "PAUSE is ignored: the program goes on").WithHelp("remove it, or READ a line")
	case *ast.Select:
		if s.OfType {
			l.errorf(codeOutside, s.Pos, "SELECT TYPE of what is not polymorphic").WithHelp("declare the object as class(name), a dummy argument or ALLOCATABLE")
			return nil
		}
		return l.selectCase(s)
	case *ast.PointerAssign:
		return l.pointerAssign(s)
	case *structure.Block, *structure.Loop, *structure.Leave, *structure.Repeat, *structure.Let:
		return l.structuredStmt(s)
	case *ast.Processors, *ast.Template, *ast.Align, *ast.Distribute:
		l.errorf(codeDirective, s.Position(), "a mapping directive cannot stand among the executable statements").
			WithHelp("move it up to the declarations")
	default:
		l.errorf(codeOutside, s.Position(), "this statement is not supported here")
	}
	return nil
}

func one(s ir.Stmt) []ir.Stmt { return []ir.Stmt{s} }

// definedAssignment is the call that s means.
func definedAssignment(s *ast.Assign) *ast.Call {
	value := &ast.Paren{XBase: ast.XBase{Pos: s.RHS.Position(), End: s.RHS.EndPosition()}, X: s.RHS}
	return &ast.Call{Base: s.Base, Proc: ast.Name{Pos: s.Pos, Name: assignment}, Args: []ast.Expr{s.LHS, value}, Defines: true}
}

func (l *lowerer) assign(s *ast.Assign) []ir.Stmt {
	if l.isDefinedAssignment(s) {
		return l.callStmt(definedAssignment(s))
	}
	if l.isPart(s.LHS) {
		return l.arrayAssign(s)
	}
	if part, is := s.LHS.(*ast.Substring); is && l.isPart(part.Base) {
		return l.assignParts(s, part)
	}
	rhs := l.expr(s.RHS)
	lhs := l.target(s.LHS)
	if isBad(rhs, lhs) || !l.assignable(lhs.Type(), rhs, ir.ExprString(lhs)) {
		return nil
	}
	rhs = l.convert(rhs, lhs.Type())
	if isBad(rhs) {
		return nil
	}
	out := one(&ir.Assign{S: ir.S{Pos: s.Pos}, LHS: lhs, RHS: rhs})
	switch x := lhs.(type) {
	case *ir.Var:
		if a := l.allocs[x.Sym]; a != nil {
			out = append(out, l.set(a.flag, truth(true, s.Pos), s.Pos))
		}
	case *ir.Ref:
		if a := l.allocs[x.Sym]; a != nil && x.Sym.Apart && x.Sym.Cell {
			out = append(out, l.set(a.flag, truth(true, s.Pos), s.Pos))
		}
	}
	return out
}

// target lowers the left side of an assignment or an item of READ.
func (l *lowerer) target(e ast.Expr) ir.Expr {
	switch e := e.(type) {
	case *ast.CoIndex:
		if name := designated(e); l.elsewhere(e.Pos) || !l.mayChange(ast.Name{Pos: e.Pos, Name: name}) {
			return bad(e.Pos)
		}
		return l.coindexed(e)
	case *ast.Ident:
		if s := l.lookup(e.Name); s != nil && s.Cell {
			if !l.mayChange(ast.Name{Pos: e.Pos, Name: e.Name}) {
				return bad(e.Pos)
			}
			return l.cell(s, e.Pos)
		}
		if v := l.variable(ast.Name{Pos: e.Pos, Name: e.Name}); v != nil {
			return &ir.Var{X: ir.X{Pos: e.Pos, Typ: v.Type}, Sym: v}
		}
		return bad(e.Pos)
	case *ast.Index:
		if e.Part() != "" {
			l.errorf(codeOutside, e.Pos, "a part of a COMPLEX number is not set here").
				WithHelp("set a REAL variable, and assign it: %s = x", ast.UnparseExpr(e))
			return bad(e.Pos)
		}
		s := l.lookup(e.Name)
		if !isArray(s) {
			l.notArray(e, s)
			return bad(e.Pos)
		}
		if !l.mayChange(ast.Name{Pos: e.NamePos, Name: e.Name}) {
			return bad(e.Pos)
		}
		l.present(e.Name, e.NamePos)
		return l.element(s, e)
	case *ast.Substring:
		if co, ok := e.Base.(*ast.CoIndex); ok {
			l.errorf(codeOutside, e.Pos, "a part of a text of another image is not set here").
				WithHelp("get the whole text, change the part, and assign it as a whole: %s = text", ast.UnparseExpr(co))
			return bad(e.Pos)
		}
		if id, ok := e.Base.(*ast.Ident); ok && !l.mayChange(ast.Name{Pos: id.Pos, Name: id.Name}) {
			return bad(e.Pos)
		}
		x := l.substring(e)
		if c := ir.Target(x); c == nil && !isBad(x) {
			l.errorf(codeType, e.Pos, "a constant cannot be assigned to").WithHelp("assign to a CHARACTER variable")
			return bad(e.Pos)
		}
		return x
	}
	l.errorf(codeType, e.Position(), "only a variable, array element or substring can be assigned to")
	return bad(e.Position())
}

func (l *lowerer) notArray(e *ast.Index, s *ir.Symbol) {
	switch {
	case s != nil && s.Type == ir.Invalid:
		l.unambiguous(s, e.Pos) // else reported
	case s == nil:
		l.errorf(codeUndeclared, e.Pos, "%s is not declared as an array", e.Name).
			WithHelp("declare it with its bounds; a statement function stands in front of the executable statements")
	case s.Type == ir.Character:
		l.errorf(codeType, e.Pos, "%s is a CHARACTER scalar: a substring needs a colon", e.Name).
			WithHelp("write %s(i:i) for one character", e.Name)
	default:
		l.errorf(codeRank, e.Pos, "%s is a scalar and cannot have subscripts", e.Name).
			WithNote(s.Pos, "%s was declared here", e.Name).
			WithHelp("declare it as an array; a statement function stands in front of the executable statements")
	}
}

// variable returns the scalar variable called name that may be assigned to, or
// reports why there is none.
func (l *lowerer) variable(name ast.Name) *ir.Symbol {
	l.present(name.Name, name.Pos)
	s := l.symbol(name.Name, name.Pos)
	if !l.mayChange(name) {
		return nil
	}
	switch at, isActive := l.active[s]; {
	case s.Type == ir.Invalid:
		return nil
	case s.Param:
		l.errorf(codeType, name.Pos, "%s is a PARAMETER and cannot be assigned to", s.Source()).
			WithNote(s.Pos, "%s was declared here", s.Source()).WithHelp("assign to a variable, or declare %s without PARAMETER", s.Source())
		return nil
	case s.Cell:
		what := "coarray " + s.Source()
		if !s.Coarray {
			what = s.Source() + " is a part of an array by EQUIVALENCE, COMMON or ASSOCIATE, and"
		}
		l.errorf(codeOutside, name.Pos, "%s cannot be the variable here", what).
			WithNote(s.Pos, "%s was declared here", s.Source()).WithHelp("use an ordinary variable, and assign %s from it", s.Source())
		return nil
	case s.IsArray():
		l.wholeArray(s, name.Pos)
		return nil
	case isActive:
		l.errorf(codeLoop, name.Pos, "%s is the index of a DO loop around and cannot be assigned to", s.Source()).
			WithNote(at, "the loop begins here").WithHelp("use another variable, or DO WHILE")
		return nil
	}
	l.mention[s] = true
	return s
}

// mayChange reports, or says by an error, whether the variable called name may be
// assigned to as far as it is an argument.
func (l *lowerer) mayChange(name ast.Name) bool {
	d := l.scope.dummy(name.Name)
	at := l.scope
	for at.inner && at.names[name.Name] == nil {
		at = at.host
	}
	switch {
	case at.names[name.Name] == nil || at.used[name.Name]:
		if !derived.Pooled(name.Name) && l.impure("an assignment to "+name.Name+", which the procedure shares with others,", name.Pos) {
			return false
		}
	}
	if why := l.unchangeable(name.Name); why != "" {
		l.errorf(codeCall, name.Pos, "%s, and cannot be assigned to", why).WithHelp("assign to another variable")
		return false
	}
	switch {
	case d == nil:
		return true
	case l.isPointer[d.sym]: // INTENT says what it may point to
		return true
	case d.intent == "in":
		l.errorf(codeCall, name.Pos, "%s has INTENT(IN) and cannot be assigned to", name.Name).
			WithNote(d.Pos, "it is an argument here").WithHelp("assign it to a local variable first, or declare intent(inout)")
		return false
	case d.literal:
		l.errorf(codeCall, d.arg.pos, "argument %d of the call is assigned to by the procedure, but it is a constant", d.no).
			WithNote(name.Pos, "%s is assigned to here", name.Name).WithHelp("pass a variable")
		return false
	}
	return true
}

func (l *lowerer) do(s *ast.Do) []ir.Stmt {
	ind := l.pending
	l.pending = nil
	if ind != nil && len(ind.Loops) > 0 {
		defer l.beginNest(ind)()
		ind = nil
	}
	if ind == nil {
		ind = l.listedIn(s.Var.Name)
	}
	if l.prog.SPMD && ind != nil { // what one image may not know is not taken on trust
		l.diags.Warnf(source.NotHonoured, ind.Pos, "INDEPENDENT is not made use of in a program with coarrays: a loop over distributed arrays is divided where that is proved to be right").
			WithHelp("remove the directive")
		ind = nil
	}
	d := &ir.Do{S: ir.S{Pos: s.Pos}, Name: s.Name, End: s.EndPos}
	index := l.variable(s.Var)
	if index != nil && index.Type.IsReal() {
		return l.realLoop(s, index, ind)
	}
	d.Index = l.integerIndex(index, s.Var)
	ok := d.Index != nil
	if ok { // bounds of the type of a wrong index are no errors of their own
		d.Lo = l.limit(s.Lo, "the start of DO")
		d.Hi = l.limit(s.Hi, "the end of DO")
		d.Step = l.step(s.Step, s.Pos)
		d.Lo, d.Hi, d.Step = l.counted(d.Index, d.Lo, d.Hi, d.Step)
		ok = !isBad(d.Lo, d.Hi, d.Step)
	}
	if ind != nil {
		d.Independent = l.independent(ind)
	}
	end := func() {}
	if d.Index != nil {
		l.active[d.Index] = s.Pos
		if ok {
			end = l.indices.Add(d.Index, d.Lo, d.Hi, d.Step, false)
		}
	}
	d.Body = l.body(d, s, s.Name, s.Body)
	if ind != nil && ind.On.IsSet() {
		d.Body = l.onHome(&ind.On, ind.Pos, d.Body)
	}
	if d.Index != nil {
		delete(l.active, d.Index)
	}
	end()
	if !ok {
		return nil
	}
	if d.Independent != nil {
		l.inStep(d)
	}
	return append(l.keepBounds(d), d)
}

// keepBounds replaces a bound or step of d that reads what d changes by a variable,
// and returns the assignments that set it before the loop, in
//
//	do i = 1, n          i_last = n
//	   n = n + a(i)      do i = 1, i_last
//	end do                  n = n + a(i)
//	                     end do
//
// So every later pass may evaluate bounds where and as often as it likes.
func (l *lowerer) keepBounds(d *ir.Do) []ir.Stmt {
	var pre []ir.Stmt
	keep := func(e *ir.Expr, what string) {
		changed := false
		ir.WalkExpr(*e, func(x ir.Expr) bool {
			switch x := x.(type) {
			case *ir.Var:
				changed = changed || assigns(one(d), x.Sym)
			case *ir.Ref:
				changed = changed || assigns(one(d), x.Sym)
			case *ir.CoRef:
				changed = true // another image may assign it
			}
			return !changed
		})
		if !changed {
			return
		}
		pos := (*e).Position()
		t := l.local(d.Index.Source()+what, (*e).Type(), pos)
		v := func() ir.Expr { return &ir.Var{X: ir.X{Pos: pos, Typ: t.Type}, Sym: t} }
		pre = append(pre, &ir.Assign{S: ir.S{Pos: d.Pos}, LHS: v(), RHS: *e})
		*e = v()
	}
	keep(&d.Lo, "_first")
	keep(&d.Hi, "_last")
	keep(&d.Step, "_step")
	return pre
}

// body lowers the body of a loop, which is of in the tree.
func (l *lowerer) body(stmt ir.Stmt, of ast.Stmt, name string, list []ast.Stmt) []ir.Stmt {
	_, jumps := of.(*structure.Loop)
	l.loops = append(l.loops, loop{name: name, stmt: stmt, of: of, block: jumps})
	b := l.block(list)
	l.loops = l.loops[:len(l.loops)-1]
	return b
}

// loopIndex resolves the index of a DO loop or implied DO.
func (l *lowerer) loopIndex(name ast.Name) *ir.Symbol {
	return l.integerIndex(l.variable(name), name)
}

// integerIndex is s, or nil and an error where it is no INTEGER; s may be nil.
func (l *lowerer) integerIndex(s *ir.Symbol, name ast.Name) *ir.Symbol {
	if s != nil && !s.Type.IsInteger() {
		l.errorf(codeLoop, name.Pos, "loop index %s is %s, it must be INTEGER", s.Source(), s.Type).
			WithNote(s.Pos, "%s was declared here", s.Source()).WithHelp("count with an INTEGER and compute %s from it", s.Source())
		return nil
	}
	return s
}

// counted converts the bounds and the step of a loop to the type of its index.
func (l *lowerer) counted(index *ir.Symbol, lo, hi, step ir.Expr) (ir.Expr, ir.Expr, ir.Expr) {
	if index == nil {
		return lo, hi, step
	}
	return l.convert(lo, index.Type), l.convert(hi, index.Type), l.convert(step, index.Type)
}

// step lowers a loop step; absent it is 1.
func (l *lowerer) step(e ast.Expr, pos source.Pos) ir.Expr {
	if e == nil {
		return l.intConst(1, pos)
	}
	x := l.limit(e, "the step of DO")
	if c, ok := x.(*ir.Const); ok && c.Typ.IsInteger() && c.Int == 0 {
		l.errorf(codeLoop, e.Position(), "the step of DO is zero").WithHelp("write a step other than 0, or DO WHILE")
		return bad(e.Position())
	}
	return x
}

// while lowers a loop, which is of in the tree. Only a DO loop of the source is what EXIT and CYCLE
// without a name are about.
func (l *lowerer) while(of ast.Stmt, end source.Pos, name string, cond ir.Expr, list []ast.Stmt) []ir.Stmt {
	w := &ir.While{S: ir.S{Pos: of.Position()}, Name: name, Cond: cond, End: end}
	w.Body = l.body(w, of, name, list)
	return one(w)
}

// doWhile lowers DO WHILE, which is s in the tree. With functions in the condition, the loop has
// no end of its own and begins with the test.
func (l *lowerer) doWhile(s ast.Stmt, end source.Pos, name string, condition ast.Expr, list []ast.Stmt) []ir.Stmt {
	pos := s.Position()
	var cond ir.Expr
	before := l.functions(func() { cond = l.logical(condition, "the condition of DO WHILE") })
	if len(before) == 0 {
		return l.while(s, end, name, cond, list)
	}
	out := l.while(s, end, name, l.forever(pos), list)
	w := out[0].(*ir.While)
	test := &ir.If{S: ir.S{Pos: pos}, Cond: &ir.Un{X: ir.X{Pos: pos, Typ: ir.Logical}, Op: ir.Not, E: cond},
		Then: one(&ir.Exit{S: ir.S{Pos: pos}, Loop: w})}
	w.Body = append(append(before, test), w.Body...)
	return out
}

// forever is the condition of a loop that only a jump leaves.
func (l *lowerer) forever(pos source.Pos) ir.Expr {
	return &ir.Const{X: ir.X{Pos: pos, Typ: ir.Logical}, Bool: true}
}

func (l *lowerer) ifs(s *ast.If) []ir.Stmt {
	if len(s.Arms) == 0 {
		return nil
	}
	return l.construct(s.Name, s.Pos, s.EndPos, func() []ir.Stmt { return l.arms(s) })
}

// arms lowers the branches of an IF.
func (l *lowerer) arms(s *ast.If) []ir.Stmt {
	var first, last *ir.If
	rest := s.Else
	chain := func(list []ir.Stmt) []ir.Stmt {
		if first == nil {
			return list
		}
		last.Else = list
		return one(first)
	}
	for _, arm := range s.Arms {
		switch v, known := l.presence(arm.Cond); {
		case known && v:
			return chain(l.block(arm.Body))
		case known:
			continue
		}
		next := &ir.If{S: ir.S{Pos: arm.Pos}}
		before := l.functions(func() { next.Cond = l.logical(arm.Cond, "the condition of IF") })
		if !arm.Pos.IsValid() {
			next.Pos = s.Pos
		}
		if c, ok := next.Cond.(*ir.Const); ok && (s.OfType || l.deep()) && len(before) == 0 {
			if c.Bool {
				return chain(l.block(arm.Body))
			}
			continue
		}
		end := l.indices.Holds(next.Cond, true)
		next.Then = l.block(arm.Body)
		end()
		defer l.indices.Holds(next.Cond, false)()
		if first == nil {
			first = next
			l.prelude = append(l.prelude, before...)
		} else {
			last.Else = append(before, next)
		}
		last = next
	}
	return chain(l.block(rest))
}

// loopNamed finds the loop that EXIT or CYCLE means; an EXIT with a name may mean an
// IF construct.
func (l *lowerer) loopNamed(name, what string, pos source.Pos) ir.Stmt {
	for i := len(l.loops) - 1; i >= 0; i-- {
		switch around := l.loops[i]; {
		case l.concurrents[around.of] && (what == "EXIT" || name != "" && name != around.name):
			l.errorf(codeLoop, pos, "%s leaves a DO CONCURRENT", what).
				WithNote(around.stmt.Position(), "it begins here").WithHelp("write CYCLE to go on with the next iteration, or a DO loop")
			return nil
		case name == "" && around.block:
		case name != "" && name != around.name:
		case around.block && what == "CYCLE":
			l.errorf(codeLoop, pos, "CYCLE %s: that is the name of no DO loop", name).
				WithNote(around.stmt.Position(), "it begins here").WithHelp("write EXIT %s, or the name of a DO loop around", name)
			return nil
		default:
			return around.stmt
		}
	}
	if l.critical.IsValid() {
		l.errorf(codeLoop, pos, "%s leaves the CRITICAL construct", what).
			WithNote(l.critical, "it begins here").WithHelp("set a LOGICAL variable, and test it behind END CRITICAL")
		return nil
	}
	if l.team.IsValid() {
		l.errorf(codeLoop, pos, "%s leaves the CHANGE TEAM construct, or stands outside of any loop", what).
			WithNote(l.team, "the construct begins here").WithHelp("set a LOGICAL variable, and test it behind END TEAM")
		return nil
	}
	if name == "" {
		l.errorf(codeLoop, pos, "%s stands outside of any DO loop", what).WithHelp("remove it, or put a loop around it")
	} else {
		l.errorf(codeLoop, pos, "%s %s: no loop around has the name %s", what, name, name).
			WithHelp("name the loop: %s: do i = ...", name)
	}
	return nil
}

func (l *lowerer) stop(s *ast.Stop) []ir.Stmt {
	if l.critical.IsValid() && !s.Error {
		l.errorf(codeOutside, s.Pos, "STOP inside CRITICAL").
			WithNote(l.critical, "CRITICAL begins here").WithHelp("move it behind END CRITICAL, or write ERROR STOP")
		return nil
	}
	out := &ir.Stop{S: ir.S{Pos: s.Pos}, Error: s.Error}
	if s.Code != nil {
		out.Code = l.expr(s.Code)
		switch t := out.Code.Type(); t {
		case ir.Invalid:
			return nil
		case ir.Byte, ir.Short, ir.Integer, ir.Long, ir.Character:
		default:
			l.errorf(codeType, s.Code.Position(), "the code of STOP is %s, it must be INTEGER or CHARACTER", t).
				WithHelp("write the exit status, an INTEGER, or a text")
			return nil
		}
	}
	return one(out)
}

// copying marks the assignments in list as copies of what need not have a value.
func copying(list []ir.Stmt) []ir.Stmt {
	ir.Walk(list, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Assign); ok {
			switch x := a.RHS.(type) {
			case *ir.Var:
				x.Raw = true
			case *ir.Ref:
				x.Raw = true
			}
		}
		return true
	})
	return list
}
