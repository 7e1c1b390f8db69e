package snapshot

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/runtime/outfile"
)

type pair struct{ a, b int }

// What is written is read again, bit for bit.
func TestWords(t *testing.T) {
	var w Writer
	w.Int(-7)
	w.Bool(true)
	w.Text("a\x00b")
	reals := []float64{math.Inf(-1), math.Copysign(0, -1), math.Float64frombits(0x7ff8_5d3a_11de_f001)}
	Put(&w, reals)
	Put(&w, []float32{1.5})
	Put(&w, []bool{true, false, true})
	Put(&w, []pair{{1, 2}, {3, 4}})
	Put(&w, []string{"", "x"})
	Put[int](&w, nil)

	r := NewReader(w.Bytes())
	if x := r.Int(); x != -7 {
		t.Errorf("%d", x)
	}
	if !r.Bool() || r.Text() != "a\x00b" {
		t.Error("a truth value or a text has changed")
	}
	got := make([]float64, 3)
	Fill(r, got)
	for i := range got {
		if math.Float64bits(got[i]) != math.Float64bits(reals[i]) {
			t.Errorf("%v is %v now", reals[i], got[i])
		}
	}
	if x := List(r, []float32(nil)); !slices.Equal(x, []float32{1.5}) {
		t.Error(x)
	}
	if x := List(r, []bool{false}); !slices.Equal(x, []bool{true, false, true}) {
		t.Error(x)
	}
	if x := List[pair](r, nil); !slices.Equal(x, []pair{{1, 2}, {3, 4}}) {
		t.Error(x)
	}
	if x := List[string](r, nil); !slices.Equal(x, []string{"", "x"}) {
		t.Error(x)
	}
	if x := List(r, []int{1}); len(x) != 0 {
		t.Error(x)
	}
	if err := r.Err(); err != nil {
		t.Error(err)
	}
}

// What does not fit is an error, and never a panic or a huge allocation.
func TestMisfits(t *testing.T) {
	var w Writer
	Put(&w, []int{1, 2, 3})
	for name, read := range map[string]func(r *Reader){
		"too few wanted":  func(r *Reader) { Fill(r, make([]int, 2)) },
		"too many wanted": func(r *Reader) { Fill(r, make([]int, 4)) },
		"wider elements":  func(r *Reader) { List[pair](r, nil) },
		"texts":           func(r *Reader) { r.Text(); r.Text() },
		"nothing":         func(r *Reader) {},
		"too much":        func(r *Reader) { List[int](r, nil); r.Int() },
	} {
		r := NewReader(w.Bytes())
		if read(r); r.Err() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, n := range []int{-1, math.MaxInt, 1 << 40} {
		var w Writer
		w.Int(n)
		r := NewReader(w.Bytes())
		if List[byte](r, nil); r.Err() == nil {
			t.Errorf("a list of %d bytes is read from nothing", n)
		}
		r = NewReader(w.Bytes())
		if r.Text(); r.Err() == nil {
			t.Errorf("a text of %d bytes is read from nothing", n)
		}
	}
}

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if _, err := Open(path); !errors.Is(err, ErrNone) {
		t.Errorf("no file: %v", err)
	}
	parts := [][]byte{[]byte("first"), nil, []byte("the third part")}
	called := false
	if err := Commit(path, parts, true, func() error {
		called = true
		if _, err := Open(path); !errors.Is(err, ErrNone) {
			t.Errorf("before the renaming: %v", err)
		}
		_, err := Open(aside(t, path))
		return err
	}); err != nil || !called {
		t.Fatal(err)
	}
	got, err := Open(path)
	if err != nil || len(got) != 3 || string(got[0]) != "first" || len(got[1]) != 0 || string(got[2]) != "the third part" {
		t.Fatalf("%q, %v", got, err)
	}

	// A commit that fails leaves what was there.
	if err := Commit(path, nil, false, func() error { return errors.New("no output") }); err == nil {
		t.Error("no error")
	}
	if got, err := Open(path); err != nil || len(got) != 3 {
		t.Errorf("%q, %v", got, err)
	}
	if left := aside(t, path); left != "" {
		t.Error("what was written aside is left")
	}
	if err := Commit(filepath.Join(t.TempDir(), "no", "folder"), parts, true, nil); err == nil {
		t.Error("a file in no folder is written")
	}
}

// A file with any byte changed, cut off or added is refused.
func TestDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := Commit(path, [][]byte{[]byte("some state"), []byte("more")}, false, nil); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, text []byte) {
		t.Helper()
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "damaged") && !strings.Contains(err.Error(), "no checkpoint") {
			t.Errorf("%s: %v", what, err)
		}
	}
	for i := range whole {
		for _, bit := range []byte{1, 128} {
			text := slices.Clone(whole)
			text[i] ^= bit
			refused("a changed byte", text)
		}
		refused("a part", whole[:i])
	}
	refused("more", append(slices.Clone(whole), 0))
}

// What is no file is neither replaced nor read, and a link stays one.
func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	parts := [][]byte{[]byte("part")}
	for _, path := range []string{dir, os.DevNull} {
		if _, err := Open(path); !errors.Is(err, outfile.ErrNoFile) {
			t.Errorf("Open(%s): %v", path, err)
		}
	}
	if err := Commit(dir, parts, false, nil); !errors.Is(err, outfile.ErrNoFile) {
		t.Errorf("Commit to a folder: %v", err)
	}
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := Commit(file, nil, false, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	if err := Commit(link, parts, false, nil); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Lstat(link); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link has been replaced: %v", err)
	}
	if got, err := Open(file); err != nil || len(got) != 1 {
		t.Errorf("behind the link: %q, %v", got, err)
	}
}

// TestOtherFiles: a file with anything but a checkpoint in it is not replaced by a slip.
func TestOtherFiles(t *testing.T) {
	dir := t.TempDir()
	path := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, p := range []string{path("source", "program p\nend\n"), path("short", "sp")} {
		if err := Writable(p); !errors.Is(err, outfile.ErrOther) {
			t.Errorf("%s: %v", p, err)
		}
	}
	for _, p := range []string{path("empty", ""), path("damaged", magic+"?"), filepath.Join(dir, "new")} {
		if err := Writable(p); err != nil {
			t.Errorf("%s: %v", p, err)
		}
	}
}

// aside is the file beside path, or "".
func aside(t *testing.T, path string) string {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != filepath.Base(path) {
			return filepath.Join(filepath.Dir(path), e.Name())
		}
	}
	return ""
}
