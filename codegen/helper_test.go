package codegen_test

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/internal/bundle/bundletest"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/internal/golden"
	"github.com/spmdc/spmdc/procfunc"
)

// emit is the Go program of text, which must be free of errors.
func emit(t testing.TB, file, text string, k plan.Kind, o codegen.Options) string {
	t.Helper()
	code, err := tryEmit(file, text, k, o)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return code
}

func tryEmit(file, text string, k plan.Kind, o codegen.Options) (string, error) {
	c, err := front.SPMD(file, text)
	if err != nil {
		return "", err
	}
	out, err := emitMain(search.Make(c, k, procfunc.Analyze(c, c.Graph()), search.Options{}), o)
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return string(out), err
}

// emitMain is main.go of the program of a plan.
func emitMain(p *plan.Plan, o codegen.Options) ([]byte, error) {
	files, _, err := codegen.EmitFiles(p, o)
	return files["main.go"], err
}

// exports finds the compiled form of the packages that emitted programs import.
var exports = sync.OnceValues(func() (map[string]string, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}",
		"github.com/spmdc/spmdc/runtime/spmd", "github.com/spmdc/spmdc/runtime/dist", "github.com/spmdc/spmdc/runtime/fio", "github.com/spmdc/spmdc/runtime/elementary", "github.com/spmdc/spmdc/runtime/trace", "math")
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w\n%s", err, exit.Stderr)
		}
		return nil, err
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return files, nil
})

// shared keeps the imported packages, which are the same for all programs.
var shared = struct {
	sync.Mutex
	importer types.Importer
}{}

// typed is a program that was parsed and type-checked.
type typed struct {
	fset *token.FileSet
	file *ast.File
	info *types.Info
}

// check parses and type-checks an emitted program: it has the errors that the
// Go compiler has, unused variables, imports and labels included.
func check(t testing.TB, code string) (*typed, error) {
	t.Helper()
	files, err := exports()
	if err != nil {
		t.Fatalf("go list -export: %v", err)
	}
	shared.Lock()
	defer shared.Unlock()
	if shared.importer == nil {
		shared.importer = importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
			if files[path] == "" {
				return nil, fmt.Errorf("an emitted program must not import %s", path)
			}
			return os.Open(files[path])
		})
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "main.go", code, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	var all []error
	conf := types.Config{Importer: shared.importer, Error: func(err error) { all = append(all, err) }}
	_, err = conf.Check("main", fset, []*ast.File{file}, info)
	if len(all) > 0 {
		err = errors.Join(all...)
	}
	return &typed{fset, file, info}, err
}

// corpus is the programs of the examples and of cfg/comm's tests, by file name: one of
// three, or all.
func corpus(t testing.TB) map[string]string {
	t.Helper()
	all := golden.Programs(t, "../examples/*/*.hpf", "../cfg/comm/testdata/want/*.hpf", "../cfg/comm/testdata/*.txtar", "testdata/*.txtar")
	maps.DeleteFunc(all, func(name, _ string) bool { return !effort.Share(name, 3) })
	return all
}

// module writes a module with a main package for each program, by its name.
func module(t testing.TB, mains map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	texts := map[string][]byte{}
	for name, text := range mains {
		texts[name] = []byte(text)
	}
	if err := bundletest.Module(dir, texts); err != nil {
		t.Fatal(err)
	}
	return dir
}

// run starts a built program with input on some PEs.
func run(t testing.TB, program, input string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Stdin = strings.NewReader(input)
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	err = cmd.Run()
	return o.String(), e.String(), err
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
