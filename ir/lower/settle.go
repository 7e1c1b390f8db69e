package lower

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
)

// settle finds out, when all of the program is there, what the open ends of arrays are: one
// that gets the same constant wherever it is assigned is no open end but that constant,
// and two that have the same value in every run are one, so that the mappings of their
// arrays are alike.
//
//	read *, n
//	allocate (u(n), v(n), w(100))     u(1:ω₀), v(1:ω₀), w(1:100)
//
// Allocation on assignment counts as one that does nothing as long as the shapes on both
// sides have the same ends then; where they have not it is one more assignment to the end.
type settling struct {
	l      *lowerer
	index  map[*ir.Symbol]int // in Ends
	sets   map[*ir.Symbol][]setting
	count  map[*ir.Symbol]int // how often the source assigns a scalar, its initial value included
	fires  map[*ir.If]bool    // allocations on assignment that may change an end
	inner  map[ir.Stmt]*ir.If // assignments in one: which
	values map[*ir.Symbol]ir.Expr
	busy   map[*ir.Symbol]bool
}

// setting is an assignment to a scalar: where, for how it may be repeated, and beside what.
type setting struct {
	as     *ir.Assign
	list   []ir.Stmt
	at     int
	inLoop bool
}

func (l *lowerer) settle() {
	if len(l.prog.Ends) == 0 {
		return
	}
	l.noOpenCheckpoint()
	w := &settling{l: l, index: map[*ir.Symbol]int{}, sets: map[*ir.Symbol][]setting{}, count: map[*ir.Symbol]int{},
		fires: map[*ir.If]bool{}, inner: map[ir.Stmt]*ir.If{}}
	for k, e := range l.prog.Ends {
		w.index[e] = k
	}
	for _, r := range l.regrown {
		for _, s := range r.when.Then {
			w.inner[s] = r.when
		}
	}
	w.collect(l.prog.Body, false)
	for {
		w.values, w.busy = map[*ir.Symbol]ir.Expr{}, map[*ir.Symbol]bool{}
		same := w.classes()
		fired := false
		for _, r := range l.regrown {
			if !w.fires[r.when] && !w.idle(r, same) {
				w.fires[r.when], fired = true, true
			}
		}
		if !fired {
			w.lowered()
			w.replace(same)
			return
		}
	}
}

// lowered takes note of the arrays that get other lower bounds by an assignment than the constants
// that they have: by one that changes the extents, or that no ALLOCATE comes before.
func (w *settling) lowered() {
	by := map[*ir.If]regrown{}
	for _, r := range w.l.regrown {
		by[r.when] = r
	}
	there := map[*ir.Symbol]bool{}
	ir.Walk(w.l.prog.Body, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Allocate:
			there[s.Sym] = !s.Free
		case *ir.If:
			r, ok := by[s]
			if ok && r.lower && (w.fires[s] || !there[r.to]) {
				w.l.again.vary[r.to.Source()] = true
			}
			return !ok
		}
		return true
	})
}

// noOpenCheckpoint reports arrays whose extents a checkpoint does not save.
func (l *lowerer) noOpenCheckpoint() {
	if !l.prog.Checkpoints() {
		return
	}
	for _, s := range l.prog.Symbols {
		if s.IsOpen() {
			l.errorf(codeOutside, s.Pos, "%s has extents not known before run time, in a program with checkpoints, which do not save them", s.Source()).
				WithHelp("declare it with constant bounds")
		}
	}
}

// collect finds the assignments to scalars.
func (w *settling) collect(list []ir.Stmt, inLoop bool) {
	for i, s := range list {
		for _, sym := range ir.Assigned(s) {
			if sym == nil || sym.IsArray() {
				continue
			}
			w.count[sym]++
			if as, ok := s.(*ir.Assign); ok && isVariable(as.LHS) {
				w.sets[sym] = append(w.sets[sym], setting{as, list, i, inLoop})
			} else if _, do := s.(*ir.Do); do || inLoop {
				w.count[sym]++ // has several values
			}
		}
		_, do := s.(*ir.Do)
		_, while := s.(*ir.While)
		for _, body := range ir.Bodies(s) {
			w.collect(body, inLoop || do || while)
		}
	}
}

// settings are the assignments to end e that count.
func (w *settling) settings(e *ir.Symbol) (list []setting) {
	for _, s := range w.sets[e] {
		if in := w.inner[s.as]; in == nil || w.fires[in] {
			list = append(list, s)
		}
	}
	return list
}

// frozen is e with what it is made of traced back to constants and scalars that have one
// value in a run, nil if it is made of anything else.
func (w *settling) frozen(e ir.Expr) ir.Expr {
	ok := true
	out := ir.Rewrite(e, func(x ir.Expr) ir.Expr {
		switch x := x.(type) {
		case *ir.Var:
			v := w.value(x.Sym)
			if ok = ok && v != nil; ok {
				return ir.Clone(v)
			}
			return x
		case *ir.Ref, *ir.CoRef, *ir.Substr, *ir.ImpliedDo:
			ok = false
			return x
		case *ir.Call:
			ok = ok && x.Name != "this_image"
		}
		return nil
	})
	if !ok {
		return nil
	}
	return w.fold(out)
}

// fold computes what is constant.
func (w *settling) fold(e ir.Expr) ir.Expr {
	scratch := &lowerer{diags: &source.List{}}
	if x := scratch.fold(ir.Rebuild(e, w.fold)); !isBad(x) {
		return x
	}
	return e
}

// value is the value of scalar s in terms of what has one value in a run, nil if s may
// have several.
func (w *settling) value(s *ir.Symbol) ir.Expr {
	if v, known := w.values[s]; known {
		return v
	}
	if w.busy[s] {
		return nil
	}
	w.busy[s] = true
	defer delete(w.busy, s)
	v := w.valueOf(s)
	w.values[s] = v
	return v
}

func (w *settling) valueOf(s *ir.Symbol) ir.Expr {
	if s.Init != nil || s.Param {
		return nil
	}
	_, end := w.index[s]
	list := w.sets[s]
	if end {
		list = w.settings(s)
	} else if w.count[s] != 1 {
		return nil
	}
	var first ir.Expr
	for _, set := range list {
		v := w.frozen(set.as.RHS)
		if v == nil {
			if first = nil; len(list) == 1 && !set.inLoop {
				break // whatever it is, it stays
			}
			return nil
		}
		if first != nil && !ir.Same(first, v) {
			return nil
		}
		first = v
	}
	if first == nil && (!end || len(list) == 1) {
		first = varOf(s, s.Pos)
	}
	return first
}

// classes is for each end the one that stands for it, or its constant value.
func (w *settling) classes() map[*ir.Symbol]ir.Expr {
	same := map[*ir.Symbol]ir.Expr{}
	ends := w.l.prog.Ends
	values := make([]ir.Expr, len(ends))
	var valued []int              // ends that stand for a class, and whose value is known
	beside := map[ir.Stmt][]int{} // the same, which are set once, by the list of statements that sets them
	for i, e := range ends {
		v := w.value(e)
		if values[i] = v; v != nil {
			if c, ok := v.(*ir.Const); ok && !isBad(c) {
				same[e] = c
				continue
			}
		}
		of := len(ends)
		if v != nil {
			for _, k := range valued {
				if ir.Same(values[k], v) {
					of = k
					break
				}
			}
		}
		var list ir.Stmt
		if a := w.settings(e); len(a) == 1 && len(a[0].list) > 0 {
			list = a[0].list[0]
			for _, k := range beside[list] {
				if k >= of {
					break
				}
				if w.together(ends[k], e) {
					of = k
				}
			}
		}
		if of < len(ends) {
			same[e] = varOf(ends[of], e.Pos)
			continue
		}
		same[e] = varOf(e, e.Pos)
		if v != nil {
			valued = append(valued, i)
		}
		if list != nil {
			beside[list] = append(beside[list], i)
		}
	}
	return same
}

// together reports whether ends e and f always get the same value, one directly after the
// other.
func (w *settling) together(e, f *ir.Symbol) bool {
	a, b := w.settings(e), w.settings(f)
	if len(a) != 1 || len(b) != 1 || len(a[0].list) == 0 || len(a[0].list) != len(b[0].list) || a[0].list[0] != b[0].list[0] ||
		!ir.Same(a[0].as.RHS, b[0].as.RHS) {
		return false
	}
	lo, hi := min(a[0].at, b[0].at), max(a[0].at, b[0].at)
	for _, s := range a[0].list[lo:hi] {
		switch s := s.(type) {
		case *ir.Allocate:
		case *ir.Assign:
			v, ok := s.LHS.(*ir.Var)
			if !ok || ir.Mentions(a[0].as.RHS, v.Sym) {
				return false
			}
			if _, end := w.index[v.Sym]; !end && !v.Sym.Type.IsLogical() {
				return false
			}
		case *ir.If:
			if len(s.Else) > 0 || len(s.Then) != 1 {
				return false
			}
			if _, ok := s.Then[0].(*ir.Stop); !ok {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// idle reports whether allocation on assignment r leaves all ends as they are: the value
// that it would assign is that of the class.
func (w *settling) idle(r regrown, same map[*ir.Symbol]ir.Expr) bool {
	for _, s := range r.when.Then {
		as, ok := s.(*ir.Assign)
		if !ok || !isVariable(as.LHS) { // nothing, or a mirror
			continue
		}
		v := as.LHS.(*ir.Var).Sym
		if _, end := w.index[v]; !end {
			continue
		}
		if x := w.frozen(as.RHS); x != nil && w.value(v) != nil && ir.Same(x, w.value(v)) {
			continue
		}
		rhs := as.RHS
		if conv, ok := rhs.(*ir.Conv); ok {
			rhs = conv.E
		}
		from, ok := rhs.(*ir.Var)
		if !ok || same[from.Sym] == nil || !ir.Same(same[from.Sym], same[v]) {
			return false
		}
	}
	return true
}

// replace puts the classes into the program.
func (w *settling) replace(same map[*ir.Symbol]ir.Expr) {
	p := w.l.prog
	end := func(n int) int {
		k, off, open := ir.Open(n)
		if !open || k >= len(p.Ends) {
			return n
		}
		switch v := same[p.Ends[k]].(type) {
		case *ir.Const:
			return v.Int + off
		case *ir.Var:
			return ir.OpenEnd(w.index[v.Sym], n > 0) + off
		}
		return n
	}
	for _, s := range p.Symbols {
		s.Dims = w.settled(s.Dims, end)
	}
	for _, d := range p.HPF {
		d.Shape = w.settled(d.Shape, end)
	}
	// All assignments to ends go to those that stand for them: each array of a class finds
	// the value that it has been allocated with.
	ir.Walk(p.Body, func(s ir.Stmt) bool {
		for _, e := range ir.Exprs(s) {
			ir.WalkExpr(e, func(e ir.Expr) bool {
				if v, ok := e.(*ir.Var); ok {
					if r, ok := same[v.Sym].(*ir.Var); ok {
						v.Sym = r.Sym
					}
				}
				return true
			})
		}
		return true
	})
	for _, r := range w.l.regrown {
		if !w.fires[r.when] {
			// It is as large as it has to be, or not allocated yet.
			r.when.Cond = r.when.Cond.(*ir.Bin).L
			if r.lower {
				text := fmt.Sprintf("line %d: %s is not allocated, and gets other lower bounds here than elsewhere: allocate it in front", r.when.Pos.Line, r.to.Source())
				r.when.Then = one(&ir.Stop{S: r.when.S, Error: true, Code: &ir.Const{X: ir.X{Pos: r.when.Pos, Typ: ir.Character}, Str: text}})
			}
		}
	}
	p.Body = w.allocates(p.Body)
	w.alignments()
}

func (w *settling) settled(dims []ir.Bound, end func(int) int) []ir.Bound {
	if !slices.ContainsFunc(dims, ir.Bound.Open) {
		return dims
	}
	out := make([]ir.Bound, len(dims))
	for k, b := range dims {
		out[k] = ir.Bound{Lo: end(b.Lo), Hi: end(b.Hi)}
	}
	return out
}

// allocates says in each Allocate which scalars it reads, and leaves out those of arrays
// with constant bounds, which are there from the beginning where what they are aligned with is.
func (w *settling) allocates(body []ir.Stmt) []ir.Stmt {
	var out []ir.Stmt
	for _, s := range body {
		if a, ok := s.(*ir.Allocate); ok {
			ends := w.ends(a.Sym, a.Pos)
			if len(ends) == 0 {
				if a.Together() { // the images wait for each other
					out = append(out, &ir.Sync{S: a.S})
				}
				continue
			}
			if !a.Free {
				a.Ends = ends
			}
		}
		ir.ReplaceBodies(s, w.allocates)
		out = append(out, s)
	}
	return out
}

// ends are the scalars that say how s lies: those in its bounds, and in the bounds of what is
// distributed, s or what it is aligned with in the end.
func (w *settling) ends(s *ir.Symbol, pos source.Pos) []ir.Expr {
	p := w.l.prog
	var list []*ir.Symbol
	take := func(dims []ir.Bound) {
		for _, b := range dims {
			for _, n := range []int{b.Lo, b.Hi} {
				if k, _, open := ir.Open(n); open && !slices.Contains(list, p.Ends[k]) {
					list = append(list, p.Ends[k])
				}
			}
		}
	}
	take(s.Dims)
	root := s.Name
	for range p.HPF {
		for _, d := range p.HPF {
			if d.Kind == ir.AlignDirective && d.Name == root && d.Target != root {
				root = d.Target
			}
		}
	}
	for _, d := range p.HPF {
		if d.Kind == ir.TemplateDirective && d.Name == root {
			take(d.Shape)
		}
	}
	for _, t := range p.Symbols {
		if t.Name == root {
			take(t.Dims)
		}
	}
	var out []ir.Expr
	for _, e := range list {
		out = append(out, varOf(e, pos))
	}
	return out
}
