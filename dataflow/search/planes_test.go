package search_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/verify"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// planesProgram has a time loop with the exchange of a plane; before, inside and
// behind are in front of the loop, and in it in front of and behind the exchange.
func planesProgram(before, inside, behind string) string {
	return `program p
  implicit none
  integer, parameter :: n = 16
  double precision :: a(n,4)
  integer :: i, t, iold, inew, swap, steps
  real :: half
!HPF$ DISTRIBUTE a(BLOCK,*)
  do i = 1, n
    a(i,1) = i
    a(i,2) = i
    a(i,3) = i
    a(i,4) = i
  end do
  steps = 0
  swap = 0
  iold = 1
  inew = 2
` + before + `
  do t = 1, 7
` + inside + `
!HPF$ INDEPENDENT
    do i = 2, n - 1
      a(i,inew) = a(i-1,iold) + a(i+1,iold)
    end do
` + behind + `
  end do
  print *, iold, inew, swap, steps
end program
`
}

const swapped = "swap = iold\niold = inew\ninew = swap\n"

// planesPrograms tells of each whether successive exchanges are of different planes
// on all ways that the graph has.
var planesPrograms = map[string]struct {
	before, inside, behind string
	alternate              bool
}{
	"swap":                       {"", "", swapped, true},
	"three planes in turn":       {"swap = 3", "", "steps = iold\niold = inew\ninew = swap\nswap = steps\n", true},
	"three minus":                {"", "", "iold = 3 - iold\ninew = 3 - inew\n", true},
	"remainder of the index":     {"", "iold = mod(t, 2) + 1\ninew = 3 - iold\n", "", true},
	"index minus twice its half": {"", "iold = t - 2*(t/2) + 1\ninew = 3 - iold\n", "", true},
	"remainder of a count":       {"read *, steps", "steps = steps + 1\niold = mod(steps, 2) + 1\ninew = 3 - iold\n", "", true},
	"flipped, whatever it was":   {"read *, iold\ninew = 2 - mod(iold, 2)\niold = 3 - inew", "", "iold = 3 - iold\ninew = 3 - inew\n", true},
	"swap on both branches":      {"", "", "if (t > 3) then\n" + swapped + "else\n" + swapped + "end if\n", true},
	"swap, with a way out":       {"", "", swapped + "if (t == 5) exit\n", true},
	"swap before a cycle":        {"", "", swapped + "if (t == 5) cycle\nsteps = steps + 1\n", true},

	"no swap":                   {"", "", "swap = iold\n", false},
	"swap twice":                {"", "", swapped + swapped, false},
	"half a swap":               {"", "", "swap = iold\niold = inew\n", false},
	"swap skipped by a branch":  {"", "", "if (t /= 3) then\n" + swapped + "end if\n", false},
	"swap skipped by a cycle":   {"", "", "if (t == 3) cycle\n" + swapped, false},
	"equal at first":            {"inew = iold", "", swapped, false},
	"read at first":             {"read *, iold", "", swapped, false},
	"read in the loop":          {"", "", swapped + "if (t == 4) read *, iold\n", false},
	"set anew in the loop":      {"", "", swapped + "if (t == 4) iold = 2\n", false},
	"index by steps of two":     {"", "iold = mod(2*t, 4) + 1\ninew = iold + 1\n", "", false},
	"remainder of half":         {"", "iold = mod(t/2, 2) + 1\ninew = 3 - iold\n", "", false},
	"remainder by three":        {"", "iold = mod(t, 3) + 1\ninew = 4\n", "", false},
	"swap in an inner loop":     {"", "", "do steps = 1, 2\n" + swapped + "end do\n", false},
	"half of a real":            {"", "", swapped + "half = 3\nhalf = half/2\niold = 2*half\n", false},
	"sum of an array":           {"", "", swapped + "do i = 1, n\nsteps = steps + int(a(i,1))\nend do\niold = mod(steps, 2) + 1\ninew = 3 - iold\n", false},
	"again from the first":      {"", "", "", false},
	"second loop starts anew":   {"do steps = 1, 3\niold = 1\ninew = 2\n", "", swapped + "end do\ndo swap = 1, 1\n", false},
	"the plane that was before": {"", "iold = 1", "iold = 2\ninew = 1 + mod(t, 2)\n", false},
}

// forms are the moods of the exchanges.
func forms(p *plan.Plan) (out []string) {
	for i := range p.Slots {
		if p.Slots[i].Comm.Overlap {
			out = append(out, p.Slots[i].Form.String())
		}
	}
	return out
}

// TestPlanes: planes that alternate are slots, and others are not.
func TestPlanes(t *testing.T) {
	for name, c := range planesPrograms {
		before := c.before
		inside := c.inside
		t.Run(name, func(t *testing.T) {
			text := planesProgram(before, inside, c.behind)
			if name == "second loop starts anew" {
				text = strings.Replace(text, "  end do\n  print", "  end do\n  end do\n  print", 1)
				text = strings.Replace(text, "end do\ndo swap = 1, 1\n", "", 1)
			}
			p := makePlan(t, text, plan.Elide)
			if err := verify.Plan(p); err != nil {
				t.Fatal(err)
			}
			list := forms(p)
			if len(list) == 0 {
				t.Fatal("no exchanges")
			}
			for _, form := range list {
				if strings.HasSuffix(form, "pingpong*2") != c.alternate {
					t.Errorf("slots %v\n%s", list, p.Explain())
					break
				}
			}
		})
	}
}

// spoiltPlanes are programs whose planes no longer alternate, or of which it cannot be
// seen.
var spoiltPlanes = map[string][3]string{
	"without the first assignment": {"", "", "iold = inew\ninew = swap\n"},
	"without the second":           {"", "", "swap = iold\ninew = swap\n"},
	"in another order":             {"", "", "iold = inew\nswap = iold\ninew = swap\n"},
	"equal at first":               {"inew = 1", "", swapped},
	"read in the loop":             {"", "", "read *, inew, steps\n" + swapped},
	"a branch around it":           {"", "", "if (t /= 3) swap = iold\niold = inew\ninew = swap\n"},
	"twice of it":                  {"", "", "swap = iold\niold = 2*inew\ninew = 2*swap\n"},
}

// TestPlanesForced: a plan is rejected that has planes as slots where they do not
// alternate, or that are not those of the communication.
func TestPlanesForced(t *testing.T) {
	right := makePlan(t, planesProgram("", "", swapped), plan.Elide)
	found := 0
	programs := maps.Clone(spoiltPlanes)
	for name, c := range planesPrograms {
		if !c.alternate && name != "second loop starts anew" {
			programs[name] = [3]string{c.before, c.inside, c.behind}
		}
	}
	for name, c := range programs {
		p := makePlan(t, planesProgram(c[0], c[1], c[2]), plan.Elide)
		for i := range p.Slots {
			if s := &p.Slots[i]; s.Comm.Overlap {
				s.Form = plan.Form{Ring: 2, Planes: &plan.Planes{Comm: i + 1, PlaneSub: comm.PlaneSub{Dim: 2, Sub: s.Comm.Axes[1].Off}}}
				s.Proofs = right.Slots[i].Proofs
			}
		}
		err := verify.Plan(p)
		if err == nil {
			t.Errorf("%s is accepted", name)
		} else if strings.Contains(err.Error(), "has planes in turn as slots") {
			found++
		}
	}
	if found < 16 { // where nothing sets the plane, the exchange is not in the loop
		t.Errorf("only %d plans are rejected for their planes", found)
	}
	for what, f := range map[string]func(s *plan.Slot){
		"in the other dimension": func(s *plan.Slot) {
			s.Planes = &plan.Planes{Comm: 1, PlaneSub: comm.PlaneSub{Dim: 1, Sub: s.Planes.Sub}}
		},
		"in no dimension": func(s *plan.Slot) {
			s.Planes = &plan.Planes{Comm: 1, PlaneSub: comm.PlaneSub{Dim: 3, Sub: s.Planes.Sub}}
		},
		"not said": func(s *plan.Slot) { s.Planes = nil },
		"of another scalar": func(s *plan.Slot) {
			s.Planes = &plan.Planes{Comm: 1, PlaneSub: comm.PlaneSub{Dim: 2, Sub: linalg.Var("steps")}}
		},
	} {
		p := makePlan(t, planesProgram("", "", swapped), plan.Elide)
		f(&p.Slots[0])
		if err := verify.Plan(p); err == nil || !strings.Contains(err.Error(), "#1") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
