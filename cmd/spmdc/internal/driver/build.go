package driver

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/spmdc/spmdc/internal/bundle"
	"github.com/spmdc/spmdc/parser/source"
	"github.com/spmdc/spmdc/runtime/outfile"
)

// Builder turns sources into programs, through a cache.
type Builder struct {
	Table  *Table
	Cache  *Cache
	Race   bool              // build with the race detector
	Host   bool              // build for this machine, whatever GOOS and GOARCH say
	Verify bool              // run the check of every pass
	Fresh  bool              // run the passes even for a program that was compiled before
	Step   func(what string) // gets what comes next, if it may take long; may be nil
}

// Program returns the path of the built program of c, and leaves its warnings in it. The passes run only when
// this source was not compiled before with these options by this spmdc, and
// the Go toolchain only when the emitted program is new.
func (b *Builder) Program(c *Compilation) (string, error) {
	tool, err := findGo(b.Host)
	if err != nil {
		return "", err
	}
	self, err := selfKey()
	if err != nil {
		return "", Usagef("check the installation of spmdc", "spmdc cannot read its own executable: %v", err)
	}
	name := ProgramName(c.File)
	build := []string{tool.key(), fmt.Sprint(b.Race)}
	mpi, err := c.Options.Transport.compiler()
	if err != nil {
		return "", err
	}
	if mpi != nil {
		build = append(build, mpi.path, mpi.key)
	}
	from := hashOf(append(slices.Clone(build), string(self), c.File, c.All(), fmt.Sprintf("%+v", c.Options))...)
	if !b.Fresh && !b.Verify {
		if path, warnings, ok := b.Cache.Lookup(from, name); ok {
			if len(warnings) > 0 {
				c.Diags = source.NewList(c.Program().File)
				c.Diags.Diags = warnings
			}
			return path, nil
		}
	}
	b.step("compiling " + c.File)
	if err := b.Table.Run(c, RunOptions{Verify: b.Verify}); err != nil {
		return "", err
	}
	module := Module(c, 0)
	parts := slices.Clone(build)
	for _, p := range module.Paths() {
		if ext := filepath.Ext(p); ext == ".go" || ext == ".s" || filepath.Base(p) == "go.mod" {
			parts = append(parts, p, string(module[p]))
		}
	}
	key := hashOf(parts...)
	path, ok := b.Cache.Program(key, name)
	if !ok {
		b.step("building " + name)
		path, err = b.Cache.Add(key, name, func(dir, out, tmp string) error {
			if err := writeTree(dir, module); err != nil {
				return b.Cache.failure(err)
			}
			return tool.build(mpi, dir, out, tmp, b.Race)
		})
		if err != nil {
			return "", err
		}
	}
	if f := InterruptedBy(b.Table.Context); f != nil {
		return "", f
	}
	var warnings []*source.Diag
	if c.Diags != nil {
		warnings = c.Diags.Diags
	}
	return path, b.Cache.Remember(from, key, warnings)
}

func (b *Builder) step(what string) {
	if b.Step != nil {
		b.Step(what)
	}
}

// CheckProgramTarget refuses a file that CopyProgram must not write: only what spmdc
// has built is replaced, so that nothing else is lost to a slip of the keys. A device
// or a pipe takes what is written to it.
func CheckProgramTarget(out string) error {
	st, err := os.Stat(out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		dir := filepath.Dir(out)
		if st, err := os.Stat(dir); err != nil || !st.IsDir() {
			return Usagef("make the folder first, or choose another file with -o", "%s: cannot write the program: there is no folder %s", out, dir)
		}
	case err != nil:
		return Usagef("choose another file with -o", "%s: cannot write the program: %v", out, explainPath(err))
	case st.IsDir():
		return Usagef("name the file with -o, for example -o "+filepath.Join(out, "prog"), "%s: is a folder, and build writes a file", out)
	case st.Mode().IsRegular() && st.Size() > 0 && !builtHere(out):
		return Usagef("choose another file with -o, or remove this one", "%s: the file exists and is not a program that spmdc has built", out)
	}
	return nil
}

// builtHere reports whether spmdc has built the program: the Go linker notes in it the
// modules that it is made of, and emitted programs have the run-time packages in a
// folder of their own.
func builtHere(program string) bool {
	info, err := buildinfo.ReadFile(program)
	return err == nil && slices.ContainsFunc(info.Deps, func(m *debug.Module) bool {
		return m.Path == bundle.Path && m.Replace != nil && m.Replace.Path == "./"+bundle.Folder
	})
}

// CopyProgram puts a copy of the built program to the file out, which
// CheckProgramTarget accepts.
func CopyProgram(program, out string) error {
	mode, text, err := readProgram(program)
	if err != nil {
		return Usagef("try again", "%s: cannot read the built program: %v", program, cause(err))
	}
	if err := CheckProgramTarget(out); err != nil { // building took its time
		return err
	}
	if err := writeProgram(out, mode, text); err != nil {
		return Usagef("choose another file with -o", "%s: cannot write the program: %v", out, cause(err))
	}
	return nil
}

func writeProgram(out string, mode fs.FileMode, text []byte) error {
	if st, err := os.Stat(out); err == nil && !st.Mode().IsRegular() {
		f, err := os.OpenFile(out, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.Write(text)
		return errors.Join(err, f.Close())
	}
	f, err := outfile.Aside(out)
	if err != nil {
		return err
	}
	return outfile.Replace(f, out, func(w io.Writer) error {
		_, err := w.Write(text)
		return errors.Join(err, f.Chmod(mode.Perm()))
	}, false, nil)
}

func readProgram(path string) (fs.FileMode, []byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return 0, nil, err
	}
	text, err := os.ReadFile(path)
	return st.Mode(), text, err
}
