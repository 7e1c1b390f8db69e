package abstract

import (
	"math/rand/v2"

	"github.com/spmdc/spmdc/cfg"
)

// State is a point of an execution: in front of a node, in an iteration.
type State struct {
	Node int // ID
	At   Iteration
}

// Space is every state that an execution can be in, and what can come next.
type Space struct {
	List  []State // the first is the entry
	Next  [][]int // by position in List, the positions of what can come next
	index map[State]int
}

// States unfolds the graph.
func (b *Built) States() *Space {
	if b.unfolded != nil {
		return b.unfolded
	}
	u := &Space{index: map[State]int{}}
	number := func(s State) int {
		i, ok := u.index[s]
		if !ok {
			i = len(u.List)
			u.index[s] = i
			u.List = append(u.List, s)
		}
		return i
	}
	number(State{Node: b.Graph.Entry.ID})
	for i := 0; i < len(u.List); i++ {
		s := u.List[i]
		var next []int
		for slot, n := range b.Graph.Nodes[s.Node].Succs {
			if t, ok := b.step(s, slot, n); ok {
				next = append(next, number(t))
			}
		}
		u.Next = append(u.Next, next)
	}
	b.unfolded = u
	return u
}

// step follows successor number slot of a state's node, n. It is not possible
// when a loop has run its most iterations, or not yet its least.
func (b *Built) step(s State, slot int, n *cfg.Node) (State, bool) {
	from := b.Graph.Nodes[s.Node]
	if from.Kind == cfg.LoopHead && len(from.Succs) == 2 {
		l := b.Loops[from.Loop.ID-1]
		i := int(s.At[from.Loop.ID-1])
		if slot == 0 && i >= l.Most || slot == 1 && i < l.Least {
			return State{}, false
		}
	}
	t := State{Node: n.ID, At: s.At}
	for i, l := range b.Graph.Loops {
		switch {
		case !l.Contains(n.Loop):
			t.At[i] = 0
		case l.Head != n:
		case !l.Contains(from.Loop):
			t.At[i] = 0
		default:
			t.At[i] = min(t.At[i]+1, MaxTrips)
		}
	}
	return t, true
}

// Walk draws a path of at most limit states.
func (u *Space) Walk(rng *rand.Rand, limit int) []State {
	var path []State
	at := 0
	// Some executions turn mostly one way, so that loops run long or not at all.
	bias := rng.IntN(3)
	for len(path) < limit {
		path = append(path, u.List[at])
		next := u.Next[at]
		if len(next) == 0 {
			break
		}
		at = next[rng.IntN(len(next))]
		if bias > 0 && rng.IntN(4) > 0 {
			at = next[(bias-1)*(len(next)-1)]
		}
	}
	return path
}
