package examples_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"
)

// bundle builds many emitted programs into one binary: each becomes a package,
// and the first argument of the binary names the one to run. Linking once for
// fifty programs is what lets hundreds of random programs be tested.
type bundle struct {
	dir   string
	names []string
	bin   string
}

var (
	packageClause = regexp.MustCompile(`(?m)^package main$`)
	mainFunction  = regexp.MustCompile(`(?m)^func main\(\)`)
)

// newBundle makes the module of a bundle around the run-time packages that
// compiling any source writes.
func newBundle(t *testing.T, anySource string) *bundle {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bundle")
	spmdc(t, "compile", "-o", dir, anySource)
	return &bundle{dir: dir}
}

// add puts the program emitted for source into the bundle. name must be a Go
// identifier.
func (b *bundle) add(t *testing.T, name, source, plan string) error {
	t.Helper()
	code, err := trySpmdc("explain", source, "code", "--verify-passes", "--sync="+plan)
	if err != nil {
		return err
	}
	code = packageClause.ReplaceAll(code, []byte("package "+name))
	code = mainFunction.ReplaceAll(code, []byte("func Main()"))
	dir := filepath.Join(b.dir, name)
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".go"), code, 0o666); err != nil {
		t.Fatal(err)
	}
	b.names = append(b.names, name)
	return nil
}

// build makes the binary.
func (b *bundle) build(t *testing.T) {
	t.Helper()
	mod, err := os.ReadFile(filepath.Join(b.dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	path := regexp.MustCompile(`(?m)^module (\S+)$`).FindSubmatch(mod)
	if path == nil {
		t.Fatalf("go.mod without a module line:\n%s", mod)
	}
	sort.Strings(b.names)
	var imports, table strings.Builder
	for _, name := range b.names {
		fmt.Fprintf(&imports, "\t%q\n", string(path[1])+"/"+name)
		fmt.Fprintf(&table, "\t%q: %s.Main,\n", name, name)
	}
	main := fmt.Sprintf(`package main

import (
	"os"

%s)

var programs = map[string]func(){
%s}

func main() {
	program := programs[os.Args[1]]
	os.Args = append(os.Args[:1], os.Args[2:]...)
	program()
}
`, &imports, &table)
	if err := os.WriteFile(filepath.Join(b.dir, "main.go"), []byte(main), 0o666); err != nil {
		t.Fatal(err)
	}
	b.bin = filepath.Join(b.dir, "programs")
	cmd := exec.Command("go", "build", "-trimpath", "-o", b.bin, ".")
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the emitted programs do not build: %v\n%s", err, out)
	}
}
