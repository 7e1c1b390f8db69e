// Package golden runs tests whose inputs and expected outputs stand together
// in txtar archives. With -update the expected outputs are written instead of
// compared.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected outputs in testdata")

// Run calls f for each archive that pattern matches, and for each file in it
// whose name begins with "in", with that file's name and text. What f returns
// must equal the file "want" + the rest of the name: of in.hpf want.hpf, of
// in2.hpf want2.hpf.
func Run(t *testing.T, pattern string, f func(t *testing.T, name, text string) string) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archive matches %s: %v", pattern, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			runArchive(t, path, archive, f)
		})
	}
}

func runArchive(t *testing.T, path string, archive *txtar.Archive, f func(t *testing.T, name, text string) string) {
	want := map[string]string{}
	for _, file := range archive.Files {
		if strings.HasPrefix(file.Name, "want") {
			want[file.Name] = string(file.Data)
		}
	}
	out := &txtar.Archive{Comment: archive.Comment}
	for _, file := range archive.Files {
		rest, isInput := strings.CutPrefix(file.Name, "in")
		if !isInput {
			if !strings.HasPrefix(file.Name, "want") {
				t.Errorf("%s: file %s is neither input nor output", path, file.Name)
			}
			continue
		}
		got := f(t, file.Name, string(file.Data))
		if got != "" && !strings.HasSuffix(got, "\n") {
			got += "\n"
		}
		out.Files = append(out.Files, file, txtar.File{Name: "want" + rest, Data: []byte(got)})
		if *update {
			continue
		}
		if diff := cmp.Diff(want["want"+rest], got); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", path, file.Name, diff)
		}
		delete(want, "want"+rest)
	}
	if *update {
		if err := os.WriteFile(path, txtar.Format(out), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for name := range want {
		t.Errorf("%s: %s belongs to no input", path, name)
	}
}
