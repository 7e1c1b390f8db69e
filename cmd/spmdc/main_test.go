package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/spmdc/spmdc/internal/bundle/bundletest"
	"github.com/spmdc/spmdc/internal/effort"
	_ "github.com/spmdc/spmdc/internal/gcless"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"spmdc": main})
}

// TestScripts runs the command line as a user does: testdata/script/*.txtar.
//
// Beside testscript's own commands they use
//
//	exits STATUS COMMAND...   the command ends with this exit status
//	missing PATTERN...        no file matches
//	together NAME FLAGS... FILE...
//	                          builds the programs of files as one, NAME/bundle, which
//	                          runs the one that its first argument names: for scripts
//	                          about what programs do, not how they are built
func TestScripts(t *testing.T) {
	bundletest.Runtime(t)
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	goCache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	// One cache of programs for all scripts; one that is about the cache sets
	// its own.
	programs := filepath.Join(t.TempDir(), "programs")
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       flag.Lookup("update").Value.String() == "true", // the flag of package golden
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOCACHE", string(goCache[:len(goCache)-1]))
			env.Setenv("SPMDC_CACHE", programs)
			env.Setenv("GO", goTool)
			// The folder of the spmdc under test, as a PATH without Go.
			env.Setenv("BIN", filepath.SplitList(env.Getenv("PATH"))[0])
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if path, ok := strings.CutPrefix(cond, "exists:"); ok {
				_, err := os.Stat(path)
				return err == nil, nil
			}
			switch cond {
			case "root":
				return os.Geteuid() == 0, nil
			case "gfortran":
				_, err := exec.LookPath("gfortran")
				return err == nil, nil
			case "full":
				return effort.All(), nil
			}
			return false, errors.New("unknown condition " + cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":    exits,
			"missing":  missing,
			"together": together,
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func missing(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: missing PATTERN...")
	}
	for _, pattern := range args {
		found, err := filepath.Glob(ts.MkAbs(pattern))
		ts.Check(err)
		if len(found) > 0 {
			ts.Fatalf("%v should not be there", found)
		}
	}
}

func together(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: together NAME FLAGS... FILE...")
	}
	var flags []string
	mains := map[string][]byte{}
	for _, arg := range args[1:] {
		if strings.HasPrefix(arg, "-") {
			flags = append(flags, arg)
			continue
		}
		ts.Check(ts.Exec("spmdc", append([]string{"explain", arg, "code"}, flags...)...))
		mains[arg] = []byte(ts.ReadFile("stdout"))
	}
	_, err := bundletest.Build(ts.MkAbs(args[0]), mains)
	ts.Check(err)
}
