package procfunc

import (
	"slices"

	"github.com/spmdc/spmdc/cfg"
)

// ways says, for each node, how the next instance of a communication may be
// reached from there: which back edges lie on the way.
//
// Of the loops around the communication, only the outermost one whose back edge
// is crossed matters: loops outside of it stay in their iteration, and what is
// inside starts anew.
type ways struct {
	loops []*cfg.Loop // around the communication, outermost first
	from  int         // at[k] is for the node with ID from+k; others have none
	at    []waySet
	later map[setAndCount]waySet // answers of nth: many nodes have the same ways
}

type setAndCount struct {
	set   waySet
	count int
}

// waySet is a set of ways: bit 0 for the way without a back edge, bits 2i+1 and
// 2i+2 for one that crosses the back edge of loop i once, and more than once.
type waySet uint64

const straight waySet = 1

func once(loop int) waySet  { return 1 << (2*loop + 1) }
func often(loop int) waySet { return 1 << (2*loop + 2) }

// maxLoops is how many loops around a communication are told apart; no kill is
// proved for deeper ones.
const maxLoops = 31

// crossing is the set of ways in s, after the back edge of loop i.
func (s waySet) crossing(i int) waySet {
	var out waySet
	if s&straight != 0 {
		out |= once(i)
	}
	for k := range maxLoops {
		w := s & (once(k) | often(k))
		switch {
		case w == 0:
		case i < k:
			out |= once(i)
		case i == k:
			out |= often(k)
		default:
			out |= w
		}
	}
	return out
}

// then is the ways of s, each followed by each of t. The outermost loop whose
// back edge is crossed on either part counts; crossed on both, it is crossed more
// than once.
func (s waySet) then(t waySet) waySet {
	var out waySet
	if t&straight != 0 {
		out = s
	}
	for i := range maxLoops {
		if t&(once(i)|often(i)) == 0 {
			continue
		}
		if s&straight != 0 {
			out |= t & (once(i) | often(i))
		}
		for k := range maxLoops {
			w := s & (once(k) | often(k))
			switch {
			case w == 0:
			case k < i:
				out |= w
			case k == i:
				out |= often(i)
			default:
				out |= t & (once(i) | often(i))
			}
		}
	}
	return out
}

// nth is the ways from node n to the pass of put that comes as number count, from
// 1: those to the next pass, and from each pass to the one after it.
func (w *ways) nth(n, put *cfg.Node, count int) waySet {
	set := w.of(n)
	if count == 1 {
		return set
	}
	key := setAndCount{set, count}
	if later, ok := w.later[key]; ok {
		return later
	}
	again := w.of(put)
	for range count - 1 {
		set = set.then(again)
	}
	w.later[key] = set
	return set
}

// of is the ways from node n.
func (w *ways) of(n *cfg.Node) waySet {
	switch k := n.ID - w.from; {
	case k < 0:
		return straight // before the outermost loop, if it leads there at all
	case k < len(w.at):
		return w.at[k]
	}
	return 0
}

// waysTo computes the ways from every node to the next pass of put that avoid
// put in between. A way that starts in the outermost loop around put stays in it.
func waysTo(put *cfg.Node, extents map[*cfg.Loop]extent) *ways {
	w := &ways{from: put.ID, loops: chain(put.Loop), later: map[setAndCount]waySet{}}
	if len(w.loops) > maxLoops {
		w.from = 0 // nothing leads here, as far as is known
	}
	if len(w.loops) == 0 || len(w.loops) > maxLoops {
		return w
	}
	outer := w.loops[0]
	w.from = extents[outer].first
	w.at = make([]waySet, extents[outer].last-w.from+1)
	var work []*cfg.Node
	reach := func(v *cfg.Node, s waySet) {
		i := slices.IndexFunc(w.loops, func(l *cfg.Loop) bool { return l.Head == v })
		for _, u := range v.Preds {
			if u.ID < w.from || u.ID >= w.from+len(w.at) {
				continue
			}
			t := s
			if i >= 0 && w.loops[i].Contains(u.Loop) {
				t = s.crossing(i)
			}
			if have := w.at[u.ID-w.from]; have|t != have {
				w.at[u.ID-w.from] = have | t
				if u != put {
					work = append(work, u)
				}
			}
		}
	}
	reach(put, straight)
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		reach(v, w.at[v.ID-w.from])
	}
	return w
}
