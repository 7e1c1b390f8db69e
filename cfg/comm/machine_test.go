package comm_test

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/internal/interp"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/runtime/dist"
)

// spmd executes the SPMD form on any number of PEs, in lockstep, and is as
// strict as it can be:
//
//   - a PE's memory holds what the PE owns, and what communications brought:
//     anything else is undefined, and so is a communicated value behind its UO;
//   - a communication takes the values that the owners have at C, and brings the
//     elements that Axes, Subs, Ranges, Guard and RootOnly describe, no others;
//     with Forward it takes what the PE has that shares the consumer's coordinates
//     along those dimensions, which must be defined;
//   - what comes into an overlap comes at CO, and not before;
//   - all PEs must agree on what each of them needs, on every condition outside
//     regions and on every bound of a loop that they follow together;
//   - a scalar that is dead behind a region is undefined there, and so is an array that
//     is private to the iterations of a loop, when one begins and behind the region.
//
// What PE 0 prints and what the owners hold in the end is compared with the
// sequential execution by compare.
type spmd struct {
	p       *comm.Program
	np      int
	layouts map[*ir.Symbol]*dist.Layout
	symbols map[string]*ir.Symbol
	pes     []*pe
	out     []string
	live    map[*comm.Comm]bool // waited for, not done
	posted  map[*comm.Comm]bool // not done
	partial map[*ir.Symbol]bool // scalars of which each PE has a value of its own
	steps   int
	block   *block             // of a pipelined region, being executed
	moved   map[*comm.Comm]int // elements that PEs were sent by others
	unread  map[*comm.Comm]int // of these, how many nobody read before UO
}

// block is a block of a pipelined region: so many iterations, from 0.
type block struct {
	*comm.Blocks
	number, size int
}

// pe is one processing element.
type pe struct {
	m       *spmd
	id      int
	values  map[*ir.Symbol]float64
	arrays  map[*ir.Symbol]*interp.Cells
	fetched map[*comm.Comm]*temporary
	implied map[*ir.Symbol]float64
	region  *comm.Region // being executed
	walked  map[*comm.Comm]int
	starts  map[ir.Expr]float64      // left sides that start a reduction of elements, and from what
	parts   map[*ir.Symbol][]float64 // of a distributed array that is accumulated into in parts
}

// temporary is what a communication brought to one PE.
type temporary struct {
	values map[spot]float64 // by position in the index space
	cells  map[int]bool     // overlap: the cells of the array
	coming map[int]float64  // overlap: what arrives at CO
	idle   map[spot]bool    // subscripts of other PEs' elements that were not read yet
	order  []float64        // irregular: the listed elements
	listed []spot           // their subscripts
}

// spot is a position in an index space of rank 4 at most.
type spot [4]int

func place(subs []int) (s spot) {
	if copy(s[:], subs) < len(subs) {
		interp.Failf("the machines have no rank %d", len(subs))
	}
	return s
}

// maxSteps bounds the statements that a PE executes.
const maxSteps = 400_000

// runSPMD executes p on np PEs.
func runSPMD(p *comm.Program, np int) *spmd {
	m := &spmd{
		p: p, np: np,
		layouts: map[*ir.Symbol]*dist.Layout{}, symbols: map[string]*ir.Symbol{},
		live: map[*comm.Comm]bool{}, posted: map[*comm.Comm]bool{}, partial: map[*ir.Symbol]bool{}, moved: map[*comm.Comm]int{}, unread: map[*comm.Comm]int{}, steps: maxSteps * np,
	}
	for _, s := range p.IR.Symbols {
		m.symbols[s.Name] = s
	}
	for id := range np {
		q := &pe{m: m, id: id, values: map[*ir.Symbol]float64{}, arrays: map[*ir.Symbol]*interp.Cells{}, fetched: map[*comm.Comm]*temporary{}, walked: map[*comm.Comm]int{}, starts: map[ir.Expr]float64{}, parts: map[*ir.Symbol][]float64{}}
		m.pes = append(m.pes, q)
	}
	for _, s := range p.IR.Symbols {
		if s.Mapping != nil && s.IsArray() {
			g := s.Mapping.Grid
			shape := make([]int, g.Rank)
			for d := range g.Shape {
				shape[d] = interp.Integer(m.pes[0], g.Shape[d])
			}
			m.layouts[s] = dist.NewLayout(s.Mapping.Map, dist.Fit(shape, np))
		}
		for _, q := range m.pes {
			if s.IsArray() {
				q.arrays[s] = interp.NewCells(s)
			} else {
				q.values[s] = math.NaN()
			}
		}
	}
	m.nodes(p.Body)
	return m
}

// nodes executes a list of nodes on all PEs.
func (m *spmd) nodes(list []comm.Node) interp.Jump {
	for _, n := range list {
		if m.steps--; m.steps < 0 {
			interp.Failf("the program takes too long")
		}
		if j := m.node(n); j != nil {
			return j
		}
	}
	return nil
}

func (m *spmd) node(n comm.Node) interp.Jump {
	switch n := n.(type) {
	case *comm.Post:
		for _, c := range n.Comms {
			if m.posted[c] {
				interp.Failf("communication #%d is posted again before its end", c.ID)
			}
			m.posted[c] = true
			m.post(c, nil)
		}
	case *comm.Wait:
		for _, c := range n.Comms {
			if !m.posted[c] {
				interp.Failf("communication #%d is waited for and was not posted", c.ID)
			}
			m.live[c] = true
			for _, q := range m.pes {
				q.arrive(c)
			}
		}
	case *comm.Done:
		m.done(n.Comms)
	case *comm.Region:
		m.execute(n)
	case *comm.Start:
		m.start(n)
	case *comm.Combine:
		for _, red := range n.Reduce {
			if !m.partial[red.Sym] {
				interp.Failf("%s is combined and has no partial values", red.Sym.Name)
			}
			delete(m.partial, red.Sym)
			m.reduce(red)
		}
	case *comm.Loop:
		return m.loop(n)
	case *comm.WhileLoop:
		return m.while(n)
	case *comm.Branch:
		if m.agree(n.If.Cond) == 1 {
			return m.nodes(n.Then)
		}
		return m.nodes(n.Else)
	case *comm.Simple:
		switch s := n.Stmt.(type) {
		case *ir.Exit, *ir.Cycle, *ir.Stop:
			return s
		}
		panic(interp.Fault(fmt.Sprintf("the machines have no %T", n.Stmt)))
	}
	return nil
}

func (m *spmd) done(list []*comm.Comm) {
	for _, c := range list {
		if !m.live[c] {
			interp.Failf("communication #%d ends and is not live", c.ID)
		}
		delete(m.live, c)
		delete(m.posted, c)
		for _, q := range m.pes {
			q.forget(c)
		}
	}
}

// agree is the value of e, on which all PEs must agree.
func (m *spmd) agree(e ir.Expr) float64 {
	v := interp.Eval(m.pes[0], e)
	for _, q := range m.pes {
		if w := interp.Eval(q, e); w != v { // also when one is undefined
			interp.Failf("%s in line %d is %v on PE 0 and %v on PE %d", ir.ExprString(e), e.Position().Line, v, w, q.id)
		}
	}
	return v
}

func (m *spmd) loop(n *comm.Loop) interp.Jump {
	d := n.Do
	lo, hi, step := int(m.agree(d.Lo)), int(m.agree(d.Hi)), int(m.agree(d.Step))
	set := func(v float64) {
		for _, q := range m.pes {
			q.values[d.Index] = v
		}
	}
	for trips := (hi - lo + step) / step; trips > 0; trips-- {
		set(float64(lo))
		if done, j := interp.Leaves(d, m.nodes(n.Body)); done {
			return j
		}
		lo += step
	}
	set(m.behind(d, d.Index, float64(lo)))
	return nil
}

// behind is v, or undefined when nothing behind s may use sym.
func (m *spmd) behind(s ir.Stmt, sym *ir.Symbol, v float64) float64 {
	if m.p.LiveAfter(s, sym) {
		return v
	}
	return math.NaN()
}

func (m *spmd) while(n *comm.WhileLoop) interp.Jump {
	for {
		if m.steps--; m.steps < 0 {
			interp.Failf("the program takes too long")
		}
		if j := m.nodes(n.Pre); j != nil {
			return j
		}
		holds := m.agree(n.While.Cond) == 1
		m.done(n.Used)
		if !holds {
			return nil
		}
		if done, j := interp.Leaves(n.While, m.nodes(n.Body)); done {
			return j
		}
	}
}

// start is where PEs begin to have partial values of their own.
func (m *spmd) start(n *comm.Start) {
	for _, red := range n.Reduce {
		if m.partial[red.Sym] {
			interp.Failf("%s has partial values already", red.Sym.Name)
		}
		m.partial[red.Sym] = true
		if red.Parted {
			m.startParts(red)
			continue
		}
		if red.Sym.IsArray() {
			m.startElements(red)
			continue
		}
		if math.IsNaN(m.pes[0].values[red.Sym]) {
			continue // undefined, and stays so if nothing is added
		}
		m.agree(&ir.Var{X: ir.X{Typ: red.Sym.Type, Pos: red.At().Position()}, Sym: red.Sym})
		if id, ok := identity[red.Name]; ok {
			for _, q := range m.pes[1:] { // PE 0 starts from the value before
				q.values[red.Sym] = id
			}
		}
	}
}

// execute runs a region: each PE its part, one after the other, as no PE waits
// for another inside. In a pipelined region the order is that of the pipeline.
func (m *spmd) execute(r *comm.Region) {
	if r.Fallback && (len(r.Part) > 0 || len(r.Guard) > 0 || r.Pipe != nil) {
		interp.Failf("the fallback in line %d is divided among the PEs", r.Stmts[0].Position().Line)
	}
	order := slices.Clone(m.pes)
	if r.Pipe != nil {
		grid := m.pipeGrid(r.Pipe)
		slices.SortStableFunc(order, func(a, b *pe) int {
			return r.Pipe.Dir * (grid.Coord(a.id, r.Pipe.GridDim) - grid.Coord(b.id, r.Pipe.GridDim))
		})
		m.pipeline(r, order)
		for _, c := range r.Pipe.Comms {
			for _, q := range m.pes {
				q.forget(c)
			}
		}
	} else {
		for _, q := range order {
			q.run(r)
		}
	}
	for _, q := range m.pes {
		for _, c := range r.StoreBack {
			q.keep(c)
		}
	}
	ir.Walk(r.Stmts, func(s ir.Stmt) bool {
		if d, ok := s.(*ir.Do); ok {
			for _, q := range m.pes {
				q.undefine(d)
			}
		}
		return true
	})
	// What is dead behind the region may differ among the PEs.
	last := r.Stmts[len(r.Stmts)-1]
	for sym := range m.p.Modified(last) {
		if sym.IsArray() || m.p.LiveAfter(last, sym) {
			continue
		}
		for _, q := range m.pes {
			q.values[sym] = math.NaN()
		}
	}
}

// pipeline executes a pipelined region block by block, each PE after PE.
func (m *spmd) pipeline(r *comm.Region, order []*pe) {
	count := 1
	if b := r.Pipe.Blocks; b != nil {
		m.block = &block{Blocks: b, size: 1 + m.np%3}
		defer func() { m.block = nil }()
		count = m.iterations(b.Loop).Strips(m.block.size)
	}
	for k := range count {
		if m.block != nil {
			m.block.number = k
		}
		for _, q := range order {
			for _, c := range r.Pipe.Comms {
				before := q.fetched[c]
				m.post(c, q)
				if now := q.fetched[c]; before != nil { // the block before is still in use
					maps.Copy(now.idle, before.idle)
					maps.Copy(now.cells, before.cells)
				}
			}
			q.run(r)
		}
	}
}

// iterations are the values of the index of a loop with bounds on which all PEs agree.
func (m *spmd) iterations(d *ir.Do) dist.Triplet {
	return dist.Range(int(m.agree(d.Lo)), int(m.agree(d.Hi)), int(m.agree(d.Step)))
}

// part is what of t, the values of an index, belongs to the block.
func (b *block) part(t dist.Triplet) dist.Triplet {
	if b.Down {
		return t.StripDown(b.number, b.size)
	}
	return t.Strip(b.number, b.size)
}

// lag is what of t the block brings to iterations that lag behind.
func (b *block) lag(t dist.Triplet, behind int) dist.Triplet {
	if b.Down {
		return t.LagDown(b.number, b.size, behind)
	}
	return t.Lag(b.number, b.size, behind)
}

func (m *spmd) pipeGrid(p *comm.Pipe) dist.Grid { return m.layouts[p.Comms[0].Array].Shape }

// identity is what partial values of other PEs than PE 0 start from, where that is
// not the value before.
var identity = map[string]float64{"sum": 0, "product": 1}

// startParts lets PEs accumulate into any element: its owner starts from the value before.
func (m *spmd) startParts(red *comm.Reduction) {
	id := map[string]float64{"sum": 0, "product": 1, "and": 1, "or": 0, "max": math.MinInt32, "min": math.MaxInt32}[red.Name]
	for _, q := range m.pes {
		c := q.arrays[red.Sym]
		part := make([]float64, len(c.Data))
		c.Elements(func(subs []int, n int) {
			if part[n] = id; m.layouts[red.Sym].Owns(q.id, subs...) {
				part[n] = c.Data[n]
			}
		})
		q.parts[red.Sym] = part
	}
}

// reduceParts lets the owners combine what the PEs have of their elements.
func (m *spmd) reduceParts(red *comm.Reduction) {
	for _, q := range m.pes {
		q.arrays[red.Sym].Elements(func(subs []int, n int) {
			if m.layouts[red.Sym].Owns(q.id, subs...) {
				q.arrays[red.Sym].Data[n] = m.combine(red, func(q *pe) float64 { return q.parts[red.Sym][n] })
			}
		})
	}
	for _, q := range m.pes {
		delete(q.parts, red.Sym)
	}
}

// reduce combines the partial values that the PEs have.
func (m *spmd) reduce(red *comm.Reduction) {
	if red.Parted {
		m.reduceParts(red)
		return
	}
	if red.Sym.IsArray() {
		m.reduceElements(red)
		return
	}
	total := m.combine(red, func(q *pe) float64 { return q.values[red.Sym] })
	for _, q := range m.pes {
		q.values[red.Sym] = total
	}
}

// combine is the result of a reduction of what the PEs have.
func (m *spmd) combine(red *comm.Reduction, of func(q *pe) float64) float64 {
	id, counts := identity[red.Name]
	total := of(m.pes[0])
	for _, q := range m.pes[1:] {
		v := of(q)
		for _, d := range red.Lead {
			if m.layouts[red.By.Sym].Shape.Coord(q.id, d.Dim) != 0 && counts {
				v = id
			}
		}
		switch red.Name {
		case "sum":
			total += v
		case "product":
			total *= v
		case "max":
			total = max(total, v)
		case "min":
			total = min(total, v)
		case "and":
			total = min(total, v)
		case "or":
			total = max(total, v)
		default:
			interp.Failf("a reduction by %s", red.Name)
		}
	}
	return total
}

// startElements prepares PEs for a reduction of elements: PE 0 starts from the values
// before and those that the region gives.
func (m *spmd) startElements(red *comm.Reduction) {
	id, ok := identity[red.Name]
	for _, q := range m.pes {
		for _, s := range red.Starts {
			if ok && q.id != 0 {
				q.starts[s.LHS] = id
			}
		}
		if ok && q.id != 0 {
			m.boxes(red, func(n int) { q.arrays[red.Sym].Data[n] = id })
		}
	}
}

// reduceElements combines the elements of the section and leaves all others, which no PE
// may have changed, alone.
func (m *spmd) reduceElements(red *comm.Reduction) {
	seen := map[int]bool{}
	m.boxes(red, func(n int) {
		if seen[n] {
			return
		}
		seen[n] = true
		total := m.combine(red, func(q *pe) float64 { return q.arrays[red.Sym].Data[n] })
		for _, q := range m.pes {
			q.arrays[red.Sym].Data[n] = total
		}
	})
	for _, q := range m.pes {
		clear(q.starts)
		for n, v := range q.arrays[red.Sym].Data {
			if w := m.pes[0].arrays[red.Sym].Data[n]; v != w && !(v != v && w != w) {
				interp.Failf("the region in line %d changes element %d of %s outside of the section that is reduced", red.Line, n, red.Sym.Name)
			}
		}
	}
}

// boxes visits the elements of the section of red.
func (m *spmd) boxes(red *comm.Reduction, visit func(n int)) {
	for _, box := range red.Section {
		each(m.need(&comm.Comm{Array: red.Sym, Axes: box}, 0, m.pes[0]), func(x []int) {
			if n, ok := m.pes[0].arrays[red.Sym].At(x); ok && len(x) > 0 {
				visit(n)
			}
		})
	}
}

// run executes q's part of region r.
func (q *pe) run(r *comm.Region) {
	q.region = r
	clear(q.walked)
	defer func() { q.region = nil }()
	for _, k := range r.Guard {
		if !q.m.holds(k, q.id, q) {
			return
		}
	}
	c := q.control(r)
	if j := c.Block(r.Stmts); j != nil {
		interp.Failf("a jump in line %d leaves the region", j.Position().Line)
	}
}

// control executes statements of region r as q does.
func (q *pe) control(r *comm.Region) *interp.Control {
	c := &interp.Control{
		M: q, Store: q.store, Steps: &q.m.steps,
		SetIndex: func(s *ir.Symbol, v float64) { q.values[s] = v },
		Own: func(d *ir.Do, i int) bool {
			if b := q.m.block; b != nil && b.Loop == d && !b.part(q.m.iterations(d)).Contains(i) {
				return false
			}
			for _, k := range r.Part[d] {
				if !q.m.ownsIteration(k, d, i, q) {
					return false
				}
			}
			if pick := r.Picks[d]; pick != nil {
				q.values[d.Index] = float64(i)
				q.values[pick.Var()] = interp.Eval(q, pick.Set.RHS)
				return !slices.ContainsFunc(pick.Own, func(k comm.Constraint) bool { return !q.m.holds(k, q.id, q) })
			}
			return true
		},
		Iteration: func(loop ir.Stmt, begin bool) {
			if d, ok := loop.(*ir.Do); ok && begin {
				q.undefine(d)
				q.nextWalked(r, d)
			}
		},
		End: func(d *ir.Do, v float64) { q.values[d.Index] = q.m.behind(d, d.Index, v) },
	}
	if q.id == 0 {
		c.Print = func(text string) { q.m.out = append(q.m.out, text) }
	}
	return c
}

// undefine takes the values of the arrays that are private to the iterations of d.
func (q *pe) undefine(d *ir.Do) {
	for _, sym := range slices.Concat(q.m.p.Private(d), q.m.p.Proved(d)) {
		for i := range q.arrays[sym].Data {
			q.arrays[sym].Data[i] = math.NaN()
		}
	}
}

func (q *pe) Processors() int { return q.m.np }

func (q *pe) Scalar(s *ir.Symbol) float64 {
	if v, ok := q.implied[s]; ok {
		return v
	}
	return q.values[s]
}

func (q *pe) Bind(s *ir.Symbol, v float64) {
	if math.IsNaN(v) {
		delete(q.implied, s)
		return
	}
	if q.implied == nil {
		q.implied = map[*ir.Symbol]float64{}
	}
	q.implied[s] = v
}

// element reads as the access of r says, and finds the value defined.
func (q *pe) Element(r *ir.Ref, subs []int) float64 {
	v := q.fetch(r, subs)
	if math.IsNaN(v) {
		interp.Failf("PE %d of %d reads %s = %s%v in line %d, which it neither owns nor was sent", q.id, q.m.np, ir.ExprString(r), r.Sym.Name, subs, r.Pos.Line)
	}
	return v
}

func (q *pe) fetch(r *ir.Ref, subs []int) float64 {
	c := q.arrays[r.Sym]
	n, ok := c.At(subs)
	if !ok {
		interp.Failf("the test's program reads %s%v in line %d, outside its bounds", r.Sym.Name, subs, r.Pos.Line)
	}
	acc := q.m.p.Access[r]
	if acc == nil {
		if r.Sym.Distributed() {
			interp.Failf("%s in line %d has no access", ir.ExprString(r), r.Pos.Line)
		}
		return c.Data[n]
	}
	if acc.Comm != nil && acc.Comm.Kind != comm.Pipeline && !q.m.live[acc.Comm] {
		interp.Failf("%s in line %d is read while communication #%d is not live", ir.ExprString(r), r.Pos.Line, acc.Comm.ID)
	}
	if acc.Comm != nil {
		if t := q.fetched[acc.Comm]; t != nil {
			delete(t.idle, place(subs))
		}
	}
	switch acc.Mode {
	case comm.Own:
		return c.Data[n]
	case comm.Part:
		return q.parts[r.Sym][n]
	case comm.Walk:
		return q.current(acc.Comm, r, subs)
	}
	return q.fromTemporary(acc.Comm, r, subs)
}

// store assigns as the access of the left side says.
func (q *pe) store(lhs ir.Expr, v float64) {
	l, ok := lhs.(*ir.Ref)
	if !ok {
		q.values[ir.Target(lhs)] = v
		return
	}
	subs := interp.Subscripts(q, l)
	n, ok := q.arrays[l.Sym].At(subs)
	if !ok {
		interp.Failf("the test's program writes %s%v in line %d, outside its bounds", l.Sym.Name, subs, l.Pos.Line)
	}
	if from, ok := q.starts[lhs]; ok {
		v = from
	}
	acc := q.m.p.Access[l]
	if acc != nil && acc.Mode == comm.Temp {
		q.fetched[acc.Comm].values[place(subs)] = v
		return
	}
	if acc != nil && acc.Mode == comm.Part {
		q.parts[l.Sym][n] = v
		return
	}
	if layout := q.m.layouts[l.Sym]; layout != nil && !layout.Owns(q.id, subs...) {
		interp.Failf("PE %d of %d writes %s%v in line %d, which it does not own", q.id, q.m.np, l.Sym.Name, subs, l.Pos.Line)
	}
	q.arrays[l.Sym].Data[n] = v
}

// keep copies q's own elements back from the gathered copy of a fallback.
func (q *pe) keep(c *comm.Comm) {
	q.arrays[c.Array].Elements(func(subs []int, n int) {
		if q.m.layouts[c.Array].Owns(q.id, subs...) {
			q.arrays[c.Array].Data[n] = q.fetched[c].values[place(subs)]
		}
	})
}
