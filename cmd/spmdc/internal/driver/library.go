package driver

import (
	"fmt"
	"os"
	"path"

	"github.com/spmdc/spmdc/runtime"
)

// Library returns the path of a library of that name in the cache. build makes it, in the file
// out, if there is none for the key, which is all that it is made of.
func (c *Cache) Library(name, key string, build func(out string) error) (string, error) {
	k := hashOf("library", name, key)
	if path, ok := c.Program(k, name); ok {
		return path, nil
	}
	return c.Add(k, name, func(_, out, _ string) error { return build(out) })
}

// GoLibrary is Library for a Go package main that C calls, of one file, which may import packages of the run time.
// begin is called before it is built.
func (c *Cache) GoLibrary(name string, source []byte, begin func()) (string, error) {
	tool, err := findGo(true)
	if err != nil {
		return "", err
	}
	module := Tree{"main.go": source, "go.mod": goMod("library"), runtimeFolder + "/go.mod": fmt.Appendf(nil, "module %s\n\ngo %s\n", modulePath, goVersion)}
	for p, text := range runtime.FilesFor(source) {
		module[path.Join(runtimeFolder, p)] = text
	}
	parts := []string{"library", tool.key()}
	for _, p := range module.Paths() {
		parts = append(parts, p, string(module[p]))
	}
	k := hashOf(parts...)
	if path, ok := c.Program(k, name); ok {
		return path, nil
	}
	begin()
	return c.Add(k, name, func(dir, out, tmp string) error {
		if err := writeTree(dir, module); err != nil {
			return c.failure(err)
		}
		if err := tool.build(&mpiCompiler{path: "gcc"}, dir, out, tmp, false, "-buildmode=c-shared"); err != nil {
			return err
		}
		return os.Chmod(out, 0o700) // as all that the cache keeps
	})
}
