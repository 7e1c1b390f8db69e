package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/procfunc"
)

// relaxation exchanges with both neighbours, with nothing else that orders PEs.
const relaxation = `program p
 integer :: i, t
 double precision :: a(1:100), b(1:100)
!HPF$ DISTRIBUTE a(BLOCK)
!HPF$ ALIGN b(i) WITH a(i)
 do i = 1, 100
  a(i) = i
 end do
 do t = 1, 10
  do i = 2, 99
   b(i) = a(i-1) + a(i+1)
  end do
  do i = 2, 99
   a(i) = 0.5d0*b(i)
  end do
 end do
 print *, a(7)
end program
`

// searched is plan elide within a bound.
func searched(t *testing.T, text string, memory int64) *plan.Plan {
	t.Helper()
	c := makePlan(t, text, plan.Handshake).Program
	p := plan.Search(c, procfunc.Analyze(c, c.Graph()), plan.Options{Memory: memory})
	if err := p.Verify(); err != nil {
		t.Fatalf("with %d bytes: %v", memory, err)
	}
	return p
}

// moods are the third words of the slot lines.
func moods(p *plan.Plan) string {
	var words []string
	for line := range strings.Lines(p.Explain()) {
		if strings.HasPrefix(line, "slot ") {
			words = append(words, strings.Fields(line)[2])
		}
	}
	return strings.Join(words, " ")
}

// posts counts the groups of a list and of what it holds.
func posts(list []comm.Node) (n int) {
	for _, x := range list {
		switch x := x.(type) {
		case *comm.Post:
			n++
		case *comm.Loop:
			n += posts(x.Body)
		}
	}
	return n
}

// TestSearchWithinMemory: with enough memory both exchanges have two stages and
// start together; with less they have one and complete one after another; with
// hardly any, one of them keeps its ready messages, or both do.
func TestSearchWithinMemory(t *testing.T) {
	for _, c := range []struct {
		memory int64
		moods  string
		posts  int
	}{
		{0, "staged*2 staged*2 quiet", 2},
		{64, "staged*2 staged*2 quiet", 2},
		{63, "staged staged quiet", 3},
		{32, "staged staged quiet", 3},
		{31, "staged ready quiet", 3},
		{15, "ready ready quiet", 2},
		{-1, "ready ready quiet", 2},
	} {
		p := searched(t, relaxation, c.memory)
		if got := moods(p); got != c.moods || posts(p.Program.Body) != c.posts {
			t.Errorf("with %d bytes: %s with %d groups, want %s with %d\n%s", c.memory, got, posts(p.Program.Body), c.moods, c.posts, p.Explain())
		}
		bytes := int64(0)
		for _, s := range p.Slots {
			chosen := 0
			for _, tried := range s.Tried {
				if tried.Note == "chosen" {
					chosen++
					if tried.Free == s.Ready || tried.What != "quiet" && !strings.HasPrefix(tried.What, "staged") {
						t.Errorf("with %d bytes: #%d has %v", c.memory, s.Comm.ID, tried)
					}
				}
			}
			if want := min(1, len(s.Tried)); chosen != want {
				t.Errorf("with %d bytes: %d choices for #%d", c.memory, chosen, s.Comm.ID)
			}
			if s.Staged {
				bytes += int64(s.Count) * 8 * p.Program.StageCells(s.Comm)
			}
		}
		if bound := c.memory; bound > 0 && bytes > bound || bound < 0 && bytes > 0 {
			t.Errorf("with %d bytes: the stages take %d", c.memory, bytes)
		}
	}
}

// TestSearchLeavesTheProgram: a plan that lets exchanges complete in turn has a
// tree of its own.
func TestSearchLeavesTheProgram(t *testing.T) {
	c := makePlan(t, relaxation, plan.Handshake).Program
	before := fmt.Sprint(posts(c.Body), c.Graph())
	p := plan.Search(c, procfunc.Analyze(c, c.Graph()), plan.Options{Memory: 32})
	if posts(p.Program.Body) != 3 || fmt.Sprint(posts(c.Body), c.Graph()) != before {
		t.Error("the program is not what it was")
	}
}

// TestElideIsNeverWeaker: what popl96 frees elide frees in the same way.
func TestElideIsNeverWeaker(t *testing.T) {
	less, same := 0, 0
	for name, text := range programs(t) {
		elide, popl96 := makePlan(t, text, plan.Elide), makePlan(t, text, plan.PopL96)
		for i, s := range elide.Slots {
			switch was := popl96.Slots[i]; {
			case !was.Ready && (s.Ready || s.Staged || s.Count > 1 || s.Ring() != nil):
				t.Errorf("%s: #%d is free with one slot, and becomes %+v", name, i+1, s)
			case was.Ready && !s.Ready:
				less++
			default:
				same++
			}
		}
	}
	t.Logf("elide frees %d communications more, %d are the same", less, same)
	if less < 50 {
		t.Errorf("elide frees only %d communications more", less)
	}
}
