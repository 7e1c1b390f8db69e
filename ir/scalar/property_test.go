package scalar_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/spmdc/spmdc/internal/interp"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
)

// generator makes random programs over a few INTEGER scalars.
type generator struct {
	t     *rapid.T
	syms  []*ir.Symbol
	loops []ir.Stmt
	index map[*ir.Symbol]bool // indices of the loops around
	// values adds what decides which values scalars have together.
	values bool
}

func newGenerator(t *rapid.T) *generator {
	g := &generator{t: t, index: map[*ir.Symbol]bool{}}
	for _, name := range []string{"a", "b", "c", "d", "i", "j"} {
		g.syms = append(g.syms, &ir.Symbol{Name: name, Type: ir.Integer})
	}
	return g
}

func (g *generator) program() *ir.Program {
	body := g.block(0)
	for _, s := range g.syms[:2] { // so that something is live at the end
		body = append(body, &ir.Print{Items: []ir.Expr{g.use(s)}})
	}
	return &ir.Program{Name: "p", Symbols: g.syms, Body: body}
}

func (g *generator) pick(n int, what string) int { return rapid.IntRange(0, n-1).Draw(g.t, what) }

func (g *generator) use(s *ir.Symbol) ir.Expr { return &ir.Var{X: ir.X{Typ: ir.Integer}, Sym: s} }

func (g *generator) constant(n int) ir.Expr { return &ir.Const{X: ir.X{Typ: ir.Integer}, Int: n} }

func (g *generator) expr(depth int) ir.Expr {
	if g.values && g.pick(3, "value") == 0 {
		return g.value(depth)
	}
	switch k := g.pick(6, "expr"); {
	case k == 0 || depth > 2:
		return g.constant(g.pick(7, "const") - 3)
	case k < 4:
		return g.use(g.syms[g.pick(len(g.syms), "var")])
	case k == 4:
		op := []ir.Op{ir.Add, ir.Sub, ir.Mul}[g.pick(3, "op")]
		return &ir.Bin{X: ir.X{Typ: ir.Integer}, Op: op, L: g.expr(depth + 1), R: g.expr(depth + 1)}
	}
	return &ir.Un{X: ir.X{Typ: ir.Integer}, Op: []ir.Op{ir.Neg, ir.Group}[g.pick(2, "op")], E: g.expr(depth + 1)}
}

// small is an expression for a loop bound.
func (g *generator) small() ir.Expr { return g.between(g.expr(1)) }

// between is e, but from -3 to 3.
func (g *generator) between(e ir.Expr) ir.Expr {
	e = &ir.Call{X: ir.X{Typ: ir.Integer}, Name: "max", Args: []ir.Expr{e, g.constant(-3)}}
	return &ir.Call{X: ir.X{Typ: ir.Integer}, Name: "min", Args: []ir.Expr{e, g.constant(3)}}
}

func (g *generator) cond() ir.Expr {
	if g.values && g.pick(3, "condition") > 0 {
		return g.condition(0)
	}
	return g.compare(g.expr(1), g.expr(1))
}

func (g *generator) compare(l, r ir.Expr) ir.Expr {
	op := []ir.Op{ir.Lt, ir.Gt}[g.pick(2, "cmp")]
	return &ir.Bin{X: ir.X{Typ: ir.Logical}, Op: op, L: l, R: r}
}

// target is a variable that may be assigned to.
func (g *generator) target() *ir.Symbol {
	for {
		if s := g.syms[g.pick(len(g.syms), "target")]; !g.index[s] {
			return s
		}
	}
}

func (g *generator) block(depth int) []ir.Stmt {
	var body []ir.Stmt
	for range 1 + g.pick(4, "length") {
		body = append(body, g.stmt(depth))
	}
	return body
}

func (g *generator) stmt(depth int) ir.Stmt {
	k := g.pick(14, "stmt")
	if g.values && g.pick(3, "set") == 0 {
		return g.set()
	}
	switch {
	case depth < 3 && k == 0:
		return &ir.If{Cond: g.cond(), Then: g.block(depth + 1), Else: g.block(depth + 1)}
	case depth < 3 && (k == 1 || k == 2):
		if d := g.do(depth); d != nil {
			return d
		}
	case depth < 3 && k == 3:
		w := &ir.While{Cond: g.cond()}
		g.loops = append(g.loops, w)
		w.Body = g.block(depth + 1)
		g.loops = g.loops[:len(g.loops)-1]
		return w
	case k == 4 && len(g.loops) > 0:
		loop := g.loops[g.pick(len(g.loops), "loop")]
		jump := ir.Stmt(&ir.Exit{Loop: loop})
		if g.pick(2, "jump") == 0 {
			jump = &ir.Cycle{Loop: loop}
		}
		return &ir.If{Cond: g.cond(), Then: []ir.Stmt{jump}}
	case k == 5:
		return &ir.Print{Items: []ir.Expr{g.expr(0)}}
	case k < 9: // material for reductions
		return g.accumulate()
	}
	return &ir.Assign{LHS: g.use(g.target()), RHS: g.expr(0)}
}

func (g *generator) do(depth int) ir.Stmt {
	index := g.syms[4+g.pick(2, "index")]
	if g.index[index] {
		return nil
	}
	d := &ir.Do{Index: index, Lo: g.small(), Hi: g.small(), Step: g.constant([]int{1, 2, -1}[g.pick(3, "step")])}
	if g.pick(2, "constant bounds") == 0 {
		d.Lo, d.Hi = g.constant(1), g.constant(2)
	}
	g.loops = append(g.loops, d)
	g.index[index] = true
	d.Body = g.block(depth + 1)
	s := g.target()
	g.index[index] = false
	g.loops = g.loops[:len(g.loops)-1]
	if g.pick(4, "bound and accumulator") == 0 {
		d.Hi = g.between(g.use(s))
		d.Body = []ir.Stmt{g.accumulateInto(s)}
		if g.pick(2, "guard") == 0 {
			return &ir.If{Cond: g.compare(g.use(s), g.constant(2)), Then: []ir.Stmt{d}}
		}
	}
	return d
}

// accumulate is s = s op e, or if (e > s) s = e.
func (g *generator) accumulate() ir.Stmt { return g.accumulateInto(g.target()) }

func (g *generator) accumulateInto(s *ir.Symbol) ir.Stmt {
	e := g.expr(1)
	at := ir.X{Typ: ir.Integer}
	switch g.pick(5, "accumulate") {
	case 0:
		return &ir.Assign{LHS: g.use(s), RHS: &ir.Bin{X: at, Op: ir.Add, L: g.use(s), R: e}}
	case 1:
		return &ir.Assign{LHS: g.use(s), RHS: &ir.Bin{X: at, Op: ir.Sub, L: g.use(s), R: e}}
	case 2:
		return &ir.Assign{LHS: g.use(s), RHS: &ir.Bin{X: at, Op: ir.Mul, L: e, R: g.use(s)}}
	case 3:
		return &ir.Assign{LHS: g.use(s), RHS: &ir.Call{X: at, Name: []string{"max", "min"}[g.pick(2, "f")], Args: []ir.Expr{g.use(s), e}}}
	}
	op := []ir.Op{ir.Lt, ir.Gt}[g.pick(2, "cmp")]
	cond := &ir.Bin{X: ir.X{Typ: ir.Logical}, Op: op, L: e, R: g.use(s)}
	return &ir.If{Cond: cond, Then: []ir.Stmt{&ir.Assign{LHS: g.use(s), RHS: ir.Clone(e)}}}
}

// manyPrograms checks a property of 1500 random programs.
func manyPrograms(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	for range 15 {
		if rapid.Check(t, property); t.Failed() {
			return
		}
	}
}

// fresh is a machine with initial values for all scalars of p.
func fresh(p *ir.Program) *interp.Machine {
	m := interp.New(p, 1, 3000)
	for k, s := range p.Symbols {
		m.Values[s] = float64(k - 2)
	}
	return m
}

// garbage is what a value is set to where nothing may depend on it: undefined.
var garbage = math.NaN()

// same fails unless p prints the same on both machines, if it can be executed on the first.
func same(rt *rapid.T, p *ir.Program, want, m *interp.Machine) {
	if failed := want.Run(); failed != "" {
		rt.Skip(failed)
	}
	switch failed := m.Run(); {
	case failed == interp.TooLarge:
		rt.Skip(failed)
	case failed != "" || !slices.EqualFunc(m.Out, want.Out, equal):
		rt.Fatalf("output %v, want %v %s\n%s\n%s", m.Out, want.Out, failed, text(p), facts(p, scalar.Analyze(p)))
	}
}

// equal compares output; a partial sum that begins with 0 has no -0.
func equal(a, b string) bool {
	zero := func(fields []string) []string {
		for i, f := range fields {
			if f == "-0" {
				fields[i] = "0"
			}
		}
		return fields
	}
	return slices.Equal(zero(strings.Fields(a)), zero(strings.Fields(b)))
}

// loops is f for DO loops.
func loops(f func(d *ir.Do, begin bool)) func(ir.Stmt, bool) {
	return func(s ir.Stmt, begin bool) {
		if d, ok := s.(*ir.Do); ok {
			f(d, begin)
		}
	}
}

func text(p *ir.Program) string {
	var b strings.Builder
	_ = ir.Fprint(&b, p)
	return b.String()
}

// TestAffineHolds runs random programs and checks, at every evaluation of an
// expression with an affine form, that the form has the value; and in every
// iteration of a loop, that the forms of its bounds have kept theirs.
func TestAffineHolds(t *testing.T) {
	checked, substituted, rounded, rounding := 0, 0, 0, 0
	manyPrograms(t, func(rt *rapid.T) {
		g := newGenerator(rt)
		g.values = rapid.Bool().Draw(rt, "remainders")
		p := g.program()
		info := scalar.Analyze(p)
		byName := map[string]*ir.Symbol{}
		for _, s := range p.Symbols {
			byName[s.Name] = s
		}
		m := fresh(p)
		at := func(name string) int64 { return int64(m.Values[byName[name]]) }
		inexact := false // a value was too large for the machine, which computes in floating point
		m.Evaluated = func(e ir.Expr, v float64) {
			inexact = inexact || math.Abs(v) >= 1<<53
			if e.Type() != ir.Integer || inexact {
				return
			}
			value := int(v)
			if form, ok := info.Rounded(e); ok {
				if got, ok := info.Quotients().Eval(form, at); ok && got != int64(value) {
					rt.Fatalf("%s is %d, its form %s is %d\n%s", ir.ExprString(e), value, form, got, text(p))
				}
				rounded++
				if v, isVar := e.(*ir.Var); isVar && !form.Uses(v.Sym.Name) {
					rounding++
				}
			}
			form, ok := info.Affine(e)
			if !ok {
				return
			}
			if got, ok := form.Eval(at); ok && got != int64(value) {
				rt.Fatalf("%s is %d, its form %s is %d\n%s", ir.ExprString(e), value, form, got, text(p))
			}
			checked++
			if v, isVar := e.(*ir.Var); isVar && !form.Uses(v.Sym.Name) {
				substituted++
			}
		}
		bounds := func(d *ir.Do) string {
			text := ""
			for _, b := range []scalar.LoopBounds{info.Bounds(d), info.RoundedBounds(d)} {
				lo, _ := info.Quotients().Eval(b.Lo, at)
				hi, _ := info.Quotients().Eval(b.Hi, at)
				text += fmt.Sprint(b.LoOK, lo, b.HiOK, hi, " ")
			}
			return text
		}
		var entry []string
		m.Loop = loops(func(d *ir.Do, begin bool) {
			if begin {
				entry = append(entry, bounds(d))
			} else {
				entry = entry[:len(entry)-1]
			}
		})
		m.Iteration = loops(func(d *ir.Do, _ bool) {
			if got := bounds(d); got != entry[len(entry)-1] {
				rt.Fatalf("the bounds of the loop over %s change from %s to %s\n%s", d.Index.Name, entry[len(entry)-1], got, text(p))
			}
		})
		m.Run()
	})
	if checked < 1000 || substituted < 100 || rounded < 500 || rounding < 5 && !testing.Short() {
		t.Errorf("only %d forms checked, %d substitutions; %d with quotients, %d of these substituted", checked, substituted, rounded, rounding)
	}
}

// TestDeadValuesDoNotMatter overwrites every scalar where LiveAfter says that
// nobody uses it; the output stays.
func TestDeadValuesDoNotMatter(t *testing.T) {
	dead := 0
	manyPrograms(t, func(rt *rapid.T) {
		p := newGenerator(rt).program()
		info := scalar.Analyze(p)
		m := fresh(p)
		m.Behind = func(s ir.Stmt) {
			for _, sym := range p.Symbols {
				if !info.LiveAfter(s, sym) {
					m.Values[sym] = garbage
					dead++
				}
			}
		}
		same(rt, p, fresh(p), m)
	})
	if dead < 1000 {
		t.Errorf("only %d dead values", dead)
	}
}

// TestClasses runs random programs as if the iterations of every loop were
// executed apart, each by another who first sets what it accumulates into: private
// scalars begin each iteration with garbage, reductions begin the loop, before its
// bounds are evaluated, and each iteration with the identity of their operator, and
// are combined at the end of the iteration. The output stays.
func TestClasses(t *testing.T) {
	seen := map[string]int{}
	manyPrograms(t, func(rt *rapid.T) {
		p := newGenerator(rt).program()
		info := scalar.Analyze(p)
		m := fresh(p)
		apart(m, p, info, seen)
		same(rt, p, fresh(p), m)
	})
	for _, class := range []string{"private", "private, last value live", "carried", "carried, and a bound", "invariant", "reduction +", "reduction *", "reduction max", "reduction min"} {
		if seen[class] < 10 && !testing.Short() { // few programs need not have all
			t.Errorf("class %s occurred %d times", class, seen[class])
		}
	}
}

// apart makes m execute iterations apart.
func apart(m *interp.Machine, p *ir.Program, info *scalar.Info, seen map[string]int) {
	var totals []map[*ir.Symbol]float64 // per loop around: the reductions so far
	m.Loop = loops(func(d *ir.Do, begin bool) {
		if !begin {
			for sym, total := range totals[len(totals)-1] {
				m.Values[sym] = total
			}
			totals = totals[:len(totals)-1]
			for _, sym := range p.Symbols {
				if info.Class(d, sym) == scalar.Private {
					m.Values[sym] = garbage
				}
			}
			return
		}
		top := map[*ir.Symbol]float64{}
		totals = append(totals, top)
		for _, sym := range p.Symbols {
			name := info.Class(d, sym).String()
			if r, ok := info.ReductionOf(d, sym); ok {
				name += " " + r.Op.String()
				top[sym] = m.Values[sym]
				m.Values[sym] = identity[r.Op]
			} else if name == "carried" && boundOf(d, sym) {
				name = "carried, and a bound"
			}
			seen[name]++
		}
	})
	m.Iteration = loops(func(d *ir.Do, begin bool) {
		top := totals[len(totals)-1]
		for _, sym := range p.Symbols {
			switch class := info.Class(d, sym); {
			case sym == d.Index || class == scalar.Invariant || class == scalar.Carried || class == scalar.Located:
			case class == scalar.Reduced && begin:
				r, _ := info.ReductionOf(d, sym)
				m.Values[sym] = identity[r.Op]
			case class == scalar.Reduced:
				r, _ := info.ReductionOf(d, sym)
				top[sym] = combine(r.Op, top[sym], m.Values[sym])
			case begin:
				m.Values[sym] = garbage
			}
		}
	})
}

// boundOf reports whether a bound of d reads sym.
func boundOf(d *ir.Do, sym *ir.Symbol) bool {
	return ir.Mentions(d.Lo, sym) || ir.Mentions(d.Hi, sym) || ir.Mentions(d.Step, sym)
}

var identity = map[scalar.Op]float64{scalar.Add: 0, scalar.Mul: 1, scalar.Max: -1 << 53, scalar.Min: 1 << 53}

func combine(op scalar.Op, x, y float64) float64 {
	switch op {
	case scalar.Add:
		return x + y
	case scalar.Mul:
		return x * y
	case scalar.Max:
		return max(x, y)
	}
	return min(x, y)
}

// TestModified: what a statement changes is in its set.
func TestModified(t *testing.T) {
	manyPrograms(t, func(rt *rapid.T) {
		p := newGenerator(rt).program()
		info := scalar.Analyze(p)
		m := fresh(p)
		before := []map[*ir.Symbol]float64{}
		m.Loop = loops(func(d *ir.Do, begin bool) {
			if begin {
				before = append(before, maps.Clone(m.Values))
				return
			}
			for _, sym := range p.Symbols {
				if m.Values[sym] != before[len(before)-1][sym] && !info.Modified(d)[sym] {
					rt.Fatalf("the loop over %s changes %s\n%s", d.Index.Name, sym.Name, text(p))
				}
			}
			before = before[:len(before)-1]
		})
		m.Run()
	})
}
