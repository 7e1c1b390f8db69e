package plan

import (
	"math/rand/v2"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// event is what a walker reports of a communication: its puts, the arrival of
// its data, the end of its use; or of a reduction of all PEs. What is pipelined
// arrives before it is put.
type event uint8

const (
	post    event = iota
	receive       // of a pipelined communication, which comes before its post
	over
	used
	all
)

// walker executes the part of a program that all PEs execute alike: control flow
// and the scalars that decide it, as far as they follow from input, which it
// makes up, and not from data. Where a condition is not known it takes some way.
type walker struct {
	program *comm.Program
	random  *rand.Rand
	values  map[string]int64 // of scalars; missing: not known
	do      func(e event, c *comm.Comm)
	writes  func(s ir.Stmt) // if not nil: of statements in regions, before they are executed
	left    int             // events and iterations until the walk ends
	guessed bool            // some way was taken that the source does not decide
	// invented: numbers that the program reads were made up.
	invented bool
}

// jump is where control goes instead of to the next node: out of loop, to its
// next iteration, or to the end of the program with loop nil.
type jump struct {
	loop  ir.Stmt
	again bool
}

func (w *walker) report(e event, comms []*comm.Comm) {
	for _, c := range comms {
		if w.left > 0 {
			w.left--
			w.do(e, c)
		}
	}
}

// nodes executes a list; nil: to its end.
func (w *walker) nodes(list []comm.Node) *jump {
	for _, n := range list {
		if w.left <= 0 {
			return &jump{}
		}
		if j := w.node(n); j != nil {
			return j
		}
	}
	return nil
}

func (w *walker) node(n comm.Node) *jump {
	switch n := n.(type) {
	case *comm.Post:
		w.report(post, n.Comms)
	case *comm.Wait:
		w.report(over, n.Comms)
	case *comm.Done:
		w.report(used, n.Comms)
	case *comm.Region:
		w.region(n)
	case *comm.Combine:
		for _, r := range n.Reduce {
			delete(w.values, r.Sym.Name)
			w.report(all, []*comm.Comm{nil})
		}
	case *comm.Loop:
		return w.loop(n)
	case *comm.WhileLoop:
		return w.while(n)
	case *comm.Branch:
		if w.holds(n.If.Cond) {
			return w.nodes(n.Then)
		}
		return w.nodes(n.Else)
	case *comm.Simple:
		return w.simple(n.Stmt)
	}
	return nil
}

// region is computed by each PE on its own; of a pipelined one the values come
// before and go behind.
func (w *walker) region(n *comm.Region) {
	if n.Pipe != nil {
		w.report(receive, n.Pipe.Comms)
	}
	for _, s := range n.Stmts {
		if w.writes != nil {
			w.writes(s)
		}
		w.assign(s)
	}
	if n.Pipe != nil {
		for i := range n.Pipe.Comms {
			w.report(post, n.Pipe.Comms[i:i+1])
			w.report(used, n.Pipe.Comms[i:i+1])
		}
	}
}

// assign keeps the values of scalars that a statement sets, or forgets them.
func (w *walker) assign(s ir.Stmt) {
	if a, ok := s.(*ir.Assign); ok {
		if v, ok := a.LHS.(*ir.Var); ok && v.Sym.Type.IsInteger() {
			if x, ok := w.value(a.RHS); ok {
				w.values[v.Sym.Name] = x
				return
			}
		}
	}
	for sym := range w.program.Modified(s) {
		delete(w.values, sym.Name)
	}
}

// loop executes a DO loop that all PEs step through.
func (w *walker) loop(n *comm.Loop) *jump {
	name := n.Do.Index.Name
	lo, ok1 := w.value(n.Do.Lo)
	hi, ok2 := w.value(n.Do.Hi)
	step, ok3 := w.value(n.Do.Step)
	known := ok1 && ok2 && ok3 && step != 0
	trips := int64(w.random.IntN(3))
	w.guessed = w.guessed || !known
	if known {
		trips = max(0, (hi-lo+step)/step)
	}
	for k := range trips {
		if known {
			w.values[name] = lo + k*step
		} else {
			delete(w.values, name)
		}
		w.left--
		if j := w.nodes(n.Body); j != nil && (j.loop != n.Do || !j.again) {
			if delete(w.values, name); j.loop == n.Do {
				return nil
			}
			return j
		}
	}
	if delete(w.values, name); known {
		w.values[name] = lo + trips*step
	}
	return nil
}

func (w *walker) while(n *comm.WhileLoop) *jump {
	for w.left > 0 {
		w.left--
		if j := w.nodes(n.Pre); j != nil {
			return j
		}
		again := w.holds(n.While.Cond)
		w.report(used, n.Used)
		if !again {
			return nil
		}
		if j := w.nodes(n.Body); j != nil && (j.loop != n.While || !j.again) {
			if j.loop == n.While {
				return nil
			}
			return j
		}
	}
	return &jump{}
}

func (w *walker) simple(s ir.Stmt) *jump {
	switch s := s.(type) {
	case *ir.Exit:
		return &jump{loop: s.Loop}
	case *ir.Cycle:
		return &jump{loop: s.Loop, again: true}
	case *ir.Stop:
		return &jump{}
	case *ir.Checkpoint:
	case *ir.Read:
		for sym := range w.program.Modified(s) {
			delete(w.values, sym.Name)
		}
		for _, v := range s.Items {
			if v.Sym.Type.IsInteger() {
				// Small ones decide more than others: conditions, loops that do not run.
				w.invented = true
				w.values[v.Sym.Name] = int64(w.random.IntN([]int{3, 9}[w.random.IntN(2)]))
			}
		}
	default:
		w.assign(s)
	}
	return nil
}

// value is the value of an integer expression; one that does not fit in its type is
// not known.
func (w *walker) value(e ir.Expr) (int64, bool) {
	v, ok := w.unwrapped(e)
	return v, ok && e.Type().Wrap(int(v)) == int(v)
}

func (w *walker) unwrapped(e ir.Expr) (int64, bool) {
	if f, ok := w.program.Affine(e); ok {
		for _, v := range f.Vars() {
			if _, known := w.values[v]; !known {
				return 0, false
			}
		}
		return f.Eval(func(v string) int64 { return w.values[v] })
	}
	switch e := e.(type) {
	case *ir.Conv:
		if e.E.Type().IsInteger() {
			return w.value(e.E)
		}
	case *ir.Un:
		v, ok := w.value(e.E)
		if e.Op == ir.Neg {
			v = -v
		}
		return v, ok && (e.Op == ir.Neg || e.Op == ir.Group)
	case *ir.Bin:
		l, ok1 := w.value(e.L)
		r, ok2 := w.value(e.R)
		if !ok1 || !ok2 || max(l, -l, r, -r) > 1<<30 {
			return 0, false
		}
		switch {
		case e.Op == ir.Add:
			return l + r, true
		case e.Op == ir.Sub:
			return l - r, true
		case e.Op == ir.Mul:
			return l * r, true
		case e.Op == ir.Div && r != 0:
			return l / r, true
		}
	case *ir.Call:
		if e.Name != "mod" || len(e.Args) != 2 || !e.Typ.IsInteger() {
			return 0, false
		}
		l, ok1 := w.value(e.Args[0])
		r, ok2 := w.value(e.Args[1])
		if ok1 && ok2 && r != 0 {
			return l % r, true
		}
	}
	return 0, false
}

// holds evaluates a condition, or throws a coin.
func (w *walker) holds(e ir.Expr) bool {
	if v, ok := w.truth(e); ok {
		return v
	}
	w.guessed = true
	return w.random.IntN(2) == 0
}

func (w *walker) truth(e ir.Expr) (holds, known bool) {
	switch e := e.(type) {
	case *ir.Const:
		return e.Bool, e.Typ == ir.Logical
	case *ir.Un:
		if e.Op == ir.Not || e.Op == ir.Group {
			v, ok := w.truth(e.E)
			return v != (e.Op == ir.Not), ok
		}
	case *ir.Bin:
		if e.Op == ir.And || e.Op == ir.Or {
			l, okL := w.truth(e.L)
			r, okR := w.truth(e.R)
			short := e.Op == ir.Or // the value of one side that decides
			if okL && l == short || okR && r == short {
				return short, true
			}
			return !short, okL && okR
		}
		return w.compare(e)
	}
	return false, false
}

func (w *walker) compare(e *ir.Bin) (holds, known bool) {
	if !e.L.Type().IsInteger() || !e.R.Type().IsInteger() {
		return false, false
	}
	l, okL := w.value(e.L)
	r, okR := w.value(e.R)
	if !okL || !okR {
		return false, false
	}
	switch e.Op {
	case ir.Eq:
		return l == r, true
	case ir.Ne:
		return l != r, true
	case ir.Lt:
		return l < r, true
	case ir.Le:
		return l <= r, true
	case ir.Gt:
		return l > r, true
	case ir.Ge:
		return l >= r, true
	}
	return false, false
}
