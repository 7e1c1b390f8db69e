package comm_test

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/internal/interp"
	"github.com/spmdc/spmdc/ir"
)

// compare executes the SPMD form of text on np PEs and tells how it differs
// from the sequential execution, "" if it does not. The given functions see the
// SPMD form before, and may change it.
func compare(text string, np int, look ...func(p *comm.Program)) (difference string) {
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(interp.Fault)
			if !ok {
				panic(r)
			}
			difference = string(f)
		}
	}()
	original, err := front.Program("in.hpf", text)
	if err != nil {
		return err.Error()
	}
	want := interp.New(original, np, maxSteps)
	want.Execute()
	p, err := front.SPMD("in.hpf", text) // of a program of its own
	if err != nil {
		return err.Error()
	}
	for _, f := range look {
		f(p)
	}
	got := runSPMD(p, np)
	if !slices.Equal(want.Out, got.out) {
		return fmt.Sprintf("prints %q, want %q", got.out, want.Out)
	}
	private := map[*ir.Symbol]bool{} // in the end it may be undefined
	ir.Walk(p.IR.Body, func(s ir.Stmt) bool {
		if d, ok := s.(*ir.Do); ok {
			for _, sym := range slices.Concat(p.Private(d), p.Proved(d)) {
				private[sym] = true
			}
		}
		return true
	})
	for _, s := range original.Symbols {
		if !s.IsArray() {
			continue
		}
		t := got.symbols[s.Name]
		right := want.Arrays[s]
		right.Elements(func(subs []int, n int) {
			for _, q := range got.pes {
				if l := got.layouts[t]; l != nil && !l.Owns(q.id, subs...) {
					continue
				}
				if v, w := q.arrays[t].Data[n], right.Data[n]; v != w && !private[t] && !(v != v && w != w) && difference == "" {
					difference = fmt.Sprintf("%s%v is %v on PE %d, want %v", s.Name, subs, v, q.id, w)
				}
			}
		})
	}
	if difference == "" && len(got.posted) > 0 && !want.Stopped {
		for c := range got.posted {
			difference = fmt.Sprintf("communication #%d is live at the end", c.ID)
		}
	}
	return difference
}
