package report_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spmdc/spmdc/dataflow/report"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/golden"
)

// TestGolden compares the text of some examples with examples/NAME/dataflow.golden.
//
// The paper's section 5 gives for tred2, which its authors analysed by hand, 19
// communications: 10 NoSync, 2 once, 7 Sync (36.8 per cent). The program here
// also computes what it prints of its own accuracy, and its placement of
// communication is that of this compiler.
func TestGolden(t *testing.T) {
	for _, name := range []string{"tred2", "jacobi", "heat3d", "fig3", "fig5", "grid", "transpose"} {
		t.Run(name, func(t *testing.T) {
			golden.Text(t, filepath.Join("../../examples", name, "dataflow.golden"), built(t, name).Text(false))
		})
	}
}

// TestColours wants colours to change nothing but colours.
func TestColours(t *testing.T) {
	r := built(t, "transpose")
	plain, coloured := r.Text(false), r.Text(true)
	for verdict, code := range map[string]string{"NoSync": "\x1b[1;32m", "Once": "\x1b[1;36m", "Sync": "\x1b[1;33m"} {
		if strings.Contains(plain, "\x1b") || !strings.Contains(coloured, code+verdict) {
			t.Errorf("%s has the wrong colours", verdict)
		}
	}
	if d := cmp.Diff(plain, regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(coloured, "")); d != "" {
		t.Errorf("without its colours the text is another one, -plain +stripped:\n%s", d)
	}
}

// TestJSON reads the JSON form back, and wants what tools count on: lists are
// never null, and states are there for every node and sweep, where there is something
// to solve.
func TestJSON(t *testing.T) {
	if testing.Short() {
		t.Skip("long: all stages of all examples")
	}
	for _, name := range examples(t) {
		if !effort.Share(name, 3) {
			continue
		}
		r := built(t, name)
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if i := strings.Index(string(text), "null"); i >= 0 {
			t.Errorf("%s: null in %s", name, text[max(0, i-80):i+4])
		}
		var back report.Report
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, c := range back.Communications {
			for _, o := range c.Obligations {
				if len(o.Sweeps) < 2 {
					t.Errorf("%s: communication %d has %d sweeps", name, c.ID, len(o.Sweeps))
				}
				for _, s := range o.Sweeps {
					for _, spans := range [][]report.Span{s.In, s.Out} {
						at := 0
						for _, sp := range spans {
							if sp.From != at || sp.To < sp.From || sp.State == "" {
								t.Errorf("%s: communication %d has a span %+v behind node %d", name, c.ID, sp, at-1)
							}
							at = sp.To + 1
						}
						if at != len(back.Graph.Nodes) {
							t.Errorf("%s: communication %d has states of %d nodes, the graph has %d", name, c.ID, at, len(back.Graph.Nodes))
						}
					}
				}
			}
		}
	}
}
