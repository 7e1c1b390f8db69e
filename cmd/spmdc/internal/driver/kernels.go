package driver

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/codegen/kernel"
)

// explainKernels lists the innermost loops with their lines.
func explainKernels(c *Compilation) (string, error) {
	var b strings.Builder
	kernels, loops := 0, 0
	for _, l := range c.Loops {
		text := strings.TrimSpace(c.Program().File.Line(l.Line))
		what := "kernel"
		if l.Why != "" {
			what = "loop in Go: " + l.Why
		}
		if !l.Alone {
			loops++
			if l.Why == "" {
				kernels++
			}
		}
		switch {
		case len(l.Unrolled) > 0:
			what += fmt.Sprintf(", with %s unrolled", listed(l.Unrolled))
		case len(l.Strips) > 0:
			what = fmt.Sprintf("kernels, many iterations of which execute %s together", listed(l.Strips))
		}
		if l.Call != nil {
			text += " in " + l.Call.String()
		}
		if l.Alone {
			what = "on one PE: " + what
		}
		fmt.Fprintf(&b, "line %d: %s\n    %s\n", l.Line, text, what)
	}
	target := fmt.Sprintf("for target %s", c.Options.Target)
	if c.Options.Check {
		target = "with --check in Go, with the same sums"
	} else if c.Options.Target == kernel.Go {
		target = "in Go, with the same sums"
	}
	fmt.Fprintf(&b, "%d of %d innermost loops are kernels, %s; --fp=%s\n", kernels, loops, target, c.Options.FP)
	return b.String(), nil
}

// loopData is an innermost loop in JSON.
type loopData struct {
	Line     int    `json:"line"`
	Call     string `json:"call,omitempty"`
	Kernel   bool   `json:"kernel"`
	Unrolled []int  `json:"unrolled,omitempty"`
	Strips   []int  `json:"strips,omitempty"`
	Why      string `json:"why,omitempty"`
	Alone    bool   `json:"alone,omitempty"` // the form for a PE that runs alone
}

// listed is loops, given their lines, as part of a sentence.
func listed(list []int) string {
	var b strings.Builder
	b.WriteString("the loop in line ")
	if len(list) > 1 {
		b.Reset()
		b.WriteString("the loops in lines ")
	}
	for i, n := range list {
		switch {
		case i > 0 && i == len(list)-1:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		fmt.Fprint(&b, n)
	}
	return b.String()
}

func dataKernels(c *Compilation) []loopData {
	list := []loopData{}
	for _, l := range c.Loops {
		d := loopData{Line: l.Line, Kernel: l.Why == "", Unrolled: l.Unrolled, Strips: l.Strips, Why: l.Why, Alone: l.Alone}
		if l.Call != nil {
			d.Call = l.Call.String()
		}
		list = append(list, d)
	}
	return list
}
