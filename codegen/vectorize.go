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

// FP says what may be done with floating-point operations in kernels. All forms of a
// program, on so many PEs, do the same: for all targets, and with checks.
type FP string

const (
	Ordered FP = "ordered" // sums have a fixed number of interleaved partial sums
	Strict  FP = "strict"  // sums of a PE in the order of the source
	Fast    FP = "fast"    // as Ordered, and a*b+c is rounded once
)

// FPs lists them, the default first.
var FPs = []FP{Ordered, Strict, Fast}

// A leaf loop is a kernel if its iterations may be computed at the same time: its
// references go through consecutive elements, no iteration reads what an earlier one has
// written, and its operations are those of package kernel. What decides this is the
// program alone, so that all targets, and builds with checks, add up in the same order.

// shortest is the number of iterations from which on a loop that is known to have no more
// is a kernel.
const shortest = 8

// vectorLoop is a leaf loop as a kernel, or why it is none.
type vectorLoop struct {
	loop   *ir.Do
	k      *kernel.Kernel
	why    string
	waits  bool   // each iteration computes with a REAL of the one before
	part   bool   // it is part of the kernels of a loop around it
	nested bool   // it is one of several kernels of its loop, and takes consecutive elements alone
	rows   string // the nest over rows that the loop is a part of, though it is no kernel

	streams  []vectorStream // as those of k
	params   []vectorParam  // as those of k
	sums     []vectorSum    // as the reductions of k
	fused    map[*ir.Bin]side
	tests    []vectorTest
	ordered  bool             // if one fails, an iteration may read what it has stored itself
	region   *comm.Region     // where it stands
	crossed  leafRef          // what is stored, and
	crossing []leafRef        // the elements that it may become, which are read
	row      *comm.Constraint // sums: its subscript gives the row of an iteration,
	rowOf    string           // or the first subscript of that object,
	rowSub   linalg.Affine    // which is this,
	// or, without either, how far the iteration is behind the first.
	args   string      // the variable of the arguments, of a kernel with sums
	serial int         // of its sums
	block  string      // the iterations of the loop around, of a kernel that takes it along
	as     *vectorLoop // the kernel in its place

	ranges   []linalg.Affine // not negative
	leaf     *leaf
	nest     *outerNest   // a loop that is no kernel, but several
	flat     *flattened   // the body of a loop around others, nil for an innermost loop
	finals   []*ir.Symbol // indices in it whose last values are used behind the loop
	refs     map[*ir.Ref]leafRef
	all      []leafRef // the same in the order of the source
	env      map[*ir.Symbol]vectorValue
	elements map[string]*kernel.Node // of sums that are elements, by their places
	store    map[string]*vectorStore
	order    []string // keys of store
	reads    []vectorRead
	from     map[kernel.Type]*kernel.Node
	where    *kernel.Node // the condition that holds where the walk is
	by       map[string]*kernel.Node
	jam      *jam // several iterations of the loop around at once, nil for one
	copy     int  // of these, the one that the walk is in
}

// vectorStream is where a stream lies.
type vectorStream struct {
	leafRef
	widest int // of the copies that touch it, that with most iterations
	// or a buffer, for a scalar:
	local  *ir.Symbol
	buffer string
	// or elements that an index picks, of the object:
	table bool
	// or such at a distance that the program computes: where the first is, and how far it is to the next.
	first, steps func() string
}

// vectorParam is what is computed before the loop: an expression, or a piece of Go.
type vectorParam struct {
	e    ir.Expr
	of   []ir.Expr // what text renders, nil for what does not vary in loops around
	text func() string
	part string // of the value of e, "real" or "imag", if that is COMPLEX
	copy int
}

type vectorSum struct {
	sym  *ir.Symbol
	ref  *ir.Ref // of an element: one that is assigned
	op   scalar.Op
	imag bool // it adds up the imaginary part of a COMPLEX sum
	line int
	copy int
}

// name is what the sum is called in the source.
func (s vectorSum) name() string {
	if s.ref != nil {
		return ir.ExprString(s.ref)
	}
	return s.sym.Name
}

// vectorStore is what an iteration assigns to an element.
type vectorStore struct {
	f           leafRef
	copy        int // the last that stores there
	widest      int // of those that do, that with most iterations
	stream, off int
	value       vectorValue
	mask        *kernel.Node   // where it is stored, nil for everywhere
	parts       []*kernel.Node // of mask, of which none is within another
}

type vectorRead struct {
	f      leafRef
	copy   int
	stream int  // -1 where it is loaded in another way
	after  bool // the loop has stored to that object before, in the order of the text
}

// Vector code checks no subscript. What all iterations touch is sliced; where a reference
// under a condition may leave the piece, the run time takes the form in Go.

// vectorTest is a question for the run time: whether the elements that stream a stores
// may be loaded through stream b by later iterations.
type vectorTest struct{ a, b int }

// vectorized returns the kernel of a leaf loop of region r, which is nil outside of
// regions. It is the same in all builds.
func (g *gen) vectorized(d *ir.Do, r *comm.Region) *vectorLoop {
	if v := g.vectors[d]; v != nil {
		return v
	}
	v := &vectorLoop{loop: d, region: r}
	g.vectors[d] = v
	if r != nil && r.Picks[d] != nil {
		v.no("its iterations are those that the PE has listed")
		return v
	}
	v.build(g, r)
	if v.k == nil {
		if v.nest = g.outerNest(d, r); v.nest != nil {
			for _, e := range v.nest.inner {
				if v.nest.beside > 0 {
					g.vectors[e].why += v.nest.turns()
				} else {
					g.vectors[e] = &vectorLoop{loop: e, why: "it is part of a kernel", part: true}
				}
			}
		}
	}
	return v
}

// no notes why the loop is no kernel.
func (v *vectorLoop) no(format string, args ...any) *kernel.Node {
	if v.why == "" {
		v.why = fmt.Sprintf(format, args...)
	}
	return nil
}

func (v *vectorLoop) build(g *gen, r *comm.Region) {
	defer func() {
		if v.why != "" {
			v.k = nil
		}
	}()
	d := v.loop
	body := d.Body
	if !isLeaf(body) {
		if body = v.unroll(g, r); v.why != "" {
			return
		}
		if len(body) == 0 {
			v.no("the loops in it have no iterations")
			return
		}
	}
	if b := g.prog.Info.Bounds(d); b.Affine() && b.Runs() {
		if far, ok := b.Hi.Sub(b.Lo); ok && far.C/b.Step+1 < shortest {
			v.no("it has %d iterations", far.C/b.Step+1)
			return
		}
	}
	v.leaf = g.newLeaf(d, r)
	v.leaf.flatten(v.flat)
	v.begin(body)
	v.makeWindows()
	for v.copy = range v.copies() {
		if v.copy > 0 {
			clear(v.env)
		}
		first := len(v.sums)
		v.findSums()
		v.findElements()
		v.stmts(body)
		if v.why != "" {
			return
		}
		v.updates(first)
	}
	if v.why != "" {
		return
	}
	v.stores()
	v.setWindows()
	if len(v.order)+len(v.sums) == 0 {
		v.no("it stores nothing")
	}
	v.independent()
	v.findRow()
	if !v.pays() {
		v.no("%s, and little is computed with it", v.far())
	}
	v.unrolled(g)
}

// begin makes an empty kernel for statements.
func (v *vectorLoop) begin(body []ir.Stmt) {
	v.leaf.body = body
	v.ranges = v.leaf.g.ranges(v.loop)
	v.k = kernel.New("")
	v.refs, v.env, v.store = map[*ir.Ref]leafRef{}, map[*ir.Symbol]vectorValue{}, map[string]*vectorStore{}
	v.elements = map[string]*kernel.Node{}
	v.fused, v.from, v.by = map[*ir.Bin]side{}, map[kernel.Type]*kernel.Node{}, map[string]*kernel.Node{}
	for _, f := range v.leaf.refs() {
		v.refs[f.ref] = f
		v.all = append(v.all, f)
	}
}

// stores puts what the statements assign to elements behind all of them.
func (v *vectorLoop) stores() {
	for _, key := range v.order {
		s := v.store[key]
		if s.value.im == nil {
			v.k.Store(s.stream, s.off, s.value.re, s.mask)
			continue
		}
		v.k.Store(s.stream, 2*s.off, s.value.re, s.mask)
		v.k.Store(s.stream, 2*s.off+1, s.value.im, s.mask)
	}
}

func vectorType(t ir.Type) (kernel.Type, bool) {
	switch t {
	case ir.Double:
		return kernel.F64, true
	case ir.Real:
		return kernel.F32, true
	case ir.Integer:
		return kernel.I32, true
	case ir.Long:
		return kernel.I64, true
	case ir.Logical:
		return kernel.Mask, true
	}
	return 0, false
}

// stmts computes statements, where v.where holds.
func (v *vectorLoop) stmts(list []ir.Stmt) {
	for _, s := range list {
		if v.why != "" {
			return
		}
		switch s := s.(type) {
		case *ir.Assign:
			v.assign(s)
		case *ir.If:
			c := v.expr(s.Cond)
			if c == nil {
				return
			}
			around := v.where
			v.where = v.and(around, c)
			v.stmts(s.Then)
			if len(s.Else) > 0 && v.why == "" {
				v.where = v.and(around, v.k.Op(kernel.Not, kernel.Mask, c))
				v.stmts(s.Else)
			}
			v.where = around
		}
	}
}

func (v *vectorLoop) and(x, y *kernel.Node) *kernel.Node {
	if x == nil {
		return y
	}
	return v.k.Op(kernel.And, kernel.Mask, x, y)
}

// choose is the value of x where the walk is, else the old one.
func (v *vectorLoop) choose(x, old *kernel.Node) *kernel.Node {
	for v.where != nil && x.Op == kernel.Select && x.Args[0] == v.where {
		x = x.Args[1] // what was assigned under the same condition
	}
	switch {
	case v.where == nil || old == nil:
		return x
	case x.Type == kernel.Mask:
		k := v.k
		not := k.Op(kernel.Not, kernel.Mask, v.where)
		return k.Op(kernel.Or, kernel.Mask, k.Op(kernel.And, kernel.Mask, v.where, x), k.Op(kernel.And, kernel.Mask, not, old))
	}
	return v.k.Op(kernel.Select, x.Type, v.where, x, old)
}

// either is choose for each part.
func (v *vectorLoop) either(x, old vectorValue) vectorValue {
	x.re = v.choose(x.re, old.re)
	if x.im != nil {
		x.im = v.choose(x.im, old.im)
	}
	return x
}

func (v *vectorLoop) assign(s *ir.Assign) {
	if zero := v.leaf.g.starts[s]; zero != "" && !idle(s.RHS, zero) {
		v.no("PEs start to accumulate from different values")
		return
	}
	x := v.value(s.RHS)
	if x.re == nil {
		return
	}
	switch lhs := s.LHS.(type) {
	case *ir.Var:
		v.env[lhs.Sym] = v.either(x, v.env[lhs.Sym])
	case *ir.Ref:
		if place := v.shifted(v.refs[lhs]).place(); v.elements[place] != nil {
			v.elements[place] = v.choose(x.re, v.elements[place])
			return
		}
		f, ok := v.element(lhs)
		if !ok {
			return
		}
		stream, off, ok := v.stream(f)
		if !ok {
			return
		}
		key := f.place()
		old := v.store[key]
		if old == nil {
			v.store[key] = &vectorStore{f: f, copy: v.copy, widest: v.copy, stream: stream, off: off, value: x}
			v.stored(v.store[key])
			v.order = append(v.order, key)
			return
		}
		old.copy = v.copy
		if !slices.Equal(old.f.conds, f.conds) {
			old.f.conds = nil // it may be stored under others too
		}
		if w := v.window(v.copy); w > 0 && !v.covers(v.copy, old.widest) {
			if x.re.Type == kernel.Mask {
				v.no("%s is LOGICAL, in some iterations", ir.ExprString(lhs))
				return
			}
			old.value.re = v.k.InWindow(w, x.re, old.value.re)
			return
		}
		old.widest = v.copy
		if v.where == nil || old.mask == v.where {
			old.value, old.mask, old.parts = x, nil, nil
			v.stored(old)
			return
		}
		old.value = v.either(x, old.value)
		if old.mask != nil {
			v.stored(old)
		}
	default:
		v.no("%s is no variable or element", ir.ExprString(s.LHS))
	}
}

// stored notes that an element is stored where the walk is too. The branches of an IF with
// ELSE IF and ELSE make up what holds around it, so that their masks are none together:
// processors are slow to store some lanes of a vector.
func (v *vectorLoop) stored(to *vectorStore) {
	where := v.where
	for i := 0; i < len(to.parts) && where != nil; i++ {
		part := to.parts[i]
		if implies(where, part) {
			return
		}
		outer, ok := v.opposite(part, where)
		if ok {
			where = outer
		}
		if ok || implies(part, where) {
			to.parts = slices.Delete(to.parts, i, i+1)
			i = -1 // what is larger now may make up more with those before
		}
	}
	if where == nil {
		to.mask, to.parts = nil, nil
		return
	}
	to.parts = append(to.parts, where)
	to.mask = to.parts[0]
	for _, part := range to.parts[1:] {
		to.mask = v.k.Op(kernel.Or, kernel.Mask, to.mask, part)
	}
}

// implies reports whether x, a condition, is y and perhaps more.
func implies(x, y *kernel.Node) bool {
	return x == y || x.Op == kernel.And && (implies(x.Args[0], y) || implies(x.Args[1], y))
}

// opposite reports whether one of two conditions holds where outer does, which is nil for
// everywhere: those of the branches of an IF.
func (v *vectorLoop) opposite(x, y *kernel.Node) (outer *kernel.Node, ok bool) {
	if v.k.Op(kernel.Not, kernel.Mask, x) == y || v.k.Op(kernel.Not, kernel.Mask, y) == x {
		return nil, true
	}
	if x.Op == kernel.And && y.Op == kernel.And && x.Args[0] == y.Args[0] && v.k.Op(kernel.Not, kernel.Mask, x.Args[1]) == y.Args[1] {
		return x.Args[0], true
	}
	return nil, false
}
