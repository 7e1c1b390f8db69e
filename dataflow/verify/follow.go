package verify

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc"
)

// The proofs for a number of PEs are about copies of the nodes of the graph, with
// messages for each. Here it is checked that the copies are all ways on which the
// program can go: the program is followed node by node, with the values of the
// indices that keep iterations apart, and at each step there has to be a copy of
// the node that comes next, reachable in the same way, which has the messages that
// are sent there.

// followLimit is the most steps that are looked at.
const followLimit = 20_000_000

// follower follows a program.
type follower struct {
	p      *plan.Plan
	proof  *proof.Checked
	space  *procfunc.PESpace
	env    map[string]int64
	apart  map[*cfg.Loop]int // loops kept apart, by their place in the values of a point
	loops  []*cfg.Loop
	copies numbered[int]
	values numbered[int64] // of indices
	seen   map[point]bool
	work   []point
	plain  map[int]*comm.Comm
	sent   map[string]*actual
}

// point is where the program is: at a node, with some values of the indices, and
// some copies that the proof may be at. again: at the head of a loop after one of
// its iterations.
type point struct {
	node, values, copies int32
	again                bool
}

// absent is the value of the index of a loop that the program is not in.
const absent = -1 << 62

// actual is the messages of an execution; known is false if they are not.
type actual struct {
	known    bool
	messages proof.Messages
	users    uint64
}

// Unfolding checks that the copies of proofs for a number of PEs allow for all that the
// program of p can do there.
func Unfolding(p *plan.Plan, e *proof.Unfolding) error {
	checked, err := e.Check(p.Graph)
	if err != nil {
		return err
	}
	f := &follower{
		p: p, proof: checked, env: map[string]int64{}, apart: map[*cfg.Loop]int{},
		seen: map[point]bool{}, plain: map[int]*comm.Comm{}, sent: map[string]*actual{},
	}
	f.space = procfunc.NewPESpace(e.PEs, p.Program.IR.Ends, func(name string) (int64, bool) { v, ok := f.env[name]; return v, ok })
	for _, id := range e.Loops {
		if id < 0 || id >= len(p.Graph.Nodes) || p.Graph.Nodes[id].Kind != cfg.LoopHead {
			return fmt.Errorf("node %d is not the head of a loop", id)
		}
		l := p.Graph.Nodes[id].Loop
		if _, ok := f.bounds(l); !ok {
			return fmt.Errorf("the iterations of the loop in line %d are kept apart, and its bounds are not known", l.Line)
		}
		f.apart[l] = len(f.loops)
		f.loops = append(f.loops, l)
	}
	start := make([]int64, len(f.loops))
	for i := range start {
		start[i] = absent
	}
	if err := f.arrive(p.Graph.Entry, start, []int{0}, false); err != nil {
		return err
	}
	for len(f.work) > 0 {
		if len(f.seen) > followLimit {
			return fmt.Errorf("more than %d steps to look at", followLimit)
		}
		at := f.work[len(f.work)-1]
		f.work = f.work[:len(f.work)-1]
		if err := f.step(at); err != nil {
			return err
		}
	}
	return nil
}

func (f *follower) bounds(l *cfg.Loop) (scalar.LoopBounds, bool) {
	d, ok := f.p.Program.Loop(l).(*ir.Do)
	if !ok {
		return scalar.LoopBounds{}, false
	}
	b := f.p.Program.Info.Bounds(d)
	return b, b.Affine() && b.Step != 0
}

// step goes on from a point in all ways that there are.
func (f *follower) step(at point) error {
	n, values, copies := f.p.Graph.Nodes[at.node], f.values.lists[at.values], f.copies.lists[at.copies]
	only := -1
	if cond := f.p.Program.Cond(n); cond != nil {
		f.setEnv(values)
		if holds, known := f.p.Program.Truth(cond, f.env); known && holds {
			only = 0
		} else if known {
			only = 1
		}
	}
	for slot, m := range n.Succs {
		if only >= 0 && slot != only {
			continue
		}
		next := slices.Clone(values)
		if n.Kind == cfg.LoopHead && len(n.Succs) == 2 {
			goes, err := f.turn(n, slot, next, at.again)
			if err != nil {
				return err
			}
			if !goes {
				continue
			}
		}
		// Indices of loops that are left have no value any more.
		for i, l := range f.loops {
			if !l.Contains(m.Loop) {
				next[i] = absent
			}
		}
		again := m.Kind == cfg.LoopHead && m.Loop.Contains(n.Loop)
		if i, apart := f.apart[m.Loop]; apart && m.Kind == cfg.LoopHead && !again {
			next[i] = absent
		}
		var to []int
		for _, c := range copies {
			for _, s := range f.proof.Copies[c].Succs {
				if f.proof.Copies[s].Node == m.ID && !slices.Contains(to, s) {
					to = append(to, s)
				}
			}
		}
		if err := f.arrive(m, next, to, again); err != nil {
			return err
		}
	}
	return nil
}

// turn reports whether control goes from the head n of a loop to successor number
// slot, its body or what follows, and sets the index.
func (f *follower) turn(n *cfg.Node, slot int, values []int64, again bool) (bool, error) {
	i, apart := f.apart[n.Loop]
	b, known := f.bounds(n.Loop)
	if !apart {
		return !known || again || slot == 0 || !b.Runs(), nil
	}
	f.setEnv(values)
	get := func(form interface {
		Vars() []string
		Eval(func(string) int64) (int64, bool)
	}) (int64, error) {
		for _, v := range form.Vars() {
			if _, ok := f.env[v]; !ok {
				return 0, fmt.Errorf("the iterations of the loop in line %d are kept apart, and %s is not known there", n.Line, v)
			}
		}
		x, ok := form.Eval(func(v string) int64 { return f.env[v] })
		if !ok {
			return 0, fmt.Errorf("the bounds of the loop in line %d are out of range", n.Line)
		}
		return x, nil
	}
	delete(f.env, n.Loop.Index)
	lo, err := get(b.Lo)
	if err != nil {
		return false, err
	}
	hi, err := get(b.Hi)
	if err != nil {
		return false, err
	}
	v := lo
	if again {
		v = values[i] + b.Step
	}
	runs := b.Step > 0 && v <= hi || b.Step < 0 && v >= hi
	if runs && slot == 0 {
		values[i] = v
	}
	return runs == (slot == 0), nil
}

// setEnv gives the indices their values.
func (f *follower) setEnv(values []int64) {
	clear(f.env)
	for i, v := range values {
		if v != absent {
			f.env[f.loops[i].Index] = v
		}
	}
}

// arrive is at node n, with some copies that the proof may have come to.
func (f *follower) arrive(n *cfg.Node, values []int64, copies []int, again bool) error {
	if n.Kind == cfg.Comm {
		f.setEnv(values)
		a := f.actual(n.Ref)
		copies = slices.DeleteFunc(copies, func(c int) bool { return !f.allows(n, f.proof.SentAt(c), a) })
	}
	if len(copies) == 0 {
		f.setEnv(values)
		where := ""
		for _, l := range f.loops {
			if v, ok := f.env[l.Index]; ok {
				where += fmt.Sprintf(", %s = %d", l.Index, v)
			}
		}
		return fmt.Errorf("the program comes to %s (node %d, line %d%s) in a way that the copies do not have", n.Name(), n.ID, n.Line, where)
	}
	slices.Sort(copies)
	at := point{int32(n.ID), f.values.number(values), f.copies.number(copies), again}
	if !f.seen[at] {
		f.seen[at] = true
		f.work = append(f.work, at)
	}
	return nil
}

// numbered are lists, each with a number.
type numbered[T any] struct {
	lists [][]T
	of    map[string]int32 // by their text
}

func (x *numbered[T]) number(list []T) int32 {
	key := fmt.Sprint(list)
	k, ok := x.of[key]
	if !ok {
		if x.of == nil {
			x.of = map[string]int32{}
		}
		k = int32(len(x.lists))
		x.of[key], x.lists = k, append(x.lists, list)
	}
	return k
}

// actual is the messages of communication r with the values of env.
func (f *follower) actual(r int) *actual {
	c := f.plain[r]
	if c == nil {
		c = procfunc.Plain(f.p.Program.Comms[r-1])
		f.plain[r] = c
	}
	var vars []string
	for _, form := range c.Affines() {
		for _, v := range form.Vars() {
			if _, ok := f.env[v]; ok && !slices.Contains(vars, v) {
				vars = append(vars, v)
			}
		}
	}
	sort.Strings(vars)
	var key strings.Builder
	fmt.Fprint(&key, r)
	for _, v := range vars {
		fmt.Fprintf(&key, " %s=%d", v, f.env[v])
	}
	if a := f.sent[key.String()]; a != nil {
		return a
	}
	a := &actual{}
	f.sent[key.String()] = a
	pairs, ok1 := f.space.Messages(c)
	users, ok2 := f.space.Consumers(c)
	if a.known = ok1 && ok2; !a.known {
		return a
	}
	a.messages = make(proof.Messages, f.proof.PEs)
	for _, m := range pairs {
		a.messages[m.From] |= 1 << m.To
		a.users |= 1 << m.To
	}
	for q, uses := range users {
		if uses {
			a.users |= 1 << q
		}
	}
	return a
}

// allows reports whether a proof that has s for the messages at n allows for those
// that there are.
func (f *follower) allows(n *cfg.Node, s *proof.Sent, a *actual) bool {
	all := proof.All(f.proof.PEs)
	if !a.known {
		a = &actual{known: false, messages: all, users: all[0] | 1}
		if !s.Must.Within(nil) && n.Flavour != "send" {
			return false
		}
	}
	if n.Flavour == "recv" { // what follows from the messages is certain too
		return !a.known || s.Must.Within(a.messages.Chains())
	}
	return a.messages.Within(s.May) && a.users&^s.Users == 0 && (!a.known || n.Flavour == "send" || s.Must.Within(a.messages))
}
