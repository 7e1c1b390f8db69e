package driver

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/bundle"
)

// leaves are the packages that know nothing of the compiler and that every
// package of it may import.
var leaves = []string{"parser/source", "runtime/dist", "runtime/elementary", "runtime/fio", "runtime/outfile", "runtime/record", "procfunc/linalg", "fortran", "docs"}

// analyses are the packages that work on the typed program.
var analyses = []string{"ir", "ir/scalar", "ir/mapping", "ir/depend", "ir/images"}

// imports says which packages of the module each package may import, leaves
// aside. The compiler is a line of layers; a package sees those before it:
//
//	parser <- ir/lower
//	ir <- ir/scalar, ir/mapping, ir/depend; ir/mapping <- ir/lower
//	ir <- cfg
//	ir, ir/scalar, ir/mapping, ir/depend <- ir/transform
//	cfg, dataflow/solve, ir/* <- cfg/comm <- cfg/comm/choose, procfunc <- dataflow/proof <- synch, hb <- plan <- simulate <- search, verify <- report <- codegen <- cmd/spmdc
//
// What ends in "/..." stands for a folder with all below it.
var imports = []struct {
	pkg string
	may []string
}{
	{"parser/source", nil},
	{"fortran", nil},
	{"docs", nil},
	{"parser/scan", nil},
	{"parser/ast", nil},
	{"parser/load", []string{"parser/scan"}},
	{"parser", []string{"parser/..."}},
	{"parser/layout", []string{"parser", "parser/..."}},

	{"ir", nil},
	{"ir/lower/structure", []string{"parser", "parser/ast"}}, // jumps, before names are resolved
	{"ir/lower/apart", []string{"ir"}},
	{"ir/lower/derived", []string{"parser", "parser/ast"}}, // derived types, before names are resolved
	{"ir/lower", []string{"ir", "ir/mapping", "ir/lower/structure", "ir/lower/derived", "ir/lower/apart", "parser", "parser/ast"}}, // it alone sees syntax and types; mapping says whether a call moves an array
	{"ir/depend", []string{"ir"}}, // knows nothing of mapping
	{"ir/scalar", []string{"ir", "ir/depend"}},
	{"ir/mapping", []string{"ir"}},
	{"ir/sharing", []string{"ir"}},
	{"ir/blockcyclic", []string{"ir", "ir/scalar", "ir/transform"}},      // which loops have an order
	{"ir/images", []string{"ir"}},                                        // what differs, not who has it
	{"ir/transform", analyses},                                           // what a change means; whether it pays is not its business
	{"ir/internal/...", []string{"ir/...", "parser", "internal/golden"}}, // help for tests

	{"internal/sourceform", []string{"parser/scan"}}, // help for tests
	{"cfg", []string{"ir"}},
	{"dataflow/solve", []string{"cfg"}},
	{"dataflow", nil}, // tests of the analyses together
	{"cfg/comm", slices.Concat(analyses, []string{"cfg", "dataflow/solve"})},
	{"cfg/comm/choose", slices.Concat(analyses, []string{"ir/transform", "cfg/comm"})},
	{"procfunc/linalg", nil},
	{"procfunc", slices.Concat(analyses, []string{"cfg", "cfg/comm"})},
	{"dataflow/synch", slices.Concat(analyses, []string{"cfg", "cfg/comm", "procfunc", "dataflow/solve", "dataflow/proof"})},
	{"dataflow/proof", []string{"cfg"}}, // certificates and their check, and nothing of who finds them
	{"dataflow/hb", slices.Concat(analyses, []string{"cfg", "cfg/comm", "procfunc", "dataflow/solve", "dataflow/proof"})},
	{"dataflow/clocks", nil},
	{"dataflow/internal/...", []string{"cfg", "dataflow/clocks", "dataflow/proof"}}, // help for tests
	{"internal/gcless", nil},   // a setting of the process
	{"internal/parallel", nil}, // work on several processors
	{"internal/front", slices.Concat(analyses, []string{"parser", "ir/lower", "ir/blockcyclic", "ir/sharing", "cfg", "cfg/comm", "internal/gcless"})}, // help for tests
	{"internal/interp", []string{"ir"}},               // help for tests
	{"internal/golden", nil},                          // help for all tests
	{"internal/browser", []string{"internal/effort"}}, // help for tests
	{"internal/hosts", []string{"internal/effort"}},   // help for tests
	{"internal/effort", nil},                          // help for all tests
	{"dataflow/plan", []string{"ir", "cfg", "cfg/comm", "dataflow/proof", "dataflow/synch"}}, // data: synch for its verdicts
	{"dataflow/simulate", []string{"ir", "cfg/comm", "procfunc", "dataflow/clocks", "dataflow/plan", "dataflow/proof"}},
	{"dataflow/placement", []string{"cfg/comm", "procfunc", "dataflow/plan", "dataflow/simulate"}},
	{"dataflow/verify", []string{"ir", "ir/scalar", "cfg", "cfg/comm", "procfunc", "dataflow/plan", "dataflow/proof", "dataflow/simulate", "internal/parallel"}}, // nothing that finds proofs
	{"dataflow/search", slices.Concat(analyses, []string{"cfg", "cfg/comm", "cfg/comm/choose", "procfunc", "dataflow/plan", "dataflow/proof", "dataflow/synch", "dataflow/hb", "dataflow/simulate", "internal/parallel"})},
	{"dataflow/replay", []string{"dataflow/clocks"}}, // knows runs, not programs
	{"dataflow/report", slices.Concat(analyses, []string{"cfg", "cfg/comm", "procfunc", "dataflow/..."})},
	{"codegen/kernel", []string{"internal/parallel"}},                                                    // loops as vector code: knows no program
	{"codegen", []string{"dataflow/plan", "cfg/comm", "ir", "ir/scalar", "ir/depend", "codegen/kernel"}}, // the plan, and what it is made of

	// The compiler carries the run-time packages as text and computes with
	// runtime/dist and runtime/elementary; it executes nothing else of them.
	{"runtime", nil},
	{"runtime/elide", []string{"runtime/outfile"}}, // knows of the machine only an interface of its own
	{"runtime/transport", []string{"runtime/transport/agree"}},
	{"runtime/transport/...", []string{"runtime/transport", "runtime/transport/agree"}}, // nothing of barriers that are elided
	{"runtime/...", []string{"runtime/..."}},

	// Logs and plans of barriers are read and written on both sides.
	{"cmd/spmdc/internal/barriers", []string{"cmd/spmdc/...", "runtime/elide"}},
	{"cmd/spmdc/internal/mpi", []string{"cmd/spmdc/...", "runtime/elide", "internal/effort"}},
	{"cmd/spmdc/internal/mpi/...", []string{"runtime/elide"}}, // libraries that programs load
	{"cmd/spmdc/internal/traces", []string{"cmd/spmdc/...", "runtime/trace/tracefile"}},
	{"cmd/spmdc/internal/cli", []string{"cmd/spmdc/...", "dataflow/...", "ir/...", "parser/...", "codegen/...", "codegen", "runtime/elide", "internal/gcless"}},
	{"cmd/spmdc/...", []string{"cmd/spmdc/...", "parser/...", "ir/...", "cfg/...", "procfunc/...", "dataflow/...", "codegen", "codegen/...", "runtime",
		"internal/compare", "internal/randprog", "internal/bundle", "internal/gcless", "internal/parallel", "internal/rounds"}}, // for verify: what outputs say, random programs, and many built as one
	{"internal/bundle", []string{"runtime"}},
	{"internal/bundle/bundletest", []string{"runtime", "internal/bundle", "internal/gcless"}},
	{"internal/rounds", nil},   // times of programs, compared
	{"internal/compare", nil},  // outputs of programs, and what each may differ in
	{"internal/randprog", nil}, // random programs
	{"examples/...", []string{"examples/...", "runtime/trace/tracefile", "internal/compare", "internal/randprog", "internal/rounds"}},
}

// matches reports whether pattern stands for pkg.
func matches(pattern, pkg string) bool {
	folder, all := strings.CutSuffix(pattern, "/...")
	return pkg == folder || all && strings.HasPrefix(pkg, folder+"/")
}

// mayImport reports whether the rules let pkg import dep; known is false when
// no rule speaks of pkg.
func mayImport(pkg, dep string) (ok, known bool) {
	for _, rule := range imports {
		if !matches(rule.pkg, pkg) {
			continue
		}
		if slices.Contains(leaves, dep) && (rule.may != nil || !slices.Contains(leaves, pkg)) && !strings.HasPrefix(pkg, "runtime") {
			return true, true
		}
		return slices.ContainsFunc(rule.may, func(m string) bool { return matches(m, dep) }), true
	}
	return false, false
}

// TestImports: packages import what the table allows, and docs/architecture.md lists all.
func TestImports(t *testing.T) {
	cmd := exec.Command("go", "list", "-e", "-deps", "-json=ImportPath,Imports,Standard", bundle.Path+"/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	document, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(document), "\n## Packages\n")
	table, _, _ = strings.Cut(table, "\n## ")
	dec := json.NewDecoder(bytes.NewReader(out))
	packages := 0
	for {
		var p struct {
			ImportPath string
			Imports    []string
			Standard   bool
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		pkg, ours := strings.CutPrefix(p.ImportPath, bundle.Path+"/")
		if !ours {
			continue
		}
		packages++
		if _, known := mayImport(pkg, ""); !known {
			t.Errorf("package %s has no rule: give it one in the table of this test", pkg)
		}
		if !strings.Contains(table, "`"+pkg+"`") {
			t.Errorf("docs/architecture.md does not list package %s", pkg)
		}
		for _, imp := range p.Imports {
			dep, ours := strings.CutPrefix(imp, bundle.Path+"/")
			switch {
			case ours:
				if ok, _ := mayImport(pkg, dep); !ok {
					t.Errorf("%s must not import %s", pkg, dep)
				}
			case matches("runtime/...", pkg) && strings.Contains(strings.Split(imp, "/")[0], "."):
				t.Errorf("%s imports %s: the run-time packages stay on the standard library", pkg, imp)
			}
		}
	}
	if packages < 10 {
		t.Errorf("go list shows only %d packages of the module", packages)
	}
}

// TestBinaryImports: the command has nothing in it that belongs to tests, also by
// way of other packages.
func TestBinaryImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", bundle.Path+"/cmd/spmdc").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	linked := strings.Fields(string(out))
	if !slices.Contains(linked, bundle.Path+"/internal/randprog") {
		t.Error("the command has no random programs: the test does not see what it links")
	}
	for _, dep := range linked {
		if matches("testing/...", dep) || matches("pgregory.net/rapid/...", dep) {
			t.Errorf("the command links %s", dep)
		}
	}
}

// TestImportRules tries the rules on imports that must not be.
func TestImportRules(t *testing.T) {
	for _, test := range []struct {
		pkg, dep string
		want     bool
	}{
		{"ir/lower", "parser/ast", true},
		{"ir/scalar", "parser/ast", false},
		{"cfg/comm", "parser/source", true},
		{"cfg/comm", "codegen", false},
		{"cfg", "cfg/comm", false},
		{"ir/transform", "cfg/comm", false},
		{"cfg/comm", "cfg/comm/choose", false},
		{"ir/depend", "ir/mapping", false},
		{"codegen", "parser/ast", false},
		{"codegen", "dataflow/report", false},
		{"dataflow/report", "procfunc", true},
		{"dataflow/report", "codegen", false},
		{"codegen", "runtime/spmd", false},
		{"cmd/spmdc/internal/driver", "runtime", true},
		{"cmd/spmdc/internal/driver", "runtime/spmd", false},
		{"runtime/spmd", "runtime/transport/inproc", true},
		{"runtime/spmd", "parser/source", false},
		{"runtime/transport", "runtime/elide", false},
		{"runtime/transport/inproc", "runtime/elide", false},
		{"runtime/elide", "runtime/transport", false},
		{"runtime/dist", "procfunc/linalg", false},
		{"parser/source", "procfunc/linalg", false},
		{"internal/compare", "parser", false},
		{"cmd/spmdc/internal/verify", "internal/randprog", true},
		{"codegen", "internal/randprog", false},
	} {
		if got, known := mayImport(test.pkg, test.dep); got != test.want || !known {
			t.Errorf("%s may import %s: %v, want %v", test.pkg, test.dep, got, test.want)
		}
	}
}
