package comm

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/depend"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// arm is a part of a statement that not each execution of it reaches: a branch of an IF,
// the body of a WHILE behind its condition, or what follows a statement that EXIT or CYCLE
// may leave. In
//
//	do i = 0, n
//	   if (i == 0) then
//	      s = s + c            arm 0 of the IF
//	      cycle
//	   end if
//	   b(i) = i                behind the IF
//	end do
//
// the second is not executed whenever the first is, nor the other way round.
type arm struct {
	of   ir.Stmt
	part int // index of the body, or behind
}

const behind = -1

// eachArm calls visit for the statements of s's bodies, with the arms that each is in; s is
// in those of outer.
func eachArm(s ir.Stmt, outer []arm, visit func(b ir.Stmt, arms []arm)) {
	for k, body := range ir.Bodies(s) {
		arms := outer
		switch s.(type) {
		case *ir.If, *ir.While:
			arms = inside(arms, arm{s, k})
		}
		for _, b := range body {
			visit(b, arms)
			if escapes(b) {
				arms = inside(arms, arm{b, behind})
			}
		}
	}
}

func inside(outer []arm, a arm) []arm { return append(slices.Clone(outer), a) }

// escapes reports whether EXIT or CYCLE of a loop around s may leave s.
func escapes(s ir.Stmt) bool {
	found := false
	loops := map[ir.Stmt]bool{}
	ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Do, *ir.While:
			loops[s] = true
		case *ir.Exit:
			found = found || !loops[s.Loop]
		case *ir.Cycle:
			found = found || !loops[s.Loop]
		}
		return !found
	})
	return found
}

// site is a place in a region, with the loops and the arms that it is in.
type site struct {
	loops []ir.Stmt
	arms  []arm
}

func (o occurrence) site() site { return site{o.loops, o.arms} }

func (t *attempt) site(s ir.Stmt) site { return site{t.loopsOf[s], t.armsOf[s]} }

// always reports whether o is evaluated in each iteration that executes at.
func (o occurrence) always(at site) bool {
	return !o.short && len(o.implied) == 0 && prefix(o.loops, at.loops) && prefix(o.arms, at.arms)
}

func prefix[T comparable](x, y []T) bool {
	return len(x) <= len(y) && slices.Equal(x, y[:len(x)])
}

// element is one that exists in every iteration that evaluates a reference to it.
type element struct {
	key   string
	owner Constraint
	occ   occurrence
}

// executed reports whether each iteration that evaluates o has PEs that satisfy exec. The
// owner of a(i) is one only where a has an element i: in
//
//	do i = 0, n
//	  if (b(i+1) > 0) a(i) = 1
//	end do
//
// nobody evaluates b(1) if a begins at 1.
func (t *attempt) executed(o occurrence, exec []Constraint) bool { return t.owned(exec, o.site()) }

// owned reports whether some PE satisfies cons in each iteration that executes at.
func (t *attempt) owned(cons []Constraint, at site) bool {
	return !slices.ContainsFunc(cons, func(k Constraint) bool { return k.Axis >= 0 && !t.exists(k, at) })
}

// exists reports whether k's array is seen to have the element in each iteration that
// executes at: the bounds of the loops say so, or some reference that is evaluated there
// has one at the same position.
func (t *attempt) exists(k Constraint, at site) bool {
	if t.there == nil {
		t.there = []element{}
		for _, o := range t.occs {
			if o.short || len(o.implied) > 0 || !o.ref.Sym.Distributed() {
				continue
			}
			cons, _ := t.a.owners(o.ref, t.stableWith(o))
			for _, c := range cons {
				if c.Axis >= 0 {
					t.there = append(t.there, element{c.key(), c, o})
				}
			}
		}
	}
	key := k.key()
	return slices.ContainsFunc(t.there, func(e element) bool {
		return e.key == key && k.covers(e.owner) && e.occ.always(at)
	}) || t.within(k, at.loops)
}

// within reports whether the bounds of loops keep k's subscript in those of its array.
func (t *attempt) within(k Constraint, loops []ir.Stmt) bool {
	own := map[string]bool{}
	usable := func(f linalg.Affine, ok bool) bool {
		return ok && !slices.ContainsFunc(f.Vars(), func(v string) bool { return !own[v] && t.variant[t.a.symbols[v]] })
	}
	var values []linalg.Affine // of the indices: each form is at least zero
	atLeast := func(x, y linalg.Affine) {
		if f, ok := x.Sub(y); ok {
			values = append(values, f)
		}
	}
	for _, l := range append(slices.Clone(t.a.loops), loops...) {
		d, ok := l.(*ir.Do)
		if !ok {
			continue
		}
		b, index := t.a.info.Bounds(d), linalg.Var(d.Index.Name)
		lo, hi := b.Lo, b.Hi
		loOK, hiOK := usable(lo, b.LoOK), usable(hi, b.HiOK)
		if b.Step < 0 {
			lo, hi, loOK, hiOK = hi, lo, hiOK, loOK
		}
		if b.Step != 0 && loOK {
			atLeast(index, lo)
		}
		if b.Step != 0 && hiOK {
			atLeast(hi, index)
		}
		own[d.Index.Name] = true
	}
	ax := k.Array.Mapping.Map.Axes[k.Axis]
	never := func(x, y linalg.Affine) bool { // x is never less than y
		f, ok := y.Sub(x)
		if ok {
			f, ok = f.Sub(linalg.Const(1))
		}
		return ok && depend.Infeasible(nil, append(slices.Clone(values), f))
	}
	lo, hi := End(t.a.out.IR, ax.Lo), End(t.a.out.IR, ax.Hi)
	return usable(lo, true) && usable(hi, true) && never(k.Sub, lo) && never(hi, k.Sub)
}
