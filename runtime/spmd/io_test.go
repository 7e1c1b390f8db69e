package spmd

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/runtime/fio"
	"github.com/spmdc/spmdc/runtime/record"
)

var formatA = fio.Must("(a)")

// The files in testdata hold what gfortran wrote: list_output.txt and
// list_input.txt come from the programs of the same name, reals.txt pairs the
// bits of numbers with the line that `print *, x` makes of them.

func golden(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPrintReals(t *testing.T) {
	for _, line := range strings.Split(strings.TrimSpace(golden(t, "reals.txt")), "\n") {
		field := strings.Split(line, "|")
		bits, err := strconv.ParseUint(field[0], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		var x any = math.Float64frombits(bits)
		if len(field[0]) == 8 {
			x = math.Float32frombits(uint32(bits))
		}
		out, _ := spmd(t, 1, "", func(pe *PE) { pe.Print(x) })
		if out != field[1]+"\n" {
			t.Errorf("%v (%s) prints %q, gfortran %q", x, field[0], out, field[1])
		}
	}
}

// TestPrintRecords is list_output.f90.
func TestPrintRecords(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	c := Pad("ab", 5)
	loop := func(pe *PE, n int, item func(i int) any) {
		l := pe.NewLine()
		for i := 1; i <= n; i++ {
			l.Add(item(i))
		}
		l.End()
	}
	out, _ := spmd(t, 3, "", func(pe *PE) {
		if pe.ID() != 0 {
			return
		}
		pe.Print(int32(1), "a", int32(2), "b", "c", true, false, "x")
		pe.Print()
		pe.Print("")
		pe.Print(int32(-2147483648), int32(2147483647), int32(0))
		pe.Print(c, c, "|")
		pe.Print(nan, inf, -inf, float32(1))
		pe.Print(float32(nan), float32(inf), float32(-inf), 1.0)
		pe.Print("n =", int32(10), "x =", 1.5, "flag", true)
		loop(pe, 30, func(i int) any { return int32(i) })
		loop(pe, 20, func(i int) any { return "abcdefghij" })
		loop(pe, 12, func(i int) any { return 1.5 * float64(i) })
		loop(pe, 12, func(i int) any { return 0.5 * float32(i) })
		loop(pe, 70, func(i int) any { return i%2 == 0 })
		pe.Print("a", int32(1), "b")
		pe.Print(int32(1), float32(1), 1.0, true, int32(1))
	})
	got, want := strings.Split(out, "\n"), strings.Split(golden(t, "list_output.txt"), "\n")
	if len(got) != len(want) {
		t.Errorf("%d lines, want %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("line %d:\n%q, gfortran:\n%q", i+1, got[i], want[i])
		}
	}
}

// listInput is list_input.f90.
func listInput(pe *PE) {
	ios, i, j, k := 0, int32(-1), int32(-2), int32(-3)
	x, y, z, s := -1.0, -2.0, -3.0, float32(-4)
	p, q := true, false
	kind, c, d, line := "", Pad("c", 4), Pad("d", 4), Pad("none", 12)
	print := func(items ...any) {
		if pe.ID() == 0 {
			pe.Print(items...)
		}
	}
	pe.Formatted(0, nil, formatA, Str(&kind, 4))
	switch Trim(kind) {
	case "ints":
		pe.Read(0, &ios, &i, &j, &k)
		print(int32(ios), i, j, k)
	case "real":
		pe.Read(0, &ios, &x, &y, &z, &s)
		print(int32(ios), x, y, z, s)
	case "bool":
		pe.Read(0, &ios, &p, &q)
		print(int32(ios), p, q)
	case "text":
		pe.Read(0, &ios, Str(&c, 4), Str(&d, 4))
		print(int32(ios), c, "|", d, "|")
	case "mix":
		pe.Read(0, &ios, &i, &x, Str(&c, 4), &p)
		print(int32(ios), i, x, c, "|", p)
	case "none":
		pe.Read(0, &ios)
		print(int32(ios))
	}
	pe.Formatted(1, &ios, formatA, Str(&line, 12))
	print(int32(ios), line, "|")
	pe.Read(2, &ios, &k)
	print(int32(ios), k)
	pe.ReadInternal(3, line, &ios, &i, &j)
	print(int32(ios), i, j)
	// All PEs have PE 0's values.
	if Sum(pe, 4, i) != int32(pe.N())*i || Sum(pe, 4, k) != int32(pe.N())*k || Bcast(pe, 5, 0, c+d+line) != c+d+line || Bcast(pe, 5, 0, ios) != ios {
		pe.Abort(4, "PEs differ in what they read")
	}
}

func TestListDirectedInput(t *testing.T) {
	for _, c := range strings.Split(golden(t, "list_input.txt"), "=input\n")[1:] {
		input, want, _ := strings.Cut(c, "=output\n")
		for _, np := range []int{1, 3} {
			if out, _ := spmd(t, np, input, listInput); out != want {
				t.Errorf("on %d PEs, input:\n%soutput:\n%sgfortran:\n%s", np, input, out, want)
			}
		}
	}
}

// Where gfortran's library has quirks of its own, the standard decides: a
// repeated value may go to items of different types and kinds, a count of 0 is
// an error, and items that follow an error keep their values.
func TestListDirectedInputBeyondGfortran(t *testing.T) {
	for input, want := range map[string]string{
		"mix\n3*1 T\n":        "           0           1   1.0000000000000000      1   | T",
		"real\n4*0.1\n":       "           0  0.10000000000000001       0.10000000000000001       0.10000000000000001       0.100000001    ",
		"ints\n0*1 2 3\n":     "        5010          -1          -2          -3",
		"real\n. 2 3 4\n":     "        5010  -1.0000000000000000       -2.0000000000000000       -3.0000000000000000       -4.00000000    ",
		"text\n'not closed\n": "          -1 c   |d   |",
	} {
		out, _ := spmd(t, 2, input, listInput)
		if first, _, _ := strings.Cut(out, "\n"); first != want {
			t.Errorf("input %q: %q, want %q", input, first, want)
		}
	}
}

// TestBadPairs: what is no COMPLEX number is an error with gfortran's IOMSG, on whichever line
// it goes on.
func TestBadPairs(t *testing.T) {
	for input, want := range map[string]string{
		"      (1.0\nx":     "Bad complex value in item 1 of list input",
		"(1.0 2.0)":         "Bad complex value in item 1 of list input",
		"      (1.0,\n2 x)": "Bad complex value in item 1 of list input",
		"(1,2)x":            "Bad complex value in item 1 of list input",
		"(a,2)":             "Bad complex floating point number for item 1",
		"(1.0\n,2.0)":       "",
	} {
		lines := strings.Split(input, "\n")
		next := func() (rec string, ok bool) {
			if len(lines) == 0 {
				return "", false
			}
			rec, lines = lines[0], lines[1:]
			return rec, true
		}
		var z complex128
		got := ""
		if err := newListReader(&record.Source{Next: next, Name: "the input"}).read([]any{&z}); err != nil {
			got = err.text
		}
		if got != want || want == "" && z != 1+2i {
			t.Errorf("%q gives %v and %q, gfortran %q", input, z, got, want)
		}
	}
}

// TestGroups: values of NAMELIST groups are those of list-directed input, in all forms that
// gfortran takes, and with its IOMSG where it takes none.
func TestGroups(t *testing.T) {
	variables := groupVariables("z w0 0 s c8 0 x d0 0 q b0 0", nil)
	for input, want := range map[string]string{
		"&g s='ab'x":                               "Invalid string input in item 1",
		"&g s='ab'/":                               "",
		"&g s='it''s'! it is":                      "",
		"&g z=(1,2)x=3 /":                          "",
		"&g z=(1,2)y /":                            "Cannot match namelist object name y",
		"&g q=.true., x = 3.25, z = (2.5,3.5) /":   "",
		"&g q=.true.; x = 3,25; z = (2,5;3,5) / ,": "",
	} {
		open := func() (*record.Source, error) {
			next := record.Once(input)
			return &record.Source{Name: "the input", Modes: record.Modes{Comma: strings.HasSuffix(input, ",")}, Next: func() (string, bool) {
				if rec, ok := next(); ok {
					return rec, true
				}
				return "/", true
			}}, nil
		}
		g, got := readGroup(open, "g", variables), ""
		if g.err != nil {
			got = g.err.text
		}
		if got != want {
			t.Errorf("%q: %q, gfortran %q", input, got, want)
		}
		if x := g.values[2][0]; strings.Contains(input, "25") && (len(x) != 1 || x[0] != 3.25) {
			t.Errorf("%q: x is %v", input, x)
		}
	}
}

// TestDecimalComma: a logical value has its points where numbers have commas.
func TestDecimalComma(t *testing.T) {
	var q bool
	var x float64
	var z complex64
	src := &record.Source{Next: record.Once(".true. 1,5; (2,5;3,5)"), Name: "the input", Modes: record.Modes{Comma: true}}
	if err := newListReader(src).read([]any{&q, &x, &z}); err != nil || !q || x != 1.5 || z != 2.5+3.5i {
		t.Errorf("%v %v %v %v", q, x, z, err)
	}
}

// What gfortran prints of INTEGER(8) has 20 columns.
func TestLongIntegers(t *testing.T) {
	out, _ := spmd(t, 2, "12345678901 3\n99999999999 5000000000\n", func(pe *PE) {
		var a, ios int
		var i int32
		pe.Read(0, nil, &a, &i)
		if pe.ID() == 0 {
			pe.Print(a, i, -5, math.MaxInt64, "x", a)
		}
		pe.Read(0, &ios, &a, &i) // the second has only 32 bits
		if a != 99999999999 || i != 3 || ios <= 0 {
			t.Errorf("a %d i %d iostat %d", a, i, ios)
		}
	})
	if want := "          12345678901           3                   -5  9223372036854775807 x          12345678901\n"; out != want {
		t.Errorf("output %q, gfortran %q", out, want)
	}
}

func TestReadWithoutIostat(t *testing.T) {
	read := func(pe *PE) {
		var i, j int32
		if pe.ID() == 0 {
			pe.Print("before")
		}
		pe.Read(2, nil, &i, &j)
	}
	for _, np := range []int{1, 3} {
		out := fails(t, np, "1\n", read, "prog.hpf:102: PE ", "end of file: read past the end of standard input", "IOSTAT=")
		if out != " before\n" {
			t.Errorf("output before the error: %q", out)
		}
		fails(t, np, "\n1 two", read, "prog.hpf:102: ", `cannot read "two" as INTEGER (item 2 of READ, standard input, line 2)`)
		fails(t, np, "", func(pe *PE) {
			var s string
			pe.Formatted(1, nil, formatA, Str(&s, 3))
		}, "prog.hpf:101: ", "end of file")
		fails(t, np, "", func(pe *PE) {
			var i int
			pe.ReadInternal(1, "  ", nil, &i)
		}, "prog.hpf:101: ", "end of file: read past the end of the string")
	}
}

// The prompt is on the screen before the program waits for the answer.
func TestOutputIsFlushedBeforeInput(t *testing.T) {
	var out bytes.Buffer
	in := readerFunc(func(b []byte) (int, error) {
		if out.String() != " name?\n" {
			t.Errorf("at the read, the output is %q", out.String())
		}
		return copy(b, "x\n"), nil
	})
	_, err := Run(sites(1), 2, in, &out, func(pe *PE) {
		if pe.ID() == 0 {
			pe.Print("name?")
		}
		var s string
		pe.Formatted(0, nil, formatA, Str(&s, 1))
	})
	if err != nil {
		t.Fatal(err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestOutputError(t *testing.T) {
	_, err := Run(sites(1), 1, nil, failingWriter{}, func(pe *PE) { pe.Print(1) })
	if err == nil || !strings.Contains(err.Error(), "cannot write standard output") {
		t.Errorf("error %v", err)
	}
}

// Format '(a)' writes text without the blank that begins a list-directed record.
func TestPrintA(t *testing.T) {
	out, _ := spmd(t, 2, "", func(pe *PE) {
		if pe.ID() == 0 {
			pe.Write([]byte("text \n"))
			pe.Write([]byte("\n"))
			pe.Print("text")
		}
	})
	if want := "text \n\n text\n"; out != want {
		t.Errorf("output %q, want %q", out, want)
	}
}

// A note tells on every PE whether its item was given a value.
func TestNotes(t *testing.T) {
	for _, test := range []struct{ input, want string }{
		{"1 2.5 abc 7\n", "0 T1 T2.5 Tabc T7"},
		{",2.5,,7\n", "0 F0 T2.5 F--- T7"},
		{"1 /\n", "0 T1 F0 F--- F0"},
		{"2* abc\n8\n", "0 F0 F0 Tabc T8"},
		{"1\n", "-1 T1 F0 F--- F0"},
		{"1 x abc 7\n", "5010 T1 F0 F--- F0"},
		{"1 2 'abc'7\n", "5010 T1 T2 F--- F0"},
		{"", "-1 F0 F0 F--- F0"},
	} {
		text := func(got []bool, i int, x float64, s string, k int) string {
			var b strings.Builder
			for j, item := range []any{i, x, s, k} {
				fmt.Fprintf(&b, " %s%v", map[bool]string{true: "T", false: "F"}[got[j]], item)
			}
			return b.String()
		}
		spmd(t, 3, test.input, func(pe *PE) {
			ios, i, x, s, k := 0, 0, 0.0, "---", 0
			got := []bool{true, true, true, true} // of an earlier READ
			pe.Read(0, &ios, Note(&got[0], &i), Note(&got[1], &x), Note(&got[2], Str(&s, 3)), Note(&got[3], &k))
			if have := strconv.Itoa(ios) + text(got, i, x, s, k); have != test.want {
				t.Errorf("PE %d, input %q: %s, want %s", pe.ID(), test.input, have, test.want)
			}
		})
	}
	spmd(t, 2, "line\n", func(pe *PE) {
		ios, s, got := 0, "", false
		pe.Formatted(0, &ios, formatA, Note(&got, Str(&s, 2)))
		if s != "li" || !got {
			t.Errorf("PE %d: %q, note %v", pe.ID(), s, got)
		}
		pe.Formatted(0, &ios, formatA, Note(&got, Str(&s, 2)))
		if s != "li" || got || ios != -1 {
			t.Errorf("PE %d at the end of file: %q, note %v, iostat %d", pe.ID(), s, got, ios)
		}
		i, j := 3, 0
		pe.ReadInternal(1, " ,4", nil, Note(&got, &i), &j)
		if i != 3 || j != 4 || got {
			t.Errorf("from a string: %d %d, note %v", i, j, got)
		}
	})
}

// countingWriter counts the writes.
type countingWriter struct{ n int }

func (w *countingWriter) Write(b []byte) (int, error) { w.n++; return len(b), nil }

// Somebody at a terminal sees each record at once; files and pipes get large
// pieces.
func TestOutputToTerminal(t *testing.T) {
	for lines, want := range map[bool]int{true: 3, false: 1} {
		w := &countingWriter{}
		o := newOutput(w)
		o.lines = lines
		for range 3 {
			o.write([]byte("record\n"))
		}
		if o.close(); w.n != want {
			t.Errorf("terminal %v: %d writes, want %d", lines, w.n, want)
		}
	}
	file, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if newOutput(file).lines {
		t.Error("a file is taken for a terminal")
	}
	if device, err := os.OpenFile("/dev/null", os.O_WRONLY, 0); err == nil { // a device like a terminal
		defer device.Close()
		if !newOutput(device).lines {
			t.Error("a character device is not taken for a terminal")
		}
	}
}
