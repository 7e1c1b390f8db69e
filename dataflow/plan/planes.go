package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// In
//
//	do t = 1, n
//	   a(i,new) = a(i-1,old) + a(i+1,old)
//	   swap = old;  old = new;  new = swap
//	end do
//
// the values of each iteration fill the overlap in another plane than those of the
// iteration before. So the overlap is two slots by itself, without a stage and
// without a copy: a put need not come behind the use of the last value, only behind
// that of the one before, which a proof over two ages shows.
//
// What it takes is that any two successive executions differ in the subscript. It
// need not return to the same two values: when execution e puts, that the use of e-2
// is over is proved, and so are all uses before, which every PE ends in order.
//
// That they differ is found by executing the assignments to the scalars that the
// subscript depends on, along all ways through the graph, whatever conditions say:
// values are integers where they are constants, and odd or even elsewhere. There are
// finitely many such states.

// Planes says that successive executions of communication Comm fill different planes
// of an overlap: subscript number Dim, from 1, is Sub, with different values.
type Planes struct {
	Comm, Dim int
	Sub       linalg.Affine
}

// String is the line of the text form: "alternates 1 in 3: iold".
func (p *Planes) String() string {
	return fmt.Sprintf("alternates %d in %d: %v", p.Comm, p.Dim, p.Sub)
}

// planeSubs are the dimensions of c, which fills an overlap, in which all that an
// execution brings has one subscript, that varies.
func planeSubs(c *comm.Comm) (out []Planes) {
	if !c.Overlap || c.Kind == comm.Pipeline || c.Kind == comm.Irregular || c.Subs != nil {
		return nil
	}
	for d, ax := range c.Axes {
		if c.Array.Mapping.Map.Axes[d].Grid < 0 && len(ax.Terms) == 0 && !ax.All && !ax.Off.IsConst() {
			out = append(out, Planes{c.ID, d + 1, ax.Off})
		}
	}
	return out
}

// planes is a dimension in which successive executions of c are proved to fill
// different planes; nil if there is none. shared are the groups of communications
// that fill the same cells: c has to be alone, as the planes of others tell nothing.
func (p *Plan) planes(c *comm.Comm, shared [][]int) *Planes {
	if slices.ContainsFunc(shared, func(g []int) bool { return slices.Contains(g, c.ID) }) {
		return nil
	}
	for _, sub := range planeSubs(c) {
		// The other tests are the verifier's.
		if p.differ(&sub) && p.integers(&sub) == nil && checkPlanes(p.Graph, &sub) == nil {
			return &sub
		}
	}
	return nil
}

// planesForms are the slots that the planes are.
func (p *Plan) planesForms(c *comm.Comm, shared [][]int) []option {
	sub := p.planes(c, shared)
	if sub == nil {
		return nil
	}
	o := option{slots: synch.Slots{Comm: c.ID, Count: 2}, planes: sub}
	return append([]option{o}, askingForms([]option{o})...)
}

// number is what is known of an integer: its value, or whether it is odd.
type number struct {
	exact bool
	value int64 // 0 or 1 if not exact
}

func (x number) odd() int64 { return x.value & 1 }

// differs reports that x and y are not the same.
func (x number) differs(y number) bool {
	if x.exact && y.exact {
		return x.value != y.value
	}
	return x.odd() != y.odd()
}

// planeSearch goes through the states of the scalars behind a subscript.
type planeSearch struct {
	p     *Plan
	sub   *Planes
	index map[string]int // of the scalars, in a state
	names []string
	exact bool // values of constants are kept, and not only whether they are odd
	reset map[*cfg.Node]*ir.Symbol
	seen  map[string]bool
	work  []planeState
}

// planeState is in front of node n: the values of the scalars, and of the subscript in
// the last execution if there was one.
type planeState struct {
	n      *cfg.Node
	values []number
	last   number
	put    bool
}

// Bounds on what is looked at: scalars that matter, states.
const (
	mostScalars = 8
	mostStates  = 20_000
)

// largest is the largest constant that is kept as such.
const largest = 1 << 30

// differ reports whether any two successive executions are proved to differ in sub.
func (p *Plan) differ(sub *Planes) bool {
	for _, exact := range []bool{true, false} {
		s := &planeSearch{p: p, sub: sub, index: map[string]int{}, exact: exact, seen: map[string]bool{}, reset: map[*cfg.Node]*ir.Symbol{}}
		if !s.collect() {
			return false
		}
		if s.run() {
			return true
		}
	}
	return false
}

// collect finds the scalars that the subscript depends on.
func (s *planeSearch) collect() bool {
	add := func(name string) {
		if _, ok := s.index[name]; !ok {
			s.index[name] = len(s.names)
			s.names = append(s.names, name)
		}
	}
	for _, v := range s.sub.Sub.Vars() {
		add(v)
	}
	for k := 0; k < len(s.names); k++ {
		for _, n := range s.p.Graph.Nodes {
			var from ir.Expr
			switch st := s.p.Program.Stmt(n).(type) {
			case *ir.Assign:
				if v, ok := st.LHS.(*ir.Var); ok && v.Sym.Name == s.names[k] {
					from = st.RHS
				}
			case *ir.Do:
				if n.Kind == cfg.LoopHead && st.Index.Name == s.names[k] {
					from = st.Lo
				}
			}
			for _, v := range scalarsOf(from) {
				add(v)
			}
		}
		if len(s.names) > mostScalars {
			return false
		}
	}
	reduced := map[int]*ir.Symbol{}
	for _, r := range s.p.Program.Reduces {
		reduced[r.ID] = r.Sym
	}
	for _, n := range s.p.Graph.Nodes {
		if n.Kind == cfg.Reduce {
			s.reset[n] = reduced[n.Ref]
		}
	}
	return true
}

// scalarsOf are the INTEGER scalars of an expression that eval looks at.
func scalarsOf(e ir.Expr) (out []string) {
	switch e := e.(type) {
	case *ir.Var:
		if e.Typ.IsInteger() && !e.Sym.IsArray() {
			out = append(out, e.Sym.Name)
		}
	case *ir.Un:
		out = scalarsOf(e.E)
	case *ir.Conv:
		out = scalarsOf(e.E)
	case *ir.Bin:
		out = append(scalarsOf(e.L), scalarsOf(e.R)...)
	case *ir.Call:
		for _, a := range e.Args {
			out = append(out, scalarsOf(a)...)
		}
	}
	return out
}

// run goes through all states, and reports whether the subscript is another one at
// each execution.
func (s *planeSearch) run() bool {
	start := planeState{n: s.p.Graph.Entry, values: make([]number, len(s.names))}
	list := []planeState{start}
	for k := range s.names {
		list = s.unknown(list, k)
	}
	for _, st := range list {
		s.visit(st)
	}
	for len(s.work) > 0 {
		if len(s.seen) > mostStates {
			return false
		}
		st := s.work[len(s.work)-1]
		s.work = s.work[:len(s.work)-1]
		list, ok := s.behind(st)
		if !ok {
			return false
		}
		for _, m := range st.n.Succs {
			if m == nil {
				continue
			}
			for _, after := range list {
				after.n = m
				for _, at := range s.enter(after, st.n) {
					s.visit(at)
				}
			}
		}
	}
	return true
}

func (s *planeSearch) visit(st planeState) {
	key := fmt.Sprint(st.n.ID, st.values, st.last, st.put)
	if !s.seen[key] {
		s.seen[key] = true
		s.work = append(s.work, st)
	}
}

// with is the state with another value of scalar k.
func (s *planeSearch) with(st planeState, k int, x number) planeState {
	if x.exact && (!s.exact || x.value > largest || x.value < -largest) {
		x = number{value: x.odd()}
	}
	st.values = slices.Clone(st.values)
	st.values[k] = x
	return st
}

// unknown gives scalar k any value.
func (s *planeSearch) unknown(list []planeState, k int) (out []planeState) {
	for _, st := range list {
		out = append(out, s.with(st, k, number{value: 0}), s.with(st, k, number{value: 1}))
	}
	return out
}

// set gives scalar k a value that may be unknown.
func (s *planeSearch) set(st planeState, k int, x number, known bool) []planeState {
	if known {
		return []planeState{s.with(st, k, x)}
	}
	return s.unknown([]planeState{st}, k)
}

// behind is the states behind the node of a state; false if the execution of the
// communication there may have the subscript of the one before.
func (s *planeSearch) behind(st planeState) ([]planeState, bool) {
	n, list := st.n, []planeState{st}
	switch n.Kind {
	case cfg.Comm:
		if n.Ref != s.sub.Comm {
			break
		}
		now := s.subscript(st)
		if st.put && !now.differs(st.last) {
			return nil, false
		}
		st.last, st.put = now, true
		return []planeState{st}, true
	case cfg.Reduce:
		if sym := s.reset[n]; sym != nil {
			if k, ok := s.index[sym.Name]; ok {
				list = s.unknown(list, k)
			}
		}
	case cfg.Stmt:
		stmt := s.p.Program.Stmt(n)
		if stmt == nil {
			break
		}
		if a, ok := stmt.(*ir.Assign); ok {
			if v, ok := a.LHS.(*ir.Var); ok && v.Typ.IsInteger() {
				if k, ok := s.index[v.Sym.Name]; ok {
					x, known := s.eval(st, a.RHS)
					return s.set(st, k, x, known && a.RHS.Type().IsInteger()), true
				}
			}
		}
		for sym := range s.p.Program.Modified(stmt) {
			if k, ok := s.index[sym.Name]; ok {
				list = s.unknown(list, k)
			}
		}
	}
	return list, true
}

// enter is the states in front of a node that is reached from another: at the head of
// a loop its index gets its first value, or its next.
func (s *planeSearch) enter(st planeState, from *cfg.Node) []planeState {
	d, ok := s.p.Program.Loop(st.n.Loop).(*ir.Do)
	if !ok || st.n.Kind != cfg.LoopHead {
		return []planeState{st}
	}
	k, ok := s.index[d.Index.Name]
	if !ok {
		return []planeState{st}
	}
	x, known := s.eval(st, d.Lo)
	if st.n.Loop.Contains(from.Loop) {
		step, constant := s.eval(st, d.Step)
		known = constant && len(scalarsOf(d.Step)) == 0
		x = sum(st.values[k], step, 1)
	}
	// Iterations are odd or even, or there would be as many states.
	return s.set(st, k, number{value: x.odd()}, known)
}

func (s *planeSearch) subscript(st planeState) number {
	out := number{exact: true, value: s.sub.Sub.C}
	for _, v := range s.sub.Sub.Vars() {
		out = sum(out, product(st.values[s.index[v]], number{exact: true, value: s.sub.Sub.Coef(v)}), 1)
	}
	return out
}

// small reports whether sums and products of x and y can be formed.
func small(x, y number) bool {
	return x.exact && y.exact && max(x.value, -x.value, y.value, -y.value) <= largest
}

// kept is the constant v: if it is large, only whether it is odd, which does not change
// where an INTEGER wraps.
func kept(v int64) number {
	if max(v, -v) > largest {
		return number{value: number{true, v}.odd()}
	}
	return number{true, v}
}

// sum is x + sign*y.
func sum(x, y number, sign int64) number {
	if small(x, y) {
		return kept(x.value + sign*y.value)
	}
	return number{value: x.odd() ^ y.odd()}
}

func product(x, y number) number {
	if small(x, y) {
		return kept(x.value * y.value)
	}
	return number{value: x.odd() & y.odd()}
}

// eval is the value of an INTEGER expression; false if nothing is known of it.
func (s *planeSearch) eval(st planeState, e ir.Expr) (number, bool) {
	if !e.Type().IsInteger() {
		return number{}, false
	}
	switch e := e.(type) {
	case *ir.Const:
		return number{true, int64(e.Int)}, true
	case *ir.Var:
		k, ok := s.index[e.Sym.Name]
		if !ok {
			return number{}, false
		}
		return st.values[k], true
	case *ir.Conv:
		return s.eval(st, e.E)
	case *ir.Un:
		x, ok := s.eval(st, e.E)
		switch {
		case e.Op == ir.Group:
			return x, ok
		case e.Op == ir.Neg:
			return sum(number{exact: true}, x, -1), ok
		}
	case *ir.Bin:
		x, ok1 := s.eval(st, e.L)
		y, ok2 := s.eval(st, e.R)
		switch e.Op {
		case ir.Add:
			return sum(x, y, 1), ok1 && ok2
		case ir.Sub:
			return sum(x, y, -1), ok1 && ok2
		case ir.Mul:
			if ok1 && ok2 {
				return product(x, y), true
			}
			// Twice something is even.
			return number{}, ok1 && x.odd() == 0 || ok2 && y.odd() == 0
		case ir.Div:
			if ok1 && ok2 && x.exact && y.exact && y.value != 0 {
				return number{true, x.value / y.value}, true
			}
		}
	case *ir.Call:
		if e.Name == "mod" && len(e.Args) == 2 {
			x, ok1 := s.eval(st, e.Args[0])
			y, ok2 := s.eval(st, e.Args[1])
			switch {
			case !ok1 || !ok2 || !y.exact || y.value == 0:
			case x.exact:
				return number{true, x.value % y.value}, true
			case y.odd() == 0:
				return x, true
			}
		}
	}
	return number{}, false
}

// whyPlanes says what the slots are.
func (p *Planes) why() string {
	return fmt.Sprintf("successive executions fill different planes, as %v alternates in dimension %d", p.Sub, p.Dim)
}

// parsePlanes reads what String writes, but for the form of the subscript.
func parsePlanes(line string) (id, dim int, sub string, err error) {
	head, sub, ok := strings.Cut(line, ": ")
	if n, e := fmt.Sscanf(head, "alternates %d in %d", &id, &dim); !ok || e != nil || n != 2 || head != fmt.Sprintf("alternates %d in %d", id, dim) || dim < 1 || sub == "" {
		return 0, 0, "", fmt.Errorf("found %q, want \"alternates COMM in DIMENSION: SUBSCRIPT\"", line)
	}
	return id, dim, sub, nil
}
