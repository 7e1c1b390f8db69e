package transform

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// The most iterations that Wrap takes off each end of a loop, and the statements of what it makes.
const (
	maxEnd  = 2
	maxWrap = 400
)

// Wrap takes the iterations off a loop, and off the loops inside, in which a neighbour lies
// around the end of an array: all other iterations use elements at affine subscripts. In
//
//	do j = 1, n                                  j = 1
//	   jm = modulo(j - 2, n) + 1                 ... v(1,1), v(2:n-1,1), v(n,1)
//	   do i = 1, n                               do j = 2, n
//	      v(i,j) = u(ip(i),j) - u(i,jm)             jm = j - 1
//	   end do                                       do i = 1, n - 1
//	end do                                             v(i,j) = u(i+1,j) - u(i,jm)
//	                                                end do
//	                                                i = n
//	                                                v(i,j) = u(1,j) - u(i,jm)
//	                                             end do
//
// ip is an array that holds i+1, and 1 for i = n. What decides that an iteration is taken off are subscripts, and what
// scalars in subscripts are computed from: MOD, MODULO, MIN, MAX, MERGE, IAND, such arrays, and IF. All iterations keep
// their order.
func (a *Analysis) Wrap(loop *ir.Do) (*Change, error) {
	used := a.subscriptsOf(loop)
	if len(used) == 0 {
		return nil, refuse("no subscript in it depends on which iteration it is")
	}
	for _, inner := range []bool{true, false} {
		f := &folder{Copier: ir.NewCopier(), a: a, wrap: &wrapping{used: used, inner: inner}}
		list := f.loop(loop, a.at(loop), constants{})
		switch {
		case len(f.wrap.ends) == 0 && len(f.folded) == 0:
			return nil, refuse("no iteration at its ends decides a subscript")
		case Size(list) > maxWrap:
			continue
		}
		what := "the subscripts of all its iterations are affine"
		if len(f.wrap.ends) > 0 {
			what = "without " + f.wrap.text() + " subscripts are affine"
		}
		return &Change{Kind: Wrap, Old: loop, New: list, What: what}, nil
	}
	return nil, refuse("its parts would have more than %d statements", maxWrap)
}

// Wraps reports whether an iteration of loop itself decides a subscript, or all do.
func (a *Analysis) Wraps(loop *ir.Do) bool {
	used := a.subscriptsOf(loop)
	if len(used) == 0 {
		return false
	}
	f := &folder{Copier: ir.NewCopier(), a: a, wrap: &wrapping{used: used, inner: true}}
	first, last, decided := f.ends(loop, a.at(loop), constants{})
	return first+last > 0 || decided > 0
}

// wrapping is what a folder needs that takes iterations off loops.
type wrapping struct {
	used  map[ir.Expr]bool // that decide subscripts
	inner bool             // innermost loops too
	ends  []string         // what was taken off
}

func (w *wrapping) text() string {
	seen := map[string]bool{}
	text := ""
	for _, e := range w.ends {
		if seen[e] {
			continue
		}
		seen[e] = true
		if text != "" {
			text += ", and without "
		}
		text += e
	}
	return text
}

// loop is a loop in pieces: those iterations alone that decide subscripts, and the others.
func (f *folder) loop(s *ir.Do, known facts, env constants) []ir.Stmt {
	env.forget(f.a.info.Modified(s))
	first, last, _ := f.ends(s, known, env)
	whole := func(known facts) *ir.Do {
		return f.Do(s, func(b []ir.Stmt) []ir.Stmt { return f.body(b, known, maps.Clone(env)) })
	}
	if first+last == 0 {
		return []ir.Stmt{whole(f.a.inLoop(known, s))}
	}
	f.wrap.ends = append(f.wrap.ends, fmt.Sprintf("the %s of the loop over %s in line %d", endsText(first, last), s.Index.Name, s.Pos.Line))
	var out []ir.Stmt
	one := func(bound ir.Expr, k int) {
		out = append(out, set(s, s.Pos.Line, minus(bound, int64(k))))
		out = append(out, f.body(s.Body, f.only(s, known, bound == s.Lo, k), maps.Clone(env))...)
	}
	for k := range first {
		one(s.Lo, -k)
	}
	main := whole(f.middle(s, known, first, last))
	main.Lo, main.Hi = minus(s.Lo, -int64(first)), minus(s.Hi, int64(last))
	out = append(out, main)
	for k := range last {
		one(s.Hi, last-1-k)
	}
	if f.a.info.LiveAfter(s, s.Index) {
		if last == 0 {
			return out // the main loop leaves it so
		}
		out = append(out, set(s, s.End.Line, minus(s.Hi, -1)))
	}
	return out
}

func endsText(first, last int) string {
	count := func(n int, which string) string {
		if n == 1 {
			return which + " iteration"
		}
		return fmt.Sprintf("%s %d iterations", which, n)
	}
	switch {
	case last == 0:
		return count(first, "first")
	case first == 0:
		return count(last, "last")
	case first == 1 && last == 1:
		return "first and last iteration"
	}
	return count(first, "first") + " and " + count(last, "last")
}

// ends is how many of the first and of the last iterations of s have to be taken off so that
// the others decide most: that many more than all iterations decide. It is 0, 0 where s has to stay as it is.
func (f *folder) ends(s *ir.Do, known facts, env constants) (first, last, decided int) {
	b := f.a.info.Bounds(s)
	if b.Step != 1 || !b.LoOK || !b.HiOK || cheapBounds(s) != nil || !f.wrap.inner && innermost(s) {
		return 0, 0, 0
	}
	if s.Independent != nil && slices.ContainsFunc(s.Independent.New, (*ir.Symbol).IsArray) || jumpTo(s, s.Body, true, true) != nil {
		return 0, 0, 0
	}
	found := false
	ir.WalkExprs(s.Body, func(_ ir.Stmt, e ir.Expr) bool {
		found = found || f.wrap.used[e]
		return !found
	})
	if !found {
		return 0, 0, 0
	}
	count := func(k facts) int {
		x := &folder{Copier: ir.NewCopier(), a: f.a}
		x.body(s.Body, k, maps.Clone(env))
		seen := map[ir.Expr]bool{}
		for _, e := range x.folded {
			if f.wrap.used[e] {
				seen[e] = true
			}
		}
		return len(seen)
	}
	decided = count(f.a.inLoop(known, s))
	most := decided
	for sum := 1; sum <= 2*maxEnd; sum++ {
		for lo := max(0, sum-maxEnd); lo <= min(sum, maxEnd); lo++ {
			hi := sum - lo
			short, ok := b.Lo.Sub(b.Hi) // at least 1 - sum where fewer than sum iterations are left
			if ok {
				short, ok = short.Add(linalg.Const(int64(sum)))
			}
			if !ok || !known.never(short) {
				continue
			}
			if n := count(f.middle(s, known, lo, hi)); n > most {
				first, last, most = lo, hi, n
			}
		}
	}
	return first, last, decided
}

func innermost(s *ir.Do) bool {
	inner := false
	ir.Walk(s.Body, func(x ir.Stmt) bool {
		_, is := x.(*ir.Do)
		inner = inner || is
		return !inner
	})
	return !inner
}

// middle is what holds in all iterations of s but the first and last ones, whose step is 1.
func (f *folder) middle(s *ir.Do, known facts, first, last int) facts {
	b := f.a.info.Bounds(s)
	i := linalg.Var(s.Index.Name)
	k := f.a.inLoop(known, s)
	if d, ok := i.Sub(b.Lo); ok {
		if d, ok = d.Sub(linalg.Const(int64(first))); ok {
			k = k.with(d)
		}
	}
	if d, ok := b.Hi.Sub(i); ok {
		if d, ok = d.Sub(linalg.Const(int64(last))); ok {
			k = k.with(d)
		}
	}
	return k
}

// only is what holds in the iteration lo - k of s, or hi - k.
func (f *folder) only(s *ir.Do, known facts, lo bool, k int) facts {
	b := f.a.info.Bounds(s)
	from := b.Hi
	if lo {
		from = b.Lo
	}
	d, ok := linalg.Var(s.Index.Name).Sub(from)
	if ok {
		d, ok = d.Add(linalg.Const(int64(k)))
	}
	if !ok {
		return known
	}
	return known.equal(d)
}

// subscriptsOf are the expressions in loop that facts about its iterations may decide, and
// that subscripts are computed from.
func (a *Analysis) subscriptsOf(loop *ir.Do) map[ir.Expr]bool {
	used := map[ir.Expr]bool{}
	scalars := map[*ir.Symbol]bool{}
	inSubscript := func(e ir.Expr) {
		ir.WalkExpr(e, func(e ir.Expr) bool {
			if v, ok := e.(*ir.Var); ok && v.Typ.IsInteger() {
				scalars[v.Sym] = true
			}
			if a.mayDecide(e) {
				used[e] = true
			}
			return true
		})
	}
	ir.WalkExprs(loop.Body, func(_ ir.Stmt, e ir.Expr) bool {
		if r, ok := e.(*ir.Ref); ok {
			for _, sub := range r.Subs {
				inSubscript(sub)
			}
		}
		return true
	})
	for before := -1; before != len(scalars)+len(used); { // what they are computed from
		before = len(scalars) + len(used)
		ir.Walk(loop.Body, func(s ir.Stmt) bool {
			switch s := s.(type) {
			case *ir.Assign:
				if v, ok := s.LHS.(*ir.Var); ok && scalars[v.Sym] {
					inSubscript(s.RHS)
				}
			case *ir.If:
				if assignsOnly(s, scalars) {
					ir.WalkExpr(s.Cond, func(e ir.Expr) bool {
						if b, ok := e.(*ir.Bin); ok && a.cases(b, true) != nil {
							used[s.Cond] = true
						}
						return true
					})
				}
			}
			return true
		})
	}
	return used
}

// assignsOnly reports whether the branches of s do nothing but give values to scalars.
func assignsOnly(s *ir.If, scalars map[*ir.Symbol]bool) bool {
	only := true
	for _, b := range ir.Bodies(s) {
		ir.Walk(b, func(x ir.Stmt) bool {
			switch x := x.(type) {
			case *ir.Assign:
				v, ok := x.LHS.(*ir.Var)
				only = only && ok && scalars[v.Sym]
			case *ir.If:
			default:
				only = false
			}
			return only
		})
	}
	return only
}
