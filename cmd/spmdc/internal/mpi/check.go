package mpi

import (
	"debug/elf"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
)

// check finds the MPI of a command that starts processes, such as mpirun -n 4 ./app args. It refuses
// programs into which the library cannot be loaded. Of those that a script starts it sees nothing.
func check(command []string) (*implementation, error) {
	if _, err := exec.LookPath(command[0]); err != nil {
		return nil, driver.Usagef("give the command as you would type it: spmdc mpi audit -- mpirun -n 2 ./prog", "%v", err)
	}
	var found *implementation
	for _, arg := range command[1:] {
		path, err := exec.LookPath(arg)
		if err != nil || strings.HasPrefix(arg, "-") {
			continue
		}
		m, err := checkProgram(path)
		if err != nil {
			return nil, err
		}
		if found == nil {
			found = m
		}
	}
	if found == nil {
		found = implementationOf(command[0])
	}
	if found == nil {
		return nil, driver.Usagef("start the program itself with Open MPI or MPICH", "nothing of %q is a program with MPI's shared libraries", strings.Join(command, " "))
	}
	return found, nil
}

// checkProgram is the MPI with whose shared libraries a program is linked; nil if there is none.
func checkProgram(path string) (*implementation, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, nil // a script
	}
	defer f.Close()
	name := filepath.Base(path)
	static, _ := f.Symbols() // an error says that there are none
	dynamic, _ := f.DynamicSymbols()
	own := slices.ContainsFunc(slices.Concat(static, dynamic), func(s elf.Symbol) bool {
		return strings.TrimPrefix(s.Name, "P") == "MPI_Init" && s.Section != elf.SHN_UNDEF
	})
	switch {
	case f.Machine != elf.EM_X86_64:
		return nil, driver.Usagef("use it on x86-64", "%s is a program for %v: contexts of barriers are found on x86-64 only", name, f.Machine.String())
	case f.Type == elf.ET_EXEC && !slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }):
		return nil, driver.Usagef("link it with MPI's shared libraries, without -static", "%s is statically linked: no library can be loaded in front of MPI", name)
	case own:
		return nil, driver.Usagef("link it with MPI's shared libraries", "%s has MPI in itself (libmpi.a): no library can be loaded in front of it", name)
	}
	needed, err := f.ImportedLibraries()
	if err != nil {
		return nil, nil
	}
	if !slices.ContainsFunc(implementations, func(m implementation) bool { return slices.Contains(needed, m.library) }) {
		out, err := exec.Command("ldd", path).Output() // what those need
		if err != nil {
			return nil, nil
		}
		needed = strings.Fields(string(out))
	}
	for _, m := range implementations {
		if slices.Contains(needed, m.library) {
			if m.foreign != "" && slices.ContainsFunc(dynamic, func(s elf.Symbol) bool { return strings.HasSuffix(s.Name, m.foreign) }) {
				return nil, driver.Usagef("use module mpi, or Open MPI", "%s uses module mpi_f08 of %s, whose calls no library sees", name, m.name)
			}
			m.coarrays = slices.ContainsFunc(slices.Concat(static, dynamic), func(s elf.Symbol) bool { return s.Name == "_gfortran_caf_init" })
			return &m, nil
		}
	}
	return nil, nil
}
