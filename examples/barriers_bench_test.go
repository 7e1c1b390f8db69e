package examples_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/spmdc/spmdc/internal/rounds"
)

// layered are the examples whose libraries synchronise because they cannot know
// their callers, and what makes each long enough to be timed: old text, new text,
// and so on, or the input.
var layered = []layeredExample{
	{name: "figure1", longer: []string{"rounds = 200", "rounds = 50000"}},
	{name: "figure6", longer: []string{"phases = 120", "phases = 4000", "phase <= 6", "phase <= 0"}},
	{name: "figure9", input: "60 1000\n"},
	{name: "cg", longer: []string{"problem = 1, 3", "problem = 1, 200", "if (rows > 0) print", "if (rows > 0 .and. problem < 3) print", "if (this_image() == 1) then", "if (this_image() == 1 .and. problem < 3) then"}},
}

type layeredExample struct {
	name, input string
	longer      []string
}

// BenchmarkElision compares the run times of layered programs whose redundant
// barriers are left out, as learned and by plan, with those of the same programs
// with all barriers, on 2 and 4 images: medians of paired ratios as in
// BenchmarkSync. A ratio below 1 is a gain.
//
//	go test ./examples -run - -bench Elision
func BenchmarkElision(b *testing.B) {
	for _, l := range layered {
		b.Run(l.name, func(b *testing.B) {
			dir := b.TempDir()
			e := example{name: l.name, source: filepath.Join(l.name, l.name+".f90"), input: filepath.Join(dir, "input")}
			e.source = lengthen(b, e, l.longer)
			if err := os.WriteFile(e.input, []byte(l.input), 0o666); err != nil {
				b.Fatal(err)
			}
			built := filepath.Join(dir, l.name)
			spmdc(b, "build", "-o", built, e.source)
			for _, images := range []string{"2", "4"} {
				b.Run("n="+images, func(b *testing.B) {
					log, plan := filepath.Join(b.TempDir(), "log"), filepath.Join(b.TempDir(), "plan")
					timed(b, e, built, images, "-barriers-log="+log)
					spmdc(b, "barriers", "classify", "--accept", "-o", plan, log)
					runs := map[string]func(int) time.Duration{}
					for name, way := range map[string]string{"off": "-barriers=off", again: "-barriers=off", "online": "-barriers=learn", "plan": "-barriers=plan:" + plan} {
						runs[name] = func(int) time.Duration { return timed(b, e, built, images, way) }
					}
					times := inRounds(b, runs)
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(1000*rounds.Quantile(times["off"], 0.5), "ms")
					ratio, _ := paired(times[again], times["off"])
					b.ReportMetric(ratio, "noise")
					for _, name := range []string{"online", "plan"} {
						ratio, noise := paired(times[name], times["off"])
						b.ReportMetric(ratio, name+"/off")
						b.ReportMetric(noise, "±"+name+"/off")
					}
				})
			}
		})
	}
}
