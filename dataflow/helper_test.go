package dataflow_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/internal/bundle/bundletest"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/procfunc"
)

// analysis is a program with what is known of its communications.
type analysis struct {
	name      string // of the file, without folder and extension
	source    string
	program   *comm.Program
	functions *procfunc.Functions
}

// analyze reads a program, which must be free of errors.
func analyze(t testing.TB, file string) *analysis {
	t.Helper()
	a, err := tryAnalyze(file)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func tryAnalyze(file string) (*analysis, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return analyzeText(filepath.Base(file), text)
}

func analyzeText(file string, text []byte) (*analysis, error) {
	c, err := front.SPMD(file, string(text))
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(file, filepath.Ext(file))
	return &analysis{name, string(text), c, procfunc.Analyze(c, c.Graph())}, nil
}

// plan makes a plan of the given kind.
func (a *analysis) plan(k plan.Kind) *plan.Plan {
	return search.Make(a.program, k, a.functions, search.Options{})
}

// emit is the Go program of a plan, a check build.
func emit(p *plan.Plan) ([]byte, error) {
	files, _, err := codegen.EmitFiles(p, codegen.Options{Check: true, Unsafe: true})
	return files["main.go"], err
}

// programs is a bundle of emitted programs.
type programs struct{ path string }

// build builds emitted programs, by name, as one.
func build(dir string, mains map[string][]byte) (programs, error) {
	path, err := bundletest.Build(dir, mains)
	return programs{path}, err
}

// runLimit is how long a run may take; none needs a hundredth of it.
const runLimit = 30 * time.Second

// result is how a run ended.
type result struct {
	stdout, stderr string
	status         int
}

// clean reports whether the run has succeeded and said nothing of errors.
func (r result) clean() bool { return r.status == 0 && r.stderr == "" }

func (r result) String() string {
	return fmt.Sprintf("exit status %d\n%s%s", r.status, r.stdout, r.stderr)
}

// run runs one of the programs.
func (b programs) run(t testing.TB, name string, args ...string) result {
	t.Helper()
	return execute(t, b.path, append([]string{name}, args...)...)
}

// execute runs a program.
func execute(t testing.TB, program string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), runLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		t.Fatalf("%s %s: no end within %v", filepath.Base(program), strings.Join(args, " "), runLimit)
	case err != nil && !errors.As(err, &exit):
		t.Fatal(err)
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// defects are the programs of the table, in order.
var defects = sync.OnceValues(func() ([]string, error) {
	files, err := filepath.Glob("testdata/defects/*.hpf")
	if err == nil && len(files) == 0 {
		err = errors.New("testdata/defects has no programs")
	}
	return files, err
})

// eachDefect runs f on every program, in a subtest of its name.
func eachDefect(t *testing.T, f func(t *testing.T, a *analysis)) {
	t.Helper()
	files, err := defects()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		a := analyze(t, file)
		t.Run(a.name, func(t *testing.T) { f(t, a) })
	}
}
