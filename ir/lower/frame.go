package lower

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
)

// calls reports whether list has a call of the procedure of f.
func (f *frame) calls(list []ir.Stmt) bool {
	found := false
	ir.Walk(list, func(s ir.Stmt) bool {
		r, ok := s.(*reentry)
		found = found || ok && r.of == f
		return !found
	})
	return found
}

// complete is body, with all calls of the procedure of f from itself, as a loop over its parts.
func (f *frame) complete(l *lowerer, body []ir.Stmt) []ir.Stmt {
	l.frames = slices.DeleteFunc(l.frames, func(x *frame) bool { return x == f })
	if !f.calls(body) {
		return append(f.first, body...)
	}
	at := f.binding.call.Pos
	f.pc, f.depth = l.local("pc", ir.Integer, at), l.local("depth", ir.Integer, at)
	f.loop = &ir.While{S: ir.S{Pos: at}, Cond: truth(true, at), End: at}
	f.newPart()
	f.at = f.blocks[f.newPart()]
	f.list(l, body)
	f.jump(l, partReturn, at)
	f.begins(l, at)
	f.liveness(l)
	f.returns(l, at)
	f.saves(l)
	f.loop.Body = f.choice(l, partReturn, len(f.blocks)-1)
	begin := []ir.Stmt{l.set(f.depth, l.intConst(0, at), at), l.set(f.pc, l.intConst(partEntry, at), at)}
	return slices.Concat(f.first, begin, one(f.loop))
}

func (f *frame) newPart() int {
	f.blocks = append(f.blocks, &segment{})
	return len(f.blocks) - 1
}

// choice executes the part among first to last that pc says.
func (f *frame) choice(l *lowerer, first, last int) []ir.Stmt {
	at := f.loop.Pos
	if first == last {
		return f.blocks[first].list
	}
	mid := (first + last) / 2
	return one(&ir.If{S: ir.S{Pos: at}, Cond: l.bin(ir.Le, varOf(f.pc, at), l.intConst(mid, at), at, at),
		Then: f.choice(l, first, mid), Else: f.choice(l, mid+1, last)})
}

// jump ends the part in hand, and goes on at part k.
func (f *frame) jump(l *lowerer, k int, at source.Pos) {
	f.at.list = append(f.at.list, l.set(f.pc, l.intConst(k, at), at))
	f.at.next = append(f.at.next, k)
}

// branch ends the part in hand by a condition.
func (f *frame) branch(l *lowerer, cond ir.Expr, yes, no int, at source.Pos) {
	to := func(k int) []ir.Stmt { return one(l.set(f.pc, l.intConst(k, at), at)) }
	f.at.list = append(f.at.list, &ir.If{S: ir.S{Pos: at}, Cond: cond, Then: to(yes), Else: to(no)})
	f.at.next = append(f.at.next, yes, no)
}

// list takes list apart at the calls in it. It reports whether what stands behind is reached.
func (f *frame) list(l *lowerer, list []ir.Stmt) bool {
	for _, s := range list {
		at := s.Position()
		switch s := s.(type) {
		case *reentry:
			if s.of != f {
				break
			}
			k := f.newPart()
			f.at.call, f.at.next = s, append(f.at.next, k)
			f.at = f.blocks[k]
			f.at.after = s
			continue
		case *ir.Exit:
			if k, ok := f.exits[s.Loop]; ok {
				f.jump(l, k, at)
				return false
			}
		case *ir.Cycle:
			if k, ok := f.cycles[s.Loop]; ok {
				f.jump(l, k, at)
				return false
			}
		}
		if !f.calls(one(s)) {
			f.at.list = append(f.at.list, f.leaving(l, s)...)
			continue
		}
		switch s := s.(type) {
		case *ir.If:
			yes, no, join := f.newPart(), f.newPart(), f.newPart()
			f.branch(l, s.Cond, yes, no, at)
			f.inside(l, yes, s.Then, join, at)
			f.inside(l, no, s.Else, join, at)
			f.at = f.blocks[join]
		case *ir.While:
			head, body, end := f.newPart(), f.newPart(), f.newPart()
			f.exits[s], f.cycles[s] = end, head
			f.jump(l, head, at)
			f.at = f.blocks[head]
			f.branch(l, s.Cond, body, end, at)
			f.inside(l, body, s.Body, head, at)
			f.at = f.blocks[end]
		case *ir.Do:
			f.do(l, s)
		default:
			l.errorf(codeOutside, at, "%s calls itself inside of CRITICAL", f.unit.Name).WithHelp("call it in front of the construct")
			return false
		}
	}
	return true
}

// inside is list as part k, which goes on at part next.
func (f *frame) inside(l *lowerer, k int, list []ir.Stmt, next int, at source.Pos) {
	f.at = f.blocks[k]
	if f.list(l, list) {
		f.jump(l, next, at)
	}
}

// do takes a DO loop apart.
func (f *frame) do(l *lowerer, s *ir.Do) {
	at := s.Pos
	head, body, step, end := f.newPart(), f.newPart(), f.newPart(), f.newPart()
	f.exits[s], f.cycles[s] = end, step
	trips, by := l.local("trips", ir.Long, at), l.local("step", s.Index.Type, at)
	add := func(x, y ir.Expr) ir.Expr { return l.arith(ir.Add, x, y, at) }
	n := l.arith(ir.Div, add(l.arith(ir.Sub, l.convert(s.Hi, ir.Long), l.convert(ir.Clone(s.Lo), ir.Long), at), l.convert(ir.Clone(s.Step), ir.Long)), l.convert(ir.Clone(s.Step), ir.Long), at)
	f.at.list = append(f.at.list, l.set(trips, n, at), l.set(by, s.Step, at), l.set(s.Index, s.Lo, at))
	f.jump(l, head, at)
	f.at = f.blocks[head]
	f.branch(l, l.bin(ir.Gt, varOf(trips, at), intConstOf(ir.Long, 0, at), at, at), body, end, at)
	f.inside(l, body, s.Body, step, at)
	f.at = f.blocks[step]
	f.at.list = append(f.at.list, l.set(s.Index, add(varOf(s.Index, at), varOf(by, at)), at),
		l.set(trips, l.arith(ir.Sub, varOf(trips, at), intConstOf(ir.Long, 1, at), at), at))
	f.jump(l, head, at)
	f.at = f.blocks[end]
}

// leaving is s, which has no call of the procedure, where an EXIT or CYCLE of a loop that is taken
// apart goes to its part.
func (f *frame) leaving(l *lowerer, s ir.Stmt) []ir.Stmt {
	to := func(k int, at source.Pos) []ir.Stmt {
		f.at.next = append(f.at.next, k)
		return []ir.Stmt{l.set(f.pc, l.intConst(k, at), at), &ir.Cycle{S: ir.S{Pos: at}, Loop: f.loop}}
	}
	switch s := s.(type) {
	case *ir.Exit:
		if k, ok := f.exits[s.Loop]; ok {
			return to(k, s.Pos)
		}
	case *ir.Cycle:
		if k, ok := f.cycles[s.Loop]; ok {
			return to(k, s.Pos)
		}
	}
	ir.ReplaceBodies(s, func(list []ir.Stmt) []ir.Stmt {
		var out []ir.Stmt
		for _, s := range list {
			out = append(out, f.leaving(l, s)...)
		}
		return out
	})
	return one(s)
}

// own reports whether s belongs to each call of the procedure.
func (f *frame) own(s *ir.Symbol) bool {
	if s == nil || s.Param || s == f.pc || s == f.depth {
		return false
	}
	for at := s.Site; at != nil; at = at.Parent {
		if at == f.site {
			return true
		}
	}
	return false
}

// liveness finds what each part reads that was set in front of it.
func (f *frame) liveness(l *lowerer) {
	last := map[*ir.Symbol]bool{}
	for _, d := range f.binding.list {
		if d.owned && !d.isArray && d.intent != "in" && !d.value {
			last[d.sym] = true
		}
	}
	if f.result != nil {
		last[f.result] = true
	}
	for _, p := range f.blocks {
		p.live = map[*ir.Symbol]bool{}
	}
	for changed := true; changed; {
		changed = false
		for _, p := range slices.Backward(f.blocks) {
			live := map[*ir.Symbol]bool{}
			if p == f.blocks[partReturn] {
				for s := range last {
					live[s] = true
				}
			}
			for _, k := range p.next {
				for s := range f.blocks[k].live {
					live[s] = true
				}
			}
			if p.call != nil {
				for _, m := range p.call.in {
					live[m.from] = true
				}
			}
			f.before(l, p.list, live)
			if p.after != nil {
				for _, m := range p.after.out {
					delete(live, m.to)
				}
			}
			if len(live) != len(p.live) {
				p.live, changed = live, true
			}
		}
	}
}

// before makes of what is live behind list what is live in front of it.
func (f *frame) before(l *lowerer, list []ir.Stmt, live map[*ir.Symbol]bool) {
	for _, s := range slices.Backward(list) {
		if a, ok := s.(*ir.Assign); ok {
			if v, ok := a.LHS.(*ir.Var); ok {
				delete(live, v.Sym)
				f.mentions(l, a.RHS, live)
				continue
			}
		}
		if a, ok := s.(*ir.Allocate); ok && !a.Keep {
			delete(live, a.Sym) // what the elements were is lost
			for _, e := range a.Ends {
				f.mentions(l, e, live)
			}
			continue
		}
		ir.Walk(one(s), func(s ir.Stmt) bool {
			for _, e := range ir.Exprs(s) {
				f.mentions(l, e, live)
			}
			for _, x := range ir.Assigned(s) {
				f.mentioned(l, x, live)
			}
			return true
		})
	}
}

func (f *frame) mentions(l *lowerer, e ir.Expr, live map[*ir.Symbol]bool) {
	ir.WalkExpr(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Var:
			f.mentioned(l, e.Sym, live)
		case *ir.Ref:
			f.mentioned(l, e.Sym, live)
		case *ir.CoRef:
			f.mentioned(l, e.Sym, live)
		case *ir.ImpliedDo:
			f.mentioned(l, e.Index, live)
		}
		return true
	})
}

func (f *frame) mentioned(l *lowerer, s *ir.Symbol, live map[*ir.Symbol]bool) {
	if !f.own(s) || live[s] {
		return
	}
	live[s] = true
	for _, b := range s.Dims {
		for _, n := range []int{b.Lo, b.Hi} {
			if k, _, open := ir.Open(n); open {
				f.mentioned(l, l.prog.Ends[k], live)
			}
		}
	}
	if a := l.allocs[s]; a != nil {
		f.mentioned(l, a.flag, live)
	}
}

// begins lets no allocatable variable of the procedure be allocated when a call begins.
func (f *frame) begins(l *lowerer, at source.Pos) {
	var out []ir.Stmt
	for _, s := range l.prog.Symbols {
		if a := l.allocs[s]; a != nil && f.own(s) {
			out = append(out, l.set(a.flag, truth(false, at), at))
		}
	}
	entry := f.blocks[partEntry]
	entry.list = append(out, entry.list...)
}

// returns is the part that ends one call.
func (f *frame) returns(l *lowerer, at source.Pos) {
	numbers := l.stack(ir.Integer)
	p := f.blocks[partReturn]
	p.list = one(&ir.If{S: ir.S{Pos: at}, Cond: l.bin(ir.Eq, varOf(f.depth, at), l.intConst(0, at), at, at),
		Then: one(&ir.Exit{S: ir.S{Pos: at}, Loop: f.loop}),
		Else: []ir.Stmt{
			l.set(f.depth, l.plus(varOf(f.depth, at), l.intConst(-1, at), at), at),
			l.set(f.pc, numbers.element(0, at), at),
			numbers.moveTop(l, -1, at),
		}})
}
