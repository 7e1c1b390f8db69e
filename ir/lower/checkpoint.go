package lower

import (
	"maps"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/ast"
)

// Module spmd is the compiler's own: a program that uses it may call spmd_checkpoint, and the
// functions in introspection.go. A file that has a module of that name means its own.
const (
	spmdModule     = "spmd"
	checkpointName = "spmd_checkpoint"
)

// useSPMD takes the names of module spmd.
func (l *lowerer) useSPMD(u *ast.Use) {
	l.checkpoints = !u.Only
	if !u.Only {
		for name := range spmdFunctions {
			l.library[name] = true
		}
	}
	for _, n := range u.Names {
		name := n.Original().Name
		function := spmdFunctions[name].build != nil
		switch {
		case !function && name != checkpointName:
			l.errorf(codeCall, n.Pos, "module spmd has no %s", name).
				WithHelp("it has the subroutine %s, and the functions %s", checkpointName, strings.Join(slices.Sorted(maps.Keys(spmdFunctions)), ", "))
		case n.Of.Name != "":
			l.errorf(codeOutside, n.Pos, "%s can have no other name", name).WithHelp("write use spmd, only: %s", name)
		case function:
			l.library[name] = true
		default:
			l.checkpoints = true
		}
	}
}

// checkpointing reports whether name means the procedure of module spmd.
func (s *scope) checkpointing(name string) bool {
	if name != checkpointName {
		return false
	}
	for at := s; at != nil; at = at.host {
		if at.checkpoints {
			return true
		}
		if at.procs[name] != nil || at.names[name] != nil {
			return false
		}
	}
	return false
}

// checkpoint lowers CALL spmd_checkpoint().
func (l *lowerer) checkpoint(s *ast.Call) []ir.Stmt {
	if len(s.Args) > 0 {
		l.errorf(codeCall, s.Args[0].Position(), "spmd_checkpoint has no arguments").
			WithHelp("write: call spmd_checkpoint(); all variables are saved")
		return nil
	}
	if l.critical.IsValid() {
		l.errorf(codeCall, s.Pos, "a checkpoint inside CRITICAL, where one image is at a time").
			WithNote(l.critical, "it begins here").WithHelp("call spmd_checkpoint behind END CRITICAL: all images must come to it")
		return nil
	}
	return one(&ir.Checkpoint{S: ir.S{Pos: s.Pos}})
}

// inStep reports the checkpoints in a loop whose iterations may run in any order:
// there is no moment at which some are over and the others not yet begun.
func (l *lowerer) inStep(loop *ir.Do) {
	ir.Walk(loop.Body, func(s ir.Stmt) bool {
		if c, ok := s.(*ir.Checkpoint); ok {
			l.errorf(codeLoop, c.Pos, "a checkpoint inside a loop that is INDEPENDENT, whose iterations are dealt out to the PEs").
				WithNote(loop.Independent.Pos, "it is declared so here").
				WithHelp("call spmd_checkpoint behind the loop, or remove INDEPENDENT if all PEs are to come to the call in each iteration")
		}
		return true
	})
}
