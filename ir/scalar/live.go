package scalar

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
)

// set is a bit set of scalars.
type set []uint64

func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 == 1 }
func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set) remove(i int)   { s[i/64] &^= 1 << (i % 64) }

// union adds o to s and reports whether s grew.
func (s set) union(o set) bool {
	grew := false
	for i, w := range o {
		if n := s[i] | w; n != s[i] {
			s[i], grew = n, true
		}
	}
	return grew
}

// liveWalk is one backward pass: live scalars at the places that EXIT and CYCLE
// lead to, and what to do with the result behind each statement.
type liveWalk struct {
	in     *Info
	exits  map[ir.Stmt]set // behind a loop
	cycles map[ir.Stmt]set // where its next iteration begins
	tests  map[ir.Stmt]set // at its test, as far as known: see resume
	around []ir.Stmt       // loops around the statement in hand
	record bool
}

// liveness computes the scalars live after each statement: those whose value
// some path uses before it assigns them anew.
func (in *Info) liveness(body []ir.Stmt) {
	for _, s := range in.prog.Symbols {
		if !s.IsArray() {
			in.number[s] = len(in.number)
		}
	}
	w := &liveWalk{in: in, exits: map[ir.Stmt]set{}, cycles: map[ir.Stmt]set{}, tests: map[ir.Stmt]set{}, record: true}
	w.block(body, in.emptySet())
}

func (in *Info) emptySet() set { return make(set, len(in.number)/64+1) }

// LiveAfter reports whether the value of scalar sym may be used after s, before
// it is assigned anew: on the path behind s, or behind an EXIT or CYCLE out of
// loop s, in a later iteration of a loop around included. It is true when in
// doubt, and for arrays.
func (in *Info) LiveAfter(s ir.Stmt, sym *ir.Symbol) bool {
	n, ok := in.number[sym]
	live, left := in.after[s], in.left[s]
	return !ok || live == nil || live.has(n) || left != nil && left.has(n)
}

// block returns what is live before body when out is live behind it.
func (w *liveWalk) block(body []ir.Stmt, out set) set {
	live := slices.Clone(out)
	for i := len(body) - 1; i >= 0; i-- {
		if w.record {
			w.in.after[body[i]] = slices.Clone(live)
		}
		live = w.stmt(body[i], live)
	}
	return live
}

// stmt returns what is live before s; it may change live.
func (w *liveWalk) stmt(s ir.Stmt, live set) set {
	switch s := s.(type) {
	case *ir.Assign:
		if v, ok := s.LHS.(*ir.Var); ok {
			w.in.define(v.Sym, live)
		} else {
			w.in.use(s.LHS, live) // subscripts; of a substring also the rest
		}
		w.in.use(s.RHS, live)
	case *ir.If:
		other := w.block(s.Else, live)
		live = w.block(s.Then, live)
		live.union(other)
		w.in.use(s.Cond, live)
	case *ir.Do:
		return w.do(s, live)
	case *ir.While:
		return w.while(s, live)
	case *ir.Critical:
		return w.block(s.Body, live)
	case *ir.Exit:
		return w.jump(w.exits, s.Loop)
	case *ir.Cycle:
		return w.jump(w.cycles, s.Loop)
	case *ir.Read:
		if s.Iostat != nil {
			w.in.define(s.Iostat, live)
		}
		// A null value leaves its item as it was, so that no item is surely
		// assigned. Whether one was, is.
		for _, got := range s.Got {
			if got != nil {
				w.in.define(got, live)
			}
		}
		for _, e := range ir.Exprs(s) {
			w.in.use(e, live)
		}
	case *ir.Stop:
		live = w.in.emptySet()
		if s.Code != nil {
			w.in.use(s.Code, live)
		}
	default:
		for _, e := range ir.Exprs(s) {
			w.in.use(e, live)
		}
	}
	return live
}

// jump is what is live at the target of an EXIT or CYCLE that concerns loop. The
// loops that it leaves on the way take note. A loop around the part of the
// program that this pass looks at has no target: nothing is asked about it.
func (w *liveWalk) jump(targets map[ir.Stmt]set, loop ir.Stmt) set {
	live := w.in.emptySet()
	live.union(targets[loop])
	for k := len(w.around) - 1; w.record && k >= 0 && w.around[k] != loop; k-- {
		left := w.in.left[w.around[k]]
		if left == nil {
			left = w.in.emptySet()
			w.in.left[w.around[k]] = left
		}
		left.union(live)
	}
	return live
}

// body is block for the body of a loop.
func (w *liveWalk) body(loop ir.Stmt, body []ir.Stmt, out set) set {
	w.around = append(w.around, loop)
	live := w.block(body, out)
	w.around = w.around[:len(w.around)-1]
	return live
}

// do iterates to the fixpoint of: live at the loop test = live behind the loop,
// or live before the body but for the index, which every iteration sets.
func (w *liveWalk) do(s *ir.Do, out set) set {
	index := w.in.number[s.Index]
	test := w.resume(s, out)
	w.exits[s], w.cycles[s] = slices.Clone(out), test
	var before set
	for {
		before = w.body(s, s.Body, test)
		before.remove(index)
		if !test.union(before) {
			break
		}
	}
	live := slices.Clone(test)
	if w.in.bounds[s].Runs() {
		live = before // behind the loop is reached through the body only
	}
	live.remove(index)
	for _, e := range []ir.Expr{s.Lo, s.Hi, s.Step} {
		w.in.use(e, live)
	}
	return live
}

// resume is the set that the fixpoint for a loop starts from: what is live behind
// it, and what an earlier visit found at its test. What is live behind a loop only
// grows from one visit to the next, so the earlier fixpoint lies below the new
// one; starting from it keeps nests from taking time exponential in their depth. What
// is made of it for the statements in front of the loop is a copy.
func (w *liveWalk) resume(loop ir.Stmt, out set) set {
	test := slices.Clone(out)
	test.union(w.tests[loop])
	w.tests[loop] = test
	return test
}

func (w *liveWalk) while(s *ir.While, out set) set {
	forever := isTrue(s.Cond)
	test := slices.Clone(out)
	if forever {
		test = w.in.emptySet() // left by EXIT only
	}
	w.in.use(s.Cond, test)
	test.union(w.resume(s, w.in.emptySet()))
	w.tests[s] = test
	w.exits[s], w.cycles[s] = slices.Clone(out), test
	for test.union(w.body(s, s.Body, test)) {
	}
	return slices.Clone(test)
}

func isTrue(e ir.Expr) bool {
	c, ok := e.(*ir.Const)
	return ok && c.Typ == ir.Logical && c.Bool
}

func (in *Info) define(sym *ir.Symbol, live set) {
	if n, ok := in.number[sym]; ok {
		live.remove(n)
	}
}

// use adds the scalars that the evaluation of e reads.
func (in *Info) use(e ir.Expr, live set) {
	switch e := e.(type) {
	case *ir.Var:
		if n, ok := in.number[e.Sym]; ok {
			live.add(n)
		}
	case *ir.ImpliedDo:
		inner := in.emptySet()
		for _, item := range e.Items {
			in.use(item, inner)
		}
		in.define(e.Index, inner)
		live.union(inner)
		in.use(e.Lo, live)
		in.use(e.Hi, live)
		in.use(e.Step, live)
		return
	}
	for _, c := range ir.Children(e) {
		in.use(c, live)
	}
}
