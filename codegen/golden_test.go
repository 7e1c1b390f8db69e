package codegen_test

import (
	"errors"
	"go/format"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/golden"
)

// TestGolden compares what is emitted for the programs of testdata/*.txtar. go
// test -update rewrites it.
func TestGolden(t *testing.T) {
	golden.Each(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		k := plan.Handshake
		switch {
		case strings.Contains(a.Comment, "barrier plan"):
			k = plan.Barrier
		case strings.Contains(a.Comment, "plan popl96"):
			k = plan.PopL96
		}
		in := a.Files[0]
		a.Compare(t, golden.File{Name: "main.go", Text: emit(t, in.Name, in.Text, k, codegen.Options{Check: strings.Contains(a.Comment, "With checks"), Regions: strings.Contains(a.Comment, "With regions")})})
	})
}

// TestCorpus: what is emitted for every program at hand, for every plan and with
// checks, is Go as gofmt writes it, and the Go compiler takes it.
func TestCorpus(t *testing.T) {
	for name, text := range corpus(t) {
		for _, v := range []struct {
			kind           plan.Kind
			check, regions bool
		}{{plan.PopL96, false, false}, {plan.Barrier, false, true}, {plan.Handshake, true, false}} {
			code := emit(t, filepath.Base(name), text, v.kind, codegen.Options{Check: v.check, Regions: v.regions})
			if formatted, err := format.Source([]byte(code)); err != nil || string(formatted) != code {
				t.Errorf("%s, %s, check %t: gofmt: %v\n%s", name, v.kind, v.check, err, cmp.Diff(code, string(formatted)))
			}
			if _, err := check(t, code); err != nil {
				t.Errorf("%s, %s, check %t: %v", name, v.kind, v.check, err)
			}
		}
	}
}

// TestPlans: the plan decides about barriers and ready messages, and nothing else
// in the text differs.
func TestPlans(t *testing.T) {
	elided, ready := 0, 0
	for name, text := range corpus(t) {
		handshake := emit(t, "in.hpf", text, plan.Handshake, codegen.Options{})
		barrier := emit(t, "in.hpf", text, plan.Barrier, codegen.Options{})
		if strings.Contains(handshake, "pe.Barrier(") || strings.Contains(handshake, "spmd.Elided") {
			t.Errorf("%s: a barrier or an elided put under handshake", name)
		}
		posts := strings.Count(handshake, ".Post(") + strings.Count(handshake, ".PipeRecv(")
		if posts > 0 && (strings.Count(barrier, "pe.Barrier(") == 0 || strings.Count(barrier, "spmd.Elided") == 0) {
			t.Errorf("%s: no barrier or no elided put under barrier", name)
		}
		strip := func(code string) string {
			_, code, _ = strings.Cut(code, "\nfunc main()") // plan barrier has more tables
			var out []string
			for line := range strings.Lines(code) {
				line, _, _ = strings.Cut(line, "//")
				line = strings.ReplaceAll(strings.TrimSpace(line), ".Sync(spmd.Elided)", "")
				if line != "" && !strings.HasPrefix(line, "pe.Barrier(") {
					out = append(out, line)
				}
			}
			return strings.Join(out, "\n")
		}
		popl96 := emit(t, "in.hpf", text, plan.PopL96, codegen.Options{})
		elided += strings.Count(popl96, "spmd.Elided")
		ready += strings.Count(barrier, "spmd.Elided") - strings.Count(popl96, "spmd.Elided")
		if strings.Contains(popl96, "pe.Barrier(") {
			t.Errorf("%s: a barrier under popl96", name)
		}
		for k, code := range map[plan.Kind]string{plan.Barrier: barrier, plan.PopL96: popl96} {
			if d := cmp.Diff(strip(handshake), strip(code)); d != "" {
				t.Errorf("%s: the plans differ otherwise (-handshake +%s):\n%s", name, k, d)
			}
		}
	}
	if want := effort.Of(50, 10); elided < want || ready < want {
		t.Errorf("popl96 leaves out the ready messages of %d communications and keeps those of %d", elided, ready)
	}
}

// TestUnsafe: the printed analysis makes no program, unless it is asked to.
func TestUnsafe(t *testing.T) {
	const text = "program p\n  print *, 1\nend program\n"
	if code, err := tryEmit("in.hpf", text, plan.PopL96Literal, codegen.Options{}); !errors.Is(err, codegen.ErrUnsafe) || code != "" {
		t.Errorf("emitted %q, %v", code, err)
	}
	if code, err := tryEmit("in.hpf", text, plan.PopL96Literal, codegen.Options{Unsafe: true}); err != nil || !strings.Contains(code, "// Plan: popl96-literal.") {
		t.Errorf("with Unsafe: %v\n%s", err, code)
	}
}
