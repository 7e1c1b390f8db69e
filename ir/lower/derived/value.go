package derived

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// partwise are the intrinsics whose value is made component by component; the number is that of
// the arguments of the type.
var partwise = map[string]int{"merge": 2, "cshift": 1, "pack": 1, "transpose": 1, "spread": 1, "reshape": 1}

// typeOf is the derived type of x, nil where it has none.
func (t *unit) typeOf(x ast.Expr) *record {
	x = t.viaPointer(x)
	if o := t.object(x); o != nil {
		return o.of
	}
	switch x := x.(type) {
	case *ast.Paren:
		return t.typeOf(x.X)
	case *ast.Keyword:
		return t.typeOf(x.X)
	case *ast.Index:
		if x.Part() != "" || t.declared(x.Name) && t.variable(x.Name) == nil && t.function(t.p, x.Name) == nil {
			return nil
		}
		if r := t.record(x.Name); r != nil && len(t.candidates(t.p, x.Name)) == 0 {
			return r
		}
		if f := t.chosen(x.Name, x.Args); f != nil {
			if v := f.result(); v != nil {
				return v.of
			}
			return nil
		}
		if r := t.record(x.Name); r != nil {
			return r
		}
		if partwise[x.Name] > 0 && len(x.Args) > 0 {
			return t.typeOf(x.Args[0])
		}
	case *ast.Component:
		if m, of := t.method(x.Base, x.Name); m != nil {
			if f := t.chosen(m.name, t.passed(m, x.Base, of, x.Args)); f != nil && f.result() != nil {
				return f.result().of
			}
		}
	case *ast.Binary:
		if t.typeOf(x.X) == nil && t.typeOf(x.Y) == nil {
			return nil
		}
		if f := t.chosen(ast.OperatorName(x.Op), []ast.Expr{x.X, x.Y}); f != nil && f.result() != nil {
			return f.result().of
		}
	case *ast.Unary:
		if t.typeOf(x.X) == nil {
			return nil
		}
		if f := t.chosen(ast.OperatorName(x.Op), []ast.Expr{x.X}); f != nil && f.result() != nil {
			return f.result().of
		}
	case *ast.Array:
		for _, i := range x.Items {
			if r := t.typeOf(i); r != nil {
				return r
			}
		}
	case *ast.ImpliedDo:
		for _, i := range x.Items {
			if r := t.typeOf(i); r != nil {
				return r
			}
		}
	}
	return nil
}

// value is what x, of type r or an extension, is made of: an expression for each of r.leaves().
// Where passed holds, these are arguments of a procedure.
func (t *unit) value(x ast.Expr, r *record, passed bool) []ast.Expr {
	if r.points != nil {
		return []ast.Expr{t.pointed(x, r)}
	}
	x = t.viaPointer(x)
	if o := t.object(x); o != nil {
		if o.of == nil || o.of == r && o.store == nil || !o.of.extends(r) {
			return t.references(o)
		}
		return t.seenAs(o, r)
	}
	if of := t.typeOf(x); of != nil && of != r && of.extends(r) && (t.p.isChosen(r) || of.declared() != r.declared()) {
		if o := t.valueObject(x, of); o != nil {
			return t.seenAs(o, r)
		}
		return nil
	}
	at := ast.XBase{Pos: x.Position(), End: x.EndPosition()}
	switch y := x.(type) {
	case *ast.Paren:
		parts := t.value(y.X, r, passed)
		for k, l := range r.leaves() {
			if passed && k < len(parts) && parts[k] != nil && !l.open { // a value, which the procedure does not change
				parts[k] = &ast.Paren{XBase: at, X: parts[k]}
			}
		}
		return parts
	case *ast.Index:
		if f := t.chosen(y.Name, y.Args); f != nil {
			return t.called(f, y.Name, y.NamePos, y.Args, at)
		}
		if t.record(y.Name) == r {
			if parts := t.construct(r, y); !passed || !needsVariable(r) {
				return parts
			} else {
				return t.kept(r, parts, at)
			}
		}
		if n := partwise[y.Name]; n > 0 {
			return t.partwise(y, n, r)
		}
	case *ast.Component:
		if m, of := t.method(y.Base, y.Name); m != nil {
			args := t.passed(m, y.Base, of, y.Args)
			if f := t.chosen(m.name, args); f != nil {
				return t.called(f, m.name, y.NamePos, args, at)
			}
		}
	case *ast.Binary:
		args := []ast.Expr{y.X, y.Y}
		if f := t.chosen(ast.OperatorName(y.Op), args); f != nil {
			return t.called(f, ast.OperatorName(y.Op), y.OpPos, args, at)
		}
	case *ast.Unary:
		if f := t.chosen(ast.OperatorName(y.Op), []ast.Expr{y.X}); f != nil {
			return t.called(f, ast.OperatorName(y.Op), y.Pos, []ast.Expr{y.X}, at)
		}
	case *ast.Array:
		return t.constructed(y, r, at)
	case *ast.ImpliedDo:
		return t.looped(y, func() []ast.Expr {
			return t.arrays(y.Items, r, func(items []ast.Expr) ast.Expr {
				c := *y
				c.Items, c.Lo, c.Hi, c.Step = items, t.expr(clone(y.Lo)), t.expr(clone(y.Hi)), t.cloned(y.Step)
				return &c
			}, at)
		})
	}
	t.p.errorf(x.Position(), "a value of type %s of this form is outside the subset", r.name).WithHelp("assign the components one by one")
	return nil
}

func (t *unit) cloned(x ast.Expr) ast.Expr {
	if x == nil {
		return nil
	}
	return t.expr(clone(x))
}

// needsVariable reports whether values given for the parts of r are not what is passed: arrays may be
// single values, and texts have other lengths.
func needsVariable(r *record) bool {
	return slices.ContainsFunc(r.leaves(), func(l *leaf) bool { return len(l.dims) > 0 || l.comp.spec.Name == "character" })
}

// construct is what the value of structure constructor x is made of.
func (t *unit) construct(r *record, x *ast.Index) []ast.Expr {
	given := map[string]ast.Expr{}
	next := 0
	for _, a := range x.Args {
		name := ""
		if k, ok := a.(*ast.Keyword); ok {
			name, a = k.Name, k.X
		} else if next < len(r.comps) {
			name = r.comps[next].name
		}
		next++
		if p := r.ancestor(name); p != nil && r.component(name) == nil {
			for i, v := range t.value(a, p, false) {
				given[p.leaves()[i].name[1:]] = v // in parts
			}
			continue
		}
		if r.component(name) == nil {
			t.p.diags.Errorf(source.BadCall, a.Position(), "the value of type %s has no place for this", r.name).WithHelp("its components are: %s", r.listed())
			return nil
		}
		given[name] = a
	}
	var out []ast.Expr
	for _, c := range r.comps {
		a := given[c.name]
		switch {
		case c.described != nil:
			out = append(out, t.described(c, a, x)...)
		case c.of != nil && a != nil && len(c.dims) > 0 && (c.of.hasContents() || t.isSingle(a) && needsVariable(c.of)):
			out = append(out, t.elements(a, c, builder{x.XBase})...)
		case c.of.hasContents() && a != nil:
			if v := t.owned(a, c.of, builder{x.XBase}); v != nil {
				out = append(out, t.references(v)...)
			}
		case c.of != nil && a != nil:
			out = append(out, t.value(a, c.of, false)...)
		case c.of != nil && r.initial(c) != nil && len(c.dims) == 0:
			out = append(out, r.initial(c)...)
		case c.of != nil:
			t.missing(x, r, c)
		case a == nil && c.init == nil && !c.allocatable:
			t.missing(x, r, c)
		case a == nil && c.allocatable, isNull(a):
			out = append(out, &ast.Index{XBase: x.XBase, Name: "null", NamePos: x.Pos})
		case a == nil:
			out = append(out, clone(c.init))
		default:
			out = append(out, t.expr(a))
		}
	}
	return out
}

// isSingle reports whether x, of a derived type, is one value.
func (t *unit) isSingle(x ast.Expr) bool { return t.isConstructor(x) || t.rank(x) == 0 }

// elements is the value of component c, an array, where it gets the value a: an array, or what each element
// gets a copy of.
func (t *unit) elements(a ast.Expr, c *component, e builder) []ast.Expr {
	if !t.isSingle(a) {
		if v := t.ownedArray(a, c.of, e); v != nil {
			return t.references(v)
		}
		return nil
	}
	own := t.owned(a, c.of, e)
	if own == nil {
		return nil
	}
	parts := t.references(own)
	for i, l := range c.of.leaves() {
		for k, n := range extents(c.dims, e.XBase) {
			parts[i] = e.ref("spread", parts[i], e.lit(len(l.dims)+k+1), n)
		}
	}
	v := t.heldArray(c.of, len(c.dims), parts, e)
	if v == nil {
		return nil
	}
	t.before = append(append(t.before, t.ownCopies(v)...), t.emptied(own)...)
	return t.references(v)
}

// described is the descriptor of component c of structure constructor x, where it gets the value a, or
// none where that is nil.
func (t *unit) described(c *component, a ast.Expr, x *ast.Index) []ast.Expr {
	e := builder{x.XBase}
	if a != nil && c.described.pointer {
		return t.pointing(a, c.described)
	}
	if a == nil || isNull(a) {
		var out []ast.Expr
		for _, l := range c.of.leaves() {
			out = append(out, clone(l.comp.init))
		}
		return out
	}
	if t.fixed != "" {
		t.p.errorf(x.Pos, "a value for component %s, which is allocatable, stands %s", c.name, t.fixed).WithHelp("assign it to a variable in front of the statement")
		return nil
	}
	d := t.temp(c.of, e.XBase)
	for _, l := range c.of.leaves() {
		t.before = append(t.before, e.set(t.reference(d, l), clone(l.comp.init)))
	}
	list := t.assignWhole(t.within(d, c, nil, e.XBase), a, e.base())
	t.before = append(t.before, list...)
	return t.references(d)
}

func isNull(x ast.Expr) bool {
	call, ok := x.(*ast.Index)
	return ok && call.Name == "null" && len(call.Args) == 0
}

func (t *unit) missing(x *ast.Index, r *record, c *component) {
	t.p.diags.Errorf(source.BadCall, x.Pos, "the component %s has no value here", c.name).WithHelp("the components of %s are: %s", r.name, r.listed())
}

func (r *record) listed() string {
	text := ""
	for i, c := range r.comps {
		if i > 0 {
			text += ", "
		}
		text += c.name
	}
	return text
}

// initial are the initial values of what component c of r is made of, nil where one has none.
func (r *record) initial(c *component) []ast.Expr {
	var out []ast.Expr
	for _, l := range r.leaves() {
		if l.path[0] != c {
			continue
		}
		if l.comp.init == nil {
			return nil
		}
		out = append(out, clone(l.comp.init))
	}
	return out
}

// partwise is the value of an intrinsic that is made component by component.
func (t *unit) partwise(x *ast.Index, n int, r *record) []ast.Expr {
	var list [][]ast.Expr
	for _, a := range x.Args[:min(n, len(x.Args))] {
		list = append(list, t.value(a, r, false))
	}
	var out []ast.Expr
	for k, l := range r.leaves() {
		if len(l.dims) > 0 && x.Name != "merge" && x.Name != "cshift" {
			t.p.errorf(x.Pos, "%s of values of type %s, which has components that are arrays", x.Name, r.name).WithHelp("write a loop over the elements")
			return nil
		}
		c := &ast.Index{XBase: x.XBase, Name: x.Name, NamePos: x.NamePos}
		for i, a := range x.Args {
			if i < n && i < len(list) && k < len(list[i]) {
				c.Args = append(c.Args, list[i][k])
			} else if i >= n {
				c.Args = append(c.Args, t.expr(clone(a)))
			}
		}
		if len(l.dims) > 0 && x.Name == "cshift" {
			c.Args = behindDims(c.Args, len(l.dims), x.XBase)
		}
		out = append(out, c)
	}
	return out
}

// behindDims are the arguments of CSHIFT for a component that has n dimensions in front of those
// of the array that it belongs to.
func behindDims(args []ast.Expr, n int, at ast.XBase) []ast.Expr {
	e := builder{at}
	var out []ast.Expr
	dim := ast.Expr(e.lit(1))
	for i, a := range args {
		k, named := a.(*ast.Keyword)
		switch {
		case named && k.Name == "dim":
			dim = k.X
		case !named && i == 2:
			dim = a
		default:
			out = append(out, a)
		}
	}
	return append(out, &ast.Keyword{XBase: at, Name: "dim", X: e.bin("+", dim, e.lit(n))})
}

// arrays is the value of an array constructor with items of type r.
func (t *unit) arrays(items []ast.Expr, r *record, of func([]ast.Expr) ast.Expr, at ast.XBase) []ast.Expr {
	leaves := r.leaves()
	lists := make([][]ast.Expr, len(leaves))
	arrays := slices.ContainsFunc(leaves, func(l *leaf) bool { return len(l.dims) > 0 })
	whole := make([]bool, len(items)) // held by variables
	for n, i := range items {
		if o := t.typeOf(i); o.declared() != r.declared() {
			t.p.diags.Errorf(source.TypeMismatch, i.Position(), "this is not of type %s", r.name).WithHelp("all items must have one type")
			return nil
		}
		var values []ast.Expr
		_, list := i.(*ast.Array)
		_, loop := i.(*ast.ImpliedDo)
		if of := t.typeOf(i); of == r || !t.p.isChosen(of) || list || loop {
			values = t.value(i, r, false)
		} else if o := t.valueObject(i, of); o != nil {
			values = t.seenAs(o, r)
		}
		constructor := t.isConstructor(i)
		if whole[n] = t.fixed == "" && (constructor || t.isReference(i)); whole[n] && constructor && arrays {
			values = t.kept(r, values, ast.XBase{Pos: i.Position(), End: i.EndPosition()})
		}
		for k, v := range values {
			lists[k] = append(lists[k], v)
		}
	}
	var out []ast.Expr
	for k, l := range leaves {
		if len(l.dims) == 0 {
			out = append(out, of(lists[k]))
			continue
		}
		e := builder{at}
		var count ast.Expr
		single := 0
		for i, x := range lists[k] {
			_, loop := items[i].(*ast.ImpliedDo)
			o := t.object(items[i])
			if rank := t.rank(items[i]); rank == 0 || o == nil && !whole[i] {
				single++
			} else {
				var sizes []ast.Expr
				for d := range rank {
					sizes = append(sizes, e.ref("size", clone(x), e.lit(len(l.dims)+d+1)))
				}
				if n := product(e, sizes); count == nil {
					count = n
				} else {
					count = e.plus(count, n)
				}
			}
			if loop || o == nil && !whole[i] && !isArrayValue(x) {
				t.p.errorf(at.Pos, "an array of values of type %s, which has components that are arrays", r.name).WithHelp("assign the elements one by one")
				return nil
			}
		}
		if count == nil {
			count = e.lit(single)
		} else {
			count = e.plus(count, e.lit(single))
		}
		shape := append(extents(l.dims, at), count)
		out = append(out, &ast.Index{XBase: at, Name: "reshape", NamePos: at.Pos, Args: []ast.Expr{of(lists[k]), &ast.Array{XBase: at, Items: shape, Brackets: true}}})
	}
	return out
}

// isConstructor reports whether x is a structure constructor.
func (t *unit) isConstructor(x ast.Expr) bool {
	c, is := x.(*ast.Index)
	return is && t.object(x) == nil && t.chosen(c.Name, c.Args) == nil && t.record(c.Name) != nil
}

// isReference reports whether x is a reference to a function of the program or to an operator that one defines.
func (t *unit) isReference(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Index:
		return t.object(x) == nil && t.chosen(x.Name, x.Args) != nil
	case *ast.Component:
		return t.object(x) == nil
	case *ast.Binary, *ast.Unary:
		return true
	}
	return false
}

// called executes f in front of the statement, and is what its value is made of.
func (t *unit) called(f *function, name string, pos source.Pos, args []ast.Expr, at ast.XBase) []ast.Expr {
	if o := t.resultOf(f, name, pos, args, at); o != nil {
		return t.references(o)
	}
	return nil
}

// resultOf is the variable for the value of f, which is executed in front of the statement; nil after an error.
func (t *unit) resultOf(f *function, name string, pos source.Pos, args []ast.Expr, at ast.XBase) *object {
	v := f.result()
	if v == nil {
		return nil
	}
	place := v.described()
	if place == nil && v.rank > 0 && f.unit.Elemental {
		t.p.errorf(pos, "the value of function %s is an array of type %s, and the function is ELEMENTAL", name, v.of.name).WithHelp("let it have one element")
		return nil
	}
	if t.fixed != "" {
		t.p.errorf(pos, "the value of function %s has type %s, and stands %s", name, v.of.name, t.fixed).WithHelp("assign it to a variable in front of the statement")
		return nil
	}
	kind := v.of
	if place != nil {
		kind = place.desc
	}
	to := t.temp(kind, at)
	list := t.arguments(name, args)
	rank := 0
	if f.unit.Elemental {
		for _, a := range args {
			rank = max(rank, t.rank(a))
		}
	}
	if place == nil && (v.rank > 0 || v.allocatable) {
		to = t.arrayTemp(v.of, v.rank, at)
	} else if rank > 0 {
		to = t.arrayTemp(v.of, rank, at)
	}
	named := len(args) < len(f.unit.Args)
	for _, a := range list {
		_, key := a.(*ast.Keyword)
		named = named || key
	}
	for _, l := range v.leaves() {
		x := t.reference(to, l)
		if f.unit.Elemental {
			x = ofElements(x, l, rank > 0)
		}
		if named {
			x = &ast.Keyword{XBase: at, Name: resultName(f.unit) + l.name, X: x}
		}
		list = append(list, x)
	}
	t.before = append(t.before, &ast.Call{Base: ast.Base{Pos: at.Pos}, Proc: ast.Name{Pos: pos, Name: t.specific(name, args)}, Args: list})
	if place != nil {
		return t.within(to, &component{described: place}, nil, at)
	}
	t.after = append(append(t.after, t.finalized(to)...), t.whereAllocated(to, t.emptied(to))...)
	return to
}

// arrayTemp is an array of type r and this rank, which the source does not have.
func (t *unit) arrayTemp(r *record, rank int, at ast.XBase) *object {
	s := t.scope.ofUnit()
	s.count++
	v := &variable{name: fmt.Sprintf("value%%%d", s.count), of: r, rank: rank, allocatable: true, class: t.p.isChosen(r), dynamic: t.p.isChosen(r)}
	for _, l := range r.leaves() {
		s.temps = append(s.temps, t.heldDecl(l, v.name, rank, at.Pos))
	}
	to := &object{XBase: at, root: v, of: r, name: v.name}
	if rank > 0 {
		to.groups = []group{{rank: rank}}
	}
	return to
}

// heldDecl declares part l of an allocatable variable called name of this rank: the number of a type is a scalar.
func (t *unit) heldDecl(l *leaf, name string, rank int, pos source.Pos) *ast.TypeDecl {
	if l.isNumber(t.p) {
		return leafDecl(l, &ast.TypeDecl{Base: ast.Base{Pos: pos}}, name, pos, nil, nil)
	}
	return leafDecl(l, &ast.TypeDecl{Base: ast.Base{Pos: pos}, Allocatable: true}, name, pos, make([]ast.DimSpec, rank), nil)
}

// rank is that of x, as far as elemental procedures need it: of variables, what operators, elemental and
// some other functions make of them, and array constructors.
func (t *unit) rank(x ast.Expr) int {
	if o := t.object(x); o != nil {
		n := o.rank()
		for _, g := range o.groups {
			for _, a := range g.args {
				if _, section := a.(*ast.Triplet); !section {
					n += t.rank(a)
				}
			}
		}
		return n
	}
	most := func(list ...ast.Expr) (n int) {
		for _, x := range list {
			n = max(n, t.rank(x))
		}
		return n
	}
	switch x := x.(type) {
	case *ast.Ident:
		return t.rankOf(x.Name)
	case *ast.Paren:
		return t.rank(x.X)
	case *ast.Keyword:
		return t.rank(x.X)
	case *ast.Unary:
		return t.rank(x.X)
	case *ast.Binary:
		if f := t.chosen(ast.OperatorName(x.Op), []ast.Expr{x.X, x.Y}); f != nil && !f.unit.Elemental && f.result() != nil {
			return f.result().rank
		}
		return most(x.X, x.Y)
	case *ast.Array:
		return 1
	case *ast.Substring:
		if id, ok := x.Base.(*ast.Ident); ok {
			return t.rankOf(id.Name)
		}
		return t.rank(x.Base)
	case *ast.Component:
		if m, of := t.method(x.Base, x.Name); m != nil {
			args := t.passed(m, x.Base, of, x.Args)
			switch f := t.chosen(m.name, args); {
			case f == nil:
			case f.unit.Elemental:
				return most(args...)
			case f.result() != nil:
				return f.result().rank
			}
		}
	case *ast.CoIndex:
		return t.rank(x.Base)
	case *ast.Index:
		if n := t.rankOf(x.Name); n > 0 {
			n = 0
			for _, a := range x.Args {
				if _, section := a.(*ast.Triplet); section {
					n++
				} else {
					n += t.rank(a)
				}
			}
			return n
		}
		switch {
		case len(x.Args) == 0 && len(t.candidates(t.p, x.Name)) == 0 || t.declared(x.Name) && t.function(t.p, x.Name) == nil:
		case len(t.candidates(t.p, x.Name)) > 0:
			switch f := t.chosen(x.Name, x.Args); {
			case f == nil:
			case f.unit.Elemental:
				return most(x.Args...)
			case f.result() != nil:
				return f.result().rank
			}
		case t.record(x.Name) != nil: // a structure constructor
		case x.Name == "cshift" || x.Name == "eoshift":
			return t.rank(x.Args[0])
		case !reduces[x.Name] && !inquiries[x.Name]:
			return most(x.Args...)
		}
	}
	return 0
}

// reduces are the intrinsics that make single values of arrays.
var reduces = map[string]bool{"sum": true, "product": true, "maxval": true, "minval": true, "count": true, "any": true, "all": true, "parity": true,
	"iall": true, "iany": true, "iparity": true, "norm2": true, "dot_product": true}

// kept assigns parts to a variable of type r in front of the statement, and is what that is made
// of.
func (t *unit) kept(r *record, parts []ast.Expr, at ast.XBase) []ast.Expr {
	if to := t.held(r, parts, at); to != nil {
		return t.references(to)
	}
	return nil
}

// held is the variable that kept assigns parts to, nil after an error.
func (t *unit) held(r *record, parts []ast.Expr, at ast.XBase) *object {
	if t.fixed != "" {
		t.p.errorf(at.Pos, "a value of type %s stands %s", r.name, t.fixed).WithHelp("assign it to a variable in front of the statement")
		return nil
	}
	to := t.temp(r, at)
	t.before = append(t.before, t.assigned(to, parts, ast.Base{Pos: at.Pos})...)
	return to
}

// temp is a variable of type r that the source does not have.
func (t *unit) temp(r *record, at ast.XBase) *object {
	s := t.scope.ofUnit()
	s.count++
	v := &variable{name: fmt.Sprintf("value%%%d", s.count), of: r}
	for _, l := range r.leaves() {
		s.temps = append(s.temps, leafDecl(l, &ast.TypeDecl{Base: ast.Base{Pos: at.Pos}}, v.name, at.Pos, nil, nil))
	}
	return &object{XBase: at, root: v, of: r, name: v.name}
}

// ofUnit is the scope of the unit, s that of it or of a construct in it.
func (s *scope) ofUnit() *scope {
	for s.outer != nil && s.outer.unit == s.unit {
		s = s.outer
	}
	return s
}

// extents are those of dims.
func extents(dims []ast.DimSpec, at ast.XBase) []ast.Expr {
	var out []ast.Expr
	for _, d := range dims {
		x := cloneOf(d.Hi)
		if d.Lo != nil {
			x = &ast.Binary{XBase: at, Op: "+", OpPos: at.Pos, X: &ast.Binary{XBase: at, Op: "-", OpPos: at.Pos, X: x, Y: clone(d.Lo)}, Y: &ast.IntLit{XBase: at, Text: "1"}}
		}
		out = append(out, x)
	}
	return out
}
