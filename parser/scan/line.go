// Package scan turns source text into logical lines, logical lines into
// tokens, and says what kind of statement a line of tokens is.
//
// A logical line is one statement or directive without comments, sentinel and
// continuation marks; it remembers where each of its bytes stood. From
//
//	10 x = a + &   ! first part
//	       b ; y = 2
//
// come two lines: "x = a + b" with label 10, and "y = 2".
//
// The prescan is the only part that depends on the source form; a form is
// anything that implements Form.
package scan

import (
	"path/filepath"
	"slices"
	"sort"

	"github.com/spmdc/spmdc/parser/source"
)

// Line is one logical line: a statement or a directive.
type Line struct {
	// Text is free of comments, continuation marks, label and sentinel, and
	// begins and ends with a byte that is not blank. Letters are as written.
	Text string
	// Dense says that the line is of fixed form: Text has no blanks outside
	// strings, and words run together.
	Dense bool
	// Directive tells that the line had the sentinel !HPF$ or !SPMD$.
	Directive bool
	// Label is the statement label, 0 when absent. LabelPos is its place.
	Label    int
	LabelPos source.Pos
	// Broken tells that an error of the line was reported already, so that
	// further ones would only repeat it.
	Broken bool

	first source.Pos // of Text[0]
	parts []part     // of a continued line; nil when all is on one file line
}

// part says where Text[off:], up to the next part, stands in the file.
type part struct {
	off int
	pos source.Pos
}

// Pos returns the place in the file of Text[off]; off may be len(Text).
func (l *Line) Pos(off int) source.Pos {
	p := part{0, l.first}
	if l.parts != nil {
		i := sort.Search(len(l.parts), func(i int) bool { return l.parts[i].off > off })
		if i > 0 {
			p = l.parts[i-1]
		}
	}
	return source.Pos{Line: p.pos.Line, Col: p.pos.Col + off - p.off}
}

// Form is a source form: it joins physical lines to logical ones, and reports
// what is wrong with continuations, labels and strings.
type Form interface {
	Lines(text []source.Physical, diags *source.List) []Line
}

// Extensions are those of source files, by form; in files whose extension is in
// capital letters there are lines for the preprocessor.
var (
	FreeExtensions  = []string{".hpf", ".f90", ".F90", ".f95", ".F95", ".f03", ".F03", ".f08", ".F08"}
	FixedExtensions = []string{".f", ".F", ".for", ".FOR", ".ftn", ".FTN"}
)

// FormOf chooses the form by the extension of the file name: fixed form for .f
// and the like, free form for everything else.
func FormOf(name string) Form {
	if slices.Contains(FixedExtensions, filepath.Ext(name)) {
		return FixedForm{}
	}
	return FreeForm{}
}
