//go:build race

package spmd

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/runtime/dist"
)

// exchange puts to the right and to the left without ready messages. The put to
// the left orders the use of what came from the left before the next put to the
// right, if it comes after the use; not if it comes before.
func exchange(answerFirst bool) error {
	p := sites(2)
	p.Check = false // the check of the order of puts may end the run before the race
	_, err := Run(p, 2, nil, nil, func(pe *PE) {
		l := dist.NewLayout(axes(block(1, 4, 0)), pe.Grid(2))
		a := NewArray[float64](pe, "a", l, [][2]int{{1, 0}})
		b := NewArray[float64](pe, "b", l, [][2]int{{0, 1}})
		right, left := NewComm(pe, 0, a, nil).Sync(Elided), NewComm(pe, 1, b, nil).Sync(Elided)
		pe.Start()
		sum := 0.0
		use := func() { sum += a.Data[0] }
		answer := func() {
			left.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(0, 1)) })
			left.Post()
			left.Wait()
			left.Done()
		}
		for range 30 {
			right.Needs(func(q int) Box { return pe.Box(l.Owned(q, 0).Grow(1, 0)) })
			right.Post()
			right.Wait()
			if answerFirst {
				answer()
				use()
			} else {
				use()
				answer()
			}
			right.Done()
		}
		if sum != sum {
			pe.Print(sum)
		}
	})
	return err
}

// The race detector must see missing synchronisation, whatever the PEs happen
// to do to wait for each other, and must not see any where messages order the
// uses. The runs are in processes of their own, since a report fails one.
func TestRaceDetectorSeesMissingSynchronisation(t *testing.T) {
	const key = "SPMD_RACE_EXCHANGE"
	if mode := os.Getenv(key); mode != "" {
		if strings.HasSuffix(mode, "park") {
			runtime.GOMAXPROCS(1)
		} else {
			runtime.GOMAXPROCS(2)
		}
		if err := exchange(strings.HasPrefix(mode, "answer first")); err != nil {
			t.Fatal(err)
		}
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for mode, racy := range map[string]bool{
		"answer first, park": true, "answer first, spin": true,
		"use first, park": false, "use first, spin": false,
	} {
		cmd := exec.Command(exe, "-test.run=^TestRaceDetectorSeesMissingSynchronisation$")
		cmd.Env = append(os.Environ(), key+"="+mode)
		out, err := cmd.CombinedOutput()
		if reported := strings.Contains(string(out), "DATA RACE"); reported != racy || !racy && err != nil {
			t.Errorf("%s: race reported: %v, want %v (%v)\n%s", mode, reported, racy, err, out)
		}
	}
}
