package parser

import (
	"errors"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/spmdc/spmdc/parser/scan"
	"github.com/spmdc/spmdc/parser/source"
)

// startOf returns where t begins.
func startOf(t *lexer.Token) source.Pos {
	return source.Pos{Line: t.Pos.Line, Col: t.Pos.Column}
}

// endOf returns the place just behind t. Of a token that is cut by a
// continuation it is a place behind the end of the token's first line, which a
// rendering cuts to that line.
func endOf(t *lexer.Token) source.Pos {
	return source.Pos{Line: t.Pos.Line, Col: t.Pos.Column + len(t.Value)}
}

// problem makes an error about what stands at t.
func problem(code source.Code, t *lexer.Token, msg string) *source.Diag {
	return &source.Diag{Code: code, Pos: startOf(t), End: endOf(t), Msg: msg}
}

// quoted is a token as a message shows it.
func quoted(t *lexer.Token) string {
	switch {
	case t.EOF():
		return "the end of the statement"
	case t.Type == scan.String && len(t.Value) > 20:
		return "the string " + strings.ToValidUTF8(t.Value[:17], "") + "..."
	case t.Type == scan.String:
		return "the string " + t.Value
	}
	return `"` + t.Value + `"`
}

// explain turns an error of the statement grammar into a diagnostic. rule is
// the grammar that failed and toks what it was given.
func explain(err error, r *rule, toks []lexer.Token) *source.Diag {
	var d *source.Diag
	isDiag := errors.As(err, &d)
	switch p := unbalanced(toks); {
	case isDiag && d.Code != source.Syntax:
	case p != nil:
		d = p
	case !isDiag:
		var unexpected *participle.UnexpectedTokenError
		if errors.As(err, &unexpected) {
			d = unexpectedToken(&unexpected.Unexpected, r)
		} else {
			d = problem(source.Syntax, &toks[0], "this is no "+r.name)
		}
	}
	if d.Help == "" {
		d.WithHelp("the form is: %s", r.form)
	}
	if first := startOf(&toks[0]); d.Pos.Line != first.Line && len(d.Notes) == 0 {
		d.WithNote(first, "the statement begins here and is continued")
	}
	return d
}

func unexpectedToken(t *lexer.Token, r *rule) *source.Diag {
	if t.EOF() {
		return problem(source.Syntax, t, "the "+r.name+" ends too early")
	}
	d := problem(source.Syntax, t, "unexpected "+quoted(t)+" in the "+r.name)
	if t.Value == "=" && r.form == "if (condition) then" {
		d.WithHelp("to compare write ==")
	}
	return d
}

// unbalanced finds the first parenthesis without its partner: one that is not
// closed hides what is wrong behind it, so it is the better message.
func unbalanced(toks []lexer.Token) *source.Diag {
	var open []*lexer.Token
	for i := range toks {
		t := &toks[i]
		if t.Type != scan.Op {
			continue
		}
		switch t.Value {
		case "(":
			open = append(open, t)
		case ")":
			if len(open) == 0 {
				return problem(source.Syntax, t, `this ")" closes nothing`).
					WithHelp(`remove it, or add the "(" that it belongs to`)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) == 0 {
		return nil
	}
	return problem(source.Syntax, open[len(open)-1], `this "(" is not closed`).
		WithHelp(`add the ")" that belongs to it`)
}
