package comm_test

import (
	"math"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/internal/interp"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
	"github.com/spmdc/spmdc/runtime/dist"
)

// number is the value of an affine form on PE q.
func (m *spmd) number(f linalg.Affine, q *pe) int {
	v, ok := f.Eval(func(name string) int64 {
		x := q.values[m.symbols[name]]
		if math.IsNaN(x) {
			interp.Failf("%v is needed while %s is undefined on PE %d", f, name, q.id)
		}
		return int64(x)
	})
	if !ok {
		interp.Failf("%v overflows", f)
	}
	return int(v)
}

// holds reports whether PE id satisfies a constraint whose subscript has the
// value that it has on PE at.
func (m *spmd) holds(k comm.Constraint, id int, at *pe) bool {
	l := m.layouts[k.Array]
	if k.Axis < 0 {
		return l.Holds(id)
	}
	return l.Owned(id, k.Axis).Contains(m.number(k.Sub, at))
}

// ownsIteration reports whether q owns constraint k when d's index is i.
func (m *spmd) ownsIteration(k comm.Constraint, d *ir.Do, i int, q *pe) bool {
	f, ok := k.Sub.Subst(d.Index.Name, linalg.Const(int64(i)))
	return ok && m.layouts[k.Array].Owned(q.id, k.Axis).Contains(m.number(f, q))
}

// rangeOn is the values of a range on consumer id, as PE at sees them.
func (m *spmd) rangeOn(r *comm.Range, id int, at *pe) dist.Triplet {
	all := dist.All()
	if !r.Unknown {
		all = dist.Range(m.number(r.Lo, at), m.number(r.Hi, at), r.Step)
	}
	for _, k := range r.Cons {
		rest, _ := k.Sub.Subst(r.Index, linalg.Const(0))
		all = m.layouts[k.Array].Iters(id, k.Axis, int(k.Sub.Coef(r.Index)), m.number(rest, at), all)
	}
	return all
}

// rangeFor is rangeOn for c, in the block at hand.
func (m *spmd) rangeFor(c *comm.Comm, r *comm.Range, id int, at *pe) dist.Triplet {
	t := m.rangeOn(r, id, at)
	if b := m.block; b != nil && b.Ranges[c] == r {
		return b.lag(t, b.Behind[c])
	}
	return t
}

// need is the part of c's index space that consumer id wants, as PE at sees it;
// nil for nothing.
func (m *spmd) need(c *comm.Comm, id int, at *pe) []dist.Triplet {
	if c.RootOnly && id != 0 {
		return nil
	}
	for _, k := range c.Guard {
		if !m.holds(k, id, at) {
			return nil
		}
	}
	for _, r := range c.Ranges {
		if len(r.Cons) > 0 && !c.Varies(r) && m.rangeOn(r, id, at).Empty() {
			return nil // no iterations, no reads
		}
	}
	box := make([]dist.Triplet, len(c.Axes))
	for d, ax := range c.Axes {
		switch {
		case ax.All:
			b := c.Array.Dims[d]
			box[d] = dist.Range(b.Lo, b.Hi, 1)
		default:
			box[d] = dist.Single(m.number(ax.Off, at))
			for _, term := range ax.Terms {
				box[d] = box[d].Plus(m.rangeFor(c, term.Range, id, at).Image(term.Coef, 0))
			}
		}
		if box[d].Empty() {
			return nil
		}
	}
	return box
}

// post makes communication c: its values come to all PEs or, in a pipeline, to
// PE only.
func (m *spmd) post(c *comm.Comm, only *pe) {
	for _, q := range m.pes {
		if only != nil && q != only {
			continue
		}
		t := &temporary{values: map[spot]float64{}, cells: map[int]bool{}, coming: map[int]float64{}, idle: map[spot]bool{}}
		q.fetched[c] = t
		if c.Kind == comm.Irregular {
			q.list(c, t)
			continue
		}
		box := m.need(c, q.id, q)
		for _, p := range m.pes {
			other := m.need(c, q.id, p)
			same := len(other) == len(box) && (other == nil) == (box == nil)
			for d := range box {
				same = same && other[d] == box[d]
			}
			if !same {
				interp.Failf("PE %d thinks that PE %d needs %v through communication #%d, PE %d itself says %v", p.id, q.id, other, c.ID, q.id, box)
			}
		}
		if box != nil {
			q.receive(c, t, box, only != nil)
			m.moved[c] += len(t.idle)
			if only != nil {
				q.arrive(c)
			}
		}
	}
}

// receive copies the elements of box from their owners.
func (q *pe) receive(c *comm.Comm, t *temporary, box []dist.Triplet, pipe bool) {
	layout := q.m.layouts[c.Array]
	own := q.arrays[c.Array]
	inside := func(t dist.Triplet, d int) dist.Triplet {
		b := c.Array.Dims[d]
		return t.Intersect(dist.Range(b.Lo, b.Hi, 1))
	}
	for d := range box {
		switch {
		case c.Subs == nil:
			box[d] = inside(box[d], d)
		default:
			for axis, s := range c.Subs {
				if s.Axis == d && s.Coef != 0 {
					b := c.Array.Dims[axis]
					box[d] = box[d].Intersect(dist.Range(b.Lo, b.Hi, 1).Preimage(s.Coef, q.m.number(s.Off, q)))
				}
			}
		}
	}
	each(box, func(x []int) {
		subs := x
		if c.Subs != nil {
			subs = make([]int, len(c.Subs))
			for axis, s := range c.Subs {
				subs[axis] = q.m.number(s.Off, q)
				if s.Axis >= 0 {
					subs[axis] += s.Coef * x[s.Axis]
				}
			}
		}
		n, ok := own.At(subs)
		if !ok {
			return // a constant subscript outside the bounds: no owner, no value
		}
		owner := layout.OwnerFor(q.id, subs)
		from := q.m.forwarder(c, q.id, owner)
		value := q.m.pes[from].arrays[c.Array].Data[n]
		if owner == q.id {
			from = q.id // though another has it in its overlap
		}
		if from != owner {
			q.m.forwards(c, q.m.pes[from], subs, n)
		}
		if from != q.id {
			t.idle[place(subs)] = true
		}
		if !c.Overlap {
			t.values[place(x)] = value
			return
		}
		if from == q.id {
			return
		}
		if pipe {
			p := q.region0(c)
			ahead := layout.Shape.Coord(q.id, p.GridDim) - layout.Shape.Coord(from, p.GridDim)
			if ahead*p.Dir <= 0 {
				delete(t.idle, place(subs))
				return
			}
		}
		for d := range subs {
			w := q.m.p.Shadow[c.Array][d]
			if !layout.Storage(q.id, d, w[0], w[1]).Contains(subs[d]) {
				interp.Failf("PE %d has no cell for %s%v of communication #%d: overlap %v", q.id, c.Array.Name, subs, c.ID, q.m.p.Shadow[c.Array])
			}
		}
		t.coming[n] = value
	})
}

// arrive stores what c brought into q's overlap.
func (q *pe) arrive(c *comm.Comm) {
	t := q.fetched[c]
	for n, v := range t.coming {
		q.arrays[c.Array].Data[n] = v
		t.cells[n] = true
	}
	clear(t.coming)
}

// forwarder is the PE that sends to consumer what owner owns: along the
// dimensions that c forwards it has the consumer's coordinate.
func (m *spmd) forwarder(c *comm.Comm, consumer, owner int) int {
	l := m.layouts[c.Array]
	from, weight := 0, 1
	for dim, extent := range l.Shape {
		coord := l.Shape.Coord(owner, dim)
		for _, d := range c.Forward {
			if l.Axes[d].Grid == dim {
				coord = l.Shape.Coord(consumer, dim)
			}
		}
		from += coord * weight
		weight *= extent
	}
	return from
}

// forwards checks that PE p has an element of others to send: communications
// that are complete brought it, and this is its use.
func (m *spmd) forwards(c *comm.Comm, p *pe, subs []int, n int) {
	has := false
	for x, t := range p.fetched {
		if x.Array == c.Array && m.live[x] && t.cells[n] {
			has = true
			delete(t.idle, place(subs))
		}
	}
	if !has {
		interp.Failf("PE %d is to forward %s%v through communication #%d, which no complete communication brought it", p.id, c.Array.Name, subs, c.ID)
	}
}

// region0 is the pipe that c belongs to.
func (q *pe) region0(c *comm.Comm) *comm.Pipe { return c.Region.Pipe }

// each visits the product of the sets.
func each(box []dist.Triplet, visit func(x []int)) {
	x := make([]int, len(box))
	var axis func(d int)
	axis = func(d int) {
		if d == len(box) {
			visit(append([]int(nil), x...))
			return
		}
		for k := range max(0, box[d].N) {
			x[d] = box[d].Lo + k*box[d].Step
			axis(d + 1)
		}
	}
	axis(0)
}

// forget makes undefined what c brought, unless another communication that is
// live brought the same cell.
func (q *pe) forget(c *comm.Comm) {
	t := q.fetched[c]
	delete(q.fetched, c)
	if t == nil {
		return
	}
	q.m.unread[c] += len(t.idle)
	for n := range t.cells {
		shared := false
		for d, u := range q.fetched {
			shared = shared || d.Array == c.Array && u.cells[n]
		}
		if !shared {
			q.arrays[c.Array].Data[n] = math.NaN()
		}
	}
}

// fromTemporary reads r from what c brought. The position in the index space
// is what the emitted code uses: the subscripts, or the loops' indices.
func (q *pe) fromTemporary(c *comm.Comm, r *ir.Ref, subs []int) float64 {
	x := subs
	if c.Subs != nil {
		x = make([]int, len(c.Axes))
		for d, ax := range c.Axes {
			x[d] = int(q.Scalar(q.m.symbols[ax.Terms[0].Range.Index]))
		}
		for axis, s := range c.Subs {
			at := q.m.number(s.Off, q)
			if s.Axis >= 0 {
				at += s.Coef * x[s.Axis]
			}
			if at != subs[axis] {
				interp.Failf("%s in line %d is %s%v, communication #%d finds dimension %d at %d", ir.ExprString(r), r.Pos.Line, r.Sym.Name, subs, c.ID, axis+1, at)
			}
		}
	}
	if v, ok := q.fetched[c].values[place(x)]; ok {
		return v
	}
	return math.NaN()
}

// list walks the loops around an irregular reference and lists its elements.
func (q *pe) list(c *comm.Comm, t *temporary) {
	r := c.Region
	for _, k := range r.Guard {
		if !q.m.holds(k, q.id, q) {
			return
		}
	}
	saved := map[*ir.Symbol]float64{}
	for _, d := range c.Walk {
		saved[d.Index] = q.values[d.Index]
	}
	var walk func(loops []*ir.Do)
	walk = func(loops []*ir.Do) {
		if len(loops) == 0 {
			subs := interp.Subscripts(q, c.Refs[0])
			from := q.m.layouts[c.Array].OwnerFor(q.id, subs)
			if from < 0 {
				interp.Failf("the test's program reads %s%v in line %d, outside its bounds", c.Array.Name, subs, c.Line)
			}
			n, _ := q.arrays[c.Array].At(subs)
			t.order = append(t.order, q.m.pes[from].arrays[c.Array].Data[n])
			t.listed = append(t.listed, place(subs))
			return
		}
		d := loops[0]
		lo, hi, step := interp.Integer(q, d.Lo), interp.Integer(q, d.Hi), interp.Integer(q, d.Step)
		own := q.control(r).Own
		for trips := (hi - lo + step) / step; trips > 0; trips-- {
			if own(d, lo) {
				q.values[d.Index] = float64(lo)
				walk(loops[1:])
			}
			lo += step
		}
	}
	walk(c.Walk)
	for s, v := range saved {
		q.values[s] = v
	}
}

// nextWalked takes the next listed element of each irregular communication that
// is listed once per iteration of d. walked counts from 1.
func (q *pe) nextWalked(r *comm.Region, d *ir.Do) {
	for _, c := range r.Comms {
		if c.Kind == comm.Irregular && c.Walk[len(c.Walk)-1] == d {
			q.walked[c]++
		}
	}
}

// current is the listed element that the walk has reached, which must be the
// one that r means.
func (q *pe) current(c *comm.Comm, r *ir.Ref, subs []int) float64 {
	t, n := q.fetched[c], q.walked[c]-1
	if n < 0 || n >= len(t.order) {
		interp.Failf("%s in line %d is element %d of a list of %d", ir.ExprString(r), r.Pos.Line, n+1, len(t.order))
	}
	if t.listed[n] != place(subs) {
		interp.Failf("PE %d reads %s%v in line %d and listed %v there", q.id, r.Sym.Name, subs, r.Pos.Line, t.listed[n])
	}
	return t.order[n]
}
