package driver

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spmdc/spmdc/internal/bundle"
	"github.com/spmdc/spmdc/runtime"
)

// Library returns the path of a library of that name in the cache. from is what its tools and sources are as far as that
// is quickly known: where it is what it was when the library was last used, no tool is started. Otherwise key is all that the library
// is made of, and build makes it in the file out if there is none.
func (c *Cache) Library(name, from string, key func() (string, error), build func(dir, out, tmp string) error) (string, error) {
	quick := hashOf("library", name, from)
	if path, _, ok := c.Lookup(quick, name); ok {
		return path, nil
	}
	made, err := key()
	if err != nil {
		return "", err
	}
	k := hashOf("library", name, made)
	path, ok := c.Program(k, name)
	if !ok {
		if path, err = c.Add(k, name, build); err != nil {
			return "", err
		}
	}
	return path, c.Remember(quick, k, nil)
}

// Tools says which files these commands are, with length and time, so that other ones are seen without starting them.
func Tools(commands ...string) string {
	var b strings.Builder
	for _, name := range commands {
		path, err := exec.LookPath(name)
		if err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
		if err != nil {
			fmt.Fprintf(&b, "%s: none\n", name)
			continue
		}
		if st, err := os.Stat(path); err == nil {
			fmt.Fprintf(&b, "%s: %s %d %d\n", name, path, st.Size(), st.ModTime().UnixNano())
		}
	}
	return b.String()
}

// GoLibrary is Library for a Go package main that C calls, of one file, which may import packages of the run time.
// begin is called before it is built.
func (c *Cache) GoLibrary(name string, source []byte, begin func()) (string, error) {
	module := Tree(bundle.Module("library", goVersion, runtime.FilesFor(source)))
	module["main.go"] = source
	var text strings.Builder
	for _, p := range module.Paths() {
		fmt.Fprintf(&text, "%s %d\n%s", p, len(module[p]), module[p])
	}
	var tool *goTool
	return c.Library(name, Tools("go", "gcc")+text.String(), func() (string, error) {
		var err error
		if tool, err = findGo(true); err != nil {
			return "", err
		}
		return tool.key() + text.String(), nil
	}, func(dir, out, tmp string) error {
		begin()
		if err := writeTree(dir, module); err != nil {
			return c.failure(err)
		}
		if err := tool.build(&mpiCompiler{path: "gcc"}, dir, out, tmp, false, "-buildmode=c-shared"); err != nil {
			return err
		}
		return os.Chmod(out, 0o700) // as all that the cache keeps
	})
}
