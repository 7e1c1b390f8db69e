package lower

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// What is allocated ends: by DEALLOCATE, at the return of a procedure, or by MOVE_ALLOC to another name.

func (l *lowerer) deallocateOne(e ast.Expr, to statusTo) []ir.Stmt {
	pos := e.Position()
	s, a, bounds := l.object(e, "DEALLOCATE")
	if a == nil || s.Coarray && !s.Apart && (l.outOfCritical("DEALLOCATE of a coarray", pos) || l.unordered("DEALLOCATE of a coarray", pos)) {
		return nil
	}
	if len(bounds) > 0 {
		l.errorf(codeRank, pos, "DEALLOCATE of a part of %s", s.Source()).WithHelp("write its name alone")
		return nil
	}
	text := fmt.Sprintf("attempt to deallocate %s, which is not allocated", s.Source())
	return one(&ir.If{S: ir.S{Pos: pos}, Cond: varOf(a.flag, pos), Then: l.freed(s, a, pos),
		Else: l.fails(to, 1, text, "Attempt to deallocate an unallocated object", pos)})
}

// freed takes the memory of s.
func (l *lowerer) freed(s *ir.Symbol, a *allocatable, pos source.Pos) []ir.Stmt {
	if p := l.pointers[s]; p != nil {
		return l.freedBlock(p, a, pos)
	}
	out := one(l.set(a.flag, truth(false, pos), pos))
	if len(a.hi) > 0 {
		out = append(out, &ir.Allocate{S: ir.S{Pos: pos}, Sym: s, Free: true})
	} else if s.Coarray && !s.Apart {
		out = append(out, &ir.Sync{S: ir.S{Pos: pos}})
	}
	return out
}

// freedAtReturn says that the allocatable arrays that a procedure has for itself are not
// allocated any more. The memory stays for the next call.
func (l *lowerer) freedAtReturn() (out []ir.Stmt) {
	if len(l.allocs) == 0 {
		return nil
	}
	for _, s := range l.ownAllocatables() {
		a := l.allocs[s]
		if l.pointers[s] != nil && !l.isPointer[s] {
			pos := l.scope.unit.EndPos
			out = append(out, &ir.If{S: ir.S{Pos: pos}, Cond: varOf(a.flag, pos), Then: l.freed(s, a, pos)})
			continue
		}
		if s.Coarray && !s.Apart { // all images wait for each other
			pos := l.scope.unit.EndPos
			out = append(out, &ir.If{S: ir.S{Pos: pos}, Cond: varOf(a.flag, pos), Then: l.freed(s, a, pos)})
			continue
		}
		if l.hasDirectives(s) { // what it is aligned with may get other bounds then
			out = append(out, l.freed(s, a, l.scope.unit.EndPos)...)
			continue
		}
		out = append(out, l.set(a.flag, truth(false, l.scope.unit.EndPos), l.scope.unit.EndPos))
	}
	return out
}

// ownAllocatables are those of the procedure in hand.
func (l *lowerer) ownAllocatables() (out []*ir.Symbol) {
	for _, s := range l.prog.Symbols {
		if l.allocs[s] != nil && s.Site == l.scope.site && l.scope.owns(s) {
			out = append(out, s)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.names)) {
		if s := l.names[name]; l.pointers[s] != nil && s.Site == l.scope.site && l.scope.owns(s) && l.dummies[name] == nil {
			out = append(out, s)
		}
	}
	return out
}

// isAllocated lowers ALLOCATED(x).
func (l *lowerer) isAllocated(e *ast.Index) ir.Expr {
	if len(e.Args) == 1 {
		x := e.Args[0]
		if k, ok := x.(*ast.Keyword); ok {
			x = k.X
		}
		if there := l.there(x, e.Pos, func(a *allocatable) *ir.Symbol { return a.flag }); there != nil {
			return there
		}
		if co, ok := x.(*ast.CoIndex); ok {
			x = co.Base // all images of the team allocate a coarray together
		}
		if id, ok := x.(*ast.Ident); ok {
			s := l.symbol(id.Name, id.Pos)
			if a := l.allocs[s]; a != nil {
				return varOf(a.flag, e.Pos)
			}
			if s.Type == ir.Invalid {
				return bad(e.Pos)
			}
		}
	}
	l.errorf(codeArgument, e.Pos, "the argument of allocated must be an allocatable array or variable")
	return bad(e.Pos)
}

// moveAlloc lowers CALL MOVE_ALLOC(from, to): to gets the bounds and elements of from.
func (l *lowerer) moveAlloc(s *ast.Call) []ir.Stmt {
	if len(s.Args) != 2 {
		l.errorf(codeCall, s.Proc.Pos, "move_alloc takes 2 arguments here").WithHelp("write: call move_alloc(from, to)")
		return nil
	}
	bare := func(e ast.Expr) ast.Expr {
		if k, ok := e.(*ast.Keyword); ok {
			return k.X
		}
		return e
	}
	fromArg, toArg := bare(s.Args[0]), bare(s.Args[1])
	if k, ok := s.Args[0].(*ast.Keyword); ok && k.Name == "to" {
		fromArg, toArg = toArg, fromArg
	}
	from, a, _ := l.object(fromArg, "MOVE_ALLOC")
	to, b, _ := l.object(toArg, "MOVE_ALLOC")
	if a == nil || b == nil {
		return nil
	}
	together := from.Coarray && !from.Apart // and not an allocatable component of a coarray
	if from.Type != to.Type || len(from.Dims) != len(to.Dims) || together != (to.Coarray && !to.Apart) || together && len(l.cobounds[from]) != len(l.cobounds[to]) {
		l.errorf(codeCall, s.Proc.Pos, "the arguments of move_alloc differ in type, rank or codimensions").WithHelp("declare both alike")
		return nil
	}
	free := &ir.If{S: ir.S{Pos: s.Pos}, Cond: varOf(b.flag, s.Pos), Then: l.freed(to, b, s.Pos)}
	var body []ir.Stmt
	if len(a.hi) > 0 {
		sh := l.shapes[from]
		body = l.allocatedAnew(to, b, sh.lo, sh.n, s.Pos)
	} else {
		body = one(l.set(b.flag, truth(true, s.Pos), s.Pos))
	}
	for k, c := range l.cobounds[from] {
		if !together {
			break
		}
		to := l.cobounds[to][k]
		for _, pair := range [][2]ir.Expr{{to.lo, c.lo}, {to.n, c.n}} {
			if v, is := pair[0].(*ir.Var); is {
				body = append(body, l.set(v.Sym, ir.Clone(pair[1]), s.Pos))
			}
		}
	}
	copied := l.stmt(&ast.Assign{Base: s.Base, Part: true, LHS: &ast.Ident{XBase: ast.XBase{Pos: s.Pos, End: s.Pos}, Name: nameOf(toArg)},
		RHS: &ast.Ident{XBase: ast.XBase{Pos: s.Pos, End: s.Pos}, Name: nameOf(fromArg)}})
	body = append(append(body, copied...), l.freed(from, a, s.Pos)...)
	return []ir.Stmt{free, &ir.If{S: ir.S{Pos: s.Pos}, Cond: varOf(a.flag, s.Pos), Then: body}}
}
