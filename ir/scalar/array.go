package scalar

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// An array is private to the iterations of a loop if no value in it gets from one
// iteration to another, or behind the loop. It surely is one if, wherever the program
// uses an element, it has assigned that since the iteration began, or since the loop
// ended:
//
//	do j = 1, n
//	   w(1) = a(1,j)
//	   do k = 2, m
//	      w(k) = a(k,j) + w(k-1)    w(1:k-1) has been assigned
//	   end do
//	   do i = 1, n
//	      b(i,j) = w(ip(i))         all of w(m) has
//	   end do
//	end do
//
// What has been assigned is a list of boxes, whose ends are affine in the indices of
// the loops around, and in scalars that the loop does not change. An iteration of a loop
// inside has the boxes of those before it, and the loop leaves those of all its
// iterations.
//
// An array of a procedure, without SAVE, is one to the loops around the call: it is undefined
// when the call begins, so that nothing uses what another call has left in it.

// arrayUses is what the program does with arrays that every PE has.
type arrayUses struct {
	around map[ir.Stmt]ir.Stmt
	events map[*ir.Symbol][]*event
	calls  map[*ir.Symbol][]*ir.Do // of arrays of procedures: the loops around the call
	is     map[arrayKey]bool
	// scalars have their names for themselves.
	scalars map[string]*ir.Symbol
}

type arrayKey struct {
	loop *ir.Do
	sym  *ir.Symbol
}

// event is a statement that uses or assigns elements of one array, or has such statements
// inside. Forms are those when Analyze saw the program: a pass may put a scalar in the place
// of a subscript later.
type event struct {
	stmt   ir.Stmt
	uses   [][]form // subscripts; nil for those that nothing is known of
	write  []form   // of what it assigns then; nil for nothing
	bodies [][]*event
	bounds LoopBounds
	jumps  bool // holds an EXIT or a CYCLE
}

// form is the affine form of a subscript, if it has one.
type form struct {
	linalg.Affine
	ok bool
}

// stretch is the elements from lo to hi along one dimension, a box those in stretches along all.
type (
	stretch struct{ lo, hi linalg.Affine }
	box     []stretch
)

// PrivateArray reports whether array sym, which every PE has, is proved to be private to
// the iterations of loop.
func (in *Info) PrivateArray(loop *ir.Do, sym *ir.Symbol) bool {
	u := in.arrays
	if slices.Contains(u.calls[sym], loop) {
		return true
	}
	events := u.events[sym]
	if events == nil {
		return false
	}
	key := arrayKey{loop, sym}
	is, known := u.is[key]
	if !known {
		c := &coverage{in: in, sym: sym, loop: loop, around: map[ir.Stmt]bool{}, covered: true}
		for s := u.around[loop]; s != nil; s = u.around[s] {
			c.around[s] = true
		}
		c.list(events, nil)
		is = c.used && c.covered
		u.is[key] = is
	}
	return is
}

// coverArrays looks for what the program does with arrays.
func (in *Info) coverArrays() *arrayUses {
	u := &arrayUses{around: map[ir.Stmt]ir.Stmt{}, calls: map[*ir.Symbol][]*ir.Do{}, is: map[arrayKey]bool{}, scalars: map[string]*ir.Symbol{}}
	if in.prog.SPMD {
		return u
	}
	seen := map[string]bool{}
	for _, sym := range in.prog.Symbols {
		if u.scalars[sym.Name] = sym; seen[sym.Name] || sym.IsArray() {
			u.scalars[sym.Name] = nil
		}
		seen[sym.Name] = true
	}
	u.events = u.collect(in, in.prog.Body, nil)
	ir.WalkExprs(in.prog.Body, func(s ir.Stmt, e ir.Expr) bool {
		r, ok := e.(*ir.Ref)
		if !ok {
			return true
		}
		if call := r.Sym.Site; call != nil && !r.Sym.Temp {
			if _, known := u.calls[r.Sym]; !within(s, call) {
				u.calls[r.Sym] = nil // it is used outside of the call too
			} else if !known {
				u.calls[r.Sym] = u.loopsAround(call, s)
			}
		}
		return true
	})
	return u
}

// collect makes the events of a list of statements, by array.
func (u *arrayUses) collect(in *Info, body []ir.Stmt, around ir.Stmt) map[*ir.Symbol][]*event {
	all := map[*ir.Symbol][]*event{}
	for _, s := range body {
		u.around[s] = around
		of := map[*ir.Symbol]*event{}
		var order []*ir.Symbol
		at := func(sym *ir.Symbol) *event {
			if of[sym] == nil {
				of[sym] = &event{stmt: s}
				order = append(order, sym)
			}
			return of[sym]
		}
		target, _ := s.(*ir.Assign)
		var visit func(e ir.Expr, implied bool)
		visit = func(e ir.Expr, implied bool) {
			if r, ok := e.(*ir.Ref); ok && !r.Sym.Distributed() {
				var subs []form
				for _, sub := range r.Subs {
					f, ok := in.affine[sub]
					subs = append(subs, form{f, ok && !implied})
				}
				if target != nil && target.LHS == e {
					at(r.Sym).write = subs
				} else {
					x := at(r.Sym)
					x.uses = append(x.uses, subs)
				}
			}
			if _, ok := e.(*ir.ImpliedDo); ok {
				implied = true // its index has values of its own
			}
			for _, c := range ir.Children(e) {
				visit(c, implied)
			}
		}
		for _, e := range ir.Exprs(s) {
			if e != nil {
				visit(e, false)
			}
		}
		bodies := ir.Bodies(s)
		for k, b := range bodies {
			for sym, list := range u.collect(in, b, s) {
				x := at(sym)
				if x.bodies == nil {
					x.bodies = make([][]*event, len(bodies))
				}
				x.bodies[k] = list
			}
		}
		jumps := len(bodies) > 0 && len(order) > 0 && ir.Jumps(s)
		for _, sym := range order {
			x := of[sym]
			x.jumps = jumps
			if d, ok := s.(*ir.Do); ok {
				x.bounds = in.bounds[d]
			}
			all[sym] = append(all[sym], x)
		}
	}
	return all
}

// within reports whether s is a statement of a call, or of one in it.
func within(s ir.Stmt, call *ir.Site) bool {
	site := s.CallSite()
	for site != nil && site != call {
		site = site.Parent
	}
	return site != nil
}

// loopsAround are the loops around a call, of which s is a statement.
func (u *arrayUses) loopsAround(call *ir.Site, s ir.Stmt) (list []*ir.Do) {
	for ; s != nil; s = u.around[s] {
		if d, ok := s.(*ir.Do); ok && !within(s, call) {
			list = append(list, d)
		}
	}
	return list
}
