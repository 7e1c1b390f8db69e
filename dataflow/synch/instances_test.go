package synch

import (
	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/internal/abstract"
)

// built is an abstract program with its graph, and what the analysis wants to know
// of its instances.
type built struct{ *abstract.Built }

func build(p *abstract.Program) *built { return &built{abstract.Build(p)} }

type (
	stmt  = abstract.Stmt
	shape = abstract.Shape
)

// putter is the node where communication r puts, nil when it cannot be reached.
func (b *built) putter(r int) *cfg.Node {
	for _, n := range b.Graph.Nodes {
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
func (b *built) coming(put int) []abstract.Relation {
	u := b.States()
	c := make([]abstract.Relation, len(u.List))
	for changed := true; changed; {
		changed = false
		for i := len(u.List) - 1; i >= 0; i-- {
			var r abstract.Relation
			if puts(b.Graph.Nodes[u.List[i].Node], put) {
				r, _ = b.Messages(put, u.List[i].At)
			} else {
				for _, t := range u.Next[i] {
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
	coming := map[int][]abstract.Relation{}
	return func(y, put, _ int) bool {
		if k, ok := known[pair{y, put}]; ok {
			return k
		}
		if coming[put] == nil {
			coming[put] = b.coming(put)
		}
		u := b.States()
		k := true
		for i, s := range u.List {
			if !puts(b.Graph.Nodes[s.Node], y) {
				continue
			}
			_, must := b.Messages(y, s.At)
			for _, t := range u.Next[i] {
				k = k && coming[put][t].Reversed()&^must == 0
			}
		}
		known[pair{y, put}] = k
		return k
	}
}

// following lists, by the definition, the pairs of instances that can follow each
// other: from every instance of y every way is walked until it comes to put.
func (b *built) following(y, put int, do func(v, w abstract.Iteration)) {
	u := b.States()
	for i, s := range u.List {
		if !puts(b.Graph.Nodes[s.Node], y) {
			continue
		}
		seen := map[int]bool{}
		work := append([]int(nil), u.Next[i]...)
		for len(work) > 0 {
			t := work[len(work)-1]
			work = work[:len(work)-1]
			switch {
			case seen[t]:
			case puts(b.Graph.Nodes[u.List[t].Node], put):
				seen[t] = true
				do(s.At, u.List[t].At)
			default:
				seen[t] = true
				work = append(work, u.Next[t]...)
			}
		}
	}
}
