package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
)

// saves puts what is live behind a call on the stack in front of it, and takes it back behind.
func (f *frame) saves(l *lowerer) {
	most := map[ir.Type]int{}
	for k, p := range f.blocks {
		r := p.after
		if r == nil {
			continue
		}
		at := r.Pos
		var push, pop []ir.Stmt
		var scalars []*ir.Symbol
		texts := 0
		more := map[ir.Type]int{ir.Integer: 1} // what comes on the stacks behind arrays
		for _, s := range l.prog.Symbols {
			switch {
			case !p.live[s] || s.IsArray():
			case s.Type == ir.Character:
				texts++
				more[ir.Integer]++
			default:
				scalars = append(scalars, s)
				more[s.Type]++
			}
		}
		for _, s := range l.prog.Symbols {
			var to, from []ir.Stmt
			switch {
			case !p.live[s]:
			case s.IsArray():
				to, from = f.savedArray(l, s, more, at)
			case s.Type == ir.Character:
				to, from = l.savedText(rawOf(s, at), varOf(s, at), at)
			}
			push, pop = append(push, to...), append(from, pop...)
		}
		held := map[ir.Type]int{}
		for _, s := range scalars {
			held[s.Type]++
			push = append(push, &ir.Assign{S: ir.S{Pos: at}, LHS: l.stack(s.Type).element(held[s.Type], at), RHS: rawOf(s, at)})
		}
		var back []ir.Stmt
		done := map[ir.Type]int{}
		for _, s := range scalars {
			done[s.Type]++
			from := l.stack(s.Type).element(done[s.Type]-held[s.Type], at)
			from.Raw = true
			back = append(back, &ir.Assign{S: ir.S{Pos: at}, LHS: varOf(s, at), RHS: from})
		}
		push = append(push, l.setTo(l.stack(ir.Integer).element(held[ir.Integer]+1, at), l.intConst(k, at), at))
		for t := ir.Byte; t <= ir.Logical8; t++ {
			if n := held[t]; n > 0 {
				back = append(back, l.stack(t).moveTop(l, -n, at))
			}
			if t == ir.Integer {
				held[t]++ // the number of the part, which the return takes
			}
			if n := held[t]; n > 0 {
				push = append(push, l.stack(t).moveTop(l, n, at))
				most[t] = max(most[t], n)
			}
		}
		most[ir.Integer] = max(most[ir.Integer], held[ir.Integer]+texts)
		for _, m := range r.in {
			push = append(push, &ir.Assign{S: ir.S{Pos: at}, LHS: varOf(m.to, at), RHS: rawOf(m.from, at)})
		}
		push = append(push, l.set(f.depth, l.plus(varOf(f.depth, at), l.intConst(1, at), at), at), l.set(f.pc, l.intConst(partEntry, at), at))
		var got []ir.Stmt
		for _, m := range r.out {
			got = append(got, l.brought(m, at)...)
		}
		p.list = slices.Concat(got, back, pop, p.list)
		for _, q := range f.blocks {
			if q.call == r {
				q.list = append(q.list, push...)
			}
		}
	}
	var room []ir.Stmt
	for t := ir.Byte; t <= ir.Logical8; t++ {
		if n := most[t]; n > 0 {
			room = append(room, l.stack(t).room(l, l.intConst(n, f.loop.Pos), f.loop.Pos))
		}
	}
	entry := f.blocks[partEntry]
	entry.list = append(room, entry.list...)
}

// brought does m.
func (l *lowerer) brought(m move, at source.Pos) []ir.Stmt {
	if !m.from.IsArray() {
		return one(&ir.Assign{S: ir.S{Pos: at}, LHS: varOf(m.to, at), RHS: rawOf(m.from, at)})
	}
	from, to := l.arrayArgument(m.from, at), l.arrayArgument(m.to, at)
	var out []ir.Stmt
	l.copyElements(to, from, from.shape.n, at, &out)
	return out
}

// savedArray puts the elements of array s on the stack, where so many values more have room
// behind, and takes them back.
func (f *frame) savedArray(l *lowerer, s *ir.Symbol, more map[ir.Type]int, at source.Pos) (push, pop []ir.Stmt) {
	text := s.Type == ir.Character
	if text && s.Len < 0 || s.Coarray || l.hasDirectives(s) {
		l.errorf(codeOutside, at, "%s calls itself, and array %s, which is needed behind the call, is a coarray, has directives, or is of type CHARACTER and a length that is not constant", f.unit.Name, s.Source()).
			WithNote(s.Pos, "%s is declared here", s.Source()).WithHelp("make it an argument, with a dimension more for the depth")
		return nil, nil
	}
	kept := s.Type
	if text {
		kept = ir.Integer // the lengths; the characters are in another place
	}
	st := l.stack(kept)
	var n ir.Expr = l.intConst(1, at)
	for _, d := range s.Dims { // the ends that the run knows, where the bounds are open
		n = l.times(n, l.atLeast0(l.plus(l.minus(l.endOf(d.Hi, at), l.endOf(d.Lo, at), at), l.intConst(1, at), at), at), at)
	}
	n = l.plus(n, l.intConst(more[kept], at), at)
	loop := func(in bool) ir.Stmt {
		index := make([]*ir.Symbol, len(s.Dims))
		x := &ir.Ref{X: ir.X{Pos: at, Typ: s.Type, Raw: in}, Sym: s}
		for k := range index {
			index[k] = l.local("copy", ir.Long, at)
			x.Subs = append(x.Subs, varOf(index[k], at))
		}
		y := st.element(0, at)
		y.Raw = !in
		body := []ir.Stmt{st.moveTop(l, 1, at), l.setTo(y, x, at)}
		if text {
			body, _ = l.savedText(x, x, at)
		}
		if !in {
			for k := range x.Subs { // backwards
				x.Subs[k] = l.minus(l.plus(l.endOf(s.Dims[k].Lo, at), l.endOf(s.Dims[k].Hi, at), at), x.Subs[k], at)
			}
			if body = []ir.Stmt{l.setTo(x, y, at), st.moveTop(l, -1, at)}; text {
				_, body = l.savedText(x, x, at)
			}
		}
		return l.overElements(s, index, body, at)
	}
	push, pop = []ir.Stmt{st.room(l, n, at), loop(true)}, one(loop(false))
	if s.IsOpen() {
		pop = append(one(&ir.Allocate{S: ir.S{Pos: at}, Sym: s}), pop...)
	}
	if a := l.allocs[s]; a != nil {
		push, pop = one(&ir.If{S: ir.S{Pos: at}, Cond: varOf(a.flag, at), Then: push}), one(&ir.If{S: ir.S{Pos: at}, Cond: varOf(a.flag, at), Then: pop})
	}
	return push, pop
}

// stack holds values of one type, elements 1 to top of an array that grows.
type stack struct{ array, top *ir.Symbol }

// stack is the stack for values of type t.
func (l *lowerer) stack(t ir.Type) *stack {
	if st := l.stacks[t]; st != nil {
		return st
	}
	site := l.scope.site
	l.scope.site = nil
	defer func() { l.scope.site = site }()
	st := l.newStack(t, "stack")
	l.stacks[t] = st
	return st
}

// newStack makes a stack for values of type t, with this name.
func (l *lowerer) newStack(t ir.Type, name string) *stack {
	pos := l.prog.Pos
	s := l.local(name, t, pos)
	a := &allocatable{flag: l.local(name+"_allocated", ir.Logical, pos)}
	a.flag.Init = truth(false, pos)
	a.lo, a.hi = l.openArray(s, []ir.Expr{l.intConst(1, pos)}, pos)
	l.allocs[s], l.mention[a.flag], l.typed[a.flag], l.typed[s] = a, true, pos, pos
	st := &stack{array: s, top: l.local(name+"_top", ir.Integer, pos)}
	st.top.Init = l.intConst(0, pos)
	l.mention[st.top], l.typed[st.top] = true, pos
	return st
}

// element is the element k behind the top.
func (st *stack) element(k int, at source.Pos) *ir.Ref {
	x := ir.X{Pos: at, Typ: ir.Integer}
	var sub ir.Expr = varOf(st.top, at)
	switch {
	case k > 0:
		sub = &ir.Bin{X: x, Op: ir.Add, L: sub, R: &ir.Const{X: x, Int: k}}
	case k < 0:
		sub = &ir.Bin{X: x, Op: ir.Sub, L: sub, R: &ir.Const{X: x, Int: -k}}
	}
	return &ir.Ref{X: ir.X{Pos: at, Typ: st.array.Type}, Sym: st.array, Subs: []ir.Expr{sub}}
}

func (st *stack) moveTop(l *lowerer, n int, at source.Pos) ir.Stmt {
	return l.set(st.top, l.plus(varOf(st.top, at), l.intConst(n, at), at), at)
}

// room lets the stack have room for n values more.
func (st *stack) room(l *lowerer, n ir.Expr, at source.Pos) ir.Stmt {
	const least = 256
	a := l.allocs[st.array]
	need := func() ir.Expr { return l.plus(varOf(st.top, at), ir.Clone(n), at) }
	size := l.foldCall(&ir.Call{X: ir.X{Pos: at, Typ: ir.Long}, Name: "max", Args: []ir.Expr{intConstOf(ir.Long, least, at), l.times(intConstOf(ir.Long, 2, at), l.convert(need(), ir.Long), at)}})
	then := l.longer(st.array, a, []ir.Expr{l.intConst(1, at)}, []ir.Expr{size}, at)
	absent := &ir.Un{X: ir.X{Pos: at, Typ: ir.Logical}, Op: ir.Not, E: varOf(a.flag, at)}
	full := l.bin(ir.Gt, need(), varOf(a.hi[0], at), at, at)
	return &ir.If{S: ir.S{Pos: at}, Cond: l.bin(ir.Or, absent, full, at, at), Then: then}
}

// savedText puts the text from on the stack of texts, which is one text, and takes it back to to.
func (l *lowerer) savedText(from, to ir.Expr, at source.Pos) (push, pop []ir.Stmt) {
	if l.texted == nil {
		site := l.scope.site
		l.scope.site = nil
		l.texted = l.local("texts", ir.Character, at)
		l.texted.Len, l.texted.Init = ir.AnyLength, &ir.Const{X: ir.X{Pos: at, Typ: ir.Character}}
		l.scope.site = site
		l.mention[l.texted], l.typed[l.texted] = true, at
	}
	t, numbers := l.texted, l.stack(ir.Integer)
	x := ir.X{Pos: at, Typ: ir.Character}
	length := func(e ir.Expr) ir.Expr {
		return &ir.Call{X: ir.X{Pos: at, Typ: ir.Integer}, Name: "len", Args: []ir.Expr{ir.Clone(e)}}
	}
	all := &ir.Bin{X: x, Op: ir.Concat, L: rawOf(t, at), R: ir.Clone(from)}
	push = []ir.Stmt{numbers.moveTop(l, 1, at), l.setTo(numbers.element(0, at), length(from), at), l.setTo(varOf(t, at), all, at)}
	part := func(lo, hi ir.Expr) ir.Expr { return &ir.Substr{X: x, Base: rawOf(t, at), Lo: lo, Hi: hi} }
	rest := func() ir.Expr { return l.arith(ir.Sub, length(rawOf(t, at)), numbers.element(0, at), at) }
	pop = []ir.Stmt{l.setTo(ir.Clone(to), part(l.plus(rest(), l.intConst(1, at), at), length(rawOf(t, at))), at),
		l.setTo(varOf(t, at), part(l.intConst(1, at), rest()), at), numbers.moveTop(l, -1, at)}
	return push, pop
}

// rawOf is a copy of s, which may have no value.
func rawOf(s *ir.Symbol, at source.Pos) *ir.Var {
	v := varOf(s, at)
	v.Raw = true
	return v
}

func (l *lowerer) setTo(x, e ir.Expr, at source.Pos) ir.Stmt {
	return &ir.Assign{S: ir.S{Pos: at}, LHS: x, RHS: e}
}
