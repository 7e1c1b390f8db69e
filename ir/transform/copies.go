package transform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
)

// onCopies has a loop executed on copies of arrays: nests in front of it copy the arrays, and
// nests behind it copy those back that it assigns to.
type onCopies struct {
	a      *Analysis
	loop   *ir.Do
	arrays []*ir.Symbol
	copies map[*ir.Symbol]*ir.Symbol
	on     *ir.Do // the loop on them, when change has made it
}

// copy makes the copy of an array, with a mapping of its own.
func (o *onCopies) copy(s *ir.Symbol, suffix, text string, m *ir.Mapping) {
	o.copies[s] = &ir.Symbol{
		Name: o.a.freshName(s.Name + suffix), Local: s.Source() + " " + text,
		Pos: s.Pos, Type: s.Type, Len: s.Len, Dims: s.Dims, Temp: true, Site: s.Site, Mapping: m,
	}
	o.a.symbols[o.copies[s].Name] = o.copies[s]
}

// assigns reports whether the loop assigns to an array.
func (o *onCopies) assigns(s *ir.Symbol) bool {
	found := false
	ir.Walk(o.loop.Body, func(x ir.Stmt) bool {
		found = found || slices.Contains(ir.Assigned(x), s)
		return !found
	})
	return found
}

// refs are the array elements in the loop.
func (o *onCopies) refs() []*ir.Ref {
	var list []*ir.Ref
	ir.WalkExprs(o.loop.Body, func(_ ir.Stmt, e ir.Expr) bool {
		if ref, ok := e.(*ir.Ref); ok {
			list = append(list, ref)
		}
		return true
	})
	return list
}

// named is an array of which INDEPENDENT of a loop says something; nil if there is none.
func (o *onCopies) named() (found *ir.Symbol) {
	ir.Walk([]ir.Stmt{o.loop}, func(s ir.Stmt) bool {
		if d, ok := s.(*ir.Do); ok && d.Independent != nil {
			for _, sym := range slices.Concat(d.Independent.New, d.Independent.Reduction) {
				if slices.Contains(o.arrays, sym) {
					found = sym
				}
			}
		}
		return found == nil
	})
	return found
}

// stays refuses a loop out of which control goes to somewhere else than behind it, where the
// arrays are copied back, one in which the arrays are kept in a checkpoint, and one on arrays
// with open bounds, whose copies would have to be allocated.
func (o *onCopies) stays() error {
	var why error
	inside := map[ir.Stmt]bool{}
	leaves := func(loop ir.Stmt, text string, s ir.Stmt) {
		if !inside[loop] {
			why = refuse("%s in line %d leaves it", text, s.Position().Line)
		}
	}
	for _, s := range o.arrays {
		if s.IsOpen() {
			why = refuse("the bounds of %s are not known before run time", s.Source())
		}
	}
	ir.Walk([]ir.Stmt{o.loop}, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Do, *ir.While:
			inside[s] = true
		case *ir.Exit:
			leaves(s.Loop, "EXIT", s)
		case *ir.Cycle:
			leaves(s.Loop, "CYCLE", s)
		case *ir.Allocate:
			why = refuse("%s is allocated or deallocated in line %d", s.Sym.Source(), s.Pos.Line)
		case *ir.Checkpoint:
			why = refuse("the checkpoint in line %d is taken in it", s.Pos.Line)
		}
		return why == nil
	})
	return why
}

// change writes the loops that copy, and the loop on the copies. Like says which loop the
// one over a dimension of an array has the bounds of; nil: it copies all of the dimension.
func (o *onCopies) change(kind Kind, like func(array *ir.Symbol, d int) *ir.Do) *Change {
	c := &Change{Kind: kind, Old: o.loop}
	for _, s := range o.arrays {
		c.Symbols = append(c.Symbols, o.copies[s])
		c.New = append(c.New, o.copying(c, s, o.copies[s], s, like))
	}
	cp := ir.NewCopier()
	n := cp.Do(o.loop, cp.Block)
	ir.WalkExprs(n.Body, func(_ ir.Stmt, e ir.Expr) bool {
		if ref, ok := e.(*ir.Ref); ok && o.copies[ref.Sym] != nil {
			ref.Sym = o.copies[ref.Sym]
		}
		return true
	})
	ir.MarkVarying(n.Body)
	o.on = n
	c.New = append(c.New, n)
	for _, s := range o.arrays {
		if o.assigns(s) {
			c.New = append(c.New, o.copying(c, s, s, o.copies[s], like))
		}
	}
	return c
}

// names lists arrays.
func names(arrays []*ir.Symbol) string {
	var list []string
	for _, s := range arrays {
		list = append(list, s.Name)
	}
	return strings.Join(list, ", ")
}

// copying is the nest that copies what the loop may touch of from to to, which have the
// form of array.
func (o *onCopies) copying(c *Change, array, to, from *ir.Symbol, like func(*ir.Symbol, int) *ir.Do) ir.Stmt {
	pos, site := o.loop.Pos, o.loop.Site
	at := ir.X{Pos: pos, Typ: array.Type}
	constant := func(k int) ir.Expr { return &ir.Const{X: ir.X{Pos: pos, Typ: ir.Integer}, Int: k} }
	var subs []ir.Expr
	var loops []*ir.Do
	for d, b := range array.Dims {
		i := &ir.Symbol{Name: o.a.freshName(fmt.Sprintf("dim%d.", d+1)), Pos: pos, Type: ir.Integer, Site: site}
		lo, hi, step := constant(b.Lo), constant(b.Hi), constant(1)
		if l := like(array, d); l != nil {
			i.Type = l.Index.Type
			lo, hi, step = ir.Clone(l.Lo), ir.Clone(l.Hi), ir.Clone(l.Step)
		}
		o.a.symbols[i.Name] = i
		c.Symbols = append(c.Symbols, i)
		subs = append(subs, &ir.Var{X: ir.X{Pos: pos, Typ: i.Type}, Sym: i})
		loops = append(loops, &ir.Do{S: ir.S{Pos: pos, Site: site}, Index: i, Lo: lo, Hi: hi, Step: step, End: pos})
	}
	element := func(s *ir.Symbol) *ir.Ref {
		e := &ir.Ref{X: at, Sym: s}
		for _, x := range subs {
			e.Subs = append(e.Subs, ir.Clone(x))
		}
		e.MarkVarying(true)
		return e
	}
	value := element(from)
	value.Raw = true // it may have no value yet
	body := ir.Stmt(&ir.Assign{S: ir.S{Pos: pos, Site: site}, LHS: element(to), RHS: value})
	for _, d := range loops { // the first dimension inside
		d.Body = []ir.Stmt{body}
		body = d
	}
	return body
}
