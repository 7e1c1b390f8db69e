package structure

import (
	"cmp"
	"slices"

	"github.com/spmdc/spmdc/parser/ast"
)

// emitter writes graphs as statements.
type emitter struct {
	*builder
	around []scope // of the statement in hand, the innermost last
}

// region writes a region, with jumps in it that resolve has to write.
func (e *emitter) region(r *region) []ast.Stmt {
	r.contract()
	r.number()
	e.reduce(r)
	post := r.number()
	dominators(post)
	loops(post)
	arrange(post, r.end)
	return e.node(r.entry)
}

// node writes n, and what it dominates.
func (e *emitter) node(n *node) []ast.Stmt {
	if !n.isHead {
		return e.body(n)
	}
	loop := &Loop{Base: ast.Base{Pos: n.pos}, Body: e.body(n), header: n, Entries: n.entries}
	return e.blocks([]ast.Stmt{loop}, n.outside)
}

// body writes n and what it dominates in its loop.
func (e *emitter) body(n *node) []ast.Stmt {
	out := slices.Clone(n.stmts)
	var arms [][]ast.Stmt
	for i, s := range n.succ {
		if n.loop != nil && i > 0 {
			break // the loop has these jumps
		}
		arms = append(arms, e.way(n, s))
	}
	switch kind := n.kind.(type) {
	case nil:
		if len(arms) > 0 {
			out = append(out, arms[0]...)
		}
	case *ast.If:
		kind.Arms[0].Body, kind.Else, kind.HasElse = arms[0], arms[1], true
		out = append(out, kind)
	case *ast.Select:
		for i := range kind.Cases {
			kind.Cases[i].Body = arms[i]
		}
		if len(arms) > len(kind.Cases) {
			kind.Cases = append(kind.Cases, ast.Case{Pos: kind.Pos, Body: arms[len(kind.Cases)]})
		}
		out = append(out, kind)
	}
	return e.blocks(out, n.inside)
}

// way writes the way from n to s: the node itself where this is the only one.
func (e *emitter) way(n, s *node) []ast.Stmt {
	if s.home != n.home || s.block || s.order <= n.order {
		pos := n.from
		switch {
		case pos.IsValid():
		case n.kind != nil:
			pos = n.kind.Position()
		default:
			pos = s.pos
		}
		return []ast.Stmt{&jump{ast.Base{Pos: pos}, s}}
	}
	return e.node(s)
}

// blocks puts nodes behind inner, each behind a block that can be left for it.
func (e *emitter) blocks(inner []ast.Stmt, behind []*node) []ast.Stmt {
	slices.SortFunc(behind, func(a, b *node) int { return cmp.Compare(a.order, b.order) })
	for _, m := range behind {
		block := &Block{Base: ast.Base{Pos: m.pos}, Body: inner, to: m}
		inner = append([]ast.Stmt{block}, e.node(m)...)
	}
	return inner
}
