package derived

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// setBounds lets d describe the block at at, with lower bounds lo and extents n.
func (t *unit) setBounds(d *object, b *described, lo, n []ast.Expr, e builder) []ast.Stmt {
	var out []ast.Stmt
	if b.rank == 0 {
		return nil
	}
	for k := range lo {
		out = append(out, e.set(t.field(d, fmt.Sprint("lo", k+1)), clone(lo[k])), e.set(t.field(d, fmt.Sprint("n", k+1)), clone(n[k])))
	}
	x := clone(lo[b.rank-1])
	for k := b.rank - 2; k >= 0; k-- {
		x = e.plus(clone(lo[k]), e.times(clone(n[k]), &ast.Paren{XBase: e.XBase, X: x}))
	}
	out = append(out, e.set(t.field(d, "off"), e.minus(t.field(d, "at"), &ast.Paren{XBase: e.XBase, X: x})))
	return out
}

// keptInteger is x, in a variable where it is no constant.
func (t *unit) keptInteger(x ast.Expr, e builder, out *[]ast.Stmt) ast.Expr {
	if isLiteral(x) {
		return x
	}
	v := t.counter(e)
	*out = append(*out, e.set(v, x))
	return v
}

func product(e builder, n []ast.Expr) ast.Expr {
	x := e.lit(1)
	for k, m := range n {
		if k == 0 {
			x = clone(m)
		} else {
			x = e.times(x, clone(m))
		}
	}
	return x
}

// allocateDescribed is ALLOCATE or DEALLOCATE, where an argument is described; nil where none is.
func (t *unit) allocateDescribed(s *ast.Allocate) []ast.Stmt {
	e := builder{ast.XBase{Pos: s.Pos, End: s.Pos}}
	plain := *s
	plain.Args = nil
	var mine []ast.Expr
	var stat, message, from, mold, length ast.Expr
	for _, a := range s.Args {
		if k, ok := a.(*ast.Keyword); ok {
			switch k.Name {
			case "stat":
				stat = t.expr(clone(k.X))
			case "errmsg":
				message = t.expr(clone(k.X))
			case "source":
				from = k.X
			case "mold":
				mold = k.X
			case "len":
				length = k.X
			}
			plain.Args = append(plain.Args, a)
			continue
		}
		if o, _ := t.allocated(a); o != nil && o.whole != nil {
			mine = append(mine, a)
		} else {
			plain.Args = append(plain.Args, a)
		}
	}
	if len(mine) == 0 {
		return nil
	}
	var out []ast.Stmt
	for _, like := range []*ast.Expr{&from, &mold} {
		r := t.typeOf(*like)
		if *like == nil || r == nil {
			continue
		}
		x, first := t.sourceOf(*like, r, e)
		if x == nil {
			return nil
		}
		out = first
		outer := t.scope
		defer func() { t.scope = outer }()
		t.scope = newScope(t.unit, outer, "")
		t.scope.vars["%like"] = &variable{name: "%like", of: x.of, rank: x.rank(), alias: x}
		*like = e.id("%like")
	}
	if stat != nil {
		out = append(out, e.set(clone(stat), e.lit(0)))
	}
	if slices.ContainsFunc(plain.Args, func(a ast.Expr) bool { _, key := a.(*ast.Keyword); return !key }) {
		out = append(out, t.statement(&plain)...)
	}
	for _, a := range mine {
		o, bounds := t.allocated(a)
		if !t.own(o, map[bool]string{false: "ALLOCATE of", true: "DEALLOCATE of"}[s.Free]) {
			continue
		}
		o = t.steadyDescriptor(o, &out)
		d, b := o.whole, o.described
		word, other, number := "allocate", "/=", 5014
		if s.Free {
			word, other, number = "deallocate", "==", 1
		}
		var fails []ast.Stmt
		if stat == nil {
			fails = one(e.errorStop(fmt.Sprintf("attempt to %s %s, which is %sallocated", word, d.name, map[bool]string{true: "not "}[s.Free])))
		} else {
			fails = one(e.set(clone(stat), e.lit(number)))
			if message != nil {
				text := "Attempt to allocate an allocated object"
				if s.Free {
					text = "Attempt to deallocate an unallocated object"
				}
				fails = append(fails, e.set(clone(message), &ast.StringLit{XBase: e.XBase, Value: text}))
			}
		}
		if b.pointer && !s.Free {
			out = append(out, t.allocation1(o, bounds, from, mold, e)...)
			continue
		}
		check := e.when(e.bin(other, t.field(d, "at"), e.lit(0)), fails...)
		var does []ast.Stmt
		if s.Free {
			does = t.clear(d, b)
		} else {
			does = t.allocation1(o, bounds, from, mold, e)
			if mold != nil && b.text {
				length = e.ref("len", mold)
			}
			if length != nil && b.text {
				does = append(does, e.set(t.reference(o, nil), e.ref("repeat", &ast.StringLit{XBase: e.XBase, Value: " "}, t.expr(clone(length)))))
			}
		}
		if stat == nil {
			out = append(append(out, check), does...)
		} else {
			out = append(out, e.otherwise(check, does...))
		}
	}
	return out
}

// steadyDescriptor is o, whose descriptor is in an element, with subscripts that do not change.
func (t *unit) steadyDescriptor(o *object, out *[]ast.Stmt) *object {
	d := *o.whole
	d.groups = slices.Clone(d.groups)
	e := builder{o.XBase}
	for i, g := range d.groups {
		args := slices.Clone(g.args)
		for k, a := range args {
			if _, section := a.(*ast.Triplet); section {
				t.p.errorf(a.Position(), "%s, an allocatable component or a pointer of more elements than one, stands where one is needed", d.name).WithHelp("write a loop over the elements")
			} else if !isLiteral(a) {
				args[k] = t.keptInteger(t.expr(clone(a)), e, out)
			}
		}
		if g.args == nil && g.rank > 0 {
			t.p.errorf(o.Pos, "%s, an allocatable component or a pointer of more elements than one, stands where one is needed", d.name).WithHelp("write a loop over the elements")
		}
		d.groups[i].args = args
	}
	return t.within(&d, &component{described: o.described}, nil, o.XBase)
}

// allocation1 allocates what o describes, which is not allocated.
func (t *unit) allocation1(o *object, bounds []ast.Expr, from, mold ast.Expr, e builder) (out []ast.Stmt) {
	d, b := o.whole, o.described
	like := from
	if like == nil {
		like = mold
	}
	var lo, n []ast.Expr
	switch {
	case len(bounds) == b.rank:
		for _, x := range bounds {
			low, high := e.lit(1), x
			if r, ok := x.(*ast.Triplet); ok {
				high = r.Hi
				if r.Lo != nil {
					low = r.Lo
				}
			}
			low = t.keptInteger(t.expr(clone(low)), e, &out)
			lo = append(lo, low)
			high = t.expr(clone(high))
			if !isLiteral(low) || ast.UnparseExpr(low) != "1" {
				high = e.plus(e.minus(high, clone(low)), e.lit(1))
			}
			n = append(n, t.keptInteger(e.ref("max", high, e.lit(0)), e, &out))
		}
	case like != nil && t.typeOf(like) == nil:
		for k := 1; k <= b.rank; k++ {
			lo = append(lo, e.lit(1))
			if x := t.object(like); x != nil && x.whole != nil {
				lo[k-1] = t.keptInteger(t.field(x.whole, fmt.Sprint("lo", k)), e, &out)
			}
			n = append(n, t.keptInteger(t.expr(e.ref("size", clone(like), e.lit(k))), e, &out))
		}
	case like != nil && t.rank(like) == b.rank:
		for k := 1; k <= b.rank; k++ {
			lo = append(lo, t.keptInteger(t.expr(e.ref("lbound", clone(like), e.lit(k))), e, &out))
			n = append(n, t.keptInteger(t.expr(e.ref("size", clone(like), e.lit(k))), e, &out))
		}
	default:
		t.p.diags.Errorf(source.RankMismatch, o.Pos, "%s has %d dimensions and %d bounds", d.name, b.rank, len(bounds)).WithHelp("give one bound for each dimension")
		return nil
	}
	out = append(out, e.call(b.pool.part("take"), t.field(d, "at"), &ast.Paren{XBase: e.XBase, X: product(e, n)}))
	out = append(out, t.setBounds(d, b, lo, n, e)...)
	all := t.within(d, &component{described: b}, nil, e.XBase)
	if b.elem != nil {
		out = append(out, t.begun(t.everyOf(d, b, e))...)
	}
	switch x := t.typeOf(from); {
	case from == nil:
	case b.elem != nil && (x == nil || x.declared() != b.elem.declared()):
		t.p.diags.Errorf(source.TypeMismatch, e.Pos, "ALLOCATE with SOURCE= of %s for what has type %s", typeText(x), b.elem.name).WithHelp("write a value of the type that is allocated")
	case b.elem != nil:
		all.whole = nil
		out = append(out, t.wrapped(func() []ast.Stmt { return t.sourced(all, t.object(from), e) })...)
	default:
		value := t.expr(from)
		out = append(out, t.wrapped(func() []ast.Stmt {
			return one(&ast.Assign{Base: e.base(), LHS: t.reference(t.within(d, &component{described: b}, nil, e.XBase), nil), RHS: value})
		})...)
	}
	return out
}

// wrapped are the statements that f makes, with the views that they need.
func (t *unit) wrapped(f func() []ast.Stmt) []ast.Stmt {
	views, shapes := t.views, t.shapes
	t.views, t.shapes = nil, map[string]string{}
	out := f()
	out = t.withViews(out)
	t.views, t.shapes = views, shapes
	return out
}

func (t *unit) withViews(list []ast.Stmt) []ast.Stmt {
	if len(t.views) == 0 || len(list) == 0 {
		return list
	}
	pos := list[0].Position()
	return one(&ast.Associate{Base: ast.Base{Pos: pos}, EndPos: pos, Names: t.views, Body: list})
}

// begun gives o, which is allocated anew, the initial values of its components.
func (t *unit) begun(o *object) []ast.Stmt {
	e := builder{o.XBase}
	var out []ast.Stmt
	for _, l := range o.of.leaves() {
		switch x := l.comp.init; {
		case x == nil:
		case l.comp.array:
			out = append(out, t.everyElement(o, func(o *object) []ast.Stmt {
				if len(l.dims) > len(l.comp.dims) {
					t.p.errorf(o.Pos, "the initial value of %s, an array in an array", l.name[1:]).WithHelp("assign it behind ALLOCATE")
				}
				return one(e.set(t.reference(o, l), clone(x)))
			})...)
		default:
			out = append(out, e.set(t.reference(o, l), clone(x)))
		}
	}
	return out
}

// assignWhole is "o = x", where that allocates what o describes if its shape differs.
func (t *unit) assignWhole(o *object, x ast.Expr, base ast.Base) []ast.Stmt {
	var out []ast.Stmt
	o = t.steadyDescriptor(o, &out)
	d, b := o.whole, o.described
	e := builder{ast.XBase{Pos: base.Pos, End: base.Pos}}
	if b.elem != nil && b.rank > 0 {
		return append(out, t.assignElements(o, x, e)...)
	}
	if b.rank == 0 {
		take := e.when(e.bin("==", t.field(d, "at"), e.lit(0)), e.call(b.pool.part("take"), t.field(d, "at"), e.lit(1)))
		if b.elem != nil {
			take.Arms[0].Body = append(take.Arms[0].Body, t.begun(o)...)
			value := t.owned(x, b.elem, e)
			if value == nil {
				return nil
			}
			out = append(out, t.finalizedPlace(d, b)...)
			out = append(out, take)
			out = append(out, t.emptied(o)...)
			return append(out, t.assigned(o, t.references(value), e.base())...)
		}
		value := t.expr(x)
		return append(out, take, e.set(t.reference(o, nil), value))
	}
	value := t.expr(x)
	var n []ast.Expr
	var differs ast.Expr = e.bin("==", t.field(d, "at"), e.lit(0))
	for k := 1; k <= b.rank; k++ {
		m := t.keptInteger(e.ref("extent%", clone(value), e.lit(k), t.field(d, fmt.Sprint("n", k))), e, &out)
		n = append(n, m)
		differs = e.bin(".or.", differs, e.bin("/=", clone(m), t.field(d, fmt.Sprint("n", k))))
	}
	at := t.counter(e)
	var lo []ast.Expr
	for range n {
		lo = append(lo, e.lit(1))
	}
	out = append(out, e.set(clone(at), t.field(d, "at")),
		e.when(differs, e.call(b.pool.part("take"), clone(at), &ast.Paren{XBase: e.XBase, X: product(e, n)})))
	store := b.pool.v.name + "%value"
	if b.rank == 1 {
		to := element(e.XBase, store, []ast.Expr{e.section(clone(at), e.minus(e.plus(clone(at), clone(n[0])), e.lit(1)))})
		out = append(out, e.set(to, value))
	} else {
		s := t.scope.ofUnit()
		s.count++
		name := fmt.Sprintf("shape%%%d", s.count)
		s.vars[name] = nil
		view := ast.Association{Name: ast.Name{Pos: e.Pos, Name: name}, X: e.id(store), At: clone(at), Lows: lo, Extents: n}
		out = append(out, &ast.Associate{Base: e.base(), EndPos: e.Pos, Names: []ast.Association{view}, Body: one(e.set(e.id(name), value))})
	}
	anew := []ast.Stmt{t.released(d, b), e.set(t.field(d, "at"), clone(at))}
	anew = append(anew, t.setBounds(d, b, lo, n, e)...)
	return append(out, e.when(e.bin("/=", clone(at), t.field(d, "at")), anew...))
}

// assignElements is assignWhole of an array of a derived type.
func (t *unit) assignElements(o *object, x ast.Expr, e builder) []ast.Stmt {
	d, b := o.whole, o.described
	from := t.object(x)
	var out []ast.Stmt
	if from != nil && from.of != nil && from.rank() == 0 || from == nil && !isArrayValue(x) && t.rank(x) == 0 {
		all := *o
		all.whole = nil
		return t.filledWith(&all, x, e)
	}
	tmp := t.ownedArray(x, b.elem, e)
	if tmp == nil {
		return nil
	}
	out = append(out, t.before...)
	t.before = nil
	l := tmp.of.leaves()[0]
	n := t.keptInteger(e.ref("size", t.reference(tmp, l), e.lit(len(l.dims)+1)), e, &out)
	differs := e.bin(".or.", e.bin("==", t.field(d, "at"), e.lit(0)), e.bin("/=", t.field(d, "n1"), clone(n)))
	anew := []ast.Stmt{t.released(d, b), e.call(b.pool.part("take"), t.field(d, "at"), clone(n))}
	anew = append(anew, t.setBounds(d, b, []ast.Expr{e.lit(1)}, []ast.Expr{n}, e)...)
	anew = append(anew, t.begun(o)...)
	out = append(out, t.finalizedPlace(d, b)...)
	out = append(out, e.otherwise(e.when(differs, anew...), t.emptied(o)...))
	for _, l := range o.of.leaves() {
		out = append(out, e.copy(t.reference(o, l), t.reference(tmp, l)))
	}
	return out
}

// owned is a variable of type r with the value of x, that owns what it has.
func (t *unit) owned(x ast.Expr, r *record, e builder) *object {
	after := len(t.after)
	parts := t.value(x, r, false)
	anew := t.isAnew(x, r)
	if anew {
		t.after = t.after[:after] // it is not deallocated behind the statement
	}
	if len(parts) < len(r.leaves()) {
		return nil
	}
	if t.fixed != "" {
		t.p.errorf(e.Pos, "a value of type %s stands %s", r.name, t.fixed).WithHelp("assign it to a variable in front of the statement")
		return nil
	}
	tmp := t.temp(r, e.XBase)
	for k, l := range r.leaves() {
		x, y := t.reference(tmp, l), parts[k]
		set := &ast.Assign{Base: e.base(), Part: true, Anew: l.open, LHS: x, RHS: y}
		switch _, variable := y.(*ast.Ident); {
		case l.open && isNull(y):
			t.before = append(t.before, t.freed(x, e.base()))
		case l.open && variable:
			t.before = append(t.before, e.otherwise(e.when(e.ref("allocated", clone(y)), set), t.freed(clone(x), e.base())))
		default:
			t.before = append(t.before, set)
		}
	}
	if !anew {
		t.before = append(t.before, t.ownCopies(tmp)...)
	}
	return tmp
}

// isAnew reports whether the value of x, of type r, owns what it has: that of a function, unless it is
// finalized behind the statement or a pointer, or a structure constructor.
func (t *unit) isAnew(x ast.Expr, r *record) bool {
	var f *function
	switch x := x.(type) {
	case *ast.Paren:
		return t.isAnew(x.X, r)
	case *ast.Index:
		if t.object(x) != nil {
			return false
		}
		if f = t.chosen(x.Name, x.Args); f == nil {
			return t.record(x.Name) != nil
		}
	case *ast.Component:
		if t.object(x) != nil {
			return false
		}
		if m, of := t.method(x.Base, x.Name); m != nil {
			f = t.chosen(m.name, t.passed(m, x.Base, of, x.Args))
		}
	case *ast.Binary:
		f = t.chosen(ast.OperatorName(x.Op), []ast.Expr{x.X, x.Y})
	case *ast.Unary:
		f = t.chosen(ast.OperatorName(x.Op), []ast.Expr{x.X})
	default:
		return false
	}
	return !t.p.isFinalizable(r) && !(f != nil && f.result() != nil && f.result().pointer)
}

// ownedArray is the same, of an array of rank 1.
func (t *unit) ownedArray(x ast.Expr, r *record, e builder) *object {
	tmp := t.heldArray(r, max(t.rank(x), 1), t.value(x, r, false), e)
	if tmp != nil {
		t.before = append(t.before, t.ownCopies(tmp)...)
	}
	return tmp
}

// heldArray is an array that parts, of type r and this rank, are assigned to in front of the
// statement; nil after an error.
func (t *unit) heldArray(r *record, rank int, parts []ast.Expr, e builder) *object {
	if len(parts) < len(r.leaves()) {
		return nil
	}
	if t.fixed != "" {
		t.p.errorf(e.Pos, "an array of type %s stands %s", r.name, t.fixed).WithHelp("assign it to a variable in front of the statement")
		return nil
	}
	s := t.scope.ofUnit()
	s.count++
	v := &variable{name: fmt.Sprintf("value%%%d", s.count), of: r, rank: rank, allocatable: true, class: t.p.isChosen(r), dynamic: t.p.isChosen(r)}
	tmp := &object{XBase: e.XBase, root: v, of: r, name: v.name, groups: []group{{rank: rank}}}
	for k, l := range r.leaves() {
		s.temps = append(s.temps, t.heldDecl(l, v.name, rank, e.Pos))
		t.before = append(t.before, &ast.Assign{Base: e.base(), Part: true, Anew: true, LHS: t.reference(tmp, l), RHS: parts[k]})
	}
	return tmp
}

// filledWith assigns the single value x to all elements of o.
func (t *unit) filledWith(o *object, x ast.Expr, e builder) []ast.Stmt {
	tmp := t.owned(x, o.of, e)
	if tmp == nil {
		return nil
	}
	out := append(t.finalizedThere(o), t.emptied(o)...)
	for _, l := range o.of.leaves() {
		if len(l.dims) == 0 {
			out = append(out, e.copy(t.reference(o, l), t.reference(tmp, l)))
			continue
		}
		out = append(out, t.everyElement(o, func(o *object) []ast.Stmt { return one(e.copy(t.reference(o, l), t.reference(tmp, l))) })...)
	}
	out = append(out, t.ownCopies(o)...)
	return append(out, t.emptied(tmp)...)
}

// deepAssignment is "to = x" of type r, which has components in pools.
func (t *unit) deepAssignment(to *object, x ast.Expr, r *record, base ast.Base) []ast.Stmt {
	e := builder{ast.XBase{Pos: base.Pos, End: base.Pos}}
	if r.assignsParts(t.p) {
		t.p.errorf(base.Pos, "assignment of type %s, which has allocatable components in arrays or in each other, and one whose type defines assignment", r.name).WithHelp("assign the components one by one")
		return nil
	}
	to = t.steady(to)
	from := t.object(x)
	if to.rank() == 0 {
		tmp := t.owned(x, r, e)
		if tmp == nil {
			return nil
		}
		return append(append(t.finalizedThere(to), t.whereAllocated(to, t.emptied(to))...), t.leavesCopied(to, tmp, r.leaves(), base)...)
	}
	if from != nil && from.rank() == 0 || from == nil && t.rank(x) == 0 && (t.isConstructor(x) || !isArrayValue(x)) {
		return t.filledWith(to, x, e)
	}
	tmp := t.ownedArray(x, r, e)
	if tmp == nil {
		return nil
	}
	out := append(t.finalizedThere(to), t.whereAllocated(to, t.emptied(to))...)
	return append(out, t.leavesCopied(to, tmp, r.leaves(), base)...)
}

// describedInquiry is an inquiry about what is described, nil for anything else.
func (t *unit) describedInquiry(name string, args []ast.Expr, at ast.XBase) ast.Expr {
	o := t.object(args[0])
	if o == nil || o.whole == nil {
		return nil
	}
	d, b, e := o.whole, o.described, builder{at}
	dim := 0
	for i, a := range args[1:] {
		if k, ok := a.(*ast.Keyword); ok {
			if k.Name == "kind" {
				return nil
			}
			a = k.X
		}
		if lit, ok := a.(*ast.IntLit); ok && i == 0 {
			fmt.Sscan(lit.Text, &dim)
		}
	}
	field := func(name string, k int) ast.Expr { return t.field(d, fmt.Sprint(name, k)) }
	upper := func(k int) ast.Expr {
		return &ast.Paren{XBase: at, X: e.minus(e.plus(field("lo", k), field("n", k)), e.lit(1))}
	}
	all := func(f func(k int) ast.Expr) ast.Expr {
		x := &ast.Array{XBase: at, Brackets: true}
		for k := 1; k <= b.rank; k++ {
			x.Items = append(x.Items, f(k))
		}
		return x
	}
	one := func(f func(k int) ast.Expr) ast.Expr {
		switch {
		case len(args) == 1:
			return all(f)
		case dim >= 1 && dim <= b.rank:
			return f(dim)
		}
		return nil
	}
	switch name {
	case "present":
		return e.ref(name, t.field(d, "at"))
	case "allocated":
		return &ast.Paren{XBase: at, X: e.bin("/=", t.field(d, "at"), e.lit(0))}
	case "size":
		if len(args) == 1 {
			return &ast.Paren{XBase: at, X: t.countOf(d, b, at)}
		}
		return one(func(k int) ast.Expr { return field("n", k) })
	case "shape":
		return all(func(k int) ast.Expr { return field("n", k) })
	case "lbound":
		return one(func(k int) ast.Expr { return field("lo", k) })
	case "ubound":
		return one(upper)
	}
	return nil
}
