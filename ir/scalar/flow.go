package scalar

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
)

// Flow is a control-flow graph of steps that set and test INTEGER scalars. It begins
// with step 0. Values finds which values scalars may have together in front of each
// step:
//
//	o = 1                        (o) = (1)
//	do                           (o) = (1), (2)
//	   w = 3 - o                 (o, w) = (1, 2), (2, 1)
//	   o = w
//	end do
//
// A state has, of each scalar, its value, or the residue by a modulus (whether it is
// odd), or nothing. The sets of states are finite, so that all ways through the graph
// can be followed: a scalar with too many values is followed by its residues, and if
// that is too much, not at all.
type Flow struct{ Steps []Step }

// Step is one step: what is done, and where control may go from there.
type Step struct {
	Do    Action
	Sym   *ir.Symbol
	E     ir.Expr
	Succs []int
}

// Action is what a step does.
type Action uint8

const (
	Pass    Action = iota // nothing
	Set                   // Sym = E
	Forget                // Sym gets a value of which nothing is known
	Begin                 // the index Sym of a loop gets its first value E
	Advance               // the index Sym of a loop advances by E
	Hold                  // control gets past only if E is true
	Fail                  // or only if E is false
)

// Add adds a step that does nothing and leads nowhere yet.
func (f *Flow) Add() int {
	f.Steps = append(f.Steps, Step{})
	return len(f.Steps) - 1
}

// Link lets control go from one step to another.
func (f *Flow) Link(from, to int) { f.Steps[from].Succs = append(f.Steps[from].Succs, to) }

// Then makes step at do something, and adds the one behind it.
func (f *Flow) Then(at int, do Action, sym *ir.Symbol, e ir.Expr) int {
	behind := f.Add()
	s := &f.Steps[at]
	s.Do, s.Sym, s.E = do, sym, e
	f.Link(at, behind)
	return behind
}

// Values are the values that scalars may have in front of each step of a flow.
type Values struct {
	evaluator
	sets []map[state]bool // by step
}

// Bounds on what is followed: states in front of a step, and on the average of a large
// flow.
const (
	statesOfStep = 64
	meanStates   = 16
)

// Values follows vars, and the scalars that they are computed from.
func (f *Flow) Values(vars []*ir.Symbol) *Values {
	expr := map[*ir.Symbol][]ir.Expr{}
	for i := range f.Steps {
		if s := &f.Steps[i]; s.Do == Set || s.Do == Begin {
			expr[s.Sym] = append(expr[s.Sym], s.E)
		}
	}
	list := origins(vars, func(sym *ir.Symbol) []ir.Expr { return expr[sym] })
	v := &Values{}
	v.modulus = f.modulus(list)
	rough := map[*ir.Symbol]bool{}
	for {
		v.index = map[*ir.Symbol]int{}
		for k, sym := range list {
			v.index[sym], v.rough[k] = k, rough[sym]
		}
		full := v.run(f)
		if full == nil {
			return v
		}
		// What has most values is followed by its residues, or something not at all.
		worst, count := -1, most
		for k, sym := range list {
			values := map[number]bool{}
			for st := range full {
				values[st[k]] = true
			}
			if !rough[sym] && len(values) > count {
				worst, count = k, len(values)
			}
		}
		switch {
		case worst >= 0:
			rough[list[worst]] = true
		case len(list) > 0:
			list = list[:len(list)-1]
		default:
			v.sets = nil // too large a graph
			return v
		}
	}
}

// origins are vars and the scalars that they are computed from, nearest first, as many
// as are followed. exprs are the values that a scalar is given.
func origins(vars []*ir.Symbol, exprs func(*ir.Symbol) []ir.Expr) []*ir.Symbol {
	list := slices.Clone(vars)
	for k := 0; k < len(list); k++ {
		for _, e := range exprs(list[k]) {
			for _, sym := range scalarsOf(e) {
				if !slices.Contains(list, sym) {
					list = append(list, sym)
				}
			}
		}
	}
	return list[:min(len(list), mostScalars)]
}

// modulus is a multiple of 2 and of the moduli of remainders that the flow computes.
func (f *Flow) modulus(list []*ir.Symbol) int64 {
	m := int64(2)
	for i := range f.Steps {
		s := &f.Steps[i]
		if s.E == nil || s.Sym != nil && !slices.Contains(list, s.Sym) {
			continue
		}
		ir.WalkExpr(s.E, func(e ir.Expr) bool {
			if c, ok := e.(*ir.Call); ok && (c.Name == "mod" || c.Name == "modulo") && len(c.Args) == 2 {
				if by, ok := c.Args[1].(*ir.Const); ok && by.Int != 0 {
					if n := lcm(m, max(int64(by.Int), -int64(by.Int))); n <= 12 {
						m = n
					}
				}
			}
			return true
		})
	}
	return m
}

func lcm(a, b int64) int64 {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	if b/x > largest {
		return largest
	}
	return a * (b / x)
}

// at is a state in front of a step.
type at struct {
	step int
	st   state
}

// run follows all ways. It returns the states in front of a step where they become too
// many, nil if they do nowhere.
func (v *Values) run(f *Flow) (full map[state]bool) {
	v.sets = make([]map[state]bool, len(f.Steps))
	var work []at
	total := 0
	visit := func(step int, st state) {
		set := v.sets[step]
		if set == nil {
			set = map[state]bool{}
			v.sets[step] = set
		}
		if !set[st] {
			set[st] = true
			total++
			work = append(work, at{step, st})
			if len(set) > statesOfStep || total > 1000+meanStates*len(f.Steps) {
				full = set
			}
		}
	}
	visit(0, state{})
	for len(work) > 0 && full == nil {
		w := work[len(work)-1]
		work = work[:len(work)-1]
		s := &f.Steps[w.step]
		for _, st := range v.behind(s, w.st) {
			for _, to := range s.Succs {
				visit(to, st)
			}
		}
	}
	return full
}

// behind lists the states behind a step.
func (v *Values) behind(s *Step, st state) []state {
	switch s.Do {
	case Hold, Fail:
		return v.assume(st, s.E, s.Do == Hold)
	case Pass:
		return []state{st}
	}
	k, ok := v.index[s.Sym]
	if !ok {
		return []state{st}
	}
	var out []state
	switch s.Do {
	case Forget:
		return []state{v.with(st, k, number{})}
	case Advance:
		step := number{}
		if list := v.eval(st, s.E); len(list) == 1 && len(scalarsOf(s.E)) == 0 {
			step = list[0]
		}
		return []state{v.with(st, k, v.coarse(v.combine(ir.Add, st[k], step)))}
	case Set, Begin:
		for _, o := range v.outcomes(st, s.E) {
			for _, x := range o.values {
				if s.Do == Begin { // by residues, or there would be as many states as iterations
					x = v.coarse(x)
				}
				out = append(out, v.with(o.st, k, x))
			}
		}
	}
	return out
}

// Reached reports whether control may get to a step, as far as the values tell.
func (v *Values) Reached(step int) bool { return v.sets == nil || len(v.sets[step]) > 0 }
