package parser

import (
	"strings"

	"github.com/spmdc/spmdc/parser/scan"
	"github.com/spmdc/spmdc/parser/source"
)

const (
	noInterface = "put the procedure behind CONTAINS, or into a module: its interface is known then"
	needless    = "remove it: it has no effect here"
)

// instead says, for each statement outside the subset, what to write.
var instead = map[string]string{
	"abstract": noInterface, "procedure": noInterface,
	"bind": needless, "generic": noInterface,

	"include": "put the text in place",
	"module":  "write MODULE name, on a line of its own",

	"wait":   needless,
	"format": "write 10 format(...), with a label and in a procedure or program",

	"sequence": needless,

	"assign": "write assign 10 to k",
	"class":  "declare a variable or an array for each component",
	"block":  "write BLOCK on a line of its own",
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
}

// endOfConstruct reports an END of nothing.
func (p *parser) endOfConstruct(s scan.Stmt) {
	p.diags.Add(problem(source.UnbalancedBlock, &s.Toks[0], strings.ToUpper(s.Word)+" ends nothing here").
		WithHelp("remove it"))
}

// skipping says which lines to pass over.
type skipping struct{ toEOF bool }

// passOver reports whether a statement is to be passed over.
func (p *parser) passOver() bool { return p.skip != nil && p.skip.toEOF }
