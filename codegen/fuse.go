package codegen

import (
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Nests that follow one another and use the same arrays are fused in strips, a strip of
// each at a time, while what the one has touched is in the cache. Of
//
//	do j = 2, n-1
//	   b(:,j) = a(:,j-1) + a(:,j+1)
//	end do
//	do j = 2, n-1
//	   a(:,j) = b(:,j)
//	end do
//
// the second nest stays one iteration behind the first, which still reads what it
// overwrites:
//
//	allF1, allF2, sizeF := b.Iters(...), a.Iters(...), spmd.StripSize(b.Stride(1, 1))
//	for strip := 0; ; strip++ {
//		partF1 := allF1.Strip(strip, sizeF)
//		... the first nest for partF1
//		last := strip+1 >= allF1.Strips(sizeF)
//		partF2, restF2 := allF2.Behind(partF1, 1, last)
//		...
//
// Each PE does so with its own iterations; nothing is sent or received on the way.

// What stands between two nests and computes nothing is done before or behind the row, if
// that changes nothing: a reduction of a scalar that the later nests do not mention is
// combined behind them. Where they need what is combined, a vector with an element for each
// iteration that all PEs execute, each strip is combined on its own:
//
//	do j = 1, n                            do j = 1, n
//	   do k = 1, n                            do k = 1, n
//	      parts(j) = parts(j) + a(k,j)*d(k)      a(k,j) = a(k,j) - parts(j)*d(k)
//	   end do                                 end do
//	end do                                 end do
//
//	allF1, allF2, sizeF := dist.Range(1, n, 1), dist.Range(1, n, 1), pe.ReductionStrip(...)
//	for strip := 0; ; strip++ {
//		... the first nest for partF1
//		spmd.SumElements(pe, ..., parts, pe.Box(partF1))
//		... the second nest for partF2
//
// All PEs have the same strips then, at least one, so that all take part in each reduction,
// and the last one orders all that the one in their place did.

// fusedNest is a nest of such a row.
type fusedNest struct {
	r     *comm.Region
	d     *ir.Do
	delay int64 // how far it stays behind the first

	// Behind each strip: what is combined, and behind the last one before that, whose
	// values are dead.
	combines []*comm.Combine
	dones    []*comm.Done
}

// fusedRow is a row of nests with what stands between them.
type fusedRow struct {
	nests  []*fusedNest
	before []*comm.Start
	behind []comm.Node // Done and Combine, in the order of the source
	nodes  int         // of the list, from the first nest to the last
}

// maxDelay limits how far nests stay behind each other.
const maxDelay = 3

// fuses reports whether programs like this one have fused nests.
func (g *gen) fuses() bool {
	return !g.opt.Check && g.opt.Strip >= 0 && !g.prog.IR.SPMD && g.loops < longProgram
}

// fusedNodes is the row of nests with which list begins, at least two; nil if there is none.
func (g *gen) fusedNodes(list []comm.Node) *fusedRow {
	if !g.fuses() {
		return nil
	}
	row := &fusedRow{}
	var between []comm.Node
scan:
	for i, n := range list {
		switch n := n.(type) {
		case *comm.Done, *comm.Start, *comm.Combine:
			if len(row.nests) == 0 {
				return nil
			}
			between = append(between, n)
		case *comm.Region:
			if len(n.Guard)+len(n.StoreBack) > 0 || len(n.Stmts) != 1 {
				break scan
			}
			next := g.fusable(n, n.Stmts[0])
			if next == nil || !g.comesAfter(row.nests, next) || !g.between(row, between, next) {
				break scan
			}
			row.nests, row.nodes, between = append(row.nests, next), i+1, nil
		default:
			break scan
		}
	}
	if len(row.nests) < 2 {
		return nil
	}
	return row
}

// fusedStmts is the row of nests with which a list of statements of a region begins. One
// loop alone is no nest here: it is short, or a row of its own.
func (g *gen) fusedStmts(list []ir.Stmt, r *comm.Region) *fusedRow {
	if !g.fuses() || r == nil {
		return nil
	}
	row := &fusedRow{}
	for i, s := range list {
		next := g.fusable(r, s)
		if next == nil || !slices.ContainsFunc(next.d.Body, isLoop) || !g.comesAfter(row.nests, next) {
			break
		}
		row.nests, row.nodes = append(row.nests, next), i+1
	}
	if len(row.nests) < 2 {
		return nil
	}
	return row
}

func isLoop(s ir.Stmt) bool {
	_, ok := s.(*ir.Do)
	return ok
}

// between finds a place for what stands between the nests of a row and next. It changes the
// row only if there is one.
func (g *gen) between(row *fusedRow, nodes []comm.Node, next *fusedNest) bool {
	if len(row.nests) == 0 {
		return true
	}
	var starts []*comm.Start
	var behind []comm.Node
	var dones []*comm.Done
	var combines []*comm.Combine
	last := row.nests[len(row.nests)-1]
	for _, n := range nodes {
		switch n := n.(type) {
		case *comm.Done:
			if slices.ContainsFunc(n.Comms, func(c *comm.Comm) bool { return g.strip(c) != nil }) {
				return false
			}
			behind = append(behind, n)
		case *comm.Start:
			for _, red := range n.Reduce {
				if row.refersTo(red.Sym) || g.changesSection(row, red) {
					return false
				}
			}
			starts = append(starts, n)
		case *comm.Combine:
			if g.overwritesFetched(next.d) {
				return false // the reduction may say that nobody reads it any more
			}
			if !slices.ContainsFunc(n.Reduce, func(red *comm.Reduction) bool { return refersTo(next.d, red.Sym) }) {
				behind = append(behind, n)
				continue
			}
			if !g.combinesStrips(row, n, next) {
				return false
			}
			combines = append(combines, n)
			for _, n := range behind { // its values are dead on all PEs when the last one is made
				if d, ok := n.(*comm.Done); ok {
					dones = append(dones, d)
				}
			}
			behind = slices.DeleteFunc(behind, func(n comm.Node) bool { _, ok := n.(*comm.Done); return ok })
		}
	}
	// What is combined behind the row, or by now, the nest must not need or change.
	for _, n := range row.behind {
		if c, ok := n.(*comm.Combine); ok && (mentionsAny(next.d, c.Reduce) || g.overwritesFetched(next.d)) {
			return false
		}
	}
	for _, n := range row.nests {
		for _, c := range n.combines {
			for _, red := range c.Reduce {
				if comm.Assigns(next.d, red.Sym) || g.overwritesFetched(next.d) {
					return false
				}
			}
		}
	}
	row.before, row.behind = append(row.before, starts...), append(row.behind, behind...)
	last.dones, last.combines = append(last.dones, dones...), append(last.combines, combines...)
	return true
}

func mentionsAny(d *ir.Do, list []*comm.Reduction) bool {
	return slices.ContainsFunc(list, func(red *comm.Reduction) bool { return refersTo(d, red.Sym) })
}

func (row *fusedRow) refersTo(sym *ir.Symbol) bool {
	return slices.ContainsFunc(row.nests, func(n *fusedNest) bool { return refersTo(n.d, sym) })
}

// refersTo reports whether a nest reads or assigns sym.
func refersTo(d *ir.Do, sym *ir.Symbol) bool {
	found := false
	ir.WalkExprs([]ir.Stmt{d}, func(_ ir.Stmt, e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Var:
			found = found || e.Sym == sym
		case *ir.Ref:
			found = found || e.Sym == sym
		}
		return !found
	})
	ir.Walk([]ir.Stmt{d}, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Assign); ok {
			found = found || ir.Target(a.LHS) == sym
		}
		return !found
	})
	return found
}

// changesSection reports whether the nests of a row change what says which elements of an
// array a reduction combines.
func (g *gen) changesSection(row *fusedRow, red *comm.Reduction) bool {
	for _, n := range row.nests {
		for sym := range g.prog.Modified(n.d) {
			for _, box := range red.Section {
				for _, ax := range box {
					uses := ax.Off.Uses(sym.Name)
					for _, t := range ax.Terms {
						uses = uses || t.Range.Lo.Uses(sym.Name) || t.Range.Hi.Uses(sym.Name) || t.Range.By != nil && t.Range.By.Uses(sym.Name)
					}
					if uses {
						return true
					}
				}
			}
		}
	}
	return false
}

// overwritesFetched reports whether a nest assigns elements that others get from memory in
// strips.
func (g *gen) overwritesFetched(d *ir.Do) bool {
	return slices.ContainsFunc(g.prog.Comms, func(c *comm.Comm) bool {
		return g.strip(c) != nil && comm.Assigns(d, c.Array)
	})
}

// combinesStrips reports whether what next needs of a reduction may be combined strip by
// strip behind the last nest of a row, and whether that is worth while: all PEs execute all
// iterations of the row's first nest, that nest is the only one that accumulates, into the
// element that has the number of the iteration, and next uses again what loops of it load.
func (g *gen) combinesStrips(row *fusedRow, n *comm.Combine, next *fusedNest) bool {
	first := row.nests[0]
	if len(row.nests) > 1 || len(first.r.Part[first.d]) > 0 || !slices.ContainsFunc(next.d.Body, isLoop) {
		return false
	}
	for _, red := range n.Reduce {
		if g.stripAxis(first.d, red) < 0 || comm.Assigns(next.d, red.Sym) {
			return false
		}
	}
	return true
}

// stripAxis is the dimension of the array of a reduction in which the elements that an
// iteration of d accumulates into follow its index, and all that are combined; -1 if there
// is none.
func (g *gen) stripAxis(d *ir.Do, red *comm.Reduction) int {
	if !red.Sym.IsArray() || len(red.Section) != 1 {
		return -1
	}
	b := g.prog.Info.Bounds(d)
	for k, ax := range red.Section[0] {
		if len(ax.Terms) != 1 || ax.All {
			continue
		}
		t := ax.Terms[0]
		if t.Range.Loop != d || t.Range.Unknown || t.Coef != 1 || t.Range.Step != 1 || len(t.Range.Cons) > 0 || !ax.Off.IsConst() || !t.Range.Lo.Equal(b.Lo) || !t.Range.Hi.Equal(b.Hi) {
			continue
		}
		want, ok := ax.Off.Add(linalg.Var(d.Index.Name))
		for _, e := range g.elements(d) {
			if e.ref.Sym == red.Sym {
				f, affine := g.prog.Affine(e.ref.Subs[k])
				ok = ok && affine && f.Equal(want)
			}
		}
		if ok {
			return k
		}
	}
	return -1
}
