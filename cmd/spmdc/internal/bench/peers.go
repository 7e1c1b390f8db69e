package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/fortranc"
)

// Known are the peers that have names: what gfortran makes of the source; what OpenCoarrays
// makes of one with coarrays; and programs written by hand, in files beside the source: that
// of x.hpf for OpenMP is x.openmp.f90. Each can have
// -fast behind its name: it is then compiled with -ffast-math. Any other peer is a file: a
// program, or a source in Fortran.
var Known = []string{"gfortran", "caf", "serial", "openmp", "mpi"}

// tools are the compilers of peers, gfortran where none is named, with their Debian packages.
var tools = map[string]struct{ tool, debian string }{
	"caf": {"caf", "libcoarrays-openmpi-dev"}, "mpi": {"mpifort", "libopenmpi-dev"}, "": {"gfortran", "gfortran"},
}

func toolOf(peer string) (tool, debian string) {
	t, ok := tools[peer]
	if !ok {
		t = tools[""]
	}
	return t.tool, t.debian
}

// ofSource reports whether a peer is what another compiler makes of the source itself.
func ofSource(peer string) bool { return peer == "gfortran" || peer == "caf" }

// fast stands behind the name of a peer.
const fast = "-fast"

// optimised is how all Fortran is compiled.
var optimised = []string{"-O3", "-march=native"}

// ByHand is the file of the peer of a source that is written by hand.
func ByHand(source, peer string) string {
	return strings.TrimSuffix(source, filepath.Ext(source)) + "." + peer + ".f90"
}

// present are the peers that a source has here.
func present(source string, coarrays bool) []string {
	var list []string
	for _, peer := range Known {
		tool, _ := toolOf(peer)
		if _, err := exec.LookPath(tool); err != nil || peer == "caf" && !coarrays {
			continue
		}
		if !ofSource(peer) {
			if _, err := os.Stat(ByHand(source, peer)); err != nil {
				continue
			}
		}
		list = append(list, peer)
	}
	return list
}

// peers builds what the program is compared with.
func (r *Report) peers(dir string, c *driver.Compilation, o Options) error {
	list := o.Peers
	if list == nil {
		if list = present(c.File, c.IR.SPMD); len(list) == 0 {
			r.Warnings = append(r.Warnings, "gfortran is not installed: there is nothing to compare with")
		}
	}
	for i, peer := range list {
		if peer == "" {
			return driver.Usagef("write for example --peer=gfortran,openmp", "--peer: a name is empty")
		}
		if slices.Contains(list[:i], peer) {
			return driver.Usagef("name each once", "--peer: %s is there twice", peer)
		}
	}
	for i, peer := range list {
		folder := filepath.Join(dir, fmt.Sprint(i))
		if err := os.Mkdir(folder, 0o700); err != nil {
			return driver.Usagef("check the disk", "%v", err)
		}
		if err := r.peer(folder, c, peer, o); err != nil {
			return err
		}
	}
	return nil
}

// peer adds one.
func (r *Report) peer(dir string, c *driver.Compilation, peer string, o Options) error {
	kind, isFast := strings.CutSuffix(peer, fast)
	if !slices.Contains(Known, kind) {
		kind, isFast = "", false
	}
	tool, debian := toolOf(kind)
	flags := slices.Clone(optimised)
	if isFast {
		flags = append(flags, "-ffast-math")
	}
	file, own := ByHand(c.File, kind), false
	switch kind {
	case "gfortran", "caf":
		file, own = c.File, true
		if kind == "caf" && !c.IR.SPMD {
			return driver.Usagef("leave it out", "--peer=%s: the program has no coarrays", peer)
		}
		if kind == "gfortran" && c.IR.SPMD {
			flags = append(flags, "-fcoarray=single")
		}
	case "openmp":
		flags = append(flags, "-fopenmp")
	case "":
		file = peer
	}
	if kind == "" && filepath.Ext(file) == ".hpf" {
		flags = append(flags, "-x", "f95", "-ffree-form")
	}
	how := ""
	program := filepath.Join(dir, "program")
	if kind == "" && !driver.IsSource(file) {
		path, err := exec.LookPath(file)
		if err != nil {
			return driver.Usagef("name a program, a source in Fortran, or one of "+strings.Join(Known, ", "), "--peer=%s: %v", peer, err)
		}
		if program, err = filepath.Abs(path); err != nil {
			return driver.Usagef("give its whole path", "--peer=%s: %v", peer, err)
		}
		how = "as it is"
	} else {
		sources := []string{filepath.Join(dir, filepath.Base(file))}
		if own {
			var more []string
			var err error
			if sources, more, err = c.WriteFortran(dir); err != nil {
				return err
			}
			flags = append(flags, more...)
		} else {
			text, err := os.ReadFile(file)
			if err != nil {
				if errors.Is(err, fs.ErrNotExist) {
					err = fmt.Errorf("there is no file %s", file)
				}
				return driver.Usagef("write it, or leave out this peer", "--peer=%s: %v", peer, err)
			}
			if text, err = Apply(file, text, o.Set); err != nil {
				return err
			}
			if err := os.WriteFile(sources[0], text, 0o600); err != nil {
				return driver.Usagef("check the disk", "%v", err)
			}
		}
		if err := fortranc.Compile(tool, sources, program, flags...); err != nil {
			remedy := "mend it, or leave out this peer"
			if errors.Is(err, fortranc.ErrMissing) {
				remedy = "install it (Debian package " + debian + "), or leave out this peer"
			}
			return driver.Usagef(remedy, "--peer=%s: %v", peer, err)
		}
		how = tool + " " + strings.Join(flags, " ")
	}
	add := func(n int, args, env []string) {
		r.Contenders = append(r.Contenders, &Contender{Name: peer, PEs: n, How: how, args: args, env: env})
	}
	switch kind {
	case "openmp":
		for _, n := range o.PEs {
			add(n, []string{program}, []string{fmt.Sprint("OMP_NUM_THREADS=", n), "OMP_WAIT_POLICY=active", "OMP_PROC_BIND=true", "OMP_PLACES=cores", "OMP_DYNAMIC=false"})
		}
	case "mpi", "caf":
		for _, n := range o.PEs {
			if kind == "caf" && n == 1 {
				continue // windows of Open MPI do not work for one process
			}
			add(n, []string{"mpiexec", "-n", fmt.Sprint(n), program}, []string{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
				"OMPI_MCA_rmaps_base_oversubscribe=1", "OMPI_MCA_hwloc_base_binding_policy=core"})
		}
	default:
		n := 0
		if c.IR.SPMD {
			n = 1 // one image
		}
		add(n, []string{program}, nil)
	}
	return nil
}
