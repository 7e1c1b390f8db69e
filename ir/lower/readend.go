package lower

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// readEnd adds to the READ r, which body begins with, and to the assignments of
// its items the jumps of END=label and ERR=label. A jump is expressed by structure:
//
//   - the label is on the statement behind a loop around: EXIT that loop;
//   - it is on the last statements of the body of a loop around, all of them
//     CONTINUE: CYCLE that loop;
//   - it is on a later statement of the same list: the statements in between
//     become an IF.
//
// What has no label here still stops the program unless IOSTAT= is there.
func (l *lowerer) readEnd(s *ast.Read, r *ir.Read, body []ir.Stmt, f *frame) []ir.Stmt {
	if s.Iostat == nil {
		if r.Iostat == nil {
			r.Iostat = l.temp("end", ir.Integer, 0, s.Pos)
		}
		code := l.intConst(2, s.Pos) // gfortran's status after a failed READ
		failed := ir.Gt
		if s.End == 0 {
			failed = ir.Lt
		}
		if s.End == 0 || s.Err == 0 {
			body = append(body, l.when(failed, r.Iostat, s.Pos, one(&ir.Stop{S: ir.S{Pos: s.Pos}, Code: code, Error: true})))
		}
	}
	type jump struct {
		label    int
		op, none ir.Op // of the status: the jump is taken, or not
	}
	jumps := []jump{{s.End, ir.Lt, ir.Ge}, {s.Err, ir.Gt, ir.Le}}
	if s.End == s.Err {
		jumps = []jump{{s.End, ir.Ne, ir.Eq}}
	}
	var behind *jump // the one to a later statement of the list
	for i, j := range jumps {
		switch to := findLabel(f, j.label); {
		case j.label == 0:
		case to > 0 && behind == nil:
			behind = &jumps[i]
		case to == 0:
			if leave := l.jump(s.Pos, j.label); leave != nil {
				body = append(body, l.when(j.op, r.Iostat, s.Pos, one(leave)))
				continue
			}
			fallthrough
		default:
			l.errorf(codeLabel, s.Pos, "the label %d of END= or ERR= is at a place that cannot be reached by structured control flow", j.label).
				WithHelp("write read(*, *, iostat=ios) and test ios /= 0, with EXIT or IF")
			return nil
		}
	}
	if behind == nil {
		return body
	}
	to := findLabel(f, behind.label)
	rest := l.run(f, f.at+1, to)
	f.at = to - 1
	if len(rest) > 0 {
		body = append(body, l.when(behind.none, r.Iostat, s.Pos, rest))
	}
	return body
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

// jump returns the EXIT or CYCLE that leads to a label, or nil.
func (l *lowerer) jump(pos source.Pos, label int) ir.Stmt {
	for k := len(l.frames) - 1; k >= 0; k-- {
		f := l.frames[k]
		if k+1 < len(l.frames) && l.frames[k+1].loop != nil && labelledNext(f, label) {
			return &ir.Exit{S: ir.S{Pos: pos}, Loop: l.frames[k+1].loop}
		}
		if f.loop != nil && endsAtLabel(f, label) {
			return &ir.Cycle{S: ir.S{Pos: pos}, Loop: f.loop}
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
