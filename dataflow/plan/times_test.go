package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/dataflow/plan"
)

// guarded broadcasts an element under loops and a condition that is not known; nothing
// goes back to its owner.
func guarded(loops ...string) string {
	return `program p
 integer :: i, j, t, k, l, m, r
 double precision :: a(16), b(16)
 logical :: c
!HPF$ DISTRIBUTE a(BLOCK)
!HPF$ ALIGN b(i) WITH a(i)
 read *, m, r
` + strings.Join(loops, "\n") + `
 c = mod(r, 3) == 1
 a(3) = a(3) + 1
 r = r / 2
 if (c) then
  do i = 1, 16
   b(i) = b(i) + a(3)
  end do
 end if
` + strings.Repeat(" end do\n", len(loops)) + ` print *, b(7)
end program
`
}

// TestTimes: a communication that can be executed so often, and no more, has a slot
// for each time, whatever the number of PEs; the bounds may depend on outer indices.
// Where there are more executions than slots, or nobody knows how many, it listens.
func TestTimes(t *testing.T) {
	for _, c := range []struct {
		loops []string
		times int
	}{
		{[]string{" do t = 1, 5"}, 5},
		{[]string{" do t = 9, 2, -3"}, 3},
		{[]string{" do t = 1, 4", " do k = 1, t"}, 10},
		{[]string{" do t = 1, 4", " do k = t, 2"}, 3},
		{[]string{" do t = 1, 4", " do k = 2*t, 9 - t, 2", " do j = k, k + 1"}, 14},
		{[]string{" do t = 1, 16"}, 16},
		{[]string{" do t = 1, 17"}, 0},
		{[]string{" do t = 1, 3", " do k = 1, m"}, 0},
		{[]string{" do t = 1, 3\n l = t", " do k = 1, l"}, 0}, // which the text of the loops does not tell
		{[]string{" do while (r > 0)"}, 0},
		{[]string{" do t = 1, 100000", " do k = 1, 0"}, 0},
	} {
		p := elideWith(t, guarded(c.loops...), plan.Options{BarrierThreshold: -1})
		s := &p.Slots[0]
		if s.Times != c.times {
			t.Errorf("%q: at most %d executions found, want %d\n%s", c.loops, s.Times, c.times, p.Explain())
			continue
		}
		if c.times > 0 && (s.Ready || s.Unheard || s.Form() != fmt.Sprintf("quiet*%d", c.times)) {
			t.Errorf("%q: %s, %+v", c.loops, s.Form(), s)
		}
	}
}

// TestTimesTakeMemory: a slot for each execution costs memory, and is not there where
// the bound is less, nor where ready messages are cheaper.
func TestTimesTakeMemory(t *testing.T) {
	text := guarded(" do t = 1, 5")
	for _, c := range []struct {
		memory int64
		times  int
	}{{4 * 8, 5}, {4*8 - 1, 0}, {-1, 0}} {
		if p := elideWith(t, text, plan.Options{Memory: c.memory, BarrierThreshold: -1}); p.Slots[0].Times != c.times {
			t.Errorf("with %d bytes: %s", c.memory, p.Slots[0].Form())
		}
	}
}

// TestVerifyTimes: that there are more executions than slots, or not known how many,
// is found in the text of a plan.
func TestVerifyTimes(t *testing.T) {
	text := elideWith(t, guarded(" do t = 1, 4", " do k = 1, t"), plan.Options{BarrierThreshold: -1}).Explain()
	for _, c := range []struct{ old, new, want string }{
		{`lo "1" hi "4" step "1"`, `lo "1" hi "4" step "2"`, ""}, // fewer
		{`lo "1" hi "4" step "1"`, `lo "1" hi "5" step "1"`, "with a slot for each of 10 executions: there are 15"},
		{`lo "1" hi "4" step "1"`, `lo "0" hi "4" step "1"`, ""}, // a loop without iterations more
		{`lo "1" hi "4" step "1"`, `lo "1" hi "r" step "1"`, "is not known, from \"1\" to \"r\""},
		{`lo "1" hi "4" step "1"`, `lo "1" hi "4" step "0"`, "is not known"},
		{`lo "1" hi "t" step "1"`, `lo "1" hi "t + 1" step "1"`, "there are 14"},
		{`lo "1" hi "t" step "1"`, `lo "1" hi "max(t, 1)" step "1"`, "is not known"},
		{"times 1: 10", "times 1: 11", "there are 10 slots"},
		{"times 1: 10", "times 1: 9", "with a slot for each of 9 executions: there are 10"},
		{"times 1: 10\n", "", "puts without ready message, and no proof says that its slots are free"},
		{"times 1: 10\n", "times 1: 10\nclass 1 2\n", "it fills the cells of others too"},
		{"plan elide", "plan popl96", "which plan popl96 does not have"},
	} {
		if strings.Count(text, c.old) != 1 {
			t.Fatalf("%q is not there once in\n%s", c.old, text)
		}
		changed := strings.Replace(text, c.old, c.new, 1)
		if strings.Contains(c.new, "class") {
			changed = strings.Replace(changed, c.new, "times 1: 10\n", 1)
			changed = strings.Replace(changed, "loop L1", "class 1 2\nloop L1", 1)
		}
		d, err := plan.Parse(changed)
		if err != nil {
			t.Fatalf("%q: %v", c.new, err)
		}
		switch err := d.Verify(); {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%q: %v, want %q", c.new, err, c.want)
		}
	}
	for _, line := range []string{"times 2: 10", "times 1: 0", "times 1: 65", "times 1", "times 1: 10\ntimes 1: 10"} {
		if _, err := plan.Parse(strings.Replace(text, "times 1: 10", line, 1)); err == nil {
			t.Errorf("%q is read", line)
		}
	}
}
