package driver

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spmdc/spmdc/runtime"
)

// Bundle builds one program out of many emitted ones, in the folder dir, which it
// makes: linking is what takes time when there are many. The first argument of the
// bundle is the name of the program to run. mains are the texts of main.go by name.
func Bundle(dir string, mains map[string][]byte) (program string, err error) {
	tool, err := findGo(true)
	if err != nil {
		return "", err
	}
	t := Tree{"go.mod": fmt.Appendf(nil, "module %s\n\ngo %s\n", modulePath, goVersion)}
	for p, text := range runtime.Files() {
		t[p] = text
	}
	var imports, table bytes.Buffer
	for i, name := range slices.Sorted(maps.Keys(mains)) {
		pkg := fmt.Sprintf("p%d", i)
		text := bytes.Replace(mains[name], []byte("\npackage main\n"), []byte("\npackage "+pkg+"\n"), 1)
		text = bytes.Replace(text, []byte("\nfunc main() {"), []byte("\nfunc Main() {"), 1)
		t[pkg+"/"+pkg+".go"] = text
		fmt.Fprintf(&imports, "%q\n", modulePath+"/"+pkg)
		fmt.Fprintf(&table, "%q: %s.Main,\n", name, pkg)
	}
	t["main.go"] = fmt.Appendf(nil, "package main\nimport (\n\"os\"\n%s)\nvar programs = map[string]func(){\n%s}\n"+
		"func main() {\nname := os.Args[1]\nos.Args = append(os.Args[:1], os.Args[2:]...)\nprograms[name]()\n}\n", imports.Bytes(), table.Bytes())
	if err := writeTree(dir, t); err != nil {
		return "", Usagef("check the disk", "cannot write the programs: %v", cause(err))
	}
	tmp := filepath.Join(dir, "tmp")
	if err := os.Mkdir(tmp, 0o777); err != nil {
		return "", Usagef("check the disk", "cannot write the programs: %v", cause(err))
	}
	program = filepath.Join(dir, "bundle")
	return program, tool.build(dir, program, tmp, false)
}
