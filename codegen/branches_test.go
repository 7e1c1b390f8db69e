package codegen_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/codegen/kernel"
)

// TestBranches: an element that every branch of an IF assigns is stored without a mask, and
// only then.
func TestBranches(t *testing.T) {
	everywhere, masked := regexp.MustCompile(`(?m)^\t\tx\d+\[t\] = `), regexp.MustCompile(`(?m)^\t\t\t(a\.)?x\d+\[.*\] = `)
	for body, whole := range map[string]bool{
		"if (y(i) > 1) then\n x(i) = 1\n else\n x(i) = 2\n end if":                                                                                                                            true,
		"if (y(i) > 1) then\n x(i) = 1\n else if (y(i) > 0) then\n x(i) = 2\n else\n x(i) = 3\n end if":                                                                                       true,
		"if (y(i) > 1) then\n if (y(i) > 2) then\n x(i) = 1\n else\n x(i) = 4\n end if\n else if (y(i) > 0) then\n x(i) = 2\n else if (y(i) < -3) then\n x(i) = 3\n else\n x(i) = 5\n end if": true,
		"if (y(i) > 1) then\n x(i) = 1\n if (y(i) > 2) x(i) = 4\n else\n x(i) = 2\n end if":                                                                                                   true,
		"if (y(i) > 1) x(i) = 1\n if (y(i) <= 1 .and. y(i) > 0) x(i) = 2":                                                                                                                     false,
		"if (y(i) > 1) then\n x(i) = 1\n else if (y(i) > 0) then\n x(i) = 2\n end if":                                                                                                         false,
		"if (y(i) > 1) then\n if (y(i) > 2) x(i) = 1\n else if (y(i) > 0) then\n x(i) = 2\n else\n x(i) = 3\n end if":                                                                         false,
		"if (y(i) > 1) then\n if (y(i) > 2) x(i) = 1\n if (y(i) > 3) x(i) = 4\n else if (y(i) > 0) then\n x(i) = 2\n else\n x(i) = 3\n end if":                                                false,
	} {
		code := emitAll(t, "in.hpf", fmt.Sprintf(kernelProgram, "do i = 1, n\n "+body+"\n end do"), codegen.Options{Target: kernel.Auto})
		if got := everywhere.MatchString(code); got != whole || masked.MatchString(code) == whole {
			t.Errorf("%s: stored everywhere: %v, want %v", body, got, whole)
		}
	}
}

// TestSure: an element that is surely there is loaded in front of a loop in Go of which only
// some iterations use it, one that may not be there is not.
func TestSure(t *testing.T) {
	for sub, early := range map[string]bool{"i": true, "41-i": true, "1+i": false, "m": false} {
		loop := fmt.Sprintf("do i = 1, n\n do j = 1, n\n if (j /= i) then\n if (x(%s) > y(j) .and. k < n) then\n k = k + 1\n l(k) = j\n end if\n end if\n end do\n end do", sub)
		code := emitAll(t, "in.hpf", fmt.Sprintf(kernelProgram, loop), codegen.Options{Target: kernel.Auto})
		if got := regexp.MustCompile(`\bxN\d+ := x\.Data\[`).MatchString(code); got != early {
			t.Errorf("x(%s) is loaded in front of the loop: %v, want %v\n%s", sub, got, early, code)
		}
	}
}
