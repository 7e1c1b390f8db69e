package simulate

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
	assigns func(s ir.Stmt) // of statements in regions, before they are executed
	// visit, unless it is nil, executes a node first; false leaves it to the walker.
	visit func(n comm.Node) (done bool, j *jump)
	// unknown, unless it is nil, is how many iterations a loop has whose bounds are not known.
	unknown func(line int) int
	// repeat, unless it is nil, executes so many iterations of a loop, as long as there are more.
	repeat  func(trips int, iteration func(k int) (more bool, out *jump)) *jump
	left    int  // events and iterations until the walk ends
	guessed bool // some way was taken that the source does not decide
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
	if w.visit != nil {
		if done, j := w.visit(n); done {
			return j
		}
	}
	switch n := n.(type) {
	case *comm.Barrier:
		w.report(all, []*comm.Comm{nil})
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
		w.assigns(s)
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
			if x, ok := w.program.Int(a.RHS, w.values); ok {
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
	lo, ok1 := w.program.Int(n.Do.Lo, w.values)
	hi, ok2 := w.program.Int(n.Do.Hi, w.values)
	step, ok3 := w.program.Int(n.Do.Step, w.values)
	known := ok1 && ok2 && ok3 && step != 0
	trips := w.random.IntN(3)
	w.guessed = w.guessed || !known
	if known {
		trips = int(max(0, (hi-lo+step)/step))
	} else if w.unknown != nil {
		trips = w.unknown(n.Do.Pos.Line)
	}
	delete(w.values, name)
	complete := true
	iteration := func(k int) (more bool, out *jump) {
		if known {
			w.values[name] = lo + int64(k)*step
		}
		more, out = ends(n.Do, w.nodes(n.Body))
		complete = more
		return more, out
	}
	repeat := w.repeat
	if repeat == nil {
		repeat = w.each
	}
	j := repeat(trips, iteration)
	if delete(w.values, name); known && complete {
		w.values[name] = lo + int64(trips)*step
	}
	return j
}

// each executes all iterations of a loop.
func (w *walker) each(trips int, iteration func(k int) (more bool, out *jump)) *jump {
	for k := range trips {
		w.left--
		if more, out := iteration(k); !more {
			return out
		}
	}
	return nil
}

// ends says whether a loop goes on behind an iteration that ended with j, and if not, where
// control goes then, unless it is to what follows the loop.
func ends(loop ir.Stmt, j *jump) (more bool, out *jump) {
	switch {
	case j == nil || j.loop == loop && j.again:
		return true, nil
	case j.loop == loop:
		return false, nil
	}
	return false, j
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
		if more, out := ends(n.While, w.nodes(n.Body)); !more {
			return out
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
	case *ir.Checkpoint, *ir.Allocate:
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

// holds evaluates a condition, or throws a coin.
func (w *walker) holds(e ir.Expr) bool {
	if v, ok := w.program.Truth(e, w.values); ok {
		return v
	}
	w.guessed = true
	return w.random.IntN(2) == 0
}
