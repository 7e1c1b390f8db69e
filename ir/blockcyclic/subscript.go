package blockcyclic

import (
	"maps"
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// strip is what an index is in a piece of its loop: size*block + offset - shift, with the
// offset from lo to hi.
type strip struct {
	size, shift int64
	parts
	at          *linalg.Affine // the block, where there is no loop over blocks
	least, most int64          // blocks, if bounded
	bounded     bool
	lo, hi      int64
	unroll      bool // there is no loop over offsets: it is lo
}

// form is the index in terms of its parts.
func (s strip) form() (linalg.Affine, bool) {
	f := linalg.Const(s.lo - s.shift)
	if !s.unroll {
		f = linalg.Affine{C: -s.shift, T: map[string]int64{s.offset.Name: 1}}
	}
	if s.at != nil {
		return f.AddScaled(*s.at, s.size)
	}
	return f.Add(linalg.Term(s.size, s.block.Name))
}

// form is the element of the blocks that a subscript f selects.
func (b *blocking) form(f linalg.Affine) (linalg.Affine, bool) {
	return linalg.Const(int64(b.shift)).AddScaled(f, int64(b.sign))
}

// divided is f in terms of the parts of divided indices; false on overflow, and if f has
// variables that are no scalars of the program.
func (d *divider) divided(f linalg.Affine) (linalg.Affine, bool) {
	for _, v := range f.Vars() {
		s, ok := d.env[v]
		if !ok {
			if d.symbols[v] == nil {
				return f, false
			}
			continue
		}
		by, ok := s.form()
		if ok {
			f, ok = f.Subst(v, by)
		}
		if !ok {
			return f, false
		}
	}
	return f, true
}

// split is f, in terms of parts, as size*whole + rest, where rest has the terms that
// size does not divide.
func split(f linalg.Affine, size int64) (whole, rest linalg.Affine) {
	whole, rest = linalg.Affine{T: map[string]int64{}}, linalg.Affine{C: f.C, T: map[string]int64{}}
	for v, k := range f.T {
		if k%size == 0 {
			whole.T[v] = k / size
		} else {
			rest.T[v] = k
		}
	}
	return whole, rest
}

// span is the least and the greatest value of f; false if it has variables of which these
// are not known.
func (d *divider) span(f linalg.Affine) (lo, hi int64, ok bool) {
	lo, hi = f.C, f.C
	for v, k := range f.T {
		found := k == 0
		for _, s := range d.env {
			var a, b int64
			switch {
			case !s.unroll && s.offset.Name == v:
				a, b = s.lo, s.hi
			case s.at == nil && s.block.Name == v && s.bounded:
				a, b = s.least, s.most
			default:
				continue
			}
			found = true
			lo, hi = lo+min(k*a, k*b), hi+max(k*a, k*b)
		}
		if !found {
			return 0, 0, false
		}
	}
	return lo, hi, true
}

// expr copies e, with divided indices and subscripts.
func (d *divider) expr(e ir.Expr) ir.Expr {
	return ir.Rewrite(e, func(e ir.Expr) ir.Expr {
		switch e := e.(type) {
		case *ir.Var:
			if f, ok := d.divided(linalg.Var(e.Sym.Name)); ok && f.Coef(e.Sym.Name) == 0 {
				return d.of(f, e.X)
			}
		case *ir.Ref:
			if list := d.blocked[e.Sym]; list != nil {
				return d.ref(e, list)
			}
		case *ir.ImpliedDo:
			if outer, ok := d.env[e.Index.Name]; ok { // it hides the index of a loop
				delete(d.env, e.Index.Name)
				n := ir.Rewrite(e, func(x ir.Expr) ir.Expr {
					if x == ir.Expr(e) {
						return nil
					}
					return d.expr(x)
				})
				d.env[e.Index.Name] = outer
				return n
			}
		}
		return nil
	})
}

func (d *divider) ref(e *ir.Ref, list []*blocking) ir.Expr {
	n := &ir.Ref{X: e.X, Sym: e.Sym}
	for i, sub := range e.Subs {
		b := list[i]
		if b == nil {
			n.Subs = append(n.Subs, d.expr(sub))
			continue
		}
		offset, block, ok := d.affine(sub, b)
		if !ok {
			size := &ir.Const{X: ir.X{Pos: sub.Position(), Typ: sub.Type()}, Int: b.size}
			at := d.plus(d.expr(sub), b.shift)
			if b.sign < 0 {
				at = &ir.Bin{X: size.X, Op: ir.Sub, L: &ir.Const{X: size.X, Int: b.shift}, R: d.expr(sub)}
			}
			offset = &ir.Call{X: size.X, Name: "mod", Args: []ir.Expr{at, size}}
			block = &ir.Bin{X: size.X, Op: ir.Div, L: ir.Clone(at), R: ir.Clone(size)}
		}
		n.Subs = append(n.Subs, offset, block)
	}
	return n
}

// affine is the place and the block of a subscript whose block is an affine form.
func (d *divider) affine(sub ir.Expr, b *blocking) (offset, block ir.Expr, ok bool) {
	f, ok := d.info.Affine(sub)
	if !ok {
		return nil, nil, false
	}
	if f, ok = b.form(f); !ok {
		return nil, nil, false
	}
	if f, ok = d.divided(f); !ok {
		return nil, nil, false
	}
	size := int64(b.size)
	whole, rest := split(f, size)
	lo, hi, ok := d.span(rest)
	if !ok || floorDiv(lo, size) != floorDiv(hi, size) {
		return nil, nil, false
	}
	at := floorDiv(lo, size)
	whole.C += at
	rest.C -= size * at
	x := ir.X{Pos: sub.Position(), Typ: sub.Type()}
	return d.of(rest, x), d.of(whole, x), true
}

// of is f as an expression of the type of x.
func (d *divider) of(f linalg.Affine, x ir.X) ir.Expr {
	var sum ir.Expr
	constant := func(k int64) ir.Expr { return &ir.Const{X: ir.X{Pos: x.Pos, Typ: x.Typ}, Int: int(k)} }
	add := func(op ir.Op, e ir.Expr) {
		switch {
		case sum != nil:
			sum = &ir.Bin{X: ir.X{Pos: x.Pos, Typ: x.Typ}, Op: op, L: sum, R: e}
		case op == ir.Sub:
			sum = &ir.Un{X: ir.X{Pos: x.Pos, Typ: x.Typ}, Op: ir.Neg, E: e}
		default:
			sum = e
		}
	}
	// What is added comes first.
	vars := slices.Sorted(maps.Keys(f.T))
	slices.SortStableFunc(vars, func(a, b string) int { return int(min(1, max(-1, f.T[b]))) - int(min(1, max(-1, f.T[a]))) })
	for _, v := range vars {
		k := f.T[v]
		if k == 0 {
			continue
		}
		var e ir.Expr = &ir.Var{X: ir.X{Pos: x.Pos, Typ: d.symbols[v].Type}, Sym: d.symbols[v]}
		if e.Type() != x.Typ {
			e = &ir.Conv{X: ir.X{Pos: x.Pos, Typ: x.Typ}, E: e}
		}
		op := ir.Add
		if k < 0 {
			op, k = ir.Sub, -k
		}
		if k != 1 {
			e = &ir.Bin{X: ir.X{Pos: x.Pos, Typ: x.Typ}, Op: ir.Mul, L: constant(k), R: e}
		}
		add(op, e)
	}
	switch {
	case sum == nil:
		return constant(f.C)
	case f.C > 0:
		add(ir.Add, constant(f.C))
	case f.C < 0:
		add(ir.Sub, constant(-f.C))
	}
	return sum
}

// plus is e + n.
func (d *divider) plus(e ir.Expr, n int) ir.Expr {
	x := ir.X{Pos: e.Position(), Typ: e.Type()}
	switch {
	case n > 0:
		return &ir.Bin{X: x, Op: ir.Add, L: e, R: &ir.Const{X: x, Int: n}}
	case n < 0:
		return &ir.Bin{X: x, Op: ir.Sub, L: e, R: &ir.Const{X: x, Int: -n}}
	}
	return e
}

// index is a symbol for a part of an index.
func (d *divider) index(of *ir.Symbol, part string) *ir.Symbol {
	name := of.Name + "." + part
	for d.symbols[name] != nil {
		name += "."
	}
	s := &ir.Symbol{Name: name, Pos: of.Pos, Type: of.Type, Site: of.Site}
	d.symbols[name] = s
	d.prog.Symbols = append(d.prog.Symbols, s)
	return s
}
