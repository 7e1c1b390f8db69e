package procfunc_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/internal/interp"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc"
	"github.com/spmdc/spmdc/procfunc/linalg"
	"github.com/spmdc/spmdc/runtime/dist"
)

// analyze is the processor functions of text, which must be free of errors.
func analyze(t testing.TB, text string) *procfunc.Functions {
	t.Helper()
	c := front.Must(t, front.SPMD, text)
	return procfunc.Analyze(c, c.Graph())
}

func tryAnalyze(text string) (*procfunc.Functions, error) {
	c, err := front.SPMD("in.hpf", text)
	if err != nil {
		return nil, err
	}
	return procfunc.Analyze(c, c.Graph()), nil
}

// machine executes the control flow of a program in SPMD form, with the scalars
// that steer it, and records every instance of every communication: which PE
// sends to which (by enumeration of owned elements), and, by running the loop
// nests, which template position's element is read at which position.
type machine struct {
	*interp.Control
	f       *procfunc.Functions
	p       *comm.Program
	np      int
	layouts map[*ir.Symbol]*dist.Layout
	symbols map[string]*ir.Symbol
	env     map[string]int
	stack   []*turn
	live    map[*comm.Comm]*instance
	trace   []*instance // in order of execution
	steps   int
	lo, hi  map[string][]int // what assignments access of each array
}

// turn is a loop that is being executed, and which iteration of it.
type turn struct {
	loop ir.Stmt
	at   int
}

// instance is one execution of a communication.
type instance struct {
	c    *comm.Comm
	env  map[string]int // scalars and indices when it was posted
	iter []turn         // loops around, outermost first
	sent map[[2]int]bool
	// read holds what the nests read through it, by the values of the indices of
	// the relation's Vars.
	read map[string][]reading
}

// reading is the read of one element: its template positions p and those q of
// the element that is computed from it. A coordinate that a party has all of is
// nil; PEs are those that compute, and where each has the element from.
type reading struct {
	p, q []*int
	pes  [][2]int
}

// run executes f's program on np PEs.
func run(f *procfunc.Functions, np int) (m *machine, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case interp.Fault:
			err = fmt.Errorf("%s", string(r))
		default:
			panic(r)
		}
	}()
	m = &machine{f: f, p: f.Program, np: np, layouts: map[*ir.Symbol]*dist.Layout{}, symbols: map[string]*ir.Symbol{},
		env: map[string]int{}, live: map[*comm.Comm]*instance{}, steps: 200000, lo: map[string][]int{}, hi: map[string][]int{}}
	for _, s := range m.p.IR.Symbols {
		m.symbols[s.Name] = s
		if s.Mapping != nil && s.IsArray() {
			m.layouts[s] = dist.NewLayout(s.Mapping.Map, m.shape(s.Mapping.Grid))
		}
	}
	m.Control = m.control()
	m.nodes(m.p.Body)
	return m, nil
}

// shape is the extents of a processor arrangement.
func (m *machine) shape(g *ir.Grid) dist.Grid {
	declared := make([]int, g.Rank)
	for d := range g.Shape {
		declared[d] = m.eval(g.Shape[d])
	}
	return dist.Fit(declared, m.np)
}

func (m *machine) eval(e ir.Expr) int { return interp.Integer(m, e) }

// Scalar is the value of a scalar that steers control flow; others are undefined.
func (m *machine) Scalar(s *ir.Symbol) float64 {
	if v, ok := m.env[s.Name]; ok {
		return float64(v)
	}
	return math.NaN()
}

// Element is undefined: there are no arrays here.
func (m *machine) Element(*ir.Ref, []int) float64 { return math.NaN() }

// Processors is the number of PEs.
func (m *machine) Processors() int { return m.np }

// control executes statements of regions on all PEs.
func (m *machine) control() *interp.Control {
	return &interp.Control{
		M: m, Steps: &m.steps,
		Store:    func(lhs ir.Expr, v float64) { m.env[ir.Target(lhs).Name] = int(v) },
		SetIndex: func(s *ir.Symbol, v float64) { m.env[s.Name] = int(v) },
		Assign: func(s *ir.Assign) bool {
			m.reads(s)
			v, ok := s.LHS.(*ir.Var)
			return ok && v.Sym.Type == ir.Integer && !s.RHS.IsVarying()
		},
		Loop: func(loop ir.Stmt, begin bool) {
			if begin {
				m.stack = append(m.stack, &turn{loop: loop})
			} else {
				m.stack = m.stack[:len(m.stack)-1]
			}
		},
		Iteration: func(_ ir.Stmt, begin bool) {
			if !begin {
				m.stack[len(m.stack)-1].at++
			}
		},
	}
}

func (m *machine) nodes(list []comm.Node) interp.Jump {
	for _, n := range list {
		if j := m.node(n); j != nil {
			return j
		}
	}
	return nil
}

func (m *machine) node(n comm.Node) interp.Jump {
	switch n := n.(type) {
	case *comm.Post:
		for _, c := range n.Comms {
			m.post(c)
		}
	case *comm.Done:
		for _, c := range n.Comms {
			delete(m.live, c)
		}
	case *comm.Region:
		if n.Pipe != nil {
			for _, c := range n.Pipe.Comms {
				m.post(c)
			}
		}
		for i := range n.Stmts {
			m.Block(n.Stmts[i : i+1])
		}
		if n.Pipe != nil {
			for _, c := range n.Pipe.Comms {
				delete(m.live, c)
			}
		}
	case *comm.Loop:
		return m.Do(n.Do, func() interp.Jump { return m.nodes(n.Body) })
	case *comm.WhileLoop:
		return m.While(n.While, func() interp.Jump { return m.nodes(n.Body) })
	case *comm.Branch:
		if interp.Condition(m, n.If.Cond) {
			return m.nodes(n.Then)
		}
		return m.nodes(n.Else)
	case *comm.Simple:
		return n.Stmt
	}
	return nil
}

// post records an instance of c.
func (m *machine) post(c *comm.Comm) {
	in := &instance{c: c, env: map[string]int{}, sent: m.messages(c), read: map[string][]reading{}}
	for k, v := range m.env {
		in.env[k] = v
	}
	for _, t := range m.stack {
		in.iter = append(in.iter, *t)
	}
	m.live[c] = in
	m.trace = append(m.trace, in)
}

// reads records what an assignment reads through communications.
func (m *machine) reads(s *ir.Assign) {
	lhs, ok := s.LHS.(*ir.Ref)
	if !ok {
		return
	}
	m.access(lhs)
	ir.WalkExpr(s.RHS, func(e ir.Expr) bool {
		ref, ok := e.(*ir.Ref)
		if !ok {
			return true
		}
		m.access(ref)
		acc := m.p.Access[ref]
		if acc == nil || acc.Comm == nil {
			return true
		}
		in := m.serving(acc.Comm, lhs, ref)
		if in == nil {
			interp.Failf("%s in line %d is read while its communication is not live", ir.ExprString(ref), ref.Pos.Line)
		}
		m.record(in, lhs, ref)
		return true
	})
}

// serving is the instance that brings what lhs reads by ref. A reference in a short loop reads
// several neighbours, for each of which there is a communication: one that has the message
// comes before c.
func (m *machine) serving(c *comm.Comm, lhs, ref *ir.Ref) *instance {
	for _, other := range m.p.Comms {
		in := m.live[other]
		if in == nil || other == c || !slices.Contains(other.Refs, ref) {
			continue
		}
		v := &viewer{m: m, in: in, rel: m.f.Relations[other.ID-1], mat: m.f.Matrices(other.ID)}
		r := reading{p: m.positions(ref.Sym, m.subscripts(ref), v.rel.Grid), q: m.positions(lhs.Sym, m.subscripts(lhs), v.rel.Grid)}
		if p, q, ok := v.resolve(r); ok && v.outside(p, q) == "" {
			return in
		}
	}
	return m.live[c]
}

// access notes how far the subscripts of an array reach.
func (m *machine) access(r *ir.Ref) {
	subs, name := m.subscripts(r), r.Sym.Name
	if m.lo[name] == nil {
		m.lo[name], m.hi[name] = subs, append([]int(nil), subs...)
		return
	}
	for d, x := range subs {
		m.lo[name][d], m.hi[name][d] = min(m.lo[name][d], x), max(m.hi[name][d], x)
	}
}

func (m *machine) record(in *instance, lhs, ref *ir.Ref) {
	rel := m.f.Relations[in.c.ID-1]
	key := ""
	for _, v := range rel.Vars {
		if x, ok := m.env[v.Name]; ok {
			key += fmt.Sprintf("%s=%d ", v.Name, x)
		}
	}
	subs, left := m.subscripts(ref), m.subscripts(lhs)
	layout := m.layouts[ref.Sym]
	r := reading{p: m.positions(ref.Sym, subs, rel.Grid), q: m.positions(lhs.Sym, left, rel.Grid)}
	for pe := range m.np {
		if own := m.layouts[lhs.Sym]; own != nil && !own.Owns(pe, left...) {
			continue
		}
		from := layout.OwnerFor(pe, subs)
		if from < 0 {
			interp.Failf("the test's program reads %s%v in line %d, outside its bounds", ref.Sym.Name, subs, ref.Pos.Line)
		}
		r.pes = append(r.pes, [2]int{from, pe})
	}
	in.read[key] = append(in.read[key], r)
}

func (m *machine) subscripts(r *ir.Ref) []int {
	subs := make([]int, len(r.Subs))
	for d, s := range r.Subs {
		subs[d] = m.eval(s)
	}
	return subs
}

// positions is the template position of an element in each dimension of grid g,
// nil where it has none.
func (m *machine) positions(s *ir.Symbol, subs []int, g *ir.Grid) []*int {
	out := make([]*int, g.Rank)
	if s.Mapping == nil || s.Mapping.Grid.Rank != g.Rank {
		return out
	}
	for d, ax := range s.Mapping.Map.Axes {
		if ax.Grid >= 0 {
			x := ax.A*subs[d] + ax.B
			out[ax.Grid] = &x
		}
	}
	for _, fx := range s.Mapping.Map.Fixed {
		if fx.Grid >= 0 {
			x := fx.Pos
			out[fx.Grid] = &x
		}
	}
	return out
}

// number is the value of a form at the moment.
func (m *machine) number(f linalg.Affine) int {
	v, ok := f.Eval(func(name string) int64 {
		x, ok := m.env[name]
		if !ok {
			interp.Failf("%v is needed and %s is undefined", f, name)
		}
		return int64(x)
	})
	if !ok {
		interp.Failf("%v overflows", f)
	}
	return int(v)
}

// messages is the set of pairs (from, to) of different PEs such that c, posted
// now, moves an element: what each consumer needs by Axes, Subs, Ranges, Guard
// and RootOnly, element by element, from whoever owns it.
func (m *machine) messages(c *comm.Comm) map[[2]int]bool {
	sent := map[[2]int]bool{}
	if c.Kind == comm.Irregular {
		return sent
	}
	layout := m.layouts[c.Array]
	for id := range m.np {
		m.elements(c, id, func(subs []int) {
			from := layout.OwnerFor(id, subs)
			if from < 0 || from == id {
				return
			}
			if from = m.forwarder(c, id, from); from == id {
				return // in its overlap already
			}
			if c.Kind == comm.Pipeline {
				pipe := c.Region.Pipe
				ahead := layout.Shape.Coord(id, pipe.GridDim) - layout.Shape.Coord(from, pipe.GridDim)
				if ahead*pipe.Dir <= 0 {
					return
				}
			}
			sent[[2]int{from, id}] = true
		})
	}
	return sent
}

// forwarder is the PE that sends to id what owner owns: in the dimensions that c
// forwards it has the coordinate of id.
func (m *machine) forwarder(c *comm.Comm, id, owner int) int {
	l := m.layouts[c.Array]
	coords := make([]int, len(l.Shape))
	for dim := range coords {
		coords[dim] = l.Shape.Coord(owner, dim)
		for _, d := range c.Forward {
			if l.Axes[d].Grid == dim {
				coords[dim] = l.Shape.Coord(id, dim)
			}
		}
	}
	return l.Shape.PE(coords...)
}

// elements visits the elements that PE id wants of c.
func (m *machine) elements(c *comm.Comm, id int, visit func(subs []int)) {
	if c.RootOnly && id != 0 {
		return
	}
	for _, k := range c.Guard {
		l := m.layouts[k.Array]
		if k.Axis < 0 && !l.Holds(id) || k.Axis >= 0 && !l.Owned(id, k.Axis).Contains(m.number(k.Sub)) {
			return
		}
	}
	values := func(r *comm.Range) dist.Triplet {
		all := dist.Range(-1000, 1000, 1)
		if !r.Unknown {
			all = dist.Range(m.number(r.Lo), m.number(r.Hi), r.Step)
		}
		for _, k := range r.Cons {
			rest, _ := k.Sub.Subst(r.Index, linalg.Const(0))
			all = m.layouts[k.Array].Iters(id, k.Axis, int(k.Sub.Coef(r.Index)), m.number(rest), all)
		}
		return all
	}
	for _, r := range c.Ranges {
		if len(r.Cons) > 0 && !c.Varies(r) && values(r).Empty() {
			return
		}
	}
	box := make([][]int, len(c.Axes))
	for d, ax := range c.Axes {
		set := map[int]bool{0: true}
		if ax.All {
			set = map[int]bool{}
			for x := c.Array.Dims[d].Lo; x <= c.Array.Dims[d].Hi; x++ {
				set[x] = true
			}
		} else {
			// What is sent of sums of indices is a progression in the steps that all
			// of them have in common, from the least sum to the greatest.
			set = map[int]bool{m.number(ax.Off): true}
			step := 0
			for _, term := range ax.Terms {
				sum := map[int]bool{}
				t := values(term.Range)
				if t.N > 1 {
					step = divisor(step, term.Coef*t.Step)
				}
				for x := range set {
					for k := range max(0, t.N) {
						sum[x+term.Coef*(t.Lo+k*t.Step)] = true
					}
				}
				set = sum
			}
			if len(set) > 0 && len(ax.Terms) > 1 {
				least, most := slices.Min(slices.Collect(maps.Keys(set))), slices.Max(slices.Collect(maps.Keys(set)))
				for x := least; x < most; x += max(step, -step) {
					set[x] = true
				}
			}
		}
		for x := range set {
			box[d] = append(box[d], x)
		}
	}
	x := make([]int, len(box))
	var axis func(d int)
	axis = func(d int) {
		if d < len(box) {
			for _, x[d] = range box[d] {
				axis(d + 1)
			}
			return
		}
		subs := append([]int(nil), x...)
		if c.Subs != nil {
			subs = make([]int, len(c.Subs))
			for k, s := range c.Subs {
				subs[k] = m.number(s.Off)
				if s.Axis >= 0 {
					subs[k] += s.Coef * x[s.Axis]
				}
			}
		}
		visit(subs)
	}
	axis(0)
}

// divisor is the greatest common divisor of a and b, by trying.
func divisor(a, b int) int {
	for d := max(a, -a, b, -b); d > 0; d-- {
		if a%d == 0 && b%d == 0 {
			return d
		}
	}
	return 0
}
