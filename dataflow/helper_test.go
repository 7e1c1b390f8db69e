package dataflow_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/procfunc"
	"github.com/spmdc/spmdc/runtime"
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
func (a *analysis) plan(k plan.Kind) *plan.Plan { return plan.MakeWith(a.program, k, a.functions) }

// emit is the Go program of a plan, a check build.
func emit(p *plan.Plan) (string, error) {
	code, err := codegen.Emit(p, codegen.Options{Check: true, Unsafe: true})
	return string(code), err
}

// bundle is one Go program made of many emitted ones: linking is what takes
// time. Its first argument is the name of the one to run.
type bundle struct{ path string }

// makeBundle builds emitted programs, by name, in a folder of their own.
func makeBundle(root string, mains map[string]string) (bundle, error) {
	write := func(name, text string) error {
		path := filepath.Join(root, filepath.FromSlash(name))
		return errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666))
	}
	const module = "github.com/spmdc/spmdc"
	errs := []error{write("go.mod", "module "+module+"\n\ngo 1.26\n")}
	for name, text := range runtime.Files() {
		errs = append(errs, write(name, string(text)))
	}
	var imports, table strings.Builder
	for i, name := range slices.Sorted(maps.Keys(mains)) {
		pkg := fmt.Sprintf("p%d", i)
		code, ok := strings.CutPrefix(mains[name], mains[name][:strings.Index(mains[name], "package main\n")]+"package main\n")
		before, after, found := strings.Cut(code, "\nfunc main() {")
		if !ok || !found {
			return bundle{}, fmt.Errorf("%s: no main program:\n%s", name, code)
		}
		errs = append(errs, write(pkg+"/"+pkg+".go", "package "+pkg+"\n"+before+"\nfunc Main() {"+after))
		fmt.Fprintf(&imports, "%q\n", module+"/"+pkg)
		fmt.Fprintf(&table, "%q: %s.Main,\n", name, pkg)
	}
	errs = append(errs, write("main.go", "package main\nimport (\n\"os\"\n"+imports.String()+")\n"+
		"var programs = map[string]func(){\n"+table.String()+"}\n"+
		"func main() {\nname := os.Args[1]\nos.Args = append(os.Args[:1], os.Args[2:]...)\nprograms[name]()\n}\n"))
	if err := errors.Join(errs...); err != nil {
		return bundle{}, err
	}
	b := bundle{filepath.Join(root, "bundle")}
	cmd := exec.Command("go", "build", "-trimpath", "-o", b.path, ".")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN=local", "GOWORK=off", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return bundle{}, fmt.Errorf("go build: %w\n%s", err, out)
	}
	return b, nil
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
func (b bundle) run(t testing.TB, name string, args ...string) result {
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

// require skips the test because a tool is not there, and fails it instead
// where SPMDC_REQUIRE=all asks for all of them.
func require(t *testing.T, tool, pkg string) {
	t.Helper()
	if _, err := exec.LookPath(tool); err == nil {
		return
	}
	if os.Getenv("SPMDC_REQUIRE") == "all" {
		t.Fatalf("%s is not installed (Debian package %s) and SPMDC_REQUIRE=all wants it", tool, pkg)
	}
	t.Skipf("%s is not installed (Debian package %s)", tool, pkg)
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
