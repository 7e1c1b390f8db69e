// Package runtime holds the source text of the run-time library, which the
// compiler writes into every module that it emits. The library itself is in the
// packages below; nothing here runs.
package runtime

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:embed check/*.go dist/*.go elementary/*.go elide/*.go outfile/*.go snapshot/*.go spmd/*.go transport/*.go transport/inproc/*.go vector/*.go vector/*.s
var sources embed.FS

// Files is the sources of the library without their tests, by paths relative
// to the module: "runtime/dist/layout.go". Import paths in them are those of
// this module.
func Files() map[string][]byte {
	files := make(map[string][]byte)
	err := fs.WalkDir(sources, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := sources.ReadFile(name)
		files[path.Join("runtime", name)] = text
		return err
	})
	if err != nil {
		panic("runtime: embedded sources: " + err.Error()) // cannot fail: they are in the binary
	}
	return files
}
