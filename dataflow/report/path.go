package report

import (
	"slices"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// Reasons follow paths: over the nodes of the graph, or over nodes with the generation
// that a value has behind them.

// pending reports whether the use is over, and nobody else is known to know.
func pending(s synch.State) bool { return s.Value == synch.Cons || s.Value == synch.NoSyncP }

// trail is a shortest path from a place, over those to which next leads and which are
// through, to a goal, both ends included, the goal first; nil when there is none.
func trail[N comparable](from N, next func(N) []N, goal, through func(N) bool) []N {
	before := map[N]N{}
	for work := []N{from}; len(work) > 0; {
		v := work[0]
		work = work[1:]
		for _, s := range next(v) {
			if _, seen := before[s]; seen || !goal(s) && !through(s) {
				continue
			}
			before[s] = v
			if goal(s) {
				path := []N{s}
				for s = v; s != from; s = before[s] {
					path = append(path, s)
				}
				return append(path, from)
			}
			work = append(work, s)
		}
	}
	return nil
}

func preds(n *cfg.Node) []*cfg.Node { return n.Preds }

func succs(n *cfg.Node) []*cfg.Node { return n.Succs }

// pathBack is a shortest path to n from another place that is a start, over places that
// are through; both ends are included. Nil when there is none.
func pathBack[N comparable](n N, preds func(N) []N, start, through func(N) bool) []N {
	return trail(n, preds, func(p N) bool { return p != n && start(p) }, func(p N) bool { return p != n && through(p) })
}

// pathForth is a shortest path from one node to another over nodes that are
// through, both ends included.
func pathForth(from, to *cfg.Node, through func(*cfg.Node) bool) []*cfg.Node {
	path := trail(from, succs, func(n *cfg.Node) bool { return n == to }, through)
	slices.Reverse(path)
	return path
}
