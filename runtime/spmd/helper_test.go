package spmd

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

// peCounts are the numbers of PEs that every test runs on; the last is more
// than most test arrays have elements.
var peCounts = []int{1, 2, 3, 4, 7, 16}

// sites gives a program that many sites, on lines 100, 101, ...
func sites(n int) Program {
	p := Program{Name: "test", File: "prog.hpf", Check: true}
	for i := range n {
		p.Sites = append(p.Sites, Site{ID: i, Line: 100 + i, Kind: "test", Ref: fmt.Sprintf("r%d(i)", i)})
	}
	return p
}

// spmd runs body on np PEs and returns its output and statistics; the run must
// succeed.
func spmd(t testing.TB, np int, input string, body func(*PE)) (string, *Stats) {
	t.Helper()
	return executed(t, sites(8), np, input, body)
}

// executed is spmd of a program.
func executed(t testing.TB, p Program, np int, input string, body func(*PE)) (string, *Stats) {
	t.Helper()
	var out bytes.Buffer
	stats, err := Run(p, np, strings.NewReader(input), &out, body)
	if err != nil {
		t.Fatalf("on %d PEs: %v", np, err)
	}
	return out.String(), stats
}

// fails runs body on np PEs; the run must end with an error that contains all
// of want. It returns the output up to then.
func fails(t testing.TB, np int, input string, body func(*PE), want ...string) string {
	t.Helper()
	var out bytes.Buffer
	_, err := Run(sites(8), np, strings.NewReader(input), &out, body)
	if err == nil {
		t.Fatalf("on %d PEs: no error, want %q", np, want)
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("on %d PEs: the error does not contain %q:\n%v", np, w, err)
		}
	}
	if strings.Contains(err.Error(), "goroutine") {
		t.Errorf("the error shows a stack:\n%v", err)
	}
	return out.String()
}

// block, cyclic and whole are axes of an array with bounds lo..hi.
func block(lo, hi, grid int) dist.Axis {
	return dist.Axis{Lo: lo, Hi: hi, Grid: grid, Format: dist.Block, TLo: lo, THi: hi, A: 1}
}

func cyclic(lo, hi, grid int) dist.Axis {
	return dist.Axis{Lo: lo, Hi: hi, Grid: grid, Format: dist.Cyclic, TLo: lo, THi: hi, A: 1}
}

func whole(lo, hi int) dist.Axis { return dist.Axis{Lo: lo, Hi: hi, Grid: -1, A: 1} }

func axes(list ...dist.Axis) dist.Map { return dist.Map{Axes: list} }

// value is what the tests store in the element idx at a time step: different
// for all of them.
func value(step int, idx ...int) float64 {
	v := float64(step + 1)
	for _, i := range idx {
		v = v*1000 + float64(i+100)
	}
	return v
}

// each calls f with every element of a box.
func each(box Box, f func(x []int)) {
	if box == nil {
		return
	}
	x := make([]int, len(box))
	var walk func(d int)
	walk = func(d int) {
		if d == len(box) {
			f(x)
			return
		}
		for k := range max(0, box[d].N) {
			x[d] = box[d].Lo + k*box[d].Step
			walk(d + 1)
		}
	}
	walk(0)
}

// ownedBox is what PE q owns.
func ownedBox(l *dist.Layout, q int) Box {
	box := Box{}
	for d := range l.Rank() {
		box = append(box, l.Owned(q, d))
	}
	return box
}

// set sets the owned elements of a to their values at a time step.
func set(a *Array[float64], step int) {
	if !a.Layout.Holds(a.pe.id) {
		return
	}
	each(ownedBox(a.Layout, a.pe.id), func(x []int) { a.Data[a.At(x...)] = value(step, x...) })
}

// mustPanic calls f, which must panic with a Fault that contains want.
func mustPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		v := recover()
		var fault *Fault
		if err, ok := v.(error); !ok || !errors.As(err, &fault) || !strings.Contains(fault.Msg+"\n"+fault.Hint, want) {
			t.Errorf("panic %v, want %q", v, want)
		}
	}()
	f()
}
