package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// Of an allocatable component of a coarray each image allocates its own, when and as it likes
// (Symbol.Apart). What other images ask about it they find in coarrays that have, on each image,
// the values of the scalars that belong to the component:
//
//	allocate (x%a(n))            x%a_hi1 = n; mirror = x%a_hi1; ...; x%a_allocated = .true.; mirror = x%a_allocated
//	allocated(x[p]%a)            mirror[p]

// mirror makes what other images see of the allocatable component s.
func (l *lowerer) mirror(s *ir.Symbol, a *allocatable, pos source.Pos) {
	if !s.Apart {
		return
	}
	all := slices.Concat([]*ir.Symbol{a.flag}, a.lo, a.hi)
	if p := l.pointers[s]; p != nil {
		all = slices.Concat(all, []*ir.Symbol{p.at}, p.steps, p.lows, p.sizes)
	}
	for _, of := range all {
		if of == nil {
			continue
		}
		m := l.local(s.Source()+"_there", of.Type, pos)
		m.Coarray, m.Cell, m.Site, m.Dims, m.Init = true, true, nil, []ir.Bound{{Lo: 1, Hi: 1}}, of.Init
		l.mention[m], l.typed[m] = true, pos
		l.cobounds[m] = codimensions{{lo: l.intConst(1, pos)}}
		l.mirrors[of] = m
	}
}

// mirrored is body, where each assignment to a scalar with a mirror is followed by one to that.
func (l *lowerer) mirrored(body []ir.Stmt) []ir.Stmt {
	if len(l.mirrors) == 0 {
		return body
	}
	var out []ir.Stmt
	for _, s := range body {
		ir.ReplaceBodies(s, l.mirrored)
		out = append(out, s)
		if set, ok := s.(*ir.Assign); ok {
			v, _ := set.LHS.(*ir.Var)
			if v == nil || l.mirrors[v.Sym] == nil {
				continue
			}
			to := &ir.Ref{X: ir.X{Pos: set.Pos, Typ: v.Typ}, Sym: l.mirrors[v.Sym], Subs: []ir.Expr{l.intConst(1, set.Pos)}}
			out = append(out, &ir.Assign{S: set.S, LHS: to, RHS: varOf(v.Sym, set.Pos)})
		}
	}
	return out
}

// there is what image p has of component x%a, which e names as x%a[p]: which picks one of its
// scalars. It is nil where e is something else.
func (l *lowerer) there(e ast.Expr, pos source.Pos, which func(*allocatable) *ir.Symbol) ir.Expr {
	co, ok := e.(*ast.CoIndex)
	if !ok {
		return nil
	}
	id, ok := co.Base.(*ast.Ident)
	if !ok {
		return nil
	}
	s := l.lookup(id.Name)
	if s == nil || !s.Apart || l.allocs[s] == nil {
		return nil
	}
	if !l.codimensioned(s, id.Name, co.Images) {
		return bad(pos)
	}
	image := l.imageOf(s, id.Name, co.Images, co.Pos)
	if isBad(image) {
		return image
	}
	return l.mirrorOf(which(l.allocs[s]), image, pos)
}

// mirrorOf is the value of scalar of, which has a mirror, on another image.
func (l *lowerer) mirrorOf(of *ir.Symbol, image ir.Expr, pos source.Pos) ir.Expr {
	m := l.mirrors[of]
	return &ir.CoRef{X: ir.X{Pos: pos, Typ: m.Type}, Sym: m, Subs: []ir.Expr{l.intConst(1, pos)}, Image: ir.Clone(image)}
}

// pointerThere is pointer s of another image as a variable: where that points to says the image. Fix keeps
// the value of an expression.
func (l *lowerer) pointerThere(s *ir.Symbol, image ir.Expr, pos source.Pos, fix func(ir.Expr) ir.Expr) *ir.Symbol {
	p, out := l.pointers[s], *s
	value := func(of *ir.Symbol) ir.Expr { return fix(l.mirrorOf(of, image, pos)) }
	sub, sh := viewSub{dim: -1, off: value(p.at)}, &shape{}
	for k := range p.steps {
		sub.add(viewTerm{dim: k, coef: value(p.steps[k])})
		sh.lo, sh.n = append(sh.lo, value(p.lows[k])), append(sh.n, value(p.sizes[k]))
	}
	if len(p.steps) == 0 {
		sh = l.shapes[s]
	}
	l.views[&out], l.shapes[&out], l.loose[&out] = &view{base: p.heap.array, subs: []viewSub{sub}}, sh, true
	return &out
}

// partThere is l.part of what co is a part of, on this image; of a pointer it is what that of the other
// image points to, there.
func (l *lowerer) partThere(co *ast.CoIndex, s *ir.Symbol, image ir.Expr, pre *[]ir.Stmt) *argument {
	if l.pointers[s] == nil {
		return l.part(co.Base, pre)
	}
	fix := func(e ir.Expr) ir.Expr { return l.fixed(e, "there", co.Pos, pre) }
	name := designated(co) + "%there"
	l.names[name] = l.pointerThere(s, image, co.Pos, fix)
	defer delete(l.names, name)
	base := ast.Copy(co.Base)
	switch x := base.(type) {
	case *ast.Ident:
		x.Name = name
	case *ast.Index:
		x.Name = name
	case *ast.Substring:
		x.Base = ast.Copy(x.Base)
		x.Base.(*ast.Ident).Name = name
	}
	return l.part(base, pre)
}

// boundThere lowers lbound and ubound of a component of another image, nil for anything else.
func (l *lowerer) boundThere(e *ast.Index, args []ast.Expr) ir.Expr {
	co, ok := args[0].(*ast.CoIndex)
	if !ok || len(args) < 2 || args[1] == nil {
		return nil
	}
	s := l.lookup(designated(co))
	d, ok := literal(args[1])
	if s == nil || !s.Apart || !ok || d < 1 || d > len(s.Dims) {
		return nil
	}
	if _, whole := co.Base.(*ast.Ident); !whole {
		return nil
	}
	if p := l.pointers[s]; p != nil {
		low := l.there(co, e.Pos, func(*allocatable) *ir.Symbol { return p.lows[d-1] })
		if e.Name == "lbound" {
			return low
		}
		size := l.there(co, e.Pos, func(*allocatable) *ir.Symbol { return p.sizes[d-1] })
		return l.minus(l.plus(low, size, e.Pos), l.intConst(1, e.Pos), e.Pos)
	}
	if low := s.Dims[d-1].Lo; e.Name == "lbound" && l.allocs[s].lo[d-1] == nil {
		return l.intConst(low, e.Pos)
	}
	return l.there(co, e.Pos, func(a *allocatable) *ir.Symbol {
		if e.Name == "lbound" {
			return a.lo[d-1]
		}
		return a.hi[d-1]
	})
}
