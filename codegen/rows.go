package codegen

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// A nest over rows whose entries are added up in the order of the source is assembly where
// the processor can do that:
//
//	if it := ...; it.N > 0 {
//		t := 0
//		i := it.Lo
//		args := rowsL20Args{n: it.N, x1: row.Data[row.At1(i):], ...}
//		if spmd.Within(row.At1(i), it.N, len(row.Data)) && ... {
//			t = rowsL20(&args)
//		}
//		for ; t < it.N; t++ { // the rows that are left
//			...
//		}
//	}
//
// The assembly ends before a row with a subscript out of bounds, so that the loop fails
// there as it would without.
//
// Where rows are added up, as in s = s + y(i)*y(i) behind the entries, a loop over the
// elements that the assembly has stored does that, in the order of the source.

// rowNest is a nest over rows in the making.
type rowNest struct {
	g          *gen
	outer      *ir.Do
	inner      *ir.Do
	row, entry *leaf
	k          *kernel.Rows
	fields     []rowField         // as those of k
	by         map[string]int     // fields by what they are
	env        map[string]*rowVal // what scalars, and elements of the row, are now
	stored     []rowField         // elements that are stored, in order
	sums       []rowSum
	within     bool // the walk is in the inner loop
	why        string
}

// rowField is what a field of the argument is given: a reference, with its subscripts for
// entry 0, a list, or text.
type rowField struct {
	f    leafRef
	list *comm.Comm
	text string

	early bool // stored in front of the entries, or by them
}

// rowVal is a value: a float, or an integer that is a bound.
type rowVal struct {
	node  *kernel.RowNode
	bound kernel.RowBound
}

// rowSum is an assignment that adds rows up.
type rowSum struct {
	*ir.Assign
	env  map[string]*rowVal // as that of the nest, where it stands
	vars map[*ir.Symbol]int // what it reads: fields of elements that have the values
	refs map[*ir.Ref]int
}

func (n *rowNest) no(why string) *rowVal {
	if n.why == "" {
		n.why = why
	}
	return nil
}

// rowLoop emits loop o as a nest over rows if it is one.
func (g *gen) rowLoop(o *ir.Do, r *comm.Region) bool {
	if !g.usesKernels() || g.prog.IR.SPMD || r == nil || g.step(o) != 1 || g.outlives(o) || g.labelled[o] || len(g.walksOf(o, r)) > 0 {
		return false
	}
	var d *ir.Do
	for _, s := range o.Body {
		switch s := s.(type) {
		case *ir.Assign:
			if g.starts[s] != "" {
				return false
			}
		case *ir.Do:
			if d != nil {
				return false
			}
			d = s
		default:
			return false
		}
	}
	if d == nil || len(d.Body) != 1 || !isLeaf(o.Body[:slices.Index(o.Body, ir.Stmt(d))]) || !isLeaf(d.Body) || g.step(d) != 1 ||
		g.outlives(d) || g.parts[d] != "" || r.Shares(d) || len(g.stripped(d))+len(g.stripped(o)) > 0 {
		return false
	}
	if v := g.vectorized(d, r); v.k != nil {
		return false
	}
	for sym := range g.prog.Modified(o) {
		if !sym.IsArray() && sym != o.Index && sym != d.Index && g.prog.Info.Class(o, sym) != scalar.Private && !addsRows(g, o, sym) {
			return false
		}
	}
	n := &rowNest{g: g, outer: o, inner: d, row: g.newLeaf(o, r), entry: g.newLeaf(d, r), k: &kernel.Rows{}, by: map[string]int{}, env: map[string]*rowVal{}}
	for _, s := range o.Body {
		a, _ := s.(*ir.Assign)
		switch {
		case a == nil:
			n.entries()
		case g.prog.Info.Class(o, ir.Target(a.LHS)) == scalar.Reduced:
			n.sums = append(n.sums, rowSum{Assign: a, env: maps.Clone(n.env)})
		default:
			n.assign(a)
		}
		if n.why != "" {
			return false
		}
	}
	if n.k.Next == nil || len(n.stored) == 0 {
		return false
	}
	for _, s := range n.stored {
		i, ok := n.element(s.f)
		if !ok {
			return false
		}
		n.k.Stores = append(n.k.Stores, kernel.RowStore{Field: i, Value: n.env[s.f.place()].node})
	}
	if !n.stays() || !n.sumsStored() {
		return false
	}
	for i, f := range n.fields {
		n.k.Fields[i].Same = n.k.Fields[i].Kind == kernel.RowEntry && n.row.stride(f.f) == ""
	}
	if b := g.prog.Info.Bounds(d); b.Affine() && b.Runs() {
		if far, ok := b.Hi.Sub(b.Lo); ok && far.IsConst() && far.C < shortest {
			n.k.Count = int(far.C) + 1
		}
	}
	n.emit(r)
	return true
}

// stays reports whether elements may be stored last, one after another: nothing that is
// read behind the place of the store in the source can be that element.
func (n *rowNest) stays() bool {
	for i, s := range n.stored {
		for _, f := range n.fields {
			if s.early && f.f.ref != nil && f.f.object == s.f.object && f.f.place() != s.f.place() {
				return false
			}
		}
		for _, later := range n.stored[i+1:] {
			if slices.Contains(n.reads(n.env[later.f.place()].node), s.f.object) {
				return false
			}
		}
	}
	return true
}

// reads are the objects of the fields that a value loads.
func (n *rowNest) reads(x *kernel.RowNode) (list []string) {
	if x.Op == kernel.Load && n.fields[x.Field].f.ref != nil {
		list = append(list, n.fields[x.Field].f.object)
	}
	for _, a := range x.Args {
		list = append(list, n.reads(a)...)
	}
	return list
}

// field finds or makes a field.
func (n *rowNest) field(key string, kind kernel.RowKind, t kernel.Type, f rowField) int {
	if i, ok := n.by[key]; ok {
		return i
	}
	i := len(n.fields)
	n.by[key] = i
	n.fields = append(n.fields, f)
	n.k.Fields = append(n.k.Fields, kernel.RowField{Name: fmt.Sprintf("x%d", i+1), Kind: kind, Type: t})
	return i
}

// element is the field of an element of the row.
func (n *rowNest) element(f leafRef) (int, bool) {
	index := n.outer.Index.Name
	if len(f.subs) == 0 || !f.subs[0].Uses(index) || !n.row.unit(f) {
		return 0, false
	}
	for _, s := range f.subs[1:] {
		if s.Uses(index) {
			return 0, false
		}
	}
	t, ok := vectorType(f.ref.Sym.Type)
	if !ok || t != kernel.F64 && t != kernel.I32 {
		return 0, false
	}
	return n.field("element "+f.place(), kernel.RowElement, t, rowField{f: f}), true
}

// entryOf is the field of an element of an entry.
func (n *rowNest) entryOf(r *ir.Ref, want kernel.Type) (int, bool) {
	f, ok := n.entry.linear(r)
	t, known := vectorType(r.Sym.Type)
	index := n.inner.Index.Name
	if !ok || !known || t != want || len(f.subs) == 0 || len(f.subs) > 3 || !n.entry.counted(r) || f.subs[0].Coef(index) != 1 {
		return 0, false
	}
	subs := slices.Clone(f.subs)
	for d, s := range f.subs {
		if d > 0 && s.Uses(index) {
			return 0, false
		}
		for _, v := range s.Vars() {
			if sym := n.g.symbols[v]; sym != n.outer.Index && sym != n.inner.Index && n.row.varies[sym] {
				return 0, false
			}
		}
	}
	if subs[0], ok = subs[0].Subst(index, linalg.Const(0)); !ok {
		return 0, false
	}
	f.subs = subs
	return n.field("entry "+f.place(), kernel.RowEntry, t, rowField{f: f}), true
}

// assign notes what an assignment of the row gives.
func (n *rowNest) assign(s *ir.Assign) {
	var x *rowVal
	if s.RHS.Type() == ir.Integer {
		x = n.bound(s.RHS)
	} else {
		x = n.value(s.RHS)
	}
	if x == nil {
		n.no("a value of another kind")
		return
	}
	switch lhs := s.LHS.(type) {
	case *ir.Var:
		if lhs.Sym.Type != s.RHS.Type() {
			n.no("a conversion")
			return
		}
		n.env[lhs.Sym.Name] = x
	case *ir.Ref:
		f, ok := n.row.linear(lhs)
		if !ok || lhs.Sym.Type != ir.Double || x.node == nil {
			n.no("an element of another kind")
			return
		}
		if n.env[f.place()] == nil {
			n.stored = append(n.stored, rowField{f: f, early: n.k.Next == nil})
		}
		n.env[f.place()] = x
	default:
		n.no("an assignment of another kind")
	}
}

// entries takes in the inner loop.
func (n *rowNest) entries() {
	a, ok := n.inner.Body[0].(*ir.Assign)
	if !ok || n.g.starts[a] != "" || a.RHS.Type() != ir.Double {
		n.no("no assignment")
		return
	}
	lo, hi := n.bound(n.inner.Lo), n.bound(n.inner.Hi)
	if lo == nil || hi == nil {
		return
	}
	n.k.Lo, n.k.Hi = lo.bound, hi.bound
	key := ""
	switch lhs := a.LHS.(type) {
	case *ir.Var:
		key = lhs.Sym.Name
	case *ir.Ref:
		f, ok := n.row.linear(lhs)
		if !ok || f.subs[0].Uses(n.inner.Index.Name) {
			n.no("it assigns elements of entries")
			return
		}
		if key = f.place(); n.env[key] == nil {
			i, ok := n.element(f)
			if !ok {
				n.no("its sum is no element of the row")
				return
			}
			n.env[key] = &rowVal{node: &kernel.RowNode{Op: kernel.Load, Field: i}}
			n.stored = append(n.stored, rowField{f: f, early: true})
		}
	}
	first := n.env[key]
	if first == nil || first.node == nil {
		n.no("its sum has no value before it")
		return
	}
	n.k.First = first.node
	n.env[key] = &rowVal{node: &kernel.RowNode{Op: kernel.Acc}}
	n.within = true
	x := n.value(a.RHS)
	n.within = false
	if x != nil {
		n.k.Next = x.node
	}
}

// addsRows reports whether o itself has all statements that accumulate into sym.
func addsRows(g *gen, o *ir.Do, sym *ir.Symbol) bool {
	red, ok := g.prog.Info.ReductionOf(o, sym)
	return ok && !slices.ContainsFunc(red.Stmts, func(s ir.Stmt) bool {
		_, assigns := s.(*ir.Assign)
		return !assigns || !slices.Contains(o.Body, s)
	})
}

// sumsStored finds the elements by which sums can be formed behind the assembly, if they all
// can.
func (n *rowNest) sumsStored() bool {
	ok := true
	for i := range n.sums {
		s := &n.sums[i]
		s.vars, s.refs = map[*ir.Symbol]int{}, map[*ir.Ref]int{}
		ir.WalkExpr(s.RHS, func(e ir.Expr) bool {
			switch e := e.(type) {
			case *ir.Var:
				if e.Sym == s.LHS.(*ir.Var).Sym || e.Sym == n.outer.Index || n.same(e) {
					break
				}
				x := s.env[e.Sym.Name]
				at := slices.IndexFunc(n.stored, func(f rowField) bool { return x != nil && x.node != nil && n.env[f.f.place()].node == x.node })
				if ok = ok && at >= 0; ok {
					s.vars[e.Sym], ok = n.element(n.stored[at].f)
				}
			case *ir.Ref:
				f, linear := n.row.linear(e)
				if x := n.env[f.place()]; !linear || x != s.env[f.place()] || x == nil && n.row.stores(f.object) {
					ok = false
				} else {
					var is bool
					s.refs[e], is = n.element(f)
					ok = ok && is
				}
				return false
			}
			return ok
		})
	}
	return ok
}

// stores reports whether the body stores to an object.
func (l *leaf) stores(object string) bool {
	found := false
	ir.Walk(l.body, func(s ir.Stmt) bool {
		if a, ok := s.(*ir.Assign); ok {
			r, is := a.LHS.(*ir.Ref)
			found = found || is && l.object(r) == object
		}
		return !found
	})
	return found
}

// sum emits the loop that adds up the rows which the assembly has computed.
func (n *rowNest) sum(r *comm.Region) {
	if len(n.sums) == 0 {
		return
	}
	g := n.g
	var read []int
	for _, s := range n.sums {
		read = slices.AppendSeq(slices.AppendSeq(read, maps.Values(s.vars)), maps.Values(s.refs))
	}
	slices.Sort(read)
	rows := func(field int) string { return n.k.Fields[field].Name + "Rows" }
	for _, i := range slices.Compact(read) {
		g.out.p("%s := %s.Data[%sAt:][:t]", rows(i), n.fields[i].f.object, n.k.Fields[i].Name)
	}
	index := g.names.sym(n.outer.Index)
	g.out.p("for t := range t {")
	inner := len(g.out.lines)
	g.out.p("%s := it.Lo + t*it.Step", index)
	for _, s := range n.sums {
		for _, sym := range g.prog.IR.Symbols {
			if i, ok := s.vars[sym]; ok {
				g.out.p("%s = %s[t]", g.scalar(sym), rows(i))
			}
		}
		for ref, i := range s.refs {
			g.leaf[ref] = rows(i) + "[t]"
		}
		g.stmts([]ir.Stmt{s.Assign}, r)
		for ref := range s.refs {
			delete(g.leaf, ref)
		}
	}
	g.dropUnused(inner, index)
	g.out.p("}")
}

// emit emits the call and the loop over the rows that are left.
func (n *rowNest) emit(r *comm.Region) {
	g, o, k := n.g, n.outer, n.k
	k.Name = g.names.fresh(fmt.Sprintf("rowsL%d", o.Pos.Line))
	k.Doc = fmt.Sprintf("the loops in lines %d and %d.", o.Pos.Line, n.inner.Pos.Line)
	g.rows = append(g.rows, k)
	g.vectorized(n.inner, r).rows = k.Name
	g.out.at = o.Pos.Line
	index := g.names.sym(o.Index)
	g.out.p("if it := %s; it.N > 0 {", n.row.iterations())
	g.bound[o.Index]++
	first := len(g.out.lines)
	g.out.p("%s := it.Lo", index)
	args := []string{"n: it.N"}
	var checks []string
	var lists []int
	for i, f := range n.fields {
		name := k.Fields[i].Name
		if k.Fields[i].Kind == kernel.RowParam {
			args = append(args, name+": "+f.text)
			continue
		}
		if c := f.list; c != nil {
			lists = append(lists, i)
			args = append(args, fmt.Sprintf("%s: %s.Data", name, g.comms[c]), fmt.Sprintf("%sList: %s.At", name, g.comms[c]), fmt.Sprintf("%sNext: %s", name, g.counter(c)))
			continue
		}
		texts := make([]string, len(f.f.subs))
		for d, s := range f.f.subs {
			texts[d] = g.affine(s)
		}
		at := fmt.Sprintf("%s.%s", f.f.object, atCall(texts))
		switch k.Fields[i].Kind {
		case kernel.RowElement:
			g.out.p("%sAt := %s", name, at)
			checks = append(checks, fmt.Sprintf("spmd.Within(%sAt, it.N, len(%s.Data))", name, f.f.object))
			args = append(args, fmt.Sprintf("%s: spmd.From(%s.Data, %sAt)", name, f.f.object, name))
			continue
		case kernel.RowEntry:
			if by := n.row.stride(f.f); by != "" {
				args = append(args, fmt.Sprintf("%sBy: %s", name, by))
			}
		}
		args = append(args, fmt.Sprintf("%s: %s.Data", name, f.f.object), fmt.Sprintf("%sAt: %s", name, at))
	}
	g.out.p("args, t := %sArgs{%s}, 0", k.Name, strings.Join(args, ", "))
	g.out.p("if %s {\nt = %s(&args)", strings.Join(checks, " && "), k.Name)
	for _, i := range lists {
		g.out.p("%s = args.%sNext", g.counter(n.fields[i].list), k.Fields[i].Name)
	}
	n.sum(r)
	g.out.p("}")
	if len(g.out.lines) > first && !mentionedIn(g.out.lines[first+1:], index) {
		g.out.lines = slices.Delete(g.out.lines, first, first+1)
	}
	g.out.p("for ; t < it.N; t++ { // rows that are left")
	inner := len(g.out.lines)
	g.out.p("%s := it.Lo + t*it.Step", index)
	g.stmts(o.Body, r)
	g.dropUnused(inner, index)
	g.out.p("}\n}")
	g.bound[o.Index]--
}
