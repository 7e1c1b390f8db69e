package comm

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
	"github.com/spmdc/spmdc/runtime/dist"
)

// maxShadow is the widest overlap: a farther neighbour is served by a temporary.
const maxShadow = 8

// declaredShadow are the widths of overlaps that SHADOW gives an array, in dimensions that are dealt out in blocks: others
// have no overlap.
func declaredShadow(s *ir.Symbol) [][2]int {
	out := slices.Clone(s.Shadow)
	for d, ax := range s.Mapping.Map.Axes {
		if ax.Grid < 0 || !ax.Format.IsBlock() {
			out[d] = [2]int{}
		}
	}
	return out
}

// declaredWidth is the width of the overlap that SHADOW gives an array in a dimension, 0 where it says nothing.
func declaredWidth(s *ir.Symbol, d int) int {
	if s.Shadow == nil {
		return 0
	}
	return max(s.Shadow[d][0], s.Shadow[d][1])
}

// communicate decides for every reference to a distributed array whether the
// executing PE owns the element, and builds the communications for the others.
func (t *attempt) communicate() string {
	byKey := map[string]*Comm{}
	type pending struct {
		ref *ir.Ref
		acc *Access
	}
	var accesses []pending
	shadows := map[*ir.Symbol][][2]int{}

	for _, o := range t.occs {
		if o.write {
			continue
		}
		if !o.ref.Sym.Distributed() {
			continue
		}
		if t.accumulates(o.ref.Sym) {
			accesses = append(accesses, pending{o.ref, &Access{Mode: Part}})
			continue
		}
		exec := t.executors(o.loops)
		for _, n := range t.fetched(o, exec) {
			c := n.c
			if c == nil {
				accesses = append(accesses, pending{o.ref, &Access{Mode: Own}})
				continue
			}
			if o.print {
				c.RootOnly = true
			}
			// A value that the region itself produces cannot be fetched before it.
			if w, res := t.producedInside(o); w != nil {
				if !t.pipelines(o, c, n.shift) {
					return fmt.Sprintf("%s in line %d may use what line %d writes in the same loop (%s)%s",
						ir.ExprString(o.ref), o.stmt.Position().Line, w.stmt.Position().Line, res, t.unblocked())
				}
				c.pipe, c.Kind = true, Pipeline
			}
			if why := t.prefersReduction(o, c); why != "" {
				return why
			}
			if why := t.fetches(o, c); why != "" {
				return why
			}
			key := c.key()
			if have := byKey[key]; have != nil {
				have.addRef(o.ref)
				have.Partial = have.Partial || c.Partial
				have.Unowned = have.Unowned || c.Unowned
				c = have
			} else {
				byKey[key] = c
				if c.pipe {
					t.pipe = append(t.pipe, c)
				} else {
					t.pre = append(t.pre, c)
				}
			}
			mode := Temp
			switch {
			case c.Overlap:
				mode = Own
				shadows[o.ref.Sym] = widen(shadows[o.ref.Sym], n.shift)
			case c.Kind == Irregular:
				mode = Walk
			}
			accesses = append(accesses, pending{o.ref, &Access{Mode: mode, Comm: c}})
		}
	}
	var pipe *Pipe
	if len(t.pipe) > 0 {
		pipe = &Pipe{Comms: t.pipe}
		pipe.GridDim, pipe.Dir, _ = t.pipeline()
		if pipe.Blocks, pipe.Whole = t.blocks(); pipe.Blocks == nil && t.divisor() != t.root {
			return pipe.Whole
		}
	}
	// The attempt holds: record what it found.
	t.a.out.proved = append(t.a.out.proved, t.proved...)
	for _, p := range accesses {
		t.a.out.Access[p.ref] = p.acc
	}
	for _, w := range t.writes {
		mode := Own
		if w.ref.Sym.Distributed() && t.accumulates(w.ref.Sym) {
			mode = Part
		}
		t.a.out.Access[w.ref] = &Access{Mode: mode}
	}
	for s, w := range shadows {
		t.a.out.Shadow[s] = widenBoth(t.a.out.Shadow[s], w)
	}
	t.region.Pipe = pipe
	return ""
}

// classify returns nil if every executing PE owns o's element, else the
// communication that fetches it; shift is the distance per dimension where the
// overlap serves.
func (t *attempt) classify(o occurrence, exec []Constraint) (*Comm, []int) {
	s := o.ref.Sym
	have := map[string]bool{}
	for _, c := range exec {
		have[c.key()] = true
	}
	cons, bad := t.a.owners(o.ref, t.stableWith(o))
	if bad == nil && !o.print {
		local := true
		for _, c := range cons {
			local = local && have[c.key()]
		}
		if local {
			return nil, nil
		}
	}
	if bad != nil && !o.print && t.atHome(o.ref, o.stmt, exec) {
		return nil, nil
	}
	c := &Comm{Array: s, Refs: []*ir.Ref{o.ref}, Line: o.ref.Pos.Line, Col: o.ref.Pos.Col, Region: t.region}
	shift, isShift := []int(nil), false
	if bad == nil && !o.print && t.exact(o.loops) {
		shift, isShift = t.shift(o.ref, exec)
	}
	c.Partial = o.conditional
	c.Unowned = !t.executed(o, exec)
	c.Overlap = isShift
	if isShift {
		for _, s := range shift {
			c.Window = append(c.Window, [2]int{s, s})
		}
	}
	t.needs(c, o)
	c.Kind = t.kind(c, o, cons, have, bad != nil)
	if bad != nil && t.walkable(o, exec) {
		c.Kind = Irregular
		for _, l := range o.loops {
			c.Walk = append(c.Walk, l.(*ir.Do))
		}
		c.Axes, c.Subs = nil, nil
	}
	return c, shift
}

// stableWith is stable for the loops around an occurrence.
func (t *attempt) stableWith(o occurrence) func(linalg.Affine) bool {
	own := map[string]bool{}
	for _, l := range o.loops {
		if d, ok := l.(*ir.Do); ok {
			own[d.Index.Name] = true
		}
	}
	for _, l := range o.implied {
		own[l.Index.Name] = true
	}
	return t.stableBut(own)
}

// exact reports whether each loop's ownership constraints can be said of the
// loop's index alone. Where not (b(i+j) divides the j loop), needs are a
// superset of what is read, which may reach beyond the overlap.
func (t *attempt) exact(loops []ir.Stmt) bool {
	for i, l := range loops {
		d, ok := l.(*ir.Do)
		if !ok {
			continue
		}
		for _, c := range t.region.Part[d] {
			if !t.only(c.Sub, d.Index.Name, loops[:i]) {
				return false
			}
		}
	}
	return true
}

// shift reports whether ref reads neighbours of what its executors own: in every
// distributed dimension, which is BLOCK, the element sits at a constant distance from the
// template position of an executor, whatever the bounds and the alignment of the executor's
// array are. It returns the distances in elements of ref's array.
func (t *attempt) shift(ref *ir.Ref, exec []Constraint) ([]int, bool) {
	m := ref.Sym.Mapping
	if len(m.Map.Fixed) > 0 {
		return nil, false
	}
	shift := make([]int, len(ref.Subs))
	any := false
	for d, ax := range m.Map.Axes {
		if ax.Grid < 0 {
			continue
		}
		f, ok := t.a.affine(ref.Subs[d])
		if !ok {
			return nil, false
		}
		at, ok := axisPlace(ref.Sym, d, f)
		if !ok {
			return nil, false
		}
		found := false
		for _, c := range exec {
			if c.Axis < 0 || len(c.Array.Mapping.Map.Fixed) > 0 {
				continue
			}
			by, ok := at.from(c.place())
			by = distance(ax, by)
			if !ok || abs(by) > int64(max(maxShadow, declaredWidth(ref.Sym, d))) {
				continue
			}
			if by != 0 && (!ax.Format.IsBlock() || c.Sub.IsConst()) {
				continue // a single element from afar is no neighbour
			}
			shift[d], found = int(by), true
			break
		}
		if !found {
			return nil, false
		}
		any = any || shift[d] != 0
	}
	return shift, any
}

// distance is how many elements beyond those that a PE owns along an axis it reads at a
// distance of so many template positions from its own, in the direction of the index.
func distance(ax dist.Axis, positions int64) int64 {
	a := abs(int64(ax.A))
	n := (abs(positions) + a - 1) / a
	if (positions < 0) != (ax.A < 0) {
		return -n
	}
	return n
}

func abs(x int64) int64 { return max(x, -x) }

func widen(have [][2]int, shift []int) [][2]int {
	w := make([][2]int, len(shift))
	copy(w, have)
	for d, s := range shift {
		if s < 0 {
			w[d][0] = max(w[d][0], -s)
		} else {
			w[d][1] = max(w[d][1], s)
		}
	}
	return w
}

func widenBoth(have, more [][2]int) [][2]int {
	w := make([][2]int, len(more))
	copy(w, have)
	for d, s := range more {
		w[d][0] = max(w[d][0], s[0])
		w[d][1] = max(w[d][1], s[1])
	}
	return w
}

// key tells communications apart whose consumers or elements differ.
func (c *Comm) key() string {
	k := fmt.Sprintf("%s %s %v %v %v|%s|", c.Array.Name, c.Kind, c.Overlap, c.RootOnly, c.pipe, exactSet(c.Guard))
	for _, ax := range c.Axes {
		k += ax.String() + ";"
		for _, term := range ax.Terms {
			k += fmt.Sprintf("%p,", term.Range.Loop)
		}
	}
	for _, s := range c.Subs {
		k += fmt.Sprintf("%d %d %v;", s.Axis, s.Coef, s.Off)
	}
	for _, r := range c.Ranges {
		k += fmt.Sprintf("%s %p %v %v %s %v %s;", r.Index, r.Loop, r.Lo, r.Hi, r.by(), r.Unknown, exactSet(r.Cons))
	}
	if c.Kind == Irregular {
		for _, e := range c.Refs[0].Subs {
			k += ir.ExprString(e) + ";"
		}
		for _, d := range c.Walk {
			k += fmt.Sprintf("%p,", d)
		}
	}
	return k
}

// String gives an axis as an expression in the loops' indices.
func (ax Axis) String() string {
	if ax.All {
		return ":"
	}
	f := ax.Off
	var w *Range
	for _, term := range ax.Terms {
		switch {
		case term.Range.OfOwner():
			return ":"
		case term.Range.isHalo():
			w = term.Range
			continue
		}
		g, _ := linalg.Var(term.Range.Index).Scale(int64(term.Coef))
		f, _ = f.Add(g)
	}
	if w != nil {
		lo, _ := f.Add(w.Lo)
		hi, _ := f.Add(w.Hi)
		return lo.String() + ":" + hi.String()
	}
	return f.String()
}

// kind names a communication.
func (t *attempt) kind(c *Comm, o occurrence, cons []Constraint, have map[string]bool, irregular bool) Kind {
	switch {
	case c.Overlap:
		return Shift
	case o.print:
		return Gather
	case irregular:
		return AllGather
	}
	remap, moves := false, false
	for _, k := range cons {
		if have[k.key()] {
			continue
		}
		d := controlling(k, o.loops)
		if d == nil {
			continue
		}
		moves = true
		remap = remap || len(t.region.Part[d]) > 0
	}
	switch {
	case remap:
		return Remap
	case moves:
		return AllGather
	}
	return Broadcast
}
