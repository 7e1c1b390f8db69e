package search_test

import (
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/dataflow/verify"
)

// panels reads all of a in each step, and changes it now and then, behind a sum. Two
// slots for what is read need no ready messages; they take 720,000 bytes more than one.
const panels = `program panels
 integer, parameter :: n = 300
 integer :: i, j, t
 double precision :: a(n,n), b(n,n), s
!HPF$ DISTRIBUTE a(BLOCK,*)
!HPF$ ALIGN b(i,j) WITH a(i,j)
 do j = 1, n
  do i = 1, n
   a(i,j) = i + 2*j
   b(i,j) = 0
  end do
 end do
 do t = 1, 12
  do j = 1, n
   do i = 1, n
    b(i,j) = b(i,j) + t*a(j,i)
   end do
  end do
  if (mod(t, 4) == 0) then
   s = 0
   do j = 1, n
    do i = 1, n
     s = s + b(i,j)
    end do
   end do
   do j = 1, n
    do i = 1, n
     a(i,j) = b(i,j)/s
    end do
   end do
  end if
 end do
 print *, s
end program
`

// unsummed is panels without the sum: only the PEs themselves can tell that they are
// done.
var unsummed = strings.Replace(strings.Replace(panels, "s = s + b(i,j)", "b(i,j) = b(i,j) + 1", 1), "b(i,j)/s", "0.5d0*b(i,j)", 1)

// TestStripsWhereSlotsDoNotFit: two slots where there is memory; else two that hold a
// strip each, as few strips as fit; and a ready message where gets would have to be
// told of, which is no better.
func TestStripsWhereSlotsDoNotFit(t *testing.T) {
	for _, c := range []struct {
		text  string
		o     search.Options
		mood  string
		strip int
	}{
		{panels, search.Options{}, "elided*2", 0},
		{panels, search.Options{Memory: -1}, "elided*2", 150},
		{panels, search.Options{Memory: 300_000}, "elided*2", 150},
		{panels, search.Options{Memory: -1, Strip: -1}, "ready", 0},
		{panels, search.Options{Strip: 7}, "elided*2", 7},
		{unsummed, search.Options{Memory: -1}, "ready", 0},
		{unsummed, search.Options{Memory: -1, Strip: 7}, "elided*2", 7},
	} {
		p := elideWith(t, c.text, c.o)
		strip := 0
		if s := p.Slots[0].Strip; s != nil {
			strip = s.Size
		}
		if got := strings.Fields(moods(p))[0]; got != c.mood || strip != c.strip {
			t.Errorf("%+v: %s in strips of %d, want %s in strips of %d:\n%s", c.o, got, strip, c.mood, c.strip, p.Explain())
		}
	}
}

// TestStripsInText: the text form describes strips, and of what was tried.
func TestStripsInText(t *testing.T) {
	for text, want := range map[string][]string{
		elideWith(t, panels, search.Options{Memory: -1}).Explain(): {
			"tried elided*2: cost 0.00072, but takes up to 720000 bytes, of 0 that are left\n",
			"tried elided*2 in strips of 150: cost 2.4, chosen\n",
			"strips 1 150 j proof: 3 20; ",
			"; in strips of 150 iterations of j: the first is put, the others are got; the sum of s in line 23 orders every get before a is overwritten\n",
		},
		elideWith(t, unsummed, search.Options{Strip: 100}).Explain(): {
			" in strips of 100 with completion acknowledgements: cost ",
			"strips 1 100 j completes: 3 ",
			"when it is done with them, each PE sends the owners a completion acknowledgement, for which they wait before they overwrite a\n",
		},
		elideWith(t, strings.Replace(panels, "t*a(j,i)", "t*a(5,i)", 1), search.Options{Strip: 5}).Explain(): {
			"tried strips: not possible, what it brings does not vary with j, the index of the loop in line 14\n",
		},
	} {
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("without %q:\n%s", w, text)
			}
		}
	}
}

// TestStripsAreVerified: nothing may be left out of what is said of strips.
func TestStripsAreVerified(t *testing.T) {
	for _, c := range []struct {
		what string
		do   func(s *plan.Strip)
		want string
	}{
		{"no claims", func(s *plan.Strip) { s.Proof.Claims = nil }, "nothing is claimed to have let the next producers know"},
		{"more is claimed", func(s *plan.Strip) {
			for i := range s.Proof.Claims {
				s.Proof.Claims[i].Claim = proof.MakeClaim(proof.Fact{PEs: proof.Consumer | proof.Next})
			}
		}, "need not know of the use"},
		{"a message that does not answer", func(s *plan.Strip) { s.Proof.Kills = []proof.Kill{{Comm: 1, Nth: 1}} }, "#1 counts on its own messages"},
		{"a node that is not there", func(s *plan.Strip) { s.Writes = []int{999} }, "#1 comes in strips: a is assigned at nodes [3 20], not [999]"},
		{"no proof", func(s *plan.Strip) { s.Proof = nil }, "there is no proof that gets are over"},
		{"a write is left out", func(s *plan.Strip) { s.Writes = s.Writes[:1] }, "#1 comes in strips: a is assigned at nodes [3 20], not [3]"},
	} {
		p := elideWith(t, panels, search.Options{Memory: -1})
		c.do(p.Slots[0].Strip)
		if err := verify.Plan(p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
	}
	// Examples show what is wrong whatever is claimed.
	p := elideWith(t, unsummed, search.Options{Strip: 100})
	p.Slots[0].Strip.Completes = false
	if err := verify.Contradict(p); err == nil || !strings.Contains(err.Error(), "nothing has acknowledged to PE ") || !strings.Contains(err.Error(), "which overwrites a, that PE ") {
		t.Errorf("an example: %v", err)
	}
}

// TestMessagesThatOrderGets: a message answers gets where it goes from each PE that
// gets to each that it gets from, in every execution; that it would answer the next
// execution, of which there is none, is nothing.
func TestMessagesThatOrderGets(t *testing.T) {
	answered := elideWith(t, `program p
 integer, parameter :: n = 24
 integer :: i, j, t
 double precision :: a(n,n), b(n,n), c(n,n)
!HPF$ DISTRIBUTE a(BLOCK,*)
!HPF$ ALIGN b(i,j) WITH a(i,j)
!HPF$ ALIGN c(i,j) WITH a(i,j)
 do j = 1, n
  do i = 1, n
   a(i,j) = i + 2*j
   b(i,j) = j
   c(i,j) = i
  end do
 end do
 do t = 1, 5
  do j = 1, n
   do i = 1, n
    b(i,j) = b(i,j) + a(j,i)
   end do
  end do
  do j = 1, n
   do i = 1, n
    c(i,j) = c(i,j) + b(j,i)
   end do
  end do
  do j = 1, n
   do i = 1, n
    a(i,j) = c(i,j)
   end do
  end do
 end do
 print *, a(3,4)
end program
`, search.Options{Strip: 5})
	if s := answered.Slots[0].Strip; s == nil || s.Completes || len(s.Proof.Kills) != 1 || s.Proof.Kills[0].Comm != 2 {
		t.Errorf("#2 does not order the gets of #1:\n%s", answered.Explain())
	}
	if s := answered.Slots[1].Strip; s == nil || s.Completes || len(s.Proof.Kills) != 1 || s.Proof.Kills[0].Comm != 1 {
		t.Errorf("#1 does not order the gets of #2:\n%s", answered.Explain())
	}
	vacuous := elideWith(t, `program p
 integer :: a(9), b(9), c(9), d(9), i, k
!HPF$ TEMPLATE t1(11)
!HPF$ DISTRIBUTE t1(CYCLIC)
!HPF$ ALIGN a(i) WITH t1(i)
!HPF$ ALIGN b(i) WITH t1(i)
!HPF$ ALIGN c(i) WITH t1(i+1)
!HPF$ ALIGN d(i) WITH t1(10-i)
 do i = 1, 9
  a(i) = i
  b(i) = i
  c(i) = i
  d(i) = i
 end do
 do k = 1, 1
  do i = 1, 9
   b(i) = mod(b(i) + c(3), 100)
  end do
  do i = 2, 9
   a(i) = mod(b(i-1) + 1, 100)
  end do
  d(k) = b(k+1)
  do i = 1, 9
   b(i) = mod(b(i) + 1, 100)
  end do
 end do
 print *, a(1), b(1), d(1)
end program
`, search.Options{Strip: 1})
	found := false
	for i := range vacuous.Slots {
		if s := vacuous.Slots[i].Strip; s != nil && s.Comm.Array.Name == "b" && s.Comm.Kind == comm.Remap {
			found = found || s.Completes
		}
	}
	if !found {
		t.Errorf("nobody tells the owners of b:\n%s", vacuous.Explain())
	}
}
