package codegen_test

import (
	"go/format"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/dataflow/plan"
)

// TestImagePrograms: what is emitted for programs with coarrays is Go as gofmt
// writes it, the Go compiler takes it, and no plan changes it.
func TestImagePrograms(t *testing.T) {
	files, err := filepath.Glob("../examples/*/*.f90")
	more, _ := filepath.Glob("../examples/testdata/coarray/*.f90")
	if files = append(files, more...); err != nil || len(files) < 10 {
		t.Fatalf("%d programs, %v", len(files), err)
	}
	for _, file := range files {
		if strings.Contains(file, "figure9") {
			continue // of 10,000 lines; the examples' tests build it
		}
		for _, checked := range []bool{false, true} {
			text := readFile(t, file)
			code := emit(t, filepath.Base(file), text, plan.Handshake, codegen.Options{Check: checked})
			if formatted, err := format.Source([]byte(code)); err != nil || string(formatted) != code {
				t.Errorf("%s: gofmt would change it: %v", file, err)
			}
			if _, err := check(t, code); err != nil {
				t.Errorf("%s: %v", file, err)
			}
			if strings.Contains(text, "!HPF$") {
				continue // what is distributed is synchronised by the plan
			}
			if emit(t, filepath.Base(file), text, plan.Barrier, codegen.Options{Check: checked}) != code {
				t.Errorf("%s: the plan changes it", file)
			}
		}
	}
}
