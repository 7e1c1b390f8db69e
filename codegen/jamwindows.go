package codegen

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/depend"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Where the inner loop begins or ends with the index of the loop around,
//
//	do j = 1, n
//	   do k = j, n
//	      z(k,j) = z(k,j) - e(k)*f(j)
//	   end do
//	end do
//
// one of the iterations of j that are computed at once has all values of k that the others
// have, here the first. The others have windows of its iterations:
//
//	if it := dist.Range(j, n, 1); it.N > 0 { // and so have all
//		itT1 := dist.Range(j+1, n, 1)
//		fromT1, uptoT1 := it.Window(itT1)
//		...

// findWindows finds the windows of the copies; it fails where no copy has the iterations of
// all.
func (g *gen) findWindows(j *jam, d *ir.Do) bool {
	o := j.loops[0].do
	b := g.prog.Info.Bounds(d)
	lo, hi := b.Lo.Coef(o.Index.Name), b.Hi.Coef(o.Index.Name)
	if lo == 0 && hi == 0 {
		return true
	}
	if g.step(o) < 0 {
		lo, hi = -lo, -hi
	}
	n := len(j.loops[0].shifts)
	switch {
	case len(j.loops) > 1 || g.step(d) != 1 || g.parts[d] != "":
		return false
	case lo >= 0 && hi <= 0:
		j.widest, j.narrow = 0, n-1
	case lo <= 0 && hi >= 0:
		j.widest, j.narrow = n-1, 0
	default:
		return false
	}
	j.windows = make([]int, n)
	return true
}

// covers reports whether copy x has all iterations of copy y.
func (j *jam) covers(x, y int) bool {
	if j.windows == nil {
		return true
	}
	if j.widest == 0 {
		return x <= y
	}
	return x >= y
}

// makeWindows adds the windows to the kernel.
func (v *vectorLoop) makeWindows() {
	if v.jam == nil || v.jam.windows == nil {
		return
	}
	for c := range v.jam.windows {
		if c != v.jam.widest {
			v.jam.windows[c] = v.k.Window()
		}
	}
	ir.Walk(v.loop.Body, func(s ir.Stmt) bool {
		if _, ok := s.(*ir.If); ok {
			v.no("it has an IF, and other iterations each time")
		}
		return true
	})
	for _, f := range v.all {
		if f.conditional {
			v.no("%s is not always evaluated, and it has other iterations each time", ir.ExprString(f.ref))
		}
	}
}

// window is the window of a copy, 0 where all have the same iterations.
func (v *vectorLoop) window(copy int) int {
	if v.jam == nil || v.jam.windows == nil {
		return 0
	}
	return v.jam.windows[copy]
}

// covers reports whether copy x has all iterations of copy y.
func (v *vectorLoop) covers(x, y int) bool { return v.jam == nil || v.jam.covers(x, y) }

// setWindows tells the kernel in which iterations its streams and stores are touched: those
// of the copy that has most of those that touch them.
func (v *vectorLoop) setWindows() {
	if v.jam == nil || v.jam.windows == nil {
		return
	}
	if v.k.Picks() {
		v.no("a subscript picks elements, and it has other iterations each time")
	}
	for i := range v.streams {
		v.k.Streams[i].Window = v.window(v.streams[i].widest)
	}
	for i, key := range v.order {
		v.k.Stores[i].Window = v.window(v.store[key].widest)
	}
}

// use notes that the copy that the walk is in touches a stream.
func (v *vectorLoop) use(stream int) {
	if s := &v.streams[stream]; v.covers(v.copy, s.widest) {
		s.widest = v.copy
	}
}

// allIterations describes the loop for the dependence tests: its iterations of all copies.
func (v *vectorLoop) allIterations() depend.Loop {
	loop := v.leaf.g.dependLoop(v.loop)
	if v.jam == nil || v.jam.windows == nil && !v.jam.peel {
		return loop
	}
	l := v.jam.loops[0]
	name := l.do.Index.Name
	to, _ := linalg.Var(name).Add(l.shifts[v.jam.widest])
	if v.jam.peel {
		to, _ = linalg.Var(name).Add(l.shifts[len(l.shifts)-1])
	}
	move := func(list []linalg.Affine) []linalg.Affine {
		var out []linalg.Affine
		for _, f := range list {
			if x, ok := f.Subst(name, to); ok {
				out = append(out, x)
			}
		}
		return out
	}
	loop.Lo, loop.Hi = move(loop.Lo), move(loop.Hi)
	return loop
}

// sameRows reports whether the copies give the iterations the rows that one at a time would.
func (v *vectorLoop) sameRows(one *vectorLoop) bool {
	if !v.interleaved() {
		return true
	}
	o := v.jam.loops[0].do.Index.Name
	switch {
	case v.row != nil:
		return one.row != nil && v.row.Array == one.row.Array && v.row.Axis == one.row.Axis && !v.row.Sub.Uses(o)
	case one.row != nil || v.rowOf != one.rowOf:
		return false
	case v.rowOf != "":
		return v.rowSub.Equal(one.rowSub) && !v.rowSub.Uses(o)
	}
	return v.jam.windows == nil
}

// iterationsOf renders the iterations of a copy.
func (v *vectorLoop) iterationsOf(g *gen, copy int) string {
	return v.jam.named(g, copy, v.leaf.iterations)
}

// emitWindows emits where the windows are, and returns the fields of the argument that tell
// the kernel.
func (v *vectorLoop) emitWindows(g *gen) (fields [][2]string) {
	if v.jam == nil || v.jam.windows == nil {
		return nil
	}
	var from, upto []string
	for c, w := range v.jam.windows {
		if w == 0 {
			continue
		}
		g.out.p("itT%d := %s", w, v.iterationsOf(g, c))
		a, b := fmt.Sprintf("fromT%d", w), fmt.Sprintf("uptoT%d", w)
		g.out.p("%s, %s := it.Window(itT%d)", a, b, w)
		from, upto = append(from, a), append(upto, b)
		fields = append(fields, [2]string{fmt.Sprintf("from%d", w), a}, [2]string{fmt.Sprintf("upto%d", w), b})
	}
	return append(fields, [2]string{"lo", "max(" + strings.Join(from, ", ") + ")"}, [2]string{"hi", "min(" + strings.Join(upto, ", ") + ")"})
}

// windowStream emits the slice of a stream of a window.
func (v *vectorLoop) windowStream(g *gen, name string, f leafRef, s kernel.Stream, extent int) {
	it := fmt.Sprintf("itT%d", s.Window)
	length := it + ".N"
	if extent > 0 {
		length += fmt.Sprintf("+%d", extent)
	}
	index := g.names.sym(v.loop.Index)
	g.names.of[v.loop.Index] = it + ".Lo"
	g.out.p("%s := %s.Data[%s:][:%s]", name, f.object, g.at(f), length)
	g.names.of[v.loop.Index] = index
}

// fits renders the condition that all copies have iterations, "" where they are the same for
// all: else what is evaluated before the kernel need not exist.
func (v *vectorLoop) fits(g *gen) string {
	if v.jam.windows == nil {
		return ""
	}
	return fmt.Sprintf(" && %s.N > 0", v.iterationsOf(g, v.jam.narrow))
}
