package hb

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Limits of the work that is put into keeping iterations apart. Programs beyond
// them are analysed with less.
const (
	maxSteps = 2_000_000 // nodes in the iterations of loops, in all
	maxEvals = 4_000_000 // pairs of PEs looked at for messages, in all
	maxNodes = 60_000    // nodes of an unfolding
)

var errTooMuch = errors.New("too many iterations")

// instance is the messages of one execution of a communication.
type instance struct {
	id       int
	messages Messages
	users    uint64
}

// body is what one iteration of a loop does, or the whole program: the messages
// of the communications in it, and the loops in it. Iterations that do the same
// have the same body. Only loops that some messages depend on are kept apart; what is
// in others belongs to the body around.
type body struct {
	id    int
	comms map[int]*instance // by communication; nil: not known
	loops map[*cfg.Loop]*course
	holds map[int]bool // by branch, as far as known
}

// course is how the bodies of a loop's iterations follow each other.
type course struct {
	first *body // nil: there is no iteration
	next  map[*body][]*body
	last  map[*body]bool // may be the last one
}

// phases finds the bodies of a program on a number of PEs.
type phases struct {
	f     *procfunc.Functions
	pes   int
	space *procfunc.PESpace
	env   map[string]int64
	loops map[*cfg.Loop]bool // kept apart
	inner map[*cfg.Loop][]*cfg.Loop
	comms map[*cfg.Loop][]int // by innermost loop kept apart
	forms map[int]*comm.Comm  // of plain
	// branches are those with conditions, by innermost loop kept apart.
	branches map[*cfg.Loop][]*cfg.Node

	instances map[string]*instance
	known     map[string]*instance // by communication and what it depends on
	bodies    map[string]*body
	steps     int
	evals     int
}

func newPhases(f *procfunc.Functions, pes int) *phases {
	x := &phases{
		f: f, pes: pes, env: map[string]int64{}, loops: map[*cfg.Loop]bool{}, inner: map[*cfg.Loop][]*cfg.Loop{}, comms: map[*cfg.Loop][]int{}, forms: map[int]*comm.Comm{},
		instances: map[string]*instance{}, known: map[string]*instance{}, bodies: map[string]*body{},
	}
	x.space = procfunc.NewPESpace(pes, x.f.Program.IR.Ends, func(v string) (int64, bool) { n, ok := x.env[v]; return n, ok })
	return x
}

// keepApart chooses the loops that messages, and maybe conditions, depend on and
// whose iterations are known. With none everything belongs to the body of the program.
func (x *phases) keepApart(conditions bool) {
	for _, c := range x.f.Program.Comms {
		n := x.f.Put(c.ID)
		if n == nil {
			continue
		}
		for _, f := range x.plain(c.ID).Affines() {
			x.dependsOn(f, n.Loop)
		}
	}
	if conditions {
		x.conditions()
	}
	for changed := true; changed; { // the bounds may turn out not to be known
		changed = false
		for l := range x.loops {
			if !x.bounded(l) {
				delete(x.loops, l)
				changed = true
			}
		}
	}
}

// dependsOn marks the loops around a point in l whose indices f uses.
func (x *phases) dependsOn(f linalg.Affine, l *cfg.Loop) {
	for _, v := range f.Vars() {
		x.dependsOnIndex(v, l)
	}
}

// dependsOnIndex marks the loop around a point in l whose index is v, if there is
// one with known bounds, and those that the bounds depend on.
func (x *phases) dependsOnIndex(v string, l *cfg.Loop) {
	for l != nil && l.Index != v {
		l = l.Parent
	}
	if l == nil || x.loops[l] {
		return
	}
	if b, ok := x.bounds(l); ok {
		x.loops[l] = true
		x.dependsOn(b.Lo, l.Parent)
		x.dependsOn(b.Hi, l.Parent)
	}
}

func (x *phases) bounds(l *cfg.Loop) (scalar.LoopBounds, bool) {
	d, ok := x.f.Program.Loop(l).(*ir.Do)
	if !ok {
		return scalar.LoopBounds{}, false
	}
	b := x.f.Program.Info.Bounds(d)
	return b, b.Affine()
}

// bounded reports whether the bounds of l depend on nothing but loops that are
// kept apart.
func (x *phases) bounded(l *cfg.Loop) bool {
	b, _ := x.bounds(l)
	for _, f := range []linalg.Affine{b.Lo, b.Hi} {
		for _, v := range f.Vars() {
			k := l.Parent
			for k != nil && k.Index != v {
				k = k.Parent
			}
			if k == nil || !x.loops[k] {
				return false
			}
		}
	}
	return true
}

// heads are the heads of the loops kept apart, by ascending number.
func (x *phases) heads() []int {
	var out []int
	for l := range x.loops {
		out = append(out, l.Head.ID)
	}
	slices.Sort(out)
	return out
}

// enclosing is the innermost loop kept apart around a point in l, nil for none.
func (x *phases) enclosing(l *cfg.Loop) *cfg.Loop {
	for l != nil && !x.loops[l] {
		l = l.Parent
	}
	return l
}

// program is the body of the whole program. It fails if that is too much work.
func (x *phases) program() (*body, error) {
	for _, c := range x.f.Program.Comms {
		if n := x.f.Put(c.ID); n != nil {
			l := x.enclosing(n.Loop)
			x.comms[l] = append(x.comms[l], c.ID)
		}
	}
	for _, l := range x.f.Graph.Loops {
		if x.loops[l] {
			outer := x.enclosing(l.Parent)
			x.inner[outer] = append(x.inner[outer], l)
		}
	}
	x.branches = map[*cfg.Loop][]*cfg.Node{}
	for _, n := range x.f.Graph.Nodes {
		if x.f.Program.Cond(n) != nil {
			l := x.enclosing(n.Loop)
			x.branches[l] = append(x.branches[l], n)
		}
	}
	return x.body(nil)
}

// unknown is the body of a program of which no messages are known.
func (x *phases) unknown() *body {
	b := &body{id: 1, comms: map[int]*instance{}, loops: map[*cfg.Loop]*course{}}
	for _, r := range x.comms[nil] {
		b.comms[r] = nil
	}
	x.bodies = map[string]*body{"": b}
	return b
}

// body is that of the iteration of l at which the indices have the values of env.
func (x *phases) body(l *cfg.Loop) (*body, error) {
	b := &body{comms: map[int]*instance{}, loops: map[*cfg.Loop]*course{}}
	var key strings.Builder
	fmt.Fprintf(&key, "%p", l)
	holds, choices := x.choices(l)
	b.holds = holds
	key.WriteString(choices)
	for _, r := range x.comms[l] {
		i, err := x.instance(r)
		if err != nil {
			return nil, err
		}
		id := 0
		if i != nil {
			id = i.id
		}
		b.comms[r] = i
		fmt.Fprintf(&key, " %d", id)
	}
	for _, k := range x.inner[l] {
		c, text, err := x.course(k)
		if err != nil {
			return nil, err
		}
		b.loops[k] = c
		key.WriteString(text)
	}
	if have := x.bodies[key.String()]; have != nil {
		return have, nil
	}
	b.id = len(x.bodies) + 1
	x.bodies[key.String()] = b
	return b, nil
}

// course follows the iterations of l, and says what they do in a text that is
// the same for the same courses.
func (x *phases) course(l *cfg.Loop) (*course, string, error) {
	c := &course{next: map[*body][]*body{}, last: map[*body]bool{}}
	b, _ := x.bounds(l)
	lo, ok1 := b.Lo.Eval(x.at)
	hi, ok2 := b.Hi.Eval(x.at)
	if !ok1 || !ok2 {
		return nil, "", errTooMuch
	}
	defer delete(x.env, l.Index)
	var text strings.Builder
	fmt.Fprintf(&text, " (%p", l)
	var before *body
	follows := map[[2]*body]bool{}
	for v := lo; b.Step > 0 && v <= hi || b.Step < 0 && v >= hi; v += b.Step {
		if x.steps += len(l.Body); x.steps > maxSteps {
			return nil, "", errTooMuch
		}
		x.env[l.Index] = v
		now, err := x.body(l)
		if err != nil {
			return nil, "", err
		}
		if before == nil {
			c.first = now
		}
		if !follows[[2]*body{before, now}] {
			follows[[2]*body{before, now}] = true
			fmt.Fprintf(&text, " %d", now.id)
			if before != nil {
				fmt.Fprintf(&text, "<%d", before.id)
				c.next[before] = append(c.next[before], now)
			}
		}
		before = now
	}
	if before != nil {
		c.last[before] = true
		fmt.Fprintf(&text, " %d)", before.id)
	}
	return c, text.String(), nil
}

func (x *phases) at(v string) int64 { return x.env[v] }

// instance is the messages of communication r where the indices have the values
// of env; nil if they are not known.
func (x *phases) instance(r int) (*instance, error) {
	key := fmt.Sprint(r)
	for _, f := range x.plain(r).Affines() {
		for _, v := range f.Vars() {
			if n, ok := x.env[v]; ok {
				key += fmt.Sprintf(" %s=%d", v, n)
			}
		}
	}
	if i, ok := x.known[key]; ok {
		return i, nil
	}
	if x.evals += x.pes * x.pes; x.evals > maxEvals {
		return nil, errTooMuch
	}
	i := x.evaluate(r)
	x.known[key] = i
	return i, nil
}

func (x *phases) evaluate(r int) *instance {
	c := x.plain(r)
	pairs, ok := x.space.Messages(c)
	users, ok2 := x.space.Consumers(c)
	if !ok || !ok2 {
		return nil
	}
	return x.share(pairs, users)
}

// share makes an instance, one for equal messages.
func (x *phases) share(pairs []procfunc.Pair, users []bool) *instance {
	i := &instance{messages: make(Messages, x.pes)}
	for _, p := range pairs {
		i.messages[p.From] |= 1 << p.To
		i.users |= 1 << p.To
	}
	for q, uses := range users {
		if uses {
			i.users |= 1 << q
		}
	}
	text := fmt.Sprint(i.messages, i.users)
	if have := x.instances[text]; have != nil {
		return have
	}
	i.id = len(x.instances) + 1
	x.instances[text] = i
	return i
}

// plain is procfunc.Plain, once for each communication.
func (x *phases) plain(r int) *comm.Comm {
	if x.forms[r] == nil {
		x.forms[r] = procfunc.Plain(x.f.Program.Comms[r-1])
	}
	return x.forms[r]
}
