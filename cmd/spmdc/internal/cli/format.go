package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/parser/layout"
	"github.com/spmdc/spmdc/parser/scan"
	"github.com/spmdc/spmdc/parser/source"
)

type fmtCmd struct {
	files
	Write  bool   `short:"w" help:"Write the result to the file, whose extension must be of its form, and print nothing."`
	List   bool   `short:"l" help:"List the files that would change."`
	Form   string `placeholder:"FORM" default:"free" help:"Source form of the result: free, the default, or fixed."`
	From   string `placeholder:"FORM" help:"Source form of the files: free or fixed; by default their extensions say it."`
	Indent int    `placeholder:"N" default:"2" help:"How many blanks a block is indented; 2 is the default."`
}

// Run formats files, each by itself.
func (cmd *fmtCmd) Run(env *Env) error {
	for flag, form := range map[string]string{"--form": cmd.Form, "--from": cmd.From} {
		if form != "" && !slices.Contains(driver.Forms, form) {
			return driver.Usagef("the forms are "+strings.Join(driver.Forms, " and "), "%s=%s is not known", flag, form)
		}
	}
	if cmd.Indent < 0 || cmd.Indent > 8 {
		return driver.Usagef("write for example --indent=3", "--indent=%d: a block is indented by 0 to 8 blanks", cmd.Indent)
	}
	o := layout.Options{To: driver.FormOf(cmd.Form), Indent: cmd.Indent, ReadFile: os.ReadFile}
	var failed error
	for _, file := range cmd.all() {
		if err := cmd.file(file, o, env); err != nil {
			if err != driver.ErrDiagnosed {
				return err
			}
			failed = err
		}
	}
	return failed
}

// file formats a file.
func (cmd *fmtCmd) file(name string, o layout.Options, env *Env) error {
	text, err := driver.ReadSource(name, cmd.From)
	if err != nil {
		return err
	}
	own := scan.FormOf(name)
	if o.From = driver.FormOf(cmd.From); o.From == nil {
		o.From = own
	}
	if cmd.Write && o.To != own && cmd.From == "" {
		other := map[bool]string{true: "fixed", false: "free"}[own == scan.Form(scan.FixedForm{})]
		return driver.Usagef("write --form="+other+", or leave -w out and give the result a name of its own", "%s: the extension means %s form", name, other)
	}
	result, diags, err := layout.Format(name, text, o)
	if err != nil {
		return &driver.Failure{Status: driver.StatusInternal, Text: name + ": " + err.Error(), Remedy: "please report this with the file"}
	}
	if diags.Err() != nil {
		if err := diags.Render(env.Stderr, diags.File, env.Color); err != nil {
			return err
		}
		return driver.ErrDiagnosed
	}
	same := bytes.Equal(text, []byte(result))
	if cmd.List && !same {
		if _, err := fmt.Fprintln(env.Stdout, source.Printable(name)); err != nil {
			return written(err)
		}
	}
	switch {
	case cmd.Write && same:
		return nil
	case cmd.Write:
		return replaceSource(name, result)
	case cmd.List:
		return nil
	}
	_, err = io.WriteString(env.Stdout, result)
	return written(err)
}

// replaceSource gives a source file another text: the file is the old or the new one at any
// time.
func replaceSource(name, text string) error {
	failed := func(err error) error {
		return driver.Usagef("check the permissions of the file and its folder", "%s: cannot write it: %v", name, err)
	}
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		return failed(err)
	}
	st, err := os.Stat(target)
	if err != nil {
		return failed(err)
	}
	f, err := os.CreateTemp(filepath.Dir(target), ".spmdc-fmt-*")
	if err != nil {
		return failed(err)
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Chmod(st.Mode().Perm())
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), target)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return failed(err)
	}
	return nil
}
