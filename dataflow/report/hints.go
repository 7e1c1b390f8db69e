package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/dataflow/simulate"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// hints are changes that remove the need, each by itself. They are tried; what
// turns out not to help is not said.
func (d *counterexample) hints() []Hint {
	out := []Hint{}
	add := func(h *Hint) {
		if h != nil && !slices.Contains(out, *h) {
			out = append(out, *h)
		}
	}
	add(d.otherPlan())
	add(d.known())
	for _, y := range d.late {
		add(d.apart(y))
	}
	for _, from := range d.path {
		var beside []*cfg.Node
		for _, m := range d.marks {
			if m.from == from && (m.n.Kind != cfg.Comm || d.certain(m.n)) {
				beside = append(beside, m.n)
			}
		}
		if beside != nil {
			add(d.everywhere(from, beside))
		}
	}
	for _, m := range d.marks {
		if m.from == nil && d.path[0].Kind == cfg.UseOver {
			add(d.later(m.n))
		}
	}
	add(d.collective())
	return out
}

// try makes a change in a copy of the graph, and reports whether the item is proved
// there.
func (d *counterexample) try(change func(*virtual)) bool {
	v := newVirtual(d.b.g)
	change(v)
	return synch.NewSolver(v.g).Solve(d.it, d.b.kills, false).Verdict(v.g) != synch.NeedsSync
}

// steady reports whether what y answers does not depend on where it stands: its
// messages and those that it answers are the same in each execution.
func (d *counterexample) steady(y int) bool {
	return d.b.f.Alike(y, d.it.Put) && d.b.f.Alike(d.it.Put, d.it.Put)
}

// otherPlan is what plan elide does, where that is another plan, or would do with
// more memory.
func (d *counterexample) otherPlan() *Hint {
	a, r := d.b.a, d.it.Put
	if a.Plan.Kind != plan.Elide {
		switch s := a.source.slot(r); {
		case s.Ready == plan.Never:
			return &Hint{fmt.Sprintf("--sync=elide: %s", s.Say()), true}
		case s.Ready == plan.OnDemand:
			return &Hint{fmt.Sprintf("--sync=elide: %s, with ready messages only from PEs that have sent nothing since", s.Say()), false}
		}
		return nil
	}
	if !slices.ContainsFunc(a.Plan.Slots[r-1].Tried, func(t plan.Trial) bool { return t.Ready == plan.Never && t.Not == "" && t.Note != plan.Chosen }) {
		return nil
	}
	o := a.options.Search
	for mb := int64(1); mb <= 1<<20; mb *= 4 {
		if o.Memory = mb << 20; o.Memory <= a.options.Search.Memory {
			continue
		}
		if s := &search.Make(a.source.f.Program, plan.Elide, a.source.f, o).Slots[r-1]; s.Ready == plan.Never {
			return &Hint{fmt.Sprintf("--slots-memory=%d, which leaves room for it: %s", mb, s.Say()), true}
		}
	}
	return nil
}

// apart completes a communication that goes the right way before the put.
func (d *counterexample) apart(y int) *Hint {
	over := d.b.overs[y]
	if len(over) != 1 || !d.try(func(v *virtual) {
		v.drop(over[0])
		v.before(d.put, cfg.CommOver, y)
	}) {
		return nil
	}
	return &Hint{fmt.Sprintf("C_%d would do if it were complete before C_%d is posted: one after another instead of both together", y, d.it.Put), true}
}

// everywhere does what lies on one way from a decision also on the path.
func (d *counterexample) everywhere(from *cfg.Node, beside []*cfg.Node) *Hint {
	next := d.path[slices.Index(d.path, from)+1]
	switch {
	case from.Kind == cfg.Branch:
		sure := !slices.ContainsFunc(beside, func(n *cfg.Node) bool { return n.Kind == cfg.Comm && !d.steady(n.Ref) })
		if !d.try(func(v *virtual) {
			for _, n := range beside {
				if isCollective(n) {
					v.put(v.node(cfg.Reduce, n.Ref, v.of[from].Loop), v.of[next], []*cfg.Node{v.of[from]})
					return
				}
			}
			c, over := v.node(cfg.Comm, beside[0].Ref, v.of[from].Loop), v.node(cfg.CommOver, beside[0].Ref, v.of[from].Loop)
			v.put(over, v.of[next], []*cfg.Node{v.of[from]})
			v.put(c, over, []*cfg.Node{v.of[from]})
		}) {
			return nil
		}
		return &Hint{fmt.Sprintf("do %s also where %s (line %d) %s, as on this path", names(beside, "or"), from.Text, from.Line, d.outcome(from)), sure}
	case d.zero(from) && d.try(func(v *virtual) { v.atLeastOnce(from.Loop) }):
		return &Hint{fmt.Sprintf("make it certain that %s runs at least once, so that %s lies on this path", loopName(from.Loop), names(beside, "or")), true}
	}
	return nil
}

// later moves what comes before the use is over behind it.
func (d *counterexample) later(n *cfg.Node) *Hint {
	use := d.path[0]
	if len(use.Succs) != 1 || !d.try(func(v *virtual) {
		if isCollective(n) {
			v.drop(n)
			v.behind(use, cfg.Reduce, n.Ref)
			return
		}
		for _, over := range d.b.overs[n.Ref] {
			v.drop(over)
		}
		v.drop(n)
		v.behind(use, cfg.CommOver, n.Ref)
		v.behind(use, cfg.Comm, n.Ref)
	}) {
		return nil
	}
	return &Hint{fmt.Sprintf("%s would do if it came behind the use, after line %d", at(n), use.Line), isCollective(n) || d.steady(n.Ref)}
}

// spot is a place for a new reduction.
type spot struct {
	loop *cfg.Loop // at the start of each of its iterations
	n    *cfg.Node // in front of it, or
	back bool      // behind it
}

// trials are what new reductions would free, by place.
type trials struct{ freed map[spot][]int }

// collective is a place for a reduction that orders use and put: of those that
// do, the one that is executed least, and what else it would free.
func (d *counterexample) collective() *Hint {
	for _, at := range d.spots() {
		freed := d.b.frees(at)
		if !slices.Contains(freed, d.it.Put) && !d.try(func(v *virtual) { v.reduce(at) }) {
			continue
		}
		text := "a reduction or barrier of all PEs " + at.say()
		others := slices.DeleteFunc(slices.Clone(freed), func(r int) bool { return r == d.it.Put })
		switch k := len(others); {
		case k > mostOthers:
			text += fmt.Sprintf(", which would do for %d others too", k)
		case k > 0:
			text += fmt.Sprintf(", which would do for %s too", refs(others, "and"))
		}
		return &Hint{text, true}
	}
	return nil
}

// spots are the places for a reduction between use and put, those in outer loops
// first.
func (d *counterexample) spots() []spot {
	var out []spot
	for l := d.put.Loop; l != nil; l = l.Parent {
		out = append([]spot{{loop: l}}, out...)
	}
	first := d.put
	for len(first.Preds) == 1 && first.Preds[0].Kind == cfg.Comm && first.Preds[0].Flavour != "recv" {
		first = first.Preds[0]
	}
	out = append(out, spot{n: first})
	for _, n := range d.b.uses[d.it.Use] {
		if len(n.Succs) == 1 {
			out = append(out, spot{n: n, back: true})
		}
	}
	return out
}

func (s spot) say() string {
	switch {
	case s.loop != nil && s.loop.Index != "":
		return fmt.Sprintf("at the start of each iteration of %s (line %d)", s.loop.Index, s.loop.Line)
	case s.loop != nil:
		return fmt.Sprintf("at the start of each iteration of the loop in line %d", s.loop.Line)
	case s.back:
		return fmt.Sprintf("behind the last use, after line %d", s.n.Line)
	}
	return fmt.Sprintf("before line %d", s.n.Line)
}

// reduce sets a reduction at a place.
func (v *virtual) reduce(at spot) {
	switch {
	case at.loop != nil:
		v.first(at.loop, cfg.Reduce, 0)
	case at.back:
		v.behind(at.n, cfg.Reduce, 0)
	default:
		v.before(at.n, cfg.Reduce, 0)
	}
}

// frees are the communications with ready messages that a reduction at a place
// would free altogether.
func (b *builder) frees(at spot) []int {
	if b.trials == nil {
		b.trials = &trials{map[spot][]int{}}
	}
	if freed, known := b.trials.freed[at]; known {
		return freed
	}
	v := newVirtual(b.g)
	v.reduce(at)
	free := v.solver(b.a.Items, b.kills)
	var freed []int
	for r := range b.a.Plan.Slots {
		if b.a.Plan.Slots[r].Ready != plan.Never && free(r+1) {
			freed = append(freed, r+1)
		}
	}
	b.trials.freed[at] = freed
	return freed
}

// mostOthers is how many other communications a hint names.
const mostOthers = 8

// names lists nodes with their lines.
func names(nodes []*cfg.Node, and string) string {
	var out []string
	for _, n := range nodes {
		if s := at(n); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return list(out, and)
}

// example looks for an execution in which nothing orders the use and the put.
func (b *builder) example(it proof.Obligation) *Example {
	if b.examples == nil {
		// The paths are those of one slot, and all are looked at where nothing is proved.
		p := *b.a.Plan
		p.Slots, p.Finite = slices.Clone(p.Slots), nil
		literal := p.Kind == plan.PopL96Literal
		if literal {
			p.Classes = b.f.Shared()
		}
		for i := range p.Slots {
			if s := &p.Slots[i]; s.Ready != plan.Never || literal {
				s.Form, s.At = plan.Form{Ready: plan.Always, Ring: 1}, nil
			}
		}
		b.examples = simulate.Examples(&p, b.a.options.PEs)
	}
	e := b.examples[it.Put]
	if e == nil || e.Use != it.Use {
		return nil
	}
	at, guess := "", ""
	if len(e.At) > 0 {
		at = " with " + strings.Join(e.At, ", ")
	}
	if e.Input {
		at += " for some input"
	}
	if e.Guessed {
		guess = ", if conditions go that way"
	}
	return &Example{e.PEs, e.From, e.To, !e.Guessed, fmt.Sprintf("on %d PEs, when PE %d puts to PE %d in line %d%s, no data message and no reduction has acknowledged that PE %d is done with %s%s", e.PEs, e.From, e.To, e.Line, at, e.To, b.refText(it.Use), guess)}
}

// certain reports whether a killer that the path passed would have arrived: its
// CO comes before the put on every way from it.
func (d *counterexample) certain(n *cfg.Node) bool {
	return pathForth(n, d.put, func(v *cfg.Node) bool { return !(v.Kind == cfg.CommOver && v.Ref == n.Ref) }) == nil
}

// zero reports whether the path comes to the head from outside and goes past
// the loop.
func (d *counterexample) zero(head *cfg.Node) bool {
	i := slices.Index(d.path, head)
	return d.path[i+1] != head.Succs[0] && (i == 0 || !head.Loop.Contains(d.path[i-1].Loop))
}
