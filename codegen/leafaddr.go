package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/runtime/dist"
)

// address emits the addressing of f and records how its element is written.
func (l *leaf) address(f leafRef) {
	g := l.g
	g.out.at = f.line // a slice that does not fit is that statement's fault
	at := l.offset(f)
	moving, load, slice := l.way(f)
	key := fmt.Sprintf("%s %v %v", at, load, slice)
	if have := l.done[key]; have != "" {
		g.leaf[f.ref] = have
		return
	}
	if m, ok := l.crowds[f.ref]; ok {
		g.leaf[f.ref] = l.inCrowd(m)
		return
	}
	l.n++
	// Capitals keep these names apart from those of the source.
	base := fmt.Sprintf("%sN%d", f.object, l.n)
	elem := base
	switch {
	case load:
		g.out.p("%s := %s.Data[%s]", base, f.object, at)
	case slice:
		g.out.p("%s := %s.Data[%s:][:nT]", base, f.object, at)
		elem += "[t]"
	case moving == 0 && l.alone[f.object] && l.byParts(f):
		if f.conditional { // it may not be there, or a neighbour may be putting it
			g.out.p("%s := spmd.Editing(%s.Data, %s)", base, f.object, at)
			l.after = append(l.after, base+".Done()")
			elem = base + ".Text()"
		} else {
			g.out.p("%s := []byte(%s.Data[%s])", base, f.object, at)
			l.after = append(l.after, fmt.Sprintf("%s.Data[%s] = spmd.Edited(%s)", f.object, at, base))
		}
		g.textElements[elem] = true
		l.texts = append(l.texts, elem)
	case moving == 0 && !f.conditional && l.alone[f.object]:
		g.out.p("%s := %s.Data[%s]", base, f.object, at)
		l.after = append(l.after, fmt.Sprintf("%s.Data[%s] = %s", f.object, at, base))
	case moving == 0 && !f.conditional:
		g.out.p("%s := %s.Data[%s:][:1]", base, f.object, at)
		elem += "[0]"
	case moving == 0:
		g.out.p("%s, %sAt := %s.Data, %s", base, base, f.object, at)
		elem = fmt.Sprintf("%s[%sAt]", base, base)
	case (f.conditional || l.short > 0) && moving == 1 && f.subs[0].Uses(l.d.Index.Name) && l.unit(f):
		g.out.p("%s, %sAt := %s.Data, %s", base, base, f.object, at)
		elem = fmt.Sprintf("%s[%sAt + t]", base, base)
	case f.conditional || l.short > 0:
		g.out.p("%s, %sAt, %sBy := %s.Data, %s, %s", base, base, base, f.object, at, l.stride(f))
		elem = fmt.Sprintf("%s[%sAt + t*%sBy]", base, base, base)
	default:
		stride := l.stride(f)
		first := l.strides[stride]
		if first == "" {
			first = base
			l.strides[stride] = base
			l.streams = append(l.streams, base)
			g.out.p("%s, %sK, %sBy := %s.Every(%s, nT, %s)", base, base, base, f.object, at, stride)
		} else {
			g.out.p("%s := %s.Data[%s-int(%sK):][:len(%s)]", base, f.object, at, first, first)
		}
		elem = fmt.Sprintf("%s[%sK]", base, first)
	}
	l.done[key] = elem
	g.leaf[f.ref] = elem
}

// addressed addresses the elements that a DO WHILE of assignments and IFs uses, in front of
// it. What it returns ends the block that they are known in.
func (g *gen) addressed(w *ir.While) (end func()) {
	if g.inLeaf > 0 || g.opt.Check || g.fetches || !g.isLeafInGo([]ir.Stmt{w}) {
		return func() {}
	}
	l := &leaf{g: g, d: &ir.Do{Index: &ir.Symbol{}}, while: w, body: []ir.Stmt{w}, writes: map[string]bool{}, varies: map[*ir.Symbol]bool{}, done: map[string]string{}}
	for sym := range g.prog.Modified(w) {
		l.varies[sym] = true
	}
	g.out.p("{")
	refs := l.refs()
	l.findAlone(refs)
	for _, f := range refs {
		l.address(f)
	}
	l.picks()
	drop := l.invariants()
	g.out.at = w.Pos.Line
	g.inLeaf++
	return func() {
		g.inLeaf--
		l.forget(refs)
		drop()
		for _, text := range l.after {
			g.out.p("%s", text)
		}
		g.out.p("}")
	}
}

// byParts reports whether the loop edits text f, and uses it by its parts alone.
func (l *leaf) byParts(f leafRef) bool {
	var loop ir.Stmt = l.d
	if l.while != nil {
		loop = l.while
	}
	return !l.g.opt.Check && f.ref.Sym.Type == ir.Character && byParts(loop, func(e ir.Expr) bool { r, ok := e.(*ir.Ref); return ok && l.object(r) == f.object })
}

// way says how f is addressed: the number of its subscripts that vary in the loop, and whether it
// is loaded once or goes through a slice.
func (l *leaf) way(f leafRef) (moving int, load, slice bool) {
	first := false
	for d, a := range f.subs {
		if a.Uses(l.d.Index.Name) {
			moving++
			first = first || d == 0
		}
	}
	return moving, moving == 0 && !f.conditional && !l.writes[f.object], moving == 1 && first && !f.conditional && l.unit(f)
}

// offset renders where f is, in the first iteration.
func (l *leaf) offset(f leafRef) string {
	texts := make([]string, len(f.subs))
	for d, a := range f.subs {
		texts[d] = l.g.affine(a)
	}
	return fmt.Sprintf("%s.%s", f.object, atCall(texts))
}

// pickedFrom says how an element that subscripts pick is addressed: by the slice, where the
// part of the subscripts that the loop does not change begins, and the strides of the others.
type pickedFrom struct {
	slice, at string
	by        []string // by axis, "" for one that is in at, "-" for the first less at
}

// same reports whether elements with equal subscripts that vary are the same one.
func (p pickedFrom) same(q pickedFrom) bool {
	return p.slice == q.slice && p.at == q.at && slices.Equal(p.by, q.by)
}

// picks emits the addressing of references to elements that subscripts pick which are
// known in an iteration alone. Where each subscript counts the elements of its axis, only
// the sum of these subscripts is left to the loop.
func (l *leaf) picks() {
	g := l.g
	l.picked = map[*ir.Ref]bool{}
	l.pickGroups()
	data, starts := map[string]string{}, map[string]string{}
	ir.WalkExprs(l.body, func(s ir.Stmt, e ir.Expr) bool {
		if a, ok := s.(*ir.Assign); ok && g.fromList[a] != "" {
			return false
		}
		r, ok := e.(*ir.Ref)
		if !ok {
			return true
		}
		if acc := g.access(r); acc != nil && acc.Mode == comm.Walk {
			return false // its subscripts are not evaluated in the loop
		}
		if g.leaf[r] != "" || g.partialRef[r] != nil || l.picked[r] || len(r.Subs) == 0 || len(r.Subs) > 3 || !l.counted(r) {
			return true
		}
		g.out.at = s.Position().Line
		object := l.object(r)
		name := data[object]
		if name == "" {
			l.n++
			name = fmt.Sprintf("%sN%d", object, l.n)
			data[object] = name
			g.out.p("%s := %s.Data", name, object)
		}
		p := pickedFrom{slice: name, by: make([]string, len(r.Subs))}
		subs := l.steadySubs(r)
		for d, text := range subs {
			if text != "" {
				continue
			}
			subs[d], p.by[d] = "0", "1"
			if d > 0 {
				p.by[d] = fmt.Sprintf("%sBy%d", name, d)
				if starts[p.by[d]] == "" {
					starts[p.by[d]] = p.by[d]
					g.out.p("%s := %s.Stride(%d, 1)", p.by[d], object, d)
				}
			}
		}
		at := fmt.Sprintf("%s.%s", object, atCall(subs))
		if starts[at] == "" {
			l.n++
			starts[at] = fmt.Sprintf("%sN%dAt", object, l.n)
			g.out.p("%s := %s", starts[at], at)
		}
		p.at = starts[at]
		g.picked[r] = p
		l.picked[r] = true
		return true
	})
}

// steadySubs renders the subscripts of r that are the same in all iterations; the others
// are "".
func (l *leaf) steadySubs(r *ir.Ref) []string {
	of, at := l.flat.source(r)
	texts := make([]string, len(of.Subs))
	for d, s := range of.Subs {
		a, ok := l.g.prog.Affine(s)
		if ok {
			a, ok = with(a, at)
		}
		if ok && !slices.ContainsFunc(a.Vars(), func(name string) bool { return l.varies[l.g.symbols[name]] || name == l.d.Index.Name }) {
			texts[d] = l.g.affine(a)
		}
	}
	return texts
}

// counted reports whether elements of r's array that are neighbours along an axis have
// the same distance in storage everywhere, which subscripts that differ by 1 have.
func (l *leaf) counted(r *ir.Ref) bool {
	if r.Sym.Cell || r.Sym.Coarray {
		return false
	}
	if acc := l.g.access(r); acc != nil && acc.Mode == comm.Temp {
		return acc.Comm.Dense()
	}
	if m := l.g.mapping(r); m != nil {
		for _, ax := range m.Map.Axes {
			if ax.Grid >= 0 && !ax.Format.IsBlock() {
				return false
			}
		}
	}
	return true
}

// pickedElement renders an element that picks has addressed.
func (g *gen) pickedElement(r *ir.Ref, p pickedFrom) string {
	return fmt.Sprintf("%s[%s]", p.slice, g.pickedIndex(r, p))
}

// pickedIndex renders its index in the slice.
func (g *gen) pickedIndex(r *ir.Ref, p pickedFrom) string {
	at := p.at
	for d, by := range p.by {
		if by == "" {
			continue
		}
		text, prec := g.asInt(r.Subs[d], sums)
		if by == "-" {
			return fmt.Sprintf("%s - %s", enclose(text, prec, precAdd), at)
		}
		if at += " + "; by == "1" {
			at += enclose(text, prec, precMul)
			continue
		}
		at += fmt.Sprintf("%s*%s", enclose(text, prec, precUnary), by)
	}
	return at
}

// stride renders by how much the offset of f changes from one iteration to the
// next.
func (l *leaf) stride(f leafRef) string {
	var sum []string
	for d, a := range f.subs {
		if k := a.Coef(l.d.Index.Name) * sign(l.step); k != 0 {
			by := l.by()
			switch {
			case k == 1:
			case by == "1":
				by = fmt.Sprint(k)
			default:
				by = fmt.Sprintf("%d*%s", k, by)
			}
			sum = append(sum, fmt.Sprintf("%s.Stride(%d, %s)", f.object, d, by))
		}
	}
	return strings.Join(sum, " + ")
}

func sign(x int) int64 {
	if x < 0 {
		return -1
	}
	return 1
}

// unit reports whether f, whose first subscript alone moves, moves through
// consecutive storage: one local element per iteration.
func (l *leaf) unit(f leafRef) bool {
	k := f.subs[0].Coef(l.d.Index.Name) * sign(l.step)
	if k < 0 {
		return false
	}
	acc := l.g.access(f.ref)
	if acc != nil && acc.Mode == comm.Temp {
		return l.unitTemp(f, acc.Comm, k)
	}
	if k != 1 {
		return false
	}
	var ax *dist.Axis
	if m := l.g.mapping(f.ref); m != nil && m.Map.Axes[0].Grid >= 0 {
		ax = &m.Map.Axes[0]
	}
	if len(l.part) == 0 {
		// All iterations: the whole dimension must be here.
		return ax == nil && (l.step == 1 || l.step == -1)
	}
	if l.step != 1 && l.step != -1 {
		return false
	}
	for _, c := range l.part {
		if a := c.Sub.Coef(l.d.Index.Name); a != 1 && a != -1 {
			continue
		}
		ca := c.Array.Mapping.Map.Axes[c.Axis]
		switch {
		case ca.Format.IsBlock() && len(l.part) == 1 && (ax == nil || ax.Format.IsBlock()):
			// Owned elements of BLOCK dimensions are consecutive.
			return true
		case ca.Format == dist.Cyclic && len(l.part) == 1 && ax != nil && ax.Format == dist.Cyclic &&
			c.Array.Mapping.Grid == f.ref.Sym.Mapping.Grid && ca.Grid == ax.Grid && (ca.A == ax.A || ca.A == -ax.A):
			// Iterations step over the other PEs' elements as the storage does.
			return true
		}
	}
	return false
}

// unitTemp is unit for a temporary: its first axis holds exactly the images of
// the iterations, in order, when that axis was made from this loop alone.
func (l *leaf) unitTemp(f leafRef, c *comm.Comm, k int64) bool {
	ax := c.Axes[0]
	if ax.All {
		return k == 1 && len(l.part) == 0 && (l.step == 1 || l.step == -1)
	}
	if dense(ax) && len(l.part) == 0 && k == 1 && (l.step == 1 || l.step == -1) {
		return true // though it was made for another loop
	}
	if l.step == 0 || len(ax.Terms) != 1 || ax.Terms[0].Range.Loop != l.d || ax.Terms[0].Range.Step*l.step < 0 && abs(ax.Terms[0].Range.Step) != 1 {
		return false
	}
	r := ax.Terms[0].Range
	if len(r.Cons) != len(l.part) {
		return false
	}
	if f.conditional && (abs(l.step) != 1 || slices.ContainsFunc(l.part, func(c comm.Constraint) bool {
		return !c.Array.Mapping.Map.Axes[c.Axis].Format.IsBlock()
	})) {
		return false // if one of the elements exists, the temporary knows no distance
	}
	// A range that was widened lost its stride.
	return abs(r.Step) == abs(l.step) && !r.Unknown
}

func abs(x int) int { return max(x, -x) }

// dense reports whether an axis holds a run of elements without gaps, the
// same on all PEs.
func dense(ax comm.Axis) bool {
	if len(ax.Terms) != 1 || abs(ax.Terms[0].Coef) != 1 {
		return false
	}
	r := ax.Terms[0].Range
	return abs(r.Step) == 1 && len(r.Cons) == 0 && !r.Unknown
}
