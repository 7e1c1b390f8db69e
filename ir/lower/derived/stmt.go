package derived

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// list are the statements of list without derived types.
func (t *unit) list(list []ast.Stmt) []ast.Stmt {
	var out []ast.Stmt
	for _, s := range list {
		out = append(out, t.statement(s)...)
	}
	return out
}

// statement is s, and what has to be done in front of it. A label stays with the first.
func (t *unit) statement(s ast.Stmt) []ast.Stmt {
	outer, after := t.before, t.after
	t.before, t.after = nil, nil
	alone := t.alone
	t.alone = len(ast.Bodies(s)) == 0
	out := t.wrapped(func() []ast.Stmt {
		list := t.stmt(s)
		return slices.Concat(t.before, list, t.after)
	})
	t.before, t.after, t.alone = outer, after, alone
	if label := s.StmtLabel(); label != 0 && (len(out) > 1 && out[0] != s || len(out) == 1 && isAssociate(out[0]) && !isAssociate(s)) {
		list := out
		if a, ok := out[0].(*ast.Associate); ok {
			list = append(slices.Clone(a.Body), out...)
		}
		for _, x := range list {
			if b := baseOf(x); b != nil && b.Label == label {
				b.Label = 0
			}
		}
		first := &ast.Continue{Base: ast.Base{Pos: s.Position(), Label: label}}
		out = append([]ast.Stmt{first}, out...)
	}
	return out
}

func isAssociate(s ast.Stmt) bool { _, ok := s.(*ast.Associate); return ok }

// baseOf is the base of a statement that statement may make several of, nil of another one.
func baseOf(s ast.Stmt) *ast.Base {
	switch s := s.(type) {
	case *ast.Assign:
		return &s.Base
	case *ast.Call:
		return &s.Base
	case *ast.If:
		return &s.Base
	case *ast.Print:
		return &s.Base
	case *ast.Read:
		return &s.Base
	case *ast.Allocate:
		return &s.Base
	case *ast.Do:
		return &s.Base
	case *ast.Select:
		return &s.Base
	case *ast.DoWhile:
		return &s.Base
	case *ast.Return:
		return &s.Base
	case *ast.Exit:
		return &s.Base
	case *ast.Cycle:
		return &s.Base
	case *ast.Goto:
		return &s.Base
	}
	return nil
}

func (t *unit) stmt(s ast.Stmt) []ast.Stmt {
	switch s := s.(type) {
	case *ast.Assign:
		return t.assignment(s)
	case *ast.Call:
		return t.call(s)
	case *ast.Allocate:
		return t.allocate(s)
	case *ast.PointerAssign:
		if out, ok := t.pointTo(s); ok {
			return out
		}
		return t.pointerAssign(s)
	case *ast.Remap:
		var list []ast.Stmt
		switch d := s.Directive.(type) {
		case *ast.Distribute:
			list = t.distribute(d)
		case *ast.Align:
			list = t.align(d)
		}
		for i := range list {
			list[i] = &ast.Remap{Base: s.Base, Directive: list[i]}
		}
		return list
	case *ast.Print:
		c := ast.Copy(s)
		c.Items = nil
		t.parts(c)
		c.Items = t.items(s.Items)
		return one(c)
	case *ast.Read:
		c := ast.Copy(s)
		c.Items = nil
		t.parts(c)
		c.Items = t.items(s.Items)
		return one(c)
	case *ast.If:
		return t.branches(s)
	case *ast.Select:
		if s.OfType {
			return t.selectType(s)
		}
	case *ast.DoWhile:
		return t.doWhile(s)
	case *ast.Do:
		c := ast.Copy(s)
		t.parts(c)
		c.Body = t.list(s.Body)
		return one(c)
	case *ast.Forall:
		outer := t.fixed
		t.fixed = "in a FORALL or DO CONCURRENT"
		c := ast.Copy(s)
		c.Local, c.LocalInit = t.names(s.Local, true), t.names(s.LocalInit, true)
		t.parts(c)
		if s.Concurrent {
			t.fixed = outer
		}
		c.Body = t.list(s.Body)
		if t.fixed = outer; len(c.Body) != 1 {
			c.OneLine = false
		}
		return one(c)
	case *ast.Sync:
		return t.sync(s)
	case *ast.Associate:
		return t.associate(s)
	case *ast.ChangeTeam:
		return t.changeTeam(s)
	case *ast.Block:
		return t.block(s)
	case *ast.Independent:
		return one(t.independent(s))
	case *ast.Entry:
		c := *s
		c.Args = t.names(s.Args, true)
		return one(&c)
	}
	c := ast.Copy(s)
	t.parts(c)
	for _, b := range ast.Bodies(c) {
		*b = t.list(*b)
	}
	return one(c)
}

func one(s ast.Stmt) []ast.Stmt { return []ast.Stmt{s} }

// parts writes the expressions of c, which is a copy.
func (t *unit) parts(c ast.Stmt) {
	for _, x := range ast.Exprs(c) {
		*x = t.expr(*x)
	}
}

// branches is IF or WHERE. A condition behind the first with something to do in front of it
// begins an IF of its own in the ELSE.
func (t *unit) branches(s *ast.If) []ast.Stmt {
	c := ast.Copy(s)
	outer := t.fixed
	if s.Where {
		t.fixed = "in a WHERE"
	}
	defer func() { t.fixed = outer }()
	before := t.before
	for i := range c.Arms {
		t.before = nil
		after := t.after
		t.after = nil
		c.Arms[i].Cond = t.settled(t.expr(c.Arms[i].Cond))
		t.after = after
		first := t.before
		switch {
		case i == 0:
			before = append(before, first...)
		case len(first) > 0:
			rest := *s
			rest.Name, rest.Label, rest.Pos = "", 0, s.Arms[i].Pos
			rest.Arms = s.Arms[i:]
			t.before = before
			c.Else, c.HasElse, c.ElsePos, c.Arms = t.statement(&rest), true, s.Arms[i].Pos, c.Arms[:i]
			return one(c)
		}
		t.before = before
		c.Arms[i].Body = t.list(s.Arms[i].Body)
		if c.OneLine && len(c.Arms[i].Body) != 1 {
			c.OneLine = false
		}
	}
	t.before = before
	c.Else = t.list(s.Else)
	return one(c)
}

// doWhile is DO WHILE; with something to do in front of its condition it becomes a DO that is
// left where the condition does not hold.
func (t *unit) doWhile(s *ast.DoWhile) []ast.Stmt {
	c := ast.Copy(s)
	outer, after := t.before, t.after
	t.before, t.after = nil, nil
	c.Cond = t.settled(t.expr(s.Cond))
	first := t.before
	t.before, t.after = outer, after
	c.Body = t.list(s.Body)
	if len(first) == 0 {
		return one(c)
	}
	leave := &ast.If{Base: ast.Base{Pos: s.Pos}, OneLine: true, EndPos: s.Pos,
		Arms: []ast.IfArm{{Pos: s.Pos, Cond: &ast.Unary{XBase: ast.XBase{Pos: s.Pos, End: s.Pos}, Op: ".not.", X: c.Cond}, Body: one(&ast.Exit{Base: ast.Base{Pos: s.Pos}, Name: s.Name})}}}
	return one(&ast.Do{Base: s.Base, Name: s.Name, EndPos: s.EndPos, TermLabel: s.TermLabel, Body: slices.Concat(first, one(leave), c.Body)})
}

// settled is condition x, kept in a variable where something is done behind it.
func (t *unit) settled(x ast.Expr) ast.Expr {
	if len(t.after) == 0 {
		return x
	}
	e := builder{ast.XBase{Pos: x.Position(), End: x.EndPosition()}}
	v := t.local(e, "logical")
	t.before = append(append(t.before, e.set(v, x)), t.after...)
	t.after = nil
	return clone(v)
}

// call is CALL: of a procedure of a type, or with arguments of derived types.
func (t *unit) call(s *ast.Call) []ast.Stmt {
	c := *s
	args := s.Args
	if v := t.variable(s.Proc.Name); s.Of == nil && v != nil && v.of.points != nil {
		c.Proc.Name, args = t.byPointer(&ast.Ident{XBase: ast.XBase{Pos: s.Proc.Pos, End: s.Proc.Pos}, Name: s.Proc.Name}, nil, v.of, s.Args)
	} else if x := methodOf(s); s.Of != nil && t.pointsTo(x) != nil {
		c.Of = nil
		c.Proc.Name, args = t.byPointer(x, s.Of, t.pointsTo(x), s.Args)
	} else if s.Of != nil {
		m, of := t.method(s.Of, s.Proc.Name)
		if m == nil {
			if of == nil {
				t.unknown(&ast.Component{XBase: ast.XBase{Pos: s.Of.Position(), End: s.Proc.Pos}, Base: s.Of, Name: s.Proc.Name, NamePos: s.Proc.Pos})
			} else {
				t.p.diags.Errorf(source.BadCall, s.Proc.Pos, "type %s has no procedure %s", of.name, s.Proc.Name).WithHelp("declare it behind CONTAINS in the type")
			}
			return nil
		}
		c.Of, c.Proc.Name = nil, m.name
		args = t.passed(m, s.Of, of, s.Args)
	}
	if s.Proc.Name == "event_query" && s.Of == nil && t.function(t.p, s.Proc.Name) == nil {
		return t.eventQuery(s)
	}
	if out := t.moved(s, args); out != nil {
		return out
	}
	if r := t.intrinsicCall(s, args); r != nil {
		return r
	}
	c.Args = t.arguments(c.Proc.Name, args)
	c.Proc.Name = t.specific(c.Proc.Name, args)
	return one(&c)
}

// methodOf is x%s of "call x%s(args)".
func methodOf(s *ast.Call) ast.Expr {
	if s.Of == nil {
		return nil
	}
	return &ast.Component{XBase: ast.XBase{Pos: s.Of.Position(), End: s.Proc.Pos}, Base: s.Of, Name: s.Proc.Name, NamePos: s.Proc.Pos}
}

// intrinsicCall is a call of an intrinsic for each part of a variable, nil for any other call.
func (t *unit) intrinsicCall(s *ast.Call, args []ast.Expr) []ast.Stmt {
	name := s.Proc.Name
	if name != "move_alloc" && name != "co_broadcast" && name != "co_reduce" || t.function(t.p, name) != nil || len(args) == 0 || t.typeOf(args[0]) == nil {
		return nil
	}
	r := t.typeOf(args[0])
	if name == "co_reduce" {
		return t.coReduce(s, r, args)
	}
	var out []ast.Stmt
	if name == "move_alloc" && len(args) > 1 {
		if to := t.object(args[1]); to != nil && to.of != nil {
			out = t.finalizedThere(to)
		}
	}
	if name == "co_broadcast" && r.hasContents() {
		t.p.errorf(s.Pos, "CO_BROADCAST of type %s, which has allocatable components in arrays or in each other", r.name).WithHelp("broadcast the components one by one")
		return nil
	}
	var lists [][]ast.Expr
	for _, a := range args {
		if t.typeOf(a) == r {
			lists = append(lists, t.value(a, r, true))
		} else {
			lists = append(lists, nil)
		}
	}
	for k := range r.leaves() {
		c := &ast.Call{Base: s.Base, Proc: s.Proc}
		for i, a := range args {
			if lists[i] != nil {
				c.Args = append(c.Args, lists[i][k])
			} else {
				c.Args = append(c.Args, t.expr(clone(a)))
			}
		}
		out = append(out, c)
	}
	return out
}

// associate is ASSOCIATE: a name of something of a derived type becomes one for each part.
func (t *unit) associate(s *ast.Associate) []ast.Stmt {
	c := *s
	c.Names = nil
	in := newScope(t.unit, t.scope, "")
	for _, n := range s.Names {
		r, o := t.typeOf(n.X), t.object(n.X)
		if o != nil {
			o = o.numbered()
		}
		if r == nil {
			in.vars[n.Name.Name] = nil
			x := ast.Association{Name: n.Name}
			if o != nil {
				x.X = t.reference(o, nil)
				if whole := o.ownBounds(); whole != nil {
					for k := range o.comp.dims {
						x.Lows = append(x.Lows, boundOf("lbound", whole, k+1))
					}
				}
			} else {
				x.X = t.expr(n.X)
			}
			c.Names = append(c.Names, x)
			continue
		}
		v := &variable{name: n.Name.Name, of: r}
		part := false
		if o != nil {
			v.rank, v.class = o.rank(), o.root.class && o.comp == nil
			part = o.subscripted()
		} else {
			v.rank = t.rank(n.X)
		}
		in.vars[n.Name.Name] = v
		if part && o.of == r && o.rank() == 0 && slices.ContainsFunc(r.leaves(), func(l *leaf) bool {
			return slices.ContainsFunc(l.dims, func(d ast.DimSpec) bool { return d.Lo != nil })
		}) {
			v.alias = t.frozen(o) // a part of an array would begin with 1
			continue
		}
		var values []ast.Expr
		if o != nil && o.of == r && o.store == nil {
			values = t.references(o)
		} else {
			values = t.value(n.X, r, true)
		}
		for k, l := range r.leaves() {
			if k >= len(values) {
				break
			}
			c.Names = append(c.Names, ast.Association{Name: ast.Name{Pos: n.Pos, Name: n.Name.Name + l.name}, X: values[k]})
		}
	}
	outer := t.scope
	t.scope = in
	c.Body = t.list(s.Body)
	t.scope = outer
	return one(&c)
}

// block is BLOCK.
func (t *unit) block(s *ast.Block) []ast.Stmt {
	c := *s
	c.On = t.on(&s.On)
	outer, start, finish := t.scope, t.start, t.finish
	t.scope, t.start, t.finish = newScope(t.unit, outer, outer.ofUnit().id), nil, nil
	t.p.spec(t.scope, s.Spec)
	c.Spec = t.declarations(s.Spec)
	body := t.list(s.Body)
	if len(t.finish) > 0 {
		body = append(leaving(body, t.finish, 0, t.leavesBlock(body)), t.finish...)
	}
	c.Body = append(t.start, body...)
	t.scope, t.start, t.finish = outer, start, finish
	return one(&c)
}

// assignment is an assignment; one of a derived type is one for each part.
func (t *unit) assignment(s *ast.Assign) []ast.Stmt {
	r, from := t.typeOf(s.LHS), t.typeOf(s.RHS)
	if (r != nil || from != nil) && !s.Part {
		if f := t.chosen("assignment(=)", []ast.Expr{s.LHS, s.RHS}); f != nil {
			if to, from := t.object(s.LHS), t.object(s.RHS); to != nil && from != nil && from.of != nil && to.root == from.root {
				c := *s
				c.RHS = &ast.Paren{XBase: from.XBase, X: s.RHS}
				s = &c
			}
			c := &ast.Call{Base: s.Base, Proc: ast.Name{Pos: s.Pos, Name: "assignment(=)"}, Defines: true}
			c.Args = t.arguments(c.Proc.Name, []ast.Expr{s.LHS, s.RHS})
			c.Proc.Name = t.specific(c.Proc.Name, []ast.Expr{s.LHS, s.RHS})
			return one(c)
		}
	}
	if r != nil && r == t.p.intrinsic[teamType] {
		c := *s
		if c.LHS, c.RHS = t.team(s.LHS), t.team(s.RHS); c.LHS == nil || c.RHS == nil {
			return nil
		}
		return one(&c)
	}
	if o := t.chosenObject(s.LHS); o != nil {
		return t.becomes(o, s.RHS, s.Base)
	}
	if o := t.object(s.LHS); o != nil && o.whole != nil && o.images == nil && !o.described.pointer && t.fixed == "" && (r == nil || from.declared() == r.declared()) {
		return t.assignWhole(o, s.RHS, s.Base)
	}
	if !t.values(r, s.LHS.Position()) {
		return nil
	}
	to := t.object(s.LHS)
	if out := t.assignThere(s); out != nil {
		return out
	}
	switch {
	case r == nil && from != nil || r != nil && from.declared() != r.declared():
		t.p.diags.Errorf(source.TypeMismatch, s.RHS.Position(), "%s is of %s, this is of %s", ast.UnparseExpr(s.LHS), typeText(r), typeText(from)).WithHelp("write a value of the same type")
		return nil
	case r == nil || to == nil:
		c := *s
		c.LHS, c.RHS = t.expr(s.LHS), t.expr(s.RHS)
		return one(&c)
	}
	if !t.whole(to) || !t.whole(t.object(s.RHS)) {
		return nil
	}
	if r.hasContents() {
		return t.deepAssignment(to, s.RHS, r, s.Base)
	}
	if t.p.isFinalizable(r) {
		return t.finalAssignment(to, s.RHS, r, s.Base)
	}
	to = t.steady(to)
	if o := t.object(s.RHS); o != nil {
		return t.copied(to, t.steadyFor(o, to), s.Base)
	}
	parts := t.value(s.RHS, r, false)
	if r.assignsParts(t.p) {
		if from := t.held(r, parts, to.XBase); from != nil {
			return t.copied(to, from, s.Base)
		}
		return nil
	}
	if t.crossing(to, parts) {
		if t.fixed != "" || to.rank() > 0 || to.root.allocatable && !to.subscripted() {
			t.p.errorf(s.Pos, "the value assigned to %s is made of other components of it", to.name).WithHelp("assign it to a variable of its own first")
			return nil
		}
		parts = t.kept(r, parts, to.XBase)
	}
	return t.assigned(to, parts, s.Base)
}

func typeText(r *record) string {
	if r == nil {
		return "an intrinsic type"
	}
	return "type " + r.name
}

// assigned assigns parts to those of o.
func (t *unit) assigned(o *object, parts []ast.Expr, base ast.Base) []ast.Stmt {
	var out []ast.Stmt
	for k, l := range o.of.leaves() {
		if k >= len(parts) {
			break
		}
		to := t.reference(o, l)
		switch {
		case l.pointer():
			out = append(out, &ast.PointerAssign{Base: base, To: []ast.Expr{to}, X: parts[k]})
			continue
		case isNull(parts[k]):
			out = append(out, t.freed(to, base))
			continue
		}
		out = append(out, &ast.Assign{Base: base, Anew: l.open, LHS: to, RHS: parts[k]})
	}
	return out
}

// freed deallocates x if it is allocated.
func (t *unit) freed(x ast.Expr, base ast.Base) ast.Stmt {
	at := ast.XBase{Pos: base.Pos, End: base.Pos}
	return &ast.If{Base: base, OneLine: true, EndPos: base.Pos, Arms: []ast.IfArm{{Pos: base.Pos, Cond: &ast.Index{XBase: at, Name: "allocated", NamePos: base.Pos, Args: []ast.Expr{clone(x)}},
		Body: one(&ast.Allocate{Base: ast.Base{Pos: base.Pos}, Free: true, Args: []ast.Expr{x}})}}}
}

// copied assigns the parts of from to those of to, allocatable ones as far as they are allocated.
// Components whose types define assignment are assigned by it.
func (t *unit) copied(to, from *object, base ast.Base) []ast.Stmt {
	if to.of.assignsParts(t.p) {
		return t.componentwise(to, from, base)
	}
	return t.leavesCopied(to, from, to.of.leaves(), base)
}

// leavesCopied assigns leaves of from to those of to.
func (t *unit) leavesCopied(to, from *object, leaves []*leaf, base ast.Base) []ast.Stmt {
	var out []ast.Stmt
	for _, l := range leaves {
		x, y := t.reference(to, l), t.reference(from, l)
		if from.rank() == 0 {
			for k := range to.rank() { // each element gets the whole component
				if len(l.dims) > 0 && !l.open && !l.pointer() {
					dim := &ast.IntLit{XBase: from.XBase, Text: fmt.Sprint(len(l.dims) + k + 1)}
					y = called("spread", from.XBase, y, dim, called("size", from.XBase, clone(x), clone(dim)))
				}
			}
		}
		if l.pointer() {
			out = append(out, &ast.PointerAssign{Base: base, To: []ast.Expr{x}, X: y})
			continue
		}
		set := &ast.Assign{Base: base, Part: true, Anew: l.open, LHS: x, RHS: y}
		if !l.open {
			out = append(out, set)
			continue
		}
		set.Base.Label = 0
		at := ast.XBase{Pos: base.Pos, End: base.Pos}
		out = append(out, &ast.If{Base: base, EndPos: base.Pos, HasElse: true, ElsePos: base.Pos,
			Arms: []ast.IfArm{{Pos: base.Pos, Cond: &ast.Index{XBase: at, Name: "allocated", NamePos: base.Pos, Args: []ast.Expr{clone(y)}}, Body: one(set)}},
			Else: one(t.freed(clone(x), ast.Base{Pos: base.Pos}))})
	}
	return out
}

// pointerAssign is a pointer assignment, or NULLIFY: where a derived type is pointed to, all parts are.
func (t *unit) pointerAssign(s *ast.PointerAssign) []ast.Stmt {
	var out []ast.Stmt
	for _, p := range s.To {
		if list, ok := t.placed(p, s.X, s.Base); ok {
			out = append(out, list...)
			continue
		}
		to := t.object(p)
		if call := t.associates(p, s.X, s.Base); call != nil && (to == nil || to.of == nil) {
			out = append(out, call)
			continue
		}
		if to == nil || to.of == nil {
			x := t.expr(clone(s.X))
			if o := t.object(s.X); o != nil && o.of == nil && o.numbered() != o { // a section
				x = t.reference(o.numbered(), nil)
			}
			out = append(out, &ast.PointerAssign{Base: s.Base, To: []ast.Expr{t.expr(p)}, X: x})
			continue
		}
		from := t.object(s.X)
		if !isNull(s.X) && (from == nil || from.of != to.of) {
			t.p.errorf(s.X.Position(), "%s points to type %s, and this has another type or is no variable", to.name, to.of.name).WithHelp("point to a variable of type %s, or to a part of one", to.of.name)
			continue
		}
		if from != nil {
			from = from.numbered()
		}
		for _, l := range to.of.leaves() {
			c := &ast.PointerAssign{Base: s.Base, To: []ast.Expr{t.reference(to, l)}, X: clone(s.X)}
			if from != nil && !isNull(s.X) {
				c.X = t.reference(from, l)
			}
			out = append(out, c)
		}
	}
	return out
}

// mentioned reports whether x has one of the names.
func mentioned(x ast.Expr, names map[string]bool) bool {
	return ast.Any(x, func(x ast.Expr) bool {
		switch x := x.(type) {
		case *ast.Ident:
			return names[x.Name]
		case *ast.Index:
			return names[x.Name]
		}
		return false
	})
}

// crossing reports whether one of parts needs what the assignment of an earlier one changes.
func (t *unit) crossing(to *object, parts []ast.Expr) bool {
	before := map[string]bool{}
	for k, l := range to.of.leaves() {
		if k < len(parts) && len(before) > 0 && mentioned(parts[k], before) {
			return true
		}
		before[to.name+l.name] = true
	}
	return false
}

// steady is o with subscripts that do not change while its parts are assigned.
func (t *unit) steady(o *object) *object { return t.steadyFor(o, o) }

// frozen is o with the values that its subscripts have now.
func (t *unit) frozen(o *object) *object {
	out := *o
	out.groups = slices.Clone(o.groups)
	e := builder{o.XBase}
	for i, g := range out.groups {
		args := slices.Clone(g.args)
		for k, a := range args {
			if !isLiteral(a) {
				args[k] = t.keptInteger(t.expr(clone(a)), e, &t.before)
			}
		}
		out.groups[i].args = args
	}
	return &out
}

// subscripted reports whether o is an element or a section.
func (o *object) subscripted() bool {
	return slices.ContainsFunc(o.groups, func(g group) bool { return g.args != nil })
}

// steadyFor is o with subscripts that do not change while the parts of to are assigned.
func (t *unit) steadyFor(o, to *object) *object {
	names := map[string]bool{}
	for _, l := range to.of.leaves() {
		names[to.name+l.name] = true
	}
	out := *o
	out.groups = slices.Clone(o.groups)
	for i, g := range out.groups {
		args := slices.Clone(g.args)
		for k, a := range args {
			if x := t.expr(clone(a)); !mentioned(x, names) && !t.refersTo(a) {
				continue
			} else if _, section := a.(*ast.Triplet); section || t.fixed != "" {
				t.p.errorf(a.Position(), "this subscript changes while %s is assigned to", to.name).WithHelp("assign it to a variable first")
			} else {
				s := t.scope.ofUnit()
				s.count++
				name := fmt.Sprintf("subscript%%%d", s.count)
				s.temps = append(s.temps, &ast.TypeDecl{Base: ast.Base{Pos: a.Position()}, Type: ast.TypeSpec{Name: "integer", Kind: &ast.IntLit{Text: "8"}}, HasColons: true,
					Entities: []ast.Entity{{Pos: a.Position(), Name: name}}})
				id := ident(name, a)
				s.vars[name] = nil
				t.before = append(t.before, &ast.Assign{Base: ast.Base{Pos: a.Position()}, LHS: id, RHS: x})
				args[k] = clone(id)
			}
		}
		out.groups[i].args = args
	}
	return &out
}

// refersTo reports whether x has a reference to a function of the program.
func (t *unit) refersTo(x ast.Expr) bool {
	return ast.Any(x, func(x ast.Expr) bool {
		i, ok := x.(*ast.Index)
		return ok && !t.declared(i.Name) && len(t.candidates(t.p, i.Name)) > 0
	})
}
