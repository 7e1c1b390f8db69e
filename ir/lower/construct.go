package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// BLOCK and ASSOCIATE have names of their own: they are lowered to their statements, with
// a scope inside that of the unit. What ASSOCIATE names is another name of a variable, a
// view of an element or a section, or a variable that is set to the value of an expression
// at the entry:
//
//	associate (x => a, y => b(i), z => c(2:9), w => p*q)      w = p*q
//	   x = y + z(1) + w                                       a = b(i) + c(2) + w
//	end associate

// inside returns a scope for names in a construct of the unit in hand.
func (l *lowerer) inside() *scope {
	s := l.scope
	return &scope{unit: s.unit, host: s, inner: true, site: s.site, names: map[string]*ir.Symbol{}, implicitNone: s.implicitNone, letters: s.letters,
		targets: map[string]target{}, procs: map[string]*procedure{}, externals: s.externals, interfaces: map[string]bool{}, abstract: map[string]bool{}, generics: map[string]*generic{}, library: map[string]bool{}, renamed: map[string]string{}, dummies: map[string]*dummy{},
		binding: s.binding, used: map[string]bool{}, checkpoints: s.checkpoints}
}

// ofUnit is the scope of the unit that s is, or is a construct of.
func (s *scope) ofUnit() *scope {
	for s.inner {
		s = s.host
	}
	return s
}

// construct lowers a construct that an EXIT with its name leaves.
func (l *lowerer) construct(name string, pos, end source.Pos, lower func() []ir.Stmt) []ir.Stmt {
	if name == "" {
		return lower()
	}
	w := &ir.While{S: ir.S{Pos: pos}, Name: name, End: end}
	l.loops = append(l.loops, loop{name: name, stmt: w, block: true})
	defer func() { l.loops = l.loops[:len(l.loops)-1] }()
	return l.leaving(w, lower())
}

// blockConstruct lowers BLOCK.
func (l *lowerer) blockConstruct(s *ast.Block) []ir.Stmt {
	if s.On.IsSet() || s.Tasks {
		return l.onBlock(s)
	}
	outer := l.scope
	l.scope = l.inside()
	defer func() { l.scope = outer }()
	b := l.scope.binding
	if b == nil {
		b = &binding{l: l, unit: l.scope.unit, call: ast.Name{Pos: s.Pos}}
		l.scope.binding = b
	}
	entry := b.entry
	b.entry = nil
	directives, pending := l.declarations(s.Spec)
	bounds := b.entry // those of arrays, which they have when the construct begins
	b.entry = entry
	l.directives(directives)
	l.pending = pending
	if s.Region != "" {
		return l.region(s)
	}
	return append(bounds, l.construct(s.Name, s.Pos, s.EndPos, func() []ir.Stmt { return l.ownBlock(s.Body) })...)
}

// region lowers what a directive REGION is around, as if it were executed by a call.
func (l *lowerer) region(s *ast.Block) []ir.Stmt {
	site := &ir.Site{ID: len(l.prog.Sites), Caller: l.scope.unit.Name, Callee: s.Region, Pos: s.Pos, Parent: l.scope.site, Region: true, Last: s.EndPos.Line}
	l.prog.Sites = append(l.prog.Sites, site)
	l.scope.site = site
	return inSite(site, l.ownBlock(s.Body))
}

// inSite makes statements part of a call, unless they are of one inside of it.
func inSite(site *ir.Site, list []ir.Stmt) []ir.Stmt {
	ir.Walk(list, func(s ir.Stmt) bool {
		if s.CallSite() == nil {
			s.SetCallSite(site)
		}
		return true
	})
	return list
}

// associate lowers ASSOCIATE.
func (l *lowerer) associate(s *ast.Associate) []ir.Stmt {
	outer, in := l.scope, l.inside()
	var pre []ir.Stmt
	ok := true
	for _, n := range s.Names {
		if first := in.names[n.Name.Name]; first != nil {
			l.errorf(codeDuplicate, n.Pos, "%s stands twice in ASSOCIATE", n.Name.Name).WithHelp("give one of them another name")
			continue
		}
		sym := l.associated(n, &pre)
		if ok = ok && sym != nil; sym == nil {
			sym = &ir.Symbol{Name: n.Name.Name, Pos: n.Pos} // what is wrong with it has been said
		}
		in.names[n.Name.Name] = sym
		if id, is := n.X.(*ast.Ident); is {
			if d := outer.dummy(id.Name); d != nil {
				in.dummies[n.Name.Name] = d
			}
		}
	}
	l.scope = in
	defer func() { l.scope = outer }()
	body := l.construct(s.Name, s.Pos, s.EndPos, func() []ir.Stmt { return l.ownBlock(s.Body) })
	if !ok {
		return nil
	}
	return append(pre, body...)
}

// associated is what the name n means in the construct, nil after an error. What has to be
// computed at the entry goes to pre.
func (l *lowerer) associated(n ast.Association, pre *[]ir.Stmt) *ir.Symbol {
	if id, ok := n.X.(*ast.Ident); ok {
		s := l.symbol(id.Name, id.Pos)
		if s.Type == ir.Invalid {
			return nil
		}
		if l.pointers[s] == nil && n.At == nil {
			l.mention[s] = true
			return s
		}
	}
	a := l.actual(n.X, pre)
	if a == nil {
		return nil
	}
	if n.At != nil {
		a = l.shapedFrom(a, n, pre)
	}
	a = l.held(a, func(e ir.Expr) ir.Expr { return l.fixed(ir.Clone(e), "at", n.Pos, pre) })
	named := func(t ir.Type) *ir.Symbol {
		return &ir.Symbol{Name: l.unique(l.scope.unit.Name + "_" + n.Name.Name), Local: n.Name.Name, Pos: n.Pos, Type: t, Site: l.scope.site}
	}
	var s *ir.Symbol
	switch r, element := a.store.(*ir.Ref); {
	case a.view != nil:
		s = named(a.typ)
		s.Len = a.view.base.Len
		s.Coarray = a.view.base.Coarray
		lows := n.Lows
		if n.At != nil {
			lows = nil
		}
		v, sh := l.from(a, lows, pre)
		l.seen(s, v, sh)
	case element:
		s = named(a.typ)
		s.Cell, s.Coarray, s.Len = true, r.Sym.Coarray, r.Sym.Len
		if _, heap := l.classes[r.Sym]; heap {
			r = ir.Clone(r).(*ir.Ref)
			r.Subs[0] = l.fixed(r.Subs[0], "at", n.Pos, pre)
		}
		v, sh := l.elementView(r)
		l.seen(s, v, sh)
	default:
		if c, ok := a.value.(*ir.Const); ok {
			return &ir.Symbol{Name: n.Name.Name, Pos: n.Pos, Type: a.typ, Len: len(c.Str), Param: true, Init: c}
		}
		s = named(a.typ)
		if a.typ == ir.Character {
			s.Len = l.charLen(a.value)
		}
		l.prog.Symbols = append(l.prog.Symbols, s)
		l.mention[s] = true
		l.readOnly[s] = n.Name.Name + " is associated with an expression"
		*pre = append(*pre, &ir.Assign{S: ir.S{Pos: n.Pos}, LHS: &ir.Var{X: ir.X{Pos: n.Pos, Typ: s.Type}, Sym: s}, RHS: a.value})
		return s
	}
	if a.readOnly != "" {
		l.readOnly[s] = a.readOnly
	}
	return s
}

// shapedFrom is the array with the shape that n says, of elements of a, which has rank 1.
func (l *lowerer) shapedFrom(a *argument, n ast.Association, pre *[]ir.Stmt) *argument {
	out := *a
	out.shape = &shape{}
	sub := viewSub{dim: -1}
	sub.off = l.fixed(l.integer(n.At, "a place"), "at", n.Pos, pre)
	var step ir.Expr = l.intConst(1, n.Pos)
	for k := range n.Extents {
		lo := l.fixed(l.integer(n.Lows[k], "a lower bound"), "bound", n.Pos, pre)
		size := l.fixed(l.integer(n.Extents[k], "an extent"), "bound", n.Pos, pre)
		step = l.fixed(step, "step", n.Pos, pre)
		out.shape.lo, out.shape.n = append(out.shape.lo, lo), append(out.shape.n, size)
		sub.add(viewTerm{dim: k, coef: ir.Clone(step)})
		sub.off = l.minus(sub.off, l.times(step, ir.Clone(lo), n.Pos), n.Pos)
		step = l.times(ir.Clone(step), ir.Clone(size), n.Pos)
	}
	out.view = l.through(a.view, []viewSub{sub}, n.Pos)
	return &out
}

// from is array a with other lower bounds, the first ones given.
func (l *lowerer) from(a *argument, lows []ast.Expr, pre *[]ir.Stmt) (*view, *shape) {
	if len(lows) == 0 {
		return a.view, a.shape
	}
	sh := &shape{lo: slices.Clone(a.shape.lo), n: a.shape.n}
	subs := make([]viewSub, len(sh.lo))
	for k := range subs {
		if k < len(lows) {
			sh.lo[k] = l.fixedBound(l.integer(lows[k], "a lower bound"), a.pos, pre)
		}
		subs[k] = viewSub{dim: k, coef: l.intConst(1, a.pos), off: l.minus(ir.Clone(a.shape.lo[k]), ir.Clone(sh.lo[k]), a.pos)}
	}
	return l.through(a.view, subs, a.pos), sh
}

// seen makes s, which is no variable of its own, a view with a shape.
func (l *lowerer) seen(s *ir.Symbol, v *view, sh *shape) {
	l.views[s], l.shapes[s], l.loose[s] = v, sh, true
	for k := range sh.n {
		b := ir.Bound{Lo: 1, Hi: 1}
		lo, okLo := constOf(sh.lo[k])
		n, okN := constOf(sh.n[k])
		if okLo && okN {
			b = ir.Bound{Lo: lo, Hi: lo + n - 1}
		}
		s.Dims = append(s.Dims, b)
	}
}

// protected is a variable of a module that others must not change.
type protected struct {
	module *ast.Program
	pos    source.Pos
}

// unchangeable says why what is called name cannot be assigned to, "" if it can be as far
// as that is not a matter of its type or INTENT.
func (l *lowerer) unchangeable(name string) string {
	s := l.lookup(name)
	if s == nil {
		return ""
	}
	if why := l.readOnly[s]; why != "" {
		return why
	}
	p, ok := l.protected[s]
	if !ok {
		return ""
	}
	for at := l.scope; at != nil; at = at.host {
		if at.unit == p.module {
			return ""
		}
	}
	return name + " is PROTECTED in module " + p.module.Name
}
