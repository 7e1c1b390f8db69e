package codegen

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/depend"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Where a loop has nothing in it but a kernel, several of its iterations are one call, so
// that what they load from the same places is loaded once, and what one stores and the
// next one loads stays in a register:
//
//	do k = 1, n
//	   do i = 1, n
//	      c(i,j) = c(i,j) + a(i,k)*b(k,j)
//	   end do
//	end do
//
//	for block1, t := dist.Range(1, n, 1), 0; t < block1.N; {
//		k := block1.Lo + t*block1.Step
//		if t+8 <= block1.N {
//			... // c(i,j), and a(i,k) to a(i,k+7)
//			t += 8
//			continue
//		}
//		...
//		t++
//	}
//
// Where that loop is all there is in another one, iterations of both are computed at once,
// for a tile of registers: c(i,j) to c(i,j+3), and a(i,k) to a(i,k+3). The iterations of
// the inner loop may be others each time, as in triangles (jamwindows.go), and there may be
// statements beside it (jamnest.go).
//
// Each element gets its values in the order of the source, so that nothing changes but
// the time. It may be done where no iteration of the loops around touches what another
// one stores, but for the elements of the same row.

// jam is iterations of the loops around a kernel that are computed at once. Its copies are
// in the order in which the loops run.
type jam struct {
	loops  []jamLoop // outermost first
	before []ir.Stmt // beside the kernel's loop
	peel   bool      // the copies have heads
	rest   string    // where what is left of the kernel's loop begins
	saved  map[*ir.Symbol][]string

	// Where the copies have other iterations of the kernel's loop: the number of the window
	// of each; 0 for the copy that has all of them.
	windows []int
	widest  int // the copy that has all, and
	narrow  int // that whose iterations are in those of all others
}

// jamLoop is several iterations of a loop.
type jamLoop struct {
	do     *ir.Do
	shifts []linalg.Affine // by iteration: what is added to the index
	by     []*ir.Symbol    // the variables that hold multiples of an unknown step, by iteration; else nil
	guards []linalg.Affine // are not negative
}

// copies is the number of iterations of the loops around in a kernel.
func (v *vectorLoop) copies() int {
	n := 1
	if v.jam != nil {
		for _, l := range v.jam.loops {
			n *= len(l.shifts)
		}
	}
	return n
}

// iteration is which one of loop l a copy has.
func (j *jam) iteration(l, copy int) int {
	for _, inner := range j.loops[l+1:] {
		copy /= len(inner.shifts)
	}
	return copy % len(j.loops[l].shifts)
}

// shifted is a reference in the copy that the walk is in.
func (v *vectorLoop) shifted(f leafRef) leafRef { return v.shiftedTo(f, v.copy) }

func (v *vectorLoop) shiftedTo(f leafRef, copy int) leafRef {
	if v.jam == nil || copy == 0 {
		return f
	}
	for l := range v.jam.loops {
		f = v.shiftedIn(f, l, v.jam.iteration(l, copy))
	}
	return f
}

func (v *vectorLoop) shiftedIn(f leafRef, l, iteration int) leafRef {
	loop := v.jam.loops[l]
	j := loop.do.Index.Name
	if iteration == 0 || !uses(f, j) {
		return f
	}
	to, ok := linalg.Var(j).Add(loop.shifts[iteration])
	subs := make([]linalg.Affine, len(f.subs))
	for d, s := range f.subs {
		if !s.Uses(j) {
			subs[d] = s
			continue
		}
		var fits bool
		if subs[d], fits = s.Subst(j, to); !fits || !ok {
			v.no("its subscripts are too large")
			return f
		}
	}
	f.subs = subs
	return f
}

// variant tells the copies apart in which an expression is another one.
func (j *jam) variant(e ir.Expr, copy int) string {
	text := ""
	if j != nil {
		for l, loop := range j.loops {
			if ir.Mentions(e, loop.do.Index) || j.given(e) {
				text += fmt.Sprint(" ", j.iteration(l, copy))
			}
		}
	}
	return text
}

// given reports whether statements beside the kernel's loop assign a scalar of e.
func (j *jam) given(e ir.Expr) bool {
	found := false
	ir.WalkExpr(e, func(e ir.Expr) bool {
		v, ok := e.(*ir.Var)
		found = found || ok && assigned(j.before, v.Sym, true)
		return true
	})
	return found
}

// named renders what render does, in a copy: the indices of the loops around, and what
// statements beside the kernel's loop assign, have the values there.
func (j *jam) named(g *gen, copy int, render func() string) (text string) {
	if j == nil {
		return render()
	}
	for sym, names := range j.saved {
		name := g.names.sym(sym)
		defer func() { g.names.of[sym] = name }()
		g.names.of[sym] = names[copy]
	}
	j.indexed(g, copy, func() { text = render() })
	return text
}

// indexed does what render does, with the indices of the loops around of a copy.
func (j *jam) indexed(g *gen, copy int, render func()) {
	for l, loop := range j.loops {
		if i := j.iteration(l, copy); i > 0 {
			sym := loop.do.Index
			name := g.names.sym(sym)
			defer func() { g.names.of[sym] = name }()
			sum, _ := linalg.Var(sym.Name).Add(loop.shifts[i])
			g.names.of[sym] = "(" + g.affine(sum) + ")"
		}
	}
	render()
}

// moves reports whether a reference is to other elements in other copies, for each of the
// loops around.
func (j *jam) moves(f leafRef) bool {
	for _, l := range j.loops {
		if !uses(f, l.do.Index.Name) {
			return false
		}
	}
	return true
}

// inOrder reports whether the iterations of the outer of two loops may be interleaved:
// what one of those computed at once stores no other one touches, whatever the iterations
// of the inner loop.
func (v *vectorLoop) inOrder() bool {
	if len(v.jam.loops) < 2 {
		return true
	}
	inner := v.jam.loops[1].do
	around := v.leaf.g.dependLoop(inner)
	all := slices.Clone(v.reads)
	for _, s := range v.store {
		all = append(all, vectorRead{f: s.f, copy: s.copy, stream: s.stream})
	}
	for _, s := range v.store {
		if !uses(s.f, v.jam.loops[0].do.Index.Name) {
			return false
		}
		for _, x := range all {
			if x.f.object != s.f.object || v.jam.iteration(0, x.copy) == v.jam.iteration(0, s.copy) {
				continue
			}
			a, b := v.access(s.f, 0), v.access(x.f, 1)
			a.Loops, b.Loops = append([]depend.Loop{around}, a.Loops...), append([]depend.Loop{around}, b.Loops...)
			if depend.DependsIn(v.cases(a, b), a, b, 0, 0).Answer != depend.No {
				return false
			}
		}
	}
	return true
}

// steps tells by how much the index of a loop that a region divides changes from one
// iteration of a PE to the next; ok is false where that is known when it runs.
func (g *gen) steps(d *ir.Do, r *comm.Region) (by int64, ok bool) {
	step := g.step(d)
	if r == nil || len(r.Part[d]) == 0 {
		return int64(step), true
	}
	for _, c := range r.Part[d] {
		if c.Axis < 0 || c.Array.Mapping == nil || !c.Array.Mapping.Map.Axes[c.Axis].Format.IsBlock() {
			return 0, false
		}
	}
	return int64(step), step == 1 || step == -1
}

// Numbers of iterations at once: of loops that store to one place in all of them, or have
// ordered sums; of others; and of each of two loops.
const (
	jamSame  = 8
	jamOther = 4
	jamTile  = 4
)

// jammed emits a loop around a kernel, or around a loop around a kernel, with several
// iterations in one call, if that can be done and saves loads.
func (g *gen) jammed(o *ir.Do, r *comm.Region) bool {
	if !g.usesKernels() || g.prog.IR.SPMD || r == nil || !g.jams(o, o, r) {
		return false
	}
	n, ok := nestOf(o)
	if !ok {
		return len(o.Body) == 1 && g.tiled(o, o.Body[0].(*ir.Do), r)
	}
	v := g.jammedKernel(n, r)
	if v == nil {
		if v = g.columnsKernel(n, r); v == nil {
			return false
		}
		g.vectorized(n.d, r).as = v
	}
	v.k.Columns = v.takesColumns(n)
	g.out.at = n.d.Pos.Line
	g.declareSums(v)
	g.emitJam(v.jam.loops[0], r, v, func() { g.nested(n, v, r) }, func() { g.stmts(o.Body, r) })
	return true
}

// jams reports whether iterations of o may be computed at once as far as its form goes:
// one loop is in it, whose iterations hinge on no variable that the loop around changes; but
// those of a leaf loop may begin or end with the index of o.
func (g *gen) jams(o, around *ir.Do, r *comm.Region) bool {
	if g.step(o) == 0 || g.outlives(o) || g.labelled[o] {
		return false
	}
	n, leaf := nestOf(o)
	d := n.d
	if !leaf {
		if len(o.Body) != 1 {
			return false
		}
		d, _ = o.Body[0].(*ir.Do)
	} else if !g.separates(n) && !g.peels(n, r) {
		return false
	}
	if d == nil || g.step(d) == 0 || len(g.stripped(d))+len(g.walksOf(o, r))+len(g.walksOf(d, r)) > 0 || g.outlives(d) || g.labelled[d] {
		return false
	}
	changed := g.prog.Modified(around)
	same := func(f linalg.Affine, but *ir.Symbol) bool {
		return !slices.ContainsFunc(f.Vars(), func(name string) bool {
			sym := g.symbols[name]
			return sym != d.Index && sym != but && changed[sym]
		})
	}
	for _, c := range r.Part[d] {
		if !same(c.Sub, nil) { // a PE has other iterations each time
			return false
		}
	}
	var outer *ir.Symbol
	if leaf && o == around {
		outer = o.Index
	}
	b := g.prog.Info.Bounds(d)
	return b.LoOK && b.HiOK && same(b.Lo, outer) && same(b.Hi, outer)
}

// jammedKernel is the kernel of several iterations of o, around leaf loop d; nil if there
// is none, or it saves nothing.
func (g *gen) jammedKernel(nest nest, r *comm.Region) *vectorLoop {
	o, d := nest.o, nest.d
	one := g.vectorized(d, r)
	if one.k == nil || len(one.tests)+len(one.crossing) > 0 || !one.keepsOrder(nest) {
		return nil
	}
	chains := one.k.HasOrdered() // of additions, which overlap
	if !chains && len(nest.before) == 0 && !one.shares(o.Index) {
		return nil
	}
	n := jamOther
	same := len(one.sums) == 0
	for _, key := range one.order {
		same = same && !uses(one.store[key].f, o.Index.Name)
	}
	if same || chains {
		n = jamSame
	}
	if !g.separates(nest) {
		if one.interleaved() { // the heads would be added otherwise
			return nil
		}
		if v := g.peeled(nest, r, n); v.k != nil && len(v.tests)+len(v.crossing) == 0 && (chains || v.loads() < n*one.loads()) {
			return v
		}
		return nil
	}
	v := g.jam(d, r, nest.before, []*ir.Do{o}, n)
	if v.k == nil || !chains && !v.savesOver(one) || v.jam.windows != nil && len(v.tests)+len(v.crossing) > 0 || !v.sameRows(one) {
		return nil
	}
	return v
}

// shares reports whether iterations of a loop around, of that index, may load the same
// elements: where one is in a place that does not change, or two lie in that direction.
func (v *vectorLoop) shares(index *ir.Symbol) bool {
	for i, f := range v.all {
		if !uses(f, index.Name) {
			return true
		}
		for _, g := range v.all[:i] {
			if g.object != f.object {
				continue
			}
			for d := range f.subs {
				far, ok := f.subs[d].Sub(g.subs[d])
				if !ok || f.subs[d].Uses(index.Name) && !far.Equal(linalg.Const(0)) {
					return true
				}
			}
		}
	}
	return false
}

// maxStreams is in how many places a kernel may load and store at once, so that most of them
// are in registers, and processors load ahead in each.
const maxStreams = 16

// savesOver reports whether v, several iterations of one, gains: the columns of one alone lie
// one after another in memory.
func (v *vectorLoop) savesOver(one *vectorLoop) bool {
	return v.loads() < v.copies()*one.loads() && len(v.streams) <= max(maxStreams, len(one.streams))
}

// loads is the number of elements that an iteration loads or stores.
func (v *vectorLoop) loads() int { return v.k.Accesses() }

// jam makes one kernel of n iterations of each of some loops around d.
func (g *gen) jam(d *ir.Do, r *comm.Region, before []ir.Stmt, loops []*ir.Do, n int) *vectorLoop {
	j := &jam{before: before}
	for _, o := range loops {
		l, ok := g.jamLoop(o, r, n)
		if !ok {
			return &vectorLoop{why: "its step is not known"}
		}
		j.loops = append(j.loops, l)
	}
	if !g.findWindows(j, d) {
		return &vectorLoop{why: "its iterations begin and end at other places each time"}
	}
	v := &vectorLoop{loop: d, jam: j}
	v.build(g, r)
	return v
}

// jamLoop is n iterations of a loop.
func (g *gen) jamLoop(o *ir.Do, r *comm.Region, n int) (l jamLoop, ok bool) {
	l.do = o
	step, known := g.steps(o, r)
	if !known && g.step(o) < 0 {
		return l, false
	}
	last := linalg.Const(0)
	for c := range n {
		if known || c == 0 {
			l.shifts, l.by = append(l.shifts, linalg.Const(int64(c)*step)), append(l.by, nil)
			continue
		}
		name := fmt.Sprintf("%s.by%d", o.Index.Name, c)
		sym := g.symbols[name]
		if sym == nil {
			sym = &ir.Symbol{Name: name, Type: ir.Long, Temp: true}
			g.symbols[name] = sym
		}
		f := linalg.Var(name)
		l.shifts, l.by = append(l.shifts, f), append(l.by, sym)
		ahead, _ := f.Sub(last)
		ahead.C--
		l.guards = append(l.guards, ahead)
		last = f
	}
	return l, true
}

// emitJam emits a loop: full emits as many iterations as are computed at once, which v may
// hinder, one emits one of those that are left.
func (g *gen) emitJam(l jamLoop, r *comm.Region, v *vectorLoop, full, one func()) {
	o := l.do
	g.out.at = o.Pos.Line
	g.serial++
	block := fmt.Sprintf("block%dN", g.serial)
	n := len(l.shifts)
	step := g.step(o)
	all := fmt.Sprintf("dist.Range(%s, %s, %d)", g.position(o.Lo), g.position(o.Hi), step)
	if part := r.Part[o]; part != nil || g.parts[o] != "" {
		all = g.ownIterations(o, part)
	}
	index := g.names.sym(o.Index)
	columns := v.k.Columns
	remark := fmt.Sprintf(" // %d iterations at once", n)
	if columns {
		v.block = block
		remark += ", and as many columns as there are"
	}
	if n == 1 {
		remark = " // all columns in one call"
	}
	g.out.p("for %s, t := %s, 0; t < %s.N; {%s", block, all, block, remark)
	g.bound[o.Index]++
	first := len(g.out.lines)
	if step > 0 {
		g.out.p("%s := %s.Lo + t*%s.Step", index, block, block)
	} else {
		g.out.p("%s := %s.Hi() - t*%s.Step", index, block, block)
	}
	at := len(g.out.lines)
	for c, sym := range l.by {
		if sym != nil {
			g.bound[sym]++
			g.out.p("%s := %d*%s.Step", g.names.sym(sym), c, block)
		}
	}
	if n > 1 {
		g.out.p("if t+%d <= %s.N%s {", n, block, v.fits(g))
	}
	if columns && n > 1 {
		g.out.p("colsT := (%s.N - t) / %d", block, n)
	} else if columns {
		g.out.p("colsT := %s.N - t", block)
	}
	full()
	for _, sym := range l.by {
		if sym == nil {
			continue
		}
		g.bound[sym]--
		if g.mentioned(at+1, g.names.sym(sym)) {
			at++
		} else {
			g.dropUnused(at, g.names.sym(sym))
		}
	}
	advance := fmt.Sprint(n)
	switch {
	case n == 1:
		advance = "colsT"
	case columns:
		advance += "*colsT"
	}
	g.out.p("t += %s", advance)
	if n > 1 {
		g.out.p("continue\n}")
		one()
	}
	g.dropUnused(first, index)
	if n > 1 {
		g.out.p("t++")
	}
	g.out.p("}")
	g.bound[o.Index]--
}
