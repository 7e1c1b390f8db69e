package verify

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/dataflow/plan"
)

// Way is a way to build a program: a plan and, where several are compared, a target.
type Way struct {
	Plan   plan.Kind
	Target kernel.Target // "": the one of the options
}

func (w Way) String() string {
	if w.Target == "" {
		return string(w.Plan)
	}
	return fmt.Sprintf("%s, target %s", w.Plan, w.Target)
}

// ways lists how a program is built.
func (o *Options) ways() []Way {
	targets := o.Targets
	if targets == nil {
		targets = []kernel.Target{""}
	}
	var list []Way
	for _, k := range o.Plans {
		for _, t := range targets {
			list = append(list, Way{k, t})
		}
	}
	return list
}

// digits is what the first target of each plan has printed on each number of PEs.
type digits map[string]digitsOf

type digitsOf struct {
	way  Way
	text string
}

// same is a *Fault if another target has printed anything else.
func (d digits) same(way Way, n int, got *Outcome) error {
	key := fmt.Sprint(way.Plan, n)
	first, ok := d[key]
	if !ok {
		d[key] = digitsOf{way, got.Stdout}
		return nil
	}
	if first.text == got.Stdout {
		return nil
	}
	was, is := strings.Split(first.text, "\n"), strings.Split(got.Stdout, "\n")
	line := 0
	for line < min(len(was), len(is))-1 && was[line] == is[line] {
		line++
	}
	return &Fault{Wrong, fmt.Sprintf("line %d is not that of target %s:\n  %s\n  %s", line+1, first.way.Target, was[line], is[line])}
}
