package derived

import (
	"strconv"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// object is what a designator means: a variable of a derived type or a part of one. Where of is
// nil, it is a component of another type.
type object struct {
	ast.XBase
	root   *variable
	of     *record
	comp   *component // the last one on the way
	name   string     // "b%cell", the beginning of the names of what it is made of
	store  *record    // of what SELECT TYPE sees as of: the type that it has memory for
	groups []group    // of the variable and each component that has a rank
	images []ast.Expr // of another image, or nil

	desc      *object // what it is in is described by that, and
	described *described
	whole     *object // the same, where it is all that is described
	shaped    bool    // the last group has the dimensions of what is described
}

// group is the subscripts of one part of a designator; args is nil for all of it.
type group struct {
	rank int
	args []ast.Expr
}

// rank is that of the object, where no subscript is a vector.
func (o *object) rank() int {
	n := 0
	for _, g := range o.groups {
		if g.args == nil {
			n += g.rank
		}
		for _, a := range g.args {
			if _, ok := a.(*ast.Triplet); ok {
				n++
			}
		}
	}
	return n
}

// object resolves x, as far as it is a part of a variable of a derived type; nil for anything else.
func (t *unit) object(x ast.Expr) *object {
	switch x := x.(type) {
	case *ast.Ident:
		v := t.variable(x.Name)
		if v == nil {
			return nil
		}
		if v.alias != nil {
			o := *v.alias
			o.XBase = x.XBase
			return &o
		}
		if b := v.described(); b != nil {
			return t.stored(v, b, nil, x.XBase)
		}
		o := &object{XBase: x.XBase, root: v, of: v.of, name: v.name}
		if v.rank > 0 {
			o.groups = []group{{rank: v.rank}}
		}
		return o
	case *ast.Index:
		if part := x.Part(); part != "" {
			if o := t.object(x.Args[0]); o != nil && o.of != nil {
				return t.component(o, part, nil, x.XBase)
			}
			return nil
		}
		if v := t.variable(x.Name); v != nil && v.alias == nil && v.rank > 0 {
			if b := v.described(); b != nil {
				return t.stored(v, b, x.Args, x.XBase)
			}
		}
		o := t.object(&ast.Ident{XBase: x.XBase, Name: x.Name})
		if o == nil || o.root.rank == 0 && t.variable(x.Name).alias == nil {
			return nil
		}
		if n := len(o.groups); t.variable(x.Name).alias != nil && (n == 0 || o.groups[n-1].args != nil || o.comp != nil && len(o.comp.dims) == 0) {
			return nil
		}
		return t.subscripted(o, x.Args, x.XBase)
	case *ast.Substring:
		o := t.object(x.Base)
		if o != nil && o.whole != nil && o.described.rank > 0 {
			return t.within(o.whole, &component{described: o.described}, []ast.Expr{&ast.Triplet{XBase: x.XBase, Lo: x.Lo, Hi: x.Hi}}, x.XBase)
		}
		if o == nil || len(o.groups) == 0 || o.groups[len(o.groups)-1].args != nil {
			return nil
		}
		if o.of == nil && len(o.comp.dims) == 0 {
			return nil
		}
		return t.subscripted(o, []ast.Expr{&ast.Triplet{XBase: x.XBase, Lo: x.Lo, Hi: x.Hi}}, x.XBase)
	case *ast.Component:
		o := t.object(x.Base)
		if o == nil || o.of == nil || o.of.intrinsic || o.of.component(x.Name) == nil && o.of.ancestor(x.Name) == nil {
			return nil
		}
		if c := o.of.component(x.Name); x.List && c != nil && c.of != nil && c.of.points != nil {
			return nil
		}
		var args []ast.Expr
		if x.List {
			args = x.Args
		}
		return t.component(o, x.Name, args, x.XBase)
	case *ast.CoIndex:
		o := t.object(x.Base)
		if o == nil {
			return nil
		}
		o.images, o.XBase = x.Images, x.XBase
		return o
	}
	return nil
}

// ancestor is the type called name that r extends, nil where there is none.
func (r *record) ancestor(name string) *record {
	for at := r.parent; at != nil; at = at.parent {
		if at.name == name {
			return at
		}
	}
	return nil
}

// component is o%name.
func (t *unit) component(o *object, name string, args []ast.Expr, at ast.XBase) *object {
	out := *o
	out.XBase = at
	out.whole = nil
	if a := o.of.ancestor(name); a != nil && o.of.component(name) == nil {
		out.of = a
		return &out
	}
	c := o.of.component(name)
	if c == nil {
		return nil
	}
	if c == t.p.number {
		return nil
	}
	out.of, out.comp, out.name, out.store = c.of, c, o.name+"%"+o.storage().partName(c), nil
	out.groups = append([]group(nil), o.groups...)
	if len(c.dims) > 0 {
		out.groups = append(out.groups, group{rank: len(c.dims)})
	}
	if c.described != nil {
		return t.within(&out, c, args, at)
	}
	if args != nil {
		return t.subscripted(&out, args, at)
	}
	return &out
}

// subscripted is o with subscripts for its last part.
func (t *unit) subscripted(o *object, args []ast.Expr, at ast.XBase) *object {
	n := len(o.groups)
	if n == 0 || o.groups[n-1].args != nil || o.comp != nil && len(o.comp.dims) == 0 {
		t.p.errorf(at.Pos, "subscripts behind %s, which has no rank", o.name).WithHelp("remove them")
		return o
	}
	out := *o
	out.XBase = at
	out.groups = append([]group(nil), o.groups...)
	if out.groups[n-1].args = args; len(args) != out.groups[n-1].rank {
		t.p.diags.Errorf(source.RankMismatch, at.Pos, "%s has %d dimensions and %d subscripts", o.name, out.groups[n-1].rank, len(args)).
			WithHelp("write one subscript for each dimension")
	}
	return &out
}

// reference is the part of o that l is, of which extra dimensions stand in front of those of o;
// o itself where l is nil.
func (t *unit) reference(o *object, l *leaf) ast.Expr {
	if l != nil && l.path[0] == t.p.number && o.comp == nil && o.desc == nil && o.root.class && (!o.root.dynamic || o.root.allocatable) {
		return &ast.Ident{XBase: o.XBase, Name: o.root.name + l.name} // of all elements, and on all images
	}
	name, own := o.name, 0
	if o.images != nil && l != nil && l.owned() {
		return t.notThere(o)
	}
	if o.shaped {
		if o.images != nil {
			return t.notThere(o)
		}
		name = t.shape(o)
	}
	if l != nil {
		own = len(l.dims)
		name += l.storedName(o.store)
	}
	whole := true
	for _, g := range o.groups {
		whole = whole && g.args == nil
	}
	if o.images != nil && o.root.rank == 0 && (own > 0 || len(o.groups) > 0) {
		whole = false // an array component of another image is named by a section
	}
	there := t.openThere(o, name)
	var x ast.Expr = &ast.Ident{XBase: o.XBase, Name: name}
	if !whole {
		all := func() ast.Expr { return &ast.Triplet{XBase: o.XBase} }
		var args []ast.Expr
		for k := 0; k < own; k++ {
			if there != nil {
				args = append(args, t.everything(there, k+1, o.XBase))
			} else {
				args = append(args, all())
			}
		}
		for i := len(o.groups) - 1; i >= 0; i-- {
			g := o.groups[i]
			for k := 0; k < g.rank; k++ {
				if there != nil && (g.args == nil || k >= len(g.args) || isColon(g.args[k])) {
					args = append(args, t.everything(there, len(args)+1, o.XBase))
				} else if g.args == nil || k >= len(g.args) {
					args = append(args, all())
				} else {
					args = append(args, t.expr(clone(g.args[k])))
				}
			}
		}
		x = element(o.XBase, name, args)
	}
	if there != nil {
		return &ast.CoIndex{XBase: o.XBase, Base: x, Images: t.apartImages(o)}
	}
	if o.images != nil {
		c := &ast.CoIndex{XBase: o.XBase, Base: x}
		for _, i := range o.images {
			c.Images = append(c.Images, t.expr(clone(i)))
		}
		return c
	}
	return x
}

// storedName is the end of the name of l in what is stored as r, which may be nil.
func (l *leaf) storedName(r *record) string {
	if r == nil {
		return l.name
	}
	first := l.path[0]
	return "%" + r.partName(first) + l.name[len("%"+first.name):]
}

// element is name(args), as the parser writes it.
func element(at ast.XBase, name string, args []ast.Expr) ast.Expr {
	if r, ok := args[0].(*ast.Triplet); ok && len(args) == 1 && r.Step == nil {
		return &ast.Substring{XBase: at, Base: &ast.Ident{XBase: at, Name: name}, Lo: r.Lo, Hi: r.Hi}
	}
	return &ast.Index{XBase: at, Name: name, NamePos: at.Pos, Args: args}
}

// numbered is o where it is seen as a whole: a component of all elements of an array is a
// section, whose lower bounds are 1.
func (o *object) numbered() *object {
	n := len(o.groups)
	if o.comp == nil || n == 0 || len(o.comp.dims) > 0 || o.groups[n-1].args != nil {
		return o
	}
	out := *o
	out.groups = append([]group(nil), o.groups...)
	for range out.groups[n-1].rank {
		out.groups[n-1].args = append(out.groups[n-1].args, &ast.Triplet{XBase: o.XBase})
	}
	return &out
}

// ownBounds is the array that has, in its first dimensions, the bounds of o: a component that is an
// array, of an element; nil for anything else.
func (o *object) ownBounds() ast.Expr {
	n := len(o.groups)
	if o.comp == nil || o.of != nil || len(o.comp.dims) == 0 || n < 2 || o.groups[n-1].args != nil || o.images != nil {
		return nil
	}
	return &ast.Ident{XBase: o.XBase, Name: o.name}
}

// boundOf is lbound(x, k) or ubound(x, k).
func boundOf(name string, x ast.Expr, k int, rest ...ast.Expr) ast.Expr {
	at := ast.XBase{Pos: x.Position(), End: x.EndPosition()}
	args := append([]ast.Expr{clone(x), &ast.IntLit{XBase: at, Text: strconv.Itoa(k)}}, rest...)
	return &ast.Index{XBase: at, Name: name, NamePos: at.Pos, Args: args}
}

// references are what o is made of, each as an expression.
func (t *unit) references(o *object) []ast.Expr {
	var out []ast.Expr
	for _, l := range o.of.leaves() {
		out = append(out, t.reference(o, l))
	}
	return out
}

// isNumber reports whether l is the number of the type that all elements of o have.
func (o *object) isNumber(l *leaf) bool {
	return l.comp.name == typeNumber && len(l.path) == 1 && o.root != nil && o.root.class && o.comp == nil
}

// first is the first part of o that is not its number.
func (o *object) first() *leaf {
	leaves := o.of.leaves()
	if len(leaves) > 1 && o.isNumber(leaves[0]) {
		return leaves[1]
	}
	return leaves[0]
}

// plainest is the part of o that has the dimensions of o and no others; nil where
// all components are arrays.
func (o *object) plainest() *leaf {
	for _, l := range o.of.leaves() {
		if len(l.dims) == 0 && !o.isNumber(l) {
			return l
		}
	}
	return nil
}
