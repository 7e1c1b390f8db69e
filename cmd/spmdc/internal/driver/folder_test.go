package driver

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree makes a Tree with its marker.
func tree(files map[string]string) Tree {
	t := make(Tree)
	for p, text := range files {
		t[p] = []byte(text)
	}
	t[markerName] = marker(t)
	return t
}

// contents reads a folder back, markers left out.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	got := make(map[string]string)
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == markerName {
			return err
		}
		text, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		got[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestWriteFolderReplacesItsOwn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b") // parents are made too
	if err := WriteFolder(dir, tree(map[string]string{"main.go": "1", "lib/x.go": "1", "lib/old.go": "1", "gone/y.go": "1"})); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "notes.txt"), "mine")
	write(t, filepath.Join(dir, "lib", "more", "z"), "mine")
	write(t, filepath.Join(dir, "gone", "kept"), "mine")
	write(t, filepath.Join(dir, "data", "in", "d"), "mine")
	if err := WriteFolder(dir, tree(map[string]string{"main.go": "2", "lib/x.go": "2"})); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"main.go": "2", "lib/x.go": "2",
		"notes.txt": "mine", "lib/more/z": "mine", "gone/kept": "mine", "data/in/d": "mine"}
	if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
		t.Errorf("folder (-want +got):\n%s", diff)
	}
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), ".*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestWriteFolderRefuses(t *testing.T) {
	tests := []struct {
		name string
		prep func(t *testing.T, root string)
		out  string
		want string
	}{
		{"another's folder", func(t *testing.T, root string) { write(t, root+"/out/letter.txt", "x") }, "out", "spmdc did not make it"},
		{"another's marker", func(t *testing.T, root string) { write(t, root+"/out/.spmdc", "x") }, "out", "spmdc did not make it"},
		{"a file", func(t *testing.T, root string) { write(t, root+"/out", "x") }, "out", "this is a file"},
		{"file as parent", func(t *testing.T, root string) { write(t, root+"/f", "x") }, "f/out", "is a file, so no folder can be made in it"},
		{"file as grandparent", func(t *testing.T, root string) { write(t, root+"/f", "x") }, "f/g/out", "is a file, so no folder can be made in it"},
		{"current folder", func(t *testing.T, root string) { t.Chdir(root) }, ".", "the current folder"},
		{"folder around", func(t *testing.T, root string) {
			if err := os.MkdirAll(root+"/x/y", 0o777); err != nil {
				t.Fatal(err)
			}
			t.Chdir(root + "/x/y")
		}, "x", "the current folder or holds it"},
		{"another's file in the way", func(t *testing.T, root string) {
			if err := WriteFolder(root+"/out", tree(map[string]string{"a": "1"})); err != nil {
				t.Fatal(err)
			}
			write(t, root+"/out/main.go", "mine")
		}, "out", "did not write the file main.go"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			test.prep(t, root)
			before := contents(t, root)
			err := WriteFolder(filepath.Join(root, test.out), tree(map[string]string{"main.go": "1"}))
			var f *Failure
			if !errors.As(err, &f) || f.Status != StatusUsage || f.Remedy == "" || !strings.Contains(f.Text, test.want) {
				t.Errorf("error %v, want a usage error with a remedy and %q", err, test.want)
			}
			if diff := cmp.Diff(before, contents(t, root)); diff != "" {
				t.Errorf("something was written (-before +after):\n%s", diff)
			}
		})
	}
}

func TestWriteFolderAcceptsEmpty(t *testing.T) {
	dir := t.TempDir()
	if err := WriteFolder(dir, tree(map[string]string{"main.go": "1"})); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"main.go": "1"}, contents(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// TestWriteFolderLeavesNoParents: when the output cannot be written, the
// folders made for it on the way are removed again.
func TestWriteFolderLeavesNoParents(t *testing.T) {
	root := t.TempDir()
	bad := Tree{"x": nil, "x/y": nil} // x cannot be both file and folder
	if err := WriteFolder(filepath.Join(root, "a", "b", "out"), bad); err == nil {
		t.Fatal("no error")
	}
	if left, _ := os.ReadDir(root); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestWriteFolderThroughLink(t *testing.T) {
	root := t.TempDir()
	real := filepath.Join(root, "real")
	if err := os.Mkdir(real, 0o777); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(root, "link")
	if err := os.Symlink(real, link); err != nil {
		t.Skip("no symbolic links here")
	}
	if err := WriteFolder(link, tree(map[string]string{"main.go": "1"})); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Lstat(link); err != nil || st.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", st, err)
	}
	if diff := cmp.Diff(map[string]string{"main.go": "1"}, contents(t, real)); diff != "" {
		t.Error(diff)
	}
}
