package parser

import (
	"strings"

	"github.com/spmdc/spmdc/parser/scan"
	"github.com/spmdc/spmdc/parser/source"
)

// statementWords are the words that a misspelt first word is compared with.
var statementWords = []string{
	"program", "implicit", "integer", "real", "double", "logical", "character",
	"parameter", "dimension", "complex", "allocatable", "allocate", "deallocate", "save", "common", "data", "external", "interface", "select", "case", "where", "forall", "format", "critical", "associate", "do", "if", "else", "elseif", "exit", "cycle",
	"print", "write", "read", "open", "close", "inquire", "rewind", "backspace", "namelist", "stop", "call", "return", "subroutine", "function", "module", "contains", "use", "continue", "end", "enddo", "endif", "while",
}

// blockEnds are the words of one piece that end a block.
var blockEnds = map[string]frameKind{"enddo": doFrame, "endif": ifFrame}

// unknown reports a line that is no statement.
func (p *parser) unknown(s scan.Stmt) {
	first := &s.Toks[0]
	if d := unbalanced(s.Toks); d != nil {
		p.diags.Add(d)
		return
	}
	if first.Type != scan.Ident {
		p.diags.Add(problem(source.UnknownStatement, first, "no statement begins with "+quoted(first)).
			WithHelp("a statement begins with a word, or with the variable that is assigned to"))
		return
	}
	d := problem(source.UnknownStatement, first, "no statement begins like this: "+quoted(first))
	near := source.Nearest(first.Value, statementWords...)
	switch second := &s.Toks[1]; {
	case near == "while", first.Value == "dowhile":
		d.WithHelp("the loop is: do while (condition)")
	case near != "" && near != first.Value:
		d.WithHelp("did you mean %s?", strings.ToUpper(near))
	case second.Value == "==":
		d.WithHelp("an assignment has one =: %s = ...", first.Value)
	default:
		d.WithHelp("an assignment is: variable = expression; names have no blanks in them")
	}
	p.diags.Add(d)
	// A misspelt END ends its block all the same: a second error would say that it is missing.
	if kind, ok := blockEnds[near]; ok && p.innermost(kind, 0, nil) >= 0 {
		p.end(kind, startOf(first), 0, nil)
	}
}
