package lower

import (
	"fmt"
	"math"
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// An array whose extents are not known before run time has open ends (see ir/open.go), which scalars
// of the program give:
//
//	real, allocatable :: a(:)    a(1:ω₀), a_hi1 is ω₀, a_allocated = .false.
//	allocate (a(n))              if (a_allocated) error stop "..."
//	                             a_hi1 = max(n, 0); allocate (a); a_allocated = .true.
//	size(a), allocated(a)        a_hi1, a_allocated
//
// Everything else about it is what views of arrays have anyway: a shape of expressions.
// Lower bounds are constants where the source gives each array one (see lows). What the
// scalars are in every run is found out at the end (see settle).

// allocatable is what there is of an allocatable array, or scalar, beside its elements.
type allocatable struct {
	flag *ir.Symbol   // it is allocated
	lo   []*ir.Symbol // per dimension; nil where the bound is a constant
	hi   []*ir.Symbol

	coends []*ir.Symbol // of a coarray: those that give its codimensions
}

// regrown is an assignment that may allocate the array on its left side anew: what it does
// then is in when.
type regrown struct {
	when     *ir.If
	to       *ir.Symbol
	unlikely ir.Expr // the part of the condition that shapes differ, nil for none
	lower    bool    // the array gets other lower bounds than it has as constants
}

// openArray makes s an array with open ends, lower ones only where lo has no constant.
func (l *lowerer) openArray(s *ir.Symbol, lo []ir.Expr, pos source.Pos) (los, his []*ir.Symbol) {
	v, sh := &view{base: s}, &shape{}
	los, his = l.openEnds(s, lo, pos)
	for k, at := range lo {
		if los[k] != nil {
			at = varOf(los[k], pos)
		}
		v.subs = append(v.subs, viewSub{dim: k, coef: l.intConst(1, pos), off: l.intConst(0, pos)})
		sh.lo = append(sh.lo, at)
		sh.n = append(sh.n, l.plus(l.minus(varOf(his[k], pos), ir.Clone(at), pos), l.intConst(1, pos), pos))
	}
	l.views[s], l.shapes[s], l.loose[s] = v, sh, true
	return los, his
}

// openEnds gives s open ends, lower ones only where lo has no constant.
func (l *lowerer) openEnds(s *ir.Symbol, lo []ir.Expr, pos source.Pos) (los, his []*ir.Symbol) {
	s.Dims = nil
	for k, at := range lo {
		var low *ir.Symbol
		b := ir.Bound{}
		if c, ok := constOf(at); ok {
			b.Lo = c
		} else {
			low = l.newEnd(s, "lo", k, pos)
			b.Lo = ir.OpenEnd(len(l.prog.Ends)-1, false)
		}
		high := l.newEnd(s, "hi", k, pos)
		b.Hi = ir.OpenEnd(len(l.prog.Ends)-1, true)
		s.Dims = append(s.Dims, b)
		los, his = append(los, low), append(his, high)
	}
	return los, his
}

// newEnd makes the scalar for an open end of dimension k, from 0, of s: the last of Ends.
func (l *lowerer) newEnd(s *ir.Symbol, text string, k int, pos source.Pos) *ir.Symbol {
	e := l.local(fmt.Sprintf("%s_%s%d", s.Source(), text, k+1), ir.Integer, pos)
	l.captured[e], l.mention[e], l.typed[e] = true, true, pos
	l.prog.Ends = append(l.prog.Ends, e)
	return e
}

func varOf(s *ir.Symbol, pos source.Pos) *ir.Var {
	return &ir.Var{X: ir.X{Pos: pos, Typ: s.Type}, Sym: s}
}

func truth(b bool, pos source.Pos) ir.Expr {
	return &ir.Const{X: ir.X{Pos: pos, Typ: ir.Logical}, Bool: b}
}

// set is the assignment of e to scalar s.
func (l *lowerer) set(s *ir.Symbol, e ir.Expr, pos source.Pos) ir.Stmt {
	return &ir.Assign{S: ir.S{Pos: pos}, LHS: varOf(s, pos), RHS: l.convert(e, s.Type)}
}

// setEnd is the assignment of e to an open end of s: those of INTEGER(8) are small enough,
// or the program ends.
func (l *lowerer) setEnd(end, s *ir.Symbol, e ir.Expr, pos source.Pos) []ir.Stmt {
	set := l.set(end, e, pos)
	if _, ok := constOf(e); ok || e.Type() != ir.Long {
		return one(set)
	}
	const most = math.MaxInt32
	large := l.bin(ir.Gt, ir.Clone(e), intConstOf(ir.Long, most, pos), pos, pos)
	return []ir.Stmt{&ir.If{S: ir.S{Pos: pos}, Cond: large, Then: one(&ir.Stop{S: ir.S{Pos: pos}, Error: true, Code: &ir.Const{X: ir.X{Pos: pos, Typ: ir.Character},
		Str: fmt.Sprintf("line %d: a bound of %s is larger than %d", pos.Line, s.Source(), most)}})}, set}
}

// declareAllocatable gives s, declared with dims, what an allocatable object has.
func (l *lowerer) declareAllocatable(s *ir.Symbol, dims []ast.DimSpec, pos source.Pos) {
	name := s.Source()
	if d := l.scope.binding.of(s); d != nil && d.object {
		rank := len(s.Dims)
		if s.Cell && l.pointers[s] != nil {
			rank = 0
			if s.Coarray { // see coarray
				dims = nil
			}
		}
		if rank != len(dims) {
			l.errorf(codeCall, d.arg.pos, "%s has rank %d, the dummy argument %s has rank %d", l.scope.binding.what(d), rank, d.Name.Name, len(dims)).
				WithNote(d.Pos, "%s is an argument here", d.Name.Name).WithHelp("declare both with the same rank")
		}
		return
	}
	if s.IsArray() {
		l.errorf(codeDuplicate, pos, "the dimensions of %s are declared twice", name)
		return
	}
	if s.Cell { // its memory is always there
		l.setDims(s, dims, pos)
		dims = nil
	}
	if len(dims) > 7 {
		l.errorf(codeOutside, pos, "%s has %d dimensions, Fortran allows 7", name, len(dims))
	}
	h := l.heapOf(s)
	lo := make([]ir.Expr, len(dims))
	for k, d := range dims {
		if d.Hi != nil || d.Lo != nil {
			l.errorf(codeDeclaration, d.Pos, "%s is ALLOCATABLE and has bounds", name).
				WithHelp("write : for each dimension, and the bounds in ALLOCATE")
			l.unbounded[s] = true
		}
		lo[k] = l.lows.of(name, k, d.Pos)
	}
	a := &allocatable{flag: l.local(name+"_allocated", ir.Logical, pos), coends: l.cobounds[s].scalars()}
	a.flag.Init = truth(false, pos)
	l.mention[a.flag], l.typed[a.flag] = true, pos
	l.allocs[s] = a
	switch {
	case h != nil:
		l.declareTied(h, s, dims, pos)
	case len(dims) > 0:
		a.lo, a.hi = l.openArray(s, lo, pos)
	}
	l.mirror(s, a, pos)
}

// objectOf is s if it is allocatable, nil if not.
func (l *lowerer) objectOf(s *ir.Symbol) *ir.Symbol {
	if l.allocs[s] == nil {
		return nil
	}
	return s
}

// keepAllocated makes what belongs to a saved allocatable object the same in all calls.
func (l *lowerer) keepAllocated(s *ir.Symbol) {
	if a := l.allocs[s]; a != nil {
		a.flag.Site = nil
		ends := slices.Concat(a.lo, a.hi, a.coends)
		if p := l.pointers[s]; p != nil {
			ends = slices.Concat(p.steps, p.lows, p.sizes, []*ir.Symbol{p.at})
		}
		for _, e := range ends {
			if e != nil {
				e.Site = nil
			}
		}
	}
}

// statusTo are the variables of STAT= and ERRMSG=, nil for none.
type statusTo struct{ stat, message ir.Expr }

// fails is what happens where an array cannot be allocated or deallocated: STAT= gets the
// number that gfortran gives it, or the program ends.
func (l *lowerer) fails(to statusTo, stat int, text, message string, pos source.Pos) []ir.Stmt {
	if to.stat == nil {
		return one(&ir.Stop{S: ir.S{Pos: pos}, Error: true, Code: &ir.Const{X: ir.X{Pos: pos, Typ: ir.Character},
			Str: fmt.Sprintf("line %d: %s", pos.Line, text)}})
	}
	out := one(&ir.Assign{S: ir.S{Pos: pos}, LHS: ir.Clone(to.stat), RHS: intConstOf(to.stat.Type(), stat, pos)})
	if to.message != nil {
		out = append(out, &ir.Assign{S: ir.S{Pos: pos}, LHS: ir.Clone(to.message), RHS: &ir.Const{X: ir.X{Pos: pos, Typ: ir.Character}, Str: message}})
	}
	return out
}

// allocate lowers ALLOCATE and DEALLOCATE.
func (l *lowerer) allocate(s *ast.Allocate) []ir.Stmt {
	var to statusTo
	var objects []ast.Expr
	var source, mold, length ast.Expr
	for i, e := range s.Args {
		k, is := e.(*ast.Keyword)
		switch {
		case !is:
			objects = append(objects, e)
		case l.twice(s.Args[:i], k):
			return nil
		case k.Name == "stat":
			if to.stat = l.target(k.X); isBad(to.stat) {
				return nil
			}
			if !to.stat.Type().IsInteger() {
				l.errorf(codeType, k.X.Position(), "the variable of STAT= is %s, it must be INTEGER", to.stat.Type())
				return nil
			}
		case k.Name == "errmsg":
			if to.message = l.target(k.X); isBad(to.message) {
				return nil
			}
		case k.Name == "source" && !s.Free:
			source = k.X
		case k.Name == "mold" && !s.Free:
			mold = k.X
		case k.Name == "len" && !s.Free:
			length = k.X
		default:
			l.errorf(codeArgument, k.Pos, "%s= cannot stand here", k.Name).WithHelp("write STAT=, ERRMSG=, SOURCE= or MOLD=")
			return nil
		}
	}
	if to.stat == nil {
		to.message = nil // as nothing is told of a failure that ends the program
	}
	var out []ir.Stmt
	if s.Keep {
		for _, e := range objects {
			out = append(out, l.extended(e)...)
		}
		return out
	}
	if to.stat != nil {
		out = append(out, &ir.Assign{S: ir.S{Pos: s.Pos}, LHS: ir.Clone(to.stat), RHS: intConstOf(to.stat.Type(), 0, s.Pos)})
	}
	for _, e := range objects {
		var body []ir.Stmt
		if s.Free {
			body = l.deallocateOne(e, to)
		} else {
			body = l.allocateOne(e, source, mold, length, to)
		}
		if l.prog.Fails && to.stat != nil && l.prog.SPMD {
			body = l.unlessFailed(body, to, s.Pos)
		}
		out = append(out, body...)
	}
	return out
}

// unlessFailed is body, part of an ALLOCATE or DEALLOCATE, where STAT= gets the status of images that
// have failed in place of 0.
func (l *lowerer) unlessFailed(body []ir.Stmt, to statusTo, pos source.Pos) []ir.Stmt {
	t := l.temp("status", ir.Integer, 0, pos)
	kept := l.keepsStatus(body, statusTo{stat: varOf(t, pos)}, pos)
	failed := l.bin(ir.Ne, varOf(t, pos), l.intConst(0, pos), pos, pos)
	return append(kept, &ir.If{S: ir.S{Pos: pos}, Cond: failed, Then: one(&ir.Assign{S: ir.S{Pos: pos}, LHS: ir.Clone(to.stat), RHS: l.convert(varOf(t, pos), to.stat.Type())})})
}

// object is the allocatable that e, an item of ALLOCATE or DEALLOCATE, is about, and the
// bounds behind its name.
func (l *lowerer) object(e ast.Expr, what string) (*ir.Symbol, *allocatable, []ast.Expr) {
	name, pos := "", e.Position()
	var bounds []ast.Expr
	switch e := e.(type) {
	case *ast.Ident:
		name = e.Name
	case *ast.Index:
		name, bounds = e.Name, e.Args
	case *ast.Substring:
		if id, ok := e.Base.(*ast.Ident); ok {
			name, bounds = id.Name, []ast.Expr{&ast.Triplet{XBase: e.XBase, Lo: e.Lo, Hi: e.Hi}}
		}
	}
	if co, other := e.(*ast.CoIndex); other {
		l.errorf(codeOutside, pos, "%s of %s of another image", what, designated(co)).WithHelp("write its name alone: each image has its own")
		return nil, nil, nil
	}
	if name == "" {
		l.errorf(codeOutside, pos, "%s of something that is no array or variable", what)
		return nil, nil, nil
	}
	s := l.symbol(name, pos)
	a := l.allocs[s]
	if a == nil {
		if s.Type != ir.Invalid && !l.unbounded[s] {
			d := l.errorf(codeDeclaration, pos, "%s is not ALLOCATABLE", name)
			if s.Pos.IsValid() {
				d.WithNote(s.Pos, "%s was declared here", name)
			}
			d.WithHelp("declare it: %s, allocatable :: %s(:)", typeWord(s.Type), name)
		}
		return nil, nil, nil
	}
	if !l.mayChange(ast.Name{Pos: pos, Name: name}) || !l.mayPoint(ast.Name{Pos: pos, Name: name}) {
		return nil, nil, nil
	}
	return s, a, bounds
}

func (l *lowerer) allocateOne(e, source, mold, length ast.Expr, to statusTo) []ir.Stmt {
	pos := e.Position()
	co, _ := e.(*ast.CoIndex)
	if co != nil {
		e = co.Base
	}
	s, a, bounds := l.object(e, "ALLOCATE")
	if a == nil {
		return nil
	}
	var pre []ir.Stmt // evaluates bounds, and is left out where it fails
	if !l.allocatedCobounds(s, co, pos, &pre) {
		return nil
	}
	if source != nil && l.firstPart(source) != nil {
		if source = l.shaped(source, &pre); source == nil {
			return nil
		}
	}
	lo, n, ok := l.allocatedShape(s, bounds, source, mold, pos, &pre)
	if !ok {
		return nil
	}
	body := append(pre, l.allocatedAnew(s, a, lo, n, pos)...)
	if s.Type == ir.Character && s.Len == ir.AnyLength && source == nil && !s.IsArray() {
		body = append(body, l.blank(s, length, mold, pos)...)
	}
	if source != nil {
		at := ast.XBase{Pos: pos, End: pos}
		var to ast.Expr = &ast.Ident{XBase: at, Name: nameOf(e)}
		if len(bounds) > 0 && l.firstPart(source) != nil && s.Len != ir.AnyLength {
			to = ast.SectionOfAll(nameOf(e), len(bounds), at) // which keeps its shape
		}
		body = append(body, l.assign(&ast.Assign{Base: ast.Base{Pos: pos}, LHS: to, RHS: source})...)
	}
	text := fmt.Sprintf("attempt to allocate %s, which is allocated already", s.Source())
	if l.isPointer[s] {
		return body
	}
	failed := l.fails(to, 5014, text, "Attempt to allocate an allocated object", pos)
	if to.stat == nil {
		return append(one(&ir.If{S: ir.S{Pos: pos}, Cond: varOf(a.flag, pos), Then: failed}), body...)
	}
	return one(&ir.If{S: ir.S{Pos: pos}, Cond: varOf(a.flag, pos), Then: failed, Else: body})
}

// extended gives the array that e names with its new bounds more elements in its last dimension.
func (l *lowerer) extended(e ast.Expr) (out []ir.Stmt) {
	s, a, bounds := l.object(e, "ALLOCATE")
	if a == nil {
		return nil
	}
	lo, n, ok := l.allocatedShape(s, bounds, nil, nil, e.Position(), &out)
	if !ok {
		return nil
	}
	return append(out, l.longer(s, a, lo, n, e.Position())...)
}

// longer is allocatedAnew of an array that has more elements in its last dimension then, and keeps those
// that it has. It may not be allocated before.
func (l *lowerer) longer(s *ir.Symbol, a *allocatable, lo, n []ir.Expr, pos source.Pos) (out []ir.Stmt) {
	if l.pointers[s] != nil { // it is all that is allocated in the heap, see alone
		out = one(&ir.If{S: ir.S{Pos: pos}, Cond: varOf(a.flag, pos), Then: l.freed(s, a, pos)})
	}
	out = append(out, l.allocatedAnew(s, a, lo, n, pos)...)
	for _, x := range out {
		if x, is := x.(*ir.Allocate); is {
			x.Keep = true
		}
	}
	return out
}

// nameOf is the name of the variable that e is, or is a part of, "" for other expressions.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.Index:
		return e.Name
	case *ast.Substring:
		return nameOf(e.Base)
	case *ast.Elements:
		return nameOf(e.X)
	}
	return ""
}

// allocatedShape is the lower bounds and extents that ALLOCATE gives s.
func (l *lowerer) allocatedShape(s *ir.Symbol, bounds []ast.Expr, source, mold ast.Expr, pos source.Pos, pre *[]ir.Stmt) (lo, n []ir.Expr, ok bool) {
	like := source
	if like == nil {
		like = mold
	}
	if s.Cell && len(bounds) == 0 {
		return nil, nil, true
	}
	if len(bounds) == 0 && len(s.Dims) > 0 && like != nil {
		return l.shapeOf(like, pre)
	}
	if len(bounds) != len(s.Dims) {
		l.errorf(codeRank, pos, "%s has %s, ALLOCATE gives bounds of %d", s.Source(), count(len(s.Dims), "dimension"), len(bounds)).
			WithNote(s.Pos, "%s was declared here", s.Source()).WithHelp("write the bounds of each dimension, as in %s(n, 0:m)", s.Source())
		return nil, nil, false
	}
	for _, b := range bounds {
		var from, to ast.Expr = nil, b
		if t, is := b.(*ast.Triplet); is {
			if from, to = t.Lo, t.Hi; to == nil || t.Step != nil {
				l.errorf(codeRank, t.Pos, "a dimension in ALLOCATE has no upper bound").WithHelp("write n or lower:upper")
				return nil, nil, false
			}
		}
		var low ir.Expr = l.intConst(1, pos)
		if from != nil {
			low = l.integer(from, "a bound in ALLOCATE")
		}
		high := l.integer(to, "a bound in ALLOCATE")
		if isBad(low, high) {
			return nil, nil, false
		}
		low = l.fixedBound(low, pos, pre)
		lo, n = append(lo, low), append(n, l.extentOf(low, high, pos))
	}
	return lo, n, true
}

// fixedBound is e with its value of now, so that it can be used again where variables
// change: a constant or a variable of its own.
func (l *lowerer) fixedBound(e ir.Expr, pos source.Pos, pre *[]ir.Stmt) ir.Expr {
	if _, ok := constOf(e); ok {
		return e
	}
	return l.fixed(e, "bound", pos, pre)
}

// shaped is array expression e in a form of which shapeOf finds the shape: functions whose
// value decides that are evaluated; nil after an error.
func (l *lowerer) shaped(e ast.Expr, pre *[]ir.Stmt) ast.Expr {
	if hasConstructor(e) {
		a := l.valueOf(&ast.Paren{XBase: ast.XBase{Pos: e.Position(), End: e.Position()}, X: e}, pre)
		if a == nil {
			return nil
		}
		return l.named(a, "[...]", e.Position())
	}
	if call, ok := l.firstPart(e).(*ast.Index); ok && l.isFunction(call) {
		switch call.Name {
		case "matmul", "cshift", "eoshift":
		default:
			return l.evaluated(e, goal{}, pre)
		}
	}
	return e
}

// shapeOf is the lower bounds and extents of an array expression; ok is false after an
// error. Of a whole array the lower bounds are its own, else 1.
func (l *lowerer) shapeOf(e ast.Expr, pre *[]ir.Stmt) (lo, n []ir.Expr, ok bool) {
	if id, is := e.(*ast.Ident); is && isArray(l.lookup(id.Name)) {
		a := l.part(e, pre)
		if a == nil {
			return nil, nil, false
		}
		return a.shape.lo, a.shape.n, true
	}
	shaping := l.firstPart(e)
	call, is := shaping.(*ast.Index)
	is = is && l.isFunction(call)
	switch {
	case shaping == nil:
		l.errorf(codeArgument, e.Position(), "the shape of this expression is not known").
			WithHelp("allocate the array with its bounds first, then assign the value")
		return nil, nil, false
	case is && call.Name == "matmul" && len(call.Args) == 2:
		_, x, okX := l.shapeOf(call.Args[0], pre)
		_, y, okY := l.shapeOf(call.Args[1], pre)
		if !okX || !okY || len(x) == 0 || len(y) == 0 {
			return nil, nil, false
		}
		n = append(append(n, x[:len(x)-1]...), y[1:]...)
	case is && (call.Name == "cshift" || call.Name == "eoshift") && len(call.Args) > 0:
		if _, n, ok = l.shapeOf(call.Args[0], pre); !ok {
			return nil, nil, false
		}
	default:
		ctx := l.elementsLike(shaping, pre)
		if ctx == nil {
			return nil, nil, false
		}
		n = ctx.n
	}
	for range n {
		lo = append(lo, l.intConst(1, e.Position()))
	}
	return lo, n, true
}

// allocated gives the ends of s their values, and s its memory. With lower the array would need
// other lower bounds than the constants that it has.
func (l *lowerer) allocated(s *ir.Symbol, a *allocatable, lo, n []ir.Expr, pos source.Pos) (out []ir.Stmt, lower bool) {
	if p := l.pointers[s]; p != nil {
		l.alone(p.heap, s, pos)
		return l.allocatedBlock(p, a, lo, n, pos), false
	}
	for k, high := range a.hi {
		low := lo[k]
		if a.lo[k] != nil {
			out = append(out, l.setEnd(a.lo[k], s, ir.Clone(low), pos)...)
		} else if c, ok := constOf(low); !ok || c != s.Dims[k].Lo {
			low, lower = l.intConst(s.Dims[k].Lo, pos), true
		}
		out = append(out, l.setEnd(high, s, l.minus(l.plus(ir.Clone(n[k]), ir.Clone(low), pos), l.intConst(1, pos), pos), pos)...)
	}
	if len(a.hi) > 0 {
		out = append(out, &ir.Allocate{S: ir.S{Pos: pos}, Sym: s})
	} else if s.Coarray && !s.Apart {
		out = append(out, &ir.Sync{S: ir.S{Pos: pos}})
	}
	if l.team.IsValid() && s.Coarray && !s.Apart && !slices.Contains(l.inTeam, s) {
		l.inTeam = append(l.inTeam, s)
	}
	return append(out, l.set(a.flag, truth(true, pos), pos)), lower
}

// allocatedAnew is allocated where the array surely gets its bounds.
func (l *lowerer) allocatedAnew(s *ir.Symbol, a *allocatable, lo, n []ir.Expr, pos source.Pos) []ir.Stmt {
	out, lower := l.allocated(s, a, lo, n, pos)
	if lower {
		l.again.vary[s.Source()] = true
	}
	return out
}
