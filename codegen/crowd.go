package codegen

import (
	"fmt"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/runtime/dist"
)

// Long bodies, as those of block solvers, mention many elements of one array whose subscripts
// differ by constants. Where the strides of these axes are known here, such a crowd is cut from
// the array once, and its elements have constant places in it, which Go need not check:
//
//	do i = 1, n                                 aNear := a.At3(1, 1, i)
//	   b(1,i) = b(1,i) - a(1,1,i)*c - ...       for t := 0; t < nT; t++ {
//	   b(2,i) = b(2,i) - a(2,1,i)*c - ...           aNearC := a.Data[aNear+t*25:][:25]
//	   ...                                          bNearC[0] = bNearC[0] - aNearC[0]*c - ...
//
// So do statements outside of leaf loops, up to one that is no assignment or IF, of which none
// changes the subscripts. What may be left out belongs to a crowd if it lies between others.

const (
	crowded  = 4  // the number of elements that are a crowd
	mostSpan = 64 // how many elements it has at most for each of them: others may lie apart
)

// crowd are elements at constant distances.
type crowd struct {
	base      leafRef // that to which distances are
	strides   []int   // of the array, as far as they are known
	members   []member
	surely    map[int]leafRef // by distance, those that every execution touches
	low, high int             // of the distances of these

	name   string // of the slice, "" before it is cut
	stride int    // if it has what all iterations touch, how far these are apart
}

// member is an element of a crowd, and its distance.
type member struct {
	*crowd
	ref *ir.Ref
	at  int
}

// knownStrides are the distances of neighbours along the axes of an array, as far as they are
// known here.
func (g *gen) knownStrides(s *ir.Symbol) (list []int) {
	size := map[string]int{"int32": 4, "int": 8, "float32": 4, "float64": 8, "bool": 1, "complex64": 8, "complex128": 16}[goType(s.Type)]
	if size == 0 || s.Coarray || s.IsOpen() {
		return nil
	}
	stride := 1
	for d, b := range s.Dims {
		if m := s.Mapping; m != nil && m.Map.Axes[d].Grid >= 0 {
			if ax := m.Map.Axes[d]; ax.Format.IsBlock() && ax.A == 1 {
				list = append(list, stride)
			}
			return list
		}
		list = append(list, stride)
		if w := g.prog.Shadow[s]; w != nil && w[d] != [2]int{} {
			return list
		}
		stride = dist.NextStride(stride, b.Extent(), size)
	}
	return list
}

// distance is that of f from the base of c.
func (c *crowd) distance(f leafRef) (at int, ok bool) {
	if f.object != c.base.object {
		return 0, false
	}
	for d := range f.subs {
		by, ok := f.subs[d].Sub(c.base.subs[d])
		switch {
		case !ok || !by.IsConst() || by.C != 0 && d >= len(c.strides):
			return 0, false
		case by.C != 0:
			at += int(by.C) * c.strides[d]
		}
	}
	return at, true
}

// before reports whether f is in front of the base of c, at a known distance.
func (c *crowd) before(f leafRef) bool {
	at, ok := c.distance(f)
	return ok && at < 0
}

// findCrowds finds the crowds among references.
func (l *leaf) findCrowds(refs []leafRef) {
	g := l.g
	l.crowds = map[*ir.Ref]member{}
	strides := map[*ir.Symbol][]int{}
	crowds := map[string][]*crowd{} // by object
	for _, f := range refs {
		sym := f.ref.Sym
		if _, load, slice := l.way(f); l.loops() && (load || slice) || f.object != g.names.sym(sym) || g.leaf[f.ref] != "" || g.partialRef[f.ref] != nil {
			continue
		}
		if _, known := strides[sym]; !known {
			strides[sym] = g.knownStrides(sym)
		}
		var c *crowd
		at := 0
		for _, have := range crowds[f.object] {
			var near bool
			if at, near = have.distance(f); near {
				c = have
				break
			}
		}
		if c == nil {
			at, c = 0, &crowd{base: f, strides: strides[sym], surely: map[int]leafRef{}}
			crowds[f.object] = append(crowds[f.object], c)
		}
		c.members = append(c.members, member{c, f.ref, at})
		if !f.conditional {
			if len(c.surely) == 0 {
				c.low, c.high = at, at
			}
			c.surely[at] = f
			c.low, c.high = min(c.low, at), max(c.high, at)
		}
	}
	for _, list := range crowds {
		for _, c := range list {
			if len(c.surely) < crowded || c.high-c.low >= mostSpan*len(c.surely) || !l.known(c) {
				continue
			}
			for _, m := range c.members {
				if m.at >= c.low && m.at <= c.high {
					l.crowds[m.ref] = m
				}
			}
		}
	}
}

// loops reports whether l is a loop, and not a list of statements.
func (l *leaf) loops() bool { return l.done != nil }

// inBlock is an element that does not vary, of a crowd of such elements that lie close to each
// other: they are one parameter. It is nil for others.
func (v *vectorLoop) inBlock(r *ir.Ref, t kernel.Type) *kernel.Node {
	g, f := v.leaf.g, v.shifted(v.refs[r])
	c := crowd{base: f, surely: map[int]leafRef{}}
	acc := g.access(r)
	switch {
	case f.conditional:
		return nil
	case f.object == g.names.sym(r.Sym):
		c.strides = g.knownStrides(r.Sym)
	case acc != nil && acc.Mode == comm.Temp && acc.Comm.Subs == nil && acc.Comm.Dense():
		c.strides = []int{1}
	}
	for _, other := range v.all {
		if at, near := c.distance(v.shifted(other)); near && !other.conditional {
			c.surely[at] = other
			c.low, c.high = min(c.low, at), max(c.high, at)
		}
	}
	span := c.high - c.low + 1
	if len(c.surely) < crowded || span > 2*len(c.surely) {
		return nil
	}
	first := c.surely[c.low]
	key := fmt.Sprint("block ", span, " ", v.shifted(first).place()) + v.jam.variant(first.ref, v.copy)
	if v.by[key] == nil {
		v.params = append(v.params, vectorParam{copy: v.copy, of: []ir.Expr{first.ref}, text: func() string {
			return fmt.Sprintf("[%d]%s(%s.Data[%s:])", span, t.Go(), first.object, g.at(first))
		}})
		v.by[key] = v.k.Block(fmt.Sprintf("c%d", len(v.params)), t, span)
	}
	return v.k.InBlock(v.by[key], -c.low)
}

// known finds how far the elements of c move with each iteration, and reports whether that is
// known here if it has to be.
func (l *leaf) known(c *crowd) bool {
	for d, a := range c.base.subs {
		k := int(a.Coef(l.d.Index.Name))
		if k == 0 {
			continue
		}
		if d >= len(c.strides) || !l.plain() {
			c.stride = 0
			return l.short == 0
		}
		c.stride += k * l.step * c.strides[d]
	}
	return true
}

// inCrowd renders an element of a crowd, which it cuts first if nothing has.
func (l *leaf) inCrowd(m member) string {
	g, c := l.g, m.crowd
	first := c.surely[c.low]
	moving, _, _ := l.way(first)
	span, begin := c.high-c.low+1, 0
	if l.short > 0 {
		begin = min(0, (l.short-1)*c.stride)
		span += abs((l.short - 1) * c.stride)
	}
	if c.name == "" {
		c.name = g.names.fresh(c.base.object + "Near")
		at := l.offset(first)
		switch {
		case moving == 0 || l.short > 0:
			if begin != 0 {
				at += fmt.Sprint(begin)
			}
			g.out.p("%s := %s.Data[%s:][:%d]", c.name, c.base.object, at, span)
		default:
			by := fmt.Sprint(c.stride)
			if c.stride == 0 {
				by = c.name + "By"
				g.out.p("%s := %s", by, l.stride(first))
			}
			g.out.p("%s := %s", c.name, at)
			cut := c.name + "C"
			l.cuts = append(l.cuts, fmt.Sprintf("%s := %s.Data[%s+t*%s:][:%d]", cut, c.base.object, c.name, by, span))
			c.name = cut
		}
	}
	at := fmt.Sprint(m.at - c.low - begin)
	if l.short > 0 && c.stride != 0 {
		at += fmt.Sprintf("+t*%d", c.stride)
	}
	return fmt.Sprintf("%s[%s]", c.name, at)
}

// crowdsIn cuts the crowds of the statements at the beginning of a list that stand outside of
// leaf loops, and returns how many statements may use them, and what ends them.
func (g *gen) crowdsIn(list []ir.Stmt, r *comm.Region) (n int, end func()) {
	for n < len(list) && isLeaf(list[n:n+1]) {
		n++
	}
	if n == 0 || g.inLeaf > 0 || g.opt.Check || g.prog.IR.SPMD || g.fetches || r == nil {
		return max(n, 1), func() {}
	}
	l := &leaf{g: g, d: &ir.Do{Index: &ir.Symbol{}}, body: list[:n], writes: map[string]bool{}, varies: map[*ir.Symbol]bool{}}
	for _, s := range l.body {
		for sym := range g.prog.Modified(s) {
			l.varies[sym] = true
		}
	}
	refs := l.refs()
	l.findCrowds(refs)
	for _, f := range refs {
		if m, ok := l.crowds[f.ref]; ok {
			g.out.at = f.line
			g.leaf[f.ref] = l.inCrowd(m)
		}
	}
	return n, func() {
		for r := range l.crowds {
			delete(g.leaf, r)
		}
	}
}
