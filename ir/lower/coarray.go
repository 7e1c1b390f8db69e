package lower

import (
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// isArray reports whether s is an array in the source: a scalar coarray is not.
func isArray(s *ir.Symbol) bool { return s != nil && s.IsArray() && !s.Cell }

// coarray makes s, which entity e declares, a coarray. It returns the dimensions
// to declare, those of one element for a scalar.
func (l *lowerer) coarray(s *ir.Symbol, d *ast.TypeDecl, e *ast.Entity, dims, codims []ast.DimSpec) []ast.DimSpec {
	one := &ast.IntLit{XBase: ast.XBase{Pos: e.Pos, End: e.Pos}, Text: "1"}
	_, isDummy := l.dummies[e.Name]
	object := l.scope.binding.of(s)
	if d.Allocatable && d.Intent == "out" && (isDummy || object != nil) {
		l.errorf(codeDeclaration, e.Pos, "the allocatable coarray %s has INTENT(OUT)", e.Name).WithHelp("write intent(inout): the images deallocate it where they all get to")
	}
	if object != nil && object.object {
		if passed := object.arg.object; !passed.Coarray {
			l.errorf(codeCall, object.arg.pos, "%s is no coarray, the dummy argument %s is one", l.scope.binding.what(object), e.Name).
				WithNote(e.Pos, "%s is declared here", e.Name).WithHelp("declare what is passed with [:], or %s without", e.Name)
		}
		if s.Cell {
			return []ast.DimSpec{{Pos: e.Pos, Hi: one}}
		}
		return dims // it is what is passed
	}
	if e.Apart {
		s.Apart = true
	}
	switch {
	case e.Apart:
	case d.Pointer:
		l.errorf(codeDeclaration, e.Pos, "coarray %s is a POINTER", e.Name).WithHelp("write ALLOCATABLE")
	case isDummy && l.unit.Elemental: // reported
	case len(dims)+len(codims) > 15:
		l.errorf(codeDeclaration, codims[0].Pos, "coarray %s has %d dimensions and %d codimensions, Fortran allows 15 together", e.Name, len(dims), len(codims)).
			WithHelp("declare it with fewer")
		return dims
	case codims[0].Hi == nil && !d.Allocatable:
		l.errorf(codeDeclaration, codims[0].Pos, "coarray %s has codimensions without bounds, and is not ALLOCATABLE", e.Name).
			WithHelp("write [*], or add the attribute ALLOCATABLE")
		return dims
	case codims[0].Hi != nil && d.Allocatable:
		l.errorf(codeDeclaration, codims[0].Pos, "%s is ALLOCATABLE and has codimensions with bounds", e.Name).
			WithHelp("write [:], and the bounds in ALLOCATE")
		return dims
	case d.Parameter:
		l.errorf(codeDeclaration, e.Pos, "coarray %s cannot be a PARAMETER", e.Name).WithHelp("remove the attribute, and assign it on each image")
		return dims
	case s.Type == ir.Character && s.Len == ir.AnyLength && !isDummy:
		l.errorf(codeOutside, e.Pos, "coarray %s is CHARACTER with a length that is not constant", e.Name).
			WithHelp("declare it with the greatest length that is needed, or give all its ALLOCATEs the same constant")
		s.Coarray = true
		return nil
	case l.unit.Kind.IsProcedure() && !isDummy && !d.Save && e.Init == nil && !d.Allocatable:
		l.errorf(codeDeclaration, e.Pos, "coarray %s of a procedure must be a dummy argument or have SAVE", e.Name).
			WithHelp("add the attribute: %s, save :: %s[*]", typeWord(s.Type), e.Name)
	}
	s.Coarray = true
	l.cobounds[s] = l.declaredCobounds(s, codims, e.Pos)
	if len(dims) == 0 {
		s.Cell = true
		dims = []ast.DimSpec{{Pos: e.Pos, Hi: one}}
	}
	return dims
}

// cell is the element that scalar coarray s is.
func (l *lowerer) cell(s *ir.Symbol, pos source.Pos) *ir.Ref {
	l.mention[s] = true
	r := &ir.Ref{X: ir.X{Pos: pos, Typ: s.Type}, Sym: s, Subs: []ir.Expr{l.intConst(1, pos)}}
	if v := l.views[s]; v != nil {
		return l.viewed(v, r)
	}
	return r
}

// coindexed lowers base[image] where base is a scalar or an element.
func (l *lowerer) coindexed(e *ast.CoIndex) ir.Expr {
	s, image := l.selector(e)
	if s == nil || isBad(image) {
		return bad(e.Pos)
	}
	if l.isPart(e.Base) {
		if l.elem != nil {
			return l.operand(e)
		}
		l.errorf(codeOutside, e.Pos, "a part of coarray %s cannot stand here", s.Source()).
			WithHelp("assign it to an array first: b(:) = %s", ast.UnparseExpr(e))
		return bad(e.Pos)
	}
	if l.pointers[s] != nil {
		s = l.pointerThere(s, image, e.Pos, func(e ir.Expr) ir.Expr { return e })
	}
	var r *ir.Ref
	switch base := e.Base.(type) {
	case *ast.Ident:
		r = l.cell(s, base.Pos)
	case *ast.Index:
		x, ok := l.element(s, base).(*ir.Ref)
		if !ok {
			return bad(e.Pos)
		}
		r = x
	default:
		l.errorf(codeType, e.Pos, "%s is a scalar and has no parts", s.Source())
		return bad(e.Pos)
	}
	return &ir.CoRef{X: ir.X{Pos: e.Pos, Typ: r.Typ}, Sym: r.Sym, Subs: r.Subs, Image: image}
}

// selector resolves name and image of a coindexed object; s is nil after an error.
func (l *lowerer) selector(e *ast.CoIndex) (s *ir.Symbol, image ir.Expr) {
	base := e.Base
	if sub, ok := base.(*ast.Substring); ok {
		base = sub.Base
	}
	name, pos := designated(e), e.Pos
	s = l.lookup(name)
	switch {
	case s != nil && s.Type == ir.Invalid:
		return nil, nil
	case s == nil || !s.Coarray:
		d := l.errorf(codeType, pos, "%s is no coarray: other images have no part of it", name)
		if s != nil {
			d.WithNote(s.Pos, "%s was declared here", name)
		}
		d.WithHelp("declare it with a codimension: %s[*]", name)
		return nil, nil
	case s.Cell && base != e.Base, s.Cell && isIndex(base):
		l.errorf(codeRank, pos, "%s is a scalar coarray and cannot have subscripts", name).WithNote(s.Pos, "%s was declared here", name)
		return nil, nil
	case !s.Cell && base == e.Base && !isIndex(base):
		if len(s.Dims) == 0 {
			return nil, nil // its declaration is reported
		}
		l.errorf(codeRank, pos, "coarray %s is an array: that of another image is named by a section", name).
			WithNote(s.Pos, "%s was declared here", name).WithHelp("write %s(%s)[image]", name, strings.Repeat(",:", len(s.Dims))[1:])
		return nil, nil
	case !l.codimensioned(s, name, e.Images):
		return nil, nil
	}
	outer := l.elem
	l.elem = nil // the image is one for all elements
	image = l.imageOf(s, name, e.Images, e.Pos)
	l.elem = outer
	if isBad(image) {
		return nil, nil
	}
	return s, image
}

// designated is the name of a coindexed object.
func designated(e *ast.CoIndex) string {
	base := e.Base
	if sub, ok := base.(*ast.Substring); ok {
		base = sub.Base
	}
	switch b := base.(type) {
	case *ast.Ident:
		return b.Name
	case *ast.Index:
		return b.Name
	}
	return ""
}

func isIndex(e ast.Expr) bool { _, ok := e.(*ast.Index); return ok }

// succeeds is out, a statement on images, and behind it STAT= of list set to 0: where out fails
// the run ends, but in programs in which images can fail STAT= gets the status. ERRMSG= keeps its
// value where nothing has failed.
func (l *lowerer) succeeds(out []ir.Stmt, list []ast.Expr) []ir.Stmt {
	for i, e := range list {
		k, ok := e.(*ast.Keyword)
		if !ok || k.Name != "stat" && k.Name != "errmsg" {
			l.errorf(codeArgument, e.Position(), "this cannot stand here").WithHelp("write STAT= or ERRMSG=")
			return nil
		}
		if l.twice(list[:i], k) {
			return nil
		}
		x := l.target(k.X)
		switch {
		case isBad(x):
			return nil
		case k.Name == "errmsg":
			if x.Type() != ir.Character {
				l.errorf(codeType, k.X.Position(), "the variable of ERRMSG= is %s, it must be CHARACTER", x.Type())
				return nil
			}
		case !x.Type().IsInteger():
			l.errorf(codeType, k.X.Position(), "the variable of STAT= is %s, it must be INTEGER", x.Type())
			return nil
		case !l.prog.Fails:
			out = append(out, &ir.Assign{S: ir.S{Pos: k.Pos}, LHS: x, RHS: intConstOf(x.Type(), 0, k.Pos)})
		}
	}
	if to := l.statusOf(list); l.prog.Fails && to.stat != nil && out != nil {
		return l.keepsStatus(out, to, out[0].Position())
	}
	return out
}

// twice reports a keyword that is in list already.
func (l *lowerer) twice(list []ast.Expr, k *ast.Keyword) bool {
	for _, e := range list {
		if first, ok := e.(*ast.Keyword); ok && first.Name == k.Name {
			l.errorf(codeArgument, k.Pos, "%s= is given twice", strings.ToUpper(k.Name)).WithNote(first.Pos, "the first one").WithHelp("remove one")
			return true
		}
	}
	return false
}

// keepsStatus is out, behind which STAT= has the status of what has failed in it.
func (l *lowerer) keepsStatus(out []ir.Stmt, to statusTo, pos source.Pos) []ir.Stmt {
	out = append(one(&ir.Sync{S: ir.S{Pos: pos}, Kind: ir.KeepStatus}), out...)
	t := l.temp("status", ir.Integer, 0, pos)
	out = append(out, &ir.Read{S: ir.S{Pos: pos}, What: "sync_status stat", Items: []*ir.Var{varOf(t, pos)}},
		&ir.Assign{S: ir.S{Pos: pos}, LHS: ir.Clone(to.stat), RHS: l.convert(varOf(t, pos), to.stat.Type())})
	if to.message != nil {
		text := &ir.Const{X: ir.X{Pos: pos, Typ: ir.Character}, Str: "an image has failed or stopped"}
		failed := l.bin(ir.Ne, varOf(t, pos), l.intConst(0, pos), pos, pos)
		out = append(out, &ir.If{S: ir.S{Pos: pos}, Cond: failed, Then: one(&ir.Assign{S: ir.S{Pos: pos}, LHS: ir.Clone(to.message), RHS: text})})
	}
	return out
}

// sync lowers SYNC ALL, SYNC MEMORY and SYNC IMAGES, and statements about events and locks.
func (l *lowerer) sync(s *ast.Sync) []ir.Stmt {
	switch {
	case s.OfVariable():
		return l.events(s)
	case s.What == "team" || s.What == "form team":
		return l.teamStmt(s)
	case s.What == "fail image":
		if l.outOfCritical("FAIL IMAGE", s.Pos) {
			return nil
		}
		return one(&ir.Sync{S: ir.S{Pos: s.Pos}, Kind: ir.FailImage})
	}
	out := l.syncOnly(s)
	if out == nil {
		return nil
	}
	if out = l.succeeds(out, s.Status); out == nil || s.What != "images" || l.prog.Fails {
		return out
	}
	to := l.statusOf(s.Status)
	if to.stat == nil {
		return out
	}
	for _, x := range out {
		if y, ok := x.(*ir.Sync); ok {
			y.Stat = true
		}
	}
	t := l.temp("status", ir.Integer, 0, s.Pos)
	out = append(out, &ir.Read{S: ir.S{Pos: s.Pos}, What: "sync_status stat", Items: []*ir.Var{varOf(t, s.Pos)}},
		&ir.Assign{S: ir.S{Pos: s.Pos}, LHS: to.stat, RHS: l.convert(varOf(t, s.Pos), to.stat.Type())})
	if to.message != nil {
		text := &ir.Const{X: ir.X{Pos: s.Pos, Typ: ir.Character}, Str: "SYNC IMAGES with an image that has stopped, or a wrong list"}
		failed := l.bin(ir.Ne, varOf(t, s.Pos), l.intConst(0, s.Pos), s.Pos, s.Pos)
		out = append(out, &ir.If{S: ir.S{Pos: s.Pos}, Cond: failed, Then: one(&ir.Assign{S: ir.S{Pos: s.Pos}, LHS: to.message, RHS: text})})
	}
	return out
}

// syncOnly is sync without STAT=.
func (l *lowerer) syncOnly(s *ast.Sync) []ir.Stmt {
	if l.critical.IsValid() {
		l.errorf(codeOutside, s.Pos, "SYNC %s inside CRITICAL", strings.ToUpper(s.What)).
			WithNote(l.critical, "CRITICAL begins here").WithHelp("move it behind END CRITICAL: the other images cannot get here meanwhile")
		return nil
	}
	out := &ir.Sync{S: ir.S{Pos: s.Pos}}
	switch s.What {
	case "all":
		return one(out)
	case "memory":
		out.Kind = ir.SyncMemory
		return one(out)
	}
	out.Kind = ir.SyncImages
	if !s.List && len(s.Images) == 1 && l.isPart(s.Images[0]) {
		var pre []ir.Stmt
		a := l.part(s.Images[0], &pre)
		if a == nil {
			return nil
		}
		if !a.typ.IsInteger() || len(a.shape.n) != 1 {
			l.errorf(codeType, a.pos, "the images of SYNC IMAGES must be INTEGER, in an array of rank 1").WithHelp("write: sync images ([p, q])")
			return nil
		}
		out.Set = l.sectionOf(a)
		return append(pre, out)
	}
	for _, e := range s.Images {
		x := l.integer(e, "an image of SYNC IMAGES")
		if isBad(x) {
			return nil
		}
		out.Images = append(out.Images, x)
	}
	if s.List && len(out.Images) == 0 {
		return nil
	}
	return one(out)
}

// criticalBlock lowers CRITICAL. What a procedure has once for every call is one
// construct.
func (l *lowerer) criticalBlock(s *ast.Critical) []ir.Stmt {
	if l.critical.IsValid() {
		l.errorf(codeOutside, s.Pos, "CRITICAL inside CRITICAL").WithNote(l.critical, "the outer one begins here").
			WithHelp("put both into one CRITICAL construct")
		return nil
	}
	out := &ir.Critical{S: ir.S{Pos: s.Pos}, Lock: l.lockOf(s.Pos)}
	l.critical, l.criticalIn = s.Pos, l.scope.ofUnit()
	loops := l.loops
	l.loops = nil
	out.Body = l.block(s.Body)
	l.loops = loops
	l.critical, l.criticalIn = source.Pos{}, nil
	return l.succeeds(one(out), s.Status)
}

// collective lowers a call of a collective subroutine.
func (l *lowerer) collective(s *ast.Call) []ir.Stmt {
	name := s.Proc.Name
	imageName := "result_image"
	switch name {
	case "co_broadcast":
		imageName = "source_image"
	case "co_reduce":
		if !l.critical.IsValid() {
			return l.coReduce(s)
		}
	}
	if l.critical.IsValid() {
		l.errorf(codeOutside, s.Pos, "a collective subroutine inside CRITICAL").
			WithNote(l.critical, "CRITICAL begins here").WithHelp("move the call behind END CRITICAL: the other images cannot get here meanwhile")
		return nil
	}
	form := name + "(a [, " + imageName + "])"
	var object, image ast.Expr
	var status []ast.Expr
	for i, arg := range s.Args {
		key := [...]string{"a", imageName, "stat", "errmsg"}[min(i, 3)]
		if k, ok := arg.(*ast.Keyword); ok {
			key, arg = k.Name, k.X
		}
		if i > 0 && l.isAbsent(arg) {
			continue
		}
		to := &object
		switch key {
		case "a":
		case imageName:
			to = &image
		case "stat", "errmsg":
			status = append(status, &ast.Keyword{XBase: ast.XBase{Pos: arg.Position(), End: arg.EndPosition()}, Name: key, X: arg})
			continue
		default:
			l.errorf(codeArgument, arg.Position(), "%s has no argument %s", name, key).WithHelp("the form is: call %s", form)
			return nil
		}
		if *to != nil {
			l.errorf(codeArgument, arg.Position(), "argument %s of %s is given twice", key, name).WithHelp("the form is: call %s", form)
			return nil
		}
		*to = arg
	}
	if object == nil || name == "co_broadcast" && image == nil {
		l.errorf(codeArgument, s.Proc.Pos, "%s lacks an argument", name).WithHelp("the form is: call %s", form)
		return nil
	}
	out := &ir.Collective{S: ir.S{Pos: s.Pos}, Name: name}
	if image != nil {
		if out.Image = l.integer(image, imageName); isBad(out.Image) {
			return nil
		}
	}
	var pre []ir.Stmt
	var typ ir.Type
	var behind []ir.Stmt
	if _, ok := object.(*ast.CoIndex); ok {
		l.errorf(codeType, object.Position(), "the argument of %s lies on another image", name).WithHelp("pass the variable without [image]: every image passes its own")
		return nil
	}
	isVector := func(e ast.Expr) bool {
		_, triplet := e.(*ast.Triplet)
		return !triplet && l.isSection(e)
	}
	if x, ok := object.(*ast.Index); ok && slices.ContainsFunc(x.Args, isVector) {
		l.errorf(codeCall, object.Position(), "%s changes its argument, but it has a vector as a subscript", name).WithHelp("copy it to a local array first")
		return nil
	}
	if l.isPart(object) {
		a := l.part(object, &pre)
		if a == nil {
			return nil
		}
		if a.readOnly != "" {
			l.errorf(codeCall, a.pos, "%s changes its argument, but %s", name, a.readOnly).WithHelp("copy it to a local array first")
			return nil
		}
		out.Part, typ = l.sectionOf(a), a.typ
		if name == "co_sum" && isNarrow(typ) {
			ctx := l.elements(a.shape.n, a.pos, &pre)
			behind = one(l.nest(ctx, l.rewrapped(l.elementOf(a, ctx, a.pos)), a.pos))
		}
	} else {
		out.Scalar = l.target(object)
		if typ = out.Scalar.Type(); isBad(out.Scalar) {
			return nil
		}
		if name == "co_sum" && isNarrow(typ) {
			behind = one(l.rewrapped(out.Scalar))
		}
	}
	numeric := typ.IsOrdered() || typ.IsComplex() && (name == "co_sum" || name == "co_broadcast")
	if !numeric && !(name == "co_broadcast" && (typ.IsLogical() || typ == ir.Character && out.Target().Len >= 0 && !isSubstring(out.Scalar))) {
		l.errorf(codeType, object.Position(), "the argument of %s is %s, which is not supported", name, typ).
			WithHelp("pass INTEGER, REAL or DOUBLE PRECISION")
		return nil
	}
	return l.succeeds(append(append(pre, out), behind...), status)
}

// rewrapped makes of x, of a kind of INTEGER that becomes INTEGER, what its kind holds.
func (l *lowerer) rewrapped(x ir.Expr) ir.Stmt {
	pos := x.Position()
	return &ir.Assign{S: ir.S{Pos: pos}, LHS: ir.Clone(x), RHS: l.convert(l.convert(ir.Clone(x), ir.Integer), x.Type())}
}

func isSubstring(e ir.Expr) bool { _, ok := e.(*ir.Substr); return ok }

// isSection reports whether a is a section with distances between its elements that are known: one
// with a vector among its subscripts, or a stride that the run decides, is none.
func (a *argument) isSection() bool {
	return !slices.ContainsFunc(a.view.subs, func(s viewSub) bool { return s.vec != nil || len(s.more) > 0 || s.dim >= 0 && !isConst(s.coef) })
}

// eachElsewhere copies here, an array of this image, to there, a part of a coarray that is no section, of
// an image, or the reverse: element by element.
func (l *lowerer) eachElsewhere(here, there *argument, image ir.Expr, put bool, pos source.Pos, pre *[]ir.Stmt) {
	if !isConst(image) {
		t := l.temp("image", ir.Integer, 0, pos)
		*pre = append(*pre, l.set(t, image, pos))
		image = varOf(t, pos)
	}
	ctx := l.elements(there.shape.n, pos, pre)
	r := l.elementOf(there, ctx, pos)
	var to, from ir.Expr = l.elementOf(here, ctx, pos), &ir.CoRef{X: ir.X{Pos: pos, Typ: r.Typ}, Sym: r.Sym, Subs: r.Subs, Image: image}
	if put {
		to, from = from, to
	}
	set := &ir.Assign{S: ir.S{Pos: pos}, LHS: to, RHS: from}
	*pre = append(*pre, l.nest(ctx, set, pos))
}

// sectionOf is the part of an array that a is, as a section of what it is a view of.
func (l *lowerer) sectionOf(a *argument) *ir.Section {
	out := &ir.Section{Sym: a.view.base}
	if first, size, ok := l.inSequence(a); ok && len(a.view.subs[0].more) > 0 && a.typ == a.view.base.Type && isConst(size) {
		out.Dims = []ir.Range{{Lo: first, N: l.product1(a.shape.n), Step: ir.Clone(size)}}
		return out
	}
	for _, s := range a.view.subs {
		if len(s.more) > 0 || a.typ != a.view.base.Type {
			l.errorf(codeOutside, a.pos, "%s shares storage with other variables or has another shape in the procedure, and its elements do not follow each other there", a.name).
				WithHelp("copy it to an array of its own, and pass that")
		}
		if s.dim < 0 {
			out.Dims = append(out.Dims, ir.Range{Lo: ir.Clone(s.off)})
			continue
		}
		if !isConst(s.coef) {
			l.errorf(codeOutside, a.pos, "%s has its elements at a distance not known before run time, and cannot go to other images as a whole", a.name).
				WithHelp("copy it to an array of its own, and pass that")
			return &ir.Section{Sym: a.view.base, Dims: []ir.Range{{Lo: l.intConst(1, a.pos)}}}
		}
		lo := l.plus(l.times(s.coef, ir.Clone(a.shape.lo[s.dim]), a.pos), ir.Clone(s.off), a.pos)
		out.Dims = append(out.Dims, ir.Range{Lo: lo, N: ir.Clone(a.shape.n[s.dim]), Step: ir.Clone(s.coef)})
	}
	return out
}
