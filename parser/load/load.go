// Package load reads the files of a program: those that the command line names,
// and what they include. What it makes of them are physical lines in the order
// in which they are compiled, each with its place.
//
// The preprocessor is a part of it, for files whose extension is in capital
// letters. From
//
//	#define N 3
//	      REAL A(N)
//	      INCLUDE 'common.inc'
//
// come the line REAL A(3), of which the 3 has the place of N, and the lines of
// common.inc.
package load

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/spmdc/spmdc/parser/scan"
	"github.com/spmdc/spmdc/parser/source"
)

// Options say how files are read.
type Options struct {
	// Form is the source form, or nil: by the extension of each file.
	Form scan.Form
	// Define are macros, NAME or NAME=VALUE.
	Define []string
	// ReadFile reads a file that is included; nil: there are none.
	ReadFile func(path string) ([]byte, error)
}

// Text is a file of the command line.
type Text struct {
	Name string
	Text []byte
}

// Program is all that was read of a program.
type Program struct {
	File    *source.File // the first file, with all others as its parts
	Diags   *source.List // what is wrong with includes and preprocessor lines
	Sources []Source     // the files of the command line, in its order
}

// Source is one file of the command line.
type Source struct {
	Name  string
	Form  scan.Form
	Lines []source.Physical
}

// preprocessed are the extensions of files with lines for the preprocessor.
var preprocessed = []string{".F", ".FOR", ".FTN", ".F90", ".F95", ".F03", ".F08"}

// Preprocessed reports whether a file is preprocessed.
func Preprocessed(name string) bool { return slices.Contains(preprocessed, filepath.Ext(name)) }

// Read reads a program of these files.
func Read(files []Text, o Options) *Program {
	p := &Program{}
	for i, f := range files {
		var file *source.File
		if i == 0 {
			file = source.NewFile(f.Name, f.Text)
			p.File, p.Diags = file, source.NewList(file)
		} else {
			file = p.File.Add(f.Name, f.Text)
		}
		form := o.Form
		if form == nil {
			form = scan.FormOf(f.Name)
		}
		r := &reader{program: p, options: o, form: form}
		if Preprocessed(f.Name) {
			r.macros = newMacros(o.Define)
		}
		r.file(file)
		p.Sources = append(p.Sources, Source{Name: f.Name, Form: form, Lines: r.lines})
	}
	return p
}

// maxDepth bounds how deeply files include each other.
const maxDepth = 100

// reader reads one file of the command line with all that it includes.
type reader struct {
	program *Program
	options Options
	form    scan.Form
	macros  *macros  // nil without preprocessor
	stack   []string // the files that are being read, the innermost last
	lines   []source.Physical
	begun   *source.Physical // a line in which a comment of C begins that does not end there
}

// file reads a file, with the preprocessor if there is one.
func (r *reader) file(f *source.File) {
	r.stack = append(r.stack, filepath.Clean(f.Name))
	if r.macros != nil {
		r.preprocess(f)
	} else {
		for _, ph := range f.Physical() {
			r.line(ph)
		}
	}
	r.stack = r.stack[:len(r.stack)-1]
}

// line takes in a line that the preprocessor, if any, has done with.
func (r *reader) line(ph source.Physical) {
	from, to, ok := includeLine(ph, r.form)
	if !ok {
		r.lines = append(r.lines, ph)
		return
	}
	// The file of an INCLUDE line is not preprocessed, as that of #include is.
	macros := r.macros
	r.macros = nil
	r.include(ph, ph.Text[from:to], from, to)
	r.macros = macros
}

// include reads the file called name, as bytes from to to of a line say.
func (r *reader) include(ph source.Physical, name string, from, to int) {
	diags := r.program.Diags
	problem := func(format string, args ...any) *source.Diag {
		return diags.Errorf(source.BadInclude, ph.At(from), format, args...).WithEnd(ph.At(to))
	}
	if len(r.stack) == maxDepth {
		problem("files include each other more than %d deep", maxDepth).
			WithHelp("join some of them")
		return
	}
	path, text, err := r.find(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		problem("there is no file %s", name).
			WithHelp("the file is looked for beside the file that includes it, and beside the first file of the program")
	case err != nil:
		problem("cannot read %s: %v", name, err).WithHelp("check the file and its permissions")
	case slices.Contains(r.stack, filepath.Clean(path)):
		problem("the file %s includes itself", name).
			WithHelp("remove the line, or put what the files share into a third one")
	default:
		r.file(r.program.File.Add(path, text))
	}
}

// find reads the file called name: beside the file that includes it, or beside
// the first one.
func (r *reader) find(name string) (path string, text []byte, err error) {
	if r.options.ReadFile == nil || name == "" {
		return "", nil, fs.ErrNotExist
	}
	if filepath.IsAbs(name) {
		text, err = r.options.ReadFile(name)
		return name, text, err
	}
	for _, beside := range []string{r.stack[len(r.stack)-1], r.stack[0], r.program.File.Name} {
		path = filepath.Join(filepath.Dir(beside), name)
		if text, err = r.options.ReadFile(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return path, text, pathless(err)
		}
	}
	return "", nil, err
}

// pathless is what is wrong with a file, without the name of the file.
func pathless(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// includeLine reports whether a line is an INCLUDE line, and where the name
// stands in it.
func includeLine(ph source.Physical, form scan.Form) (from, to int, ok bool) {
	raw, i := ph.Text, 0
	if form == scan.Form(scan.FixedForm{}) {
		if i = scan.StatementStart(ph); i < 0 {
			return 0, 0, false
		}
	}
	blank := func() {
		for i < len(raw) && (raw[i] == ' ' || raw[i] == '\t' || raw[i] == '\r') {
			i++
		}
	}
	blank()
	const word = "include"
	for k := range len(word) {
		if i == len(raw) || raw[i]|0x20 != word[k] {
			return 0, 0, false
		}
		i++
	}
	blank()
	if i == len(raw) || raw[i] != '\'' && raw[i] != '"' {
		return 0, 0, false
	}
	quote := raw[i]
	i++
	from = i
	for i < len(raw) && raw[i] != quote {
		i++
	}
	if i == len(raw) {
		return 0, 0, false
	}
	to = i
	i++
	blank()
	return from, to, i == len(raw) || raw[i] == '!'
}
