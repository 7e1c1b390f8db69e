package traces

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// TestCompare: what both runs have is in one line with the time of each, what one has is there too,
// and on the page each message has its partner in its own run.
func TestCompare(t *testing.T) {
	a, b := twoPEs(t, "two"), twoPEs(t, "two")
	b.PE[0][1].Took += 60 // the loop has now the put inside
	b.Regions = append([]tracefile.RegionDef{b.Regions[0], {Kind: "loop", Name: "k", File: "a.hpf", Line: 2, Last: 3}}, b.Regions[1:]...)
	for _, list := range b.PE {
		for i := range list {
			if e := &list[i]; e.Kind == tracefile.Region && e.ID == 1 {
				e.ID = 2
			}
		}
	}
	b.PE[1] = append(b.PE[1], tracefile.Event{Kind: tracefile.Region, ID: 1, Began: 1000, Took: 40, Peer: -1})
	c := Compare(a, b, [2]string{"A", "B" + hostile})
	got := map[string]Difference{}
	for _, d := range c.Lines {
		got[d.What] = *d
	}
	for what, want := range map[string]Difference{
		"loop i":           {"loop i", "5-7", [2]int{1, 1}, [2]float64{350e-9, 375e-9}},
		"loop k":           {"loop k", "2-3", [2]int{0, 1}, [2]float64{0, 20e-9}},
		"reduction: sum s": {"reduction: sum s", "12", [2]int{2, 2}, [2]float64{135e-9, 135e-9}},
	} {
		d := got[what]
		if d.Lines != want.Lines || d.Count != want.Count || math.Abs(d.Self[0]-want.Self[0])+math.Abs(d.Self[1]-want.Self[1]) > 1e-12 {
			t.Errorf("%+v, want %+v", d, want)
		}
	}
	if len(c.Lines) != 6 || c.Lines[0].What != "loop i" && c.Lines[0].What != "program two" {
		t.Errorf("%d lines, the first is %s", len(c.Lines), c.Lines[0].What)
	}
	x := c.both
	if len(x.Regions) != 3 || len(x.Sites) != 2 || x.PEs != 4 || !reflect.DeepEqual(x.PE[2][1], tracefile.Event{Kind: tracefile.Region, ID: 1, Began: 100, Took: 760, Peer: -1}) {
		t.Errorf("%d regions, %d sites, %+v", len(x.Regions), len(x.Sites), x.PE[2][1])
	}
	for _, pe := range []int{1, 3} {
		if p := x.Partner[Place{pe, 1}]; p.PE != pe-1 {
			t.Errorf("the wait of PE %d is for PE %d", pe, p.PE)
		}
	}
	var text, page bytes.Buffer
	if err := c.Text(&text); err != nil || !strings.Contains(text.String(), "+25 ns  loop i\n") {
		t.Errorf("%v:\n%s", err, text.String())
	}
	if err := c.Page(&page); err != nil || strings.Contains(page.String(), "<img") || !strings.Contains(page.String(), `"names":["A: PE 0","A: PE 1","B`) {
		t.Errorf("%v: the page has no lanes of both, or markup of a name", err)
	}
}
