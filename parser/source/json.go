package source

import (
	"encoding/json"
	"io"
)

// jsonDiag is a diagnostic as RenderJSON writes it.
type jsonDiag struct {
	jsonPlace
	EndLine   int        `json:"end_line,omitempty"`
	EndColumn int        `json:"end_column,omitempty"` // just behind the last byte at fault
	Severity  string     `json:"severity"`
	Code      Code       `json:"code"`
	Message   string     `json:"message"`
	Help      string     `json:"help,omitempty"`
	Notes     []jsonNote `json:"notes,omitempty"`
}

type jsonNote struct {
	jsonPlace
	Message string `json:"message"`
}

type jsonPlace struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"` // in bytes, from 1
}

// RenderJSON writes all diagnostics in the order of the list, each as an object of JSON on
// a line of its own, for editors and other tools.
func (l *List) RenderJSON(w io.Writer) error {
	file := l.File
	if file == nil {
		file = NewFile("", nil)
	}
	place := func(p Pos) jsonPlace {
		if !p.IsValid() {
			return jsonPlace{File: file.Name}
		}
		name, line := file.Place(p.Line)
		return jsonPlace{name, line, p.Col}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, d := range l.Diags {
		j := jsonDiag{jsonPlace: place(d.Pos), Severity: d.Severity.String(), Code: d.Code, Message: file.Spell(d.Msg), Help: file.Spell(d.Help)}
		if d.End.IsValid() {
			end := place(d.End)
			j.EndLine, j.EndColumn = end.Line, end.Column
		}
		for _, n := range d.Notes {
			j.Notes = append(j.Notes, jsonNote{place(n.Pos), file.Spell(n.Msg)})
		}
		if err := e.Encode(j); err != nil {
			return err
		}
	}
	return nil
}
