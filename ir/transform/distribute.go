package transform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
)

// Limits on the loops that Distribute looks at: the statements of the body, and
// the pairs of array elements that go through the dependence tests.
const (
	maxParts = 64
	maxPairs = 2000
)

// Distribute splits loop into several loops over the same iterations, each with
// a part of its body, so that statements of different owners come apart.
//
// Statements stay in one loop where a dependence that the loop carries, or a
// scalar that holds a value from one to the other, ties them; a private scalar
// whose value can be computed anywhere is computed in each loop that uses it.
// What may come apart is put together again, in the manner of Kennedy and
// McKinley's typed fusion, into as few loops as possible, each of statements
// of the same owners whose communications need no loop of their own.
func (a *Analysis) Distribute(loop *ir.Do) (*Change, error) {
	if err := a.distributable(loop); err != nil {
		return nil, err
	}
	d := a.distribution(loop, nil)
	groups, err := d.groups()
	if err != nil {
		return nil, err
	}
	if len(groups) < 2 {
		return nil, d.whyTogether()
	}
	return d.change(Distribute, groups), nil
}

// distribution prepares to distribute loop, with some reductions in it expanded.
func (a *Analysis) distribution(loop *ir.Do, list []*expansion) *distribution {
	d := &distribution{a: a, loop: loop, free: map[int][]int{}}
	for _, s := range loop.Body {
		d.from = append(d.from, len(d.parts))
		d.parts = append(d.parts, part{stmt: s})
		for _, x := range list {
			if ir.Stmt(x.loop) == s {
				at := len(d.parts) - 1
				d.parts[at].sums = append(d.parts[at].sums, x)
			}
		}
		for _, x := range d.parts[len(d.parts)-1].sums {
			d.parts = append(d.parts, part{stmt: x.total, totals: x})
		}
	}
	d.n = len(d.parts)
	d.ties = make([][]string, d.n)
	d.apart = make([][]bool, d.n)
	for i := range d.ties {
		d.ties[i] = make([]string, d.n)
		d.apart[i] = make([]bool, d.n)
	}
	for i, p := range d.parts {
		d.kinds = append(d.kinds, a.kind(p.stmt, loop))
		for n := range p.sums {
			d.tie(i, i+1+n, "partial values come before their sum")
			d.apart[i][i+1+n] = true // of all PEs
		}
	}
	return d
}

// groups are the loops into which the parts go.
func (d *distribution) groups() ([][]component, error) {
	d.scalars()
	if err := d.arrays(); err != nil {
		return nil, err
	}
	return d.fuse(d.components()), nil
}

// distributable refuses loops whose iterations must run one after another
// whatever the data are.
func (a *Analysis) distributable(loop *ir.Do) error {
	switch {
	case len(loop.Body) < 2:
		return refuse("its body is one statement")
	case len(loop.Body) > maxParts:
		return refuse("its body has %d statements; the limit is %d", len(loop.Body), maxParts)
	}
	if err := inOrder(loop.Body); err != nil {
		return err
	}
	return cheapBounds(loop)
}

// inOrder refuses a body of which statements are executed in the order of the source whatever
// the data are, as they read or print, or end the program or a loop around. Jumps to the
// loops in own do not.
func inOrder(body []ir.Stmt, own ...ir.Stmt) error {
	var why error
	inside := map[ir.Stmt]bool{}
	for _, s := range own {
		inside[s] = true
	}
	ir.Walk(body, func(s ir.Stmt) bool {
		if why != nil {
			return false
		}
		line := s.Position().Line
		switch s := s.(type) {
		case *ir.Exit:
			if !inside[s.Loop] {
				why = refuse("EXIT in line %d ends it", line)
			}
		case *ir.Cycle:
			if !inside[s.Loop] {
				why = refuse("CYCLE in line %d skips statements", line)
			}
		case *ir.Print:
			why = refuse("the records of PRINT in line %d come in the order of iterations", line)
		case *ir.Read:
			why = refuse("the records of READ in line %d come in the order of iterations", line)
		case *ir.Stop:
			why = refuse("STOP in line %d ends the program between iterations", line)
		case *ir.Allocate:
			why = refuse("ALLOCATE or DEALLOCATE in line %d is executed by all PEs", line)
		case *ir.Checkpoint:
			why = refuse("the checkpoint in line %d lies between iterations", line)
		case *ir.Do, *ir.While:
			inside[s] = true
		}
		return why == nil
	})
	return why
}

// part is a statement of the body of a loop that is distributed.
type part struct {
	stmt ir.Stmt
	// Of a loop inside: the reductions in it whose partial values get an array element
	// for each iteration, if they are used in another loop.
	sums []*expansion
	// The part is not in the source: it takes the value of such a reduction.
	totals *expansion
}

// exposes reports whether p may use a value of scalar sym that it did not assign itself.
func (p part) exposes(sym *ir.Symbol) bool { return !p.expands(sym) && exposes(p.stmt, sym) }

// assigns reports whether p surely assigns sym.
func (p part) assigns(sym *ir.Symbol) bool { return !p.expands(sym) && surelyAssigns(p.stmt, sym) }

// mentions reports whether p uses or assigns sym.
func (p part) mentions(sym *ir.Symbol) bool { return !p.expands(sym) && mentions(p.stmt, sym) }

// expands reports whether p accumulates into elements of an array what the source
// accumulates into sym.
func (p part) expands(sym *ir.Symbol) bool {
	return slices.ContainsFunc(p.sums, func(x *expansion) bool { return x.sym == sym })
}

// distribution is the work of Distribute. Parts are known by index.
type distribution struct {
	a     *Analysis
	loop  *ir.Do
	n     int
	parts []part
	from  []int // the part of each statement of the body
	// ties[i][j], when not empty, is why part i must be in the loop of part j or
	// in an earlier one.
	ties [][]string
	// apart[i][j]: part j reads what part i writes on other PEs: in one loop they
	// would exchange elements, or reduce them; part i does so alone if j is i.
	apart [][]bool
	kinds []string
	// free are the parts that compute private scalars anywhere. Each loop that
	// needs one computes it; uses[j] are the free parts that part j needs.
	free map[int][]int
	uses map[int][]int
}

func (d *distribution) tie(i, j int, why string) {
	if i != j && d.ties[i][j] == "" {
		d.ties[i][j] = why
	}
}

func (d *distribution) together(parts []int, why string) {
	for k := 1; k < len(parts); k++ {
		d.tie(parts[k-1], parts[k], why)
		d.tie(parts[k], parts[k-1], why)
	}
}

// line is where part i begins.
func (d *distribution) line(i int) int { return d.parts[i].stmt.Position().Line }

// movable reports whether s assigns a scalar a value that is the same wherever
// in the iteration, and in whichever of the loops, it is computed, as long as
// the private scalars that it uses are: it reads no array that the loop writes.
func (d *distribution) movable(s ir.Stmt) bool {
	as, ok := s.(*ir.Assign)
	if !ok {
		return false
	}
	v, ok := as.LHS.(*ir.Var)
	if !ok || d.a.info.Class(d.loop, v.Sym) != scalar.Private {
		return false
	}
	changed := d.a.info.Modified(d.loop)
	for _, r := range ir.ExprRefs(as.RHS) {
		if changed[r.Sym] {
			return false
		}
	}
	return true
}

// arrays ties the parts between which array elements carry values.
func (d *distribution) arrays() error {
	occs := d.a.occurrences(d.loop)
	for i := range occs {
		occs[i].part = d.from[occs[i].part]
	}
	written := map[*ir.Symbol]bool{}
	for _, o := range occs {
		if o.write {
			written[o.ref.Sym] = true
		}
	}
	if in := d.loop.Independent; in != nil {
		for _, sym := range in.New {
			var parts []int
			for _, o := range occs {
				if o.ref.Sym == sym && !slices.Contains(parts, o.part) {
					parts = append(parts, o.part)
				}
			}
			d.together(parts, fmt.Sprintf("%s has a value of its own in each iteration", sym.Name))
		}
	}
	pairs := 0
	for _, x := range occs {
		for _, y := range occs {
			if x.ref.Sym != y.ref.Sym || !written[x.ref.Sym] || !x.write && !y.write {
				continue
			}
			// What a part does to itself matters only if it sends elements on the way.
			if x.part == y.part && (!x.write || y.write || !d.fetched(y)) {
				continue
			}
			if pairs++; pairs > maxPairs {
				return refuse("it has more than %d pairs of references to test", maxPairs)
			}
			if found, why := d.a.dependence(x, y, d.loop); found {
				d.tie(x.part, y.part, fmt.Sprintf("%s in line %d and %s in line %d: %s",
					ir.ExprString(x.ref), x.stmt.Position().Line, ir.ExprString(y.ref), y.stmt.Position().Line, why))
				if x.write && !y.write && d.fetched(y) {
					d.apart[x.part][y.part] = true
				}
			}
		}
	}
	return nil
}

// fetched reports whether the element that o reads may lie on another PE than
// the one that executes the statement.
func (d *distribution) fetched(o occurrence) bool {
	if !o.ref.Sym.Distributed() {
		return false
	}
	outer, all := d.a.positions(o.ref, o.stmt, d.loop)
	if as, ok := o.stmt.(*ir.Assign); ok {
		if l, ok := as.LHS.(*ir.Ref); ok && l.Sym.Distributed() {
			_, at := d.a.positions(l, o.stmt, d.loop)
			return at != all
		}
	}
	return outer != d.kinds[o.part]
}

// whyTogether is the refusal when one loop is left: what leads back from a
// statement to one before it, if anything does.
func (d *distribution) whyTogether() error {
	for i := range d.n {
		for j := range i {
			if d.ties[i][j] != "" {
				return refuse("lines %d and %d stay together: %s", d.line(j), d.line(i), d.ties[i][j])
			}
		}
	}
	return refuse("all its statements have the same owners")
}

// change writes the loops.
func (d *distribution) change(kind Kind, groups [][]component) *Change {
	c := &Change{Kind: kind, Old: d.loop}
	var texts []string
	for _, g := range groups {
		in := map[int]bool{}
		var add func(i int)
		add = func(i int) {
			in[i] = true
			for _, f := range d.uses[i] {
				add(f)
			}
		}
		for _, comp := range g {
			for _, i := range comp.parts {
				add(i)
			}
		}
		var lines []int
		cp := ir.NewCopier()
		c.New = append(c.New, cp.Do(d.loop, func(body []ir.Stmt) []ir.Stmt {
			var out []ir.Stmt
			for k, s := range body {
				i := d.from[k]
				if in[i] {
					out = append(out, d.parts[i].copies(cp, in, i)...)
					lines = append(lines, leaves(s)...)
					for n, x := range d.parts[i].sums {
						if !in[i+1+n] {
							c.Symbols = append(c.Symbols, x.array)
						}
					}
				}
				for x := range d.parts[i].sums {
					if total := d.parts[i+1+x]; in[i+1+x] && !in[i] {
						out = append(out, cp.Stmt(total.stmt))
					}
				}
			}
			return out
		}))
		texts = append(texts, ranges(lines))
	}
	c.What = fmt.Sprintf("into %d loops, of lines %s", len(groups), strings.Join(texts, " | "))
	return c
}

// leaves are the lines of the statements in s that are no loops and no IFs.
func leaves(s ir.Stmt) []int {
	var lines []int
	ir.Walk([]ir.Stmt{s}, func(s ir.Stmt) bool {
		if len(ir.Bodies(s)) == 0 {
			lines = append(lines, s.Position().Line)
		}
		return true
	})
	return lines
}

// ranges writes line numbers, as "3-5, 7".
func ranges(lines []int) string {
	slices.Sort(lines)
	lines = slices.Compact(lines)
	var parts []string
	for i := 0; i < len(lines); {
		j := i
		for j+1 < len(lines) && lines[j+1] == lines[j]+1 {
			j++
		}
		switch {
		case j > i:
			parts = append(parts, fmt.Sprintf("%d-%d", lines[i], lines[j]))
		default:
			parts = append(parts, fmt.Sprint(lines[i]))
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}
