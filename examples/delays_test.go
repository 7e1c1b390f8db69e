package examples_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/effort"
)

// delayed is a random program whose PE 0 or 1 executes, in a region of its own, what its input says,
// in some of the rounds: milliseconds of images, additions of other programs.
type delayed struct {
	text       string
	line, last int // of the region
	late       int // rounds in which it is executed
	images     bool
	input      string
	length     float64 // seconds of all its executions, at least; 0: not known
	name       string
}

const delayedRounds = 12

// newDelayed writes a program.
func newDelayed(seed uint64, images bool) *delayed {
	rnd := rand.New(rand.NewPCG(seed, 7))
	d := &delayed{images: images}
	phase, work := arrayPhase, arrayWork
	declarations := `  integer, parameter :: n = 40
  real(8) :: u(n), w(n), s
  real(8) :: y
  integer :: t, i, k, work
!HPF$ DISTRIBUTE (BLOCK) :: u, w
  read *, work
  do i = 1, n
     u(i) = i
     w(i) = 1
  end do
  s = 0
`
	if images {
		phase, work = imagePhase, imageWork
		declarations = `  integer :: x[*], s, t, work
  x = 0
  s = 0
  if (this_image() == 1) read *, work
  call co_broadcast(work, 1)
`
	}
	var lines []string
	add := func(text string) { lines = append(lines, strings.Split(strings.TrimRight(text, "\n"), "\n")...) }
	phases := func() {
		add(work(rnd))
		for range 1 + rnd.IntN(3) {
			add(phase(rnd))
		}
	}
	add("program delays\n  implicit none\n" + declarations + fmt.Sprintf("  do t = 1, %d", delayedRounds))
	phases()
	every := 2 + rnd.IntN(3)
	d.late = delayedRounds / every
	d.line = len(lines) + 1
	if pe := rnd.IntN(2); images {
		add(fmt.Sprintf("!SPMD$ REGION late\n  if (this_image() == %d .and. mod(t, %d) == 0) call spin(1000*work)\n!SPMD$ END REGION", pe+1, every))
		ms := 20 + rnd.IntN(15)
		d.input, d.length = fmt.Sprintln(ms), 1e-3*float64(ms*d.late)
	} else {
		add(fmt.Sprintf("!SPMD$ REGION late\n  if (mod(t, %d) == 0) then\n%s  end if\n!SPMD$ END REGION", every, additions(pe, "work")))
		d.input = fmt.Sprintln(15_000_000 + rnd.IntN(10_000_000))
	}
	d.last = len(lines)
	phases()
	if images {
		add("  sync all\n  end do\n  print *, x, s\ncontains\n" + spin)
	} else {
		add("  do i = 1, n\n    s = s + w(i)\n  end do\n  u(1) = s*1d-9\n  end do\n  print *, s, u(7)")
	}
	add("end program")
	d.text = strings.Join(lines, "\n") + "\n"
	return d
}

// additions are so many on one of the two PEs.
func additions(pe int, n string) string {
	return fmt.Sprintf("  do i = %d, %[1]d\n    y = w(i)\n    do k = 1, %s\n      y = y*0.5d0 + 1d0\n    end do\n    w(i) = y\n  end do\n", 5+20*pe, n)
}

// spin waits for microseconds.
const spin = `  subroutine spin(us)
    integer, intent(in) :: us
    integer(8) :: begin, now, rate
    call system_clock(begin, rate)
    do
      call system_clock(now)
      if (now - begin >= us*(rate/1000000)) exit
    end do
  end subroutine`

// imagePhase is something that two images do.
func imagePhase(rnd *rand.Rand) string {
	switch rnd.IntN(5) {
	case 0:
		return "  x[3 - this_image()] = t\n  sync all\n"
	case 1:
		return "  sync images(3 - this_image())\n"
	case 2:
		return "  s = t\n  call co_sum(s)\n"
	}
	return imageWork(rnd)
}

// imageWork takes an image a few milliseconds, one longer than the other.
func imageWork(rnd *rand.Rand) string {
	return fmt.Sprintf("  call spin(%d + %d*mod(t*%d + %d*this_image(), %d))\n", 1000+rnd.IntN(3000), rnd.IntN(1000), 1+rnd.IntN(5), 1+rnd.IntN(5), 2+rnd.IntN(4))
}

// arrayPhase is something that two PEs do with the arrays.
func arrayPhase(rnd *rand.Rand) string {
	switch rnd.IntN(5) {
	case 0:
		return "  do i = 2, n\n    w(i) = w(i)*0.5d0 + u(i-1)\n  end do\n"
	case 1:
		return "  do i = 1, n - 1\n    u(i) = u(i)*0.5d0 + w(i+1)\n  end do\n"
	case 2:
		return "  do i = 1, n\n    s = s + w(i)\n  end do\n  w(1) = s*1d-9\n"
	}
	return arrayWork(rnd)
}

// arrayWork takes a PE a few milliseconds, one longer than the other.
func arrayWork(rnd *rand.Rand) string {
	some := func() string { return fmt.Sprint(1_000_000 + rnd.IntN(1_000_000)) }
	return additions(0, some()) + additions(1, some())
}

// criticalRun is what trace critical says of a run, and what its profile does.
type criticalRun struct {
	Length, Waited float64
	Parts          []criticalPart

	late, seconds float64 // of the delayed region, on the PE that is late, and of the program
}

type criticalPart struct {
	What, Lines string
	Path, Blame float64
	Without     *float64
}

// run runs the program with an input, and returns what is said of it.
func (d *delayed) run(t *testing.T, p program, input string) *criticalRun {
	t.Helper()
	dir := t.TempDir()
	file, profile := filepath.Join(dir, "trace"), filepath.Join(dir, "profile")
	cmd := p.CommandContext(t.Context(), "-n", "2", "-trace="+file, "-profile="+profile)
	cmd.Stdin = strings.NewReader(input)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, out, d.text)
	}
	r := new(criticalRun)
	if err := json.Unmarshal(spmdc(t, "trace", "critical", "--format=json", file), r); err != nil {
		t.Fatal(err)
	}
	var m measuredRun
	readJSON(t, profile, &m)
	for _, x := range m.Regions {
		for _, pe := range x.PEs {
			if x.Kind == "program" {
				r.seconds = max(r.seconds, pe.Seconds)
			}
			if x.Name == "late" {
				r.late = max(r.late, pe.Seconds)
			}
		}
	}
	return r
}

// part is the part with most on the path that lies in the delayed region.
func (d *delayed) part(r *criticalRun) *criticalPart {
	for i := range r.Parts {
		var first, last int
		if n, _ := fmt.Sscanf(r.Parts[i].Lines, "%d-%d", &first, &last); n == 2 && first >= d.line && last <= d.last {
			return &r.Parts[i]
		}
	}
	return nil
}

// wrong says what the critical path of a run with the delay has wrong, besides what the run would be without.
func (d *delayed) wrong(r *criticalRun) string {
	x := d.part(r)
	switch {
	case x == nil:
		return "the delayed region is not on the path"
	case x.Without == nil:
		return "it is not said what the run would be without"
	case r.late < d.length:
		return fmt.Sprintf("it took %.4f s, of %.4f", r.late, d.length)
	case math.Abs(x.Path/r.late-1) > 0.05:
		return fmt.Sprintf("%.4f s of it are on the path, of %.4f", x.Path, r.late)
	case math.Abs(r.Length-r.seconds) > 1e-3:
		return fmt.Sprintf("the path has %.4f s, the run %.4f", r.Length, r.seconds)
	}
	all := 0.0
	for _, y := range r.Parts {
		all += y.Path
	}
	if math.Abs(all-r.Length) > 1e-6 {
		return fmt.Sprintf("the parts of the path have %.6f s, of %.6f", all, r.Length)
	}
	for _, y := range r.Parts {
		if y.Blame > x.Blame {
			return fmt.Sprintf("%s, line %s, is more to blame", y.What, y.Lines)
		}
	}
	return ""
}

// TestDelays: in random programs of two PEs one of which is late in one region, that is on the critical
// path with its length, and to blame; without it the run takes as long as it would take. Other
// programs run on the machine too, which delay all PEs: so it is enough if the former is so in one of several runs, and if
// what the best of them would take without the delay is what the best of as many takes without, in three of four programs.
func TestDelays(t *testing.T) {
	if testing.Short() {
		t.Skip("long: a bundle of its own")
	}
	n := effort.Of(50, 4)
	var all []*delayed
	var sources []source
	for i := range n {
		d := newDelayed(uint64(i), i%2 == 0)
		d.name = fmt.Sprintf("delays%d.hpf", i)
		if d.images {
			d.name = fmt.Sprintf("delays%d.f90", i)
		}
		all = append(all, d)
		sources = append(sources, source{d.name, d.text, []string{"elide", "handshake"}[i/2%2]})
	}
	of := ownBundle(t, sources...)
	var worst, worstPath float64
	off := 0 // programs whose times are
	for _, d := range all {
		t.Run(d.name, func(t *testing.T) {
			const attempts = 12
			var faults []string
			right, without, undelayed := false, math.Inf(1), math.Inf(1)
			for range attempts {
				r := d.run(t, of(d.name), d.input)
				if fault := d.wrong(r); fault != "" {
					faults = append(faults, fault)
					continue
				}
				right = true
				long := d.part(r).Path/cmp.Or(d.length, r.late) - 1
				if !effort.All() { // how long a run takes on a machine that is not quiet says little
					return
				}
				without = min(without, *d.part(r).Without)
				undelayed = min(undelayed, d.run(t, of(d.name), "0\n").Length)
				if math.Abs(without/undelayed-1) <= 0.1 && math.Abs(long) <= 0.05 {
					worst, worstPath = max(worst, math.Abs(without/undelayed-1)), max(worstPath, math.Abs(long))
					return
				}
				faults = append(faults, fmt.Sprintf("without it %.4f s, want %.4f; on the path it is %.1f %% too long", without, undelayed, 100*long))
			}
			text := strings.Join(slices.Compact(faults), "\n")
			if !right {
				t.Errorf("%s\n%s", text, d.text)
				return
			}
			off++
			t.Logf("times are off in each of %d runs:\n%s", attempts, text)
		})
	}
	if 4*off > n { // how many are depends on what else runs; a fault in the arithmetic would be in most
		t.Errorf("the times of %d of %d programs are off", off, n)
	}
	t.Logf("of %d programs the times of %d are off; of the others what the run would take without the delay is off by %.1f %% at most, the length on the path by %.1f %%", n, off, 100*worst, 100*worstPath)
}
