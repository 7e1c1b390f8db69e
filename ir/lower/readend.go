package lower

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
)

// readEnd adds to the READ r, which body begins with, and to the assignments of
// its items the jump of END=label. The jump is expressed by structure:
//
//   - the label is on the statement behind a loop around: EXIT that loop;
//   - it is on the last statements of the body of a loop around, all of them
//     CONTINUE: CYCLE that loop;
//   - it is on a later statement of the same list: the statements in between
//     become an IF.
//
// A bad item still stops the program unless IOSTAT= is there.
func (l *lowerer) readEnd(s *ast.Read, r *ir.Read, body []ir.Stmt, f *frame) []ir.Stmt {
	if r.Iostat == nil {
		r.Iostat = l.temp("end", ir.Integer, 0, s.Pos)
		code := l.intConst(2, s.Pos) // gfortran's status after a failed READ
		body = append(body, l.when(ir.Gt, r.Iostat, s.Pos, one(&ir.Stop{S: ir.S{Pos: s.Pos}, Code: code, Error: true})))
	}
	if to := findLabel(f, s.End); to > 0 {
		rest := l.run(f, f.at+1, to)
		f.at = to - 1
		if len(rest) > 0 {
			body = append(body, l.when(ir.Ge, r.Iostat, s.Pos, rest))
		}
		return body
	}
	if jump := l.jump(s); jump != nil {
		return append(body, l.when(ir.Lt, r.Iostat, s.Pos, one(jump)))
	}
	l.errorf(codeLabel, s.Pos, "END=%d jumps to a place that cannot be reached by structured control flow", s.End).
		WithHelp("write read(*, *, iostat=ios) and test ios /= 0, with EXIT or IF")
	return nil
}

// findLabel returns the index of the statement with the label in the current
// run of f behind the READ, which may end at it; 0 when there is none.
func findLabel(f *frame, label int) int {
	for i := f.at + 1; i <= f.end && i < len(f.list); i++ {
		if f.list[i].StmtLabel() == label {
			return i
		}
	}
	return 0
}

// jump returns the EXIT or CYCLE that leads to the label of s, or nil.
func (l *lowerer) jump(s *ast.Read) ir.Stmt {
	for k := len(l.frames) - 1; k >= 0; k-- {
		f := l.frames[k]
		if k+1 < len(l.frames) && l.frames[k+1].loop != nil && labelledNext(f, s.End) {
			return &ir.Exit{S: ir.S{Pos: s.Pos}, Loop: l.frames[k+1].loop}
		}
		if f.loop != nil && endsAtLabel(f, s.End) {
			return &ir.Cycle{S: ir.S{Pos: s.Pos}, Loop: f.loop}
		}
	}
	return nil
}

// labelledNext reports whether the statement that follows the one in hand has
// the label, CONTINUE and directives not counted.
func labelledNext(f *frame, label int) bool {
	for _, s := range f.list[f.at+1:] {
		if s.StmtLabel() == label {
			return true
		}
		switch s.(type) {
		case *ast.Continue, *ast.Independent:
		default:
			return false
		}
	}
	return false
}

// endsAtLabel reports whether f ends with CONTINUE statements that begin with
// the label.
func endsAtLabel(f *frame, label int) bool {
	for i := len(f.list) - 1; i > f.at; i-- {
		if _, ok := f.list[i].(*ast.Continue); !ok {
			return false
		}
		if f.list[i].StmtLabel() == label {
			return true
		}
	}
	return false
}
