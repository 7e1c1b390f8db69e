package lower

import (
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// jumps adds to a statement of input or output, which body holds, the jumps of END=label,
// EOR=label and ERR=label; status has the value of IOSTAT. A jump is expressed by structure:
//
//   - the label is on the statement behind a loop around: EXIT that loop;
//   - it is on the last statements of the body of a loop around, all of them
//     CONTINUE: CYCLE that loop;
//   - it is on a later statement of the same list: the statements in between
//     become an IF.
//
// What has no label here still stops the program unless IOSTAT= is there.
func (l *lowerer) jumps(pos source.Pos, c *ast.Control, status *ir.Symbol, body []ir.Stmt, f *frame) []ir.Stmt {
	if c.End == 0 && c.Err == 0 && c.Eor == 0 {
		return body
	}
	type jump struct {
		label    int
		op, none ir.Op // of the status and a value: the jump is taken, or not
		value    int
	}
	// Without ADVANCE= there is no end of a record.
	end := jump{c.End, ir.Lt, ir.Ge, 0}
	if c.Spec("advance") != nil {
		end = jump{c.End, ir.Eq, ir.Ne, -1}
	}
	jumps := []jump{end, {c.Eor, ir.Eq, ir.Ne, -2}, {c.Err, ir.Gt, ir.Le, 0}}
	if c.Spec("iostat") == nil {
		code := l.intConst(2, pos) // gfortran's status after a failed statement
		for _, j := range jumps {
			if j.label == 0 && (j.value != -2 || c.Spec("advance") != nil) {
				body = append(body, l.when(j.op, status, j.value, pos, one(&ir.Stop{S: ir.S{Pos: pos}, Code: code, Error: true})))
			}
		}
	}
	if c.End == c.Err && c.Eor == 0 && c.Spec("advance") == nil {
		jumps = []jump{{c.End, ir.Ne, ir.Eq, 0}}
	}
	var behind *jump // the one to a later statement of the list
	for i, j := range jumps {
		switch to := findLabel(f, j.label); {
		case j.label == 0:
		case to > 0 && behind == nil:
			behind = &jumps[i]
		case to == 0:
			if leave := l.jump(pos, j.label); leave != nil {
				body = append(body, l.when(j.op, status, j.value, pos, one(leave)))
				continue
			}
			fallthrough
		default:
			l.errorf(codeLabel, pos, "the label %d of END=, EOR= or ERR= is at a place that cannot be reached by structured control flow", j.label).
				WithHelp("write iostat=ios and test ios /= 0, with EXIT or IF")
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
		body = append(body, l.when(behind.none, status, behind.value, pos, rest))
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
