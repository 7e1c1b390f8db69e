package parser

import (
	"strings"

	"github.com/spmdc/spmdc/parser/scan"
	"github.com/spmdc/spmdc/parser/source"
)

const (
	noInterface = "put the procedure behind CONTAINS, or into a module: its interface is known then"
	noPointers  = "declare an array with the greatest extents that are needed, and work on a part"
	needless    = "remove it: it has no effect here"
)

// instead says, for each statement outside the subset, what to write.
var instead = map[string]string{
	"abstract": noInterface, "procedure": noInterface,
	"bind": needless, "generic": noInterface, "final": needless,

	"submodule": "put the procedures into the module",
	"include":   "put the text in place",
	"module":    "write MODULE name, on a line of its own",

	"pointer": noPointers, "nullify": noPointers, "=>": noPointers,

	"wait":   needless,
	"format": "write 10 format(...), with a label and in a procedure or program",

	"sequence": needless,

	"assign":      "write assign 10 to k",
	"select type": "write IF ... ELSE IF ... END IF",
	"class":       "declare a variable or an array for each component",
	"enum":        "declare constants with PARAMETER",
	"enumerator":  "declare constants with PARAMETER",
	"block":       "write BLOCK on a line of its own",
	"codimension": "write it into the declaration: real :: x(n)[*]",
}

// unitWords begin a program unit or procedure, which an END of its own ends.
var unitWords = map[string]bool{
	"submodule": true,
}

// constructs are the block constructs outside the subset, by their first
// word, with the words that end them. What is inside is parsed for its errors
// and dropped.
var constructs = map[string]string{
	"select type": "end select",
}

// outsideSubset reports a statement that the language does not have here, once
// for a whole construct or unit.
func (p *parser) outsideSubset(s scan.Stmt) {
	word := s.Word
	if p.insideConstruct(word) {
		return // TYPE IS: told with the construct
	}
	first := &s.Toks[0]
	if strings.HasPrefix(word, "end ") {
		p.endOfConstruct(s)
		return
	}
	shown := strings.ToUpper(word)
	if word == "=>" {
		shown = "pointer assignment"
	}
	help := instead[word]
	if help == "" {
		help = "remove it"
	}
	p.diags.Add(problem(source.OutsideSubset, first, shown+" is outside the subset of Fortran that is compiled").
		WithHelp("%s", help))
	p.skipBehind(s)
}

// skipBehind arranges what happens to the lines behind a statement that is
// outside the subset.
func (p *parser) skipBehind(s scan.Stmt) {
	switch word := s.Word; {
	case unitWords[word]:
		p.skip = &skipping{unit: true, depth: 1}
	case word == "enum":
		p.skip = &skipping{until: "end enum"}
	case constructs[word] != "":
		p.push(&frame{kind: foreignFrame, what: strings.ToUpper(word), pos: startOf(&s.Toks[0]),
			name: s.Name, until: constructs[word]})
	}
}

// insideConstruct reports whether word is a part of the innermost construct
// outside the subset.
func (p *parser) insideConstruct(word string) bool {
	if len(p.stack) == 0 {
		return false
	}
	top := p.stack[len(p.stack)-1]
	return top.kind == foreignFrame &&
		(word == "type" || word == "class") && top.what == "SELECT TYPE"
}

// endOfConstruct closes the construct that s ends.
func (p *parser) endOfConstruct(s scan.Stmt) {
	if i := p.foreign(s.Word); i >= 0 {
		p.closeAbove(i, startOf(&s.Toks[0]))
		p.pop(startOf(&s.Toks[0]))
		return
	}
	p.diags.Add(problem(source.UnbalancedBlock, &s.Toks[0], strings.ToUpper(s.Word)+" ends nothing here").
		WithHelp("remove it"))
}

// foreign finds the innermost construct outside the subset that until ends, if no
// SELECT CASE inside of it is open; -1 for none.
func (p *parser) foreign(until string) int {
	for i := len(p.stack) - 1; i >= 0 && p.stack[i].kind != selectFrame; i-- {
		if p.stack[i].kind == foreignFrame && p.stack[i].until == until {
			return i
		}
	}
	return -1
}

// skipping says which lines to pass over.
type skipping struct {
	toEOF bool
	until string // the words that end it
	unit  bool   // to the END of the program unit; depth counts nested ones
	depth int
}

// passOver reports whether s is to be passed over.
func (p *parser) passOver(s scan.Stmt) bool {
	k := p.skip
	switch {
	case k == nil:
		return false
	case k.toEOF:
	case k.until != "":
		if s.Kind == scan.Outside && s.Word == k.until {
			p.skip = nil
		}
	case k.unit:
		switch {
		case s.Kind == scan.Subroutine, s.Kind == scan.Function, s.Kind == scan.Outside && unitWords[s.Word]:
			k.depth++
		case s.Kind == scan.End, s.Kind == scan.EndUnit, s.Kind == scan.Outside && isUnitEnd(s.Word):
			if k.depth--; k.depth == 0 {
				p.skip = nil
			}
		}
	}
	return true
}

func isUnitEnd(word string) bool {
	unit, ok := strings.CutPrefix(word, "end ")
	return ok && (unitWords[unit] || unit == "procedure")
}
