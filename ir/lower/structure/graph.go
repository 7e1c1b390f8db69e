package structure

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// node is a run of statements and how it ends.
type node struct {
	no    int        // in order of the source
	from  source.Pos // of the statement that jumps from here, if that is known
	home  *region
	pos   source.Pos
	stmts []ast.Stmt
	// kind says what decides where to go on: nil means the one successor, or none where the
	// last statement does not end, or at the end of the region.
	kind ending
	succ []*node
	// loop is the last of stmts if it is a loop that is a region of its own. Its jumps
	// to escape[i] are the edges to succ[1+i].
	loop   *region
	escape []*node
	// entries is, of a node that a variable leads on from, to how many places.
	entries int

	pred []*node
	analysis
}

// ending is what a node with several successors ends with: an *ast.If with a condition and no
// statements, whose first successor is that of the condition, or an *ast.Select whose
// successors are those of its cases, and then that of no case where there is no CASE DEFAULT.
type ending ast.Stmt

// region is a unit, or the body of a loop: a graph of its own.
type region struct {
	outer      *region
	loop       ast.Stmt // nil for a unit
	entry, end *node
	labels     map[int]*node
	nodes      []*node
	escapes    []*node // nodes of outer regions that are jumped to
}

// builder makes regions of statement lists.
type builder struct {
	*surveyed
	at      *region
	regions map[ast.Stmt]*region
	// regionOf has, for each loop of the result that is a region, its node.
	regionOf map[ast.Stmt]*node
	made     map[*ast.If]bool // IFs that nodes end with
	count    int
	lets     int
	next     map[ast.Stmt]*node // where CYCLE of a loop that is taken apart goes
	behind   map[ast.Stmt]*node // where EXIT of such a loop goes, and of an IF or SELECT
	pending  *ast.Independent
}

func (b *builder) node(pos source.Pos) *node {
	b.count++
	n := &node{no: b.count, pos: pos, home: b.at}
	b.at.nodes = append(b.at.nodes, n)
	return n
}

// region makes the graph of body, which is that of loop.
func (b *builder) region(loop ast.Stmt, body []ast.Stmt) *region {
	r := &region{outer: b.at, loop: loop, labels: map[int]*node{}}
	b.regions[loop], b.at = r, r
	r.entry = b.node(source.Pos{})
	last := b.list(body, r.entry)
	r.end = b.node(source.Pos{})
	b.to(last, r.end)
	b.at = r.outer
	return r
}

// to lets n go on with m.
func (b *builder) to(n, m *node) {
	if n != nil {
		n.succ = []*node{m}
	}
}

// label is the node that begins with a label.
func (b *builder) label(t ast.Target) *node {
	r := b.regions[b.owner[t.Label]]
	n := r.labels[t.Label]
	if n == nil {
		b.count++
		n = &node{no: b.count, pos: t.Pos, home: r}
		r.labels[t.Label] = n
		r.nodes = append(r.nodes, n)
	}
	return b.goal(n)
}

// goal notes a jump from the region in hand to n.
func (b *builder) goal(n *node) *node {
	for r := b.at; r != n.home; r = r.outer {
		if !slices.Contains(r.escapes, n) {
			r.escapes = append(r.escapes, n)
		}
	}
	return n
}

// list adds statements to the graph, behind those of n, and returns the node in which it goes
// on. A node that nothing leads to is left out later.
func (b *builder) list(body []ast.Stmt, n *node) *node {
	for _, s := range body {
		if ind, ok := s.(*ast.Independent); ok {
			b.pending = ind
			continue
		}
		if label := s.StmtLabel(); b.surveyed.to[label] {
			at := b.label(ast.Target{Pos: s.Position(), Label: label})
			b.count++
			at.no = b.count // in the order of the source
			b.to(n, at)
			n = at
		}
		if b.pending != nil {
			n.stmts = append(n.stmts, b.pending)
			b.pending = nil
		}
		n = b.stmt(s, n)
	}
	return n
}

func (b *builder) stmt(s ast.Stmt, n *node) *node {
	switch s := s.(type) {
	case *ast.Continue:
		return n
	case *ast.Goto:
		n.from = s.Pos
		b.to(n, b.label(s.To))
	case *ast.ComputedGoto:
		return b.choice(s.Base, s.X, s.To, n)
	case *ast.Call:
		to := alternates(s)
		if to == nil {
			n.stmts = append(n.stmts, s)
			return n
		}
		call := *s
		b.lets++
		call.Status = fmt.Sprintf("alternate%%%d", b.lets)
		n.stmts = append(n.stmts, &call)
		return b.choice(s.Base, &ast.Ident{XBase: ast.XBase{Pos: s.Pos, End: s.Pos}, Name: call.Status}, to, n)
	case *ast.AssignedGoto:
		return b.assignedGoto(s, n)
	case *ast.ArithmeticIf:
		b.arithmeticIf(s, n)
	case *ast.Read, *ast.Print, *ast.FileStmt:
		return b.status(s, n)
	case *ast.Exit:
		return b.leave(s, b.behind[b.ends[s]], n)
	case *ast.Cycle:
		return b.leave(s, b.next[b.ends[s]], n)
	case *ast.Return, *ast.Stop:
		n.stmts, n.succ = append(n.stmts, s), nil
	default:
		if !b.has[s] {
			n.stmts = append(n.stmts, s)
			return n
		}
		return b.construct(s, n)
	}
	return b.node(s.Position())
}

// choice goes to the x-th place of list, and on where there is none.
func (b *builder) choice(base ast.Base, x ast.Expr, list []ast.Target, n *node) *node {
	sel := &ast.Select{Base: base, X: x}
	for i, t := range list {
		one := &ast.IntLit{XBase: ast.XBase{Pos: t.Pos, End: t.Pos}, Text: fmt.Sprint(i + 1)}
		sel.Cases = append(sel.Cases, ast.Case{Pos: base.Pos, Values: []ast.CaseValue{{Lo: one}}})
		n.succ = append(n.succ, b.label(t))
	}
	after := b.node(base.Pos)
	n.kind, n.succ = sel, append(n.succ, after)
	return after
}

// leave adds an EXIT or CYCLE; to is where it goes if that is no loop that is left as it is.
func (b *builder) leave(s ast.Stmt, to *node, n *node) *node {
	switch {
	case to != nil:
		n.from = s.Position()
		b.to(n, b.goal(to))
	case b.ends[s] == nil: // there is no loop, which is reported later
		n.stmts = append(n.stmts, s)
		return n
	default:
		n.stmts, n.succ = append(n.stmts, s), nil
	}
	return b.node(s.Position())
}

// construct adds a construct with jumps or labels inside.
func (b *builder) construct(s ast.Stmt, n *node) *node {
	switch s := s.(type) {
	case *ast.If:
		return b.ifs(s, n)
	case *ast.Select:
		return b.selects(s, n)
	case *ast.Do:
		if b.apart[s] {
			return b.counted(s, n)
		}
		do := *s
		return b.closed(s, &do, &do.Body, n)
	case *ast.DoWhile:
		if b.apart[s] {
			return b.while(s, n)
		}
		do := *s
		return b.closed(s, &do, &do.Body, n)
	case *ast.Forall:
		do := *s
		return b.closed(s, &do, &do.Body, n)
	case *ast.Critical:
		c := *s
		return b.closed(s, &c, &c.Body, n)
	case *ast.Block:
		c := *s
		return b.closed(s, &c, &c.Body, n)
	case *ast.Associate:
		c := *s
		return b.closed(s, &c, &c.Body, n)
	case *ast.ChangeTeam:
		c := *s
		return b.closed(s, &c, &c.Body, n)
	}
	n.stmts = append(n.stmts, s)
	return n
}

// closed adds a construct whose body is a region of its own. The copy stands for s.
func (b *builder) closed(s, copied ast.Stmt, body *[]ast.Stmt, n *node) *node {
	n.stmts = append(n.stmts, copied)
	n.loop = b.region(s, *body)
	n.loop.loop = copied
	b.regionOf[copied] = n
	after := b.node(s.Position())
	n.succ = []*node{after}
	for _, to := range n.loop.escapes {
		n.escape, n.succ = append(n.escape, to), append(n.succ, to)
	}
	return after
}

func (b *builder) ifs(s *ast.If, n *node) *node {
	after := b.behindOf(s)
	for _, arm := range s.Arms {
		pos := arm.Pos
		if !pos.IsValid() {
			pos = s.Pos
		}
		then, other := b.node(pos), b.node(pos)
		n.kind = b.branch(pos, arm.Cond)
		n.succ = []*node{then, other}
		b.to(b.list(arm.Body, then), after)
		n = other
	}
	b.to(b.list(s.Else, n), after)
	return b.place(after)
}

// behindOf makes the node behind a construct.
func (b *builder) behindOf(s ast.Stmt) *node {
	after := b.node(s.Position())
	b.behind[s] = after
	return after
}

// place numbers a node that was made earlier in the order of the source.
func (b *builder) place(n *node) *node {
	b.count++
	n.no = b.count
	return n
}

func (b *builder) branch(pos source.Pos, cond ast.Expr) *ast.If {
	s := &ast.If{Base: ast.Base{Pos: pos}, Arms: []ast.IfArm{{Pos: pos, Cond: cond}}, EndPos: pos}
	b.made[s] = true
	return s
}

func (b *builder) selects(s *ast.Select, n *node) *node {
	after := b.behindOf(s)
	head := *s
	head.Name, head.Cases = "", slices.Clone(s.Cases)
	n.kind = &head
	hasDefault := false
	for i, c := range s.Cases {
		hasDefault = hasDefault || c.Values == nil
		head.Cases[i].Body = nil
		arm := b.node(c.Pos)
		n.succ = append(n.succ, arm)
		b.to(b.list(c.Body, arm), after)
	}
	if !hasDefault {
		n.succ = append(n.succ, after)
	}
	return b.place(after)
}

// let gives a variable of its own the value of x, and returns it.
func (b *builder) let(n *node, what string, x ast.Expr) *ast.Ident {
	b.lets++
	id := &ast.Ident{XBase: ast.XBase{Pos: x.Position(), End: x.EndPosition()}, Name: fmt.Sprintf("%s%%%d", what, b.lets)}
	n.stmts = append(n.stmts, &Let{ast.Base{Pos: x.Position()}, id.Name, x})
	return id
}

func number(x ast.Expr, n int) ast.Expr {
	if n < 0 {
		return &ast.Unary{XBase: ast.XBase{Pos: x.Position(), End: x.EndPosition()}, Op: "-", X: number(x, -n)}
	}
	return &ast.IntLit{XBase: ast.XBase{Pos: x.Position(), End: x.EndPosition()}, Text: fmt.Sprint(n)}
}

func compare(x ast.Expr, op string, n int) ast.Expr { return binary(x, op, number(x, n)) }

func binary(x ast.Expr, op string, y ast.Expr) ast.Expr {
	return &ast.Binary{XBase: ast.XBase{Pos: x.Position(), End: y.EndPosition()}, Op: op, OpPos: x.Position(), X: x, Y: y}
}

// arithmeticIf goes to three places; gfortran compares in the same way, also a NaN.
func (b *builder) arithmeticIf(s *ast.ArithmeticIf, n *node) {
	less, zero, more := b.label(s.To[0]), b.label(s.To[1]), b.label(s.To[2])
	two := func(op string, yes, no *node) {
		n.kind, n.succ = b.branch(s.Pos, compare(s.X, op, 0)), []*node{yes, no}
	}
	switch {
	case less == zero && zero == more:
		b.to(n, less)
	case less == zero:
		two("<=", less, more)
	case zero == more:
		two("<", less, zero)
	case less == more:
		two("==", zero, less)
	default:
		x := s.X
		if _, simple := x.(*ast.Ident); !simple {
			x = b.let(n, "if", x)
		}
		other := b.node(s.Pos)
		n.kind, n.succ = b.branch(s.Pos, compare(x, "<", 0)), []*node{less, other}
		other.kind, other.succ = b.branch(s.Pos, compare(x, "==", 0)), []*node{zero, more}
	}
}

// assignedGoto compares the variable, whose values are labels.
func (b *builder) assignedGoto(s *ast.AssignedGoto, n *node) *node {
	x := &ast.Ident{XBase: ast.XBase{Pos: s.Var.Pos, End: s.Var.Pos}, Name: s.Var.Name}
	for _, t := range b.assigned(s) {
		other := b.node(s.Pos)
		n.kind, n.succ = b.branch(s.Pos, compare(x, "==", t.Label)), []*node{b.label(t), other}
		n = other
	}
	text := &ast.StringLit{XBase: x.XBase, Value: "Assigned label is not in the list", Quote: '\''}
	n.stmts = append(n.stmts, &ast.Stop{Base: ast.Base{Pos: s.Pos}, Error: true, Code: text})
	n.succ = nil
	return b.node(s.Pos)
}

// status adds a statement with END=, EOR= or ERR=: it sets a variable, which is tested behind it.
func (b *builder) status(s ast.Stmt, n *node) *node {
	st, c := withControl(s)
	if c.End == 0 && c.Eor == 0 && c.Err == 0 {
		n.stmts = append(n.stmts, s)
		return n
	}
	b.lets++
	c.Status = fmt.Sprintf("status%%%d", b.lets)
	n.stmts = append(n.stmts, st)
	pos := s.Position()
	x := &ast.Ident{XBase: ast.XBase{Pos: pos, End: pos}, Name: c.Status}
	test := func(op string, value, label int) {
		if label == 0 {
			return
		}
		after := b.node(pos)
		n.kind, n.succ = b.branch(pos, compare(x, op, value)), []*node{b.label(ast.Target{Pos: pos, Label: label}), after}
		n = after
	}
	records := c.Spec("advance") != nil // else there is no end of a record
	switch {
	case c.End == c.Err && c.Eor == 0 && !records:
		test("/=", 0, c.End)
		return n
	case records:
		test("==", -1, c.End)
	default:
		test("<", 0, c.End)
	}
	test("==", -2, c.Eor)
	test(">", 0, c.Err)
	return n
}

// while takes DO WHILE apart.
func (b *builder) while(s *ast.DoWhile, n *node) *node {
	test, body, after := b.node(s.Pos), b.node(s.Pos), b.behindOf(s)
	b.next[s] = test
	b.to(n, test)
	test.kind, test.succ = b.branch(s.Pos, s.Cond), []*node{body, after}
	b.to(b.list(s.Body, body), test)
	return b.place(after)
}

// counted takes a DO loop apart: the number of its iterations is a variable.
func (b *builder) counted(s *ast.Do, n *node) *node {
	test, body, next, after := b.node(s.Pos), b.node(s.Pos), b.node(s.Pos), b.behindOf(s)
	b.next[s] = next
	b.to(n, test)
	if s.Var.Name == "" {
		b.to(test, body)
		b.to(b.list(s.Body, body), b.place(next))
		b.to(next, test)
		return b.place(after)
	}
	v := &ast.Ident{XBase: ast.XBase{Pos: s.Var.Pos, End: s.Var.Pos}, Name: s.Var.Name}
	step := s.Step
	if step == nil {
		step = number(v, 1)
	}
	lo, hi := b.let(n, "first", s.Lo), b.let(n, "last", s.Hi)
	step = b.let(n, "step", step)
	n.stmts = append(n.stmts, &ast.Assign{Base: ast.Base{Pos: s.Pos}, LHS: v, RHS: lo})
	trips := b.let(n, "trips", binary(&ast.Paren{XBase: v.XBase, X: binary(binary(hi, "-", v), "+", step)}, "/", step))
	test.kind, test.succ = b.branch(s.Pos, compare(trips, ">", 0)), []*node{body, after}
	b.to(b.list(s.Body, body), b.place(next))
	next.stmts = append(next.stmts, &ast.Assign{Base: ast.Base{Pos: s.Pos}, LHS: v, RHS: binary(v, "+", step)},
		&Let{ast.Base{Pos: s.Pos}, trips.Name, binary(trips, "-", number(v, 1))})
	b.to(next, test)
	return b.place(after)
}
