package spmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/spmdc/spmdc/runtime/dist"
)

func TestAbortFromOnePE(t *testing.T) {
	for _, np := range peCounts {
		last := np - 1
		out := fails(t, np, "", func(pe *PE) {
			if pe.ID() == 0 {
				pe.Print("started")
			}
			pe.Barrier(0)
			if pe.ID() == last {
				pe.Abort(4, "no convergence after %d steps", 12)
			}
			Sum(pe, 1, 1.0) // the others wait here
		}, fmt.Sprintf("prog.hpf:104: PE %d: no convergence after 12 steps", last))
		if out != " started\n" {
			t.Errorf("output before the error: %q", out)
		}
	}
}

// Every kind of wait ends when another PE aborts.
func TestAbortWakesEveryWait(t *testing.T) {
	waits := map[string]func(pe *PE, c *Comm[float64]){
		"barrier":   func(pe *PE, c *Comm[float64]) { pe.Barrier(0) },
		"reduction": func(pe *PE, c *Comm[float64]) { Sum(pe, 0, 1) },
		"broadcast": func(pe *PE, c *Comm[float64]) { Bcast(pe, 0, 2, 1) },
		"post": func(pe *PE, c *Comm[float64]) {
			c.Needs(func(int) Box { return Box{dist.Range(1, 9, 1)} })
			c.Post()
			c.Wait()
		},
	}
	for name, wait := range waits {
		before := runtime.NumGoroutine()
		fails(t, 3, "", func(pe *PE) {
			a := NewArray[float64](pe, "a", dist.NewLayout(axes(block(1, 9, 0)), pe.Grid(3)), nil)
			c := NewComm(pe, 1, a, NewTemp[float64](pe, 1, 9))
			pe.Start()
			if pe.ID() == 2 {
				time.Sleep(5 * time.Millisecond) // let the others park
				pe.Abort(2, "gave up")
			}
			wait(pe, c)
			t.Errorf("%s: PE %d got past it", name, pe.ID())
		}, "prog.hpf:102: PE 2: gave up")
		for range 100 { // the PEs have ended, not only been left behind
			if runtime.NumGoroutine() <= before {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if n := runtime.NumGoroutine(); n > before {
			t.Errorf("%s: %d goroutines are left", name, n-before)
		}
	}
}

// A PE that never waits does not keep the error from being reported.
func TestAbortDoesNotWaitForReaders(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	var out bytes.Buffer
	start := time.Now()
	_, err := Run(sites(3), 2, r, &out, func(pe *PE) {
		if pe.ID() == 0 {
			pe.Print("name?")
			var s string
			pe.Formatted(0, nil, formatA, Str(&s, 3)) // nothing ever comes
		}
		pe.Abort(1, "stop")
	})
	if err == nil || !strings.Contains(err.Error(), "PE 1: stop") {
		t.Errorf("error %v", err)
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("the error took %v", d)
	}
	if out.String() != " name?\n" {
		t.Errorf("output %q", out.String())
	}
}

func TestFirstErrorWins(t *testing.T) {
	var out bytes.Buffer
	_, err := Run(sites(2), 4, nil, &out, func(pe *PE) {
		pe.Abort(0, "broken")
	})
	var e *Error
	if !errors.As(err, &e) || e.Msg != "broken" || e.Line != 100 || strings.Count(err.Error(), "broken") != 1 {
		t.Errorf("error %v", err)
	}
}

// Two PEs wait for each other's ready message: each posts a different
// communication first.
func TestDeadlockCycle(t *testing.T) {
	fails(t, 3, "", func(pe *PE) {
		l := dist.NewLayout(axes(block(1, 9, 0)), pe.Grid(3))
		a := NewArray[float64](pe, "a", l, nil)
		first := NewComm(pe, 2, a, NewTemp[float64](pe, 1, 9))
		second := NewComm(pe, 5, a, NewTemp[float64](pe, 1, 9))
		pe.Start()
		need := func(q int) Box {
			if q == 0 {
				return nil
			}
			return Box{dist.Range(4, 9, 1)} // owned by PEs 1 and 2
		}
		if pe.ID() == 1 {
			first, second = second, first
		}
		first.Needs(need)
		first.Post()
		second.Needs(need)
		second.Post()
	}, "prog.hpf:10", "deadlock: these PEs wait for each other",
		"\n  PE 1 at prog.hpf:105 waits for ready message of r5(i) from PE 2",
		"\n  PE 2 at prog.hpf:102 waits for ready message of r2(i) from PE 1")
}

func TestDeadlockReports(t *testing.T) {
	for _, c := range []struct {
		name string
		body func(pe *PE)
		want []string
	}{
		{"barrier against reduction", func(pe *PE) {
			if pe.ID() == 1 {
				pe.Barrier(3)
			}
			Sum(pe, 4, 1)
		}, []string{"PE 0 at prog.hpf:104 waits for the contribution to r4(i) from PE 1", "PE 1 at prog.hpf:103 waits in a barrier for PE"}},
		{"returned before a barrier", func(pe *PE) {
			if pe.ID() != 1 {
				pe.Barrier(3)
			}
		}, []string{"prog.hpf:103: ", "a PE has returned while others wait for it", "PE 0 at prog.hpf:103 waits in a barrier for PE 1", "PE 1 has returned"}},
		{"returned before a reduction", func(pe *PE) {
			if pe.ID() != 0 {
				Max(pe, 2, 1.0)
			}
		}, []string{"PE 1 at prog.hpf:102 waits for the result of r2(i) from PE 0", "PE 0 has returned"}},
		{"returned before a broadcast", func(pe *PE) {
			if pe.ID() != 2 {
				Bcast(pe, 1, 2, 1.0)
			}
		}, []string{"PE 0 at prog.hpf:101 waits for the broadcast of r1(i) from PE 2", "PE 2 has returned"}},
		{"stopped alone", func(pe *PE) {
			if pe.ID() == 1 {
				pe.Stop(0)
			}
			pe.Barrier(0)
		}, []string{"PE 1 has returned"}},
		{"data that nobody sends", func(pe *PE) {
			l := dist.NewLayout(axes(block(1, 8, 0)), pe.Grid(4))
			a := NewArray[float64](pe, "a", l, nil)
			c := NewComm(pe, 6, a, NewTemp[float64](pe, 1, 8)).Sync(Elided)
			pe.Start()
			if pe.ID() != 3 {
				c.Needs(func(int) Box { return Box{dist.Range(1, 8, 1)} })
				c.Post()
				c.Wait()
			}
		}, []string{"PE 0 at prog.hpf:106 waits for data of r6(i) from PE 3", "PE 3 has returned"}},
		{"readers that stay behind", func(pe *PE) {
			if pe.ID() == 1 {
				pe.Barrier(0)
			}
			for range 1000 {
				Bcast(pe, 7, 0, 1)
			}
		}, []string{"PE 0 at prog.hpf:107 waits to broadcast r7(i) until PE 1 has taken earlier broadcasts"}},
	} {
		t.Run(c.name, func(t *testing.T) { fails(t, 4, "", c.body, append(c.want, "deadlock: ")...) })
	}
}

// An image that waits in a checkpoint is not said to wait in SYNC ALL.
func TestDeadlockInCheckpoint(t *testing.T) {
	p := points()
	p.Coarray = true
	p.Sites[7].Kind, p.Sites[7].Ref = "checkpoint", "spmd_checkpoint"
	status, _, text := start(p, func(pe *PE) {
		if pe.ID() != 1 {
			pe.Checkpoint(7, 1)
		}
	}, "", "-n", "3", "-checkpoint", filepath.Join(t.TempDir(), "checkpoint"))
	if status != exitFault || !strings.Contains(text, "image 1 at prog.hpf:107 waits for image 2 in spmd_checkpoint") {
		t.Errorf("status %d\n%s", status, text)
	}
}

// A PE that computes for long is not stuck, nor is one that waits for input.
func TestNoFalseDeadlock(t *testing.T) {
	spmd(t, 3, "", func(pe *PE) {
		if pe.ID() == 1 {
			time.Sleep(100 * time.Millisecond)
		}
		pe.Barrier(0)
	})
	slow := readerFunc(func(b []byte) (int, error) {
		time.Sleep(100 * time.Millisecond)
		return copy(b, "5\n"), nil
	})
	_, err := Run(sites(1), 3, slow, nil, func(pe *PE) {
		var i int
		pe.Read(0, nil, &i)
		if i != 5 {
			t.Errorf("read %d", i)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// Without ready messages a producer may run ahead of a consumer; the flag that
// then has the wrong epoch ends the run. It is not taken for the one expected.
// (Check builds notice it earlier: see TestPutsAreChecked.)
func TestOverrunIsReported(t *testing.T) {
	p := sites(8)
	p.Check = false
	_, err := Run(p, 2, nil, nil, func(pe *PE) {
		l := dist.NewLayout(axes(block(1, 2, 0)), pe.Grid(2))
		a := NewArray[float64](pe, "a", l, [][2]int{{1, 0}})
		c := NewComm(pe, 3, a, nil).Sync(Elided)
		pe.Start()
		need := func(q int) Box { return Box{l.Owned(q, 0).Grow(1, 0)} }
		post := func() {
			c.Needs(need)
			c.Post()
			c.Wait()
			c.Done()
		}
		if pe.ID() == 0 {
			post()
			post()
			pe.Barrier(0)
			return
		}
		pe.Barrier(0)
		post()
	})
	const want = "prog.hpf:103: PE 1: overrun: expected the put of epoch 1 from PE 0, found epoch 2 (r3(i))"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// PEs that disagree on which collective comes next have diverged.
func TestDivergenceIsReported(t *testing.T) {
	for name, f := range map[string]func(pe *PE, site int){
		"reduction": func(pe *PE, site int) { Sum(pe, site, 1) },
		"broadcast": func(pe *PE, site int) { Bcast(pe, site, 0, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			fails(t, 2, "", func(pe *PE) { f(pe, 3+pe.ID()) }, "control diverged: PE ", "prog.hpf:10")
		})
	}
	fails(t, 2, "", func(pe *PE) {
		if pe.ID() == 1 {
			NewComm(pe, 1, NewLocal[int](pe, "k", [2]int{1, 1}), NewTemp[int](pe, 1, 1))
		}
		pe.Start()
	}, "internal error", "registered different buffers")
}

func TestStop(t *testing.T) {
	for _, c := range []struct {
		stop func(pe *PE)
		want *StopError
	}{
		{func(pe *PE) { pe.Stop() }, nil},
		{func(pe *PE) { pe.Stop(0) }, &StopError{0, "STOP 0"}},
		{func(pe *PE) { pe.Stop(3) }, &StopError{3, "STOP 3"}},
		{func(pe *PE) { pe.Stop("all done") }, &StopError{0, "STOP all done"}},
		{func(pe *PE) { pe.Stop("") }, &StopError{0, "STOP "}},
		{func(pe *PE) { pe.ErrorStop() }, &StopError{1, "ERROR STOP "}},
		{func(pe *PE) { pe.ErrorStop(0) }, &StopError{0, "ERROR STOP 0"}},
		{func(pe *PE) { pe.ErrorStop(1) }, &StopError{1, "ERROR STOP 1"}},
		{func(pe *PE) { pe.ErrorStop("bad") }, &StopError{1, "ERROR STOP bad"}},
		{func(pe *PE) { pe.ErrorStop(-1) }, &StopError{-1, "ERROR STOP -1"}},
	} {
		var out bytes.Buffer
		_, err := Run(sites(1), 3, nil, &out, func(pe *PE) {
			if pe.ID() == 0 {
				pe.Print("last words")
			}
			c.stop(pe)
			t.Error("STOP returned")
		})
		if out.String() != " last words\n" {
			t.Errorf("output %q", out.String())
		}
		var stop *StopError
		if c.want == nil {
			if err != nil {
				t.Errorf("error %v", err)
			}
		} else if !errors.As(err, &stop) || *stop != *c.want {
			t.Errorf("error %v, want %v", err, c.want)
		}
	}
}

func TestMainFlagsAndStatus(t *testing.T) {
	p := sites(2)
	body := func(pe *PE) {
		if pe.ID() == 0 {
			pe.Print(int32(pe.N()))
		}
		if Sum(pe, 1, 1) == 5 {
			pe.Abort(0, "five are too many")
		}
		if pe.N() == 6 {
			pe.Stop(42)
		}
	}
	for _, c := range []struct {
		args         string
		status       int
		out, errText string
	}{
		{"-n 3", 0, "           3\n", ""},
		{"", 0, fmt.Sprintf("%12d\n", runtime.GOMAXPROCS(0)), ""},
		{"-n 2 -stats", 0, "           2\n", "total, 2 PEs"},
		{"-n 5", 1, "           5\n", "prog.hpf:100: PE "},
		{"-n 6", 42, "           6\n", "STOP 42\n"},
		{"-n 0", 2, "", "-n 0: the number of processing elements must be between 1 and"},
		{"-n x", 2, "", "invalid value"},
		{"-n 99999999", 2, "", "must be between"},
		{"-unknown", 2, "", "not defined: -unknown"},
		{"file", 2, "", `unexpected argument "file"`},
		{"-h", 0, "", "usage: test [-n P] [-stats]"},
	} {
		var out, errs bytes.Buffer
		status := run(p, strings.Fields(c.args), strings.NewReader(""), &out, &errs, body)
		if status != c.status || out.String() != c.out || !strings.Contains(errs.String(), c.errText) {
			t.Errorf("%q: status %d, output %q, errors %q", c.args, status, out.String(), errs.String())
		}
		if c.errText == "" && errs.Len() > 0 {
			t.Errorf("%q: errors %q", c.args, errs.String())
		}
	}
}

func TestStatsTable(t *testing.T) {
	stats := &Stats{
		Sites: []Site{{ID: 0, Line: 24, Col: 12, Kind: "shift", Ref: "u(i-1,j)"}, {ID: 1, Line: 25, Col: 1, Kind: "unused", Ref: "v"}, {ID: 2, Line: 103, Col: 5, Kind: "reduction", Ref: "sum"}},
		PEs:   [][]Counts{{{3, 2, 1, 80, 0, 7, 0}, {}, {1, 1, 0, 8, 1, 0, 0}, {}}, {{3, 2, 2, 80, 1, 5, 0}, {}, {1, 0, 0, 0, 0, 0, 0}, {4, 0, 0, 0, 0, 0, 0}}},
	}
	var b bytes.Buffer
	stats.Table(&b)
	want, err := os.ReadFile("testdata/stats.txt")
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("table:\n%s\nwant:\n%s", b.String(), want)
	}
}
