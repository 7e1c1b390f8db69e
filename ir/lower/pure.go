package lower

import (
	"strings"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// What a PURE procedure must not do, and would do in the caller: print, read, stop, wait
// for images, change what is not its own, call what is not PURE.

// impure reports what, done at pos, if the procedure in hand is PURE.
func (l *lowerer) impure(what string, pos source.Pos) bool {
	u := l.scope.unit
	if !u.Pure {
		return false
	}
	l.errorf(codeCall, pos, "%s in %s, which is PURE", what, u.Name).
		WithNote(u.Pos, "%s begins here", u.Name).WithHelp("remove the word PURE, or do it in the caller")
	return true
}

// impureStmt is impure of a statement.
func (l *lowerer) impureStmt(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.Print:
		return l.impure("PRINT", s.Pos)
	case *ast.Read:
		return s.Unit == nil && l.impure("READ", s.Pos)
	case *ast.FileStmt:
		return l.impure(strings.ToUpper(s.Word), s.Pos)
	case *ast.Stop:
		return !s.Error && l.impure("STOP", s.Pos)
	case *ast.Sync:
		if !s.OfVariable() {
			return l.impure("SYNC", s.Pos)
		}
		return l.impure(strings.ToUpper(s.What), s.Pos)
	case *ast.Critical:
		return l.impure("CRITICAL", s.Pos)
	}
	return false
}

// pureArguments reports the dummy arguments that a PURE procedure must not have.
func (b *binding) pureArguments() {
	function := b.unit.Kind == ast.FunctionUnit
	for _, d := range b.list {
		switch {
		case d.procedure || d.arg != nil && d.arg.proc != nil:
		case !b.unit.Pure || d.value || d.intent == "in" || !function && d.intent != "":
		case function:
			b.l.errorf(codeCall, d.Pos, "function %s is PURE, and its argument %s has not INTENT(IN)", b.unit.Name, d.Name.Name).
				WithHelp("declare it: intent(in) :: %s", d.Name.Name)
		default:
			b.l.errorf(codeCall, d.Pos, "subroutine %s is PURE, and its argument %s has no INTENT", b.unit.Name, d.Name.Name).
				WithHelp("declare it: intent(in), intent(out) or intent(inout) :: %s", d.Name.Name)
		}
	}
}
