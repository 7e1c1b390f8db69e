package scalar_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/depend"
	"github.com/spmdc/spmdc/ir/internal/irtest"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

func (g *generator) call(name string, args ...ir.Expr) ir.Expr {
	return &ir.Call{X: ir.X{Typ: ir.Integer}, Name: name, Args: args}
}

// value is an expression of few values, as the numbers of planes are.
func (g *generator) value(depth int) ir.Expr {
	inner := g.use(g.syms[g.pick(len(g.syms), "var")])
	if depth < 2 && g.pick(2, "nested") == 0 {
		inner = g.expr(depth + 1)
	}
	switch g.pick(8, "value of") {
	case 0:
		return g.call("mod", inner, g.constant(2+g.pick(3, "by")))
	case 1:
		return g.call("modulo", inner, g.constant(2+g.pick(3, "by")))
	case 2:
		return g.call("merge", g.constant(1), g.constant(2), g.condition(1))
	case 3:
		return g.call("ieor", inner, g.constant(3))
	case 4:
		return g.call("abs", inner)
	case 5:
		return &ir.Bin{X: ir.X{Typ: ir.Integer}, Op: ir.Div, L: inner, R: g.constant(2)}
	case 6:
		return g.call("iand", inner, g.constant([]int{1, 3, 5}[g.pick(3, "mask")]))
	}
	return &ir.Bin{X: ir.X{Typ: ir.Integer}, Op: ir.Sub, L: g.constant(3), R: inner}
}

// condition is one that few values satisfy.
func (g *generator) condition(depth int) ir.Expr {
	at := ir.X{Typ: ir.Logical}
	if depth < 2 {
		switch g.pick(5, "joined") {
		case 0:
			return &ir.Bin{X: at, Op: ir.And, L: g.condition(depth + 1), R: g.condition(depth + 1)}
		case 1:
			return &ir.Bin{X: at, Op: ir.Or, L: g.condition(depth + 1), R: g.condition(depth + 1)}
		case 2:
			return &ir.Un{X: at, Op: ir.Not, E: g.condition(depth + 1)}
		}
	}
	ops := []ir.Op{ir.Eq, ir.Eq, ir.Ne, ir.Le, ir.Ge, ir.Lt}
	return &ir.Bin{X: at, Op: ops[g.pick(len(ops), "op")], L: g.use(g.syms[g.pick(len(g.syms), "var")]), R: g.expr(2)}
}

// set gives scalars few values: constants, an exchange of two, the other of two, or one
// of the input, which may be refused.
func (g *generator) set() ir.Stmt {
	assign := func(s *ir.Symbol, e ir.Expr) ir.Stmt { return &ir.Assign{LHS: g.use(s), RHS: e} }
	a, b, c := g.target(), g.target(), g.target()
	always := &ir.Const{X: ir.X{Typ: ir.Logical}, Bool: true} // a block of several statements
	switch g.pick(6, "how") {
	case 0:
		return assign(a, g.constant(1+g.pick(2, "plane")))
	case 1:
		return assign(a, &ir.Bin{X: ir.X{Typ: ir.Integer}, Op: ir.Sub, L: g.constant(3), R: g.use(b)})
	case 2:
		return &ir.If{Cond: always, Then: []ir.Stmt{assign(c, g.use(a)), assign(a, g.use(b)), assign(b, g.use(c))}}
	case 3:
		return &ir.If{Cond: g.condition(1), Then: []ir.Stmt{assign(a, g.constant(2))}, Else: []ir.Stmt{assign(a, g.constant(1))}}
	case 4:
		return &ir.Read{Items: []*ir.Var{g.use(a).(*ir.Var)}}
	}
	return &ir.If{Cond: g.condition(1), Then: []ir.Stmt{&ir.Stop{}}}
}

// holds reports whether all forms of a case can be 0 at once with values at.
func holds(forms []linalg.Affine, byName map[string]*ir.Symbol, at func(string) int64) bool {
	holds := true
	for _, f := range forms {
		rest, modulus := f.C, int64(0)
		for _, v := range f.Vars() {
			if byName[v] != nil {
				rest += f.Coef(v) * at(v)
			} else {
				modulus = f.Coef(v)
			}
		}
		switch modulus {
		case 0:
			holds = holds && rest == 0
		default:
			holds = holds && rest%modulus == 0
		}
	}
	return holds
}

// TestCasesHold runs random programs and checks, before each statement, that the values
// of each two or three scalars are among those that the analysis gives them.
func TestCasesHold(t *testing.T) {
	checked, apart, sets := 0, 0, 0
	property := func(rt *rapid.T) {
		g := newGenerator(rt)
		g.values = true
		p := g.program()
		p.Body = slices.Concat([]ir.Stmt{
			&ir.Assign{LHS: g.use(g.syms[0]), RHS: g.constant(1)}, &ir.Assign{LHS: g.use(g.syms[1]), RHS: g.constant(2)},
		}, p.Body)
		info := scalar.Analyze(p)
		byName := map[string]*ir.Symbol{}
		for _, s := range p.Symbols {
			byName[s.Name] = s
		}
		m := fresh(p)
		input := float64(g.pick(5, "input"))
		m.Input = func() float64 { input += 3; return input - 3 }
		at := func(name string) int64 { return int64(m.Values[byName[name]]) }
		type query struct {
			s ir.Stmt
			k int
		}
		answers := map[query][][]linalg.Affine{}
		m.Before = func(s ir.Stmt) {
			for k, names := range [][]string{{"a", "b"}, {"a", "c", "i"}, {"d", "b"}} {
				cases, asked := answers[query{s, k}]
				if !asked {
					cases = info.Cases(s, names)
					answers[query{s, k}] = cases
				}
				if cases == nil {
					continue
				}
				checked++
				if !slices.ContainsFunc(cases, func(forms []linalg.Affine) bool { return holds(forms, byName, at) }) {
					rt.Fatalf("before %s in line %d %v are %v: none of %v\n%s", ir.StmtString(s), s.Position().Line, names, m.Values, cases, text(p))
				}
				if len(cases) > 1 {
					sets++
				}
				if !asked && len(names) == 2 && !slices.ContainsFunc(cases, func(forms []linalg.Affine) bool {
					equal, _ := linalg.Var(names[0]).Sub(linalg.Var(names[1]))
					return !depend.Infeasible(slices.Concat(forms, []linalg.Affine{equal}), nil)
				}) {
					apart++
				}
			}
		}
		m.Run()
	}
	enough := func() bool { return checked >= 10000 && sets >= 1000 && apart >= 100 }
	for round := 0; round < 4 || round < 16 && !enough(); round++ { // some rounds have small programs
		if rapid.Check(t, property); t.Failed() {
			return
		}
	}
	t.Logf("%d checks, %d of several cases, %d places where two scalars differ", checked, sets, apart)
	if !enough() {
		t.Errorf("only %d checks, %d of several cases, %d places where two scalars differ", checked, sets, apart)
	}
}

// TestCases: what is known where, in programs as people write them.
func TestCases(t *testing.T) {
	const planes = "program p\ninteger a, b, c, k, t, n\nlogical l\n%s\nend program\n"
	for name, c := range map[string]struct{ body, want string }{
		"the other":          {"a = 1\ndo t = 1, n\nb = 3 - a\nprint *, a\na = b\nend do", "a=1 b=2|a=2 b=1"},
		"exchanged":          {"a = 1\nb = 2\ndo t = 1, n\nprint *, a\nc = a\na = b\nb = c\nend do", "a=1 b=2|a=2 b=1"},
		"exchanged at times": {"a = 1\nb = 2\ndo t = 1, n\nprint *, a\nif (mod(t, 3) == 0) cycle\nc = a\na = b\nb = c\nend do", "a=1 b=2|a=2 b=1"},
		"flipped":            {"a = 1\nb = 2\ndo t = 1, n\nprint *, a\na = 3 - a\nb = 3 - b\nend do", "a=1 b=2|a=2 b=1"},
		"half flipped":       {"a = 1\nb = 2\ndo t = 1, n\nprint *, a\nif (t == 4) exit\na = 3 - a\nif (t == n) cycle\nb = 3 - b\nend do", "a=1 b=1|a=1 b=2|a=2 b=1|a=2 b=2"},
		"by remainders":      {"do t = 1, n\na = mod(t, 2) + 1\nb = mod(t + 1, 2) + 1\nprint *, a\nend do", "a=0 b=1|a=1 b=0|a=1 b=2|a=2 b=1"},
		"by modulo":          {"do t = 1, n\na = modulo(t, 3) + 1\nb = modulo(t + 1, 3) + 1\nprint *, a\nend do", "a=1 b=2|a=2 b=3|a=3 b=1"},
		"by an IF":           {"read *, a\nif (a == 1) then\nb = 2\nelse\nb = 1\na = 2\nend if\nprint *, a", "a=1 b=2|a=2 b=1"},
		"of the input":       {"read *, a\nif (a /= 1 .and. a /= 2) stop\nb = 3 - a\nprint *, a", "a=1 b=2|a=2 b=1"},
		"of any input":       {"read *, a\nb = 3 - a\nprint *, a", "a=even b=odd|a=odd b=even"},
		"three":              {"a = 1\nb = 2\nk = 3\ndo while (l)\nprint *, a\nc = a\na = b\nb = k\nk = c\nend do", "a=1 b=2|a=2 b=3|a=3 b=1"},
		"left by an inner":   {"a = 1\nb = 2\nouter: do t = 1, n\nprint *, a\ndo k = 1, 4\nc = a\na = b\nb = c\nif (k == t) cycle outer\nend do\na = 1\nb = 2\nend do outer", "a=1 b=2|a=2 b=1"},
		"merged":             {"a = 2\ndo t = 1, n\na = merge(2, 1, a == 1)\nb = ieor(a, 3)\nprint *, a\nend do", "a=1 b=2|a=2 b=1"},
		"counted":            {"a = 0\nb = 1\ndo t = 1, n\nprint *, a\na = a + 1\nb = b + 3\nend do", "a=even b=odd|a=odd b=even"},
		"counted and read":   {"a = 0\nb = 1\ndo t = 1, n\nprint *, a\na = a + 1\nread *, b\nend do", "a=even|a=even b=1|a=odd"},
		"at least once":      {"do t = 1, 4\na = 1\nb = 2\nend do\nprint *, a", "a=1 b=2"},
		"perhaps never":      {"do t = 1, n\na = 1\nb = 2\nend do\nprint *, a", ""},
		"never set":          {"print *, a", ""},
		"an index":           {"do a = 1, 9, 2\nb = 2*k\nprint *, a\nend do", "a=odd b=even"},
		"inside of an IF":    {"a = 1\nb = 2\nif (l) then\nif (n == 2) then\nprint *, a\nend if\nend if", "a=1 b=2"},
		"half":               {"read *, k\na = k/2\nb = a + 1\nprint *, a", "a=even b=odd|a=odd b=even"},
	} {
		p := irtest.Program(t, fmt.Sprintf(planes, c.body))
		info := scalar.Analyze(p)
		got := "no print"
		ir.Walk(p.Body, func(s ir.Stmt) bool {
			if _, ok := s.(*ir.Print); ok {
				got = caseText(info.Cases(s, []string{"a", "b"}))
			}
			return true
		})
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func caseText(cases [][]linalg.Affine) string {
	var list []string
	for _, forms := range cases {
		text := ""
		for _, f := range forms {
			value := fmt.Sprint(-f.C)
			name := ""
			for _, v := range f.Vars() {
				if len(v) == 1 {
					name = v
				} else if f.Coef(v) == -2 {
					value = [...]string{"even", "odd"}[-f.C&1]
				} else {
					value = fmt.Sprintf("%d mod %d", -f.C, -f.Coef(v))
				}
			}
			text += " " + name + "=" + value
		}
		list = append(list, text[1:])
	}
	slices.Sort(list)
	out := ""
	for i, s := range list {
		if i > 0 {
			out += "|"
		}
		out += s
	}
	return out
}

// TestCasesOfLargePrograms: of a program of many statements, and many scalars, only
// those that matter are followed.
func TestCasesOfLargePrograms(t *testing.T) {
	body := "a = 1\nb = 2\n"
	for range 3000 {
		body += "do t = 1, n\nc = c + t\nif (c > 9) exit\nend do\n"
	}
	p := irtest.Program(t, "program p\ninteger a, b, c, k, t, n\ndo k = 1, n\n"+body+"c = a\na = b\nb = c\nprint *, a\nend do\nend program\n")
	info := scalar.Analyze(p)
	ir.Walk(p.Body, func(s ir.Stmt) bool {
		if _, ok := s.(*ir.Print); ok {
			if got := caseText(info.Cases(s, []string{"a", "b"})); got != "a=2 b=1" {
				t.Errorf("got %q", got)
			}
		}
		return true
	})
}
