package lower_test

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spmdc/spmdc/fortran"
	"github.com/spmdc/spmdc/ir/internal/irtest"
)

// TestSPMDModule: the module for other compilers has the same functions, with the same
// arguments.
func TestSPMDModule(t *testing.T) {
	_, diags := irtest.Lower(t, "program p\nuse spmd, only: none\nend\n")
	ours := slices.Sorted(slices.Values(regexp.MustCompile(`spmd_(region|activity)_\w+`).FindAllString(irtest.Report(diags), -1)))
	params := map[string]string{}
	for _, f := range regexp.MustCompile(`(?m)^\s*(?:\w.*\s)?function (spmd_\w+)\((\w+)\) result\(value\)`).FindAllStringSubmatch(string(fortran.SPMD), -1) {
		params[f[1]] = f[2]
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(params)), ours); diff != "" || len(ours) == 0 {
		t.Errorf("functions of module spmd of package fortran (-), and of the compiler (+):\n%s", diff)
	}
	for name, param := range params {
		value := map[string]string{"name": "'x'", "id": "1"}[param]
		if _, diags := irtest.Lower(t, "program p\nuse spmd\nprint *, "+name+"("+param+"="+value+")\nend\n"); diags.HasErrors() {
			t.Errorf("%s:\n%s", name, irtest.Report(diags))
		}
	}
}
