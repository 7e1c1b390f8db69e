package lower

import "github.com/spmdc/spmdc/ir"

// reaching leaves out statements that control cannot come to: the control-flow graph has
// none of them, so that a communication in one would have no place.
//
//	do
//	  if (done) stop
//	end do
//	a(2:n) = b(1:n-1)  ! nobody comes here
type reaching struct {
	left map[ir.Stmt]bool // loops of which some EXIT is reached
}

// list is the statements of list that are reached, and whether what is behind it is.
func (r *reaching) list(list []ir.Stmt) (out []ir.Stmt, through bool) {
	for i, s := range list {
		if !r.stmt(s) {
			return list[: i+1 : i+1], false
		}
	}
	return list, true
}

// stmt leaves out what is not reached inside s, and reports whether what is behind s is.
func (r *reaching) stmt(s ir.Stmt) bool {
	through := false
	ir.ReplaceBodies(s, func(body []ir.Stmt) []ir.Stmt {
		out, ends := r.list(body)
		through = through || ends
		return out
	})
	switch s := s.(type) {
	case *ir.Exit:
		r.left[s.Loop] = true
		return false
	case *ir.Cycle, *ir.Stop:
		return false
	case *ir.While:
		c, ok := s.Cond.(*ir.Const)
		return !ok || !c.Bool || r.left[s]
	case *ir.If, *ir.Critical:
		return through
	}
	return true
}
