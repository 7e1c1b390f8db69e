package comm

import "github.com/spmdc/spmdc/ir"

// Closed reports whether a PE that runs alone may execute loop n as the source says, and
// leave out the communications in it: each of them begins and ends inside of n, or does
// neither; and no checkpoint, of which all PEs have to tell where they are in the SPMD
// form, is in it; and no subscript in it is a scalar that only the SPMD form sets there.
// Values that a communication in front of n has brought are not used: the
// array has them too.
func (p *Program) Closed(n Node) bool {
	inside, all := executed(n), executed(p.Body...)
	for c, k := range inside {
		if all[c] != k {
			return false
		}
	}
	return !marksCheckpoint(n) && !setsSubscript(n)
}

// executed counts how often the nodes, or those in them, begin, await or end each
// communication.
func executed(nodes ...Node) map[*Comm]int {
	count := map[*Comm]int{}
	add := func(list []*Comm) {
		for _, c := range list {
			count[c]++
		}
	}
	for _, n := range Within(nodes...) {
		switch n := n.(type) {
		case *Post:
			add(n.Comms)
		case *Wait:
			add(n.Comms)
		case *Done:
			add(n.Comms)
		case *Region:
			if n.Pipe != nil {
				add(n.Pipe.Comms)
			}
		}
	}
	return count
}

// marksCheckpoint reports whether a checkpoint is in n.
func marksCheckpoint(n Node) bool {
	for _, n := range Within(n) {
		if s, ok := n.(*Simple); ok {
			if _, point := s.Stmt.(*ir.Checkpoint); point {
				return true
			}
		}
	}
	return false
}

// setsSubscript reports whether a scalar that stands for a subscript is set in n: the
// statement that sets it is not in the source.
func setsSubscript(n Node) bool {
	sets := false
	for _, n := range Within(n) {
		ir.Walk(statements(n), func(s ir.Stmt) bool {
			if as, ok := s.(*ir.Assign); ok {
				v, ok := as.LHS.(*ir.Var)
				sets = sets || ok && isTemp(v.Sym.Name)
			}
			return true
		})
	}
	return sets
}
