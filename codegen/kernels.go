package codegen

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/parser/source"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// A leaf loop that is a kernel is addressed like any other and called:
//
//	if it := ...; it.N > 0 {
//		nT := it.N
//		uN1 := u.Data[u.At2(i-1, j):][:nT+2]
//		vN2 := v.Data[v.At2(i, j):][:nT]
//		kernelL12(&kernelL12Args{n: nT, x1: uN1, x2: vN2, c1: h})
//	}
//
// Sums have partial values, with or without a kernel:
//
//	var kernelArgs1 kernelL12Args              var sSum1 [16]float64
//	spmd.Spread(kernelArgs1.r1[:], -0.0)       spmd.Spread(sSum1[:], -0.0)
//	if it := ...                               if it := ...
//		kernelArgs1.n, kernelArgs1.x1 = nT, uN1    head := u.Row(0, i)
//		kernelL12(&kernelArgs1)                    for t := ... { sSum1[(head+t)&15] = sSum1[(head+t)&15] + uN1[t] }
//	s = s + spmd.FoldSum(kernelArgs1.r1[:])    s = s + spmd.FoldSum(sSum1[:])

// usesKernels reports whether a loop that is a kernel is a call, at the place at hand.
func (g *gen) usesKernels() bool {
	return !g.opt.Check && !g.regions.divided && g.opt.Target != "" && g.opt.Target != kernel.Go
}

// sums declares the partial values of the loop's sums. What it returns adds them up.
func (g *gen) sums(d *ir.Do, r *comm.Region) (end func()) {
	v := g.vectorized(d, r)
	if v.nest == nil {
		return g.sumsOf(v)
	}
	var ends []func()
	for _, part := range v.nest.kernels() {
		ends = append(ends, g.sumsOf(part))
	}
	return func() {
		for _, end := range ends {
			end()
		}
	}
}

// sumsOf is sums for those of one kernel.
func (g *gen) sumsOf(v *vectorLoop) (end func()) {
	if v.k == nil {
		return func() {}
	}
	maps.Copy(g.fused, v.fused)
	if !v.interleaved() && !(g.usesKernels() && len(v.sums) > 0) {
		return func() {}
	}
	g.out.at = v.loop.Pos.Line
	lanes := v.k.Lanes()
	names := make([]string, len(v.sums))
	g.declareSums(v)
	for i, s := range v.sums {
		if v.k.Reductions[i].Ordered || !g.usesKernels() && (!v.splits(i) || s.imag) {
			continue
		}
		if names[i] = g.partialName(v, i); !g.usesKernels() {
			g.out.p("var %s [%d]%s // partial values", names[i], lanes, goType(s.sym.Type))
		}
		g.startSum(v, i)
	}
	if !g.usesKernels() {
		for i, s := range v.sums {
			if name := names[i]; name != "" {
				g.divide(v, s, func() string { return fmt.Sprintf("%s[%s&%d]", name, g.rowText(v), lanes-1) })
			}
		}
	}
	return func() {
		for i, s := range v.sums {
			if names[i] == "" {
				continue
			}
			g.divide(v, s, nil)
			g.out.at = s.line
			g.fold(s, names[i])
		}
	}
}

// declareSums declares the variable of the partial values of a kernel's sums.
func (g *gen) declareSums(v *vectorLoop) {
	g.serial++
	v.serial = g.serial
	if g.usesKernels() && len(v.sums) > 0 {
		v.args = fmt.Sprintf("kernelArgs%d", g.serial)
		g.out.p("var %s %sArgs", v.args, g.kernel(v).Name)
	}
}

// partialName is the variable of the partial values of sum i.
func (g *gen) partialName(v *vectorLoop, i int) string {
	if g.usesKernels() {
		return fmt.Sprintf("%s.r%d", v.args, i+1)
	}
	name := fmt.Sprintf("%sSum%d", g.names.sym(v.sums[i].sym), v.serial)
	for _, earlier := range v.sums[:i] {
		if earlier.sym == v.sums[i].sym { // of another element
			return fmt.Sprintf("%s_%d", name, i+1)
		}
	}
	return name
}

// startSum gives the partial values of sum i those that they begin with.
func (g *gen) startSum(v *vectorLoop, i int) {
	s := v.sums[i]
	t := s.sym.Type
	if g.usesKernels() {
		t = t.Part()
	}
	first := g.identity(s, t)
	if first == "" { // an extreme, which is a scalar
		first = g.load(&ir.Var{X: ir.X{Typ: s.sym.Type}, Sym: s.sym})
	}
	g.out.p("spmd.Spread(%s[:], %s)", g.partialName(v, i), first)
}

// identity is what changes no sum or product of values of type t, "" for extremes.
func (g *gen) identity(s vectorSum, t ir.Type) string {
	k := ir.Const{X: ir.X{Typ: t}}
	switch s.op {
	case scalar.Add:
		k.Float = math.Copysign(0, -1)
		k.Imag = k.Float
	case scalar.Mul:
		k.Int, k.Float = 1, 1
	default:
		return ""
	}
	text, _ := constant(&k)
	return text
}

// divide has a sum stand for a partial value, inside of its loop; with nil for itself.
func (g *gen) divide(v *vectorLoop, s vectorSum, partial func() string) {
	if s.ref == nil {
		g.partial[s.sym] = partial
		return
	}
	for ref, f := range v.refs {
		if f.at(v.refs[s.ref]) {
			g.partialRef[ref] = partial
		}
	}
}

// fold adds partial values to a scalar or an element.
func (g *gen) fold(s vectorSum, name string) {
	var x, old string
	if s.ref == nil {
		x = g.scalar(s.sym)
		old = g.load(&ir.Var{X: ir.X{Typ: s.sym.Type}, Sym: s.sym})
	} else {
		x, old = g.element(s.ref, true), g.element(s.ref, false)
	}
	t := goType(s.sym.Type)
	switch s.op {
	case scalar.Max, scalar.Min:
		f := map[scalar.Op]string{scalar.Max: "Larger", scalar.Min: "Smaller"}[s.op]
		by := "spmd." + f
		value := fmt.Sprintf("spmd.Fold(%s[:], %s)", name, by)
		if s.sym.Type.IsInteger() {
			by = map[scalar.Op]string{scalar.Max: "max", scalar.Min: "min"}[s.op]
			value = fmt.Sprintf("spmd.Fold(%s[:], func(x, y %s) %s { return %s(x, y) })", name, t, t, by)
		}
		if s.copy > 0 { // all copies began with the value before them
			value = fmt.Sprintf("%s(%s, %s)", by, old, value)
		}
		g.out.p("%s = %s", x, value)
		return
	}
	f, op := "FoldSum", "+"
	if s.op == scalar.Mul {
		f, op = "FoldProduct", "*"
	}
	value := fmt.Sprintf("%s %s spmd.%s(%s[:])", old, op, f, name)
	part := s.sym.Type
	if part.IsComplex() && g.usesKernels() {
		part = part.Part()
		value = fmt.Sprintf("complex(real(%s)+spmd.FoldSum(%s[:]), imag(%s))", old, name, old)
		if s.imag {
			value = fmt.Sprintf("complex(real(%s), imag(%s)+spmd.FoldSum(%s[:]))", old, old, name)
		}
	}
	if op == "*" && s.sym.Type.IsReal() {
		value = t + "(" + value + ")"
	}
	if old != x || s.ref != nil { // a loop without iterations needs no value before it
		g.out.p("if spmd.Changed(%s[:], %s) {\n%s = %s\n}", name, g.identity(s, part), x, value)
		return
	}
	g.out.p("%s = %s", x, value)
}

// rowText renders the row of an iteration in terms of the loop's index, here.
func (g *gen) rowText(v *vectorLoop) string {
	index := linalg.Var(v.loop.Index.Name)
	switch {
	case v.row != nil:
		return fmt.Sprintf("%s.Row(%d, %s)", g.names.sym(v.row.Array), v.row.Axis, g.affine(v.row.Sub))
	case v.rowOf != "":
		return fmt.Sprintf("%s.Row(0, %s)", v.rowOf, g.affine(v.rowSub))
	}
	lo, p := g.asInt(v.loop.Lo, sums)
	behind := fmt.Sprintf("(%s - %s)", g.affine(index), enclose(lo, p, precMul))
	if v.leaf.step < 0 {
		behind = fmt.Sprintf("(%s - %s)", g.position(v.loop.Lo), g.affine(index))
	}
	if by := abs(v.leaf.step); by != 1 {
		return fmt.Sprintf("(%s / %d)", behind, by)
	}
	return behind
}

// partialsInLeaf lets the partial values of a leaf loop's sums be found by the number of
// the iteration.
func (g *gen) partialsInLeaf(v *vectorLoop) {
	if v.k == nil || !v.interleaved() {
		return
	}
	g.out.p("head := %s", g.rowText(v))
	for i, s := range v.sums {
		if v.splits(i) {
			now := g.partial[s.sym]
			if s.ref != nil {
				now = g.partialRef[s.ref]
			}
			name, _, _ := strings.Cut(now(), "[")
			g.divide(v, s, func() string { return fmt.Sprintf("%s[(head+t)&%d]", name, v.k.Lanes()-1) })
		}
	}
}

// kernel gives the kernel of a loop its name: that of an equal one if there is one.
func (g *gen) kernel(v *vectorLoop) *kernel.Kernel {
	if v.k.Name != "" {
		return v.k
	}
	key := v.k.String() + fmt.Sprint(v.k.Streams, v.k.Params)
	for _, r := range v.k.Reductions {
		key += fmt.Sprint(r.Type, r.Fold, r.Ordered)
	}
	have := g.kernelOf[key]
	if have == nil {
		have = v.k
		g.kernels = append(g.kernels, have)
		have.Name = g.names.fresh(fmt.Sprintf("kernelL%d", v.loop.Pos.Line)) // source names have no capitals
		have.Doc = fmt.Sprintf("the loop in line %d.", v.loop.Pos.Line)
		g.kernelOf[key] = have
	}
	v.k = have
	return have
}

// kernelLoop emits the call of a kernel.
func (g *gen) kernelLoop(v *vectorLoop) {
	d, l := v.loop, v.leaf
	k := g.kernel(v)
	g.out.at = d.Pos.Line
	l.done, l.n = map[string]string{}, 0 // it may have been emitted before
	g.saveFinal(d)
	cuts := v.cuts(g)
	l.ranged = cuts != "" || v.jam != nil && v.jam.windows != nil
	var first int
	switch {
	case cuts != "":
		// Behind an iteration that stores what all read they are another loop.
		g.out.p("for it, rest := %s.Cut(%s); it.N > 0; it, rest = rest.Cut(%s) {", l.iterations(), cuts, cuts)
	case l.ranged:
		g.out.p("if it := %s; it.N > 0 {", v.iterationsOf(g, v.jam.widest))
	default:
		first = l.open()
	}
	if l.ranged {
		first = l.first()
	}
	l.nextRuns(g.walksOf(d, v.region))
	few := 0
	if cuts == "" && !l.ranged {
		few = v.few(g)
	}
	if few > 0 {
		g.out.p("if nT <= %d {", few)
		g.oneByOne(v)
		g.out.p("} else {")
	}
	fields := append([][2]string{{"n", "nT"}}, v.emitWindows(g)...)
	if k.Picks() {
		fields = append(fields, [2]string{"done", "0"})
	}
	if k.Columns {
		g.out.p("colsT = min(colsT, 1+%d/nT)", mostElements/v.copies())
		fields = append(fields, [2]string{"cols", "colsT"})
	}
	if v.interleaved() {
		fields = append(fields, [2]string{"head", fmt.Sprintf("%s & %d", g.rowText(v), k.Lanes()-1)})
	}
	paired := k.Paired()
	at := make([]string, len(v.streams))
	var checks []string // that the vector code may be used
	line := d.Pos.Line  // of the call
	tested := map[int]bool{}
	for _, t := range v.tests {
		tested[t.a], tested[t.b] = true, true
	}
	for i, s := range v.streams {
		if s.local != nil {
			fields = append(fields, [2]string{k.Streams[i].Name, s.buffer + "[:nT]"})
			continue
		}
		if s.table {
			line = s.line // there may be no such element
			zeros := make([]string, len(s.ref.Subs))
			for d := range zeros {
				zeros[d] = "0"
			}
			data, _ := s.data()
			fields = append(fields, [2]string{k.Streams[i].Name, data}, [2]string{k.Streams[i].Name + "At", s.place(fmt.Sprintf("%s.%s", s.object, atCall(zeros)))})
			continue
		}
		l.n++
		g.out.at = s.line
		name := fmt.Sprintf("%sN%d", s.object, l.n)
		data, perElement := s.data()
		at[i] = s.place(g.at(s.leafRef))
		if s.steps != nil {
			at[i] = s.place(s.first())
		}
		if k.Streams[i].Masked {
			g.out.p("%s := %s", name, at[i])
			line = s.line // it may leave the array
			if k.Streams[i].Stride != 1 {
				by := v.passStride(i, name, &fields, &checks)
				checks = append(checks, fmt.Sprintf("spmd.WithinBy(%s, nT, %s, %d, len(%s))", name, by, k.Extent(i), data))
			} else {
				checks = append(checks, fmt.Sprintf("spmd.Within(%s, nT+%d, len(%s))", name, k.Extent(i), data))
			}
			fields = append(fields, [2]string{k.Streams[i].Name, data}, [2]string{k.Streams[i].Name + "At", name})
			continue
		}
		if stride := k.Streams[i].Stride; stride == 0 || stride != 1 && !paired {
			by := v.passStride(i, name, &fields, &checks)
			if perElement > 1 {
				g.out.p("%s, %sK := spmd.Spaced(%s, %s, nT, %s, %d)", name, name, data, at[i], by, k.Extent(i))
			} else {
				g.out.p("%s, %sK := %s.Spaced(%s, nT, %s, %d)", name, name, s.object, at[i], by, k.Extent(i))
			}
			fields = append(fields, [2]string{k.Streams[i].Name, name}, [2]string{k.Streams[i].Name + "At", name + "K"})
			continue
		}
		if tested[i] {
			g.out.p("%sAt := %s", name, at[i])
			at[i] = name + "At"
		}
		if k.Streams[i].Window > 0 {
			v.windowStream(g, name, s.leafRef, k.Streams[i], k.Extent(i))
			fields = append(fields, [2]string{k.Streams[i].Name, name})
			continue
		}
		length, more := "nT", k.Extent(i)
		if paired {
			length, more = "2*nT", more-1
		}
		if more > 0 {
			length += fmt.Sprintf("+%d", more)
		}
		if k.Columns {
			g.out.p("%sBy := %s", name, v.columnStride(s.leafRef))
			fields = append(fields, [2]string{k.Streams[i].Name + "By", name + "By"})
			length = fmt.Sprintf("(colsT-1)*%sBy+%s", name, length)
		}
		g.out.p("%s := %s[%s:][:%s]", name, data, at[i], length)
		fields = append(fields, [2]string{k.Streams[i].Name, name})
	}
	g.out.at = d.Pos.Line
	used := k.Used()
	for i, p := range v.params {
		if !used[i] {
			continue
		}
		text := v.jam.named(g, p.copy, func() string {
			if p.e == nil {
				return p.text()
			}
			for _, ref := range ir.ExprRefs(p.e) {
				if f, ok := v.refs[ref]; ok {
					l.address(f)
				}
			}
			if p.part != "" {
				return fmt.Sprintf("%s(%s)", p.part, g.expr(p.e))
			}
			return unfused(p.e, g.expr(p.e))
		})
		fields = append(fields, [2]string{k.Params[i].Name, text})
	}
	fields = append(fields, v.orderedValues()...)
	args := "&" + v.args
	if v.args != "" {
		var to, from []string
		for _, f := range fields {
			to, from = append(to, v.args+"."+f[0]), append(from, f[1])
		}
		g.out.p("%s = %s", strings.Join(to, ", "), strings.Join(from, ", "))
	} else {
		var list []string
		for _, f := range fields {
			list = append(list, f[0]+": "+f[1])
		}
		args = fmt.Sprintf("%sArgs{%s}", k.Name, strings.Join(list, ", "))
		if len(v.tests)+len(checks) > 0 {
			g.out.p("args := %s", args)
			args = "args"
		}
		args = "&" + args
	}
	for _, t := range v.tests {
		// Else an iteration may read what an earlier one has written.
		checks = append(checks, fmt.Sprintf("spmd.Apart(%s, %s, nT+%d)", at[t.a], at[t.b], max(k.Extent(t.a), k.Extent(t.b))))
	}
	g.out.at = line
	switch {
	case v.ordered:
		g.out.p("if %s {", strings.Join(checks, " && "))
		if k.Picks() {
			g.out.fallible("%s(%s)", k.Name, args)
		} else {
			g.out.p("%s(%s)", k.Name, args)
		}
		g.out.p("} else {")
		g.oneByOne(v)
		g.out.p("}")
	case len(checks) == 0 && k.Picks():
		g.out.fallible("%s(%s)", k.Name, args)
	case len(checks) == 0:
		g.out.p("%s(%s)", k.Name, args)
	case k.Picks():
		// A variable for the function would put its arguments on the heap.
		g.out.p("if %s {", strings.Join(checks, " && "))
		g.out.fallible("%s(%s)", k.Name, args)
		g.out.p("} else {")
		g.out.fallible("%sGo(%s)", k.Name, args)
		g.out.p("}")
	default:
		g.out.p("if %s {\n%s(%s)\n} else {\n%sGo(%s)\n}", strings.Join(checks, " && "), k.Name, args, k.Name, args)
	}
	v.takeOrdered()
	if few > 0 {
		g.out.p("}")
	}
	l.dropUnusedFirst(first, len(g.out.lines))
	for _, sym := range v.finals {
		g.out.p("%s = %d", g.scalar(sym), v.flat.at[sym])
	}
	g.out.p("}")
	g.bound[d.Index]--
	g.setFinal(d)
	for ref := range v.refs {
		delete(g.leaf, ref)
	}
}

// at renders where a reference lies in its object.
func (g *gen) at(f leafRef) string {
	texts := make([]string, len(f.subs))
	for d, a := range f.subs {
		texts[d] = g.affine(a)
	}
	return fmt.Sprintf("%s.%s", f.object, atCall(texts))
}

// kernelFiles are the files of the kernels.
func (g *gen) kernelFiles() (map[string][]byte, error) {
	head := fmt.Sprintf("// Code generated by spmdc from %s; DO NOT EDIT.\n", source.Printable(filepath.Base(g.prog.IR.File)))
	return kernel.Files(head, slices.Clone(g.kernels), g.opt.Target, g.rows...)
}

// contracted renders a sum with a product, on its left or right, that is rounded once.
func (g *gen) contracted(e *ir.Bin) string {
	left := g.fused[e] == productLeft
	product, other := e.L, e.R
	if !left {
		product, other = e.R, e.L
	}
	p := product.(*ir.Bin)
	x, y, z := g.typed(p.L), g.typed(p.R), unfused(other, g.typed(other))
	if e.Op == ir.Sub && left {
		z, _ = negated(g.atLeast(other, precUnary))
	} else if e.Op == ir.Sub {
		x, _ = negated(g.atLeast(p.L, precUnary))
	}
	return fmt.Sprintf("math.FMA(%s, %s, %s)", x, y, z)
}
