package mapping_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/ir/internal/irtest"
	"github.com/spmdc/spmdc/ir/lower"
	"github.com/spmdc/spmdc/ir/mapping"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/parser"
	"github.com/spmdc/spmdc/parser/source"
)

// compile runs the passes of package ir as far as the errors allow.
func compile(text string) *source.List {
	tree, diags := parser.Parse("in.hpf", []byte(text))
	p := lower.Lower(tree, diags)
	if p == nil {
		return diags
	}
	mapping.Resolve(p, diags)
	mapping.WarnUnused(p, diags)
	mapping.Explain(p, 3)
	scalar.Analyze(p)
	return diags
}

// TestDocumentedCodes: the example of each code that these passes give makes
// that error and no other.
func TestDocumentedCodes(t *testing.T) {
	for _, c := range source.Codes {
		if c.Parser || c.Code == source.Slow { // of package comm, which tests it
			continue
		}
		diags := compile(c.Example)
		found := false
		for _, d := range diags.Diags {
			found = found || d.Code == c.Code
			if d.Code != c.Code {
				t.Errorf("the example of %s gives %v", c.Code, d)
			}
		}
		if !found {
			t.Errorf("the example of %s does not give it", c.Code)
		}
	}
}

// TestDamagedPrograms: programs that lack a line or a token are answered with
// diagnostics that have a place and a message, never with a panic.
func TestDamagedPrograms(t *testing.T) {
	token := regexp.MustCompile(`[A-Za-z_0-9.]+|[^\sA-Za-z_0-9]`)
	paths, _ := filepath.Glob("../*/testdata/*.txtar")
	if len(paths) < 10 {
		t.Fatalf("only %d archives", len(paths))
	}
	broken, sample := 0, effort.Sample(3)
	for k, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(data), "-- in --\n")
		in, _, _ := strings.Cut(rest, "\n-- ")
		var damaged []string
		lines := strings.Split(in, "\n")
		for i := range lines {
			damaged = append(damaged, strings.Join(append(append([]string{}, lines[:i]...), lines[i+1:]...), "\n"))
		}
		spans := token.FindAllStringIndex(in, -1)
		for i := k % 3; i < len(spans); i += 3 {
			damaged = append(damaged, in[:spans[i][0]]+in[spans[i][1]:])
		}
		for _, text := range damaged {
			if !sample() {
				continue
			}
			func() {
				defer func() {
					if r := recover(); r != nil {
						t.Fatalf("%s: panic %v\n%s", path, r, text)
					}
				}()
				diags := compile(text)
				if diags.HasErrors() {
					broken++
				}
				for _, d := range diags.Diags {
					if !d.Pos.IsValid() || d.Msg == "" {
						t.Errorf("%s: diagnostic %v without place or message\n%s", path, d, irtest.Report(diags))
					}
				}
			}()
		}
	}
	if broken < 500 {
		t.Errorf("only %d programs were in error", broken)
	}
}
