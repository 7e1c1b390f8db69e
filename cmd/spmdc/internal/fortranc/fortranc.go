// Package fortranc runs other compilers of Fortran: what their programs print, and how
// fast they are, is what those of spmdc are compared with.
package fortranc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/fortran"
)

// ErrMissing says that a compiler is not installed.
var ErrMissing = errors.New("not installed")

// Compile builds the file program of sources with a compiler, as gfortran, mpifort or
// caf. Modules that the sources use and do not have, and what the compiler makes of
// them, are put beside the program. The error is ErrMissing where there is no such
// compiler, and otherwise has the first of what it says.
func Compile(tool string, sources []string, program string, flags ...string) error {
	path, err := exec.LookPath(tool)
	if err != nil {
		return fmt.Errorf("%s: %w", tool, ErrMissing)
	}
	var text []byte
	for _, s := range sources {
		one, err := os.ReadFile(s)
		if err != nil {
			return err
		}
		text = append(append(text, one...), '\n')
	}
	dir := filepath.Dir(program)
	args := slices.Concat(flags, []string{"-J", dir, "-o", program})
	module := func(name string, text []byte) error {
		file := filepath.Join(dir, name)
		args = append(args, file)
		return os.WriteFile(file, text, 0o666)
	}
	if fortran.Needed(text) {
		if err := module(fortran.Name, fortran.SPMD); err != nil {
			return err
		}
	}
	if fortran.NeedsLibrary(text) {
		if err := module(fortran.LibraryName, fortran.Library(text)); err != nil {
			return err
		}
	}
	out, err := exec.Command(path, append(args, sources...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s does not compile %s: %w\n%s", tool, filepath.Base(sources[0]), err, first(string(out), sources[0]))
	}
	return nil
}

// first is the first message in what a compiler says, without the folder of the source.
func first(out, source string) string {
	var lines []string
	for line := range strings.Lines(strings.ReplaceAll(out, filepath.Dir(source)+string(filepath.Separator), "")) {
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) == "" {
			continue
		}
		lines = append(lines, line)
		if strings.Contains(line, "Error: ") || len(lines) == 8 {
			break
		}
	}
	return strings.Join(lines, "\n")
}
