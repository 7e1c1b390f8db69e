package lower

import (
	"maps"

	"github.com/spmdc/spmdc/ir"
)

// itemOrder follows the items of a PRINT from left to right. An item behind an
// implied DO sees the value that the loop left in its index, as in
//
//	print *, (i, i = 1, 3), i
//
// Since the index is local to the implied DO in the typed program, the value
// takes its place in such items: 4 here.
type itemOrder struct {
	l     *lowerer
	known map[*ir.Symbol]ir.Expr // values of indices, over the variables before the statement
	lost  map[*ir.Symbol]bool    // indices whose value has no such form
}

func newItemOrder(l *lowerer) *itemOrder {
	return &itemOrder{l: l, known: map[*ir.Symbol]ir.Expr{}, lost: map[*ir.Symbol]bool{}}
}

// item returns the next item with the values in place.
func (o *itemOrder) item(e ir.Expr) ir.Expr {
	d, ok := e.(*ir.ImpliedDo)
	if !ok {
		return o.value(e)
	}
	values, ok := o.l.lastValues(d)
	if !ok {
		values = []lastValue{{d.Index, o.l.finalIndex(d)}}
	}
	d.Lo, d.Hi, d.Step = o.value(d.Lo), o.value(d.Hi), o.value(d.Step)
	good := !isBad(d.Lo, d.Hi, d.Step)
	inside := o.inside(d)
	for i, item := range d.Items {
		d.Items[i] = inside.item(item)
		good = good && !isBad(d.Items[i])
	}
	o.behind(d, values, ok)
	if !good {
		return bad(d.Pos)
	}
	return d
}

// value puts values into an expression; it reports the mention of an index
// whose value is not known.
func (o *itemOrder) value(e ir.Expr) ir.Expr {
	if v := o.mentionsLost(e); v != nil {
		o.l.errorf(codeOutside, v.Pos, "%s is the index of an implied DO in this statement, and its value at this item is not known before run time", v.Sym.Source()).
			WithHelp("print it in a statement of its own")
		return bad(e.Position())
	}
	return o.l.substitute(e, o.known)
}

func (o *itemOrder) mentionsLost(e ir.Expr) (found *ir.Var) {
	ir.WalkExpr(e, func(x ir.Expr) bool {
		if v, ok := x.(*ir.Var); ok && o.lost[v.Sym] && found == nil {
			found = v
		}
		return found == nil
	})
	return found
}

// inside is the state at the items of d, in any of its iterations.
func (o *itemOrder) inside(d *ir.ImpliedDo) *itemOrder {
	in := &itemOrder{l: o.l, known: maps.Clone(o.known), lost: maps.Clone(o.lost)}
	for s, v := range in.known {
		if ir.Mentions(v, d.Index) { // the variable, which d's index hides here
			in.lose(s)
		}
	}
	for _, s := range innerIndices(d) {
		in.lose(s) // one value in the first iteration, another one later
	}
	delete(in.known, d.Index)
	delete(in.lost, d.Index)
	return in
}

// behind takes note of the values that d leaves; closed tells that they are all.
func (o *itemOrder) behind(d *ir.ImpliedDo, values []lastValue, closed bool) {
	known := map[*ir.Symbol]ir.Expr{}
	for _, v := range values {
		known[v.index] = nil
		if o.mentionsLost(v.value) == nil {
			known[v.index] = o.l.substitute(v.value, o.known)
		}
	}
	if !closed {
		for _, s := range innerIndices(d) {
			o.lose(s)
		}
	}
	for s, v := range known {
		if o.lose(s); v != nil {
			o.known[s] = v
			delete(o.lost, s)
		}
	}
}

func (o *itemOrder) lose(s *ir.Symbol) {
	delete(o.known, s)
	o.lost[s] = true
}

// substitute replaces the variables of env by their values, and folds what
// becomes constant. Parts of e may go into the result: e must not be used any
// more.
func (l *lowerer) substitute(e ir.Expr, env map[*ir.Symbol]ir.Expr) ir.Expr {
	if len(env) == 0 {
		return e
	}
	switch e := e.(type) {
	case *ir.Const, *ir.ImpliedDo:
		return e
	case *ir.Var:
		if v, ok := env[e.Sym]; ok {
			return ir.Clone(v)
		}
		return e
	}
	return l.fold(ir.Rebuild(e, func(x ir.Expr) ir.Expr { return l.substitute(x, env) }))
}
