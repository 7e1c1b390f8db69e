package lower

import (
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// An event is an INTEGER coarray here, the number of posts that nobody has waited for, and a lock
// the image that holds it, or 0 (see package derived). Statements change them in the critical
// construct of the atomic subroutines. An image that must wait for a change waits for a notice,
// and looks again:
//
//	event post (e[p])     critical; e[p] = e[p] + 1; end critical; notify p
//	event wait (e)        do; critical; if (e >= 1) then; e = e - 1 ...; end critical; if done exit; await a notice; end do
//	lock (l[p])           the same with l[p] == 0 and l[p] = this_image()
//	unlock (l[p])         critical; l[p] = 0; end critical; notify all

// eventStmt is a statement about an event or lock.
type eventStmt struct {
	l   *lowerer
	pos source.Pos
	x   ir.Expr // the event or lock
	pre []ir.Stmt
}

// events lowers EVENT POST, EVENT WAIT, LOCK and UNLOCK.
func (l *lowerer) events(s *ast.Sync) []ir.Stmt {
	if l.critical.IsValid() {
		l.errorf(codeOutside, s.Pos, "%s inside CRITICAL", strings.ToUpper(s.What)).
			WithNote(l.critical, "CRITICAL begins here").WithHelp("move it out of the construct: the other images cannot get here meanwhile")
		return nil
	}
	a := &eventStmt{l: l, pos: s.Pos, x: l.target(s.Images[0])}
	if isBad(a.x) {
		return nil
	}
	extra := map[string]string{"event wait": "until_count", "lock": "acquired_lock"}[s.What]
	var special ast.Expr
	var status []ast.Expr
	for _, e := range s.Status {
		if k, ok := e.(*ast.Keyword); ok && k.Name == extra && special == nil {
			special = k.X
		} else {
			status = append(status, e)
		}
	}
	var out []ir.Stmt
	switch s.What {
	case "event post":
		out = a.post()
	case "event wait":
		out = a.wait(special)
	case "lock":
		return a.lock(special, status)
	case "unlock":
		return a.unlock(status)
	}
	if out == nil {
		return nil
	}
	return l.succeeds(out, status)
}

// indivisible is body as one step of all images.
func (a *eventStmt) indivisible(body ...ir.Stmt) ir.Stmt {
	return &ir.Critical{S: ir.S{Pos: a.pos}, Lock: a.l.lockOf(source.Pos{}), Body: body}
}

// becomes is the assignment of value to the event or lock.
func (a *eventStmt) becomes(value ir.Expr) ir.Stmt {
	return &ir.Assign{S: ir.S{Pos: a.pos}, LHS: ir.Clone(a.x), RHS: value}
}

func (a *eventStmt) sync(kind ir.SyncKind, images ...ir.Expr) ir.Stmt {
	return &ir.Sync{S: ir.S{Pos: a.pos}, Kind: kind, Images: images}
}

func (a *eventStmt) me() ir.Expr {
	return &ir.Call{X: ir.X{Pos: a.pos, Typ: ir.Integer}, Name: "this_image"}
}

// scalar is a new variable.
func (a *eventStmt) scalar(name string, t ir.Type) *ir.Symbol {
	v := a.l.local(name, t, a.pos)
	a.l.mention[v], a.l.typed[v] = true, a.pos
	return v
}

func (a *eventStmt) bin(op ir.Op, x, y ir.Expr) ir.Expr { return a.l.bin(op, x, y, a.pos, a.pos) }

func (a *eventStmt) post() []ir.Stmt {
	to := a.me()
	if co, ok := a.x.(*ir.CoRef); ok {
		to = ir.Clone(co.Image)
	}
	one := a.l.intConst(1, a.pos)
	return []ir.Stmt{a.indivisible(a.becomes(a.l.plus(ir.Clone(a.x), one, a.pos))), a.sync(ir.EventPost, to)}
}

// until is body, repeated until it sets the variable that it gets; in between the image waits for
// a notice.
func (a *eventStmt) until(kind ir.SyncKind, body func(done *ir.Symbol) []ir.Stmt) []ir.Stmt {
	done := a.scalar("done", ir.Logical)
	not := func() ir.Expr { return &ir.Un{X: ir.X{Pos: a.pos, Typ: ir.Logical}, Op: ir.Not, E: varOf(done, a.pos)} }
	list := append(body(done), &ir.If{S: ir.S{Pos: a.pos}, Cond: not(), Then: one(a.sync(kind))})
	loop := &ir.While{S: ir.S{Pos: a.pos}, Cond: not(), Body: list, End: a.pos}
	return append(a.pre, a.l.set(done, truth(false, a.pos), a.pos), loop)
}

func (a *eventStmt) wait(count ast.Expr) []ir.Stmt {
	l := a.l
	if _, ok := a.x.(*ir.CoRef); ok {
		l.errorf(codeArgument, a.pos, "EVENT WAIT for an event of another image").WithHelp("wait for one of this image, which the other posts: event post (e[image])")
		return nil
	}
	var n ir.Expr = l.intConst(1, a.pos)
	if count != nil {
		x := l.integer(count, "UNTIL_COUNT")
		if isBad(x) {
			return nil
		}
		// Fewer than 1 are 1.
		v := a.scalar("count", ir.Integer)
		few := a.bin(ir.Lt, varOf(v, a.pos), l.intConst(1, a.pos))
		a.pre = append(a.pre, l.set(v, x, a.pos), &ir.If{S: ir.S{Pos: a.pos}, Cond: few, Then: one(l.set(v, l.intConst(1, a.pos), a.pos))})
		n = varOf(v, a.pos)
	}
	return a.until(ir.EventWait, func(done *ir.Symbol) []ir.Stmt {
		take := []ir.Stmt{a.becomes(l.minus(ir.Clone(a.x), ir.Clone(n), a.pos)), l.set(done, truth(true, a.pos), a.pos)}
		return one(a.indivisible(&ir.If{S: ir.S{Pos: a.pos}, Cond: a.bin(ir.Ge, ir.Clone(a.x), n), Then: take}))
	})
}

// statusOf are the variables of STAT= and ERRMSG= in list, which succeeds has checked.
func (l *lowerer) statusOf(list []ast.Expr) (to statusTo) {
	for _, e := range list {
		switch k := e.(*ast.Keyword); k.Name {
		case "stat":
			to.stat = l.target(k.X)
		case "errmsg":
			to.message = l.target(k.X)
		}
	}
	return to
}

// holder is a variable for who has the lock, and what makes the lock that of image to if that
// is was.
func (a *eventStmt) exchange(was, to ir.Expr) (holder *ir.Symbol, step ir.Stmt) {
	holder = a.scalar("holder", ir.Integer)
	same := a.bin(ir.Eq, varOf(holder, a.pos), was)
	return holder, a.indivisible(a.l.set(holder, ir.Clone(a.x), a.pos), &ir.If{S: ir.S{Pos: a.pos}, Cond: same, Then: one(a.becomes(to))})
}

func (a *eventStmt) lock(acquired ast.Expr, status []ast.Expr) []ir.Stmt {
	l := a.l
	holder, step := a.exchange(l.intConst(0, a.pos), a.me())
	free := func() ir.Expr { return a.bin(ir.Eq, varOf(holder, a.pos), l.intConst(0, a.pos)) }
	mine := func() ir.Expr { return a.bin(ir.Eq, varOf(holder, a.pos), a.me()) }
	out := one(step)
	if acquired == nil {
		out = a.until(ir.Lock, func(done *ir.Symbol) []ir.Stmt {
			return []ir.Stmt{step, l.set(done, a.bin(ir.Or, free(), mine()), a.pos)}
		})
	} else {
		got := l.target(acquired)
		if isBad(got) {
			return nil
		}
		if got.Type() != ir.Logical {
			l.errorf(codeType, acquired.Position(), "the variable of ACQUIRED_LOCK= is %s, it must be LOGICAL", got.Type())
			return nil
		}
		out = append(out, &ir.Assign{S: ir.S{Pos: a.pos}, LHS: got, RHS: free()})
	}
	return a.orFails(out, status, mine(), l.fails(l.statusOf(status), IntrinsicConstants["iso_fortran_env"]["stat_locked"],
		"LOCK of a lock that this image holds", "The lock is held by this image already", a.pos))
}

func (a *eventStmt) unlock(status []ast.Expr) []ir.Stmt {
	l := a.l
	holder, step := a.exchange(a.me(), l.intConst(0, a.pos))
	to := l.statusOf(status)
	constants := IntrinsicConstants["iso_fortran_env"]
	other := &ir.If{S: ir.S{Pos: a.pos}, Cond: a.bin(ir.Eq, varOf(holder, a.pos), l.intConst(0, a.pos)),
		Then: l.fails(to, constants["stat_unlocked"], "UNLOCK of a lock that nobody holds", "The lock is not held", a.pos),
		Else: l.fails(to, constants["stat_locked_other_image"], "UNLOCK of a lock that another image holds", "The lock is held by another image", a.pos)}
	return a.orFails([]ir.Stmt{step, a.sync(ir.Unlock)}, status, a.bin(ir.Ne, varOf(holder, a.pos), a.me()), one(other))
}

// orFails is out, and what happens where cond holds behind it.
func (a *eventStmt) orFails(out []ir.Stmt, status []ast.Expr, cond ir.Expr, fails []ir.Stmt) []ir.Stmt {
	if out = a.l.succeeds(out, status); out == nil {
		return nil
	}
	return append(out, &ir.If{S: ir.S{Pos: a.pos}, Cond: cond, Then: fails})
}

// eventQuery lowers CALL EVENT_QUERY.
func (l *lowerer) eventQuery(s *ast.Call) []ir.Stmt {
	call := &ast.Index{XBase: ast.XBase{Pos: s.Proc.Pos, End: s.Proc.Pos}, Name: s.Proc.Name, NamePos: s.Proc.Pos, Args: s.Args}
	args := l.ordered(call, 2, "event", "count", "stat")
	if args == nil {
		return nil
	}
	a := &eventStmt{l: l, pos: s.Pos, x: l.target(args[0])}
	count := l.target(args[1])
	if isBad(a.x, count) {
		return nil
	}
	if _, other := a.x.(*ir.CoRef); other {
		l.errorf(codeArgument, args[0].Position(), "event_query of an event of another image").WithHelp("an image can query its own events only")
		return nil
	}
	if !count.Type().IsInteger() {
		l.errorf(codeType, args[1].Position(), "argument count of event_query is %s, it must be INTEGER", count.Type())
		return nil
	}
	out := one(a.indivisible(&ir.Assign{S: ir.S{Pos: s.Pos}, LHS: count, RHS: l.convert(a.x, count.Type())}))
	var status []ast.Expr
	if args[2] != nil {
		status = []ast.Expr{&ast.Keyword{XBase: ast.XBase{Pos: args[2].Position(), End: args[2].EndPosition()}, Name: "stat", X: args[2]}}
	}
	return l.succeeds(out, status)
}
