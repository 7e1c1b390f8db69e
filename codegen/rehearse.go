package codegen

import (
	"fmt"
	"maps"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// Where PEs divide a region, nobody executes an assignment to an element that does not
// exist: it has no owner, and the owners' iterations end where the array does. So check
// builds rehearse such a region before it. All PEs walk through its loops and branches
// and test each subscript, of what is assigned and of what is read, as far as all have
// the same values at hand:
//
//	do i = lo, hi
//	   if (i > k) a(i+1) = b(i)
//	end do
//
// becomes
//
//	for i, step, trips := lo, 1, spmd.Count(lo, hi, 1); trips > 0; i, trips = i+step, trips-1 {
//		if i > k {
//			pe.Idx(i, 1, 100, "b(i), dimension 1")
//			pe.Idx(i+1, 1, 100, "a(i+1), dimension 1")
//		}
//	}
//
// Without the condition the first and the last iteration suffice. Subscripts that are
// within bounds whatever happens are left out.
//
// A condition that reads distributed elements is fetched from their owners, but only
// where a subscript behind it would be out of bounds. What depends on values that the
// region itself computes is not rehearsed.
type rehearsal struct {
	g        *gen
	modified map[*ir.Symbol]bool // by the region
	unknown  map[*ir.Symbol]bool // of these, those that not all PEs have the same value of
	index    map[*ir.Symbol]bool // of loops of the region
	open     map[*ir.Symbol]int  // of loops around
	ranges   map[*ir.Symbol][2]int64
	fetching bool
	tests    int
}

// rehearse emits the rehearsal of a region, if it needs one.
func (g *gen) rehearse(r *comm.Region) {
	if !g.opt.Check || g.prog.IR.SPMD || r.Fallback || !divides(r) {
		return
	}
	lists := g.fromList
	g.fromList = nil // all iterations, not those of this PE
	defer func() { g.fromList = lists }()
	h := &rehearsal{
		g: g, modified: map[*ir.Symbol]bool{}, unknown: map[*ir.Symbol]bool{}, index: map[*ir.Symbol]bool{},
		open: map[*ir.Symbol]int{}, ranges: map[*ir.Symbol][2]int64{},
	}
	for _, s := range r.Stmts {
		for y := range g.prog.Modified(s) {
			h.modified[y] = true
		}
	}
	ir.Walk(r.Stmts, func(s ir.Stmt) bool {
		if d, ok := s.(*ir.Do); ok {
			h.index[d.Index] = true
		}
		return true
	})
	for h.spread(r.Stmts, true) {
	}
	at := len(g.out.lines)
	declared, read := maps.Clone(g.declared), maps.Clone(g.read)
	h.stmts(r.Stmts)
	lines := append([]line(nil), g.out.lines[at:]...)
	g.out.lines = g.out.lines[:at]
	if h.tests == 0 {
		lines = nil
	}
	// Loops without tests were left out, and with them what they read.
	words := map[string]bool{}
	identifiers(words, lines)
	left := func(s *ir.Symbol, _ bool) bool { return !words[g.names.sym(s)] }
	maps.DeleteFunc(g.declared, func(s *ir.Symbol, b bool) bool { return !declared[s] && left(s, b) })
	maps.DeleteFunc(g.read, func(s *ir.Symbol, b bool) bool { return !read[s] && left(s, b) })
	if len(lines) == 0 {
		return
	}
	g.out.at = r.Stmts[0].Position().Line
	var own []string
	for _, y := range g.prog.IR.Symbols {
		if h.modified[y] && !h.index[y] && !y.IsArray() && !h.unknown[y] && mentionedIn(lines, g.names.sym(y)) {
			own = append(own, g.scalar(y))
			g.reads(y)
		}
	}
	g.out.p("{ // The subscripts, whoever owns the elements.")
	if len(own) > 0 {
		list := strings.Join(own, ", ")
		g.out.p("%s := %s", list, list)
		g.out.p("%s = %s", strings.TrimSuffix(strings.Repeat("_, ", len(own)), ", "), list)
	}
	g.out.lines = append(g.out.lines, lines...)
	g.out.p("}")
}

// divides reports whether PEs execute different parts of r.
func divides(r *comm.Region) bool { return r.Loops() || len(r.Guard) > 0 }

// spread finds more scalars that are unknown; certain tells whether all PEs can tell
// that the statements are executed.
func (h *rehearsal) spread(body []ir.Stmt, certain bool) (more bool) {
	for _, s := range body {
		inner := certain
		switch s := s.(type) {
		case *ir.Assign:
			y := ir.Target(s.LHS)
			_, whole := s.LHS.(*ir.Var)
			if !y.IsArray() && !h.unknown[y] && (!certain || !whole || !h.evaluable(s.RHS)) {
				h.unknown[y], more = true, true
			}
			continue
		case *ir.Do:
			inner = certain && h.evaluable(s.Lo, s.Hi, s.Step)
			h.open[s.Index]++
			inner = inner && h.orderly(s, s.Body)
			more = h.spread(s.Body, inner) || more
			h.open[s.Index]--
			continue
		case *ir.While:
			inner = certain && h.evaluable(s.Cond) && h.orderly(s, s.Body)
		case *ir.If:
			inner = certain && h.evaluable(s.Cond)
		}
		for _, b := range ir.Bodies(s) {
			more = h.spread(b, inner) || more
		}
	}
	return more
}

// orderly reports whether all PEs can tell how the body of a loop is left: by EXIT and
// CYCLE of the innermost loop only, under conditions that they can evaluate.
func (h *rehearsal) orderly(loop ir.Stmt, body []ir.Stmt) bool {
	for _, s := range body {
		switch s := s.(type) {
		case *ir.Exit:
			if s.Loop != loop {
				return false
			}
		case *ir.Cycle:
			if s.Loop != loop {
				return false
			}
		case *ir.Do:
			h.open[s.Index]++
			ok := h.orderly(s, s.Body)
			h.open[s.Index]--
			if !ok {
				return false
			}
		case *ir.While:
			if !h.orderly(s, s.Body) {
				return false
			}
		case *ir.If:
			if !h.evaluable(s.Cond) && (jumps(s.Then) || jumps(s.Else)) || !h.orderly(loop, s.Then) || !h.orderly(loop, s.Else) {
				return false
			}
		}
	}
	return true
}

func jumps(body []ir.Stmt) bool {
	found := false
	ir.Walk(body, func(s ir.Stmt) bool {
		found = found || leaves(s)
		return !found
	})
	return found
}

// evaluable reports whether all PEs have the values of the expressions.
func (h *rehearsal) evaluable(list ...ir.Expr) bool {
	for _, e := range list {
		switch e := e.(type) {
		case *ir.CoRef:
			return false
		case *ir.Var:
			if h.index[e.Sym] && h.open[e.Sym] == 0 || h.unknown[e.Sym] {
				return false
			}
		case *ir.Ref:
			if h.modified[e.Sym] || e.Sym.Distributed() && !h.fetching || !h.evaluable(e.Subs...) {
				return false
			}
		}
		if !h.evaluable(ir.Children(e)...) {
			return false
		}
	}
	return true
}

// fetchable reports whether e is evaluable once elements are fetched from their owners.
func (h *rehearsal) fetchable(e ir.Expr) bool {
	h.fetching = true
	defer func() { h.fetching = false }()
	return h.evaluable(e)
}

func (h *rehearsal) stmts(body []ir.Stmt) {
	for _, s := range body {
		h.stmt(s)
		if leaves(s) {
			return
		}
	}
}

func (h *rehearsal) stmt(s ir.Stmt) {
	g := h.g
	g.out.at = s.Position().Line
	switch s := s.(type) {
	case *ir.Assign:
		h.expr(s.RHS)
		h.expr(s.LHS)
		if v, ok := s.LHS.(*ir.Var); ok && !h.unknown[v.Sym] {
			g.assign(s)
		}
	case *ir.Do:
		h.do(s)
	case *ir.While:
		h.expr(s.Cond)
		if h.evaluable(s.Cond) && h.orderly(s, s.Body) {
			h.around(func() { g.out.p("for %s {", forCond(g.expr(s.Cond))) }, func() { h.stmts(s.Body) })
		}
	case *ir.If:
		h.branch(s)
	case *ir.Exit:
		g.out.p("break")
	case *ir.Cycle:
		g.out.p("continue")
	default:
		for _, e := range ir.Exprs(s) {
			h.expr(e)
		}
	}
}

// around emits a body in braces, or nothing if there is nothing to do in it.
func (h *rehearsal) around(open, body func()) {
	g := h.g
	at, tests := len(g.out.lines), h.tests
	open()
	from := len(g.out.lines)
	body()
	if h.tests == tests && len(g.out.lines) == from {
		g.out.lines = g.out.lines[:at]
		return
	}
	g.out.p("}")
}

func (h *rehearsal) do(d *ir.Do) {
	g := h.g
	h.expr(d.Lo)
	h.expr(d.Hi)
	h.expr(d.Step)
	if !h.evaluable(d.Lo, d.Hi, d.Step) {
		return
	}
	h.open[d.Index]++
	defer func() { h.open[d.Index]-- }()
	if !h.orderly(d, d.Body) {
		return
	}
	lo, hi, step := g.position(d.Lo), g.position(d.Hi), g.position(d.Step)
	k := g.names.sym(d.Index)
	before, had := h.ranges[d.Index]
	delete(h.ranges, d.Index)
	if a, ok := h.extremes(d.Lo); ok {
		if b, ok := h.extremes(d.Hi); ok {
			h.ranges[d.Index] = [2]int64{min(a[0], b[0]), max(a[1], b[1])}
		}
	}
	g.bound[d.Index]++
	ends := h.linear(d.Body, d.Index)
	at := len(g.out.lines)
	h.around(func() {
		if ends {
			g.out.p("for _, %s := range spmd.Ends(%s, %s, %s) {", k, lo, hi, step)
			return
		}
		g.out.p("for %s, step, trips := %s, %s, spmd.Count(%s, %s, %s); trips > 0; %s, trips = %s+step, trips-1 {", k, lo, step, lo, hi, step, k, k)
	}, func() { h.stmts(d.Body) })
	if ends && len(g.out.lines) > at && !g.mentioned(at+1, k) {
		g.out.lines[at].text = fmt.Sprintf("for range spmd.Ends(%s, %s, %s) {", lo, hi, step)
	}
	g.bound[d.Index]--
	delete(h.ranges, d.Index)
	if had {
		h.ranges[d.Index] = before
	}
}

// linear reports whether everything in body is executed in each iteration over index,
// with subscripts that are extreme at the ends.
func (h *rehearsal) linear(body []ir.Stmt, index *ir.Symbol) bool {
	uses := func(list ...ir.Expr) bool {
		found := false
		for _, e := range list {
			ir.WalkExpr(e, func(e ir.Expr) bool {
				v, ok := e.(*ir.Var)
				found = found || ok && v.Sym == index
				return !found
			})
		}
		return found
	}
	for _, s := range body {
		switch s := s.(type) {
		case *ir.Assign:
			if y := ir.Target(s.LHS); !y.IsArray() && !h.unknown[y] {
				return false
			}
		case *ir.Do:
			if uses(s.Lo, s.Hi, s.Step) || !h.linear(s.Body, index) {
				return false
			}
			continue
		default:
			return false
		}
		straight := true
		for _, e := range ir.Exprs(s) {
			ir.WalkExpr(e, func(e ir.Expr) bool {
				switch e := e.(type) {
				case *ir.Bin:
					straight = straight && e.Op != ir.And && e.Op != ir.Or
				case *ir.Ref:
					for _, sub := range e.Subs {
						if _, affine := h.g.prog.Affine(sub); !affine && uses(sub) {
							straight = false
						}
					}
				}
				return straight
			})
		}
		if !straight {
			return false
		}
	}
	return true
}

func (h *rehearsal) branch(s *ir.If) {
	g := h.g
	parts := func() {
		h.stmts(s.Then)
		if len(s.Else) == 0 {
			return
		}
		from := len(g.out.lines)
		g.out.p("} else {")
		h.stmts(s.Else)
		if len(g.out.lines) == from+1 {
			g.out.lines = g.out.lines[:from]
		}
	}
	switch {
	case h.evaluable(s.Cond):
		h.around(func() { g.out.p("if %s {", g.expr(s.Cond)) }, parts)
	case h.fetchable(s.Cond) && !jumps(s.Then) && !jumps(s.Else):
		h.expr(s.Cond)
		h.suspected(s.Cond, s.Then, "")
		h.suspected(s.Cond, s.Else, "!")
	default:
		h.expr(s.Cond)
	}
}

// suspected emits the tests of a branch that depends on distributed elements: where one
// would fail, these are fetched.
func (h *rehearsal) suspected(cond ir.Expr, body []ir.Stmt, not string) {
	g := h.g
	g.serial++
	name := fmt.Sprintf("branch%d", g.serial)
	at := len(g.out.lines)
	h.around(func() { g.out.p("%s := func() {", name) }, func() { h.stmts(body) })
	if len(g.out.lines) == at {
		return
	}
	g.fetches = true
	g.out.p("if pe.Fails(%s) && %s(%s) {\n%s()\n}", name, not, g.expr(cond), name)
	g.fetches = false
}

// expr emits the tests of the subscripts in e.
func (h *rehearsal) expr(e ir.Expr) {
	g := h.g
	if b, ok := e.(*ir.Bin); ok && (b.Op == ir.And || b.Op == ir.Or) {
		h.expr(b.L)
		if h.evaluable(b.L) {
			not := ""
			if b.Op == ir.Or {
				not = "!"
			}
			h.around(func() { g.out.p("if %s(%s) {", not, g.expr(b.L)) }, func() { h.expr(b.R) })
		}
		return
	}
	for _, c := range ir.Children(e) {
		h.expr(c)
	}
	r, ok := e.(*ir.Ref)
	if !ok || r.Sym.Cell {
		return
	}
	for d, s := range r.Subs {
		b := r.Sym.Dims[d]
		if at, known := h.extremes(s); known && !b.Open() && at[0] >= int64(b.Lo) && at[1] <= int64(b.Hi) || !h.evaluable(s) {
			continue
		}
		h.tests++
		g.out.p("%s", g.idx(g.position(s), r, d))
	}
}

// extremes is the least and the greatest value of e that the ranges of the loops around
// allow.
func (h *rehearsal) extremes(e ir.Expr) (at [2]int64, ok bool) {
	f, ok := h.g.prog.Affine(e)
	if !ok {
		return at, false
	}
	at = [2]int64{f.C, f.C}
	for _, v := range f.Vars() {
		in, ok := h.ranges[h.g.symbols[v]]
		k := f.Coef(v)
		const most = 1 << 30 // so that nothing overflows
		if !ok || max(int64(k), -int64(k), in[1], -in[0], at[1], -at[0]) > most {
			return at, false
		}
		at[0] += min(int64(k)*in[0], int64(k)*in[1])
		at[1] += max(int64(k)*in[0], int64(k)*in[1])
	}
	return at, true
}
