package comm

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// coalesce replaces the shifts of a group that fill the same overlap by fewer
// (Gupta, Schonberg and Srinivasan's message coalescing).
//
//   - Shifts in the same direction become one, as wide as the widest:
//     a(i-1) and a(i-2) are one communication of a(i-2:i-1).
//   - Where references to diagonal neighbours make more directions than the
//     array has sides, the sides alone are exchanged, one dimension after
//     another: a communication of dimension 2 also carries what its producers
//     got into their overlap of dimension 1 before. So the nine-point stencil
//     has four communications, and no PE talks to a diagonal neighbour.
//
// The second holds for every number of PEs, every block size and every width,
// also where blocks are narrower than the shift. Write H(q,d) for what q wants
// along dimension d, its iterations moved by all distances. Phase d brings q the
// elements x with x_d outside what q owns, x_e in H(q,e) for e < d, and x_e owned by
// q for e > d. Its producer p has the coordinates of q but along d, hence
// H(p,e) = H(q,e), and owns x_d: so phases before d brought it x, provided that
// they brought p everything along d that it owns and somebody reads, not only
// what it reads itself. p may have no iterations, yet forwards.
func (a *analyzer) coalesce(body []Node) []Node {
	k := &coalescer{program: a.out.IR, ends: map[*Comm]string{}, become: map[*Comm][]*Comm{}, serve: map[*Comm]*Comm{}, order: map[*Comm]int{}}
	k.findEnds(body)
	body = k.nodes(body)
	if len(k.become) == 0 {
		return body
	}
	k.rename(body)
	for _, acc := range a.out.Access {
		if c := k.serve[acc.Comm]; c != nil {
			acc.Comm = c
		}
	}
	return body
}

type coalescer struct {
	program *ir.Program
	ends    map[*Comm]string  // where a communication ends, as text to compare
	become  map[*Comm][]*Comm // old -> all that take part in its work
	serve   map[*Comm]*Comm   // old -> the one that completes it
	order   map[*Comm]int     // position in a group that has phases
	stages  map[*Comm]int     // in the group at hand, the dimension that those with a phase exchange
}

// everyList calls f for each list of communications in the tree that is not
// the beginning of a group.
func everyList(list []Node, f func(at any, comms *[]*Comm)) {
	for _, n := range Within(list...) {
		switch n := n.(type) {
		case *Done:
			f(n, &n.Comms)
		case *Region:
			f(n, &n.Comms)
		case *WhileLoop:
			f(n, &n.Used)
		}
	}
}

func (k *coalescer) findEnds(body []Node) {
	everyList(body, func(at any, comms *[]*Comm) {
		if _, region := at.(*Region); region {
			return
		}
		for _, c := range *comms {
			k.ends[c] += fmt.Sprintf("%p ", at)
		}
	})
}

// rename puts the new communications where the old ones were named.
func (k *coalescer) rename(body []Node) {
	everyList(body, func(_ any, comms *[]*Comm) {
		var out []*Comm
		for _, c := range *comms {
			now := k.become[c]
			if now == nil {
				now = []*Comm{c}
			}
			for _, x := range now {
				if !slices.Contains(out, x) {
					out = append(out, x)
				}
			}
		}
		slices.SortStableFunc(out, func(x, y *Comm) int { return k.order[x] - k.order[y] })
		*comms = out
	})
}

func (k *coalescer) nodes(list []Node) []Node {
	var out []Node
	for i := 0; i < len(list); i++ {
		if n, ok := list[i].(*Post); ok && i+1 < len(list) {
			if w, ok := list[i+1].(*Wait); ok && slices.Equal(n.Comms, w.Comms) {
				out = append(out, k.group(n, w)...)
				i++
				continue
			}
		}
		rewrite(list[i], k.nodes)
		out = append(out, list[i])
	}
	return out
}

// group coalesces the communications of one group. What has no phase is posted
// with the first: its producers then send what they own.
func (k *coalescer) group(p *Post, w *Wait) []Node {
	sets := map[string]*distances{}
	var order []*distances
	for _, c := range p.Comms {
		key := fmt.Sprintf("%p", c) // alone
		if c.Overlap && !c.pipe {
			key = k.ends[c] + "|" + c.base()
		}
		if sets[key] == nil {
			sets[key] = &distances{program: k.program, narrow: c}
			order = append(order, sets[key])
		}
		sets[key].olds = append(sets[key].olds, c)
	}
	for _, s := range order {
		s.directions()
	}
	k.stages = map[*Comm]int{}
	stages := map[int]bool{}
	var now []*Comm
	for _, s := range order {
		var comms []*Comm
		if s.diagonal && forwards(order, s.narrow.Array) {
			comms = k.exchange(s)
		} else {
			comms = k.widen(s)
		}
		for _, c := range comms {
			now = append(now, c)
			if at, ok := k.stages[c]; ok {
				stages[at] = true
			}
		}
	}
	if len(stages) == 0 {
		if len(now) == len(p.Comms) {
			return []Node{p, w}
		}
		return []Node{&Post{now}, &Wait{slices.Clone(now)}}
	}
	for i, c := range now {
		k.order[c] = i + 1
	}
	var out []Node
	for n, at := range slices.Sorted(maps.Keys(stages)) {
		var posted []*Comm
		for _, c := range now {
			if s, ok := k.stages[c]; ok && s == at || !ok && n == 0 {
				posted = append(posted, c)
			}
		}
		out = append(out, &Post{posted}, &Wait{slices.Clone(posted)})
	}
	return out
}

// forwards decides for all diagonal shifts of an array in a group together: an
// overlap cell must come from one PE, its owner or the one that forwards it.
func forwards(sets []*distances, array *ir.Symbol) bool {
	shifts, sides := 0, 0
	for _, s := range sets {
		if s.narrow.Array != array || !s.diagonal {
			continue
		}
		if s.sides == nil {
			return false
		}
		shifts += len(s.bySign)
		sides += len(s.sides)
	}
	return sides < shifts
}

// base is equal for shifts whose elements differ by their distances alone.
func (c *Comm) base() string {
	k := fmt.Sprintf("%s %v|%s|", c.Array.Name, c.RootOnly, exactSet(c.Guard))
	for d, ax := range c.Axes {
		ax.Off, _ = ax.Off.Sub(linalg.Const(int64(c.Window[d][0])))
		k += ax.Off.String()
		for _, t := range ax.Terms {
			k += fmt.Sprintf(" + %d*%s", t.Coef, t.Range.key())
		}
		k += ";"
	}
	for _, r := range c.Ranges {
		k += r.key() + ";"
	}
	return k
}

// key is equal for ranges with the same values on every PE.
func (r *Range) key() string {
	return fmt.Sprintf("(%v:%v:%s %v %s)", r.Lo, r.Hi, r.by(), r.Unknown, exactSet(r.index()))
}

// distances is a set of shifts of one base: what they read, as distances from
// the elements at the iterations themselves.
type distances struct {
	program  *ir.Program
	olds     []*Comm
	narrow   *Comm     // the first: arrays, guards and base are the same in all
	dims     []int     // array dimensions with a distance other than 0, ascending
	diagonal bool      // some shift has two
	bySign   [][]*Comm // the shifts by direction
	sides    []*side   // the exchanges that serve a diagonal set; nil if none can
}

// directions fills in what follows from olds.
func (s *distances) directions() {
	at := map[string]int{}
	moved := map[int]bool{}
	for _, c := range s.olds {
		key, n := "", 0
		for d, w := range c.Window {
			key += fmt.Sprint(sign(w[0]), " ")
			if w[0] != 0 {
				moved[d] = true
				n++
			}
		}
		s.diagonal = s.diagonal || n > 1
		if _, ok := at[key]; !ok {
			at[key] = len(s.bySign)
			s.bySign = append(s.bySign, nil)
		}
		s.bySign[at[key]] = append(s.bySign[at[key]], c)
	}
	s.dims = slices.Sorted(maps.Keys(moved))
	if s.diagonal && s.separable() {
		s.sides = s.exchanges()
	}
}

// exchange replaces s by the exchanges of its sides, a phase for each dimension.
func (k *coalescer) exchange(s *distances) []*Comm {
	var out []*Comm
	for _, x := range s.sides {
		c := s.forwarding(x)
		k.stages[c] = x.dim
		out = append(out, c)
	}
	for _, old := range s.olds {
		for i, x := range s.sides {
			if sign(old.Window[x.dim][0]) == x.dir {
				k.become[old] = append(k.become[old], out[i])
				k.serve[old] = out[i] // the last phase completes it
			}
		}
	}
	return out
}

// widen replaces the shifts of s by one for each direction.
func (k *coalescer) widen(s *distances) []*Comm {
	var out []*Comm
	for _, same := range s.bySign {
		if len(same) == 1 {
			out = append(out, same[0])
			continue
		}
		c := s.widest(same)
		for _, old := range same {
			k.become[old], k.serve[old] = []*Comm{c}, c
		}
		out = append(out, c)
	}
	return out
}

func sign(x int) int {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return +1
	}
	return 0
}

// widest is one communication for shifts in the same direction.
func (s *distances) widest(olds []*Comm) *Comm {
	c := *olds[0]
	c.Window = slices.Clone(c.Window)
	c.Refs = nil
	for _, old := range olds {
		for d, w := range old.Window {
			c.Window[d] = hull(c.Window[d], w)
		}
	}
	c.Axes = nil
	c.Ranges = slices.Clone(s.narrow.Ranges) // those of its axes
	for d := range c.Window {
		c.Axes = append(c.Axes, s.moved(&c, d, c.Window[d]))
	}
	c.references(olds)
	return &c
}

// references takes over the references of olds: first those with the fewest
// distances, which name the communication best.
func (c *Comm) references(olds []*Comm) {
	far := func(o *Comm) (n int) {
		for _, w := range o.Window {
			n += min(1, max(w[0], -w[0]))
		}
		return n
	}
	olds = slices.Clone(olds)
	slices.SortStableFunc(olds, func(x, y *Comm) int { return far(x) - far(y) })
	c.Line, c.Col = olds[0].Line, olds[0].Col
	for _, o := range olds {
		for _, r := range o.Refs {
			c.addRef(r)
		}
		c.Partial = c.Partial || o.Partial
		c.Unowned = c.Unowned || o.Unowned
	}
}

func hull(v, w [2]int) [2]int { return [2]int{min(v[0], w[0]), max(v[1], w[1])} }

// moved is axis d of the base, moved by every distance of w.
func (s *distances) moved(c *Comm, d int, w [2]int) Axis {
	old := s.narrow.Axes[d]
	ax := Axis{All: old.All, Terms: slices.Clone(old.Terms)}
	at := -s.narrow.Window[d][0]
	if w[0] == w[1] {
		at += w[0]
	} else {
		r := &Range{Index: fmt.Sprintf("%s%d", haloPrefix, d+1), Lo: linalg.Const(int64(w[0])), Hi: linalg.Const(int64(w[1])), Step: 1}
		c.Ranges = append(c.Ranges, r)
		ax.Terms = append(ax.Terms, AxisTerm{r, 1})
	}
	ax.Off, _ = old.Off.Add(linalg.Const(int64(at)))
	return ax
}

// The indices of ranges that stand for no loop: the distances of a moved axis,
// and the elements that a PE owns.
const (
	haloPrefix = "halo."
	ownPrefix  = "own."
)

func (r *Range) isHalo() bool { return strings.HasPrefix(r.Index, haloPrefix) }

// OfOwner reports whether r stands for no loop, but for what a PE owns and forwards,
// whatever the loop does whose range it takes the place of.
func (r *Range) OfOwner() bool { return strings.HasPrefix(r.Index, ownPrefix) }

// OfOverlap reports whether r stands for no loop, but for the distances or the
// elements that a communication into an overlap moves.
func (r *Range) OfOverlap() bool { return r.isHalo() || r.OfOwner() }
