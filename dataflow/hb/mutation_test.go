package hb

import (
	"slices"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/internal/abstract"
	"github.com/spmdc/spmdc/dataflow/solve"
)

// mutant is the rules with some of them replaced.
type mutant struct {
	*rules
	step func(in state, n *cfg.Node) state
	join func(a, b state) state
	read func(s *state, need []uint64) bool
}

// free reports whether the mutant calls the puts of a communication free. Broken
// rules may not be monotone, so the work is capped.
func (m *mutant) free(s *solver, put int) bool {
	if m.step == nil {
		m.step = m.apply
	}
	if m.join == nil {
		m.join = m.meet
	}
	if m.read == nil {
		m.read = m.rules.free
	}
	p := solve.Problem[state]{Entry: top, Top: top, Equal: equal, Meet: m.join, Transfer: func(n *cfg.Node, in state) state { return m.step(in, n) }}
	sol := solve.RoundRobin(solve.New(s.sys.Graph), p, solve.Options[state]{Limit: 50})
	for _, n := range s.nodes[put] {
		if in := sol.In[n.ID]; puts(n) && in.posted && !m.read(&in, s.need[n]) {
			return false
		}
	}
	return true
}

// mutations break one rule each. A campaign that did not notice would say
// nothing about the rules that stand.
var mutations = []struct {
	name   string
	make   func(m *mutant)
	system func(p *program, sys *System) // breaks the messages instead
}{
	{name: "the newest generation is cleared, and none gets older", make: func(m *mutant) {
		m.step = func(in state, n *cfg.Node) state {
			out := m.apply(in, n)
			if puts(n) && n.Ref == m.use && in.rounds == m.b && m.b > 1 {
				out = m.grown(out, m.b)
				copy(out.known[m.words:], in.known[m.words:])
			}
			return out
		}
	}},
	{name: "what is under way does not get older", make: func(m *mutant) {
		m.step = func(in state, n *cfg.Node) state {
			out := m.apply(in, n)
			if puts(n) && n.Ref == m.use && out.rounds == in.rounds {
				for _, f := range in.flights {
					out.flights = with(out.flights, f)
				}
			}
			return out
		}
	}},
	{name: "messages carry what is known when they arrive", make: func(m *mutant) {
		m.step = func(in state, n *cfg.Node) state {
			if n.Kind == cfg.CommOver {
				for _, c := range m.sys.Graph.Nodes {
					if c.Kind == cfg.Comm && c.Ref == n.Ref && c.Flavour != send && in.rounds > 0 {
						in = m.arrive(m.rules.comm(in, &cfg.Node{ID: c.ID, Kind: cfg.Comm, Ref: c.Ref, Flavour: recv}), n.Ref)
					}
				}
			}
			return m.apply(in, n)
		}
	}},
	{name: "a use that is over a second time is no matter", make: func(m *mutant) {
		m.step = func(in state, n *cfg.Node) state {
			out := m.apply(in, n)
			if n.Kind == cfg.UseOver && n.Ref == m.use && in.live == 0 {
				return in
			}
			return out
		}
	}},
	{name: "known where paths meet if it is on one of them", make: func(m *mutant) {
		m.join = func(a, b state) state {
			out := m.meet(a, b)
			if a.rounds == b.rounds {
				out.known = slices.Clone(a.known)
				for w := range out.known {
					out.known[w] |= b.known[w]
				}
			}
			return out
		}
	}},
	{name: "under way where paths meet if it is on one of them", make: func(m *mutant) {
		m.join = func(a, b state) state {
			out := m.meet(a, b)
			if a.rounds == b.rounds {
				for _, f := range append(slices.Clone(a.flights), b.flights...) {
					out.flights = with(out.flights, f)
				}
			}
			return out
		}
	}},
	{name: "a collective counts before the use is over", make: func(m *mutant) {
		m.step = func(in state, n *cfg.Node) state {
			if (n.Kind == cfg.Reduce || n.Kind == cfg.Barrier) && in.rounds > 0 {
				return m.cut(in, 0)
			}
			return m.apply(in, n)
		}
	}},
	{name: "any arrival counts", make: func(m *mutant) {
		m.step = func(in state, n *cfg.Node) state {
			if n.Kind == cfg.CommOver {
				for _, f := range in.flights {
					in = m.arrive(in, f.ref)
				}
			}
			return m.apply(in, n)
		}
	}},
	{name: "messages count when they are sent", make: func(m *mutant) {
		m.step = func(in state, n *cfg.Node) state {
			out := m.apply(in, n)
			if n.Kind == cfg.Comm {
				out = m.arrive(out, n.Ref)
			}
			return out
		}
	}},
	{name: "everybody knows of the end of a use", make: func(m *mutant) {
		m.step = func(in state, n *cfg.Node) state {
			out := m.apply(in, n)
			if n.Kind == cfg.UseOver && n.Ref == m.use {
				return m.cut(out, 0)
			}
			return out
		}
	}},
	{name: "one slot more than there are", make: func(m *mutant) {
		m.b++
	}},
	{name: "it is enough that one of those who put knows", make: func(m *mutant) {
		m.read = func(s *state, need []uint64) bool {
			last := m.generation(s, m.b-1)
			for q := range m.pes {
				if last != nil && m.of(need, q) != 0 && m.of(need, q)&m.of(last, q) == 0 {
					return false
				}
			}
			return true
		}
	}},
	{name: "a pipelined message carries the end of the sender's use", make: func(m *mutant) {
		m.step = func(in state, n *cfg.Node) state {
			if n.Flavour == recv && in.rounds > 0 {
				with := m.over(in)
				out := m.rules.comm(with, n)
				out.known, out.rounds = in.known, in.rounds
				if len(with.known) == len(in.known) {
					return out
				}
			}
			return m.apply(in, n)
		}
	}},
	{name: "messages that may be sent count as sent", system: func(p *program, sys *System) {
		for i, n := range sys.Graph.Nodes {
			if n.Kind == cfg.Comm && n.Flavour == "" {
				sys.Must[i] = sys.May[i]
			}
		}
	}},
	{name: "only messages that are certain have to wait", system: func(p *program, sys *System) {
		for i, n := range sys.Graph.Nodes {
			if n.Kind == cfg.Comm && n.Flavour == "" {
				sys.May[i] = sys.Must[i]
			}
		}
	}},
	{name: "only certain receivers use what is brought", system: func(p *program, sys *System) {
		for i, n := range sys.Graph.Nodes {
			if n.Kind == cfg.Comm && n.Flavour == "" {
				sys.Users[i] = users(sys.Must[i], sys.PEs, false)
			}
		}
	}},
	{name: "what is certain in one iteration is so in all", system: func(p *program, sys *System) {
		for i, n := range sys.Graph.Nodes {
			if n.Kind != cfg.Comm || n.Flavour != "" {
				continue
			}
			all := make(Messages, sys.PEs)
			for _, s := range p.States().List {
				if s.Node == sys.Origin[i] {
					_, must := p.rows(n.Ref, s.At)
					for q := range all {
						all[q] |= must[q]
					}
				}
			}
			sys.Must[i] = all
		}
	}},
}

// TestMutations: the campaign catches every broken rule, by executions.
func TestMutations(t *testing.T) {
	const most = 20000
	missing := map[int]bool{}
	for k := range mutations {
		missing[k] = true
	}
	for i := 0; i < most && len(missing) > 0; i++ {
		ap, how, rng := programNumber(17, i)
		p := &program{Built: abstract.Build(ap), slots: how}
		o := p.observe(rng, false, 20)
		for k, m := range mutations {
			if !missing[k] {
				continue
			}
			sys := p.system(false, false)
			if m.system != nil {
				m.system(p, sys)
			}
			if p.caught(sys, m.make, o) {
				t.Logf("%-60s caught by program %d", m.name, i)
				delete(missing, k)
			}
		}
	}
	for k := range missing {
		t.Errorf("%q is not caught in %d programs", mutations[k].name, most)
	}
}

// caught reports whether rules call a communication free that is not.
func (p *program) caught(sys *System, breaks func(m *mutant), o *observed) bool {
	s := newSolver(sys)
	for x := 1; x <= p.Comms(); x++ {
		if !o.early[x-1] {
			continue
		}
		all := true
		for _, it := range p.layout().items(x, p.Aliases(x)) {
			m := &mutant{rules: s.rules(it.how.of(it.use))}
			if breaks != nil {
				breaks(m)
			}
			all = all && m.free(s, x)
		}
		if all {
			return true
		}
	}
	return false
}
