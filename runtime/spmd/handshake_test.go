package spmd

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

// TestHandshakeFlag: with -handshake a program sends the ready messages that its
// plan leaves out, and computes the same.
func TestHandshakeFlag(t *testing.T) {
	p := Program{Name: "test", File: "prog.hpf", Sites: []Site{{ID: 0, Line: 3, Col: 1, Kind: "shift", Ref: "a(i-1)"}, {ID: 1, Line: 4, Col: 1, Kind: "sum", Ref: "s"}}}
	body := func(pe *PE) {
		l := dist.NewLayout(dist.Map{Axes: []dist.Axis{{Lo: 1, Hi: 12, Grid: 0, Format: dist.Block, TLo: 1, THi: 12, A: 1}}}, dist.Grid{pe.N()})
		a := NewArray[int](pe, "a", l, [][2]int{{1, 0}})
		own := a.Owned(0)
		for k := range own.N {
			i := own.Lo + k
			a.Data[a.At1(i)] = i
		}
		c := NewComm(pe, 0, a, nil).Sync(Elided)
		pe.Start()
		c.Needs(func(q int) Box {
			mine := l.Owned(q, 0)
			return Box{dist.Range(max(2, mine.Lo)-1, mine.Hi()-1, 1)}
		})
		c.Post()
		c.Wait()
		left := 0
		if own.Lo > 1 {
			left = a.Data[a.At1(own.Lo-1)]
		}
		c.Done()
		if sum := Sum(pe, 1, left); pe.ID() == 0 {
			pe.Print(sum)
		}
	}
	// The columns: line, times, data, ready, bytes, waits, communication.
	line := regexp.MustCompile(`(?m)^ *\d+ +\d+ +(\d+) +(\d+) .*a\(i-1\)$`)
	for args, want := range map[string]string{"-n 3 -stats": "2 0", "-n 3 -stats -handshake": "2 2"} {
		var out, errs bytes.Buffer
		if status := run(p, strings.Fields(args), strings.NewReader(""), &out, &errs, body); status != 0 || strings.TrimSpace(out.String()) != "12" {
			t.Fatalf("%s: status %d, output %q, errors %q", args, status, out.String(), errs.String())
		}
		m := line.FindStringSubmatch(errs.String())
		if m == nil {
			t.Fatalf("%s: no line of the shift in\n%s", args, errs.String())
		}
		if got := m[1] + " " + m[2]; got != want {
			t.Errorf("%s: data and ready messages %s, want %s", args, got, want)
		}
	}
}
