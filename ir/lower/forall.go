package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// ownIndices gives the indices of a FORALL or DO CONCURRENT variables of their own, which
// its statements mean by their names, until end is called. The variables outside keep
// their values.
func (l *lowerer) ownIndices(list []ast.ForallIndex) (own []*ir.Symbol, end func()) {
	names := l.names
	outer := map[string]*ir.Symbol{}
	for _, x := range list {
		var s *ir.Symbol
		if of := l.symbol(x.Var.Name, x.Var.Pos); of.Type.IsInteger() && !of.IsArray() && !of.Param {
			s = l.local(x.Var.Name, of.Type, x.Var.Pos)
			s.Local = x.Var.Name
		} else if of.Type != ir.Invalid {
			l.errorf(codeLoop, x.Var.Pos, "index %s is no INTEGER variable", of.Source()).WithNote(of.Pos, "%s was declared here", of.Source())
		}
		own = append(own, s)
	}
	for i, x := range list {
		if own[i] != nil {
			outer[x.Var.Name] = names[x.Var.Name]
			names[x.Var.Name] = own[i]
		}
	}
	return own, func() {
		for i, x := range list {
			if own[i] == nil {
				continue
			}
			if s := outer[x.Var.Name]; s != nil {
				names[x.Var.Name] = s
			} else {
				delete(names, x.Var.Name)
			}
		}
	}
}

// localInit gives the variables in LOCAL_INIT others of their own in the iterations of s, until end is
// called; the body that it returns begins with their values outside.
func (l *lowerer) localInit(s *ast.Forall) (body []ast.Stmt, end func()) {
	var undo []func()
	names := l.names
	for _, x := range s.LocalInit {
		of := l.symbol(x.Name, x.Pos)
		if of.Type == ir.Invalid {
			continue
		}
		if of.IsArray() || of.Param {
			l.errorf(codeOutside, x.Pos, "%s in LOCAL_INIT is no scalar variable", x.Name).WithHelp("write LOCAL, and assign the array in the loop")
			continue
		}
		own := l.local(x.Name, of.Type, x.Pos)
		own.Local, own.Len = x.Name, of.Len
		l.temps++
		outside := tempName(x.Name, l.temps)
		before, had := names[x.Name]
		names[x.Name], names[outside] = own, of
		undo = append(undo, func() {
			delete(names, outside)
			if delete(names, x.Name); had {
				names[x.Name] = before
			}
		})
		at := ast.XBase{Pos: x.Pos, End: x.Pos}
		body = append(body, &ast.Assign{Base: ast.Base{Pos: x.Pos}, LHS: &ast.Ident{XBase: at, Name: x.Name}, RHS: &ast.Ident{XBase: at, Name: outside}})
	}
	return append(body, s.Body...), func() {
		for _, f := range undo {
			f()
		}
	}
}

// concurrent lowers DO CONCURRENT: a nest of DO loops that are independent.
func (l *lowerer) concurrent(s *ast.Forall) []ir.Stmt {
	_, restore := l.ownIndices(s.Indices)
	defer restore()
	ind := &ast.Independent{Base: ast.Base{Pos: s.Pos}, New: s.Local}
	for _, r := range s.Reduce {
		ind.Reduction = append(ind.Reduction, r.Name)
	}
	body, end := l.localInit(s)
	defer end()
	if s.Mask != nil {
		body = []ast.Stmt{&ast.If{Base: s.Base, Arms: []ast.IfArm{{Pos: s.Pos, Cond: s.Mask, Body: body}}, EndPos: s.EndPos}}
	}
	var nest *ast.Do
	for i, x := range s.Indices { // the first index is innermost, as the first subscript is most often
		d := &ast.Do{Base: s.Base, Var: x.Var, Lo: x.Lo, Hi: x.Hi, Step: x.Step, Body: body, EndPos: s.EndPos}
		if i == 0 {
			d.Name = s.Name
		}
		nest, body = d, []ast.Stmt{d}
		l.concurrents[d] = true
		ind.Loops = append(ind.Loops, x.Var)
	}
	l.pending = nil
	if !l.prog.SPMD {
		l.pending = ind
	}
	return l.do(nest)
}

// forallNest is what the loops around an assignment of FORALL are made of.
type forallNest struct {
	index        []*ir.Symbol
	lo, hi, step []ir.Expr
	independent  []*ast.Independent // for each index the directive of its FORALL, or nil
	inside       []ir.Stmt          // executed in front of the mask: functions that it refers to
	mask         ir.Expr            // or nil
	guarded      bool               // a FORALL around has a mask, a part of mask
}

// forall lowers FORALL: loops around each of its assignments. Where an assignment
// changes what it reads for other indices, the values go to an array of their own
// first; so does the mask where it has to outlive what it reads. So the iterations of the loops
// are independent in any case, which a directive in front of s only repeats for later passes.
func (l *lowerer) forall(s *ast.Forall, around forallNest) []ir.Stmt {
	ind := l.independentForall(s)
	nest := around
	nest.guarded = around.mask != nil
	var out []ir.Stmt
	ok := true
	changed := l.assignedIn(s.Body)
	bounds := func(e ast.Expr, what string) ir.Expr {
		x := l.integer(e, what)
		if ok = ok && !isBad(x); ok && len(around.index) == 0 && reads([]ir.Expr{x}, changed...) {
			x = l.fixed(x, "bound", x.Position(), &out)
		}
		return x
	}
	header := slices.Clone(s.Indices) // outermost first, and the first subscript is most often that of the innermost loop
	slices.Reverse(header)
	for _, x := range header {
		nest.lo = append(slices.Clip(nest.lo), bounds(x.Lo, "the first value of an index"))
		nest.hi = append(slices.Clip(nest.hi), bounds(x.Hi, "the last value of an index"))
		nest.step = append(slices.Clip(nest.step), l.step(x.Step, x.Var.Pos))
		nest.independent = append(slices.Clip(nest.independent), ind)
	}
	own, end := l.ownIndices(header)
	defer end()
	nest.index = append(slices.Clip(nest.index), own...)
	if !ok || slices.Contains(own, nil) || isBad(nest.step...) {
		return nil
	}
	if reads(slices.Concat(nest.lo, nest.hi, nest.step), changed...) {
		l.errorf(codeOutside, s.Pos, "FORALL changes what the bounds of the FORALL inside read").WithHelp("put their values into an array in front of it")
		return nil
	}
	for i, x := range own {
		l.active[x] = header[i].Var.Pos
		defer delete(l.active, x)
		k := len(around.index) + i
		defer l.indices.Add(x, nest.lo[k], nest.hi[k], nest.step[k], true)()
	}
	if s.Mask != nil {
		before := l.functions(func() {
			m := l.logical(s.Mask, "the mask of FORALL")
			if ok = !isBad(m); ok && nest.mask != nil {
				m = &ir.Bin{X: ir.X{Pos: m.Position(), Typ: ir.Logical}, Op: ir.And, L: ir.Clone(nest.mask), R: m}
			}
			nest.mask = m
		})
		if !ok {
			return nil
		}
		nest.inside = append(slices.Clip(nest.inside), before...)
	}
	if nest.mask != nil && (len(nest.inside) > 0 || !l.single(s.Body) && reads([]ir.Expr{nest.mask}, changed...)) {
		saved, ok := l.savedMask(nest, nil, nest.mask)
		if !ok {
			return nil
		}
		out = append(out, saved.fill...)
		nest.mask, nest.inside = saved.at(nil), nil
	}
	for _, inner := range s.Body {
		switch inner := inner.(type) {
		case *ast.Assign:
			out = append(out, l.forallAssign(nest, nil, inner)...)
		case *ast.Independent:
			l.pending = inner
		case *ast.Forall:
			if inner.Concurrent {
				l.errorf(codeOutside, inner.Pos, "DO CONCURRENT cannot stand in a FORALL construct").WithHelp("write FORALL")
				return nil
			}
			out = append(out, l.forall(inner, nest)...)
		case *ast.If:
			if !inner.Where {
				l.notInForall(inner.Pos)
				return nil
			}
			out = append(out, l.forallWhere(nest, inner, nil)...)
		default:
			l.notInForall(inner.Position())
			return nil
		}
	}
	return out
}

// independentForall is the INDEPENDENT in front of s, or nil. Its list names indices of s, and what
// belongs to loops that are executed one after the other has no meaning there.
func (l *lowerer) independentForall(s *ast.Forall) *ast.Independent {
	ind := l.pending
	l.pending = nil
	if ind == nil || l.prog.SPMD {
		return nil
	}
	index := func(n ast.Name) bool {
		return slices.ContainsFunc(s.Indices, func(x ast.ForallIndex) bool { return x.Var.Name == n.Name })
	}
	for _, n := range ind.Loops {
		if !index(n) {
			l.diags.Warnf(source.BadDirective, n.Pos, "the FORALL behind INDEPENDENT has no index %s", n.Name).
				WithHelp("in parentheses behind INDEPENDENT stand variables of the loops that follow")
		}
	}
	for _, n := range slices.Concat(ind.New, ind.Reduction) {
		if !index(n) {
			l.diags.Warnf(source.BadDirective, n.Pos, "%s stands in NEW or REDUCTION of an INDEPENDENT in front of FORALL, which assigns to elements alone", n.Name).
				WithHelp("remove it from the directive, or write a DO loop")
		}
	}
	return ind
}

func (l *lowerer) notInForall(pos source.Pos) {
	l.errorf(codeOutside, pos, "only assignments, WHERE and FORALL can stand in a FORALL construct").WithHelp("write DO loops")
}

// single reports whether body is one assignment.
func (l *lowerer) single(body []ast.Stmt) bool {
	_, ok := body[0].(*ast.Assign)
	return ok && len(body) == 1
}

// assignedIn are the arrays that the statements of FORALL and WHERE constructs assign to.
func (l *lowerer) assignedIn(body []ast.Stmt) []*ir.Symbol {
	var list []*ir.Symbol
	for _, s := range body {
		switch s := s.(type) {
		case *ast.Assign:
			if sym := l.lookup(designated(&ast.CoIndex{Base: s.LHS})); isArray(sym) {
				v, _ := l.wholeView(sym, s.Pos)
				list = append(list, v.base)
			}
		case *ast.Forall:
			list = append(list, l.assignedIn(s.Body)...)
		case *ast.If:
			for _, arm := range s.Arms {
				list = append(list, l.assignedIn(arm.Body)...)
			}
			list = append(list, l.assignedIn(s.Else)...)
		}
	}
	return list
}

// savedMask is a LOGICAL array with an element for each value of the indices of a FORALL.
type savedMask struct {
	fill  []ir.Stmt
	at    func(ctx *elemental) ir.Expr // its element, for the indices of ctx
	array *ir.Symbol
}

// savedMask saves the values of mask x for the indices of nest, and of ctx if that is not nil;
// ok is false after an error.
func (l *lowerer) savedMask(nest forallNest, ctx *elemental, x ir.Expr) (out savedMask, ok bool) {
	pos := x.Position()
	m := l.local("mask", ir.Logical, pos)
	for k, index := range nest.index {
		b, ok := rangeOf(index, nest.lo[k], nest.hi[k], nest.step[k], x)
		if !ok {
			l.errorf(codeOutside, pos, "the mask of this FORALL reads what it assigns, and the bounds of %s are not constant", index.Source()).
				WithHelp("put the mask into an array in front of it")
			return out, false
		}
		m.Dims = append(m.Dims, b)
	}
	if ctx != nil {
		for k, n := range ctx.n {
			c, ok := constOf(n)
			if !ok && ctx.limit != nil && ctx.limit[k] > 0 {
				c, ok = ctx.limit[k], true
			}
			b := ir.Bound{Lo: 1, Hi: max(c, 1)}
			if !ok && !l.phantom {
				if varies(n, nest) {
					l.errorf(codeOutside, pos, "the mask of this WHERE reads what the FORALL assigns, and has other extents for other values of its indices").
						WithHelp("write a DO loop around the WHERE, or give all sections the same extents")
					return out, false
				}
				end := l.newEnd(m, "hi", len(m.Dims), pos)
				b.Hi = ir.OpenEnd(len(l.prog.Ends)-1, true)
				out.fill = append(out.fill, l.setEnd(end, m, ir.Clone(n), pos)...)
			}
			m.Dims = append(m.Dims, b)
		}
	}
	out.array = m
	out.at = func(ctx *elemental) ir.Expr {
		r := &ir.Ref{X: ir.X{Pos: pos, Typ: ir.Logical}, Sym: m}
		for _, index := range nest.index {
			r.Subs = append(r.Subs, &ir.Var{X: ir.X{Pos: pos, Typ: index.Type}, Sym: index})
		}
		if ctx != nil {
			for k := range ctx.n {
				r.Subs = append(r.Subs, ctx.at(k, pos))
			}
		}
		return r
	}
	if !nest.empty() {
		l.alignMask(m, nest, ctx, x)
	}
	out.fill = append(out.fill, l.allocation(m)...)
	var st ir.Stmt = &ir.Assign{S: ir.S{Pos: pos}, LHS: out.at(ctx), RHS: x}
	if ctx != nil {
		st = l.nest(ctx, st, pos)
	}
	list := append(slices.Clip(nest.inside), st)
	if nest.mask != nil && nest.mask != x {
		list = one(&ir.If{S: ir.S{Pos: pos}, Cond: ir.Clone(nest.mask), Then: list})
	}
	out.fill = append(out.fill, l.around(nest, list))
	return out, true
}

// empty reports whether the bounds of an index say that it has no values.
func (n forallNest) empty() bool {
	for k := range n.index {
		lo, okLo := constOf(n.lo[k])
		hi, okHi := constOf(n.hi[k])
		step, okStep := constOf(n.step[k])
		if okLo && okHi && okStep && (step > 0 && lo > hi || step < 0 && lo < hi) {
			return true
		}
	}
	return false
}

// varies reports whether e may have other values for other indices of nest.
func varies(e ir.Expr, nest forallNest) bool {
	changed := slices.Clone(nest.index)
	ir.Walk(nest.inside, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Assign); ok {
			if v, ok := a.LHS.(*ir.Var); ok {
				changed = append(changed, v.Sym)
			}
		}
		return true
	})
	found := false
	ir.WalkExpr(e, func(e ir.Expr) bool {
		v, ok := e.(*ir.Var)
		found = found || ok && slices.Contains(changed, v.Sym)
		return !found
	})
	return found
}

// rangeOf is a range that has all values of an index: its bounds, or those of a dimension that
// x has the index as a subscript of.
func rangeOf(index *ir.Symbol, lo, hi, step ir.Expr, x ir.Expr) (b ir.Bound, ok bool) {
	from, okFrom := constOf(lo)
	to, okTo := constOf(hi)
	if okFrom && okTo {
		if from > to {
			from, to = to, from
		}
		return ir.Bound{Lo: from, Hi: to}, true
	}
	for _, r := range ir.ExprRefs(x) {
		for k, sub := range r.Subs {
			if of, c := offset(sub); of != nil && isVarOf(of, index) {
				d := r.Sym.Dims[k]
				return ir.Bound{Lo: d.Lo - c, Hi: d.Hi - c}, true
			}
		}
	}
	return b, false
}

func isVarOf(e ir.Expr, index *ir.Symbol) bool {
	for {
		c, ok := e.(*ir.Conv)
		if !ok {
			break
		}
		e = c.E
	}
	v, ok := e.(*ir.Var)
	return ok && v.Sym == index
}

// alignMask lets the elements of a saved mask lie where those of an array in x lie, if one has
// all indices as its subscripts.
func (l *lowerer) alignMask(m *ir.Symbol, nest forallNest, ctx *elemental, x ir.Expr) {
	index := slices.Clone(nest.index)
	if ctx != nil {
		index = append(index, ctx.index...)
	}
	guarded := nest.guarded || nest.mask != nil && nest.mask != x // some elements may lie outside of what x reads
	for _, r := range ir.ExprRefs(x) {
		if !l.hasDirectives(r.Sym) {
			continue
		}
		d := &ir.Directive{Pos: m.Pos, Kind: ir.AlignDirective, Name: m.Name, NamePos: m.Pos, Symbol: m, Target: r.Sym.Name, TargetPos: m.Pos}
		for k := range index {
			d.Source = append(d.Source, ir.AlignSource{Pos: m.Pos, Dummy: alignDummy(k)})
		}
		fits, seen := true, map[int]bool{}
		for k, sub := range r.Subs {
			of, c := offset(sub)
			at := ir.AlignSub{Pos: m.Pos, Off: c}
			if of != nil {
				i := slices.IndexFunc(index, func(s *ir.Symbol) bool { return isVarOf(of, s) })
				bound := r.Sym.Dims[k]
				if i < 0 || seen[i] || guarded && bound.Open() || m.Dims[i].Lo+c < bound.Lo || m.Dims[i].Hi+c > bound.Hi {
					fits = false
					break
				}
				seen[i] = true
				at.Dummy, at.Coef = alignDummy(i), 1
			}
			d.Subs = append(d.Subs, at)
		}
		if fits && len(seen) == len(index) {
			l.prog.HPF = append(l.prog.HPF, d)
			return
		}
	}
}

// around puts the loops over the indices of a FORALL around list.
func (l *lowerer) around(nest forallNest, list []ir.Stmt) ir.Stmt {
	var st ir.Stmt
	for k, ind := range nest.independent { // the place is of an iteration of all its indices
		if ind != nil && ind.On.IsSet() && (k == len(nest.independent)-1 || nest.independent[k+1] != ind) {
			list = l.onHome(&ind.On, ind.Pos, list)
		}
	}
	for k, index := range slices.Backward(nest.index) {
		lo, hi, step := l.counted(index, ir.Clone(nest.lo[k]), ir.Clone(nest.hi[k]), ir.Clone(nest.step[k]))
		pos := list[0].Position()
		d := &ir.Do{S: ir.S{Pos: pos}, Index: index, Lo: lo, Hi: hi, Step: step, Body: list, End: pos}
		if ind := nest.independent[k]; ind != nil {
			d.Independent = &ir.Independent{Pos: ind.Pos}
		}
		list = one(d)
		st = d
	}
	return st
}

// forallCond is the mask of WHERE for an assignment in FORALL.
type forallCond func(ctx *elemental) ir.Expr

// forallAssign lowers one assignment of a FORALL, under the mask of a WHERE if cond is not nil.
func (l *lowerer) forallAssign(nest forallNest, cond forallCond, s *ast.Assign) []ir.Stmt {
	var before []ir.Stmt // inside the loops: what the assignment needs
	var ctx *elemental
	var a *ir.Assign
	var where ir.Expr
	functions := l.functions(func() {
		if l.isPart(s.LHS) {
			if to := l.part(s.LHS, &before); to != nil {
				ctx = l.elements(to.shape.n, to.pos, &before)
				a = l.assignAt(ctx, s)
			}
			if a != nil && cond != nil {
				if where = cond(ctx); isBad(where) {
					a = nil
				}
			}
			return
		}
		if cond != nil {
			l.errorf(codeType, s.LHS.Position(), "what WHERE assigns to must be an array or a section of this image")
			return
		}
		rhs, lhs := l.expr(s.RHS), l.target(s.LHS)
		if isBad(rhs, lhs) || !l.assignable(lhs.Type(), rhs, ir.ExprString(lhs)) {
			return
		}
		if _, ok := lhs.(*ir.Ref); !ok {
			l.errorf(codeType, s.LHS.Position(), "what FORALL assigns to must be an element or a section of an array")
			return
		}
		if rhs = l.convert(rhs, lhs.Type()); !isBad(rhs) {
			a = &ir.Assign{S: ir.S{Pos: s.Pos}, LHS: lhs, RHS: rhs}
		}
	})
	if a == nil {
		return nil
	}
	before = append(functions, before...)
	lhs := a.LHS.(*ir.Ref)
	if reads(lhs.Subs, lhs.Sym) {
		l.errorf(codeOutside, s.Pos, "FORALL changes what the subscripts on the left read").WithHelp("put their values into an array in front of it")
		return nil
	}
	staged := l.overlaps(lhs, a.RHS) || ctx != nil && l.overlapsIn(ctx, lhs, a.RHS) || where != nil && l.overlaps(lhs, where) || nest.mask != nil && l.overlaps(lhs, nest.mask)
	ir.WalkExprs(before, func(_ ir.Stmt, e ir.Expr) bool {
		staged = staged || reads([]ir.Expr{e}, lhs.Sym)
		return !staged
	})
	var out []ir.Stmt
	if staged && nest.mask != nil && reads([]ir.Expr{nest.mask}, lhs.Sym) {
		saved, ok := l.savedMask(nest, nil, nest.mask)
		if !ok {
			return nil
		}
		out = append(out, saved.fill...)
		nest.mask = saved.at(nil)
	}
	if staged && where != nil && (reads([]ir.Expr{where}, lhs.Sym) || len(before) > 0) {
		in := nest
		in.inside = ir.Copy(before) // before stands in front of the assignment too
		saved, ok := l.savedMask(in, ctx, where)
		if !ok {
			return nil
		}
		out = append(out, saved.fill...)
		where = saved.at(ctx)
	}
	loops := func(first []ir.Stmt, a *ir.Assign) ir.Stmt {
		var st ir.Stmt = a
		if where != nil {
			st = &ir.If{S: a.S, Cond: ir.Clone(where), Then: one(st)}
		}
		if ctx != nil {
			st = l.nest(ctx, st, s.Pos)
		}
		list := append(slices.Clip(first), st)
		if nest.mask != nil {
			list = one(&ir.If{S: a.S, Cond: ir.Clone(nest.mask), Then: list})
		}
		return l.around(nest, list)
	}
	if !staged {
		return append(out, loops(before, a))
	}
	t := l.besideElement(lhs, &out)
	return append(out, loops(before, &ir.Assign{S: a.S, LHS: t, RHS: a.RHS}), loops(nil, &ir.Assign{S: a.S, LHS: lhs, RHS: ir.Clone(t)}))
}

// forallWhere lowers WHERE in FORALL, under the mask of a WHERE around it if outer is not nil. Each
// of its assignments has the masks in its condition. Where it assigns to what they read, they
// are saved first.
func (l *lowerer) forallWhere(nest forallNest, s *ast.If, outer forallCond) []ir.Stmt {
	var out []ir.Stmt
	changed := l.assignedIn([]ast.Stmt{s})
	rest := outer
	for _, arm := range append(slices.Clone(s.Arms), ast.IfArm{Body: s.Else}) {
		here := rest
		if arm.Cond != nil {
			around := rest
			is := forallCond(func(ctx *elemental) ir.Expr { return l.maskAt(ctx, arm.Cond, nil) })
			shaping := l.firstPart(arm.Cond)
			if shaping == nil {
				l.errorf(codeType, arm.Cond.Position(), "the mask of WHERE is no array").WithHelp("write IF, or a comparison of arrays")
				return nil
			}
			var before []ir.Stmt
			var ctx *elemental
			var x ir.Expr = bad(s.Pos)
			functions := l.functions(func() {
				cond := l.evaluated(arm.Cond, goal{}, &before)
				if cond == nil {
					return
				}
				if ctx = l.elementsLike(l.firstPart(cond), &before); ctx != nil {
					x = l.maskAt(ctx, cond, nil)
				}
			})
			if isBad(x) {
				return nil
			}
			if before = append(functions, before...); len(before) > 0 || reads([]ir.Expr{x}, changed...) {
				if around != nil {
					x = &ir.Bin{X: ir.X{Pos: x.Position(), Typ: ir.Logical}, Op: ir.And, L: around(ctx), R: x}
				}
				in := nest
				in.inside = before
				saved, ok := l.savedMask(in, ctx, x)
				if !ok {
					return nil
				}
				out = append(out, saved.fill...)
				is = saved.at
			}
			here = both(around, is, false)
			rest = both(around, is, true)
		}
		for _, inner := range arm.Body {
			switch inner := inner.(type) {
			case *ast.Assign:
				out = append(out, l.forallAssign(nest, here, inner)...)
			case *ast.If:
				if inner.Where {
					out = append(out, l.forallWhere(nest, inner, here)...)
					continue
				}
				l.notInWhere(inner.Pos)
			default:
				l.notInWhere(inner.Position())
			}
		}
	}
	return out
}

// both is the conjunction of two masks, the first of which may be nil; with not, of the first and
// the negation of the second.
func both(x, y forallCond, not bool) forallCond {
	return func(ctx *elemental) ir.Expr {
		b := y(ctx)
		if isBad(b) {
			return b
		}
		at := ir.X{Pos: b.Position(), Typ: ir.Logical}
		if not {
			b = &ir.Un{X: at, Op: ir.Not, E: b}
		}
		if x == nil {
			return b
		}
		a := x(ctx)
		if isBad(a) {
			return a
		}
		return &ir.Bin{X: at, Op: ir.And, L: a, R: b}
	}
}

// reads reports whether one of the arrays is read in one of the expressions.
func reads(list []ir.Expr, arrays ...*ir.Symbol) bool {
	found := false
	for _, e := range list {
		ir.WalkExpr(e, func(x ir.Expr) bool {
			r, ok := x.(*ir.Ref)
			found = found || ok && slices.Contains(arrays, r.Sym)
			return !found
		})
	}
	return found
}
