// Package runtime holds the source text of the run-time library, which the
// compiler writes into every module that it emits. The library itself is in the
// packages below; nothing here runs.
package runtime

import (
	"embed"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// module is the path of the module that the packages of the library belong to.
const module = "github.com/spmdc/spmdc/"

//go:embed check/*.go dist/*.go elementary/*.go elide/*.go fio/*.go outfile/*.go record/*.go files/*.go shell/*.go snapshot/*.go spmd/*.go transport/*.go transport/agree/*.go transport/inproc/*.go trace/*.go trace/tracefile/*.go transport/mpi/*.go vector/*.go trace/*.s transport/inproc/*.s vector/*.s
var sources embed.FS

// Files is the sources of the library without their tests, by paths relative
// to the module: "runtime/dist/layout.go". Import paths in them are those of
// this module.
func Files() map[string][]byte {
	files := make(map[string][]byte)
	err := fs.WalkDir(sources, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			addFolder(files, name)
		}
		return err
	})
	if err != nil {
		panic("runtime: embedded sources: " + err.Error()) // cannot fail: they are in the binary
	}
	return files
}

// addFolder adds the files of one folder.
func addFolder(files map[string][]byte, dir string) {
	entries, err := sources.ReadDir(dir)
	for _, entry := range entries {
		name := path.Join(dir, entry.Name())
		if entry.IsDir() || strings.HasSuffix(name, "_test.go") {
			continue
		}
		var text []byte
		if text, err = sources.ReadFile(name); err != nil {
			break
		}
		files[path.Join("runtime", name)] = text
	}
	if err != nil {
		panic("runtime: embedded sources: " + err.Error()) // cannot fail: they are in the binary
	}
}

// FilesFor is Files of the packages that the given Go sources import, and of those that these
// import in turn.
func FilesFor(texts ...[]byte) map[string][]byte {
	files := make(map[string][]byte)
	read := map[string]bool{} // folders
	var add func(text []byte)
	add = func(text []byte) {
		for _, dir := range imported(text) {
			if read[dir] {
				continue
			}
			read[dir] = true
			addFolder(files, strings.TrimPrefix(dir, "runtime/"))
			for name, text := range files {
				if path.Dir(name) == dir && path.Ext(name) == ".go" {
					add(text)
				}
			}
		}
	}
	for _, text := range texts {
		add(text)
	}
	return files
}

// imported is the folders of the packages of the library that a Go source imports.
func imported(text []byte) (dirs []string) {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ImportsOnly)
	if err != nil {
		panic("runtime: imports of a source of the compiler's own: " + err.Error())
	}
	for _, spec := range file.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			if dir, own := strings.CutPrefix(p, module); own {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}
