package driver

import (
	"bytes"
	"fmt"
	"github.com/spmdc/spmdc/fortran"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/parser"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/parser/load"
	"github.com/spmdc/spmdc/parser/scan"
	"github.com/spmdc/spmdc/parser/source"
)

// Forms are the source forms that an option can name.
var Forms = []string{"free", "fixed"}

// FormOf is the form of that name, nil for "".
func FormOf(name string) scan.Form {
	switch name {
	case "free":
		return scan.FreeForm{}
	case "fixed":
		return scan.FixedForm{}
	}
	return nil
}

// NewProgram prepares the compilation of a program of several files.
func NewProgram(files []load.Text, o Options) *Compilation {
	c := New(files[0].Name, files[0].Text, o)
	c.More = files[1:]
	return c
}

// Again prepares another compilation of the same sources.
func (c *Compilation) Again(o Options) *Compilation {
	again := New(c.File, c.Text, o)
	again.More = c.More
	return again
}

// sources are the files of the command line, and behind them module hpf_library where they
// use it.
func (c *Compilation) sources() []load.Text {
	list := append([]load.Text{{Name: c.File, Text: c.Text}}, c.More...)
	var all []byte
	for _, f := range list {
		all = append(append(all, f.Text...), '\n')
	}
	if fortran.NeedsLibrary(all) {
		list = append(list, load.Text{Name: fortran.LibraryName, Text: fortran.Library(all)})
	}
	return list
}

// Program is all that is read of the program, files that are included among it.
// It is read once.
func (c *Compilation) Program() *load.Program {
	if c.program == nil {
		c.program = load.Read(c.sources(), load.Options{
			Form: FormOf(c.Options.Form), Define: c.Options.Define, ReadFile: readIncluded,
		})
	}
	return c.program
}

// readIncluded reads a file that a program includes; no pipe or device, which
// might never end.
func readIncluded(path string) ([]byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("it is no regular file")
	}
	return os.ReadFile(path)
}

// All is the text of all files, which says what a program is: names and texts.
func (c *Compilation) All() string {
	parts := c.Program().File.Parts()
	if len(parts) == 1 {
		return string(c.Text)
	}
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&b, "%q %d\n%s\n", p.Name, len(p.Text), p.Text)
	}
	return b.String()
}

// legend says, above a text with numbers of lines, what those mean that the
// first file does not have; "" for a program of one file.
func (c *Compilation) legend() string {
	var b strings.Builder
	for _, p := range c.Program().File.Parts()[1:] {
		fmt.Fprintf(&b, "numbers %d to %d stand for lines 1 to %d of %s\n", p.First(), p.First()+p.Lines()-1, p.Lines(), source.Printable(p.Name))
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}

// WriteFortran writes the sources to a folder for another compiler of Fortran,
// in an order in which modules precede what uses them. It returns the files, and
// the flags with which they are to be compiled. Their names show their form.
func (c *Compilation) WriteFortran(dir string) (files, flags []string, err error) {
	tree, _ := parser.ParseProgram(c.Program())
	for _, i := range compileOrder(tree, c.Program()) {
		s, text := c.Program().Sources[i], c.sources()[i]
		ext := ".f90"
		if s.Form == scan.Form(scan.FixedForm{}) {
			ext = ".f"
		}
		if load.Preprocessed(s.Name) {
			ext = strings.ToUpper(ext)
		}
		file := filepath.Join(dir, fmt.Sprintf("source%d%s", i+1, ext))
		if err := os.WriteFile(file, bytes.TrimPrefix(text.Text, []byte("\xef\xbb\xbf")), 0o666); err != nil {
			return nil, nil, Usagef("check the disk", "%v", err)
		}
		files = append(files, file)
	}
	flags = append(flags, "-fdec-math") // functions of angles in degrees
	for _, d := range c.Options.Define {
		flags = append(flags, "-D"+d)
	}
	for _, p := range c.Program().File.Parts() {
		folder := "-I" + filepath.Dir(p.Name)
		if !slices.Contains(flags, folder) {
			flags = append(flags, folder)
		}
	}
	return files, flags, nil
}

// compileOrder orders the files of a program so that each stands behind those
// whose modules it uses.
func compileOrder(tree *ast.File, program *load.Program) []int {
	starts := []int{} // of each source, the number of its first line
	for _, p := range program.File.Parts() {
		if len(starts) < len(program.Sources) && p.Name == program.Sources[len(starts)].Name {
			starts = append(starts, p.First())
		}
	}
	sourceOf := func(line int) int {
		at, _ := slices.BinarySearch(starts, line+1)
		return max(at-1, 0)
	}
	defines := map[string]int{}
	for _, m := range tree.Modules {
		defines[m.Name] = sourceOf(m.Pos.Line)
	}
	uses := make([][]int, len(program.Sources))
	for _, u := range slices.Concat(tree.Modules, []*ast.Program{tree.Program}, tree.Procedures) {
		at := sourceOf(u.Pos.Line)
		for name := range parser.UsedBy(u) {
			if from, ok := defines[name]; ok && from != at {
				uses[at] = append(uses[at], from)
			}
		}
	}
	var order []int
	visited := make([]bool, len(uses))
	var visit func(i int)
	visit = func(i int) {
		if visited[i] {
			return
		}
		visited[i] = true
		for _, k := range uses[i] {
			visit(k)
		}
		order = append(order, i)
	}
	for i := range uses {
		visit(i)
	}
	return order
}
