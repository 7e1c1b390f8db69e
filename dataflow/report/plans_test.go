package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm/choose"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/report"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/procfunc"
)

// TestStoryOfThePlan: whatever the plan, the report is about it: each communication
// has its verdict, with a reason that fits, and the table of the analyses is the
// same.
func TestStoryOfThePlan(t *testing.T) {
	kinds := append([]plan.Kind{plan.PopL96Literal}, plan.Kinds...)
	for _, name := range []string{"grid", "transpose", "redblack", "fig5", "sweep", "irregular"} {
		var table []report.Total
		for _, kind := range kinds {
			a := analyzeWith(t, example(t, name), kind, choose.Options{})
			r := a.Build(name+".hpf", false)
			if r.Plan != string(kind) || !strings.Contains(r.Text(false), "plan "+string(kind)+": ") {
				t.Errorf("%s: the report is about plan %s, not %s", name, r.Plan, kind)
			}
			if table == nil {
				table = r.Table
			}
			if !slices.Equal(table, r.Table) {
				t.Errorf("%s, %s: the table is another one: %+v, %+v", name, kind, r.Table, table)
			}
			for i, c := range r.Communications {
				slot := &a.Plan.Slots[i]
				if (slot.Ready != plan.Never) != c.Slot.Ready || c.Slot.Form != slot.Form.String() || c.Why == "" || len(c.Obligations) == 0 {
					t.Errorf("%s, %s: #%d has the slot %+v", name, kind, i+1, c.Slot)
				}
				if (c.Verdict == "Sync") != (slot.Ready != plan.Never) {
					t.Errorf("%s, %s: #%d has the verdict %s and ready messages: %t", name, kind, i+1, c.Verdict, slot.Ready != plan.Never)
				}
				reasoned := false
				for _, o := range c.Obligations {
					switch kind {
					case plan.Handshake:
						reasoned = reasoned || len(o.Chains) == 1 && strings.Contains(o.Chains[0].Hops[len(o.Chains[0].Hops)-2].Text, "ready message")
					case plan.Barrier:
						for _, ch := range o.Chains {
							for _, h := range ch.Hops {
								reasoned = reasoned || a.Graph.Nodes[h.Node].Kind == cfg.Barrier || h.Role == "witness"
							}
						}
						reasoned = reasoned || o.Once != "" || o.Gap != nil
					default:
						reasoned = reasoned || o.Once != "" || o.Chains != nil || o.Gap != nil
						if kind != plan.PopL96Literal && o.Gap != nil && slot.Ready == plan.Never {
							t.Errorf("%s, %s: #%d puts without ready messages, and there is a path without order", name, kind, i+1)
						}
					}
				}
				if !reasoned {
					t.Errorf("%s, %s: there is no reason for #%d", name, kind, i+1)
				}
			}
			if kind == plan.Handshake || kind == plan.PopL96Literal {
				if _, err := r.HTML(example(t, name)); err != nil {
					t.Errorf("%s, %s: %v", name, kind, err)
				}
			}
		}
	}
}

// TestReductionsThatAreAdvised puts the reduction that a hint names into the source:
// then the communications that the hint names need no ready messages.
func TestReductionsThatAreAdvised(t *testing.T) {
	const program = `program p
  integer, parameter :: n = 24
  double precision :: a(n,n), b(n,n), c(n,n), most
  integer :: i, j, k, it
!HPF$ DISTRIBUTE a(BLOCK,CYCLIC)
!HPF$ ALIGN (i,j) WITH a(i,j) :: b, c
  a = 0
  do it = 1, 3
    do k = 1, n
      do j = 1, n
        do i = 1, n
          b(i,j) = b(i,j) + a(i,k)
        end do
      end do
      do j = 1, n
        do i = 1, n
          c(i,j) = a(k,j) + b(i,j)
        end do
      end do
      do j = 1, n
        do i = 1, n
          a(i,j) = c(i,j)
        end do
      end do
    end do
  end do
  print *, a(1,1)
end program p
`
	text := strings.Replace(program, "  a = 0\n", "  do j = 1, n\n    do i = 1, n\n      a(i,j) = i\n      b(i,j) = j\n      c(i,j) = 0\n    end do\n  end do\n", 1)
	r := analyzeWith(t, text, plan.PopL96, choose.Options{}).Build("p.hpf", false)
	var advised []string
	for _, c := range r.Communications {
		if c.Verdict != "Sync" {
			continue
		}
		for _, h := range c.Obligations[0].Gap.Hints {
			if strings.HasPrefix(h.Text, "a reduction or barrier of all PEs at the start of each iteration of k (line 15)") && h.Tried {
				advised = append(advised, c.References[0])
			}
		}
	}
	if want := []string{"a(i,k)", "a(k,j)"}; !slices.Equal(advised, want) {
		t.Fatalf("a reduction at the start of k is advised for %q, not for %q", advised, want)
	}
	lines := strings.SplitAfter(text, "\n")
	reduced := strings.Join(slices.Insert(lines, 15, "      most = 0\n      do j = 1, n\n        do i = 1, n\n          most = max(most, c(i,j))\n        end do\n      end do\n"), "")
	reduced = strings.Replace(reduced, "print *, a(1,1)", "print *, a(1,1), most", 1)
	for _, c := range analyzeWith(t, reduced, plan.PopL96, choose.Options{}).Build("p.hpf", false).Communications {
		if slices.Contains(advised, c.References[0]) && c.Verdict != "NoSync" {
			t.Errorf("with the reduction %s has the verdict %s", c.References[0], c.Verdict)
		}
	}
}

// TestChainsOverPEs: on the numbers of PEs that the plan is made for, the report shows
// how the PE that puts knows, hop by hop.
func TestChainsOverPEs(t *testing.T) {
	chains, longer := 0, 0
	for _, name := range []string{"transpose", "sweep", "lu", "grid"} {
		r := analyzeWith(t, example(t, name), plan.Elide, choose.Options{}, 4, 3).Build(name+".hpf", false)
		quiet := 0
		for _, c := range r.Communications {
			if len(c.Exact) != len(c.Slot.ElidedOn) {
				t.Errorf("%s: #%d needs no ready messages on %v PEs, and there are %d proofs", name, c.ID, c.Slot.ElidedOn, len(c.Exact))
			}
			if slices.Equal(c.Slot.ElidedOn, []int{3, 4}) && c.Slot.Ready {
				quiet++
			}
			for i, e := range c.Exact {
				if e.PEs != c.Slot.ElidedOn[i] || e.Longer > e.Pairs || (e.Pairs > 0) != (len(e.Hops) > 0) {
					t.Errorf("%s: #%d: %+v", name, c.ID, e)
				}
				for k, h := range e.Hops {
					switch before := max(k-1, 0); {
					case h.From < 0 || h.To < 0 || h.From >= e.PEs || h.To >= e.PEs:
						t.Errorf("%s: #%d on %d PEs: %+v", name, c.ID, e.PEs, h)
					case k == 0 && h.From != h.To, k > 0 && h.From != e.Hops[before].To, k == len(e.Hops)-1 && h.To != e.Hops[0].To:
						t.Errorf("%s: #%d on %d PEs: hop %d, %+v, does not follow in %+v", name, c.ID, e.PEs, k, h, e.Hops)
					}
				}
				chains++
				longer += e.Longer
			}
		}
		if r.Table[2].ElidedOn != quiet || !slices.Equal(r.PEs, []int{3, 4}) || !strings.Contains(r.Text(false), "none on 3 and 4 PEs") {
			t.Errorf("%s: the table counts %d that need no ready messages on 3 and 4 PEs, not %d", name, r.Table[2].ElidedOn, quiet)
		}
	}
	if chains < 20 || longer < 10 {
		t.Errorf("only %d chains, and %d pairs with longer ones", chains, longer)
	}
}

// TestMemoryThatIsAdvised: where slots are proved and there is no memory for them, the
// hint is how much is wanted, and with so much there are no ready messages.
func TestMemoryThatIsAdvised(t *testing.T) {
	text := `program p
 integer :: i, t
 double precision :: a(1:16), c(1:16)
!HPF$ DISTRIBUTE a(BLOCK)
!HPF$ ALIGN c(i) WITH a(i)
 do i = 1, 16
  a(i) = i
 end do
 do t = 1, 30
  do i = 1, 16
   c(i) = a(17-i)
  end do
  do i = 1, 16
   a(i) = 0.5d0*c(i)
  end do
 end do
 print *, a(7)
end program
`
	c := analyzeWith(t, text, plan.Handshake, choose.Options{}).Plan.Program
	f := procfunc.Analyze(c, c.Graph())
	o := search.Options{Memory: -1, BarrierThreshold: -1, Strip: -1}
	r := report.Analyze(search.Make(c, plan.Elide, f, o), f, report.Options{Search: o}).Build("p.hpf", false)
	if c := &r.Communications[0]; c.Verdict != "Sync" || !slices.Contains(c.Obligations[0].Gap.Hints, report.Hint{Text: "--slots-memory=1, which leaves room for it: 2 slots in turn", Tried: true}) {
		t.Errorf("without memory #1 has the verdict %s, and no memory is advised: %+v", c.Verdict, c.Obligations[0].Gap)
	}
	o.Memory = 1 << 20
	for _, s := range search.Make(c, plan.Elide, f, o).Slots {
		if s.Ready != plan.Never {
			t.Errorf("with the memory #%d has ready messages", s.Comm.ID)
		}
	}
}
