package hb

import (
	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/procfunc"
)

// newProgram is the program of f on a number of PEs: unfolded by what its
// iterations do, if that can be had for reasonable work; else with what each
// communication may send in any iteration and is certain to send in all.
func newProgram(f *procfunc.Functions, pes int) *System {
	var x *phases
	var root *body
	var sys *System
	for _, conditions := range []bool{true, false} {
		x = newPhases(f, pes)
		x.keepApart(conditions)
		var err error
		if root, err = x.program(); err == nil {
			if sys = unfold(x, root); sys != nil {
				break
			}
		}
	}
	if sys == nil && root == nil {
		// The loops are too long: what depends on them is not known.
		x = newPhases(f, pes)
		var err error
		if root, err = x.program(); err != nil { // nor is anything, of so many messages
			root = x.unknown()
		}
		sys = unfold(x, root)
	}
	if sys == nil {
		sys = merged(x)
	}
	sys.loops = x.heads()
	return sys
}

// merged is the program as written. All instances of a communication that were
// evaluated, which are all that there can be, are taken together.
func merged(x *phases) *System {
	sys := newSystem(x.f.Graph, x.pes)
	may, must, users := map[int]Messages{}, map[int]Messages{}, map[int]uint64{}
	for _, b := range x.bodies {
		for r, i := range b.comms {
			m, u := proof.All(x.pes), everyone(x.pes)
			var certain Messages
			if i != nil {
				m, certain, u = i.messages, i.messages, i.users
			}
			users[r] |= u
			if may[r] == nil {
				may[r], must[r] = append(Messages(nil), m...), append(make(Messages, 0, x.pes), certain...)
				continue
			}
			for p := range m {
				may[r][p] |= m[p]
				switch {
				case len(certain) == 0:
					must[r] = must[r][:0]
				case len(must[r]) > 0:
					must[r][p] &= certain[p]
				}
			}
		}
	}
	for _, n := range sys.Graph.Nodes {
		if n.Kind != cfg.Comm {
			continue
		}
		if may[n.Ref] == nil { // in a loop without iterations
			sys.set(n, nil, nil, 0)
			continue
		}
		sys.set(n, may[n.Ref], must[n.Ref], users[n.Ref])
	}
	return sys
}

// context is the iterations that a copy of a node stands for: that of the
// innermost loop kept apart, and those of the loops around.
type context struct {
	parent *context
	loop   *cfg.Loop
	body   *body
}

// place is a copy of a node. The head of a loop has copies that are entered from
// outside, and others that are reached after an iteration.
type place struct {
	node  *cfg.Node
	at    *context
	after bool
}

type unfolder struct {
	*phases
	unfolding
	contexts map[context]*context
	copies   map[place]int
	list     []place
}

// unfold is the program with a copy of each node for each context, nil if there
// are too many.
func unfold(x *phases, root *body) *System {
	u := &unfolder{phases: x, unfolding: unfolding{of: x.f.Graph}, contexts: map[context]*context{}, copies: map[place]int{}}
	u.copy(place{node: x.f.Graph.Entry, at: u.context(context{body: root})})
	for i := 0; i < len(u.list); i++ {
		if i > maxNodes {
			return nil
		}
		for _, to := range u.nextOf(u.list[i]) {
			k := u.copy(to)
			u.unfolding.succs[i] = append(u.unfolding.succs[i], k)
		}
	}
	sys := u.system(x.pes)
	for i, p := range u.list {
		if p.node.Kind != cfg.Comm {
			continue
		}
		n := sys.Graph.Nodes[i]
		if in := p.at.body.comms[n.Ref]; in != nil {
			sys.set(n, in.messages, in.messages, in.users)
		} else {
			sys.set(n, proof.All(x.pes), nil, everyone(x.pes))
		}
	}
	return sys
}

func (u *unfolder) context(c context) *context {
	if u.contexts[c] == nil {
		u.contexts[c] = &c
	}
	return u.contexts[c]
}

func (u *unfolder) copy(p place) int {
	i, ok := u.copies[p]
	if !ok {
		i = u.add(p.node)
		u.copies[p] = i
		u.list = append(u.list, p)
	}
	return i
}

// nextOf is where control can go from p.
func (u *unfolder) nextOf(p place) []place {
	var out []place
	for slot, m := range p.node.Succs {
		for _, at := range u.leave(p, slot) {
			out = append(out, u.arrive(p.node, m, at))
		}
	}
	return out
}

// leave is the contexts in which control goes to successor number slot.
func (u *unfolder) leave(p place, slot int) []*context {
	l := p.node.Loop
	if holds, known := p.at.body.holds[p.node.ID]; known && holds != (slot == 0) {
		return nil
	}
	if p.node.Kind != cfg.LoopHead || len(p.node.Succs) < 2 {
		return []*context{p.at}
	}
	if !u.phases.loops[l] {
		if b, ok := u.bounds(l); ok && b.Runs() && !p.after && slot == 1 {
			return nil // there is an iteration to come
		}
		return []*context{p.at}
	}
	var out []*context
	if !p.after {
		c := p.at.body.loops[l]
		switch {
		case slot == 0 && c.first != nil:
			out = append(out, u.context(context{p.at, l, c.first}))
		case slot == 1 && c.first == nil:
			out = append(out, p.at)
		}
		return out
	}
	c := p.at.parent.body.loops[l]
	if slot == 1 {
		if c.last[p.at.body] {
			out = append(out, p.at.parent)
		}
		return out
	}
	for _, b := range c.next[p.at.body] {
		out = append(out, u.context(context{p.at.parent, l, b}))
	}
	return out
}

// arrive is the place at m that is reached from a node n in a context.
func (u *unfolder) arrive(n, m *cfg.Node, at *context) place {
	for at.loop != nil && !at.loop.Contains(m.Loop) {
		at = at.parent
	}
	return place{m, at, m.Kind == cfg.LoopHead && m.Loop.Contains(n.Loop)}
}
