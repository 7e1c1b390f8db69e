package licences

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// output runs the go command.
func output(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatalf("go %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// TestTexts: each module that is linked into the command has the text of its licence,
// as it is in its folder.
func TestTexts(t *testing.T) {
	const own = "github.com/spmdc/spmdc"
	seen := map[string]bool{}
	for line := range strings.Lines(output(t, "list", "-deps", "-f", "{{with .Module}}{{.Path}}\t{{.Dir}}{{end}}", own+"/cmd/spmdc")) {
		module, dir, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || seen[module] {
			continue
		}
		seen[module] = true
		name := module
		if module == own {
			name = "spmdc"
		}
		same(t, name, dir)
	}
	if len(seen) < 3 {
		t.Errorf("only the modules %v are linked", seen)
	}
	same(t, "go", output(t, "env", "GOROOT"))
	if root, err := Of("spmdc"); err != nil || !bytes.Equal(root, Own) {
		t.Error("Own is another text")
	}
}

func same(t *testing.T, name, dir string) {
	t.Helper()
	got, err := Of(name)
	if err != nil {
		t.Error(err)
		return
	}
	for _, file := range []string{"LICENSE", "License", "COPYING", "LICENSE.md", "LICENSE.txt"} {
		if want, err := os.ReadFile(filepath.Join(dir, file)); err == nil {
			if !bytes.Equal(got, want) {
				t.Errorf("%s: the text is not that of %s", name, filepath.Join(dir, file))
			}
			return
		}
	}
	t.Errorf("%s: there is no licence in %s", name, dir)
}

// TestWrite: the notices have the copyright of every part.
func TestWrite(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"The spmdc authors", "The Go Authors", "BSD 3-Clause"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing", want)
		}
	}
}
