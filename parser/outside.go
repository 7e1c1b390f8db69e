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
	noTeams     = "write IFs with this_image(), and sync images with those that take part"
)

// instead says, for each statement outside the subset, what to write.
var instead = map[string]string{
	"abstract": noInterface, "procedure": noInterface,
	"bind": needless, "generic": noInterface, "final": needless,

	"include": "put the text in place",
	"module":  "write MODULE name, on a line of its own",

	"pointer": noPointers,

	"wait":   needless,
	"format": "write 10 format(...), with a label and in a procedure or program",

	"sequence": needless,

	"assign":    "write assign 10 to k",
	"class":     "declare a variable or an array for each component",
	"block":     "write BLOCK on a line of its own",
	"form team": noTeams, "change team": noTeams, "end team": noTeams,
	"fail image":  "write error stop: it ends all images",
	"codimension": "write it into the declaration: real :: x(n)[*]",
}

// constructs are the block constructs outside the subset, by their first
// word, with the words that end them. What is inside is parsed for its errors
// and dropped.
var constructs = map[string]string{
	"change team": "end team",
}

// outsideSubset reports a statement that the language does not have here, once
// for a whole construct or unit.
func (p *parser) outsideSubset(s scan.Stmt) {
	word := s.Word
	first := &s.Toks[0]
	if strings.HasPrefix(word, "end ") {
		p.endOfConstruct(s)
		return
	}
	shown := strings.ToUpper(word)
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
	case constructs[word] != "":
		p.push(&frame{kind: foreignFrame, what: strings.ToUpper(word), pos: startOf(&s.Toks[0]),
			name: s.Name, until: constructs[word]})
	}
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
type skipping struct{ toEOF bool }

// passOver reports whether a statement is to be passed over.
func (p *parser) passOver() bool { return p.skip != nil && p.skip.toEOF }
