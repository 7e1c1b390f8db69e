package cli

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/parser/load"
)

// files are the source files of a program. They are two arguments, so that flags may
// stand between the first file and the others.
type files struct {
	File string   `arg:"" help:"Source file (.hpf, .f90, .f; see --form)."`
	More []string `arg:"" optional:"" help:"Further files of the program, in any order."`
}

func (f *files) all() []string { return append([]string{f.File}, f.More...) }

// sourceFlags say how sources are read.
type sourceFlags struct {
	Form   string   `placeholder:"FORM" help:"Source form of all files: free or fixed; by default .f, .for and .ftn, in small or capital letters, mean fixed form, and all other extensions free form."`
	Define []string `short:"D" sep:"none" placeholder:"NAME=VALUE" help:"Define a macro for the preprocessor, which reads files whose extension is in capital letters, as .F and .F90."`
}

// into sets the options that the flags give.
func (f *sourceFlags) into(o *driver.Options) error {
	if f.Form != "" && !slices.Contains(driver.Forms, f.Form) {
		return driver.Usagef("the forms are "+strings.Join(driver.Forms, " and "), "--form=%s is not known", f.Form)
	}
	for _, d := range f.Define {
		if name, _, _ := strings.Cut(d, "="); !macroName.MatchString(name) {
			return driver.Usagef("write for example -DN=100", "-D%s: %q is no name of a macro", d, name)
		}
	}
	o.Form, o.Define = f.Form, f.Define
	return nil
}

var macroName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// read reads the files of a program.
func (f *sourceFlags) read(files []string) ([]load.Text, error) {
	var texts []load.Text
	for i, file := range files {
		if slices.Contains(files[:i], file) {
			return nil, driver.Usagef("name each file once", "%s: the file is there twice", file)
		}
		text, err := driver.ReadSource(file, f.Form)
		if err != nil {
			return nil, err
		}
		texts = append(texts, load.Text{Name: file, Text: text})
	}
	return texts, nil
}
