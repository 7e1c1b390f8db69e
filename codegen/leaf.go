package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// A leaf loop is an innermost loop of assignments and IFs, in Go also of DO WHILEs of
// these. Its array references are addressed once, before the loop:
//
//	uN1 := u.Data[u.At2(i-1, j):][:nT]                           stride 1: uN1[t]
//	aN2, aN2K, aN2By := a.Every(a.At2(k, i), nT, a.Stride(1, 1)) other strides: aN2[aN2K]
//	aN3 := a.Data[a.At2(k, i+1)-int(aN2K):][:len(aN2)]           the same stride: aN3[aN2K]
//	bN4 := b.Data[b.At1(j)]                                      invariant: loaded once
//	sN5 := s.Data[s.At1(j)]                                      invariant, assigned: stored behind the loop
//	rN6 := r.Data[r.At1(j):][:1]                                 the same beside other elements of r: rN6[0]
//
// and the loop needs no bounds check, since its condition says all that the
// compiler must know:
//
//	for t := 0; t < nT && aN2K < uint(len(aN2)); t, aN2K = t+1, aN2K+aN2By {
//
// The slice of Every ends at the element of the last iteration, so the conditions
// hold for the same iterations, whatever the sign of the stride; the count t is
// left out where nothing uses it and a stride tells the end. A reference that
// some iterations may not execute can be addressed, but not sliced: where it is
// not executed it may lie outside of the piece. It keeps its check.
type leaf struct {
	tail    bool // it is what is left of a strip: it is always executed in this way
	g       *gen
	d       *ir.Do
	while   *ir.While  // in place of d, which has no iterations then
	body    []ir.Stmt  // of d, without the loops in it
	flat    *flattened // that of a body with loops
	step    int
	part    []comm.Constraint
	writes  map[string]bool     // objects that the body stores to
	varies  map[*ir.Symbol]bool // scalars assigned in the body
	done    map[string]string   // address -> Go expression of the element
	strides map[string]string   // stride -> slice whose index the others of that stride share
	streams []string            // those slices, in the order of their references
	alone   map[string]bool     // objects of which the body mentions one element, the same in all iterations
	after   []string            // statements behind the loop
	picked  map[*ir.Ref]bool    // addressed by picks
	indexed []ir.Stmt           // that picksAgain has something emitted before
	texts   []string            // the texts among alone that are bytes in the loop
	ranged  bool                // the variable it has the iterations
	pick    *comm.Pick          // for which its iterations are listed, nil if they are not
	short   int                 // the number of iterations of one that is unrolled, else 0
	n       int
	line    int                // of the statement that inBody looks at
	crowds  map[*ir.Ref]member // those of many elements of one array
	cuts    []string           // statements at the beginning of each iteration
	conds   []scalar.Condition // under which it is executed
}

// newLeaf looks at an innermost loop.
func (g *gen) newLeaf(d *ir.Do, r *comm.Region) *leaf {
	l := &leaf{g: g, d: d, body: d.Body, step: g.step(d), writes: map[string]bool{}, varies: map[*ir.Symbol]bool{}, done: map[string]string{}, strides: map[string]string{}}
	if r != nil {
		l.part = r.Part[d]
		l.pick = r.Picks[d]
	}
	for s := range g.prog.Modified(d) {
		if !s.IsArray() {
			l.varies[s] = true
		}
	}
	return l
}

// leafLoop emits d as a leaf loop if it is one.
func (g *gen) leafLoop(d *ir.Do, r *comm.Region) bool {
	if g.opt.Check {
		return false
	}
	v := g.vectorized(d, r)
	if v.k != nil && g.usesKernels() {
		g.kernelLoop(v)
		return true
	}
	if v.nest != nil && v.nest.beside > 0 {
		return g.takeTurns(v.nest, r)
	}
	if v.nest != nil && g.usesKernels() {
		g.outerLoop(v.nest, r)
		return true
	}
	return g.isLeafInGo(d.Body) && g.inGo(g.newLeaf(d, r), v, r)
}

// flatLoop emits d, a loop around short ones, as a leaf loop with these unrolled, if it is
// one then.
func (g *gen) flatLoop(d *ir.Do, r *comm.Region) bool {
	if g.opt.Check || isLeaf(d.Body) || g.regions.divided {
		return false
	}
	v := g.vectorized(d, r)
	if v.k != nil || v.nest != nil || v.as != nil || v.part {
		return false
	}
	flat := g.flattenIn(d, r, true)
	if flat.why != "" || flat.longest >= shortest {
		return false
	}
	for _, inner := range flat.loops {
		g.vectorized(inner, r)
	}
	l := g.newLeaf(d, r)
	l.flatten(flat)
	return g.inGo(l, v, r)
}

// inGo emits a leaf loop of region r, of which v decides, in Go, if that is more than a loop
// over its body.
func (g *gen) inGo(l *leaf, v *vectorLoop, r *comm.Region) bool {
	d := l.d
	l.short = l.tripsIfShort(v)
	once := l.onceOnly()
	refs := l.refs()
	if l.pick == nil && !l.tail && len(refs)+len(g.walksOf(d, r)) == 0 {
		return false
	}
	g.out.at = d.Pos.Line
	g.saveFinal(d)
	first := l.open()
	for _, s := range once {
		g.out.at = s.Pos.Line
		g.assign(s)
	}
	l.nextRuns(g.walksOf(d, r))
	inner := l.emit(refs, v, r)
	l.dropUnusedFirst(first, inner)
	for _, text := range l.after {
		g.out.p("%s", text)
	}
	g.out.p("}")
	g.bound[d.Index]--
	g.setFinal(d)
	return true
}

// emit emits the loop, inside of what open has begun, and returns the line in which its
// body begins. v is what decides about its sums.
func (l *leaf) emit(refs []leafRef, v *vectorLoop, r *comm.Region) (inner int) {
	g, d := l.g, l.d
	k := g.names.sym(d.Index)
	if l.pick != nil {
		refs = l.refs() // without what the list makes superfluous
	}
	refs = slices.DeleteFunc(refs, func(f leafRef) bool { return g.partialRef[f.ref] != nil })
	l.sure(refs, r)
	l.findAlone(refs)
	l.findCrowds(refs)
	for _, f := range refs {
		l.address(f)
	}
	l.picks()
	l.picksAgain()
	l.roll(refs)
	drop := l.invariants()
	g.out.at = d.Pos.Line
	for _, c := range g.walksOf(d, r) {
		if g.listsRuns(c) {
			continue
		}
		v, at := "val"+strings.ToUpper(c.Name()), "at"+strings.ToUpper(c.Name())
		drop = g.unlessUsed(v, drop)
		g.walked[c] = fmt.Sprintf("%s[%s[t]]", v, at)
		g.out.p("%s, %s := %s.Data, %s.At[%s:][:nT]", v, at, g.comms[c], g.comms[c], g.counter(c))
		g.out.p("%s += nT", g.counter(c))
	}
	next, drop := l.walksInside(drop)
	g.partialsInLeaf(v)
	if l.short > 0 {
		inner = len(g.out.lines)
		l.oneAfterAnother(k, r)
		l.forget(refs)
		return inner - drop()
	}
	inner = len(g.out.lines) + 1
	g.out.p("%s", l.head(true))
	g.out.p("%s := %s", k, l.now())
	for _, text := range l.cuts {
		g.out.p("%s", text)
	}
	unused := next()
	undeclared := l.declareLocals()
	g.inLeaf++
	g.stmts(l.body, r)
	g.inLeaf--
	undeclared()
	unused()
	g.dropUnused(inner, k)
	if len(l.streams) > 0 && !g.mentioned(inner, "t") {
		g.out.lines[inner-1].text = l.head(false)
	}
	g.out.p("}")
	l.forget(refs)
	return inner - drop()
}

// unlessUsed marks the definition of name that comes next: what it returns removes that line if no other
// one uses the name, does what inner does, and returns how many lines are gone.
func (g *gen) unlessUsed(name string, inner func() int) (drop func() int) {
	at := len(g.out.lines)
	return func() int {
		n := len(g.out.lines)
		g.dropUnusedBefore(at, n, name)
		return n - len(g.out.lines) + inner()
	}
}

// walksInside finds the elements that lists pick in unrolled loops: so many for each
// iteration. What next does begins one, and what that returns removes what it has not used.
func (l *leaf) walksInside(drop func() int) (next func() (unused func()), _ func() int) {
	g := l.g
	var names, begins []string
	if l.flat == nil {
		return func() func() { return func() {} }, drop
	}
	for _, c := range g.prog.Comms {
		n := l.flat.walked[c]
		if n == 0 {
			continue
		}
		name := strings.ToUpper(c.Name())
		drop = g.unlessUsed("val"+name, drop)
		g.out.p("val%s, at%s := %s.Data, %s.At[%s:][:nT*%d]", name, name, g.comms[c], g.comms[c], g.counter(c), n)
		g.out.p("%s += nT*%d", g.counter(c), n)
		names = append(names, "now"+name)
		begins = append(begins, fmt.Sprintf("now%s := at%s[t*%d:][:%d]", name, name, n, n))
		for r, k := range l.flat.listed {
			if g.access(r).Comm == c {
				g.leaf[r] = fmt.Sprintf("val%s[now%s[%d]]", name, name, k)
			}
		}
	}
	return func() func() {
		at := len(g.out.lines)
		for _, text := range begins {
			g.out.p("%s", text)
		}
		return func() {
			for i, name := range slices.Backward(names) {
				g.dropUnused(at+i, name)
			}
		}
	}, drop
}

// forget takes back how the loop addresses its references.
func (l *leaf) forget(refs []leafRef) {
	for _, f := range refs {
		delete(l.g.leaf, f.ref)
		delete(l.g.rolled, f.ref)
	}
	for _, name := range l.texts {
		delete(l.g.textElements, name)
	}
	for r := range l.picked {
		delete(l.g.picked, r)
		delete(l.g.leaf, r)
	}
	for _, s := range l.indexed {
		delete(l.g.prefix, s)
	}
	if l.flat != nil {
		for r := range l.flat.listed {
			delete(l.g.leaf, r)
		}
	}
}

// plain reports whether all iterations are executed, one after another, between bounds
// that are not too far apart.
func (l *leaf) plain() bool {
	return !l.ranged && l.pick == nil && l.part == nil && l.g.parts[l.d] == "" && abs(l.step) == 1 && moderate(l.d.Lo) && moderate(l.d.Hi)
}

// open begins a block for the iterations, if there are any: with the index of the first
// and their number nT, of which the index is defined in line first, or with them all.
func (l *leaf) open() (first int) {
	g, k := l.g, l.g.names.sym(l.d.Index)
	first = -1
	if l.pick != nil {
		own := g.listOwn(l.d, l.pick)
		g.fromList[l.body[0].(*ir.Assign)] = g.fromList[l.pick.Set] // which may be a copy
		g.bound[l.d.Index]++
		g.out.p("if nT := len(%s); nT > 0 {", own)
		return first
	}
	if l.plain() {
		from, to := g.position(l.d.Lo), g.position(l.d.Hi)
		g.bound[l.d.Index]++
		count := fmt.Sprintf("nT := end - %s + 1", k)
		if l.step > 0 {
			g.out.p("if %s, end := %s, %s; %s <= end {", k, from, to, k)
		} else {
			g.out.p("if %s, end := %s, %s; %s >= end {", k, from, to, k)
			count = fmt.Sprintf("nT := %s - end + 1", k)
		}
		if l.short > 0 {
			count = fmt.Sprintf("const nT = %d", l.short)
		}
		g.out.p("%s", count)
		return first
	}
	g.out.p("if it := %s; it.N > 0 {", l.iterations())
	return l.first()
}

// first emits, of the iterations it, how far they are apart where the program alone knows it,
// the index of the first one, whose line it returns, and their number.
func (l *leaf) first() (line int) {
	g := l.g
	if l.step == 0 {
		g.out.p("step := it.By(%s)", g.position(l.d.Step))
	}
	g.bound[l.d.Index]++
	line = len(g.out.lines)
	g.out.p("%s := %s", g.names.sym(l.d.Index), l.start())
	g.out.p("nT := it.N")
	return line
}

// iterations renders those of this PE.
func (l *leaf) iterations() string {
	if l.part != nil || l.g.parts[l.d] != "" {
		return l.g.ownIterations(l.d, l.part)
	}
	return fmt.Sprintf("dist.Range(%s, %s, %s)", l.g.position(l.d.Lo), l.g.position(l.d.Hi), l.g.stepText(l.d))
}

// findAlone finds the objects of which the body mentions one element.
func (l *leaf) findAlone(refs []leafRef) {
	l.alone = map[string]bool{}
	linear := map[*ir.Ref]string{}
	for _, f := range refs {
		linear[f.ref] = f.place()
	}
	seen := map[string]string{}
	ir.WalkExprs(l.body, func(_ ir.Stmt, e ir.Expr) bool {
		if r, ok := e.(*ir.Ref); ok {
			at, object := linear[r], l.object(r)
			have, known := seen[object]
			l.alone[object] = at != "" && (!known || have == at && l.alone[object])
			seen[object] = at
		}
		return true
	})
}

// head opens the loop, with or without a count of the iterations.
func (l *leaf) head(count bool) string {
	if len(l.streams) == 0 {
		return "for t := 0; t < nT; t++ {"
	}
	var init string
	var conds, vars, next []string
	if count {
		init, conds, vars, next = "t := 0", []string{"t < nT"}, []string{"t"}, []string{"t+1"}
	}
	for _, s := range l.streams {
		conds = append(conds, fmt.Sprintf("%sK < uint(len(%s))", s, s))
		vars = append(vars, s+"K")
		next = append(next, fmt.Sprintf("%sK+%sBy", s, s))
	}
	if len(vars) == 1 {
		return fmt.Sprintf("for ; %s; %s += %sBy {", conds[0], vars[0], l.streams[0])
	}
	return fmt.Sprintf("for %s; %s; %s = %s {", init, strings.Join(conds, " && "), strings.Join(vars, ", "), strings.Join(next, ", "))
}

// start is the index of the first iteration.
func (l *leaf) start() string {
	switch {
	case l.plain():
		return l.g.names.sym(l.d.Index)
	case l.step > 0:
		return "it.Lo"
	case l.step == 0:
		return "it.From(step)"
	}
	return "it.Hi()"
}

// now is the index of iteration t.
func (l *leaf) now() string {
	if l.pick != nil {
		return l.g.listOf(l.d).name + "[t]"
	}
	sign := "+"
	if l.step < 0 {
		sign = "-"
	}
	if l.plain() {
		return fmt.Sprintf("%s %s t", l.start(), sign)
	}
	return fmt.Sprintf("%s %s t*%s", l.start(), sign, l.by())
}

// by is how far apart two iterations are, and for a step that the program alone knows also
// in which direction.
func (l *leaf) by() string {
	switch {
	case l.plain():
		return "1"
	case l.step == 0:
		return "step"
	}
	return "it.Step"
}

// dropUnusedFirst removes what lines up to end do not use of what first has emitted, of
// which the index is in line at, or -1.
func (l *leaf) dropUnusedFirst(at, end int) {
	if at < 0 {
		return
	}
	l.g.dropUnusedBefore(at, end, l.g.names.sym(l.d.Index)) // each iteration has one of its own
	if l.step == 0 {
		l.g.dropUnusedBefore(at-1, len(l.g.out.lines), "step")
	}
}

// dropUnusedBefore removes the definition in line at if lines up to end do not use it.
func (g *gen) dropUnusedBefore(at, end int, name string) {
	if !mentionedIn(g.out.lines[at+1:end], name) {
		g.out.lines = append(g.out.lines[:at], g.out.lines[at+1:]...)
	}
}

func isLeaf(body []ir.Stmt) bool {
	for _, s := range body {
		switch s := s.(type) {
		case *ir.Assign:
			if !isPlain(s) {
				return false
			}
		case *ir.If:
			if !isLeaf(s.Then) || !isLeaf(s.Else) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// isLeafInGo is isLeaf for loops that are no kernels: these may also have DO WHILEs in them,
// except in programs of images, which mark what each iteration accesses.
func (g *gen) isLeafInGo(body []ir.Stmt) bool {
	ok := true
	ir.Walk(body, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Assign:
			ok = ok && isPlain(s)
		case *ir.If:
		case *ir.While:
			ok = ok && !g.prog.IR.SPMD
		case *ir.Exit:
			ok = ok && within(body, s.Loop)
		case *ir.Cycle:
			ok = ok && within(body, s.Loop)
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// within reports whether loop is among the statements of body.
func within(body []ir.Stmt, loop ir.Stmt) bool {
	return slices.ContainsFunc(body, func(s ir.Stmt) bool { return contains(s, loop) })
}

// isPlain reports whether the elements of s can be addressed in front of a loop over it: what a
// coindexed assignment stores may be one of them, and in an implied DO they differ.
func isPlain(s *ir.Assign) bool { return !coindexed(s) && !loopsInside(s) }

// loopsInside reports whether s writes a record with an implied DO.
func loopsInside(s ir.Stmt) bool {
	found := false
	for _, e := range ir.Exprs(s) {
		ir.WalkExpr(e, func(e ir.Expr) bool {
			_, is := e.(*ir.ImpliedDo)
			found = found || is
			return !found
		})
	}
	return found
}

// coindexed reports whether s itself mentions an element of another image.
func coindexed(s ir.Stmt) bool {
	for _, e := range ir.Exprs(s) {
		if _, far := ir.Coarrays(e); far {
			return true
		}
	}
	return false
}

// leafRef is a reference whose address is linear in the loop's iterations.
type leafRef struct {
	ref         *ir.Ref
	subs        []linalg.Affine // in terms of what the object is addressed by
	object      string
	line        int                // of its statement
	conditional bool               // some iterations may leave it out
	conds       []scalar.Condition // under which it is evaluated
}

// place names the element that f refers to in an iteration.
func (f leafRef) place() string { return fmt.Sprint(f.object, f.subs) }

// at reports whether f and g have the same place.
func (f leafRef) at(g leafRef) bool {
	return f.object == g.object && slices.EqualFunc(f.subs, g.subs, linalg.Affine.Equal)
}

// places are elements of each iteration.
type places map[string]bool

// refs lists the references that can be addressed before the loop.
func (l *leaf) refs() []leafRef {
	var out []leafRef
	always := l.inBody(l.body, &out)
	for i := range out {
		out[i].conditional = !always[out[i].place()]
	}
	return out
}

// sure notes which elements are there though some iterations may leave them out: x(i) in
//
//	do i = 1, n
//	   do j = 1, n
//	      if (j /= i) s = s + abs(x(i) - x(j))
//
// is loaded once in front of the loop over j. It is about what the loop does not change, and of
// distributed arrays about elements that are the same in all of its iterations.
func (l *leaf) sure(refs []leafRef, r *comm.Region) {
	if l.d.Index.Name == "" {
		return // a DO WHILE
	}
	index := l.d.Index.Name
	var ranges []linalg.Affine
	for i, f := range refs {
		if !f.conditional || l.writes[f.object] || f.ref.Sym.Distributed() && slices.ContainsFunc(f.subs, func(s linalg.Affine) bool { return s.Uses(index) }) {
			continue
		}
		if ranges == nil {
			ranges = l.g.ranges(l.d)
			b := l.g.prog.Info.Bounds(l.d)
			if b.Step < 0 {
				b.Lo, b.LoOK, b.Hi, b.HiOK = b.Hi, b.HiOK, b.Lo, b.LoOK
			}
			if from, ok := linalg.Var(index).Sub(b.Lo); ok && b.LoOK && b.Step != 0 {
				ranges = append(ranges, from)
			}
			if to, ok := b.Hi.Sub(linalg.Var(index)); ok && b.HiOK && b.Step != 0 {
				ranges = append(ranges, to)
			}
		}
		refs[i].conditional = !l.g.exists(f.ref, f.subs, r, ranges)
	}
}

// inBody adds the references in statements to out and returns the places that
// every execution of them touches.
func (l *leaf) inBody(list []ir.Stmt, out *[]leafRef) places {
	always := places{}
	for _, s := range list {
		l.line = s.Position().Line
		switch s := s.(type) {
		case *ir.Assign:
			if l.g.fromList[s] != "" {
				continue
			}
			l.inExpr(s.RHS, always, out)
			switch lhs := s.LHS.(type) {
			case *ir.Ref:
				l.writes[l.object(lhs)] = true
				l.inExpr(lhs, always, out)
			}
		case *ir.If:
			l.inExpr(s.Cond, always, out)
			around := slices.Clip(l.conds)
			l.conds = append(around, scalar.Condition{Cond: s.Cond, Holds: true})
			then := l.inBody(s.Then, out)
			l.conds = append(around, scalar.Condition{Cond: s.Cond})
			other := l.inBody(s.Else, out)
			l.conds = around
			for p := range then {
				if other[p] {
					always[p] = true
				}
			}
		case *ir.While:
			l.inExpr(s.Cond, always, out)
			l.inBody(s.Body, out)
		}
	}
	return always
}

// inExpr adds the references in an expression to out, and to always the places
// that every evaluation touches.
func (l *leaf) inExpr(e ir.Expr, always places, out *[]leafRef) {
	switch e := e.(type) {
	case *ir.Ref:
		if f, ok := l.linear(e); ok {
			*out = append(*out, f)
			always[f.place()] = true
			return
		}
		if !l.evaluates(e) {
			return
		}
		for _, s := range e.Subs {
			l.inExpr(s, always, out)
		}
	case *ir.Bin:
		l.inExpr(e.L, always, out)
		if e.Op == ir.And || e.Op == ir.Or {
			always = places{} // Go may leave out the right side
		}
		l.inExpr(e.R, always, out)
	default:
		for _, x := range ir.Children(e) {
			l.inExpr(x, always, out)
		}
	}
}

// object is what the element of r lies in: the array, a temporary, or a run of a list.
func (l *leaf) object(r *ir.Ref) string {
	if acc := l.g.access(r); acc != nil && acc.Mode == comm.Temp {
		return l.g.temps[acc.Comm]
	} else if acc != nil && acc.Mode == comm.Walk {
		return l.g.comms[acc.Comm]
	}
	return l.g.object(r)
}

// linear describes r if its subscripts are affine in the index and in terms
// that the loop does not change.
func (l *leaf) linear(r *ir.Ref) (leafRef, bool) {
	g := l.g
	of, at := l.flat.source(r)
	f := leafRef{ref: r, object: l.object(r), line: l.line, conds: l.conds}
	acc := g.access(r)
	list := of.Subs
	if acc != nil && acc.Mode == comm.Walk {
		if at != nil || !g.inRuns(acc.Comm) || acc.Comm.Walk[len(acc.Comm.Walk)-1] != l.d {
			return f, false
		}
		list = list[:1]
	}
	if acc != nil && acc.Mode == comm.Temp {
		if acc.Comm.Subs != nil {
			for _, ax := range acc.Comm.Axes {
				a, _ := with(linalg.Var(ax.Terms[0].Range.Index), at)
				f.subs = append(f.subs, a)
			}
			return f, true
		}
	}
	for _, s := range list {
		a, ok := g.prog.Affine(s)
		if ok {
			a, ok = with(a, at)
		}
		if !ok {
			return f, false
		}
		for _, v := range a.Vars() {
			sym := g.symbols[v]
			if sym == l.d.Index && l.pick != nil || sym != l.d.Index && l.varies[sym] {
				return f, false
			}
		}
		f.subs = append(f.subs, a)
	}
	return f, true
}
