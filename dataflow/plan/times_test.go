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
		{[]string{" do t = 1, 3\n l = t", " do k = 1, l"}, 6},
		{[]string{" do while (r > 0)"}, 0},
		{[]string{" do t = 1, 100000", " do k = 1, 0"}, 0},
	} {
		p := elideWith(t, guarded(c.loops...), plan.Options{BarrierThreshold: -1})
		s := &p.Slots[0]
		if s.Times != c.times {
			t.Errorf("%q: at most %d executions found, want %d\n%s", c.loops, s.Times, c.times, p.Explain())
			continue
		}
		if c.times > 0 && (s.Ready || s.OnDemand || s.Form() != fmt.Sprintf("quiet*%d", c.times)) {
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
// is found in the program behind a plan.
func TestVerifyTimes(t *testing.T) {
	const loop, inner = " do t = 1, 4", " do k = 1, t"
	for _, c := range []struct {
		loops []string
		spoil func(s *plan.Slot)
		want  string
	}{
		{[]string{loop, inner}, func(*plan.Slot) {}, ""},
		{[]string{" do t = 1, 4, 2", inner}, func(*plan.Slot) {}, ""}, // fewer
		{[]string{" do t = 1, 5", inner}, func(*plan.Slot) {}, "with a slot for each of 10 executions: there are 15"},
		{[]string{" do t = 0, 4", inner}, func(*plan.Slot) {}, ""}, // a loop without iterations more
		{[]string{" do t = 1, r", inner}, func(*plan.Slot) {}, "the loop in line 8 runs is not known, from \"1\" to"},
		{[]string{loop, " do k = 1, t + 1"}, func(*plan.Slot) {}, "there are 14"},
		{[]string{loop, " do k = 1, max(t, m)"}, func(*plan.Slot) {}, "is not known"},
		{[]string{" do while (r > 0)"}, func(*plan.Slot) {}, "is not known"},
		{[]string{loop, inner}, func(s *plan.Slot) { s.Times = 11 }, "there are 10 slots"},
		{[]string{loop, inner}, func(s *plan.Slot) { s.Times = 9 }, "with a slot for each of 9 executions: there are 10"},
		{[]string{loop, inner}, func(s *plan.Slot) { s.Times = 0 }, "puts without ready message, and no proof says that its slots are free"},
	} {
		p := elideWith(t, guarded(c.loops...), plan.Options{BarrierThreshold: -1})
		s := &p.Slots[0]
		s.Ready, s.OnDemand, s.Staged, s.Count, s.Times, s.At = false, false, false, 10, 10, nil
		c.spoil(s)
		if err := p.Verify(); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %v, want %q", c.loops, err, c.want)
		}
	}
	for _, c := range []struct {
		spoil func(d *plan.Document)
		want  string
	}{
		{func(d *plan.Document) { d.Classes = [][]int{{1, 2}} }, "it fills the cells of others too"},
		{func(d *plan.Document) { d.Kind = plan.PopL96 }, "which plan popl96 does not have"},
	} {
		d := elideWith(t, guarded(loop, inner), plan.Options{BarrierThreshold: -1}).Document()
		c.spoil(d)
		if err := d.Verify(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
