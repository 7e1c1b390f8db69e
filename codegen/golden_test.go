package codegen_test

import (
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/dataflow/plan"
)

// TestGolden compares what is emitted for the programs of testdata/*.txtar. go
// test -update rewrites it.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			comment, sections := readArchive(readFile(t, file))
			in := sections[0]
			k := plan.Handshake
			if strings.Contains(comment, "barrier plan") {
				k = plan.Barrier
			}
			got := section{"main.go", emit(t, in.name, in.data, k, codegen.Options{Check: strings.Contains(comment, "With checks")})}
			if *update {
				if err := os.WriteFile(file, []byte(writeArchive(comment, []section{in, got})), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(sections[1:], []section{got}, cmp.AllowUnexported(section{})); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// TestCorpus: what is emitted for every program at hand, for every plan and with
// checks, is Go as gofmt writes it, and the Go compiler takes it.
func TestCorpus(t *testing.T) {
	for name, text := range corpus(t) {
		for _, v := range []struct {
			kind  plan.Kind
			check bool
		}{{plan.Handshake, false}, {plan.Barrier, false}, {plan.Handshake, true}} {
			code := emit(t, filepath.Base(name), text, v.kind, codegen.Options{Check: v.check})
			if formatted, err := format.Source([]byte(code)); err != nil || string(formatted) != code {
				t.Errorf("%s, %s, check %t: gofmt: %v\n%s", name, v.kind, v.check, err, cmp.Diff(code, string(formatted)))
			}
			if _, err := check(t, code); err != nil {
				t.Errorf("%s, %s, check %t: %v", name, v.kind, v.check, err)
			}
		}
	}
}

// TestBarrierPlan: the plan decides about barriers and ready messages, and
// nothing else in the text differs.
func TestBarrierPlan(t *testing.T) {
	for name, text := range corpus(t) {
		handshake := emit(t, "in.hpf", text, plan.Handshake, codegen.Options{})
		barrier := emit(t, "in.hpf", text, plan.Barrier, codegen.Options{})
		if strings.Contains(handshake, "pe.Barrier(") || strings.Contains(handshake, "spmd.Quiet") {
			t.Errorf("%s: a barrier or a quiet put under handshake", name)
		}
		posts := strings.Count(handshake, ".Post(") + strings.Count(handshake, ".PipeRecv(")
		if posts > 0 && (strings.Count(barrier, "pe.Barrier(") == 0 || strings.Count(barrier, "spmd.Quiet") == 0) {
			t.Errorf("%s: no barrier or no quiet put under barrier", name)
		}
		strip := func(code string) string {
			var out []string
			for line := range strings.Lines(code) {
				line, _, _ = strings.Cut(line, "//")
				line = strings.ReplaceAll(strings.TrimSpace(line), ".Sync(spmd.Quiet)", "")
				if line != "" && !strings.HasPrefix(line, "pe.Barrier(") {
					out = append(out, line)
				}
			}
			return strings.Join(out, "\n")
		}
		if d := cmp.Diff(strip(handshake), strip(barrier)); d != "" {
			t.Errorf("%s: the plans differ otherwise (-handshake +barrier):\n%s", name, d)
		}
	}
}
