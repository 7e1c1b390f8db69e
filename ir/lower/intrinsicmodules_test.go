package lower_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/ir/lower"
)

// TestIntrinsicConstants: the constants of the modules of the language have the
// values that gfortran gives them. It has none for the levels of teams, which get_team alone takes.
func TestIntrinsicConstants(t *testing.T) {
	effort.Tool(t, "gfortran", "gfortran")
	dir := t.TempDir()
	for module, constants := range lower.IntrinsicConstants {
		var text, want strings.Builder
		fmt.Fprintf(&text, "use, intrinsic :: %s\n", module)
		for _, name := range slices.Sorted(maps.Keys(constants)) {
			if name == "initial_team" || name == "parent_team" || name == "current_team" {
				continue
			}
			fmt.Fprintf(&text, "print '(a,i0)', '%s ', %s\n", name, name)
			fmt.Fprintf(&want, "%s %d\n", name, constants[name])
		}
		text.WriteString("end\n")
		file, program := filepath.Join(dir, module+".f90"), filepath.Join(dir, module)
		if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("gfortran", "-o", program, file).CombinedOutput(); err != nil {
			t.Fatalf("gfortran: %v\n%s", err, out)
		}
		out, err := exec.Command(program).Output()
		if err != nil {
			t.Fatal(err)
		}
		if string(out) != want.String() {
			t.Errorf("%s: gfortran has\n%s\nwant here\n%s", module, out, want.String())
		}
	}
}
