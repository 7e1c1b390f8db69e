package scalar

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
)

// An array is private to the iterations of a loop if no value in it gets from one
// iteration to another, or behind the loop. It surely is one if, wherever the program
// uses an element, a nest before it in the same block has assigned all elements:
//
//	do j = 1, n
//	   do k = 1, m          the writer: all of w(m)
//	      w(k) = a(k,j)
//	   end do
//	   do i = 1, n
//	      b(i,j) = w(ip(i))    the use
//	   end do
//	end do
//
// The writer and the use are executed in the same iteration of all loops around that
// block. What any other loop leaves in the array has no use, unless it runs between a
// writer and its use.
//
// An array of a procedure, without SAVE, is one to the loops around the call: it is undefined
// when the call begins, so that nothing uses what another call has left in it.

// covered is a use of an array: the statements of a block from the writer to that with
// the use, and what surrounds the block, is all there is to know.
type covered struct{ between []ir.Stmt }

// arrayUses are the uses of the arrays all of whose uses are covered.
type arrayUses struct {
	around map[ir.Stmt]ir.Stmt
	uses   map[*ir.Symbol][]covered
	calls  map[*ir.Symbol][]*ir.Do // of arrays of procedures: the loops around the call
	is     map[arrayKey]bool
}

type arrayKey struct {
	loop *ir.Do
	sym  *ir.Symbol
}

// PrivateArray reports whether array sym, which every PE has, is proved to be private to
// the iterations of loop.
func (in *Info) PrivateArray(loop *ir.Do, sym *ir.Symbol) bool {
	u := in.arrays
	if slices.Contains(u.calls[sym], loop) {
		return true
	}
	uses, ok := u.uses[sym]
	if !ok {
		return false
	}
	key := arrayKey{loop, sym}
	is, known := u.is[key]
	if !known {
		is = !slices.ContainsFunc(uses, func(c covered) bool { return u.within(loop, c.between) })
		u.is[key] = is
	}
	return is
}

// within reports whether s is one of list, or inside of one.
func (u *arrayUses) within(s ir.Stmt, list []ir.Stmt) bool {
	for ; s != nil; s = u.around[s] {
		if slices.Contains(list, s) {
			return true
		}
	}
	return false
}

// place is where a statement stands: in which list, at which position.
type place struct{ list, at int }

// coverArrays looks for the writers of all uses. It does so while the program is that
// which Analyze sees: a pass may put a scalar in the place of a subscript later.
func (in *Info) coverArrays() *arrayUses {
	u := &arrayUses{around: map[ir.Stmt]ir.Stmt{}, uses: map[*ir.Symbol][]covered{}, calls: map[*ir.Symbol][]*ir.Do{}, is: map[arrayKey]bool{}}
	at := map[ir.Stmt]place{}
	writers := map[*ir.Symbol]map[int][]int{} // positions by list
	var lists [][]ir.Stmt
	var visit func(body []ir.Stmt, around ir.Stmt)
	visit = func(body []ir.Stmt, around ir.Stmt) {
		list := len(lists)
		lists = append(lists, body)
		for i, s := range body {
			u.around[s], at[s] = around, place{list, i}
			for _, sym := range in.writes(s) {
				if writers[sym] == nil {
					writers[sym] = map[int][]int{}
				}
				writers[sym][list] = append(writers[sym][list], i)
			}
			for _, b := range ir.Bodies(s) {
				visit(b, s)
			}
		}
	}
	visit(in.prog.Body, nil)
	if in.prog.SPMD {
		return u
	}
	open := map[*ir.Symbol]bool{} // with a use that is not covered
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
		if writers[r.Sym] == nil || open[r.Sym] {
			return true
		}
		if a, ok := s.(*ir.Assign); ok && a.LHS == e {
			return true
		}
		for x := s; x != nil; x = u.around[x] {
			p := at[x]
			before := writers[r.Sym][p.list]
			if n, _ := slices.BinarySearch(before, p.at); n > 0 {
				u.uses[r.Sym] = append(u.uses[r.Sym], covered{lists[p.list][before[n-1] : p.at+1]})
				return true
			}
		}
		open[r.Sym] = true
		return true
	})
	for sym := range open {
		delete(u.uses, sym)
	}
	return u
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

// writes lists the arrays all of whose elements s surely assigns: s is a nest of loops
// with constant bounds, and the innermost assigns one element for each of its
// iterations.
func (in *Info) writes(s ir.Stmt) (out []*ir.Symbol) {
	span := map[string][2]int64{} // of the indices
	body := []ir.Stmt{s}
	for {
		if len(body) != 1 {
			break
		}
		d, ok := body[0].(*ir.Do)
		if !ok {
			break
		}
		b := in.bounds[d]
		if !b.Runs() || !b.Lo.IsConst() || !b.Hi.IsConst() || b.Step != 1 && b.Step != -1 {
			return nil
		}
		span[d.Index.Name] = [2]int64{min(b.Lo.C, b.Hi.C), max(b.Lo.C, b.Hi.C)}
		body = d.Body
	}
	if len(span) == 0 {
		return nil
	}
	for _, x := range body {
		a, ok := x.(*ir.Assign)
		if !ok {
			continue
		}
		if r, ok := a.LHS.(*ir.Ref); ok && in.all(r, span) && !slices.Contains(out, r.Sym) {
			out = append(out, r.Sym)
		}
	}
	if out != nil && ir.Jumps(s) {
		return nil
	}
	return out
}

// all reports whether r, over all indices in span, is every element of its array.
func (in *Info) all(r *ir.Ref, span map[string][2]int64) bool {
	used := map[string]bool{}
	for d, sub := range r.Subs {
		f, ok := in.affine[sub]
		if !ok {
			return false
		}
		vars := f.Vars()
		if len(vars) != 1 || used[vars[0]] {
			return false
		}
		i, k := vars[0], f.Coef(vars[0])
		s, ok := span[i]
		if !ok || k != 1 && k != -1 {
			return false
		}
		used[i] = true
		lo, hi := min(k*s[0], k*s[1])+f.C, max(k*s[0], k*s[1])+f.C
		if lo > int64(r.Sym.Dims[d].Lo) || hi < int64(r.Sym.Dims[d].Hi) {
			return false
		}
	}
	return true
}
