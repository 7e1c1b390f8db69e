package layout_test

import (
	"context"
	flags "flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/internal/randprog"
	"github.com/spmdc/spmdc/internal/sourceform"
	"github.com/spmdc/spmdc/parser/layout"
	"github.com/spmdc/spmdc/parser/load"
	"github.com/spmdc/spmdc/parser/scan"
)

var forms = []scan.Form{scan.FreeForm{}, scan.FixedForm{}}

// format formats a file, which has to be the same when it is formatted again.
func format(t *testing.T, name string, text []byte, from, to scan.Form) string {
	t.Helper()
	o := layout.Options{From: from, To: to, Indent: 2, ReadFile: os.ReadFile}
	out, diags, err := layout.Format(name, text, o)
	if err == nil {
		err = diags.Err()
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return ""
	}
	o.From = to
	again, diags, err := layout.Format(name, []byte(out), o)
	if err == nil {
		err = diags.Err()
	}
	if err != nil {
		t.Errorf("%s, again: %v", name, err)
	} else if diff := cmp.Diff(strings.Split(out, "\n"), strings.Split(again, "\n")); diff != "" {
		t.Errorf("%s changes again (-once +twice):\n%s", name, diff)
	}
	return out
}

// TestTexts compares with the texts of testdata: the file that a text begins with, and what
// becomes of it.
func TestTexts(t *testing.T) {
	paths, _ := filepath.Glob("testdata/*.txtar")
	if len(paths) < 3 {
		t.Fatalf("only %d texts", len(paths))
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		in := archive.Files[0]
		for _, want := range archive.Files[1:] {
			got := format(t, in.Name, in.Data, scan.FormOf(in.Name), scan.FormOf(want.Name))
			if diff := cmp.Diff(string(want.Data), got); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", path, want.Name, diff)
			}
		}
	}
}

var folders = flags.String("folders", "../../examples,../../benchmarks", "folders of programs for TestFiles, with commas between")

// TestFiles: the programs of the repository, and of any folder, in both forms; by default a part of them.
func TestFiles(t *testing.T) {
	extensions := slices.Concat(scan.FreeExtensions, scan.FixedExtensions)
	n, files, share := 0, 0, effort.Of(1, 20) // of which it takes one
	for folder := range strings.SplitSeq(*folders, ",") {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !slices.Contains(extensions, filepath.Ext(path)) {
				return err
			}
			if files++; files%share != 0 {
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, to := range forms {
				if to == scan.FormOf(path) || !includes(text) {
					format(t, path, text, scan.FormOf(path), to)
					n++
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if t.Logf("%d texts of %d files", n, files); n < files/share {
		t.Errorf("only %d texts", n)
	}
}

// includes reports whether a text includes others, which have one form only.
func includes(text []byte) bool {
	return strings.Contains(strings.ToLower(string(text)), "include '") || strings.Contains(string(text), "#include")
}

// TestRandom: random programs, printed unkindly in each form, in both.
func TestRandom(t *testing.T) {
	names := slices.Sorted(maps.Keys(randprog.Generators))
	hostile := []func(string, sourceform.Source) string{sourceform.Free, sourceform.Fixed}
	for seed := range uint64(effort.Of(1000, 15)) {
		name := names[seed%uint64(len(names))]
		free := randprog.Generators[name](seed).Source
		for i, from := range forms {
			text := hostile[i](free, rand.New(rand.NewPCG(seed, 5)))
			for _, to := range forms {
				format(t, fmt.Sprint(name, seed), []byte(text), from, to)
			}
		}
	}
}

var programs = flags.String("programs", "../../examples/testdata/language", "folders of programs for TestGfortran, with commas between")

// TestGfortran: programs print the same when they are formatted, compiled by gfortran.
func TestGfortran(t *testing.T) {
	effort.Tool(t, "gfortran", "gfortran")
	extensions := slices.Concat(scan.FreeExtensions, scan.FixedExtensions)
	var paths []string
	for folder := range strings.SplitSeq(*programs, ",") {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if slices.Contains(extensions, filepath.Ext(path)) {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	input := ""
	run := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		// Not every gfortran compiles all that spmdc does, and some programs end with an error.
		if exec.Command("gfortran", "-w", "-fcoarray=single", "-J", dir, "-o", path+".x", path).Run() != nil {
			return ""
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, path+".x")
		cmd.Dir = dir
		cmd.Stdin, _ = os.Open(input)
		out, err := cmd.Output()
		if err != nil {
			return ""
		}
		return string(out)
	}
	names := map[scan.Form]string{scan.FreeForm{}: "x.f90", scan.FixedForm{}: "x.f"}
	sample := effort.Of(len(paths), 2)
	compared := 0
	for i := range sample {
		path := paths[i*len(paths)/sample]
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		base, _ := filepath.Abs(strings.TrimSuffix(path, filepath.Ext(path)))
		for _, extension := range []string{".in", ".reference_input"} {
			if input = base + extension; exists(input) {
				break
			}
		}
		from := scan.FormOf(path)
		want := run(names[from], text)
		if want == "" || load.Preprocessed(path) {
			continue
		}
		for to, name := range names {
			// Some programs print something else in each run.
			if got := run(name, []byte(format(t, path, text, from, to))); got != want && want == run(names[from], text) {
				t.Errorf("%s as %s prints otherwise:\n%s", path, name, cmp.Diff(want, got))
			}
		}
		compared++
	}
	if t.Logf("%d programs of %d", compared, sample); compared < sample/2 {
		t.Errorf("only %d of %d programs compared", compared, sample)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
