package mpi

import (
	"bytes"
	"embed"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
)

//go:embed library/shim/*.c library/shim/*.h library/engine/engine.go
var sources embed.FS

// Library is the two libraries that a process loads: shim before MPI, and engine from there.
type Library struct{ Shim, Engine string }

// implementation is an implementation of MPI.
type implementation struct {
	name     string
	library  string   // part of the name of its library that programs need
	mpicc    []string // names of its compiler wrapper
	packages string   // of Debian
	version  string   // what the command that starts programs says with --version
	forward  string   // the flag of that command by which a variable goes to other hosts, if it does not by itself
	foreign  string   // part of the names of its functions that have no wrappers
	coarrays bool     // the program is linked with OpenCoarrays too
}

var implementations = []implementation{
	{"Open MPI", "libmpi.so.40", []string{"mpicc.openmpi", "mpicc"}, "libopenmpi-dev", "Open MPI", "-x", "", false},
	{"MPICH", "libmpich.so.12", []string{"mpicc.mpich", "mpicc"}, "libmpich-dev", "HYDRA", "", "_f08_", false},
}

// probe is compiled to find out for which implementation a compiler wrapper is.
const probe = `#include <mpi.h>
#ifdef OPEN_MPI
const char *implementation = "Open MPI";
#elif defined MPICH_VERSION
const char *implementation = "MPICH";
#endif
`

// compiler is the wrapper of the C compiler for an implementation.
func (m *implementation) compiler(tmp string) (path, version string, missing []string) {
	for _, name := range m.mpicc {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		cmd := exec.Command(path, "-E", "-P", "-x", "c", "-")
		cmd.Dir, cmd.Stdin = tmp, strings.NewReader(probe)
		out, err := cmd.Output()
		if err != nil || !bytes.Contains(out, []byte(`implementation = "`+m.name+`"`)) {
			continue
		}
		shown, err := exec.Command(path, "-show").Output()
		if err == nil {
			return path, string(shown) + string(out), nil
		}
	}
	return "", "", []string{m.packages + " (mpicc of " + m.name + ")"}
}

// Build builds the libraries for an implementation of MPI, once: they are kept in the cache. One
// error names all that is missing.
func Build(cache *driver.Cache, m *implementation, step func(string)) (*Library, error) {
	texts := map[string]string{"wrap.c": wrappers()}
	files, err := sources.ReadDir("library/shim")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		text, err := sources.ReadFile("library/shim/" + f.Name())
		if err != nil {
			return nil, err
		}
		texts[f.Name()] = string(text)
	}
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintf(&all, "%s %d\n%s", name, len(texts[name]), texts[name])
	}
	var mpicc, cc string
	shim, err := cache.Library("libspmdc_mpi.so", m.name+driver.Tools(append(m.mpicc, "gcc")...)+all.String(), func() (key string, err error) {
		var version string
		mpicc, cc, version, err = m.tools()
		return version + all.String(), err
	}, func(dir, out, _ string) error {
		step("building the library for " + m.name)
		for name, text := range texts {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				return err
			}
		}
		var objects []string
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			if base, is := strings.CutSuffix(name, ".c"); is {
				objects = append(objects, base+".o")
				if err := compile(dir, mpicc, "-O2", "-fPIC", "-c", name, "-o", base+".o"); err != nil {
					return err
				}
			}
		}
		// It needs no library of MPI: the program brings it, and programs without MPI do without it.
		return compile(dir, cc, append([]string{"-shared", "-Wl,-z,lazy", "-o", out}, append(objects, "-ldl", "-lpthread")...)...)
	})
	if err != nil {
		return nil, err
	}
	source, err := sources.ReadFile("library/engine/engine.go")
	if err != nil {
		return nil, err
	}
	engine, err := cache.GoLibrary("libspmdc_engine.so", source, func() { step("building the engine") })
	return &Library{shim, engine}, err
}

// tools are the compilers that build the library, and what the one of MPI says of itself.
func (m *implementation) tools() (mpicc, cc, version string, err error) {
	tmp, err := os.MkdirTemp("", "spmdc-mpi-")
	if err != nil {
		return "", "", "", driver.Usagef("check TMPDIR", "there is no place to try compilers: %v", err)
	}
	defer os.RemoveAll(tmp)
	mpicc, version, missing := m.compiler(tmp)
	if cc, err = exec.LookPath("gcc"); err != nil {
		missing = append(missing, "gcc")
	} else if out, err := exec.Command(cc, "-shared", "-o", filepath.Join(tmp, "probe.so"), "-Wl,--no-as-needed", "-l:libunwind.so.8").CombinedOutput(); err != nil {
		if !bytes.Contains(out, []byte("libunwind")) {
			return "", "", "", driver.Usagef("install gcc anew", "%s does not work: %s", cc, string(out))
		}
		missing = append(missing, "libunwind8")
	}
	if _, err := exec.LookPath("go"); err != nil {
		missing = append(missing, "golang (Go 1.26 or later)")
	}
	if len(missing) > 0 {
		return "", "", "", driver.Usagef("install what is missing: the names are those of Debian's packages", "the library for %s cannot be built: there is no %s", m.name, strings.Join(missing, ", no "))
	}
	return mpicc, cc, version, nil
}

func compile(dir, tool string, args ...string) error {
	cmd := exec.Command(tool, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return driver.Usagef("report it with the versions of MPI and the compiler", "the library for MPI cannot be built: %s: %v\n%s", tool, err, fmt.Sprintf("%.2000s", out))
	}
	return nil
}
