package hb

import (
	"math/rand"
	"os"
	"testing"

	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/internal/randomhpf"
	"github.com/spmdc/spmdc/procfunc"
)

// TestSubsumes: with one slot, whatever the six-valued analysis proves is proved
// here, by forms too.
func TestSubsumes(t *testing.T) {
	if testing.Short() {
		t.Skip("long: many programs")
	}
	var programs []*procfunc.Functions
	for _, path := range examples(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, functions(t, string(text)))
	}
	for k := range 200 {
		programs = append(programs, functions(t, randomhpf.Program(rand.New(rand.NewSource(int64(k))))))
	}
	six, forms, exact := 0, 0, 0
	for _, f := range programs {
		verdicts := make([]synch.Verdict, len(f.Program.Comms))
		for i := range verdicts {
			verdicts[i] = synch.Once
		}
		s := synch.NewSolver(f.Graph)
		for _, it := range f.Items() {
			v, _ := s.Verdict(synch.Item{Use: it[0], Put: it[1]}, f.Kills)
			verdicts[it[1]-1] = min(verdicts[it[1]-1], v)
		}
		all, four := Analyze(f, Options{}), Analyze(f, Options{PEs: 4})
		for i, v := range verdicts {
			if v != synch.NeedsSync {
				six++
			}
			if all.Comms[i].Verdict != synch.NeedsSync {
				forms++
			}
			if four.Comms[i].Verdict != synch.NeedsSync {
				exact++
			}
			if all.Comms[i].Verdict < v || four.Comms[i].Verdict < v {
				t.Errorf("C_%d is %v by six values, %v by forms, %v on 4 PEs\n%v", i+1, v, all.Comms[i].Verdict, four.Comms[i].Verdict, f.Graph)
			}
		}
	}
	t.Logf("free by six values: %d; by forms %d, on 4 PEs %d", six, forms, exact)
	if six == 0 || forms < six || exact <= forms {
		t.Errorf("nothing is gained")
	}
}
