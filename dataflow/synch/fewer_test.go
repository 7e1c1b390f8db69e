package synch

import (
	"slices"
	"testing"

	"github.com/spmdc/spmdc/cfg"
)

// pending lists the communications in the cells of put whose use may be the last
// to have ended when put puts, or may not be over. The others need no item: on
// each PE their uses end before one that has an item does.
func (b *built) pending(put int) []int {
	target, class := b.putter(put), b.Aliases(put)
	with := map[int]bool{}
	// Back from the put to the ends of uses.
	walk(target.Preds, preds, func(n *cfg.Node) bool {
		last := n.Kind == cfg.UseOver && slices.Contains(class, n.Ref)
		if last {
			with[n.Ref] = true
		}
		return last
	})
	for _, m := range class {
		// From its C past everything but its UO.
		for _, c := range b.Graph.Nodes {
			if c.Kind == cfg.Comm && c.Ref == m {
				walk(c.Succs, succs, func(n *cfg.Node) bool {
					if n == target {
						with[m] = true
					}
					return n.Kind == cfg.UseOver && n.Ref == m
				})
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(class), func(m int) bool { return !with[m] })
}

// walk visits what can be reached along next from start, but nothing behind a
// node at which visit is true.
func walk(start []*cfg.Node, next func(*cfg.Node) []*cfg.Node, visit func(*cfg.Node) bool) {
	seen := map[*cfg.Node]bool{}
	work := slices.Clone(start)
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if !seen[n] {
			seen[n] = true
			if !visit(n) {
				work = append(work, next(n)...)
			}
		}
	}
}

func succs(n *cfg.Node) []*cfg.Node { return n.Succs }
func preds(n *cfg.Node) []*cfg.Node { return n.Preds }

// TestFewerItems: of communications that share cells only those have to be looked
// at whose use may be the last one in front of the put, or under way there.
func TestFewerItems(t *testing.T) {
	all, fewer := 0, 0
	for i := range 4000 {
		p, rng := programNumber(2, i)
		b := build(p)
		v := sound(b)
		o := b.observe(rng, 20, pathLimit)
		for x := range b.Comms() {
			aliases := b.Aliases(x + 1)
			if len(aliases) == 1 || b.putter(x+1) == nil {
				continue
			}
			least := Once
			some := b.pending(x + 1)
			for _, m := range some {
				least = min(least, v[x][slices.Index(aliases, m)])
			}
			all += len(aliases)
			fewer += len(some)
			if least != NeedsSync && slices.Contains(o.early[x], true) {
				t.Fatalf("program %d: puts of %d come too early, though the items of %v are free\n%v", i, x+1, some, b)
			}
			if (least == NeedsSync) != (slices.Min(v[x]) == NeedsSync) {
				t.Fatalf("program %d: communication %d is %v by the items of %v, %v by all\n%v", i, x+1, least, some, v[x], b)
			}
		}
	}
	t.Logf("%d of %d items are enough", fewer, all)
	if all == 0 || fewer == all {
		t.Errorf("%d of %d items: nothing was tested", fewer, all)
	}
}
