package comm_test

import (
	"testing"

	"github.com/spmdc/spmdc/parser/source"
)

// TestDocumentedWarning: the example of the code gives the warning, once.
func TestDocumentedWarning(t *testing.T) {
	info, _ := source.Lookup(source.Slow)
	diags := source.NewList(source.NewFile("in.hpf", []byte(info.Example)))
	analyze(t, info.Example).WarnSlow(diags)
	if len(diags.Diags) != 1 || diags.Diags[0].Code != source.Slow {
		t.Errorf("the example of %s gives %v", info.Code, diags.Diags)
	}
}

// TestSmallShare: a loop that is executed once, by all PEs, is worth a warning only where
// that is a part of the program that counts.
func TestSmallShare(t *testing.T) {
	const fill = `program p
  integer, parameter :: n = 500
  integer :: x(n), y(n), i, k, seed
!HPF$ DISTRIBUTE (BLOCK) :: x, y
  seed = 7
  do i = 1, n
    seed = mod(seed*137 + 1, 4096)
    x(i) = seed
  end do
`
	const steps = "  do k = 1, 100\n    do i = 1, n\n      y(i) = x(i) + k\n    end do\n  end do\n"
	const again = "  do k = 1, 100\n    do i = 1, n\n      seed = mod(seed*137 + 1, 4096)\n      x(i) = seed\n    end do\n  end do\n"
	for name, c := range map[string]struct {
		body string
		want int
	}{"once": {steps, 0}, "alone": {"", 1}, "in each step": {again, 1}, "both": {steps + again, 1}} {
		text := fill + c.body + "  print *, x(n), y(n)\nend program\n"
		diags := source.NewList(source.NewFile("in.hpf", []byte(text)))
		analyze(t, text).WarnSlow(diags)
		if len(diags.Diags) != c.want {
			t.Errorf("%s: %v", name, diags.Diags)
		}
	}
}
