package lower

import (
	"strings"

	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/source"
)

// procedureName is where EXTERNAL or INTRINSIC says of a name that it is one of a
// procedure.
type procedureName struct {
	pos       source.Pos
	intrinsic bool
}

// procedureName takes note that a name is that of a procedure: of an intrinsic function,
// whatever else in the file is called so, or of one that is none.
func (l *lowerer) procedureName(n ast.Name, intrinsic bool) {
	word := "EXTERNAL"
	if intrinsic {
		word = "INTRINSIC"
	}
	first, twice := l.externals[n.Name]
	switch {
	case l.dummies[n.Name] != nil && intrinsic:
		l.errorf(codeDuplicate, n.Pos, "the dummy argument %s cannot be an intrinsic function", n.Name).WithHelp("rename it")
		return
	case l.dummies[n.Name] != nil:
		l.dummyProcedure(l.dummies[n.Name], n, false)
		return
	case twice && first.intrinsic != intrinsic:
		l.errorf(codeDuplicate, n.Pos, "%s is declared both EXTERNAL and INTRINSIC", n.Name).WithNote(first.pos, "the other one is here").WithHelp("remove one")
		return
	case twice:
		l.errorf(codeDuplicate, n.Pos, "%s is declared %s twice", n.Name, word).WithNote(first.pos, "the first time here").WithHelp("remove one")
		return
	case intrinsic && knownOutside[n.Name] != "":
		l.errorf(codeOutside, n.Pos, "intrinsic %s is not supported", strings.ToUpper(n.Name)).WithHelp("%s", knownOutside[n.Name])
		return
	case intrinsic && !isIntrinsic(n.Name) && atomics[n.Name] == nil:
		l.errorf(codeCall, n.Pos, "there is no intrinsic procedure %s", n.Name).
			WithHelp("write external :: %s for a procedure of the file", n.Name)
		return
	}
	l.externals[n.Name] = procedureName{n.Pos, intrinsic}
}

// ofInterface takes note that an interface describes procedure n.
func (l *lowerer) ofInterface(n ast.Name) {
	if d := l.dummies[n.Name]; d != nil {
		l.dummyProcedure(d, n, true)
		return
	}
	l.scope.interfaces[n.Name] = true
}

// checkInterface reports the name in PROCEDURE(name) where nothing has an interface of that name.
func (l *lowerer) checkInterface(n ast.Name) {
	for at := l.scope; at != nil; at = at.host {
		if at.abstract[n.Name] || at.interfaces[n.Name] {
			return
		}
	}
	if l.procedure(n.Name) == nil {
		l.errorf(codeUndeclared, n.Pos, "there is no interface %s", n.Name).
			WithHelp("describe it: abstract interface, then the first statement and the declarations of a procedure %s, end interface", n.Name)
	}
}

// isIntrinsic reports whether the language has a procedure of this name.
func isIntrinsic(name string) bool {
	_, call := systemCalls[name]
	switch name {
	case "flush", "abort", "exit", "move_alloc", "allocated":
		return true
	}
	return call || isIntrinsicFunction(name) || imageFunctions[name] || collectives[name] || outsideSubroutines[name] != ""
}

func isIntrinsicFunction(name string) bool {
	_, one := intrinsics[name]
	return one || arrayFunctions[name] || arrayReductions[name] != nil || name == "lbound" || name == "ubound"
}

// missing reports a reference to name, of which there is no procedure, where EXTERNAL says
// that the intrinsic function is not meant.
func (l *lowerer) missing(name ast.Name) bool {
	at := l.scope
	for at != nil && !at.externals[name.Name].pos.IsValid() && at.names[name.Name] == nil {
		at = at.host
	}
	if at == nil || !at.externals[name.Name].pos.IsValid() || at.externals[name.Name].intrinsic || !isIntrinsicFunction(name.Name) {
		return false
	}
	l.errorf(codeCall, name.Pos, "%s is declared EXTERNAL, and there is no procedure of this name in the file", name.Name).
		WithNote(at.externals[name.Name].pos, "it is declared here").
		WithHelp("add it to the file; where the intrinsic function is meant, write intrinsic :: %s", name.Name)
	return true
}
