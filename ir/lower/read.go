package lower

import (
	"maps"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// maxReadItems bounds what an implied DO in READ is expanded to.
const maxReadItems = 100

// read lowers READ. Array elements and substrings are read into temporaries and
// assigned afterwards, in the order of the items, so that "read *, n, a(n)"
// uses the new n.
func (l *lowerer) read(s *ast.Read) []ir.Stmt {
	r := &ir.Read{S: ir.S{Pos: s.Pos}, Unformatted: s.Unformatted}
	var ok bool
	r.Format, ok = l.format(s.Format)
	keys, given, good := l.specs(&s.Control, append([]string{"advance"}, transferKeys...)...)
	r.Keys, r.Given, ok = strings.Join(keys, " "), given, ok && good
	var in *records
	if s.Unit != nil && l.hasRecords(s.Unit) {
		if in = l.recordsOf(s.Unit, false); in == nil {
			return nil
		}
		r.From = in.text(s.Pos)
		r.Keys, r.Given = strings.TrimSpace(r.Keys+" records"), append(r.Given, intConstOf(ir.Long, in.length, s.Pos))
		l.prelude = append(l.prelude, in.before...)
		ok = l.noString(&s.Control) && ok
	} else if s.Unit != nil {
		unit := l.expr(s.Unit)
		if unit.Type() == ir.Character {
			r.From = unit
			ok = l.noString(&s.Control) && ok && !isBad(unit)
		} else {
			var good bool
			r.From, good = l.unitOf(unit, unitInput)
			ok = ok && good
		}
	}
	if r.Unformatted && (r.From == nil || r.Internal()) {
		l.errorf(codeIO, s.Pos, "READ without a format of the standard input, or of a string").WithHelp("write read(unit, *) items, or open a file with form='unformatted'")
		ok = false
	}
	if g := l.group(s.Format); g != nil {
		if s, good = l.namelistRead(g, s, r); !good {
			return nil
		}
		return l.readParts(s, r, in, ok)
	}
	if l.inParts(s.Items) {
		return l.readParts(s, r, in, ok)
	}
	var items []readItem
	last := map[*ir.Symbol]ir.Expr{}
	inside := l.functions(func() {
		for _, e := range s.Items {
			list, good := l.readItems(e, last)
			items, ok = append(items, list...), ok && good
		}
	})
	if len(inside) > 0 && ok { // each function is executed when its item is due
		return l.readParts(s, r, in, ok)
	}
	var behind []ir.Stmt
	if r.Iostat, behind, good = l.status(&s.Control, s.Pos); !good || !ok {
		return nil
	}
	body := append(one(r), l.receive(r, items)...)
	body = append(body, l.readEnds(s.Pos, last)...)
	return l.readOutcome(s, r, append(body, behind...))
}

// readOutcome adds to the READ r, which body holds, what its other entries say.
func (l *lowerer) readOutcome(s *ast.Read, r *ir.Read, body []ir.Stmt) []ir.Stmt {
	how, ok := l.outcome(&s.Control, s.Pos, nil, "size", "iomsg")
	if !ok {
		return nil
	}
	return l.jumps(s.Pos, &s.Control, r.Iostat, append(body, how...))
}

// inParts reports whether a READ of items is executed in parts: an array or an implied
// DO of many items, or of a number that is not known, is read by a loop.
func (l *lowerer) inParts(items []ast.Expr) bool {
	return slices.ContainsFunc(items, func(e ast.Expr) bool {
		d, ok := e.(*ast.ImpliedDo)
		return !ok && l.isPart(e) || ok && (l.inParts(d.Items) || l.trips(d) > maxReadItems)
	})
}

// trips is how many items d is expanded to at least, more than can be where its bounds
// are not constant.
func (l *lowerer) trips(d *ast.ImpliedDo) int {
	const many = maxReadItems + 1
	var bounds [3]int
	for i, b := range []ast.Expr{d.Lo, d.Hi, d.Step} {
		bounds[i] = 1
		if b == nil {
			continue
		}
		n := len(l.diags.Diags)
		var c *ir.Const
		var ok bool
		l.functions(func() { c, ok = l.expr(b).(*ir.Const) })
		l.diags.Diags = l.diags.Diags[:n] // what is wrong is told when it is lowered
		if !ok || !c.Typ.IsInteger() {
			return many
		}
		bounds[i] = c.Int
	}
	if bounds[2] == 0 {
		return 1
	}
	total := max(0, (bounds[1]-bounds[0]+bounds[2])/bounds[2])
	for _, e := range d.Items {
		if in, ok := e.(*ast.ImpliedDo); ok {
			total *= min(many, l.trips(in))
		}
	}
	return total
}

// readParts lowers a READ that is executed in parts. All of them go on with the same
// statement, and the last one, without items, ends it:
//
//	read *, n, (a(i), i = 1, n)
//
//	read(*, *, stay) n
//	do i = 1, n
//	   read(*, *, stay) t
//	   a(i) = t
//	end do
//	read(*, *)
func (l *lowerer) readParts(s *ast.Read, r *ir.Read, in *records, ok bool) []ir.Stmt {
	if r.Internal() && in == nil && ok {
		// The items may change the string, which all parts read.
		if _, isConst := r.From.(*ir.Const); !isConst {
			if n := l.charLen(r.From); n >= 0 {
				t := l.temp("from", ir.Character, n, s.Pos)
				l.prelude = append(l.prelude, &ir.Assign{S: r.S, LHS: &ir.Var{X: ir.X{Pos: s.Pos, Typ: t.Type}, Sym: t}, RHS: r.From})
				r.From = &ir.Var{X: ir.X{Pos: s.Pos, Typ: t.Type}, Sym: t}
			}
		}
	}
	var behind []ir.Stmt
	var good bool
	r.Iostat, behind, good = l.status(&s.Control, s.Pos)
	ok = ok && good
	var body []ir.Stmt
	for _, e := range s.Items {
		part, good := l.readPart(e, r)
		body, ok = append(body, part...), ok && good
	}
	if !ok {
		return nil
	}
	return l.readOutcome(s, r, append(append(body, r), behind...))
}

// readPart lowers an item of a READ in parts, of which r is the last one. Functions that the item
// refers to are executed in front of it.
func (l *lowerer) readPart(e ast.Expr, r *ir.Read) (part []ir.Stmt, ok bool) {
	before := l.functions(func() { part, ok = l.readItem(e, r) })
	return append(before, part...), ok
}

func (l *lowerer) readItem(e ast.Expr, r *ir.Read) ([]ir.Stmt, bool) {
	d, ok := e.(*ast.ImpliedDo)
	if !ok && l.isPart(e) {
		if co, is := e.(*ast.CoIndex); is {
			l.errorf(codeIO, co.Pos, "READ into a variable of another image").
				WithHelp("read into a variable of this image, and assign that")
			return nil, false
		}
		var pre []ir.Stmt
		to := l.part(e, &pre)
		if to == nil || !l.mayChange(ast.Name{Pos: to.pos, Name: to.name}) {
			return nil, false
		}
		ctx := l.elements(to.shape.n, to.pos, &pre)
		n := &readNest{items: []ir.Expr{l.elementOf(to, ctx, e.Position())}, pos: e.Position()}
		for k, index := range ctx.index {
			n.loops = append(n.loops, &ir.Do{S: r.S, Index: index, Lo: intConstOf(ir.Long, 1, r.Pos), Hi: l.convert(ir.Clone(ctx.n[k]), ir.Long), Step: intConstOf(ir.Long, 1, r.Pos), End: r.Pos})
		}
		return append(pre, l.readNested(n, r)...), true
	}
	if !ok {
		x := l.readScalar(e)
		if x == nil {
			return nil, false
		}
		return l.readOne(x, r), true
	}
	n, out, ok := l.readLoop(d, r)
	if n != nil {
		out = append(out, l.readNested(n, r)...)
	}
	return out, ok
}

// readScalar is an item of READ that is no array and no implied DO; nil after an error.
func (l *lowerer) readScalar(e ast.Expr) ir.Expr {
	items, good := l.readItems(e, map[*ir.Symbol]ir.Expr{})
	if !good || len(items) != 1 {
		return nil
	}
	return items[0].x
}

// readLoop lowers an implied DO: to a nest of loops with items inside, and what is done in front of
// it, or, with n nil, to the statements.
func (l *lowerer) readLoop(d *ast.ImpliedDo, r *ir.Read) (n *readNest, out []ir.Stmt, ok bool) {
	do := &ir.Do{S: r.S, Index: l.loopIndex(d.Var), End: r.Pos}
	before := l.functions(func() {
		do.Lo = l.integer(d.Lo, "the start of an implied DO")
		do.Hi = l.integer(d.Hi, "the end of an implied DO")
		do.Step = l.step(d.Step, d.Pos)
	})
	do.Lo, do.Hi, do.Step = l.counted(do.Index, do.Lo, do.Hi, do.Step)
	if do.Index == nil || isBad(do.Lo, do.Hi, do.Step) {
		return nil, nil, false
	}
	l.active[do.Index] = d.Pos
	defer delete(l.active, do.Index)
	inner, nested := d.Items[0].(*ast.ImpliedDo)
	switch {
	case nested && len(d.Items) == 1:
		if n, out, ok = l.readLoop(inner, r); !ok {
			return nil, nil, false
		}
		if n != nil && len(out) > 0 {
			n, out = nil, append(out, l.readNested(n, r)...)
		}
	case !slices.ContainsFunc(d.Items, func(e ast.Expr) bool { _, is := e.(*ast.ImpliedDo); return is || l.isPart(e) }):
		n = &readNest{pos: d.Pos}
		inside := l.functions(func() {
			for _, e := range d.Items {
				n.items = append(n.items, l.readScalar(e))
			}
		})
		if slices.Contains(n.items, nil) {
			return nil, nil, false
		}
		if len(inside) > 0 {
			n = nil
		}
	}
	if n == nil && out == nil {
		for _, e := range d.Items {
			part, good := l.readPart(e, r)
			if !good {
				return nil, nil, false
			}
			out = append(out, part...)
		}
	}
	if n == nil {
		do.Body = out
		return nil, append(append(before, l.keepBounds(do)...), do), true
	}
	for _, x := range n.items { // what the loop changes
		do.Body = append(do.Body, &ir.Assign{S: r.S, LHS: x, RHS: x})
	}
	before = append(before, l.keepBounds(do)...)
	do.Body = nil
	n.loops = append(n.loops, do)
	return n, before, true
}

// readItem is a scalar, array element or substring to be read. index is not nil
// when it is the index of an implied DO that stands before it in the list: the
// value that it has if nothing is read.
type readItem struct{ x, index ir.Expr }

// readItems lowers an item of READ. An implied DO with constant bounds is
// expanded: known holds the values that indices have at this place of the list,
// and behind the list those that they keep.
func (l *lowerer) readItems(e ast.Expr, known map[*ir.Symbol]ir.Expr) ([]readItem, bool) {
	d, ok := e.(*ast.ImpliedDo)
	if !ok {
		if co, is := e.(*ast.CoIndex); is {
			l.errorf(codeIO, co.Pos, "READ into a variable of another image").
				WithHelp("read into a variable of this image, and assign that")
			return nil, false
		}
		x := l.target(e)
		if v, ok := x.(*ir.Var); ok {
			index := known[v.Sym]
			delete(known, v.Sym) // from here on it has what is read
			return []readItem{{x, index}}, true
		}
		if !isBad(x) {
			x = l.substitute(x, known)
		}
		if r, ok := x.(*ir.Ref); ok && !l.inBounds(r) || isBad(x) {
			return nil, false
		}
		return []readItem{{x: x}}, true
	}
	index := l.loopIndex(d.Var)
	if index == nil {
		return nil, false
	}
	var bounds [3]int
	for i, b := range []ast.Expr{d.Lo, d.Hi, d.Step} {
		var x ir.Expr = l.intConst(1, d.Pos)
		if b != nil {
			x = l.substitute(l.integer(b, "a bound of an implied DO"), known)
		}
		c, isConst := x.(*ir.Const)
		if !isConst || c.Typ == ir.Invalid {
			return nil, false
		}
		bounds[i] = c.Int
	}
	lo, hi, step := bounds[0], bounds[1], bounds[2]
	if step == 0 {
		l.errorf(codeLoop, d.Pos, "the step of the implied DO is zero").WithHelp("write a step other than 0")
		return nil, false
	}
	l.active[index] = d.Pos
	defer delete(l.active, index)
	var items []readItem
	i := lo
	for ; (hi-i)*step >= 0; i += step {
		known[index] = intConstOf(index.Type, i, d.Pos)
		for _, item := range d.Items {
			list, ok := l.readItems(item, known)
			if !ok {
				return nil, false
			}
			items = append(items, list...)
		}
	}
	known[index] = intConstOf(index.Type, i, d.Pos)
	return items, true
}

// receive makes items the items of r and returns the assignments that must
// follow it. Scalars are read directly unless an array element is among the
// items: then the order of the assignments matters. What is read through a
// temporary is assigned only if the input had a value for it.
func (l *lowerer) receive(r *ir.Read, items []readItem) []ir.Stmt {
	direct := true
	for _, item := range items {
		if _, ok := item.x.(*ir.Var); !ok || item.index != nil {
			direct = false
		}
	}
	var assigns []ir.Stmt
	for _, item := range items {
		x := item.x
		if v, ok := x.(*ir.Var); ok && direct {
			r.Items = append(r.Items, v)
			continue
		}
		length := 0
		var blank ir.Expr // the length that the element to be read has
		if x.Type() == ir.Character {
			element, is := x.(*ir.Ref)
			if length = l.charLen(x); length < 0 && is && element.Sym.Len == ir.AnyLength && len(items) == 1 {
				blank = l.lenOf(ir.Clone(x), x.Position())
			} else if length < 0 {
				l.errorf(codeOutside, x.Position(), "READ into a substring of variable length").
					WithHelp("read into a CHARACTER variable, then assign the substring")
				length = 1
			}
		}
		pos := x.Position()
		ref := func(s *ir.Symbol) *ir.Var { return &ir.Var{X: ir.X{Pos: pos, Typ: s.Type}, Sym: s} }
		t := l.temp("read", x.Type(), length, pos)
		got := l.temp("got", ir.Logical, 0, pos)
		if blank != nil {
			empty := &ir.Const{X: ir.X{Pos: pos, Typ: ir.Character}}
			l.prelude = append(l.prelude, &ir.Assign{S: ir.S{Pos: pos}, LHS: ref(t), RHS: &ir.Call{X: ir.X{Pos: pos, Typ: ir.Character}, Name: "pad", Args: []ir.Expr{empty, l.convert(blank, ir.Long)}}})
		}
		r.Items = append(r.Items, ref(t))
		r.Got = append(r.Got, got)
		if item.index != nil {
			assigns = append(assigns, &ir.Assign{S: ir.S{Pos: r.Pos}, LHS: ir.Clone(x), RHS: item.index})
		}
		assigns = append(assigns, &ir.If{S: ir.S{Pos: r.Pos}, Cond: ref(got),
			Then: one(&ir.Assign{S: ir.S{Pos: r.Pos}, LHS: x, RHS: ref(t)})})
	}
	return assigns
}

// readEnds returns the assignments that give the indices of implied DO loops in
// a READ their last values, by name.
func (l *lowerer) readEnds(pos source.Pos, last map[*ir.Symbol]ir.Expr) []ir.Stmt {
	indices := slices.SortedFunc(maps.Keys(last), func(a, b *ir.Symbol) int { return strings.Compare(a.Name, b.Name) })
	var out []ir.Stmt
	for _, s := range indices {
		out = append(out, &ir.Assign{S: ir.S{Pos: pos}, LHS: &ir.Var{X: ir.X{Pos: pos, Typ: s.Type}, Sym: s}, RHS: last[s]})
	}
	l.ends = append(l.ends, out...)
	return out
}

// when is "if (s op value) then body".
func (l *lowerer) when(op ir.Op, s *ir.Symbol, value int, pos source.Pos, body []ir.Stmt) *ir.If {
	cond := &ir.Bin{X: ir.X{Pos: pos, Typ: ir.Logical}, Op: op,
		L: &ir.Var{X: ir.X{Pos: pos, Typ: s.Type}, Sym: s}, R: intConstOf(s.Type, value, pos)}
	return &ir.If{S: ir.S{Pos: pos}, Cond: cond, Then: body}
}
