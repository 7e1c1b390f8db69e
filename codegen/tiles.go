package codegen

import (
	"fmt"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// Two loops around a kernel may have a tile of their iterations in one call. What the inner
// of the two goes through in each iteration of the outer one is loaded from far away, if it
// is more than a cache holds. So the inner loop goes in blocks, and the outer one through
// all its iterations for each block:
//
//	for block1, all := 0, dist.Range(1, n, 1); block1 < all.Strips(size); block1++ {
//		part := all.Strip(block1, size) // of k
//		for ... { // 4 iterations of j at once
//			for ... { // 4 iterations of k at once
//				... // c(i,j) to c(i,j+3), and a(i,k) to a(i,k+3)
//
// No two iterations of the outer loop touch an element that one of them stores, so that each
// element gets its values in the order of the source.

// tiled emits o, in which there is nothing but m and in that nothing but a kernel, with
// several iterations of both in one call.
func (g *gen) tiled(o, m *ir.Do, r *comm.Region) bool {
	n, ok := nestOf(m)
	if !ok || len(m.Body) > 1 || !g.jams(m, o, r) {
		return false
	}
	d := n.d
	if v := g.vectorized(d, r); v.k == nil || !v.shares(o.Index) {
		return false
	}
	one := g.jammedKernel(n, r)
	if one == nil || len(one.sums) > 0 {
		return false
	}
	tile := g.jam(d, r, nil, []*ir.Do{o, m}, jamTile)
	rest := g.jam(d, r, nil, []*ir.Do{o}, jamTile)
	if tile.k == nil || rest.k == nil || tile.loads()*one.copies() >= one.loads()*tile.copies() || len(tile.streams) > maxStreams || !tile.inOrder() {
		return false
	}
	g.inCacheBlocks(o, n, r, func() {
		g.emitJam(tile.jam.loops[0], r, tile, func() {
			g.emitJam(tile.jam.loops[1], r, tile, func() { g.kernelLoop(tile) }, func() { g.kernelLoop(rest) })
		}, func() { g.stmts(o.Body, r) })
	})
	return true
}

// inCacheBlocks emits the loop o around a nest by emit; in blocks of iterations of the nest, if
// some of what these load is the same in all iterations of o.
func (g *gen) inCacheBlocks(o *ir.Do, n nest, r *comm.Region, emit func()) {
	columns := g.reloaded(o, n, r)
	if columns == 0 {
		emit()
		return
	}
	m := n.o
	all := fmt.Sprintf("dist.Range(%s, %s, %d)", g.position(m.Lo), g.position(m.Hi), g.step(m))
	if part := r.Part[m]; part != nil {
		all = g.ownIterations(m, part)
	}
	g.out.at = m.Pos.Line
	g.serial++
	block, whole, size, part := fmt.Sprintf("cacheN%d", g.serial), fmt.Sprintf("allN%d", g.serial), fmt.Sprintf("sizeN%d", g.serial), fmt.Sprintf("partN%d", g.serial)
	elements := g.vectorized(n.d, r).leaf.iterations() + ".N"
	if columns > 1 {
		elements = fmt.Sprintf("%d*%s", columns, elements)
	}
	g.out.p("%s, %s := %s, spmd.BlockSize(%s)", whole, size, all, elements)
	g.out.p("for %s := range %s.Strips(%s) { // so many columns stay in a cache", block, whole, size)
	g.out.p("%s := %s.Strip(%s, %s)", part, whole, block, size)
	g.parts[m] = part
	emit()
	delete(g.parts, m)
	g.out.p("}")
}

// reloaded is how many columns an iteration of a nest loads that are the same in all
// iterations of o; 0 if the nest may not go in blocks, too.
func (g *gen) reloaded(o *ir.Do, n nest, r *comm.Region) (columns int) {
	m := n.o
	b := g.prog.Info.Bounds(m)
	if g.step(m) <= 0 || g.parts[m] != "" || !b.LoOK || !b.HiOK || b.Lo.Uses(o.Index.Name) || b.Hi.Uses(o.Index.Name) {
		return 0
	}
	for _, c := range r.Part[m] {
		if c.Sub.Uses(o.Index.Name) {
			return 0
		}
	}
	changed := g.prog.Modified(o)
	for sym := range changed {
		if sym.IsArray() && !g.apartByIndex(nest{o: o}, sym) {
			return 0
		}
	}
	for _, f := range g.vectorized(n.d, r).all {
		if !uses(f, o.Index.Name) && uses(f, m.Index.Name) && uses(f, n.d.Index.Name) {
			columns++
		}
	}
	return columns
}
