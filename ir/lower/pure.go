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

// unordered reports what, an image control statement or a call of what is not PURE, in a DO CONCURRENT.
func (l *lowerer) unordered(what string, pos source.Pos) bool {
	for _, around := range l.loops {
		if l.concurrents[around.of] {
			l.errorf(codeLoop, pos, "%s in a DO CONCURRENT", what).
				WithNote(around.stmt.Position(), "it begins here").WithHelp("write a DO loop, or move it out of the construct")
			return true
		}
	}
	return false
}

// imageControl is the name of an image control statement, "" for others. ALLOCATE and DEALLOCATE are
// such statements by what they are about.
func imageControl(s ast.Stmt) string {
	switch s := s.(type) {
	case *ast.Stop:
		if !s.Error {
			return "STOP"
		}
	case *ast.Sync:
		switch s.What {
		case "all", "images", "memory", "team":
			return "SYNC " + strings.ToUpper(s.What)
		case "fail image":
			return ""
		}
		return strings.ToUpper(s.What)
	case *ast.Critical:
		return "CRITICAL"
	case *ast.ChangeTeam:
		return "CHANGE TEAM"
	}
	return ""
}

// impureStmt reports a statement that must not stand in the PURE procedure or the DO CONCURRENT in hand.
func (l *lowerer) impureStmt(s ast.Stmt) bool {
	if name := imageControl(s); name != "" {
		return l.unordered(name, s.Position()) || l.impure(name, s.Position())
	}
	switch s := s.(type) {
	case *ast.Print:
		return l.impure("PRINT", s.Pos)
	case *ast.Read:
		return s.Unit == nil && l.impure("READ", s.Pos)
	case *ast.FileStmt:
		return l.impure(strings.ToUpper(s.Word), s.Pos)
	case *ast.Sync:
		return l.impure(strings.ToUpper(s.What), s.Pos)
	}
	return false
}

// elsewhere reports, in a PURE procedure, a change of a variable of another image.
func (l *lowerer) elsewhere(pos source.Pos) bool {
	return l.impure("a change of a variable of another image", pos)
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
