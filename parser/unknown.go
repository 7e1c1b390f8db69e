package parser

import (
	"strings"

	"github.com/spmdc/spmdc/parser/scan"
	"github.com/spmdc/spmdc/parser/source"
)

// statementWords are the words that a misspelt first word is compared with.
var statementWords = []string{
	"program", "implicit", "integer", "real", "double", "logical", "character",
	"parameter", "dimension", "do", "if", "else", "elseif", "exit", "cycle",
	"print", "write", "read", "open", "close", "inquire", "rewind", "backspace", "namelist", "stop", "call", "return", "subroutine", "function", "module", "contains", "use", "continue", "end", "enddo", "endif", "while",
}

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
	near := nearest(first.Value, statementWords...)
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
}

// nearest returns the word that differs from s in the least number of letters,
// "" when none is near.
func nearest(s string, words ...string) string {
	best, found := 1+len(s)/4, ""
	for _, w := range words {
		if len(s) > 2 {
			if d := distance(s, w); d <= best && (found == "" || d < best) {
				best, found = d, w
			}
		}
	}
	return found
}

// distance is the number of letters to insert, remove, replace or swap with
// their neighbour to turn a into b.
func distance(a, b string) int {
	if d := len(a) - len(b); d > 3 || d < -3 {
		return 4
	}
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	prev, cur := rows[1], rows[2]
	older := rows[0]
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], older[j-2]+1)
			}
		}
		older, prev, cur = prev, cur, older
	}
	return prev[len(b)]
}
