package driver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Builder turns sources into programs, through a cache.
type Builder struct {
	Table  *Table
	Cache  *Cache
	Race   bool // build with the race detector
	Host   bool // build for this machine, whatever GOOS and GOARCH say
	Verify bool // run the check of every pass
	Fresh  bool // run the passes even for a program that was compiled before
}

// Program returns the path of the built program of c. The passes run only when
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
	source := hashOf(append(slices.Clone(build), string(self), c.File, string(c.Text), fmt.Sprintf("%+v", c.Options))...)
	if !b.Fresh && !b.Verify {
		if path, ok := b.Cache.Lookup(source, name); ok {
			return path, nil
		}
	}
	if err := b.Table.Run(c, RunOptions{Verify: b.Verify}); err != nil {
		return "", err
	}
	module := Module(c, 0)
	parts := slices.Clone(build)
	for _, p := range module.Paths() {
		if filepath.Ext(p) == ".go" || filepath.Base(p) == "go.mod" {
			parts = append(parts, p, string(module[p]))
		}
	}
	key := hashOf(parts...)
	path, ok := b.Cache.Program(key, name)
	if !ok {
		path, err = b.Cache.Add(key, name, func(dir, out, tmp string) error {
			if err := writeTree(dir, module); err != nil {
				return b.Cache.failure(err)
			}
			return tool.build(dir, out, tmp, b.Race)
		})
		if err != nil {
			return "", err
		}
	}
	// A program with warnings is not remembered, so that they show again.
	if c.Diags == nil || c.Diags.Len() == 0 {
		err = b.Cache.Remember(source, key)
	}
	return path, err
}

// CheckProgramTarget refuses a file that CopyProgram must not write: only a
// program is replaced, so that no source is lost to a slip of the keys.
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
	case !st.Mode().IsRegular() || st.Mode().Perm()&0o111 == 0:
		return Usagef("choose another file with -o, or remove this one", "%s: the file exists and is not a program", out)
	}
	return nil
}

// CopyProgram puts a copy of the built program to the file out, which
// CheckProgramTarget accepts.
func CopyProgram(program, out string) error {
	mode, text, err := readProgram(program)
	if err != nil {
		return Usagef("try again", "%s: cannot read the built program: %v", program, cause(err))
	}
	f, err := os.CreateTemp(filepath.Dir(out), "."+filepath.Base(out)+".spmdc-")
	if err != nil {
		return Usagef("choose another file with -o", "%s: cannot write the program: %v", out, explainPath(err))
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Chmod(f.Name(), mode.Perm())
	}
	if err == nil {
		err = os.Rename(f.Name(), out)
	}
	if err != nil {
		os.Remove(f.Name())
		return Usagef("choose another file with -o", "%s: cannot write the program: %v", out, cause(err))
	}
	return nil
}

func readProgram(path string) (fs.FileMode, []byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return 0, nil, err
	}
	text, err := os.ReadFile(path)
	return st.Mode(), text, err
}
