package driver

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/ir/transform"
)

// checking are the run-time calls that only check builds have.
var checking = map[string]bool{"Claim": true, "Loop": true, "Turn": true, "Leave": true, "Idx": true, "Def": true, "Int32": true}

// Without --check the emitted programs call nothing that checks: it costs nothing.
// With it every communication but the irregular ones says what the analysis expects.
func TestChecksAreInCheckBuildsOnly(t *testing.T) {
	sources, err := filepath.Glob("../../../../examples/*/*.hpf")
	if err != nil || len(sources) < 10 {
		t.Fatalf("only %d examples: %v", len(sources), err)
	}
	table := Passes()
	for _, file := range sources {
		if !effort.Share(file, 3) {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		count := func(check bool) (map[string]int, *Compilation) {
			c := New(file, text, Options{Sync: plan.PopL96, Check: check})
			if err := table.Run(c, RunOptions{}); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			tree, err := parser.ParseFile(token.NewFileSet(), "main.go", c.Code, 0)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			calls := map[string]int{}
			ast.Inspect(tree, func(n ast.Node) bool {
				if x, ok := n.(*ast.CallExpr); ok {
					if f, ok := x.Fun.(*ast.SelectorExpr); ok {
						calls[f.Sel.Name]++
					}
				}
				return true
			})
			return calls, c
		}
		for name, n := range first(count(false)) {
			if checking[name] {
				t.Errorf("%s without --check calls %s %d times", file, name, n)
			}
		}
		calls, c := count(true)
		regular := 0
		for _, x := range c.Plan.Program.Comms {
			if x.Kind != comm.Irregular {
				regular++
			}
		}
		if len(c.Plan.Program.Comms) > 0 && (calls["Def"] == 0 || calls["Claim"] < regular) {
			t.Errorf("%s with --check: %d claims of %d communications, %d tests for undefined values", file, calls["Claim"], regular, calls["Def"])
		}
	}
}

func first[A, B any](a A, _ B) A { return a }

// A communication behind a jump that is always taken is in no graph, and nobody sends
// it next.
func TestClaimsOfWhatIsNeverReached(t *testing.T) {
	const source = `program p
  implicit none
  integer :: c(13), d(13), i, k
!HPF$ TEMPLATE t1(15)
!HPF$ DISTRIBUTE t1(BLOCK)
!HPF$ ALIGN c(i) WITH t1(i+1)
  do k = 1, 2
    if (k == 2) cycle
    do i = 11, 1, -1
      c(i) = mod(c(i+2) + d(i), 1000)
    end do
  end do
end program
`
	c := New("p.hpf", []byte(source), Options{Sync: plan.Elide, Check: true, Without: []transform.Kind{transform.Gather}})
	if err := Passes().Run(c, RunOptions{Verify: true}); err != nil {
		t.Fatal(err)
	}
	missing := 0
	for _, x := range c.Plan.Program.Comms {
		if c.Functions.Put(x.ID) == nil {
			missing++
		}
	}
	if missing == 0 {
		t.Error("every communication is reached: the test shows nothing")
	}
}
