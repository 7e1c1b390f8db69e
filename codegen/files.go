package codegen

import (
	"path/filepath"

	"github.com/spmdc/spmdc/parser/source"
)

// place is the file in which a line stands, as //line directives name it, and the
// number of the line there.
func (g *gen) place(line int) (string, int) {
	if g.opt.Files == nil {
		return fileName(g.prog.IR.File), line
	}
	name, n := g.opt.Files.Place(line)
	return fileName(name), n
}

// fileName is a file as //line directives and messages name it.
func fileName(path string) string { return source.Printable(filepath.Base(path)) }

// files emits which lines are those of other files than the first.
func (g *gen) files() {
	if g.opt.Files == nil {
		return
	}
	g.out.p("Files: []spmd.File{")
	for _, part := range g.opt.Files.Parts()[1:] {
		g.out.p("{Name: %q, Before: %d},", fileName(part.Name), part.First()-1)
	}
	g.out.p("},")
}
