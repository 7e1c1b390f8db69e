package codegen

import (
	"maps"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/depend"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// A loop around short loops, whose bounds are known here, is a kernel like any other when
// these are unrolled, which changes the order of nothing:
//
//	do i = 3, n - 2                          do i = 3, n - 2
//	   s = 0                                    s = 0
//	   do q = -2, 2                             s = s + w(-2,-2)*a(i-2,j-2)
//	      do p = -2, 2                          s = s + w(-1,-2)*a(i-1,j-2)
//	         s = s + w(p,q)*a(i+p,j+q)          ...
//	      end do                                s = s + w(2,2)*a(i+2,j+2)
//	   end do                                   b(i,j) = s
//	   b(i,j) = s                            end do
//	end do
//
// The program stays what it is: only the kernel is made of such a copy. Builds without
// kernels execute the source as it stands.

// mostCopies is the number of assignments that an unrolled loop has at most, and mostOfLong
// that of one with a loop in it that could be a kernel itself.
const (
	mostCopies = 128
	mostOfLong = 64
)

// flattened is the body of a loop without the loops in it.
type flattened struct {
	body    []ir.Stmt
	loops   []*ir.Do             // that are unrolled
	refs    map[*ir.Ref]copied   // what references are copies of
	bins    map[*ir.Bin]*ir.Bin  // what operations are copies of
	most    int                  // assignments that it may have
	count   int                  // assignments
	steps   int                  // iterations
	longest int64                // of a loop: its iterations
	at      map[*ir.Symbol]int64 // variables whose values are known where the walk is
	walks   bool                 // elements that lists pick may be in unrolled loops
	walked  map[*comm.Comm]int   // how many of each
	listed  map[*ir.Ref]int      // which one a copy is
	locals  locals               // the elements that are variables of the iteration, nil for none
	why     string               // it cannot be done
	g       *gen
	r       *comm.Region
}

// copied says what a reference is a copy of, and the values of indices there.
type copied struct {
	ref *ir.Ref
	at  map[string]int64
}

// flattenIn is flatten for the body of d, with private elements as variables.
func (g *gen) flattenIn(d *ir.Do, r *comm.Region, walks bool) *flattened {
	f := g.flatten(d.Body, r, mostCopies, walks)
	if f.why != "" {
		return f
	}
	private := g.scalarArrays(d, f.body)
	if len(private) == 0 {
		return f
	}
	again := g.newFlattened(r, mostCopies, walks)
	again.locals = private
	again.body = again.stmts(d.Body)
	again.body = private.used(again.body)
	return again
}

// flatten unrolls the loops in statements of region r, which may make this many assignments,
// and with walks those whose elements are fetched by lists.
func (g *gen) flatten(body []ir.Stmt, r *comm.Region, most int, walks bool) *flattened {
	f := g.newFlattened(r, most, walks)
	if r == nil || g.prog.IR.SPMD {
		f.no("it has other statements than assignments and IF")
		return f
	}
	f.body = f.stmts(body)
	return f
}

func (g *gen) newFlattened(r *comm.Region, most int, walks bool) *flattened {
	return &flattened{walks: walks, walked: map[*comm.Comm]int{}, listed: map[*ir.Ref]int{}, refs: map[*ir.Ref]copied{}, bins: map[*ir.Bin]*ir.Bin{}, at: map[*ir.Symbol]int64{}, most: most, g: g, r: r}
}

func (f *flattened) no(why string) {
	if f.why == "" {
		f.why = why
	}
}

func (f *flattened) stmts(list []ir.Stmt) (out []ir.Stmt) {
	for _, s := range list {
		if f.why != "" {
			return nil
		}
		switch s := s.(type) {
		case *ir.Assign:
			if !isPlain(s) {
				f.no("it has other statements than assignments and IF")
				return nil
			}
			n := &ir.Assign{S: s.S, RHS: f.expr(s.RHS), LHS: f.expr(s.LHS), Step: s.Step}
			if v, ok := s.LHS.(*ir.Var); ok {
				n.LHS = &ir.Var{X: v.X, Sym: v.Sym}
				delete(f.at, v.Sym)
			}
			if zero := f.g.starts[s]; zero != "" {
				f.g.starts[n] = zero
			}
			if f.count++; f.count > f.most || f.count > mostOfLong && f.longest >= shortest {
				f.no("the loops in it are too long to be unrolled")
			}
			out = append(out, n)
		case *ir.If:
			out = append(out, f.condition(s)...)
		case *ir.Do:
			out = append(out, f.loop(s)...)
		default:
			f.no("it has other statements than assignments and IF")
		}
	}
	return out
}

func (f *flattened) condition(s *ir.If) []ir.Stmt {
	c := f.expr(s.Cond)
	if k, ok := c.(*ir.Const); ok {
		if k.Bool {
			return f.stmts(s.Then)
		}
		return f.stmts(s.Else)
	}
	n := &ir.If{S: s.S, Cond: c}
	before := maps.Clone(f.at)
	n.Then = f.stmts(s.Then)
	f.at = maps.Clone(before)
	n.Else = f.stmts(s.Else)
	f.at = before
	for sym := range f.g.prog.Modified(s) {
		delete(f.at, sym)
	}
	return []ir.Stmt{n}
}

func (f *flattened) loop(d *ir.Do) (out []ir.Stmt) {
	g := f.g
	walks := g.walksOf(d, f.r)
	if f.r.Shares(d) || g.parts[d] != "" || g.labelled[d] || len(g.stripped(d)) > 0 || len(walks) > 0 && !f.walks {
		f.no("PEs divide the loop in it")
		return nil
	}
	lo, ok1 := folded(f.expr(d.Lo))
	hi, ok2 := folded(f.expr(d.Hi))
	step, ok3 := folded(f.expr(d.Step))
	if !ok1 || !ok2 || !ok3 || step.Int == 0 {
		f.no("the loop in it has bounds that are not constant")
		return nil
	}
	if !slices.Contains(f.loops, d) {
		f.loops = append(f.loops, d)
	}
	limit := int64(1) << 30
	first, last, by := int64(lo.Int), int64(hi.Int), int64(step.Int)
	if max(first, -first, last, -last, by, -by) > limit {
		f.no("the loops in it are too long to be unrolled")
		return nil
	}
	n := max(0, (last-first+by)/by)
	if n > int64(f.most) {
		f.no("the loops in it are too long to be unrolled")
		return nil
	}
	f.longest = max(f.longest, n)
	if f.count+int(n)*leastCopies(d.Body, f.most) > f.most {
		f.no("the loops in it are too long to be unrolled")
		return nil
	}
	for t := range n {
		if f.steps++; f.steps > 4*f.most {
			f.no("the loops in it are too long to be unrolled")
			return nil
		}
		f.at[d.Index] = first + t*by
		for _, c := range walks {
			f.walked[c]++
		}
		out = append(out, f.stmts(d.Body)...)
	}
	f.at[d.Index] = first + n*by
	if !g.outlives(d) {
		return out
	}
	// Behind an IF around it the value is not known here.
	typ := ir.X{Pos: d.Pos, Typ: d.Index.Type}
	end := &ir.Assign{S: d.S, LHS: &ir.Var{X: typ, Sym: d.Index}, RHS: &ir.Const{X: typ, Int: int(first + n*by)}}
	return append(out, end)
}

// leastCopies is how many assignments one execution of statements makes, or fewer, up to most: those
// under IFs do not count, nor those in loops whose bounds are no constants.
func leastCopies(list []ir.Stmt, most int) (n int) {
	for _, s := range list {
		switch s := s.(type) {
		case *ir.Assign:
			n++
		case *ir.Do:
			lo, ok1 := folded(s.Lo)
			hi, ok2 := folded(s.Hi)
			step, ok3 := folded(s.Step)
			if ok1 && ok2 && ok3 && step.Int != 0 {
				trips := max(0, (int64(hi.Int)-int64(lo.Int)+int64(step.Int))/int64(step.Int))
				n += int(min(trips, int64(most)+1)) * leastCopies(s.Body, most)
			}
		}
		n = min(n, most+1)
	}
	return n
}

// expr copies an expression, with the values of variables that are known.
func (f *flattened) expr(e ir.Expr) ir.Expr {
	if v, ok := e.(*ir.Var); ok {
		if c, ok := f.at[v.Sym]; ok {
			return &ir.Const{X: v.X, Int: int(c)}
		}
	}
	n := ir.Rebuild(e, f.expr)
	switch n := n.(type) {
	case *ir.Ref:
		if sym := f.locals.of(n); sym != nil {
			return &ir.Var{X: n.X, Sym: sym}
		}
		at := map[string]int64{}
		for sym, c := range f.at {
			at[sym.Name] = c
		}
		f.refs[n] = copied{e.(*ir.Ref), at}
		f.g.copyOf[n] = e.(*ir.Ref)
		if acc := f.g.access(n); acc != nil && acc.Mode == comm.Walk {
			f.listed[n] = f.walked[acc.Comm] - 1
		}
	case *ir.Bin:
		f.bins[n] = e.(*ir.Bin)
		return f.computed(n)
	case *ir.Un, *ir.Conv, *ir.Call:
		return f.computed(n)
	}
	return n
}

// computed is the value of e as a constant where its operands are constants. Go would
// compute such an expression exactly, and not round what the machine rounds.
func (f *flattened) computed(e ir.Expr) ir.Expr {
	var args []*ir.Const
	for _, x := range ir.Children(e) {
		c, ok := x.(*ir.Const)
		if !ok {
			return e
		}
		args = append(args, c)
	}
	if len(args) > 0 {
		_, call := e.(*ir.Call)
		if c, fits, ok := ir.Compute(e, args); ok && (fits || e.Type().IsInteger() && !call) { // operations wrap
			return c
		}
	}
	if len(args) > 0 {
		f.no(ir.ExprString(e) + " is constant in some copies of a loop in it")
	}
	return e
}

// source is the reference of the program that r is a copy of, and the values of indices
// where the copy is.
func (f *flattened) source(r *ir.Ref) (*ir.Ref, map[string]int64) {
	if f != nil {
		if c, ok := f.refs[r]; ok {
			return c.ref, c.at
		}
	}
	return r, nil
}

// with puts values in place of indices.
func with(a linalg.Affine, at map[string]int64) (linalg.Affine, bool) {
	for _, name := range a.Vars() {
		if c, ok := at[name]; ok {
			var fits bool
			if a, fits = a.Subst(name, linalg.Const(c)); !fits {
				return a, false
			}
		}
	}
	return a, true
}

// access says how a reference, which may be a copy, is addressed.
func (g *gen) access(r *ir.Ref) *comm.Access {
	if of := g.copyOf[r]; of != nil {
		r = of
	}
	return g.prog.Access[r]
}

// unroll is the body of v's loop without the loops in it.
func (v *vectorLoop) unroll(g *gen, r *comm.Region) []ir.Stmt {
	v.flat = g.flattenIn(v.loop, r, false)
	if v.flat.why != "" {
		v.no("%s", v.flat.why)
		return nil
	}
	return v.flat.body
}

// unrolled closes the description of a kernel with unrolled loops: what was decided for
// copies holds for what they are copies of.
func (v *vectorLoop) unrolled(g *gen) {
	if v.fuseSources(); v.flat != nil && v.why == "" && v.jam == nil {
		for _, d := range v.flat.loops {
			g.vectors[d] = &vectorLoop{loop: d, why: "it is part of a kernel", part: true}
		}
	}
}

// fuseSources has the operations that were copied rounded as their copies are.
func (v *vectorLoop) fuseSources() {
	if v.flat == nil || v.why != "" {
		return
	}
	fused := map[*ir.Bin]side{}
	for n, of := range v.flat.bins {
		if have, ok := fused[of]; ok && have != v.fused[n] {
			v.no("%s is rounded once in some copies of a loop in it", ir.ExprString(of))
			return
		}
		fused[of] = v.fused[n]
	}
	for of, s := range fused {
		if s != 0 {
			v.fused[of] = s
		}
	}
}

// ends reports whether every iteration leaves the same value in sym, which is used behind
// the loop: in the index of an unrolled loop.
func (v *vectorLoop) ends(sym *ir.Symbol) bool {
	if v.flat == nil || v.jam != nil || len(v.leaf.part) > 0 {
		return false
	}
	_, ok := v.flat.at[sym]
	if ok {
		v.finals = append(v.finals, sym)
	}
	return ok
}

// exists reports whether a reference is surely to an element of an array that the PE has,
// in an iteration of the loops around.
func (v *vectorLoop) exists(r *ir.Ref) bool {
	return v.leaf.g.exists(r, v.refs[r].subs, v.region, v.ranges)
}

// exists reports whether an element with these subscripts is surely there, on a PE that executes
// region r, where the ranges are not negative.
func (g *gen) exists(e *ir.Ref, subs []linalg.Affine, r *comm.Region, ranges []linalg.Affine) bool {
	if e.Sym.Coarray {
		return false
	}
	// A PE has what it owns in the iterations that it executes, and the overlap around it.
	if e.Sym.Distributed() && !g.alonePE {
		acc := g.access(e)
		if acc == nil || acc.Mode != comm.Own || r == nil || r.Fallback {
			return false
		}
	}
	negative := func(f linalg.Affine) bool { return depend.Infeasible(nil, append(slices.Clip(ranges), f)) }
	for d, s := range subs {
		b := e.Sym.Dims[d]
		if b.Open() {
			return false
		}
		below, ok1 := linalg.Const(int64(b.Lo) - 1).Sub(s)
		above, ok2 := s.Sub(linalg.Const(int64(b.Hi) + 1))
		if !ok1 || !ok2 || !negative(below) || !negative(above) {
			return false
		}
	}
	return len(subs) == len(e.Subs)
}
