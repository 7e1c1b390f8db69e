package lower

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/lower/derived"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// A pointer that no pointer assignment is about is an allocatable variable. Pointers and targets
// that pointer assignments tie to each other are in one class, which has a heap: an array of rank 1
// that grows. What is in a class is a view of its heap, as an array in EQUIVALENCE is one of the storage,
// but where a pointer begins, and how far its elements are from each other, is in scalars:
//
//	p => a(2:9:2,j)    p_at = ..., p_step1 = 2, p_lo1 = 1, p_n1 = 4, p_allocated = .true.
//	p(i)               heap(i*p_step1 + p_at)
//	allocate (p(n))    the next n elements of the heap
//
// So all that is in a class is one array for the dependence tests, and what they find of its
// elements holds for pointers too. Which variables are in a class is known when the whole program has
// been lowered: lowering begins again when a pointer assignment ties two of them for the first time.

// heap is the storage of a class: elements 1 to floor are those of targets that are declared, the
// blocks that ALLOCATE makes come behind them, up to top.
type heap struct {
	*stack
	floor   *ir.Symbol
	blocks  *ir.Symbol // how many of them are allocated
	static  int
	targets []*ir.Symbol
	places  map[declared]int // of targets: how many elements are in front of them

	reported    bool
	pool, block *ir.Symbol // what ALLOCATE gives blocks to: components of objects in pools, and other variables
}

// elements is how many elements s has, 1 for a scalar.
func elements(s *ir.Symbol) int {
	n := 1
	for _, b := range s.Dims {
		n *= b.Extent()
	}
	return n
}

// pointer is what there is of a pointer, or of an allocatable target, beside its elements.
type pointer struct {
	heap        *heap
	at          *ir.Symbol   // plus the subscripts times the steps: the place in the heap
	steps       []*ir.Symbol // per dimension
	lows, sizes []*ir.Symbol
}

// classOf is the first one of the class of d, and reports whether it is in one at all.
func (l *lowerer) classOf(d declared) (declared, bool) {
	up, ok := l.tied[d]
	for ok && up != d {
		d, up = up, l.tied[up]
	}
	return d, ok
}

// compare orders declarations as they stand in the file.
func (x declared) compare(y declared) int {
	return cmp.Or(cmp.Compare(x.pos.Line, y.pos.Line), cmp.Compare(x.pos.Col, y.pos.Col), cmp.Compare(x.name, y.name))
}

// join makes a and b members of one class, and reports whether they are already.
func (l *lowerer) join(a, b declared) bool {
	x, okX := l.classOf(a)
	y, okY := l.classOf(b)
	if okX && okY && x == y {
		return true
	}
	if x.compare(y) > 0 {
		x, y = y, x
	}
	l.tied[x], l.tied[y] = x, x
	l.again.tied[y] = x
	return false
}

// heapOf is the heap of the class that s is in, nil if it is in none.
func (l *lowerer) heapOf(s *ir.Symbol) *heap {
	class, ok := l.classOf(declaredAs(s))
	if !ok {
		return nil
	}
	h := l.heaps[class]
	if h == nil {
		site := l.scope.site
		l.scope.site = nil
		scalar := func(name string) *ir.Symbol { return l.descriptor(class.name+"_"+name, 0, class.pos) }
		h = &heap{stack: l.newStack(s.Type, class.name+"_heap"), floor: scalar("floor"), blocks: scalar("blocks"), places: map[declared]int{}}
		l.scope.site = site
		for d := range l.apart {
			if c, _ := l.classOf(d); c == class {
				h.array.Coarray, h.array.Apart = true, true
				l.cobounds[h.array] = codimensions{{lo: l.intConst(1, class.pos)}}
			}
		}
		l.heaps[class] = h
		l.classes[h.array] = class
	}
	return h
}

// descriptor makes a scalar of a descriptor, with the value that it has at first.
func (l *lowerer) descriptor(name string, first int, pos source.Pos) *ir.Symbol {
	s := l.local(name, ir.Integer, pos)
	s.Init = l.intConst(first, pos)
	l.mention[s], l.typed[s] = true, pos
	return s
}

// declareTied gives s, which has dims and is in the class of h, its descriptor.
func (l *lowerer) declareTied(h *heap, s *ir.Symbol, dims []ast.DimSpec, pos source.Pos) {
	if s.Coarray && !s.Apart || s.Type == ir.Character || s.Type != h.array.Type {
		l.untied(s, pos)
		return
	}
	name := s.Source()
	p := &pointer{heap: h, at: l.descriptor(name+"_at", 0, pos)}
	sub := viewSub{dim: -1, off: varOf(p.at, pos)}
	sh := &shape{}
	for k := range dims {
		one := func(text string, first int) *ir.Symbol {
			return l.descriptor(name+"_"+text+string(rune('1'+k)), first, pos)
		}
		p.steps, p.lows, p.sizes = append(p.steps, one("step", 1)), append(p.lows, one("lo", 1)), append(p.sizes, one("n", 0))
		sub.add(viewTerm{dim: k, coef: varOf(p.steps[k], pos)})
		sh.lo, sh.n = append(sh.lo, varOf(p.lows[k], pos)), append(sh.n, varOf(p.sizes[k], pos))
		s.Dims = append(s.Dims, ir.Bound{Lo: 1, Hi: 1})
	}
	if len(dims) == 0 {
		s.Cell, s.Dims = true, []ir.Bound{{Lo: 1, Hi: 1}}
		sh = l.declaredShape(s, pos)
	}
	l.views[s], l.shapes[s], l.loose[s] = &view{base: h.array, subs: []viewSub{sub}}, sh, true
	l.drop(s)
	l.pointers[s] = p
}

// untied reports a variable that no pointer can point to.
func (l *lowerer) untied(s *ir.Symbol, pos source.Pos) {
	why := "has another type than the pointer"
	help := "declare both alike"
	switch {
	case s.Coarray:
		why, help = "is a coarray", "point to a variable that is none"
	case l.hasDirectives(s):
		why, help = "is distributed or aligned, and pointers to such arrays are not supported",
			"copy it, or give the array a dimension more that chooses the part"
	case s.Type == ir.Character:
		why, help = "is of type CHARACTER, to which pointers are not supported", "use the variable itself, or its subscripts in an array"
	case l.common[s]:
		why, help = "is in COMMON or EQUIVALENCE", "use a variable of a module"
	}
	l.errorf(codeOutside, pos, "a pointer cannot point to %s, which %s", s.Source(), why).WithNote(s.Pos, "%s is declared here", s.Source()).WithHelp("%s", help)
}

// tieTargets makes the variables of the unit in hand that pointers point to parts of heaps.
func (l *lowerer) tieTargets() {
	if len(l.tied) == 0 || l.surveying || l.phantom {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(l.names)) {
		s := l.names[name]
		if l.used[name] || l.dummies[name] != nil || l.pointers[s] != nil || l.allocs[s] != nil || l.views[s] != nil && !s.IsOpen() {
			continue
		}
		h := l.heapOf(s)
		if h == nil {
			continue
		}
		switch {
		case s.Coarray, s.Type == ir.Character, l.hasDirectives(s), l.common[s], s.Type != h.array.Type:
			l.untied(s, s.Pos)
			continue
		case s.IsOpen(), s.Param:
			l.errorf(codeOutside, s.Pos, "a pointer cannot point to %s, whose bounds are not constant", s.Source()).WithHelp("declare it ALLOCATABLE")
			continue
		case l.recursive[unitKey(l.scope.unit)]:
			l.errorf(codeOutside, s.Pos, "a pointer cannot point to %s, which is local to a procedure that calls itself", s.Source()).
				WithHelp("declare it in a module, or allocate the pointer")
			continue
		}
		at, placed := h.places[declaredAs(s)] // by another call of the procedure
		if !placed {
			at = h.static
			h.places[declaredAs(s)] = at
			h.static += elements(s)
			h.targets = append(h.targets, s)
		}
		if !s.IsArray() {
			s.Cell, s.Dims = true, []ir.Bound{{Lo: 1, Hi: 1}}
		}
		l.views[s], l.shapes[s] = l.linear(s, overlaid{h.array, at, 1}), l.declaredShape(s, s.Pos)
		l.drop(s)
	}
}

// heapsBegin is what the program does first: the targets get their storage, and their initial values.
func (l *lowerer) heapsBegin() (out []ir.Stmt) {
	order := slices.SortedFunc(maps.Keys(l.heaps), declared.compare)
	for _, class := range order {
		h := l.heaps[class]
		h.top.Init, h.floor.Init = l.intConst(h.static, class.pos), l.intConst(h.static, class.pos)
		if h.static == 0 {
			continue
		}
		out = append(out, h.room(l, l.intConst(0, class.pos), class.pos))
		at := 0
		for _, s := range h.targets {
			size := elements(s)
			if c, ok := s.Init.(*ir.Const); ok {
				out = append(out, l.filled(h, at, size, c, s.Pos))
			}
			for _, v := range s.Values {
				out = append(out, l.filled(h, at+v.At, v.N, v.Const, s.Pos))
			}
			at += size
		}
	}
	return out
}

// filled gives n elements of h behind the first at ones the value c.
func (l *lowerer) filled(h *heap, at, n int, c *ir.Const, pos source.Pos) ir.Stmt {
	i := l.local("copy", ir.Integer, pos)
	x := &ir.Ref{X: ir.X{Pos: pos, Typ: h.array.Type}, Sym: h.array, Subs: []ir.Expr{varOf(i, pos)}}
	return &ir.Do{S: ir.S{Pos: pos}, Index: i, Lo: l.intConst(at+1, pos), Hi: l.intConst(at+n, pos), Step: l.intConst(1, pos),
		Body: one(l.setTo(x, l.convert(ir.Clone(c), h.array.Type), pos)), End: pos}
}

// alone reports s, which is allocated in h: a pool stays where it is when it grows only if nothing else is
// allocated there.
func (l *lowerer) alone(h *heap, s *ir.Symbol, pos source.Pos) {
	first := h.pool
	switch {
	case !derived.Pooled(s.Source()):
		if h.block == nil {
			h.block = s
		}
	case h.pool == nil:
		h.pool, first = s, h.block
	}
	if first == nil || first == s || h.reported {
		return
	}
	h.reported = true
	l.errorf(codeOutside, pos, "pointers that are assigned to each other point to %s, and to %s", allocatedAs(first), allocatedAs(s)).
		WithHelp("let pointers point to the objects, and write the component behind them, or declare the pointers apart")
}

// allocatedAs is s in words.
func allocatedAs(s *ir.Symbol) string {
	home, part, pooled := strings.Cut(s.Source(), "%pool%")
	if !pooled {
		return s.Source() + ", which is allocated"
	}
	return "the component " + part + " of allocated objects of type " + home[strings.LastIndex(home, "%")+1:]
}

// allocatedBlock gives p, with the flag of a, a block of the heap with these bounds.
func (l *lowerer) allocatedBlock(p *pointer, a *allocatable, lo, n []ir.Expr, pos source.Pos) (out []ir.Stmt) {
	low, size := l.allFixed(lo, pos, &out), l.allFixed(n, pos, &out)
	var all ir.Expr = l.intConst(1, pos)
	if len(size) > 0 {
		all = l.fixed(l.product1(size), "size", pos, &out)
	}
	out = append(out, p.heap.room(l, all, pos))
	var step ir.Expr = l.intConst(1, pos)
	at := l.plus(varOf(p.heap.top, pos), l.intConst(1, pos), pos)
	var steps []ir.Expr
	for k := range size {
		step = l.fixed(step, "step", pos, &out)
		steps = append(steps, step)
		at = l.minus(at, l.times(step, ir.Clone(low[k]), pos), pos)
		step = l.times(step, ir.Clone(size[k]), pos)
	}
	out = append(out, l.set(p.at, at, pos), l.set(p.heap.top, l.plus(varOf(p.heap.top, pos), ir.Clone(all), pos), pos),
		l.set(p.heap.blocks, l.plus(varOf(p.heap.blocks, pos), l.intConst(1, pos), pos), pos))
	out = append(out, l.setDescriptor(p, steps, low, size, pos)...)
	return append(out, l.set(a.flag, truth(true, pos), pos))
}

func (l *lowerer) allFixed(list []ir.Expr, pos source.Pos, pre *[]ir.Stmt) (out []ir.Expr) {
	for _, e := range list {
		out = append(out, l.fixed(ir.Clone(e), "bound", pos, pre))
	}
	return out
}

func (l *lowerer) setDescriptor(p *pointer, steps, low, size []ir.Expr, pos source.Pos) (out []ir.Stmt) {
	for k := range p.steps {
		out = append(out, l.set(p.steps[k], ir.Clone(steps[k]), pos), l.set(p.lows[k], ir.Clone(low[k]), pos), l.set(p.sizes[k], ir.Clone(size[k]), pos))
	}
	return out
}

// first is the place in the heap of the first element of p.
func (l *lowerer) first(p *pointer, pos source.Pos) ir.Expr {
	var at ir.Expr = varOf(p.at, pos)
	for k := range p.steps {
		at = l.plus(at, l.arith(ir.Mul, varOf(p.steps[k], pos), varOf(p.lows[k], pos), pos), pos)
	}
	return at
}

// freedBlock takes the block that p is: what is at the top of the heap, and all where it was the last
// block, can be had again.
func (l *lowerer) freedBlock(p *pointer, a *allocatable, pos source.Pos) []ir.Stmt {
	h := p.heap
	var size ir.Expr = l.intConst(1, pos)
	for _, n := range p.sizes {
		size = l.times(size, varOf(n, pos), pos)
	}
	last := l.minus(l.plus(l.first(p, pos), size, pos), l.intConst(1, pos), pos)
	return []ir.Stmt{
		l.set(a.flag, truth(false, pos), pos),
		l.set(h.blocks, l.plus(varOf(h.blocks, pos), l.intConst(-1, pos), pos), pos),
		&ir.If{S: ir.S{Pos: pos}, Cond: l.bin(ir.Eq, last, varOf(h.top, pos), pos, pos),
			Then: one(l.set(h.top, l.minus(l.first(p, pos), l.intConst(1, pos), pos), pos))},
		&ir.If{S: ir.S{Pos: pos}, Cond: l.bin(ir.Eq, varOf(h.blocks, pos), l.intConst(0, pos), pos, pos),
			Then: one(l.set(h.top, varOf(h.floor, pos), pos))},
	}
}

// pointed is what stands behind => or in ASSOCIATED.
type pointed struct {
	flag    ir.Expr // nil: there is always something
	at      ir.Expr // as in pointer
	steps   []ir.Expr
	lo, n   []ir.Expr
	unready bool // lowering begins again
}

// pointedTo is what e, the target of pointer s, is; nil after an error.
func (l *lowerer) pointedTo(s *ir.Symbol, e ast.Expr, pre *[]ir.Stmt) *pointed {
	pos := e.Position()
	var of *ir.Symbol
	if name := nameOf(e); name != "" {
		of = l.lookup(name)
	}
	a := l.actual(e, pre)
	if a == nil {
		return nil
	}
	var at *ir.Ref
	base := a.sym
	if a.view != nil {
		base = a.view.base
	} else if r, ok := a.value.(*ir.Ref); ok {
		at, base = r, r.Sym
	}
	d := l.scope.dummy(nameOf(e))
	constant := a.readOnly != "" && a.proc == nil && (d == nil || d.intent != "in") // INTENT(IN) forbids assignment to the argument, not a pointer
	if of == nil || of.Type == ir.Invalid || base == nil || base.Param || constant || l.isFunctionValue(e) {
		l.errorf(codeType, pos, "a pointer points to a variable or to a part of one").
			WithHelp("assign a value with =, to what the pointer points to; in place of a function, pass the pointer to a subroutine that associates it")
		return nil
	}
	if d != nil && d.owned {
		l.errorf(codeOutside, pos, "a pointer cannot point to the argument %s, which is copied for the call in line %d", d.Name.Name, d.arg.pos.Line).
			WithHelp("pass a variable or a section, and point to that, or pass a pointer")
		return nil
	}
	if _, shares := l.overlays[of]; shares || l.common[base] || base.Coarray && !base.Apart || l.hasDirectives(base) || base.Type == ir.Character || a.typ != s.Type {
		as := *base
		as.Name, as.Local = of.Name, of.Local
		l.common[&as] = shares || l.common[base]
		if l.hasDirectives(base) {
			l.untied(base, pos)
		} else {
			l.untied(&as, pos)
		}
		return nil
	}
	key := declaredAs(base)
	if class, ok := l.classes[base]; ok {
		key = class
	}
	known := l.join(declaredAs(s), key)
	for _, x := range []*ir.Symbol{s, of} {
		if !known && x.Apart {
			l.again.apart[declaredAs(x)] = true
		}
	}
	if !known || l.pointers[s] == nil || l.classes[base] == (declared{}) {
		return &pointed{unready: true}
	}
	out := &pointed{}
	if x := l.allocs[of]; x != nil {
		out.flag = varOf(x.flag, pos)
	}
	if at != nil {
		out.at = at.Subs[0]
		return out
	}
	sub := &a.view.subs[0]
	terms := sub.terms()
	out.at = ir.Clone(sub.off)
	for k := range a.shape.n {
		i := slices.IndexFunc(terms, func(t viewTerm) bool { return t.dim == k })
		if i < 0 || terms[i].vec != nil {
			l.errorf(codeOutside, pos, "a pointer to a section with a vector subscript").WithHelp("write a range, or copy the elements")
			return nil
		}
		out.steps = append(out.steps, ir.Clone(terms[i].coef))
	}
	out.lo, out.n = a.shape.lo, a.shape.n
	return out
}

// isFunctionValue reports whether e is a reference to a function.
func (l *lowerer) isFunctionValue(e ast.Expr) bool {
	call, ok := e.(*ast.Index)
	return ok && (l.isFunction(call) || l.functionOf(call) != nil || l.arrayValued(call))
}

// pointerAssign lowers "p => x" and NULLIFY.
func (l *lowerer) pointerAssign(s *ast.PointerAssign) (out []ir.Stmt) {
	null, isNull := s.X.(*ast.Index)
	isNull = isNull && null.Name == "null" && l.lookup("null") == nil
	for _, to := range s.To {
		pos := to.Position()
		if co, other := to.(*ast.CoIndex); other {
			l.errorf(codeDeclaration, pos, "the pointer assigned to, %s, is one of another image", designated(co)).WithHelp("each image assigns to its own pointers")
			continue
		}
		bounds := l.pointerBounds(to)
		sym := l.symbol(nameOf(to), pos)
		a := l.allocs[sym]
		if a == nil || !l.isPointer[sym] {
			if sym.Type != ir.Invalid {
				l.errorf(codeDeclaration, pos, "%s is no pointer", nameOf(to)).WithHelp("declare it: %s, pointer :: %s", typeWord(sym.Type), nameOf(to))
			}
			continue
		}
		if !l.mayPoint(ast.Name{Pos: pos, Name: nameOf(to)}) {
			continue
		}
		if isNull {
			if l.pointers[sym] == nil {
				out = append(out, l.freed(sym, a, pos)...)
			} else {
				out = append(out, l.set(a.flag, truth(false, pos), pos))
			}
			continue
		}
		x := l.pointedTo(sym, s.X, &out)
		if x == nil || x.unready {
			return nil
		}
		out = append(out, l.pointed(sym, a, x, bounds, pos)...)
	}
	return out
}

// pointerBounds are the bounds behind the name of a pointer in front of =>.
func (l *lowerer) pointerBounds(e ast.Expr) (out []*ast.Triplet) {
	switch e := e.(type) {
	case *ast.Substring:
		return []*ast.Triplet{{XBase: e.XBase, Lo: e.Lo, Hi: e.Hi}}
	case *ast.Index:
		for _, x := range e.Args {
			t, ok := x.(*ast.Triplet)
			if !ok {
				l.errorf(codeRank, x.Position(), "a pointer in front of => has bounds, and no subscripts").WithHelp("write lower: or lower:upper for each dimension")
				return nil
			}
			out = append(out, t)
		}
	}
	return out
}

// pointed lets sym, with the allocatable part a, point to x.
func (l *lowerer) pointed(sym *ir.Symbol, a *allocatable, x *pointed, bounds []*ast.Triplet, pos source.Pos) (out []ir.Stmt) {
	p := l.pointers[sym]
	rank := len(p.steps)
	remapped := len(bounds) > 0 && bounds[0].Hi != nil
	if len(bounds) > 0 && len(bounds) != rank || !remapped && len(x.steps) != rank || remapped && len(x.steps) != 1 {
		l.errorf(codeRank, pos, "%s has rank %d, what it is to point to has rank %d", sym.Source(), rank, len(x.steps)).
			WithHelp("point to an array or section of the same rank, or give bounds and point to one of rank 1")
		return nil
	}
	at := l.fixed(x.at, "at", pos, &out)
	steps, lo, n := l.allFixed(x.steps, pos, &out), l.allFixed(x.lo, pos, &out), l.allFixed(x.n, pos, &out)
	if remapped {
		step, from := steps[0], lo[0]
		at = l.plus(l.times(step, ir.Clone(from), pos), at, pos)
		steps, lo, n = nil, nil, nil
		for _, b := range bounds {
			low := l.fixed(l.bound(b.Lo, 1, pos), "bound", pos, &out)
			size := l.fixed(l.extentOf(low, l.bound(b.Hi, 0, pos), pos), "bound", pos, &out)
			at = l.minus(at, l.times(step, ir.Clone(low), pos), pos)
			steps, lo, n = append(steps, step), append(lo, low), append(n, size)
			step = l.fixed(l.times(step, ir.Clone(size), pos), "step", pos, &out)
		}
	}
	for k, b := range bounds {
		if remapped {
			break
		}
		low := l.fixed(l.bound(b.Lo, 1, pos), "bound", pos, &out)
		at = l.plus(at, l.times(steps[k], l.minus(ir.Clone(lo[k]), ir.Clone(low), pos), pos), pos)
		lo[k] = low
	}
	flag := x.flag
	if flag == nil {
		flag = truth(true, pos)
	}
	out = append(out, l.set(p.at, at, pos))
	out = append(out, l.setDescriptor(p, steps, lo, n, pos)...)
	return append(out, l.set(a.flag, ir.Clone(flag), pos))
}

// bound is a bound in front of =>, with a default.
func (l *lowerer) bound(e ast.Expr, otherwise int, pos source.Pos) ir.Expr {
	if e == nil {
		return l.intConst(otherwise, pos)
	}
	return l.integer(e, "a bound of a pointer")
}

// isAssociated lowers ASSOCIATED(p) and ASSOCIATED(p, x).
func (l *lowerer) isAssociated(e *ast.Index) ir.Expr {
	arg := func(k int) ast.Expr {
		if key, ok := e.Args[k].(*ast.Keyword); ok {
			return key.X
		}
		return e.Args[k]
	}
	if len(e.Args) < 1 || len(e.Args) > 2 || nameOf(arg(0)) == "" {
		l.errorf(codeArgument, e.Pos, "associated takes a pointer, and perhaps what it may point to").WithHelp("write associated(p) or associated(p, x)")
		return bad(e.Pos)
	}
	s := l.symbol(nameOf(arg(0)), e.Pos)
	a := l.allocs[s]
	if a == nil || !l.isPointer[s] {
		if s.Type != ir.Invalid {
			l.errorf(codeArgument, e.Pos, "the argument of associated must be a pointer").WithNote(s.Pos, "%s is declared here", s.Source())
		}
		return bad(e.Pos)
	}
	there := varOf(a.flag, e.Pos)
	if len(e.Args) == 1 {
		return there
	}
	x := l.pointedTo(s, arg(1), &l.prelude)
	if x == nil || x.unready {
		return bad(e.Pos)
	}
	p := l.pointers[s]
	if len(x.steps) != len(p.steps) {
		l.errorf(codeRank, e.Pos, "%s has rank %d, what it may point to has rank %d", s.Source(), len(p.steps), len(x.steps))
		return bad(e.Pos)
	}
	at := ir.Clone(x.at)
	var cond ir.Expr = there
	and := func(y ir.Expr) { cond = l.bin(ir.And, cond, y, e.Pos, e.Pos) }
	if x.flag != nil {
		and(x.flag)
	}
	for k := range x.steps {
		at = l.plus(l.times(x.steps[k], ir.Clone(x.lo[k]), e.Pos), at, e.Pos)
		and(l.bin(ir.Eq, varOf(p.sizes[k], e.Pos), ir.Clone(x.n[k]), e.Pos, e.Pos))
		and(l.bin(ir.Gt, varOf(p.sizes[k], e.Pos), l.intConst(0, e.Pos), e.Pos, e.Pos))
		alone := l.bin(ir.Eq, varOf(p.sizes[k], e.Pos), l.intConst(1, e.Pos), e.Pos, e.Pos)
		and(l.bin(ir.Or, alone, l.bin(ir.Eq, varOf(p.steps[k], e.Pos), ir.Clone(x.steps[k]), e.Pos, e.Pos), e.Pos, e.Pos))
	}
	and(l.bin(ir.Eq, l.first(p, e.Pos), at, e.Pos, e.Pos))
	return cond
}

// held is argument a, where it goes through pointers as these are now: fix keeps the value of an expression.
func (l *lowerer) held(a *argument, fix func(ir.Expr) ir.Expr) *argument {
	if a == nil || a.view == nil || l.phantom {
		return a
	}
	if _, ok := l.classes[a.view.base]; !ok {
		return a
	}
	all := func(list []ir.Expr) (out []ir.Expr) {
		for _, e := range list {
			out = append(out, fix(e))
		}
		return out
	}
	as := *a
	as.shape = &shape{lo: all(a.shape.lo), n: all(a.shape.n)}
	as.view = &view{base: a.view.base}
	for _, s := range a.view.subs {
		s.off, s.more = fix(s.off), slices.Clone(s.more)
		if s.dim >= 0 {
			s.coef = fix(s.coef)
		}
		for k := range s.more {
			s.more[k].coef = fix(s.more[k].coef)
		}
		as.view.subs = append(as.view.subs, s)
	}
	return &as
}

// mayPoint reports whether the pointer called name may be given another target: an argument with
// INTENT(IN) may not.
func (l *lowerer) mayPoint(name ast.Name) bool {
	d := l.scope.dummy(name.Name)
	if d == nil || d.intent != "in" || !l.isPointer[d.sym] {
		return true
	}
	l.errorf(codeCall, name.Pos, "%s has INTENT(IN) and cannot get another target", name.Name).
		WithNote(d.Pos, "it is an argument here").WithHelp("declare intent(inout), or use a pointer of its own")
	return false
}
