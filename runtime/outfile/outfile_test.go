package outfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func writes(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

func holds(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s: %q, %v, want %q", filepath.Base(path), got, err, want)
	}
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return strings.Join(list, " ")
}

var words = []string{"log 1", "log 2"}

// A file of the same kind is replaced, as a whole or not at all, with its permissions;
// another one is not touched, whatever it is called.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.log")
	for _, text := range []string{"log 1\nx\n", "log 2\n", "log 1\n"} {
		if err := Write(name, words, writes(text)); err != nil {
			t.Fatal(err)
		}
		holds(t, name, text)
	}
	broken := errors.New("disk full")
	half := func(w io.Writer) error { io.WriteString(w, "half"); return broken }
	if err := Write(name, words, half); !errors.Is(err, broken) {
		t.Error(err)
	}
	holds(t, name, "log 1\n")
	for _, text := range []string{"program p\n", "log", "log 3\n", "\x00"} {
		put(t, name, text)
		if err := Write(name, words, writes("log 1\n")); !errors.Is(err, ErrOther) {
			t.Errorf("over %q: %v", text, err)
		}
		holds(t, name, text)
	}
	os.Remove(name)
	put(t, name, "")
	if err := Write(name, words, writes("log 1\n")); err != nil {
		t.Errorf("over an empty file: %v", err)
	}
	if st, err := os.Stat(name); err != nil || st.Mode().Perm() != 0o640 {
		t.Errorf("permissions %v, %v: those of the file before were 640", st.Mode(), err)
	}
	if err := Write(dir, words, writes("log 1\n")); !errors.Is(err, ErrNoFile) {
		t.Errorf("a folder: %v", err)
	}
	if got := names(t, dir); got != "a.log" {
		t.Errorf("in the folder: %s", got)
	}
	long := filepath.Join(dir, strings.Repeat("ü", 120)+".log")
	if err := Write(long, words, writes("log 1\n")); err != nil {
		t.Errorf("a long name: %v", err)
	}
}

// What is written aside takes no name that is in use, by a file or by a link.
func TestAside(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "run.ckpt")
	for _, end := range []string{".new", ".tmp", "~"} {
		put(t, name+end, "a letter")
	}
	seen := map[string]bool{}
	for range 20 {
		f, err := Aside(name)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Dir(f.Name()) != dir || seen[f.Name()] {
			t.Fatalf("%s is in another folder, or was used before", f.Name())
		}
		seen[f.Name()] = true
		if err := Replace(f, name, writes("log 1\n"), false, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, end := range []string{".new", ".tmp", "~"} {
		holds(t, name+end, "a letter")
	}
}

// Sweep removes what nobody writes to any more, and no other file.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "run.ckpt")
	busy, err := Aside(name)
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	left, err := Aside(name)
	if err != nil {
		t.Fatal(err)
	}
	left.Close() // as the end of the process does
	other := filepath.Join(dir, ".run.ckpt.letter"+asideEnd)
	put(t, other, "a letter")
	Sweep(name)
	if _, err := os.Stat(left.Name()); err == nil {
		t.Error("the file of a process that has ended is still there")
	}
	for _, kept := range []string{busy.Name(), other} {
		if _, err := os.Stat(kept); err != nil {
			t.Errorf("%s: %v", kept, err)
		}
	}
}

// A pipe or a device is written to and not replaced, and a link stays one.
func TestWriteNoFile(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	name := fmt.Sprintf("/dev/fd/%d", w.Fd())
	if _, err := os.Stat(name); err != nil {
		t.Skip(err)
	}
	if err := Write(name, words, writes("text\n")); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if got, err := io.ReadAll(r); err != nil || string(got) != "text\n" {
		t.Errorf("%q, %v", got, err)
	}
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	put(t, file, "log 1\n")
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	if err := Write(link, words, writes("log 2\n")); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Lstat(link); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link has been replaced: %v", err)
	}
	holds(t, file, "log 2\n")
	source := filepath.Join(dir, "source")
	put(t, source, "program p\n")
	if err := os.Link(source, link+"2"); err != nil {
		t.Skip(err)
	}
	if err := Write(link+"2", words, writes("log 2\n")); !errors.Is(err, ErrOther) {
		t.Errorf("over another name of a source: %v", err)
	}
	holds(t, source, "program p\n")
}
