package lower

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// codimension is one of a coarray: its lower bound and extent. The last one has as many
// as the images need, and n is nil.
//
//	real :: a(10)[2,*]                  image of a(i)[p,q]: image_index(1,2,p, 1,0,q)
//	real, allocatable :: b(:)[:,:]      with the scalars b_colo1, b_coext1, b_colo2
//	allocate (b(n)[px,0:*])
type codimension struct{ lo, n ir.Expr }

type codimensions []codimension

// scalars are the variables that say what the codimensions of an allocatable coarray are.
func (c codimensions) scalars() (list []*ir.Symbol) {
	for _, d := range c {
		for _, e := range []ir.Expr{d.lo, d.n} {
			if v, ok := e.(*ir.Var); ok {
				list = append(list, v.Sym)
			}
		}
	}
	return list
}

// shifts reports whether an ALLOCATE of the file gives a coarray with one codimension another lower
// bound than 1, as in "allocate (a[0:*])". MOVE_ALLOC and arguments may give it to any other one.
func shifts(f *ast.File) (found bool) {
	allocates(f, func(a *ast.Allocate) {
		for _, x := range a.Args {
			co, is := x.(*ast.CoIndex)
			if !is || len(co.Images) != 1 {
				continue
			}
			if t, is := co.Images[0].(*ast.Triplet); is && t.Lo != nil && ast.UnparseExpr(t.Lo) != "1" {
				found = true
			}
		}
	})
	return found
}

// allocates calls visit with each ALLOCATE of a file.
func allocates(f *ast.File, visit func(*ast.Allocate)) {
	for u := range f.Units() {
		ast.Each(u.Body, func(s ast.Stmt) {
			if a, is := s.(*ast.Allocate); is && !a.Free {
				visit(a)
			}
		})
	}
}

// declaredCobounds are the codimensions that s is declared with. Those of an allocatable coarray
// are variables, which ALLOCATE sets, but a single one begins with 1 unless the program has shifts.
func (l *lowerer) declaredCobounds(s *ir.Symbol, codims []ast.DimSpec, pos source.Pos) (list codimensions) {
	value := func(e ast.Expr) ir.Expr {
		switch {
		case e == nil:
			return l.intConst(1, pos)
		case l.binding != nil:
			return l.binding.captured(l.binding.bound(e), pos)
		}
		n, _ := l.constInt(e, "a bound of a codimension")
		return l.intConst(n, pos)
	}
	scalar := func(text string, k int) ir.Expr {
		v := l.local(fmt.Sprintf("%s_%s%d", s.Source(), text, k+1), ir.Integer, pos)
		v.Init = l.intConst(1, pos)
		l.mention[v], l.typed[v] = true, pos
		return varOf(v, pos)
	}
	for k, d := range codims {
		c := codimension{}
		deferred, last := d.Hi == nil, k == len(codims)-1
		switch {
		case !deferred:
			c.lo = value(d.Lo)
		case len(codims) == 1 && !l.shifts:
			c.lo = l.intConst(1, pos)
		default:
			c.lo = scalar("colo", k)
		}
		switch {
		case last:
		case deferred:
			c.n = scalar("coext", k)
		default:
			c.n = l.extentOf(ir.Clone(c.lo), value(d.Hi), pos)
		}
		list = append(list, c)
	}
	return list
}

// allocatedCobounds sets what ALLOCATE says of the codimensions of s; co is its item, nil
// where it has none in brackets.
func (l *lowerer) allocatedCobounds(s *ir.Symbol, co *ast.CoIndex, pos source.Pos, pre *[]ir.Stmt) bool {
	codims := l.cobounds[s]
	switch {
	case s.Apart && co == nil:
		return true
	case s.Apart:
		l.errorf(codeOutside, pos, "ALLOCATE of %s of another image", s.Source()).WithHelp("each image allocates its own")
		return false
	case s.Coarray && (l.outOfCritical("ALLOCATE of a coarray", pos) || l.unordered("ALLOCATE of a coarray", pos)):
		return false
	case s.Coarray != (co != nil):
		if s.Coarray {
			l.errorf(codeRank, pos, "ALLOCATE of coarray %s has no codimensions", s.Source()).WithHelp("write [*] behind it")
		} else {
			l.errorf(codeRank, pos, "%s is no coarray, and ALLOCATE gives it codimensions", s.Source()).WithHelp("remove what stands in brackets, or declare it with [:]")
		}
		return false
	case co == nil:
		return true
	case len(co.Images) != len(codims):
		l.errorf(codeRank, pos, "coarray %s has %s, ALLOCATE gives %d", s.Source(), count(len(codims), "codimension"), len(co.Images)).
			WithHelp("give all of them, and * for the last")
		return false
	}
	for k, e := range co.Images {
		var lo, hi ast.Expr = nil, e
		if t, ok := e.(*ast.Triplet); ok {
			lo, hi = t.Lo, t.Hi
		}
		if last := k == len(codims)-1; last != isStar(hi) {
			l.errorf(codeRank, e.Position(), "codimension %d of %s in ALLOCATE: the last one must be *, and no other", k+1, s.Source()).
				WithHelp("write [*], or the bounds of all but the last: [2,*]")
			return false
		}
		var low ir.Expr = l.intConst(1, pos)
		if lo != nil {
			if low = l.integer(lo, "a bound of a codimension"); isBad(low) {
				return false
			}
		}
		if v, ok := codims[k].lo.(*ir.Var); ok {
			*pre = append(*pre, l.set(v.Sym, low, pos))
		} else if c, ok := constOf(low); !ok || c != 1 {
			l.errorf(codeOutside, e.Position(), "the codimension of allocatable coarray %s does not begin with 1", s.Source()).
				WithHelp("write [*]: images are counted from 1")
			return false
		}
		if v, ok := codims[k].n.(*ir.Var); ok {
			high := l.integer(hi, "a bound of a codimension")
			if isBad(high) {
				return false
			}
			*pre = append(*pre, l.set(v.Sym, l.extentOf(ir.Clone(codims[k].lo), high, pos), pos))
		}
	}
	return true
}

// allocatedLength is the length that every ALLOCATE of the file gives coarray e, whose length is
// deferred; false where it is not one constant.
func (l *lowerer) allocatedLength(e *ast.Entity) (length int, ok bool) {
	differ := false
	allocates(l.file, func(a *ast.Allocate) {
		var given ast.Expr
		about := false
		for _, x := range a.Args {
			if k, is := x.(*ast.Keyword); is {
				if k.Name == "len" {
					given = k.X
				}
				continue
			}
			if co, is := x.(*ast.CoIndex); is {
				about = about || nameOf(co.Base) == e.Name
			}
		}
		if !about {
			return
		}
		n := -1
		switch x := given.(type) {
		case *ast.IntLit:
			n, _ = l.constInt(x, "a CHARACTER length")
		case *ast.Ident:
			if s := l.lookup(x.Name); s != nil && s.Param {
				n, _ = l.constInt(x, "a CHARACTER length")
			}
		}
		differ = differ || n < 0 || ok && n != length
		length, ok = n, true
	})
	return length, ok && !differ
}

// imageOf is the image that the selector of coarray s means, from 1.
func (l *lowerer) imageOf(s *ir.Symbol, name string, list []ast.Expr, pos source.Pos) ir.Expr {
	codims := l.cobounds[s]
	team, stat, subs, ok := l.selectorTeam(list, pos)
	if !ok {
		return bad(pos)
	}
	var args []ir.Expr
	for k, e := range subs {
		if _, ranged := e.(*ast.Triplet); ranged || isStar(e) {
			l.errorf(codeRank, e.Position(), "a codimension of %s, where the number of an image is needed", name).WithHelp("write the image: %s[p]", name)
			return bad(pos)
		}
		x := l.integer(e, "the image of "+name)
		if isBad(x) {
			return x
		}
		first, known := constOf(codims[k].lo)
		if len(subs) == 1 && known && first == 1 {
			if c, ok := x.(*ir.Const); ok && c.Typ.IsInteger() && c.Int < 1 {
				l.errorf(codeBounds, e.Position(), "image %d: images are counted from 1", c.Int).WithHelp("write an image from 1 to num_images()")
				return bad(pos)
			}
			return l.selects(l.initialImage(x, team, pos), stat, pos)
		}
		args = append(args, l.codimensionAt(codims[k], x, pos)...)
	}
	return l.selects(l.initialImage(l.imageIndexOf(args, team, pos), team, pos), stat, pos)
}

// codimensionAt is what image_index of the run time takes for a codimension: its lower bound, its
// extent or 0, and the cosubscript.
func (l *lowerer) codimensionAt(c codimension, x ir.Expr, pos source.Pos) []ir.Expr {
	var n ir.Expr = l.intConst(0, pos)
	if c.n != nil {
		n = ir.Clone(c.n)
	}
	var out []ir.Expr
	for _, a := range []ir.Expr{ir.Clone(c.lo), n, x} {
		out = append(out, l.convert(a, ir.Integer))
	}
	return out
}

// imageIndexOf is the index in a team of the image with the cosubscripts that args say.
func (l *lowerer) imageIndexOf(args []ir.Expr, team ir.Expr, pos source.Pos) ir.Expr {
	call := &ir.Call{X: ir.X{Pos: pos, Typ: ir.Integer}, Name: "image_index", Args: args}
	if l.teams != nil {
		call.Name, call.Args = "team_index", append([]ir.Expr{ir.Clone(team)}, args...)
	}
	return call
}

// imageQuery lowers this_image, num_images, image_index, lcobound and ucobound.
func (l *lowerer) imageQuery(e *ast.Index) ir.Expr {
	if len(e.Args) == 0 && (e.Name == "this_image" || e.Name == "num_images") {
		return l.ofImages(e.Name, e.Pos)
	}
	if e.Name == "num_images" || e.Name == "this_image" && len(e.Args) == 1 && isKeyword(e.Args[0], "team") {
		return l.inTeamOf(e)
	}
	second := "dim"
	if e.Name == "image_index" {
		second = "sub"
	}
	args := l.ordered(e, 1, "coarray", second, "team")
	if args == nil {
		return bad(e.Pos)
	}
	id, _ := args[0].(*ast.Ident)
	var s *ir.Symbol
	if id != nil {
		s = l.lookup(id.Name)
	}
	codims := l.cobounds[s]
	if s == nil || codims == nil {
		l.errorf(codeArgument, args[0].Position(), "the argument of %s is no coarray", e.Name).WithHelp("write the name of a coarray")
		return bad(e.Pos)
	}
	var team ir.Expr
	if l.teams != nil {
		if team = l.teamOf(args[2], e.Pos); team == nil {
			return bad(e.Pos)
		}
	}
	if e.Name == "image_index" {
		return l.imageIndex(e, s, args[1], team)
	}
	if args[1] == nil {
		l.errorf(codeOutside, e.Pos, "%s of all codimensions is an array, and a single value is needed here", e.Name).
			WithHelp("write %s(%s, 1), or assign it to an array first", e.Name, id.Name)
		return bad(e.Pos)
	}
	dim := l.integer(args[1], "the codimension of "+e.Name)
	if isBad(dim) {
		return dim
	}
	value := func(d int) ir.Expr { return l.convert(l.cobound(e.Name, codims, d, team, e.Pos), ir.Integer) }
	d, known := constOf(dim)
	if known && (d < 1 || d > len(codims)) {
		l.errorf(codeRank, args[1].Position(), "codimension %d of %s, which has %d", d, id.Name, len(codims)).WithHelp("write a number from 1 to %d", len(codims))
		return bad(e.Pos)
	}
	if known {
		return value(d - 1)
	}
	out := value(len(codims) - 1)
	for d := len(codims) - 2; d >= 0; d-- {
		is := l.bin(ir.Eq, ir.Clone(dim), l.intConst(d+1, e.Pos), e.Pos, e.Pos)
		out = &ir.Call{X: ir.X{Pos: e.Pos, Typ: ir.Integer}, Name: "merge", Args: []ir.Expr{value(d), out, is}}
	}
	return out
}

func isKeyword(e ast.Expr, name string) bool {
	k, ok := e.(*ast.Keyword)
	return ok && k.Name == name
}

// cobound is lcobound, ucobound or this_image in codimension d, from 0; team is nil in programs
// without teams.
func (l *lowerer) cobound(name string, codims codimensions, d int, team ir.Expr, pos source.Pos) ir.Expr {
	lo := codims[d].lo
	if name == "lcobound" {
		return ir.Clone(lo)
	}
	var before ir.Expr = l.intConst(1, pos) // images in one step of d
	for _, c := range codims[:d] {
		before = l.times(before, ir.Clone(c.n), pos)
	}
	images := func() ir.Expr {
		if team == nil {
			return l.ofImages("num_images", pos)
		}
		return l.ofTeam("team_size", pos, ir.Clone(team))
	}
	image := func() ir.Expr {
		if team == nil {
			return l.ofImages("this_image", pos)
		}
		return l.ofTeam("team_image", pos, ir.Clone(team))
	}
	over := func(x ir.Expr) ir.Expr { // (x-1)/before
		x = l.minus(x, l.intConst(1, pos), pos)
		if isOne(before) {
			return x
		}
		return l.bin(ir.Div, x, l.convert(before, ir.Integer), pos, pos)
	}
	var at ir.Expr
	switch n := codims[d].n; {
	case name == "ucobound" && n == nil:
		at = over(images())
	case name == "ucobound":
		at = l.minus(ir.Clone(n), l.intConst(1, pos), pos)
	case n == nil:
		at = over(image())
	default:
		at = l.ofTeam("mod", pos, over(image()), ir.Clone(n))
	}
	return l.plus(ir.Clone(lo), at, pos)
}

// imageIndex lowers image_index(s, sub [, team]).
func (l *lowerer) imageIndex(e *ast.Index, s *ir.Symbol, sub ast.Expr, team ir.Expr) ir.Expr {
	codims := l.cobounds[s]
	var list []ast.Expr
	switch x := sub.(type) {
	case *ast.Array:
		list = x.Items
	case *ast.Ident:
		if t := l.lookup(x.Name); isArray(t) && len(t.Dims) == 1 {
			for k := range codims {
				list = append(list, &ast.Index{XBase: x.XBase, Name: x.Name, NamePos: x.Pos,
					Args: []ast.Expr{&ast.IntLit{XBase: x.XBase, Text: strconv.Itoa(k + 1)}}})
			}
		}
	}
	if len(list) != len(codims) {
		l.errorf(codeArgument, e.Pos, "image_index needs the cosubscripts of %s as an array of %d", s.Source(), len(codims)).
			WithHelp("write image_index(%s, [i, j]) with a value for each codimension", s.Source())
		return bad(e.Pos)
	}
	var at []ir.Expr
	for k, item := range list {
		x := l.integer(item, "a cosubscript")
		if isBad(x) {
			return x
		}
		at = append(at, l.codimensionAt(codims[k], x, e.Pos)...)
	}
	return l.imageIndexOf(at, team, e.Pos)
}

// withCodimensions is s, where each this_image(a), lcobound(a) and ucobound(a) is the array of its values.
func (l *lowerer) withCodimensions(s ast.Stmt) ast.Stmt {
	if !l.prog.SPMD {
		return s
	}
	inquires := func(x ast.Expr) bool { return l.eachCodimension(x) != x }
	if !slices.ContainsFunc(ast.Exprs(s), func(x *ast.Expr) bool { return ast.Any(*x, inquires) }) {
		return s
	}
	var replaced func(x ast.Expr) ast.Expr
	replaced = func(x ast.Expr) ast.Expr {
		if x = l.eachCodimension(x); !ast.Any(x, inquires) {
			return x
		}
		x = ast.Copy(x)
		for _, part := range ast.Parts(x) {
			*part = replaced(*part)
		}
		return x
	}
	c := ast.Copy(s)
	for _, x := range ast.Exprs(c) {
		*x = replaced(*x)
	}
	return c
}

// eachCodimension is e, where it is this_image(a), lcobound(a) or ucobound(a), as the array of its values.
func (l *lowerer) eachCodimension(e ast.Expr) ast.Expr {
	x, ok := e.(*ast.Index)
	if ok && imageLists[x.Name] != "" && l.lookup(x.Name) == nil {
		return l.imagesOf(x)
	}
	if !ok || len(x.Args) != 1 || x.Name != "this_image" && x.Name != "lcobound" && x.Name != "ucobound" || l.lookup(x.Name) != nil {
		return e
	}
	id, ok := x.Args[0].(*ast.Ident)
	if !ok || l.cobounds[l.lookup(id.Name)] == nil {
		return e
	}
	out := &ast.Array{XBase: x.XBase}
	for k := range l.cobounds[l.lookup(id.Name)] {
		c := *x
		c.Args = []ast.Expr{id, &ast.IntLit{XBase: x.XBase, Text: strconv.Itoa(k + 1)}}
		out.Items = append(out.Items, &c)
	}
	return out
}

// imagesOf is failed_images or stopped_images as what it is made of:
//
//	pack([(k, k = 1, num_images())], [(image_state(k) == stat_failed_image, k = 1, num_images())])
func (l *lowerer) imagesOf(x *ast.Index) ast.Expr {
	var kind ast.Expr
	for i, a := range x.Args {
		k, named := a.(*ast.Keyword)
		switch {
		case named && k.Name == "kind":
			kind = k
		case !named && i == 1:
			kind = &ast.Keyword{XBase: x.XBase, Name: "kind", X: a}
		default:
			l.errorf(codeOutside, a.Position(), "%s of another team than the current one", x.Name).WithHelp("write %s(): its value is about the current team", x.Name)
		}
	}
	at := x.XBase
	name := func(n string) *ast.Ident { return &ast.Ident{XBase: at, Name: n} }
	call := func(n string, args ...ast.Expr) ast.Expr {
		return &ast.Index{XBase: at, Name: n, NamePos: at.Pos, Args: args}
	}
	const index = "image%"
	if l.lookup(index) == nil {
		l.ofUnit().names[index] = l.temp("image", ir.Integer, 0, x.Pos)
	}
	each := func(item ast.Expr) ast.Expr {
		do := &ast.ImpliedDo{XBase: at, Items: []ast.Expr{item}, Var: ast.Name{Pos: at.Pos, Name: index}, Lo: &ast.IntLit{XBase: at, Text: "1"}, Hi: call("num_images")}
		return &ast.Array{XBase: at, Items: []ast.Expr{do}, Brackets: true}
	}
	status := strconv.Itoa(IntrinsicConstants["iso_fortran_env"][imageLists[x.Name]])
	is := &ast.Binary{XBase: at, Op: "==", OpPos: at.Pos, X: call("image_state%", name(index)), Y: &ast.IntLit{XBase: at, Text: status}}
	list := call("pack", each(name(index)), each(is))
	if kind != nil {
		return call("int", list, kind)
	}
	return list
}

// imageStatus lowers IMAGE_STATUS(image [, team]).
func (l *lowerer) imageStatus(c *call) ir.Expr {
	if !c.args[0].Type().IsInteger() {
		return l.wrong(c, 0, "INTEGER")
	}
	image := c.args[0]
	if l.teams != nil {
		image = l.initialImage(image, varOf(l.teams.current, c.Pos), c.Pos)
	}
	return l.statusOfImage(image, c.Pos)
}

// statusOfImage is the status of an image of the initial team, in front of the statement in hand.
func (l *lowerer) statusOfImage(image ir.Expr, pos source.Pos) ir.Expr {
	t := l.temp("status", ir.Integer, 0, pos)
	l.prelude = append(l.prelude, &ir.Read{S: ir.S{Pos: pos}, What: "image_status image= stat", Given: []ir.Expr{image}, Items: []*ir.Var{varOf(t, pos)}})
	return varOf(t, pos)
}
