package load_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/spmdc/spmdc/internal/effort"
	_ "github.com/spmdc/spmdc/internal/gcless"
	"github.com/spmdc/spmdc/parser/load"
	"github.com/spmdc/spmdc/parser/source"
)

// TestLoad: the lines that are compiled, each with its file, number and the column
// of its last byte, and what is wrong. The first line of an archive holds the
// options: -DNAME=VALUE and the files of the command line. The file "want" is what
// is to come.
func TestLoad(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no tests: %v", err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files := map[string][]byte{}
		for _, f := range archive.Files {
			files[f.Name] = f.Data
		}
		o := load.Options{ReadFile: func(name string) ([]byte, error) {
			if text, ok := files[name]; ok && name != "want" {
				return text, nil
			}
			return nil, fs.ErrNotExist
		}}
		var texts []load.Text
		for word := range strings.FieldsSeq(string(archive.Comment)) {
			if d, ok := strings.CutPrefix(word, "-D"); ok {
				o.Define = append(o.Define, d)
			} else if files[word] == nil {
				t.Fatalf("%s: there is no file %s", path, word)
			} else {
				texts = append(texts, load.Text{Name: word, Text: files[word]})
			}
		}
		got := shown(t, load.Read(texts, o))
		if os.Getenv("UPDATE_LOAD") != "" {
			for i := range archive.Files {
				if archive.Files[i].Name == "want" {
					archive.Files[i].Data = []byte(got)
				}
			}
			if err := os.WriteFile(path, txtar.Format(archive), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(string(files["want"]), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

func shown(t *testing.T, p *load.Program) string {
	var b strings.Builder
	for _, s := range p.Sources {
		for _, l := range s.Lines {
			last := len(l.Text) - 1
			name, line := p.File.Place(l.Line)
			fmt.Fprintf(&b, "%s:%d:%d %q\n", name, line, l.At(max(last, 0)).Col, l.Text)
		}
	}
	if err := p.Diags.Render(&b, nil, false); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// pieces are what the random texts for the preprocessor are made of.
var pieces = []string{"A", "B", "CC", "A1", "_A", "1", "2", " ", " ", "+", "*", "(", ")", "'A'", "\"B A\"", "'A", ",", "! A", "%", "=", ".eq.", "&", "1.0_A", "A_B", "/* A */", "//"}

// text draws text for the preprocessor.
func text(r *rand.Rand) string {
	var b strings.Builder
	some := func(n int) string {
		var s strings.Builder
		for range r.IntN(n) {
			s.WriteString(pieces[r.IntN(len(pieces))])
		}
		return s.String()
	}
	name := func() string { return pieces[r.IntN(5)] }
	depth, lines := 0, 0
	for lines < 15 || depth > 0 {
		lines++
		switch k := r.IntN(14); {
		case k == 0 && lines < 15:
			fmt.Fprintf(&b, "#define %s %d\n", name(), r.IntN(4))
		case k == 1 && lines < 15:
			i := r.IntN(4) // no macro stands for itself
			fmt.Fprintf(&b, "# define %s %s+%d /* A */\n", pieces[i], pieces[i+1+r.IntN(4-i)], r.IntN(3))
		case k == 2:
			fmt.Fprintf(&b, "#undef %s\n", name())
		case k == 3 && lines < 15:
			fmt.Fprintf(&b, "#if%s %s\n", []string{"def", "ndef"}[r.IntN(2)], name())
			depth++
		case k == 4 && lines < 15:
			fmt.Fprintf(&b, "#if defined(%s) && %s %s %d || !defined %s\n", name(), name(),
				[]string{"==", "<", ">=", "!=", "+", "<<", "&", "|", "^", "-", "%3*"}[r.IntN(11)], r.IntN(4), name())
			depth++
		case k == 5 && depth > 0:
			fmt.Fprintf(&b, "#endif\n")
			depth--
		case k == 6 && depth > 0:
			fmt.Fprintf(&b, "#else\n#endif\n")
			depth--
		case k == 7 && depth > 0:
			fmt.Fprintf(&b, "#elif (%s > %d) ? %s : -%d /* B */\n", name(), r.IntN(3), name(), r.IntN(2))
		default:
			b.WriteString(some(8) + "\n")
		}
	}
	return b.String()
}

// TestLikeGfortran: random texts become what gfortran's preprocessor makes of them.
func TestLikeGfortran(t *testing.T) {
	effort.Tool(t, "gfortran", "gfortran")
	dir := t.TempDir()
	file := filepath.Join(dir, "x.F90")
	macros, conditions := 0, 0
	for seed := range uint64(effort.Of(500, 40)) {
		text := text(rand.New(rand.NewPCG(seed, 1)))
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("gfortran", "-E", "-P", file).Output()
		said := ""
		if x := (*exec.ExitError)(nil); errors.As(err, &x) {
			said = string(x.Stderr)
		}
		p := load.Read([]load.Text{{Name: "x.F90", Text: []byte(text)}}, load.Options{})
		if (err != nil) != p.Diags.HasErrors() {
			t.Fatalf("seed %d: gfortran says %v %s, and here it is %v\n%s", seed, err, said, p.Diags.Err(), text)
		}
		if err != nil {
			continue
		}
		var got strings.Builder
		for _, l := range p.Sources[0].Lines {
			got.WriteString(l.Text + "\n")
			if l.Cols != nil {
				macros++
			}
		}
		conditions += strings.Count(text, "#if")
		if diff := cmp.Diff(words(string(out)), words(got.String())); diff != "" {
			t.Fatalf("seed %d (-gfortran +here):\n%s\n%s", seed, diff, text)
		}
	}
	if macros < 20 || conditions < 20 {
		t.Errorf("only %d lines with macros and %d conditions", macros, conditions)
	}
}

// words are the words of a text: gfortran squeezes blanks and leaves out lines.
func words(s string) []string {
	var out []string
	for line := range strings.Lines(s) {
		if f := strings.Fields(line); len(f) > 0 {
			out = append(out, strings.Join(f, ""))
		}
	}
	return out
}

// FuzzLoad: whatever the texts, reading ends, and all places lie in the files.
func FuzzLoad(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(text(rand.New(rand.NewPCG(seed, 1))), "include 'x.F90'\n#include \"b.inc\"\n")
	}
	f.Add("#define A B B\n#define B C C\n#define C D D\n#define D E E\nA\n#if A\n", "#if (((\n#elif\n#endif\n#define F(x) x\n#include A\n/* x\n*/ y \\\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		files := map[string][]byte{"x.F90": []byte(a), "b.inc": []byte(b)}
		p := load.Read([]load.Text{{Name: "x.F90", Text: []byte(a)}, {Name: "y.F", Text: []byte(b)}}, load.Options{ReadFile: func(name string) ([]byte, error) {
			if text, ok := files[name]; ok {
				return text, nil
			}
			return nil, fs.ErrNotExist
		}})
		for _, s := range p.Sources {
			for _, l := range s.Lines {
				for i := range len(l.Text) + 1 {
					checkPlace(t, p.File, l.At(i))
				}
			}
		}
		for _, d := range p.Diags.Diags {
			checkPlace(t, p.File, d.Pos)
		}
	})
}

func checkPlace(t *testing.T, f *source.File, pos source.Pos) {
	if part := f.Part(pos.Line); pos.Line < part.First() || pos.Line >= part.First()+part.Lines() || pos.Col < 1 || pos.Col > len(f.Line(pos.Line))+2 {
		t.Fatalf("%v lies outside of the files", pos)
	}
}
