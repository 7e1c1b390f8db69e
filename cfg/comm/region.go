package comm

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// attempt is the attempt to make one statement a region.
type attempt struct {
	a       *analyzer
	stmt    ir.Stmt
	root    *ir.Do // stmt if it is a DO loop
	region  *Region
	variant map[*ir.Symbol]bool
	occs    []occurrence
	writes  []occurrence
	loopsOf map[ir.Stmt][]ir.Stmt // loops inside the region around each statement
	armsOf  map[ir.Stmt][]arm     // and the arms that it is in
	placed  []placed
	reduced []*Reduction           // combined behind the region
	reduce  map[ir.Stmt]*Reduction // statement (Assign, or If of the max form) -> its reduction
	inner   map[ir.Stmt]bool       // assignments inside an If of the max form
	arrays  []scalar.Reduction     // into elements of arrays, to be computed in parts
	there   []element              // see exists
	pre     []*Comm                // before the region
	pipe    []*Comm                // pipelined
	proved  []privacy
	picks   map[*ir.Do]*ir.Assign // what sets the variable that may pick elements in a loop
	blocked *struct {             // what blockLoop has found
		loop *ir.Do
		why  string
	}
}

// placed is a statement whose executors are decided by what it assigns.
type placed struct {
	stmt ir.Stmt
	cons []Constraint
}

// tryRegion makes s a region if every PE can execute its part of it alone.
// The reason why not is for people.
//
// What is accumulated into a replicated array is computed in parts where that makes a
// region, else by every PE in full. What is accumulated into a distributed one is, where
// nothing else makes a region.
func (a *analyzer) tryRegion(s ir.Stmt) (*attempt, string) {
	var arrays, parted []scalar.Reduction
	if d, ok := s.(*ir.Do); ok && !a.out.IR.SPMD {
		for _, r := range a.info.ArrayReductions(d) {
			switch {
			case !r.Sym.Distributed():
				arrays = append(arrays, r)
			case partible(r):
				parted = append(parted, r)
			}
		}
	}
	if len(arrays) > 0 {
		if t, _ := a.attempt(s, arrays); t != nil {
			return t, ""
		}
	}
	t, why := a.attempt(s, nil)
	if t == nil && len(parted) > 0 {
		if t, _ := a.attempt(s, append(arrays, parted...)); t != nil {
			return t, ""
		}
	}
	return t, why
}

func (a *analyzer) attempt(s ir.Stmt, arrays []scalar.Reduction) (*attempt, string) {
	t := &attempt{
		a: a, stmt: s,
		region:  &Region{Stmts: []ir.Stmt{s}, Part: map[*ir.Do][]Constraint{}, Picks: map[*ir.Do]*Pick{}},
		variant: a.modified(s),
		loopsOf: map[ir.Stmt][]ir.Stmt{},
		armsOf:  map[ir.Stmt][]arm{},
		reduce:  map[ir.Stmt]*Reduction{},
		inner:   map[ir.Stmt]bool{},
		arrays:  arrays,
	}
	t.root, _ = s.(*ir.Do)
	if _, ok := s.(*ir.Assign); ok {
		t.variant = nil // an assignment reads everything before it writes
	}
	steps := []func() string{t.contents, t.findPicks, t.place, t.reductions, t.partition, t.scalars, t.communicate}
	for _, f := range steps {
		if why := f(); why != "" {
			return nil, why
		}
	}
	t.region.Comms = append(append([]*Comm(nil), t.pre...), t.pipe...)
	return t, ""
}

// contents rejects statements that need all PEs together.
func (t *attempt) contents() string {
	why := ""
	var visit func(s ir.Stmt, loops []ir.Stmt, arms []arm)
	inside := map[ir.Stmt]bool{}
	visit = func(s ir.Stmt, loops []ir.Stmt, arms []arm) {
		t.loopsOf[s], t.armsOf[s] = loops, arms
		switch s := s.(type) {
		case *ir.Read:
			why = fmt.Sprintf("READ in line %d is executed by all PEs", s.Pos.Line)
		case *ir.Stop:
			why = fmt.Sprintf("STOP in line %d ends all PEs", s.Pos.Line)
		case *ir.Allocate:
			why = fmt.Sprintf("%s is allocated or deallocated in line %d by all PEs", s.Sym.Source(), s.Pos.Line)
		case *ir.Checkpoint:
			why = fmt.Sprintf("the checkpoint in line %d is taken by all PEs", s.Pos.Line)
		case *ir.Exit:
			if !inside[s.Loop] {
				why = fmt.Sprintf("EXIT in line %d leaves the loop", s.Pos.Line)
			}
		case *ir.Cycle:
			if !inside[s.Loop] {
				why = fmt.Sprintf("CYCLE in line %d leaves the statement", s.Pos.Line)
			}
		case *ir.Do, *ir.While:
			inside[s] = true
			loops = append(append([]ir.Stmt(nil), loops...), s)
		}
		eachArm(s, arms, func(b ir.Stmt, arms []arm) { visit(b, loops, arms) })
	}
	visit(t.stmt, nil, nil)
	if why != "" {
		return why
	}
	t.arrays = slices.DeleteFunc(slices.Clone(t.arrays), func(r scalar.Reduction) bool {
		return slices.ContainsFunc(r.Stmts, func(s ir.Stmt) bool { return t.a.private(r.Sym, t.loopsOf[s]) != nil })
	})
	t.occs = t.a.occurrences(t.stmt)
	for _, o := range t.occs {
		if o.write {
			t.writes = append(t.writes, o)
		}
	}
	return ""
}

// stable reports whether f keeps its value during the region but for the
// indices of the loops around the statement.
func (t *attempt) stable(s ir.Stmt) func(linalg.Affine) bool {
	own := map[string]bool{}
	for _, l := range t.loopsOf[s] {
		if d, ok := l.(*ir.Do); ok {
			own[d.Index.Name] = true
		}
	}
	return t.stableBut(own)
}

// stableBut reports whether a form keeps its value during the region but for the indices own.
func (t *attempt) stableBut(own map[string]bool) func(linalg.Affine) bool {
	return func(f linalg.Affine) bool {
		for v := range f.T {
			if f.Uses(v) && !own[v] && t.variant[t.a.symbols[v]] {
				return false
			}
		}
		return true
	}
}

// class is the class of a scalar with respect to the whole region.
func (t *attempt) class(sym *ir.Symbol) scalar.Class {
	if t.root != nil {
		return t.a.info.Class(t.root, sym)
	}
	if t.a.liveAfter(t.stmt, sym) {
		return scalar.Carried
	}
	return scalar.Private
}

// place finds who executes each assignment: the owners of a distributed left
// side; everybody for a replicated one; whoever needs the value for a scalar or
// an array that is private to the iteration.
func (t *attempt) place() string {
	why := ""
	ir.Walk([]ir.Stmt{t.stmt}, func(s ir.Stmt) bool {
		as, ok := s.(*ir.Assign)
		if !ok || why != "" {
			return why == ""
		}
		if l, ok := as.LHS.(*ir.Ref); ok {
			if t.a.private(l.Sym, t.loopsOf[s]) != nil || t.accumulates(l.Sym) {
				return true
			}
			cons, bad := t.a.owners(l, t.stableOrPicked(s))
			if bad != nil {
				why = fmt.Sprintf("the owner of %s in line %d depends on the subscript %s, which is not affine in the loops' indices", ir.ExprString(l), as.Pos.Line, ir.ExprString(bad))
				return false
			}
			t.placed = append(t.placed, placed{s, cons})
			return true
		}
		sym := ir.Target(as.LHS)
		switch t.class(sym) {
		case scalar.Private, scalar.Reduced, scalar.Located:
		default:
			t.placed = append(t.placed, placed{s, nil})
		}
		return true
	})
	return why
}

// reductions decides which reductions of the root loop are computed in parts.
func (t *attempt) reductions() string {
	if t.root == nil {
		return ""
	}
	for _, r := range t.a.info.Reductions(t.root) {
		by, cons := t.reducer(r)
		if by == nil {
			for _, s := range r.Stmts {
				t.placed = append(t.placed, placed{s, nil})
			}
			continue
		}
		if _, why := t.inParts(r, by, cons); why != "" {
			return why
		}
	}
	for _, l := range t.a.info.Locations(t.root) {
		if why := t.located(l); why != "" {
			return why
		}
	}
	for _, r := range t.arrays {
		by, cons := t.reducer(r)
		if by == nil || !t.sums(r) {
			return fmt.Sprintf("%s is accumulated by every PE", r.Sym.Name)
		}
		if r.Sym.Distributed() && !t.scatters(r) {
			return fmt.Sprintf("the owners of %s accumulate into it", r.Sym.Name)
		}
		for _, s := range r.Starts {
			t.placed = append(t.placed, placed{s, nil})
		}
		red, why := t.inParts(r, by, cons)
		if why != "" {
			return why
		}
		if red.Parted = r.Sym.Distributed(); red.Parted {
			if len(red.Lead) > 0 {
				return fmt.Sprintf("several PEs compute the same parts of %s", r.Sym.Name)
			}
			continue
		}
		red.Starts = r.Starts
		t.section(red)
	}
	return ""
}

// inParts makes r a reduction of partial values that the owners of by compute, or says why
// it cannot.
func (t *attempt) inParts(r scalar.Reduction, by *ir.Ref, cons []Constraint) (red *Reduction, why string) {
	red = &Reduction{Sym: r.Sym, Name: reductionName(r.Op), Line: r.Stmts[0].Position().Line, Lead: copies(by, cons), By: by, Stmts: r.Stmts, at: t.stmt}
	for _, s := range r.Stmts {
		// Every statement must be computed by owners of its own kind of
		// reference; those that have none follow the first, where that has owners.
		sc := cons
		ref, c := t.reducerOf(s, r.Sym)
		switch {
		case c == nil && !t.owned(cons, t.site(s)):
			return nil, fmt.Sprintf("line %d adds to %s in iterations in which %s may not exist", s.Position().Line, r.Sym.Name, ir.ExprString(by))
		case c != nil:
			sc = c
			if r.Op.Counts() && !slices.Equal(copies(ref, c), red.Lead) {
				return nil, fmt.Sprintf("the parts of %s that lines %d and %d compute have different numbers of copies", r.Sym.Name, red.Line, s.Position().Line)
			}
		}
		t.placed = append(t.placed, placed{s, sc})
		t.reduce[s] = red
	}
	t.reduced = append(t.reduced, red)
	return red, ""
}

// copies are the grid dimensions along which PEs compute the same partial values, when
// the owners of ref do that.
func copies(ref *ir.Ref, owners []Constraint) (lead []GridDim) {
	grid := ref.Sym.Mapping.Grid
	covered := map[int]bool{}
	for _, c := range owners {
		covered[c.place().dim] = true
	}
	for d := 0; d < grid.Rank; d++ {
		if !covered[d] {
			lead = append(lead, GridDim{grid, d})
		}
	}
	return lead
}

// sums reports whether elements of the array of r get values from several owners: in s(j) =
// s(j) + a(k,j) over a distributed dimension k, not in s(k) = s(k) + a(k,j), of which
// nothing needs to be combined.
func (t *attempt) sums(r scalar.Reduction) bool {
	many := false
	for _, s := range r.Stmts {
		ref, cons := t.reducerOf(s, r.Sym)
		if ref == nil {
			return false
		}
		for _, c := range cons {
			d := controlling(c, t.loopsOf[s])
			if d == nil {
				continue
			}
			used := false
			for _, sub := range s.(*ir.Assign).LHS.(*ir.Ref).Subs {
				f, ok := t.a.affine(sub)
				used = used || ok && f.Uses(d.Index.Name)
				if !ok && elements(r.Sym) > elements(ref.Sym) {
					return false // any of many elements, for few values
				}
			}
			many = many || !used
		}
	}
	return many
}

// elements is how many elements an array has, or an estimate where bounds are open.
func elements(s *ir.Symbol) int {
	n := 1
	for _, b := range s.Dims {
		n *= b.Nominal()
	}
	return n
}

// section finds the elements of the array of red that the region may change.
func (t *attempt) section(red *Reduction) {
	for _, o := range t.writes {
		if o.ref.Sym != red.Sym {
			continue
		}
		c := &Comm{Array: red.Sym}
		t.needs(c, o)
		if c.Subs != nil {
			c.Axes = nil // of a diagonal, the square around it
			for range red.Sym.Dims {
				c.Axes = append(c.Axes, Axis{All: true})
			}
		}
		for _, x := range c.Ranges {
			x.Cons = nil // of all PEs together
		}
		if key := fmt.Sprint(c.Axes); !slices.ContainsFunc(red.Section, func(have []Axis) bool { return fmt.Sprint(have) == key }) {
			red.Section = append(red.Section, c.Axes)
		}
	}
}

// scalars checks that what a part of the PEs assigns is used by them alone.
func (t *attempt) scalars() string {
	reduced := map[*ir.Symbol]bool{}
	for _, r := range t.reduced {
		reduced[r.Sym] = true
	}
	for s, loops := range t.loopsOf {
		var sym *ir.Symbol
		switch s := s.(type) {
		case *ir.Assign:
			if l, ok := s.LHS.(*ir.Ref); ok {
				if why := t.privateArray(s, l.Sym, loops); why != "" {
					return why
				}
				continue
			}
			sym = ir.Target(s.LHS)
		case *ir.Do:
			sym = s.Index
		default:
			continue
		}
		if reduced[sym] {
			continue
		}
		nested := 0
		for _, l := range loops {
			d, ok := l.(*ir.Do)
			if !ok || !t.region.Shares(d) {
				continue
			}
			nested++
			if c := t.a.info.Class(d, sym); c != scalar.Private {
				return fmt.Sprintf("%s in line %d is carried from one iteration of the loop in line %d to another, or used behind it", sym.Name, s.Position().Line, d.Pos.Line)
			}
		}
		if (len(t.region.Guard) > 0 || nested > 0) && t.a.liveAfter(t.stmt, sym) {
			return fmt.Sprintf("%s in line %d is used behind the region", sym.Name, s.Position().Line)
		}
	}
	// A loop that is left early, and is divided, would end on one PE only.
	why := ""
	ir.Walk([]ir.Stmt{t.stmt}, func(s ir.Stmt) bool {
		if e, ok := s.(*ir.Exit); ok {
			if d, ok := e.Loop.(*ir.Do); ok && t.region.Shares(d) {
				why = fmt.Sprintf("EXIT in line %d ends the loop for all PEs", e.Pos.Line)
			}
			// Leaving an outer loop from inside a divided one.
			for _, l := range t.loopsOf[s] {
				if d, ok := l.(*ir.Do); ok && t.region.Shares(d) && e.Loop != ir.Stmt(d) && !t.contains(d, e.Loop) {
					why = fmt.Sprintf("EXIT in line %d ends the loop for all PEs", e.Pos.Line)
				}
			}
		}
		if c, ok := s.(*ir.Cycle); ok {
			for _, l := range t.loopsOf[s] {
				if d, ok := l.(*ir.Do); ok && t.region.Shares(d) && c.Loop != ir.Stmt(d) && !t.contains(d, c.Loop) {
					why = fmt.Sprintf("CYCLE in line %d ends the loop in line %d for all PEs", c.Pos.Line, d.Pos.Line)
				}
			}
		}
		return why == ""
	})
	return why
}

// contains reports whether loop inner lies inside d.
func (t *attempt) contains(d *ir.Do, inner ir.Stmt) bool {
	for _, l := range t.loopsOf[inner] {
		if l == ir.Stmt(d) {
			return true
		}
	}
	return false
}

func reductionName(op scalar.Op) string {
	return [...]string{scalar.Add: "sum", scalar.Mul: "product", scalar.Max: "max", scalar.Min: "min", scalar.And: "and", scalar.Or: "or"}[op]
}
