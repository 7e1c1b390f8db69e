package procfunc_test

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/internal/interp"
	"github.com/spmdc/spmdc/procfunc"
	"github.com/spmdc/spmdc/procfunc/linalg"
	"github.com/spmdc/spmdc/runtime/dist"
)

// seen counts what the executions covered.
type seen map[string]int

// check compares the functions of f with what really happens on np PEs, for
// every instance of every communication:
//
//	must-relation  inside  messages  inside  relation
//	senders inside Producers, receivers inside Consumers, pairs inside RF, and
//	equal to them where Exact is set
//	what nests read, by template positions, inside Producers, Consumers, RF
//	next producers over each back edge inside NextProducers
//	what Kills says: the pairs of the next instance inside the killer's
func check(f *procfunc.Functions, np int, count seen) error {
	m, err := run(f, np)
	if err != nil {
		return err
	}
	last := map[*comm.Comm]*instance{}
	for _, in := range m.trace {
		v := &viewer{m: m, in: in, rel: f.Relations[in.c.ID-1], mat: f.Matrices(in.c.ID), count: count}
		for _, step := range []func() error{v.relation, v.matrices, v.reads} {
			if err := step(); err != nil {
				return fmt.Errorf("C_%d (%s line %d), %d PEs, %s: %w", in.c.ID, in.c.Kind, in.c.Line, np, show(in.env), err)
			}
		}
		if before := last[in.c]; before != nil {
			w := &viewer{m: m, in: before, rel: v.rel, mat: v.mat, count: count}
			if err := w.next(in); err != nil {
				return fmt.Errorf("C_%d (%s line %d), %s, then %s: %w", in.c.ID, in.c.Kind, in.c.Line, show(before.env), show(in.env), err)
			}
		}
		last[in.c] = in
	}
	return m.kills(count)
}

func show(env map[string]int) string {
	var parts []string
	for k, v := range env {
		parts = append(parts, fmt.Sprintf("%s=%d", k, v))
	}
	sort.Strings(parts)
	return strings.Join(parts, " ")
}

// viewer looks at one instance.
type viewer struct {
	m     *machine
	in    *instance
	rel   *procfunc.Relation
	mat   *procfunc.Matrices
	count seen
}

// at is the value of a name at the instance.
func (v *viewer) at(vars map[string]int) func(string) int64 {
	return func(name string) int64 {
		if x, ok := vars[name]; ok {
			return int64(x)
		}
		x, ok := v.in.env[name]
		if !ok {
			interp.Failf("a function of C_%d depends on %s, which is undefined", v.in.c.ID, name)
		}
		return int64(x)
	}
}

// iterations visits the values of the relation's Vars; known is false when one
// has no bounds, other than the coordinate of a copy: that one is left open.
func (v *viewer) iterations(visit func(vars map[string]int)) (known, some bool) {
	known, some = true, true
	vars := map[string]int{}
	var loop func(k int)
	loop = func(k int) {
		if k == len(v.rel.Vars) {
			visit(vars)
			return
		}
		x := v.rel.Vars[k]
		if x.Unknown {
			known = known && strings.HasPrefix(x.Name, "coordinate ")
			loop(k + 1)
			return
		}
		lo, _ := x.Lo.Eval(v.at(nil))
		hi, _ := x.Hi.Eval(v.at(nil))
		trips := (hi - lo + x.Step) / x.Step
		some = some && trips > 0
		if x.Idle { // it moves no position; messages go even if the loop is empty
			loop(k + 1)
			return
		}
		for t := range max(0, trips) {
			vars[x.Name] = int(lo + t*x.Step)
			loop(k + 1)
		}
	}
	loop(0)
	return known, some
}

// coords is the coordinates, in dimension d, that position p may have.
func (v *viewer) coords(p procfunc.Pos, shape dist.Grid, d int, vars map[string]int) (cs []int, free bool) {
	every := func() []int {
		var all []int
		for c := range shape[d] {
			all = append(all, c)
		}
		return all
	}
	if p.Kind != procfunc.At {
		return every(), false
	}
	for _, x := range v.rel.Vars {
		if x.Unknown && p.Form.Uses(x.Name) {
			return every(), p.Space.Format == dist.Collapsed
		}
	}
	pos, _ := p.Form.Eval(v.at(vars))
	if int(pos) < p.Space.TLo || int(pos) > p.Space.THi {
		return nil, false // no such position
	}
	return []int{coordOf(p.Space, int(pos), shape[d])}, false
}

// coordOf is where a template position is dealt to, by trying all coordinates.
func coordOf(s procfunc.Space, pos, np int) int {
	l := dist.NewLayout(dist.Map{Axes: []dist.Axis{{Lo: s.TLo, Hi: s.THi, Grid: 0, Format: s.Format, TLo: s.TLo, THi: s.THi, A: 1}}}, dist.Grid{np})
	for pe := range np {
		if l.Owns(pe, pos) {
			return pe
		}
	}
	interp.Failf("position %d of %v has no owner", pos, s)
	return 0
}

// pairs is the PEs that the relation holds.
func (v *viewer) pairs() (pairs map[[2]int]bool, known, some bool) {
	pairs = map[[2]int]bool{}
	shape := v.m.shape(v.rel.Grid)
	known, some = v.iterations(func(vars map[string]int) {
		var dim func(d int, p, q []int)
		dim = func(d int, p, q []int) {
			if d == len(shape) {
				pairs[[2]int{shape.PE(p...), shape.PE(q...)}] = true
				return
			}
			cp, same := v.coords(v.rel.P[d], shape, d, vars)
			cq, _ := v.coords(v.rel.Q[d], shape, d, vars)
			for _, a := range cp {
				for _, b := range cq {
					if !same || a == b {
						dim(d+1, append(p[:d:d], a), append(q[:d:d], b))
					}
				}
			}
		}
		dim(0, nil, nil)
	})
	return pairs, known, some
}

// relation checks must inside messages inside may.
func (v *viewer) relation() error {
	pairs, known, some := v.pairs()
	if v.in.c.Kind == comm.Irregular {
		return nil // decided at run time; the relation says nothing
	}
	v.count["instances"]++
	if len(v.in.c.Forward) > 0 && len(v.in.sent) > 0 {
		v.count["forwarding instances"]++
	}
	for s := range v.in.sent {
		if !pairs[s] {
			return fmt.Errorf("PE %d sends to PE %d, which %v does not have", s[0], s[1], v.rel)
		}
	}
	if !v.rel.Must || v.rel.Clip != "" || !some {
		return nil
	}
	if !known {
		return fmt.Errorf("%v is certain although bounds are unknown", v.rel)
	}
	v.count["must"]++
	for s := range pairs {
		if s[0] != s[1] && !v.in.sent[s] {
			return fmt.Errorf("PE %d is said to send to PE %d for certain by %v, and does not", s[0], s[1], v.rel)
		}
	}
	if len(v.in.sent) > 0 {
		v.count["must with messages"]++
	}
	return nil
}

// box is the template positions of each dimension, of producers or consumers;
// of a party that may be anywhere they are the coordinates.
func box(ps []procfunc.Pos) []procfunc.Space {
	var out []procfunc.Space
	for d := range ps {
		s := ps[d].Space
		if ps[d].Kind != procfunc.At {
			s = procfunc.Space{Format: dist.Collapsed}
		}
		out = append(out, s)
	}
	return out
}

// matrices checks Producers, Consumers and RF, projected to PEs.
func (v *viewer) matrices() error {
	if v.in.c.Kind == comm.Irregular {
		return nil
	}
	_, _, some := v.pairs()
	shape := v.m.shape(v.rel.Grid)
	at := v.at(nil)
	// places are the positions of a dimension, with the coordinate of each.
	type place struct{ pos, coord int }
	places := func(s procfunc.Space, d int) []place {
		var out []place
		if s.Format == dist.Collapsed {
			for c := range shape[d] {
				out = append(out, place{c, c})
			}
			return out
		}
		for x := s.TLo; x <= s.THi; x++ {
			out = append(out, place{x, coordOf(s, x, shape[d])})
		}
		return out
	}
	ps, qs := box(v.rel.P), box(v.rel.Q)
	k := len(shape)
	got := map[[2]int]bool{}
	var producers func(d int, p []place)
	producers = func(d int, p []place) {
		if d < k {
			for _, x := range places(ps[d], d) {
				if v.mat.Producers[d].Holds(int64(x.pos), at) {
					producers(d+1, append(p[:d:d], x))
				}
			}
			return
		}
		var rows func(i int, q []int)
		rows = func(i int, q []int) {
			if i == k {
				from := make([]int, k)
				for d := range p {
					from[d] = p[d].coord
				}
				got[[2]int{shape.PE(from...), shape.PE(q...)}] = true
				return
			}
			row := v.mat.RF.Offset(i)
			for j := range p {
				row = row.Shift(linalg.Integer(int64(p[j].pos)).Scale(v.mat.RF.Coef(i, j)))
			}
			if row.All && v.mat.Consumers[i].All {
				for c := range shape[i] { // also PEs that have no position
					rows(i+1, append(q[:i:i], c))
				}
				return
			}
			hit := map[int]bool{}
			for _, x := range places(qs[i], i) {
				if row.Holds(int64(x.pos), at) && v.mat.Consumers[i].Holds(int64(x.pos), at) && !hit[x.coord] {
					hit[x.coord] = true
					rows(i+1, append(q[:i:i], x.coord))
				}
			}
		}
		rows(0, nil)
	}
	producers(0, nil)
	for s := range v.in.sent {
		if !got[s] {
			return fmt.Errorf("PE %d sends to PE %d, which the matrices do not have: Producers %v Consumers %v RF\n%v", s[0], s[1], v.mat.Producers, v.mat.Consumers, v.mat.RF)
		}
	}
	if v.mat.Exact && some {
		v.count["exact matrices"]++
		for s := range got {
			if s[0] != s[1] && !v.in.sent[s] {
				return fmt.Errorf("the matrices are said to be exact, and have PE %d send to PE %d, which it does not: Producers %v Consumers %v RF\n%v", s[0], s[1], v.mat.Producers, v.mat.Consumers, v.mat.RF)
			}
		}
	}
	return nil
}

// reads checks what the nests read by template positions.
func (v *viewer) reads() error {
	pairs, _, _ := v.pairs()
	for key, list := range v.in.read {
		for _, r := range list {
			if v.passesOn(r) {
				continue
			}
			for _, pe := range r.pes {
				if v.in.c.Kind != comm.Pipeline && v.in.c.Kind != comm.Irregular && pe[0] != pe[1] && !v.in.sent[pe] {
					return fmt.Errorf("PE %d reads at %s what PE %d owns, and is sent nothing", pe[1], key, pe[0])
				}
				if v.in.c.Kind != comm.Pipeline && pe[0] != pe[1] && !pairs[pe] {
					return fmt.Errorf("PE %d reads at %s what PE %d owns, which %v does not have", pe[1], key, pe[0], v.rel)
				}
			}
			p, q, ok := v.resolve(r)
			if !ok {
				continue
			}
			if slices.Equal(p, q) {
				continue // what a position has nobody sends to it, and a relation may leave it out
			}
			v.count["reads by position"]++
			if why := v.outside(p, q); why != "" {
				return fmt.Errorf("%v sends to %v at %s: %s", p, q, key, why)
			}
		}
	}
	return nil
}

// outside says where the matrices do not have a message from position p to q; "" if they do.
func (v *viewer) outside(p, q []int) string {
	at := v.at(nil)
	for d := range p {
		if !v.mat.Producers[d].Holds(int64(p[d]), at) || !v.mat.Consumers[d].Holds(int64(q[d]), at) {
			return fmt.Sprintf("not in Producers %v and Consumers %v", v.mat.Producers, v.mat.Consumers)
		}
		row := v.mat.RF.Offset(d)
		for j := range p {
			row = row.Shift(linalg.Integer(int64(p[j])).Scale(v.mat.RF.Coef(d, j)))
		}
		if !row.Holds(int64(q[d]), at) {
			return fmt.Sprintf("not in dimension %d of RF\n%v", d+1, v.mat.RF)
		}
	}
	return ""
}

// passesOn reports whether r is a corner of an overlap: it comes in two steps,
// of which the second communication is the one at hand.
func (v *viewer) passesOn(r reading) bool {
	moves := 0
	for d := range r.p {
		if r.p[d] != nil && r.q[d] != nil && *r.p[d] != *r.q[d] {
			moves++
		}
	}
	return v.in.c.Overlap && moves > 1
}

// resolve gives a party that is on all positions of a dimension the other's. It
// is not ok when the two arrays lie in different templates there, or neither has
// a position.
func (v *viewer) resolve(r reading) (p, q []int, ok bool) {
	for d := range r.p {
		a, b := r.p[d], r.q[d]
		switch {
		case a == nil && b == nil:
			zero := 0
			a, b = &zero, &zero
		case a == nil:
			a = b
		case b == nil:
			b = a
		case v.rel.P[d].Kind == procfunc.At && v.rel.Q[d].Kind == procfunc.At && v.rel.P[d].Space != v.rel.Q[d].Space && r.p[d] == nil:
			return nil, nil, false
		}
		p, q = append(p, *a), append(q, *b)
	}
	return p, q, true
}

// next checks NextProducers: the instance later follows v's.
func (v *viewer) next(later *instance) error {
	edge := -1
	for i := range v.in.iter {
		if i >= len(later.iter) || v.in.iter[i].loop != later.iter[i].loop {
			return fmt.Errorf("the loops around the two instances differ")
		}
		if v.in.iter[i].at != later.iter[i].at {
			edge = i
			break
		}
	}
	if edge < 0 {
		return fmt.Errorf("no back edge leads from one instance to the next")
	}
	var next *procfunc.Next
	for i := range v.mat.Next {
		if v.m.p.Loop(v.mat.Next[i].Loop) == v.in.iter[edge].loop {
			next = &v.mat.Next[i]
		}
	}
	if next == nil {
		return fmt.Errorf("no NextProducers for the loop in line %d", v.in.iter[edge].loop.Position().Line)
	}
	if next.Consecutive && later.iter[edge].at != v.in.iter[edge].at+1 {
		return fmt.Errorf("iterations %d and %d of the loop in line %d are said to be consecutive", v.in.iter[edge].at, later.iter[edge].at, next.Loop.Line)
	}
	union, _ := v.mat.Union()
	at := v.at(nil)
	for key, now := range v.in.read {
		for _, r := range now {
			p, _, ok := v.resolve(r)
			if !ok || v.passesOn(r) {
				continue
			}
			for _, s := range later.read[key] {
				to, _, ok := v.resolve(s)
				if !ok || len(now) != len(later.read[key]) {
					continue
				}
				if len(now) > 1 {
					continue // several elements per iteration: which follows which is not said
				}
				v.count["next producers"]++
				if fmt.Sprint(p) != fmt.Sprint(to) {
					v.count["next producers that move"]++
				}
				if edge < len(v.in.iter)-1 {
					v.count["over the back edge of an outer loop"]++
				}
				if !next.Consecutive {
					v.count["of a later iteration"]++
				}
				for _, t := range []linalg.Transform{next.Matrix, union} {
					for d := range p {
						row := t.Offset(d)
						for j := range p {
							row = row.Shift(linalg.Integer(int64(p[j])).Scale(t.Coef(d, j)))
						}
						if !row.Holds(int64(to[d]), at) {
							return fmt.Errorf("%v is followed by %v at %s over the loop in line %d: not in dimension %d of NP\n%v", p, to, key, next.Loop.Line, d+1, t)
						}
					}
				}
			}
		}
	}
	return nil
}

// kills checks what Functions.KillsAfter promises: between two instances of x, each
// instance of y that comes after the use of x has, for every pair of the coming
// instance, a message the other way. What comes before the use is not promised;
// the traces have no uses, so only y that are posted after a Done count: those
// of other groups, which is all that the graph lets Kills say of anyway.
func (m *machine) kills(count seen) error {
	n := len(m.p.Comms)
	for y := 1; y <= n; y++ {
		for x := 1; x <= n; x++ {
			if x == y || m.p.Comms[y-1].Kind == comm.Irregular || m.p.Comms[x-1].Kind == comm.Irregular {
				continue
			}
			if y == x || !m.f.KillsAfter(y, x, 1) {
				continue
			}
			count["kills"]++
			if m.f.LiteralKills(0, y, x) {
				count["kills as printed too"]++
			}
			var since []*instance
			for _, in := range m.trace {
				switch in.c.ID {
				case y:
					since = append(since, in)
				case x:
					for _, k := range since {
						if len(in.sent) > 0 {
							count["kills with messages"]++
						}
						for s := range in.sent {
							if !k.sent[[2]int{s[1], s[0]}] {
								return fmt.Errorf("C_%d is said to kill C_%d; PE %d will put to PE %d (%s), which did not send to it (%s); %d PEs",
									y, x, s[0], s[1], show(in.env), show(k.env), m.np)
							}
						}
					}
					since = nil
				}
			}
		}
	}
	return nil
}
