package mpi

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cmd/spmdc/internal/barriers"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/runtime/elide"
)

// Options say what a run does with barriers.
type Options struct {
	Mode        elide.Mode
	Threshold   int    // 0: the engine's
	Relearn     int    // 0: not at all
	Plan        string // file, or ""
	Blacklist   string // file, or ""
	Silent      bool   // no log is wanted
	Unprotected bool   // accesses to windows by loads and stores are not seen: wrong
}

// config is Options for the engine.
type config struct {
	Mode      string `json:"mode"`
	Threshold int    `json:"threshold"`
	Relearn   int    `json:"relearn"`
	Plan      string `json:"plan"`
	Blacklist string `json:"blacklist"`
	Log       string `json:"log"`
	Modules   string `json:"modules"`
	Coarrays  bool   `json:"coarrays"` // the program is linked with OpenCoarrays
}

// Run runs a command that starts the processes of a program, such as mpirun -n 4 ./app. The log is
// nil if none is wanted, or if the run has failed, which it has said itself: status is then its exit status.
func Run(command []string, o Options, cache *driver.Cache, step func(string), stdio driver.Stdio) (log *elide.Log, status int, err error) {
	m, err := check(command)
	if err != nil {
		return nil, 0, err
	}
	lib, err := Build(cache, m, step)
	if err != nil {
		return nil, 0, err
	}
	dir, err := os.MkdirTemp("", "spmdc-mpi-")
	if err != nil {
		return nil, 0, driver.Usagef("check TMPDIR", "there is no place for the log: %v", err)
	}
	defer os.RemoveAll(dir)
	c := config{o.Mode.String(), o.Threshold, o.Relearn, o.Plan, o.Blacklist, filepath.Join(dir, "log"), filepath.Join(dir, "modules"), m.coarrays}
	if o.Silent {
		c.Log = ""
	}
	for _, file := range []*string{&c.Plan, &c.Blacklist} {
		if *file != "" {
			if *file, err = filepath.Abs(*file); err != nil {
				return nil, 0, driver.Usagef("name the file by its whole path", "%v", err)
			}
		}
	}
	text, err := json.Marshal(c)
	if err != nil {
		return nil, 0, err
	}
	preload := lib.Shim
	if old := os.Getenv("LD_PRELOAD"); old != "" {
		preload += ":" + old
	}
	protect := "1"
	if o.Unprotected {
		protect = "0"
	}
	stdio.Env = append(stdio.Env, "LD_PRELOAD="+preload, "SPMDC_MPI_ENGINE="+lib.Engine, "SPMDC_MPI_CONFIG="+string(text), "SPMDC_MPI_PROTECT="+protect)
	args := command[1:]
	if m.forward != "" && strings.HasPrefix(starter(command[0]), "mpi") || starter(command[0]) == "orterun" {
		var forward []string // to other hosts
		for _, v := range stdio.Env {
			name, _, _ := strings.Cut(v, "=")
			forward = append(forward, m.forward, name)
		}
		args = slices.Concat(forward, args)
	}
	status, err = driver.StartForeign(command[0], args, stdio)
	if err != nil || status != 0 {
		return nil, status, err
	}
	if _, err := os.Stat(c.Modules); err != nil {
		return nil, 0, driver.Usagef("let the command start a program that is linked with MPI's shared libraries", "no process of the run has come to MPI_Finalize with the library: nothing was elided, and there is no report")
	}
	if o.Silent {
		return nil, 0, nil
	}
	if log, err = barriers.ReadLog(c.Log); err != nil {
		return nil, 0, err
	}
	modules := map[string]string{}
	data, err := os.ReadFile(c.Modules)
	if err == nil {
		err = json.Unmarshal(data, &modules)
	}
	if err != nil {
		return nil, 0, err
	}
	name(log, modules)
	return log, 0, nil
}

// starter is the name of the command without folders, links to which alternatives lead, and versions.
func starter(command string) string {
	name, _, _ := strings.Cut(filepath.Base(command), ".")
	return name
}

// implementationOf is the MPI whose starter a command is, as its version says.
func implementationOf(command string) *implementation {
	out, _ := exec.Command(command, "--version").CombinedOutput()
	for i, m := range implementations {
		if strings.Contains(string(out), m.version) {
			return &implementations[i]
		}
	}
	return nil
}
