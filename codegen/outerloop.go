package codegen

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// A loop around others, which go on equally long in all of its iterations, is executed in
// strips if the inner loops are no kernels: all iterations of a strip at once, statement
// by statement, in kernels. A scalar that each iteration has for itself is an element of a
// buffer between them:
//
//	do i = 1, n                   for strip, all := 0, dist.Range(1, n, 1); strip < all.Strips(512); strip++ {
//	   s = 0                          part := all.Strip(strip, 512)
//	   do k = 1, m                    kernel1(...)        // sStrip = 0
//	      s = s + a(i,k)*b(k,j)       for k := 1; k <= m; k++ {
//	   end do                             kernel2(...)    // sStrip = sStrip + a(i:,k)*b(k,j)
//	   c(i,j) = s                     }
//	end do                            kernel3(...)        // c(i:,j) = sStrip
//	                              }
//
// What the iterations accumulate, in one of the parts, is a sum of its kernel. No iteration
// touches what another one stores, so that each computes what it would alone. Inner loops
// that are short enough are unrolled.
//
// Statements that store elsewhere, with all behind them, are the tail: behind the kernels of
// a strip a loop in Go executes it, in order:
//
//	do i = 1, n                   for strip, all := 0, dist.Range(1, n, 1); strip < all.Strips(512); strip++ {
//	   best = 0                       part := all.Strip(strip, 512)
//	   do k = 1, m                    kernel1(...)        // bestStrip = ...
//	      ...                         for t := 0; t < nT; t++ {
//	   end do                             count[bestStrip[t]]++
//	   count(best) = count(best)+1    }
//	end do                        }

// stripSize is the number of iterations in a strip: what kernels load again and again
// stays in the first cache.
const stripSize = 512

// outerNest is such a loop.
type outerNest struct {
	loop   *ir.Do
	parts  []nestPart
	locals []*ir.Symbol // the scalars that are kept in buffers
	buffer map[*ir.Symbol]string
	inner  []*ir.Do
	head   []ir.Stmt                  // what the kernels compute
	flat   *flattened                 // head without the loops in it, nil if these are not unrolled
	tail   *leaf                      // what is executed behind the kernels of a strip; nil for nothing
	sums   map[*ir.Symbol]*vectorLoop // the scalars that are accumulated, and in which part
	sure   places                     // what each iteration has touched where the walk is
	first  bool                       // the elements that it stores are those of the iteration by their first subscripts
	beside int                        // so many iterations take turns, in Go; 0 for strips
	lag    int                        // how many iterations of the loop inside each is behind the one before
	why    string
}

// nestPart is a piece of the body: a kernel, or a loop.
type nestPart struct {
	v    *vectorLoop
	loop *ir.Do
	body []nestPart
}

// outerNest divides the body of d, of region r, into kernels and loops; nil if it cannot.
func (g *gen) outerNest(d *ir.Do, r *comm.Region) *outerNest {
	n := &outerNest{loop: d, buffer: map[*ir.Symbol]string{}, sums: map[*ir.Symbol]*vectorLoop{}, sure: places{}}
	if r == nil || g.prog.IR.SPMD || isLeaf(d.Body) || g.step(d) == 0 || g.outlives(d) || g.labelled[d] || len(g.stripped(d))+len(g.walksOf(d, r)) > 0 {
		return nil
	}
	if b := g.prog.Info.Bounds(d); b.Affine() {
		if far, ok := b.Hi.Sub(b.Lo); ok && far.IsConst() && far.C/b.Step+1 < shortest {
			return nil
		}
	}
	if !n.cutTail(g, r) || !n.loops(g, r, n.head, nil) || len(n.inner) == 0 || !n.scalars(g) {
		return nil
	}
	if !n.apart(g, r) {
		n.first = false
		if n.lag = n.lags(g, r); n.lag == 0 {
			return nil
		}
	}
	if !n.first {
		if n.beside = n.takesTurns(g, r); n.beside == 0 {
			return nil
		}
		return n
	}
	if n.flat = g.flatten(n.head, r, mostAtOnce, false); n.flat.why == "" {
		n.head = n.flat.body
	} else {
		n.flat = nil
	}
	// Once with all of them, to see which are needed from one part to another.
	n.parts = n.divide(g, r, n.head, nil)
	if n.why != "" {
		return nil
	}
	n.locals = n.needed()
	n.sure = places{}
	clear(n.sums)
	n.parts = n.divide(g, r, n.head, nil)
	if n.why != "" || len(n.kernels()) == 0 { // nobody uses what it computes
		return nil
	}
	return n
}

// mostAtOnce is the number of assignments that a nest without its loops has at most.
const mostAtOnce = 2 * mostCopies

// cutTail divides the body before the first statement that stores to an element which
// subscripts pick: the tail can be executed in Go.
func (n *outerNest) cutTail(g *gen, r *comm.Region) bool {
	l := n.leaf(g, r)
	at := slices.IndexFunc(n.loop.Body, func(s ir.Stmt) (cut bool) {
		ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) bool {
			if a, ok := s.(*ir.Assign); ok {
				if ref, ok := a.LHS.(*ir.Ref); ok {
					_, linear := l.linear(ref)
					cut = cut || !linear
				}
			}
			return !cut
		})
		return cut
	})
	if n.head = n.loop.Body; at < 0 {
		return true
	}
	n.head = n.loop.Body[:at]
	flat := g.flatten(n.loop.Body[at:], r, mostCopies, false)
	if flat.why != "" || len(n.head) == 0 {
		return false
	}
	n.tail = g.newLeaf(n.loop, r)
	n.tail.body, n.tail.flat, n.tail.tail = flat.body, flat, true
	return true
}

// leaf describes the loop with the indices of the loops in it as parameters.
func (n *outerNest) leaf(g *gen, r *comm.Region) *leaf {
	l := g.newLeaf(n.loop, r)
	ir.Walk(n.loop.Body, func(s ir.Stmt) bool {
		if e, ok := s.(*ir.Do); ok {
			delete(l.varies, e.Index)
		}
		return true
	})
	return l
}

// owner is the first subscript by which an element is that of the iteration, so that no other
// iteration has it; -1 if there is none.
func (n *outerNest) owner(g *gen, f leafRef) int {
	return slices.IndexFunc(f.subs, func(sub linalg.Affine) bool {
		by := sub.Coef(n.loop.Index.Name)
		return (by == 1 || by == -1) && !slices.ContainsFunc(sub.Vars(), func(name string) bool {
			return name != n.loop.Index.Name && g.prog.Modified(n.loop)[g.symbols[name]]
		})
	})
}

// needed are the scalars that some part reads as another one has left them, and those of the
// tail.
func (n *outerNest) needed() (list []*ir.Symbol) {
	need := map[*ir.Symbol]bool{}
	for _, sym := range n.locals {
		need[sym] = n.tail != nil && named(n.tail.body, sym)
	}
	for more := true; more; {
		more = false
		for _, v := range n.kernels() {
			seen := map[*kernel.Node]bool{}
			var visit func(x *kernel.Node)
			visit = func(x *kernel.Node) {
				if x == nil || seen[x] {
					return
				}
				seen[x] = true
				if x.Op == kernel.Load {
					if sym := v.streams[x.N].local; sym != nil && !need[sym] {
						need[sym], more = true, true
					}
				}
				for _, a := range x.Args {
					visit(a)
				}
			}
			for _, r := range v.k.Reductions {
				visit(r.Update)
			}
			for _, s := range v.k.Stores {
				if sym := v.streams[s.Stream].local; sym == nil || need[sym] {
					visit(s.Value)
					visit(s.Mask)
				}
			}
		}
	}
	for _, sym := range n.locals {
		if need[sym] {
			list = append(list, sym)
		}
	}
	return list
}

// loops looks at the loops inside, of which around are around the statements.
func (n *outerNest) loops(g *gen, r *comm.Region, list []ir.Stmt, around []*ir.Do) bool {
	for _, s := range list {
		e, ok := s.(*ir.Do)
		if !ok {
			if !isLeaf([]ir.Stmt{s}) {
				return false
			}
			continue
		}
		if r.Picks[e] != nil || slices.ContainsFunc(r.Part[e], func(c comm.Constraint) bool { return c.Sub.Uses(n.loop.Index.Name) }) || g.labelled[e] || g.outlives(e) || g.step(e) == 0 || len(g.stripped(e))+len(g.walksOf(e, r)) > 0 || g.vectorized(e, r).goesWell() {
			return false
		}
		for _, x := range []ir.Expr{e.Lo, e.Hi, e.Step} {
			same := true
			ir.WalkExpr(x, func(x ir.Expr) bool {
				switch x := x.(type) {
				case *ir.Var:
					index := slices.ContainsFunc(around, func(a *ir.Do) bool { return a.Index == x.Sym })
					same = same && (index || !g.prog.Modified(n.loop)[x.Sym])
				case *ir.Ref, *ir.CoRef:
					same = false
				}
				return same
			})
			if !same {
				return false
			}
		}
		n.inner = append(n.inner, e)
		if !n.loops(g, r, e.Body, append(around[:len(around):len(around)], e)) {
			return false
		}
	}
	return true
}

// apart reports whether each iteration stores only what no other one touches: elements
// with a subscript that is its own.
func (n *outerNest) apart(g *gen, r *comm.Region) bool {
	l := n.leaf(g, r)
	stored := map[string]bool{}
	ir.Walk(n.loop.Body, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Assign); ok {
			if ref, ok := a.LHS.(*ir.Ref); ok {
				stored[l.object(ref)] = true
			}
		}
		return true
	})
	inHead := map[string]bool{}
	ir.WalkExprs(n.head, func(_ ir.Stmt, e ir.Expr) bool {
		if ref, ok := e.(*ir.Ref); ok {
			inHead[l.object(ref)] = true
		}
		return true
	})
	ok := true
	n.first = true
	first := map[string]leafRef{}
	ir.WalkExprs(n.loop.Body, func(_ ir.Stmt, e ir.Expr) bool {
		ref, is := e.(*ir.Ref)
		if !is || !stored[l.object(ref)] || !inHead[l.object(ref)] {
			return ok // the tail touches it in the order of the source
		}
		f, linear := l.linear(ref)
		if !linear || g.access(ref) != nil && g.access(ref).Mode != comm.Own {
			ok = false
			return false
		}
		have, seen := first[f.object]
		if !seen {
			first[f.object], have = f, f
		}
		by := n.owner(g, have)
		n.first = n.first && by == 0
		ok = ok && by >= 0 && f.subs[by].Equal(have.subs[by])
		return ok
	})
	return ok
}

// scalars finds those that iterations have for themselves.
func (n *outerNest) scalars(g *gen) bool {
	for _, sym := range g.prog.IR.Symbols {
		if !g.prog.Modified(n.loop)[sym] || sym.IsArray() || sym == n.loop.Index {
			continue
		}
		switch g.prog.Info.Class(n.loop, sym) {
		case scalar.Private:
		case scalar.Reduced:
			if n.tail != nil && named(n.head, sym) && named(n.tail.body, sym) {
				return false
			}
			continue
		default:
			return false
		}
		index := func(e *ir.Do) bool { return e.Index == sym }
		if slices.ContainsFunc(n.inner, index) || !named(n.head, sym) {
			continue // the tail has it for itself
		}
		if t, ok := vectorType(sym.Type); !ok || t == kernel.Mask {
			return false
		}
		n.locals = append(n.locals, sym)
	}
	return true
}

// divide makes parts of statements inside of the loops around.
func (n *outerNest) divide(g *gen, r *comm.Region, list []ir.Stmt, around []*ir.Do) (parts []nestPart) {
	var run []ir.Stmt
	flush := func() {
		if len(run) > 0 && n.why == "" {
			v := n.kernel(g, r, run, around)
			if n.why = v.why; n.why == "" && len(v.k.Stores)+len(v.sums) > 0 {
				parts = append(parts, nestPart{v: v})
			}
		}
		run = nil
	}
	for _, s := range list {
		e, ok := s.(*ir.Do)
		if !ok {
			run = append(run, s)
			continue
		}
		flush()
		parts = append(parts, nestPart{loop: e, body: n.divide(g, r, e.Body, append(around[:len(around):len(around)], e))})
	}
	flush()
	return parts
}

// kernel is one of statements without loops.
func (n *outerNest) kernel(g *gen, r *comm.Region, body []ir.Stmt, around []*ir.Do) *vectorLoop {
	v := &vectorLoop{loop: n.loop, nested: true}
	v.leaf = g.newLeaf(n.loop, r)
	v.flat, v.leaf.flat = n.flat, n.flat
	for _, e := range around {
		delete(v.leaf.varies, e.Index)
	}
	v.begin(body)
	for i, f := range v.all {
		if f.conditional = f.conditional && !n.sure[f.place()]; !f.conditional && len(around) == 0 {
			n.sure[f.place()] = true
		}
		v.all[i], v.refs[f.ref] = f, f
	}
	streams := map[*ir.Symbol]int{}
	before := map[*ir.Symbol]*kernel.Node{}
	for _, sym := range n.locals {
		if !named(body, sym) {
			continue
		}
		t, _ := vectorType(sym.Type)
		i := v.k.Stream(fmt.Sprintf("x%d", len(v.streams)+1), t)
		v.streams = append(v.streams, vectorStream{local: sym})
		streams[sym] = i
		before[sym] = v.k.Load(i, 0, nil)
		v.env[sym] = vectorValue{re: before[sym]}
	}
	v.findSums()
	v.stmts(body)
	if v.why != "" {
		return v
	}
	v.updates(0)
	n.alone(v, around)
	v.stores()
	for _, sym := range n.locals {
		if x := v.env[sym].re; before[sym] != nil && x != before[sym] {
			v.k.Store(streams[sym], 0, x, nil)
		}
	}
	v.independent()
	if len(v.tests)+len(v.crossing) > 0 {
		v.no("it may have to be computed otherwise")
	}
	v.findRow()
	v.fuseSources()
	return v
}

// alone checks that the sums of a part, which no loop is around, are in no other part: else
// their terms would be added up in another order.
func (n *outerNest) alone(v *vectorLoop, around []*ir.Do) {
	for _, s := range v.sums {
		if len(around) > 0 || n.sums[s.sym] != nil {
			v.no("%s is accumulated in a loop inside, or in two places", s.name())
			return
		}
		n.sums[s.sym] = v
	}
}

// kernels are those of the parts.
func (n *outerNest) kernels() (list []*vectorLoop) {
	var add func(parts []nestPart)
	add = func(parts []nestPart) {
		for _, p := range parts {
			if p.v != nil {
				list = append(list, p.v)
			}
			add(p.body)
		}
	}
	add(n.parts)
	return list
}

// outerLoop emits such a loop.
func (g *gen) outerLoop(n *outerNest, r *comm.Region) {
	d := n.loop
	g.out.at = d.Pos.Line
	g.serial++
	for _, sym := range n.locals {
		n.buffer[sym] = fmt.Sprintf("%sStrip%d", g.names.sym(sym), g.serial)
	}
	declared := len(g.out.lines)
	for _, sym := range n.locals {
		g.out.p("var %s [%d]%s", n.buffer[sym], stripSize, goType(sym.Type))
	}
	strip, all, own := fmt.Sprintf("stripN%d", g.serial), fmt.Sprintf("allN%d", g.serial), fmt.Sprintf("partN%d", g.serial)
	iterations := fmt.Sprintf("dist.Range(%s, %s, %d)", g.position(d.Lo), g.position(d.Hi), g.step(d))
	if part := r.Part[d]; part != nil || g.parts[d] != "" {
		iterations = g.ownIterations(d, part)
	}
	g.out.p("for %s, %s := 0, %s; %s < %s.Strips(%d); %s++ { // %d iterations at once", strip, all, iterations, strip, all, stripSize, strip, stripSize)
	g.out.p("%s := %s", own, stripText(all, strip, stripSize, g.step(d) < 0))
	around := g.parts[d]
	g.parts[d] = own
	var emit func(parts []nestPart)
	emit = func(parts []nestPart) {
		for _, p := range parts {
			if p.v != nil {
				for i, s := range p.v.streams {
					if s.local != nil {
						p.v.streams[i].buffer = n.buffer[s.local]
					}
				}
				g.kernelLoop(p.v)
				continue
			}
			g.out.at = p.loop.Pos.Line
			g.openLoop(p.loop, r)
			emit(p.body)
			g.closeLoop(p.loop)
		}
	}
	emit(n.parts)
	n.emitTail(g, r)
	g.parts[d] = around
	if around == "" {
		delete(g.parts, d)
	}
	g.out.p("}")
	for i := len(n.locals) - 1; i >= 0; i-- {
		g.dropUnused(declared+i, n.buffer[n.locals[i]])
	}
}

// emitTail emits the tail, for a strip. The scalars in buffers are elements of these there.
func (n *outerNest) emitTail(g *gen, r *comm.Region) {
	if n.tail == nil {
		return
	}
	for _, sym := range n.locals {
		g.partial[sym] = func() string { return n.buffer[sym] + "[t]" }
	}
	n.tail.done, n.tail.strides, n.tail.streams, n.tail.after, n.tail.n = map[string]string{}, map[string]string{}, nil, nil, 0 // it may have been emitted before
	g.inGo(n.tail, g.vectorized(n.loop, r), r)
	for _, sym := range n.locals {
		delete(g.partial, sym)
	}
}

// named reports whether statements use or assign a variable.
func named(body []ir.Stmt, sym *ir.Symbol) (found bool) {
	ir.WalkExprs(body, func(_ ir.Stmt, e ir.Expr) bool {
		v, ok := e.(*ir.Var)
		found = found || ok && v.Sym == sym
		return !found
	})
	return found
}
