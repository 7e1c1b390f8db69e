package report

import (
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/solve"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// alone reports whether communication r shares its cells with no other one.
func (b *builder) alone(r int) bool {
	for _, class := range b.a.Functions.Classes() {
		if slices.Contains(class, r) {
			return len(class) == 1
		}
	}
	return true
}

// aged is what is known about the two values that a communication with two slots
// has under way: the last one, and the one before, which the next put overwrites.
type aged struct{ last, before synch.State }

// twoSlots asks whether communication r would need no ready messages with two
// slots that it fills in turn, and returns the nodes that assure it; nil when it
// would, or when there is nothing to assure.
//
// A put of the next but one instance overwrites what the put at hand brings. At
// C_r the last value becomes the one before. What a killer said about it is
// forgotten then, since the test of kills asks about the next instance of C_r
// behind the killer, and that is now another one. Collectives order all PEs for
// good.
func (b *builder) twoSlots(r int) []*cfg.Node {
	it := synch.Item{Use: r, Put: r}
	put := b.a.Functions.Put(r)
	collectives := func(int, int, int) bool { return false }
	transfer := func(n *cfg.Node, in aged) aged {
		if n == put {
			out := aged{last: synch.State{Value: synch.CS}, before: in.last}
			if in.last.Value == synch.NoSyncP {
				out.before = synch.State{Value: synch.Cons}
			}
			if v := in.before.Value; v != synch.NoSync && v != synch.U {
				out.before = synch.State{Value: synch.Sync}
			}
			return out
		}
		out := aged{synch.SynchApply(in.last, n, it, collectives), in.before}
		if n.Kind != cfg.UseOver || n.Ref != r || in.before.Value == synch.CS {
			out.before = synch.SynchApply(in.before, n, it, b.kills)
		}
		return out
	}
	u := synch.State{Value: synch.U}
	s := solve.RoundRobin(solve.New(b.g), solve.Problem[aged]{
		Entry: aged{u, u}, Top: aged{u, u},
		Transfer: transfer,
		Meet: func(x, y aged) aged {
			return aged{synch.SynchMeet(x.last, y.last), synch.SynchMeet(x.before, y.before)}
		},
		Equal: func(x, y aged) bool { return x == y },
	}, solve.Options[aged]{})
	if v := s.In[put.ID].before.Value; v != synch.NoSync {
		return nil
	}
	return b.agedWitnesses(s, put)
}

// agedWitnesses are the nodes at which NoSync became known of the value before,
// going back from put: as that of the value before, and across put as that of
// the last one.
func (b *builder) agedWitnesses(s *solve.Solution[aged], put *cfg.Node) []*cfg.Node {
	type place struct {
		n    *cfg.Node
		last bool // the value was the last one there
	}
	value := func(v aged, last bool) synch.Value {
		if last {
			return v.last.Value
		}
		return v.before.Value
	}
	seen := map[place]bool{}
	var list []*cfg.Node
	for work := []place{{put, false}}; len(work) > 0; {
		at := work[0]
		work = work[1:]
		for _, n := range at.n.Preds {
			p := place{n, at.last}
			if seen[p] || value(s.Out[n.ID], at.last) != synch.NoSync {
				continue
			}
			seen[p] = true
			in := value(s.In[n.ID], at.last || n == put)
			if in == synch.Cons || in == synch.NoSyncP {
				list = append(list, n)
				continue
			}
			work = append(work, place{n, at.last || n == put})
		}
	}
	slices.SortFunc(list, func(a, b *cfg.Node) int { return a.ID - b.ID })
	return slices.Compact(list)
}

// names lists nodes with their lines.
func names(nodes []*cfg.Node, and string) string {
	var out []string
	for _, n := range nodes {
		if s := at(n); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if k := len(out) - 1; k > 0 {
		return strings.Join(out[:k], ", ") + " " + and + " " + out[k]
	}
	return strings.Join(out, "")
}
