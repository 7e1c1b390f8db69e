package synch

import "github.com/spmdc/spmdc/cfg"

// state is a point of an execution: in front of a node, in an iteration.
type state struct {
	node int
	at   iteration
}

// space is every state that an execution can be in, and what can come next.
type space struct {
	list  []state // the first is the entry
	next  [][]int
	index map[state]int
}

// states unfolds the graph.
func (b *built) states() *space {
	if b.unfolded != nil {
		return b.unfolded
	}
	u := &space{index: map[state]int{}}
	number := func(s state) int {
		i, ok := u.index[s]
		if !ok {
			i = len(u.list)
			u.index[s] = i
			u.list = append(u.list, s)
		}
		return i
	}
	number(state{node: b.graph.Entry.ID})
	for i := 0; i < len(u.list); i++ {
		s := u.list[i]
		var next []int
		for slot, n := range b.graph.Nodes[s.node].Succs {
			if t, ok := b.step(s, slot, n); ok {
				next = append(next, number(t))
			}
		}
		u.next = append(u.next, next)
	}
	b.unfolded = u
	return u
}

// step follows successor number slot of a state's node, n. It is not possible
// when a loop has run its most iterations, or not yet its least.
func (b *built) step(s state, slot int, n *cfg.Node) (state, bool) {
	from := b.graph.Nodes[s.node]
	if from.Kind == cfg.LoopHead && len(from.Succs) == 2 {
		l := b.loops[from.Loop.ID-1]
		i := int(s.at[from.Loop.ID-1])
		if slot == 0 && i >= l.most || slot == 1 && i < l.least {
			return state{}, false
		}
	}
	t := state{node: n.ID, at: s.at}
	for i, l := range b.graph.Loops {
		switch {
		case !l.Contains(n.Loop):
			t.at[i] = 0
		case l.Head != n:
		case !l.Contains(from.Loop):
			t.at[i] = 0
		default:
			t.at[i] = min(t.at[i]+1, maxTrips)
		}
	}
	return t, true
}

// putter is the node where communication r puts, nil when it cannot be reached.
func (b *built) putter(r int) *cfg.Node {
	for _, n := range b.graph.Nodes {
		if puts(n, r) {
			return n
		}
	}
	return nil
}

// coming gives for every state the messages that the next instance of put may
// send, over all ways that lead to it: the least solution of
//
//	coming(s) = what put may send in s          where s is in front of put's node
//	coming(s) = union of coming(t), t after s   elsewhere
func (b *built) coming(put int) []relation {
	u := b.states()
	c := make([]relation, len(u.list))
	for changed := true; changed; {
		changed = false
		for i := len(u.list) - 1; i >= 0; i-- {
			var r relation
			if puts(b.graph.Nodes[u.list[i].node], put) {
				r, _ = b.messages(put, u.list[i].at)
			} else {
				for _, t := range u.next[i] {
					r |= c[t]
				}
			}
			if r != c[i] {
				c[i], changed = r, true
			}
		}
	}
	return c
}

// kills is the exact test: for all instances v of y and all next instances w of
// put, each message p to q that put may send in w is answered by a certain one q
// to p of y in v.
func (b *built) kills() Kills {
	type pair struct{ y, put int }
	known := map[pair]bool{}
	coming := map[int][]relation{}
	return func(y, _, put int) bool {
		if k, ok := known[pair{y, put}]; ok {
			return k
		}
		if coming[put] == nil {
			coming[put] = b.coming(put)
		}
		u := b.states()
		k := true
		for i, s := range u.list {
			if !puts(b.graph.Nodes[s.node], y) {
				continue
			}
			_, must := b.messages(y, s.at)
			for _, t := range u.next[i] {
				k = k && coming[put][t].reversed()&^must == 0
			}
		}
		known[pair{y, put}] = k
		return k
	}
}

// following lists, by the definition, the pairs of instances that can follow each
// other: from every instance of y every way is walked until it comes to put.
func (b *built) following(y, put int, do func(v, w iteration)) {
	u := b.states()
	for i, s := range u.list {
		if !puts(b.graph.Nodes[s.node], y) {
			continue
		}
		seen := map[int]bool{}
		work := append([]int(nil), u.next[i]...)
		for len(work) > 0 {
			t := work[len(work)-1]
			work = work[:len(work)-1]
			switch {
			case seen[t]:
			case puts(b.graph.Nodes[u.list[t].node], put):
				seen[t] = true
				do(s.at, u.list[t].at)
			default:
				seen[t] = true
				work = append(work, u.next[t]...)
			}
		}
	}
}
