package driver

import (
	"os"
	"path/filepath"

	"github.com/spmdc/spmdc/internal/bundle"
)

// Bundle builds one program out of many emitted ones, in the folder dir, which it
// makes: it runs them as they are asked for, by their names in mains, which are the
// texts of main.go.
func Bundle(dir string, mains map[string][]byte, on Transport) (program string, err error) {
	tool, err := findGo(true)
	if err != nil {
		return "", err
	}
	mpi, err := on.compiler()
	if err != nil {
		return "", err
	}
	files, err := bundle.Files(mains, goVersion)
	if err != nil {
		return "", internalf("code", "%v", err)
	}
	if err := writeTree(dir, files); err != nil {
		return "", Usagef("check the disk", "cannot write the programs: %v", cause(err))
	}
	tmp := filepath.Join(dir, "tmp")
	if err := os.Mkdir(tmp, 0o777); err != nil {
		return "", Usagef("check the disk", "cannot write the programs: %v", cause(err))
	}
	program = filepath.Join(dir, "bundle")
	return program, tool.build(mpi, dir, program, tmp, false, bundle.Flags...)
}
