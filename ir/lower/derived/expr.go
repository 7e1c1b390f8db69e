package derived

import (
	"strings"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// inquiries are the intrinsics that ask about a variable as a whole, not its value.
var inquiries = map[string]bool{"size": true, "lbound": true, "ubound": true, "shape": true, "allocated": true, "associated": true, "present": true,
	"this_image": true, "lcobound": true, "ucobound": true, "image_index": true}

// coinquiries are those about codimensions.
var coinquiries = map[string]bool{"this_image": true, "lcobound": true, "ucobound": true, "image_index": true, "coshape": true}

// expr is x, which has no derived type, without components and arguments of derived types.
func (t *unit) expr(x ast.Expr) ast.Expr {
	if x == nil {
		return nil
	}
	x = t.viaPointer(x)
	if o := t.object(x); o != nil {
		if o.of != nil {
			t.p.diags.Errorf(source.TypeMismatch, o.Pos, "%s is of type %s, which cannot stand here", o.name, o.of.name).WithHelp("write its components")
			return x
		}
		return t.reference(o, nil)
	}
	switch y := x.(type) {
	case *ast.Keyword:
		if y.Name == "team" && isVariablePart(y.X) {
			return x // of an inquiry, which withTeam has made
		}
		if y.Name == "team" { // of an image selector
			team := t.team(y.X)
			if team == nil {
				return x
			}
			return &ast.Keyword{XBase: y.XBase, Name: y.Name, X: team}
		}
	case *ast.Component:
		if m, of := t.method(y.Base, y.Name); m != nil {
			return t.functionRef(m.name, y.NamePos, t.passed(m, y.Base, of, y.Args), y.XBase)
		}
		t.unknown(y)
		return x
	case *ast.Index:
		if t.declared(y.Name) && t.variable(y.Name) == nil {
			break
		}
		if t.record(y.Name) != nil {
			t.p.diags.Errorf(source.TypeMismatch, y.Pos, "a value of type %s cannot stand here", y.Name).WithHelp("assign it to a variable, and write its components")
			return x
		}
		return t.functionRef(y.Name, y.NamePos, y.Args, y.XBase)
	case *ast.Binary:
		if t.typeOf(y.X) != nil || t.typeOf(y.Y) != nil {
			return t.functionRef(ast.OperatorName(y.Op), y.OpPos, []ast.Expr{y.X, y.Y}, y.XBase)
		}
	case *ast.Unary:
		if t.typeOf(y.X) != nil {
			return t.functionRef(ast.OperatorName(y.Op), y.Pos, []ast.Expr{y.X}, y.XBase)
		}
	case *ast.Substring:
		// b%name(2:3) of all elements of b is a part of each.
		if o := t.object(y.Base); o != nil && o.of == nil && o.comp != nil && o.numbered() != o {
			return &ast.Substring{XBase: y.XBase, Base: t.reference(o.numbered(), nil), Lo: t.expr(y.Lo), Hi: t.expr(y.Hi)}
		}
	case *ast.ImpliedDo:
		c := *y
		c.Items = t.looped(y, func() []ast.Expr { return t.items(y.Items) })
		c.Lo, c.Hi, c.Step = t.expr(y.Lo), t.expr(y.Hi), t.expr(y.Step)
		return &c
	}
	return rebuilt(x, t.expr)
}

// unknown reports x, which is no component that is known.
func (t *unit) unknown(x *ast.Component) {
	switch o := t.object(x.Base); {
	case o == nil && hasComponent(x.Base):
		t.expr(x.Base)
	case o == nil:
		t.p.diags.Errorf(source.TypeMismatch, x.Pos, "%s has no components", ast.UnparseExpr(x.Base)).
			WithHelp("declare it as type(name); a COMPLEX number has the parts %%re and %%im")
	case o.of == nil:
		t.p.diags.Errorf(source.TypeMismatch, x.NamePos, "%s has no components", o.name).WithHelp("remove %%%s", x.Name)
	default:
		t.p.diags.Errorf(source.UndeclaredName, x.NamePos, "type %s has no component %s", o.of.name, x.Name).WithHelp("declare it in the type")
	}
}

// functionRef is name(args), where the value has no derived type.
func (t *unit) functionRef(name string, pos source.Pos, args []ast.Expr, at ast.XBase) ast.Expr {
	if f := t.chosen(name, args); f != nil && f.result() != nil {
		t.p.diags.Errorf(source.TypeMismatch, pos, "the value of %s has type %s, which cannot stand here", name, f.result().of.name).
			WithHelp("assign it to a variable, and write its components")
		return &ast.IntLit{XBase: at, Text: "0"}
	}
	if teamFunctions[name] && t.function(t.p, name) == nil {
		args = t.withTeam(args)
	}
	if x := t.isAssociated(name, args, at); x != nil {
		return x
	}
	if x := t.typeInquiry(name, args, at); x != nil {
		return x
	}
	if o := t.onlyChosen(name, args); o != nil {
		return &ast.Paren{XBase: at, X: &ast.Binary{XBase: at, Op: "/=", OpPos: pos, X: t.typeNumber(o), Y: &ast.IntLit{XBase: at, Text: "0"}}}
	}
	if inquiries[name] && t.function(t.p, name) == nil && len(args) > 0 {
		return t.inquiry(name, pos, args, at)
	}
	return &ast.Index{XBase: at, Name: t.specific(name, args), NamePos: pos, Args: t.arguments(name, args)}
}

// samePlace is x, which is ASSOCIATED, of o and an object that it may point to: of their first parts.
func (t *unit) samePlace(x *ast.Index, o *object, with ast.Expr) ast.Expr {
	to := t.object(with)
	if to == nil || to.of != o.of || len(o.of.leaves()) == 0 {
		t.p.errorf(with.Position(), "%s points to type %s, and this has another type or is no variable", o.name, o.of.name).WithHelp("name a variable of type %s, or a part of one", o.of.name)
		return x
	}
	l := o.of.leaves()[0]
	x.Args = []ast.Expr{t.reference(o, l), t.reference(to, l)}
	return x
}

// inquiry is an inquiry about what may have a derived type.
func (t *unit) inquiry(name string, pos source.Pos, args []ast.Expr, at ast.XBase) ast.Expr {
	x := &ast.Index{XBase: at, Name: name, NamePos: pos}
	if name == "associated" {
		if y := t.associatedPlace(args, at); y != nil {
			return y
		}
	}
	if y := t.describedInquiry(name, args, at); y != nil {
		return y
	}
	o := t.object(args[0])
	if o != nil && o.root.beside() && coinquiries[name] {
		x.Args = []ast.Expr{ident(o.root.name+present, args[0])}
		for _, a := range args[1:] {
			x.Args = append(x.Args, t.expr(a))
		}
		return x
	}
	if o != nil && (name == "lbound" || name == "ubound") {
		if whole := o.ownBounds(); whole != nil {
			return t.ownBounds(name, whole, o.comp, args[1:], at)
		}
		o = o.numbered()
	}
	switch {
	case name == "allocated" || name == "lbound" && len(args) > 1 || name == "ubound" && len(args) > 1:
		if c := t.there(args[0]); c != nil {
			x.Args = []ast.Expr{c}
			for _, a := range args[1:] {
				x.Args = append(x.Args, t.expr(a))
			}
			return x
		}
		if name == "allocated" && o != nil && o.comp == nil && o.root.presence() {
			x.Args = []ast.Expr{ident(o.name+present, args[0])}
			return x
		}
	}
	if r := t.typeOf(args[0]); o == nil && r != nil {
		return t.valueInquiry(name, r, args, at)
	}
	if o == nil {
		x.Args = t.arguments(name, args)
		return x
	}
	if o.of == nil {
		x.Args = append([]ast.Expr{t.reference(o, nil)}, t.arguments(name, args[1:])...)
		return x
	}
	if name == "associated" && len(args) == 2 {
		return t.samePlace(x, o, args[1])
	}
	l := o.plainest()
	if name == "present" && len(o.of.leaves()) > 0 {
		l = o.of.leaves()[0] // the number is always passed
	}
	if l == nil && len(o.of.leaves()) > 0 {
		if l = o.of.leaves()[0]; name == "size" || name == "shape" || name == "lbound" || name == "ubound" {
			return t.outerShape(name, t.reference(o, l), len(l.dims), o.rank(), args[1:], at)
		}
	}
	if l == nil {
		t.p.errorf(pos, "%s of %s, which has no components", strings.ToUpper(name), o.name).WithHelp("give the type a component")
		return x
	}
	x.Args = append(x.Args, t.reference(o, l))
	for _, a := range args[1:] {
		x.Args = append(x.Args, t.expr(a))
	}
	return x
}

// valueInquiry is SIZE, SHAPE, LBOUND or UBOUND of the first argument, a value of type r.
func (t *unit) valueInquiry(name string, r *record, args []ast.Expr, at ast.XBase) ast.Expr {
	values := t.value(args[0], r, false)
	for k, l := range r.leaves() {
		if k < len(values) && len(l.dims) == 0 && !l.isNumber(t.p) {
			return builder{at}.ref(name, append([]ast.Expr{values[k]}, t.arguments(name, args[1:])...)...)
		}
	}
	if len(values) == 0 {
		return &ast.IntLit{XBase: at, Text: "0"}
	}
	return t.outerShape(name, values[0], len(r.leaves()[0].dims), t.rank(args[0]), args[1:], at)
}

// outerShape is SIZE, SHAPE, LBOUND or UBOUND of an array of this rank, of which x is a part: its first
// own dimensions are those of a component.
func (t *unit) outerShape(name string, x ast.Expr, own, rank int, args []ast.Expr, at ast.XBase) ast.Expr {
	e := builder{at}
	var rest []ast.Expr
	for i, a := range args {
		k, key := a.(*ast.Keyword)
		if key && k.Name == "kind" || !key && (i > 0 || name == "shape") {
			rest = append(rest, a)
			continue
		}
		if key {
			a = k.X
		}
		return e.ref(name, append([]ast.Expr{x, e.plus(t.expr(a), e.lit(own))}, args[1:]...)...)
	}
	each := name
	if name == "shape" {
		each = "size"
	}
	var list []ast.Expr
	for k := 1; k <= rank; k++ {
		list = append(list, boundOf(each, x, own+k, rest...))
	}
	if name == "size" {
		return &ast.Paren{XBase: at, X: product(e, list)}
	}
	return &ast.Array{XBase: at, Items: list, Brackets: true}
}

// ownBounds is LBOUND or UBOUND of component c, of an element of an array: those of the first
// dimensions of whole.
func (t *unit) ownBounds(name string, whole ast.Expr, c *component, args []ast.Expr, at ast.XBase) ast.Expr {
	var rest []ast.Expr
	for i, a := range args {
		k, key := a.(*ast.Keyword)
		if key && k.Name == "kind" {
			rest = append(rest, a)
			continue
		}
		if key {
			a = k.X
		}
		if i == 0 || key {
			return &ast.Index{XBase: at, Name: name, NamePos: at.Pos, Args: append([]ast.Expr{whole, t.expr(clone(a))}, args[1:]...)}
		}
	}
	list := &ast.Array{XBase: at, Brackets: true}
	for k := range c.dims {
		list.Items = append(list.Items, boundOf(name, whole, k+1, rest...))
	}
	return list
}

// chosen is the procedure that name(args) means, nil where that is not known here: a type or kind
// of numbers decides, or nothing has a derived type.
func (t *unit) chosen(name string, args []ast.Expr) *function {
	var fits []*function
	for _, f := range t.candidates(t.p, name) {
		if f.scope != nil && t.fits(f, args) {
			fits = append(fits, f)
		}
	}
	if len(fits) == 0 {
		return nil
	}
	for _, f := range fits[1:] {
		a, b := f.result(), fits[0].result()
		if (a == nil) != (b == nil) || a != nil && a.of != b.of {
			return nil
		}
	}
	return fits[0]
}

// fits reports whether the derived types of args are those of the dummy arguments of f.
func (t *unit) fits(f *function, args []ast.Expr) bool {
	if len(args) > len(f.unit.Args) {
		return false
	}
	for i, a := range args {
		d := dummyFor(f, i, a)
		if d == "" {
			return false
		}
		if k, ok := a.(*ast.Keyword); ok {
			a = k.X
		}
		want, have := f.variableOf(d), t.typeOf(a)
		if have != nil && have.points != nil && want == nil {
			have = nil // what it points to is passed
		}
		if want != nil && (want.pointer && isNull(a) || want.of.isAll()) {
			continue
		}
		if (want == nil) != (have == nil) || want != nil && !have.extends(want.of) {
			return false
		}
	}
	return true
}

// dummyFor is the name of the dummy argument of f that argument i, which is a, is for.
func dummyFor(f *function, i int, a ast.Expr) string {
	if f == nil {
		return ""
	}
	if k, ok := a.(*ast.Keyword); ok {
		for _, d := range f.unit.Args {
			if d.Name == k.Name {
				return d.Name
			}
		}
		return ""
	}
	if i >= len(f.unit.Args) {
		return ""
	}
	return f.unit.Args[i].Name
}

// arguments are args of a reference to procedure name, what has a derived type in its parts.
func (t *unit) arguments(name string, args []ast.Expr) []ast.Expr {
	f := t.chosen(name, args)
	var out []ast.Expr
	named := false // a part is not passed: those behind it go by their names
	for i, a := range args {
		x, key := a, ""
		if named {
			key = dummyFor(f, i, a)
			a = &ast.Keyword{XBase: ast.XBase{Pos: a.Position(), End: a.EndPosition()}, Name: key, X: a}
		}
		if k, ok := a.(*ast.Keyword); ok {
			if x, key = k.X, k.Name; named {
				if inner, ok := x.(*ast.Keyword); ok {
					x = inner.X
				}
			}
		}
		if v := t.lent(x, f, dummyFor(f, i, a)); v != nil {
			x = v
		}
		r := t.typeOf(x)
		if r != nil && r.points != nil && (f == nil || f.variableOf(dummyFor(f, i, a)) == nil) {
			x, r = t.asProcedure(x, r), nil
		}
		var leaves []*leaf
		var place *variable
		if f != nil {
			if v := f.variableOf(dummyFor(f, i, a)); v != nil && v.described() != nil {
				leaves, place = v.leaves(), v
			}
		}
		var all *variable
		if v := f.variableOf(dummyFor(f, i, a)); f != nil && r == nil && v != nil && v.of.isAll() {
			all = v
		}
		if r == nil && place == nil && all == nil {
			if key != "" {
				x = &ast.Keyword{XBase: a.(*ast.Keyword).XBase, Name: key, X: t.expr(x)}
				out = append(out, x)
				continue
			}
			out = append(out, t.expr(x))
			continue
		}
		var parts []ast.Expr
		if place != nil {
			parts = t.pointerParts(x, place, a.Position())
		} else if all != nil {
			leaves = all.leaves()
			parts = t.intrinsicParts(x, all.of)
		} else {
			if f != nil {
				if v := f.variableOf(dummyFor(f, i, a)); v != nil && r.extends(v.of) {
					r = v.of
				}
			}
			if o := t.object(x); o != nil && o.images != nil && t.p.isChosen(r) && t.p.isChosen(o.of) {
				t.p.diags.Errorf(source.BadCall, x.Position(), "%s of another image, which is polymorphic, is passed to a polymorphic argument", o.name).
					WithHelp("write it in SELECT TYPE, or assign it to a variable first")
				return out
			}
			leaves = r.leaves()
			parts = t.value(x, r, true)
			if v := f.variableOf(dummyFor(f, i, a)); f != nil && v != nil && v.beside() {
				if o := t.object(x); o != nil && o.root.beside() && len(parts) == len(leaves) {
					leaves, parts = v.leaves(), append(parts, ident(o.root.name+present, x))
				}
			}
			if f != nil && f.unit.Elemental {
				for k, l := range leaves {
					if k < len(parts) && parts[k] != nil {
						parts[k] = ofElements(parts[k], l, false)
					}
				}
			}
		}
		for k, l := range leaves {
			if k >= len(parts) {
				break
			}
			if parts[k] == nil {
				named = true
				continue
			}
			named = named || isTyped(parts[k])
			if named && key == "" {
				key = dummyFor(f, i, a)
				a = &ast.Keyword{XBase: ast.XBase{Pos: x.Position(), End: x.EndPosition()}, Name: key, X: x}
			}
			if key != "" {
				parts[k] = &ast.Keyword{XBase: a.(*ast.Keyword).XBase, Name: key + l.name, X: parts[k]}
			}
			out = append(out, parts[k])
		}
	}
	return out
}

// ofElements is x, of leaf l, as an argument of an elemental procedure that stands for the elements of
// arrays, or its value.
func ofElements(x ast.Expr, l *leaf, value bool) ast.Expr {
	if len(l.dims) == 0 && !value {
		return x
	}
	at := ast.XBase{Pos: x.Position(), End: x.EndPosition()}
	return &ast.Elements{XBase: at, X: x, Own: extents(l.dims, at), Value: value}
}

// callee is the function that x, which looks like a reference to one, names, with all of its
// arguments; the name is "" for anything else. m is nil but for one that is bound to a type.
func (t *unit) callee(x ast.Expr) (name string, args []ast.Expr, m *bound) {
	switch x := x.(type) {
	case *ast.Index:
		return x.Name, x.Args, nil
	case *ast.Component:
		m, of := t.method(x.Base, x.Name)
		if m != nil {
			return m.name, t.passed(m, x.Base, of, x.Args), m
		}
	}
	return "", nil, nil
}

// method is the procedure called name of the type of x, which is of, nil where there is none.
func (t *unit) method(x ast.Expr, name string) (m *bound, of *record) {
	if of = t.typeOf(x); of == nil {
		return nil, nil
	}
	m = of.bound[name]
	if o := t.object(x); m != nil && o != nil {
		m = t.p.actual(m, name, o, o.of)
	}
	return m, of
}

// passed are the arguments of a call of m for object x. Of a generic name they are those of the
// procedure that they fit, where its procedures get the object in different places.
func (t *unit) passed(m *bound, x ast.Expr, of *record, args []ast.Expr) []ast.Expr {
	for _, s := range m.specific {
		if s.nopass == m.nopass && s.pass == m.pass {
			continue
		}
		list := t.passed(s, x, of, args)
		for _, name := range s.target {
			if f := s.by.scope.function(t.p, name); len(list) == len(f.unit.Args) && t.fits(f, list) {
				return list
			}
		}
	}
	switch {
	case m.nopass:
		return args
	case m.pass != "":
		return append(append([]ast.Expr(nil), args...), &ast.Keyword{XBase: ast.XBase{Pos: x.Position(), End: x.EndPosition()}, Name: m.pass, X: x})
	}
	return append([]ast.Expr{x}, args...)
}
