package fio

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/effort"
	"github.com/spmdc/spmdc/runtime/record"
)

var (
	pairs = flag.Int("pairs", 0, "how many random formats with items to compare with gfortran")
	seed  = flag.Uint64("seed", 1, "of the random formats")
)

// pair is a format with items, in Fortran and in Go.
type pair struct {
	format string
	source []string
	items  []any
}

// gen makes random pairs.
type gen struct{ *rand.Rand }

func (g gen) pick(list ...string) string { return list[g.IntN(len(list))] }

// item is a random value: in Fortran, in Go, and a descriptor that takes it.
func (g gen) item() (source string, item any, edit string) {
	switch g.IntN(8) {
	case 0:
		n := g.whole(31)
		return fmt.Sprintf("int(%d_8)", n), int32(n), g.integer()
	case 1:
		n := g.whole(63)
		return fmt.Sprintf("%d_8", n), int(n), g.integer()
	case 2:
		b := g.IntN(2) == 0
		return map[bool]string{true: ".true.", false: ".false."}[b], b, g.pick("l1", "l", "l4", "g3.1", "g0")
	case 3:
		s := g.pick("", "x", "ab", "some words", "it''s")
		return "'" + s + "'", strings.ReplaceAll(s, "''", "'"), g.pick("a", "a2", "a5", "a12", "g0", "g7.1")
	case 4:
		x := float32(g.value(30))
		edit = g.real()
		for strings.HasPrefix(edit, "en") { // gfortran 12 cuts off what would round up to 10.0
			edit = g.real()
		}
		return g.literal(float64(x), "_4", 32), x, edit
	default:
		x := g.value(250)
		return g.literal(x, "_8", 64), x, g.real()
	}
}

func (g gen) whole(bits int) int64 {
	n := g.Int64() >> (63 - bits + g.IntN(bits+1))
	if g.IntN(2) == 0 {
		n = -n
	}
	return n
}

func (g gen) value(exp int) float64 {
	sign := float64(1 - 2*g.IntN(2))
	switch g.IntN(8) {
	case 0:
		return sign * math.Pow(10, float64(g.IntN(9)-4)) * (1 - float64(g.IntN(3))*math.Pow(10, -float64(g.IntN(9))))
	case 1:
		return sign * float64(g.IntN(200)) / 8
	case 2:
		return sign * float64(g.IntN(20)) * 0.05
	case 3:
		nan := math.Float64frombits(0x7FF8 << 48) // its bits are shown by Z
		return []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), nan}[g.IntN(5)]
	case 4:
		return sign * g.Float64() * math.Pow(10, float64(g.IntN(2*exp)-exp))
	}
	return sign * g.Float64() * math.Pow(10, float64(g.IntN(14)-5))
}

func (g gen) literal(x float64, kind string, bits int) string {
	name := map[string]string{"_4": "s", "_8": "d"}[kind]
	switch {
	case math.IsNaN(x):
		return "nan" + name
	case math.IsInf(x, 1):
		return "inf" + name
	case math.IsInf(x, -1):
		return "-inf" + name
	case x == 0 && math.Signbit(x):
		return "neg" + name
	}
	return strconv.FormatFloat(x, 'e', -1, bits) + kind
}

func (g gen) integer() string {
	w := g.IntN(14)
	form := g.pick("i", "i", "i", "b", "o", "z", "g")
	if form == "g" {
		if w == 0 {
			return "g0"
		}
		return fmt.Sprintf("g%d.2", w)
	}
	if form == "b" {
		w *= 3
	}
	if g.IntN(3) == 0 {
		m := g.IntN(8)
		if w > 0 {
			m = min(m, w)
		}
		return fmt.Sprintf("%s%d.%d", form, w, m)
	}
	return fmt.Sprintf("%s%d", form, w)
}

func (g gen) real() string {
	w, d := g.IntN(20), g.IntN(9)
	if g.IntN(8) == 0 {
		d += 12
		w += 12
	}
	form := g.pick("f", "f", "f", "e", "e", "es", "es", "en", "d", "g", "g", "g0", "z")
	switch form {
	case "g0":
		if g.IntN(2) == 0 {
			return "g0"
		}
		return fmt.Sprintf("g0.%d", min(d+1, 12))
	case "z":
		return fmt.Sprintf("z%d", w)
	case "f", "d":
		return fmt.Sprintf("%s%d.%d", form, w, min(d, max(w, d%9)))
	}
	if w == 0 && form == "g" {
		w = 12
	}
	if w == 0 && d == 0 {
		d = 3 // gfortran takes ES0.0 for something else
	}
	if w > 0 && g.IntN(4) == 0 {
		return fmt.Sprintf("%s%d.%de%d", form, w, d, 1+g.IntN(4))
	}
	return fmt.Sprintf("%s%d.%d", form, w, d)
}

// control is a random entry that takes no item.
func (g gen) control() string {
	return g.pick("1x", "2x", "'text'", `"it's"`, "''''", "3hxyz", "5h a b ", "' b'", "'  a,'", "1 x", "/", ":", "1p", "0p", "2p", "-1p", "sp", "ss", "s", "t3", "t9", "tl2", "tr3", "bn", "/,/", "ru", "rd", "rz", "rn", "rc", "rp")
}

// separate puts a string between two entries that move the position: gfortran 12 is
// wrong about the second one where no character is between.
func separate(entries []string, next string) []string {
	moves := func(s string) bool { return strings.HasPrefix(s, "t") || strings.HasSuffix(s, "x") && len(s) < 4 }
	for i := len(entries) - 1; i >= 0 && moves(next); i-- {
		if moves(entries[i]) {
			entries = append(entries, "'-'")
			break
		}
		if strings.ContainsAny(entries[i], "'\"h") {
			break
		}
	}
	return append(entries, next)
}

func (g gen) pair() pair {
	var p pair
	var entries []string
	depth := 0
	for range 1 + g.IntN(4) {
		for g.IntN(3) == 0 {
			entries = separate(entries, g.control())
		}
		source, item, edit := g.item()
		count := 1
		if g.IntN(4) == 0 {
			count = 1 + g.IntN(3)
			edit = fmt.Sprintf("%d%s", count, edit)
		}
		for range count {
			p.source, p.items = append(p.source, source), append(p.items, item)
		}
		switch {
		case depth == 0 && g.IntN(5) == 0:
			edit = g.pick("(", "1(", "2(") + edit
			depth++
		case depth > 0 && g.IntN(2) == 0:
			edit += ")"
			depth--
		}
		entries = append(entries, edit)
	}
	for g.IntN(4) == 0 {
		entries = separate(entries, g.control())
	}
	p.format = "(" + strings.Join(entries, ",") + strings.Repeat(")", depth+1)
	if g.IntN(6) == 0 { // fewer or more items than the format has descriptors for
		n := g.IntN(len(p.items) + 1)
		p.source, p.items = append(p.source, p.source[:n]...), append(p.items, p.items[:n]...)
	} else if g.IntN(6) == 0 {
		n := g.IntN(len(p.items) + 1)
		p.source, p.items = p.source[:n], p.items[:n]
	}
	return p
}

// text is what p writes; ok is false where that is an error.
func (p *pair) text() (text string, ok bool) {
	defer func() {
		if v := recover(); v != nil {
			if _, is := v.(*Error); !is {
				panic(v)
			}
			text, ok = v.(*Error).Msg, false
		}
	}()
	return string(Must(p.format).Text(p.items...)), true
}

// run compiles and executes a Fortran program.
func run(t *testing.T, source, stdin string) string {
	t.Helper()
	effort.Tool(t, "gfortran", "gfortran")
	dir := t.TempDir()
	file, program := filepath.Join(dir, "p.f90"), filepath.Join(dir, "p")
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	compile := exec.Command("gfortran", "-O0", "-w", "-ffree-line-length-none", file, "-o", program)
	compile.Dir = dir // where it leaves the module
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("gfortran: %v\n%s", err, out)
	}
	cmd := exec.Command(program)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// source is a Fortran program that writes all pairs, each between marks; one that is
// an error there has the status -1 in its mark.
func source(list []pair) string {
	const perProcedure = 100
	var b strings.Builder
	b.WriteString("module numbers\nreal(4) :: zs = 0, nans, infs, negs\nreal(8) :: zd = 0, nand, infd, negd\ninteger :: ios\nend module\n" +
		"program p\nuse numbers\n" +
		"nans = abs(0/zs); infs = 1/zs; negs = -zs; nand = abs(0/zd); infd = 1/zd; negd = -zd\n")
	for i := 0; i < len(list); i += perProcedure {
		fmt.Fprintf(&b, "call p%d\n", i)
	}
	b.WriteString("end program\n")
	for i, p := range list {
		if i%perProcedure == 0 {
			fmt.Fprintf(&b, "subroutine p%d\nuse numbers\ncharacter(300) :: f\n", i)
		}
		fmt.Fprintf(&b, "f = '%s'\nwrite(*, f, iostat=ios) %s\nwrite(*, '(a,i0)') char(10)//'#', min(ios, 0)-merge(1, 0, ios>0)\n",
			strings.ReplaceAll(p.format, "'", "''"), strings.Join(p.source, ", "))
		if i%perProcedure == perProcedure-1 || i == len(list)-1 {
			b.WriteString("end subroutine\n")
		}
	}
	return b.String()
}

// directed is a rounding mode that has tiny numbers count.
var directed = regexp.MustCompile(`\br[ud]\b`)

func tiny(item any) bool {
	x, is := item.(float64)
	if s, single := item.(float32); single {
		x, is = float64(s), true
	}
	return is && x != 0 && math.Abs(x) < 1e-12
}

// TestPairs compares what random formats make of random items with gfortran.
func TestPairs(t *testing.T) {
	g := gen{rand.New(rand.NewPCG(*seed, 7))}
	n := effort.Of(2000, 300)
	if *pairs > 0 {
		n = *pairs
	}
	var list []pair
	var want []string
	for tries := 0; len(list) < n; tries++ {
		if tries > 3*n {
			t.Fatal("most formats are errors")
		}
		p := g.pair()
		if directed.MatchString(p.format) && slices.ContainsFunc(p.items, tiny) {
			continue // gfortran 12 does not see digits that far behind the point
		}
		if text, ok := p.text(); ok {
			list, want = append(list, p), append(want, text)
		}
	}
	rest := run(t, source(list), "")
	compared := 0
	for i, p := range list {
		got, behind, _ := strings.Cut(rest, "\n#")
		status, behind, found := strings.Cut(behind, "\n")
		if !found {
			t.Fatalf("the output ends at pair %d", i)
		}
		rest = behind
		if status != "0" {
			t.Errorf("%s of %s\n%s\nis an error for gfortran", p.format, strings.Join(p.source, ", "), want[i])
			continue
		}
		compared++
		if got != want[i] {
			t.Errorf("%s of %s\ngot  %q\nwant %q", p.format, strings.Join(p.source, ", "), want[i], got)
		}
	}
	if compared < n*9/10 {
		t.Errorf("%d of %d pairs compared", compared, n)
	}
}

// field is a random text for a READ of an item, and a format for it.
func (g gen) field() (format, text, kind string) {
	digits := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte("0123456789"[g.IntN(10)])
		}
		return b.String()
	}
	switch kind = g.pick("i", "d", "d", "l", "a"); kind {
	case "i":
		text = g.pick("", "", " ", "+", "-", " -") + digits(g.IntN(6)) + g.pick("", "", " ", "1 2", ",", "x", " 3")
		format = fmt.Sprintf("(%si%d)", g.pick("", "", "bz,", "bn,", "1x,"), 1+g.IntN(8))
	case "d":
		text = g.pick("", " ", "-", "+") + digits(g.IntN(5)) + g.pick("", ".", "."+digits(2)) +
			g.pick("", "", "e1", "D-2", "+3", "E+02", " ", "e", "q1", "-1", " 5", ",7")
		if g.IntN(12) == 0 {
			text = g.pick("inf", "-Infinity", "1.2.3", "nan?", ".", "-", "abc")
		}
		format = fmt.Sprintf("(%s%s%d.%d)", g.pick("", "", "", "bz,", "1p,", "-1p,", "1x,tl1,"), g.pick("f", "f", "e", "d", "g", "es"), 1+g.IntN(10), g.IntN(4))
	case "l":
		text = g.pick("T", "F", " .true.", ".f", "  ", "x", "tab", ".T,")
		format = fmt.Sprintf("(l%d)", 1+g.IntN(6))
	default:
		text = g.pick("", "a", "some text", "a,b", "  x y z")
		format = g.pick("(a)", "(a3)", "(a12)", "(2x,a)", "(t3,a2)")
	}
	return format, text, kind
}

// scalars are variables of all types, and what is left of them in Go.
type scalars struct {
	i int32
	d float64
	l bool
	a fixedText
}

// fixedText is a CHARACTER(5) variable.
type fixedText string

func (t *fixedText) Len() int     { return 5 }
func (t *fixedText) Set(s string) { *t = fixedText((s + "     ")[:5]) }

// TestReadPairs compares what random formats read of random texts with gfortran.
func TestReadPairs(t *testing.T) {
	g := gen{rand.New(rand.NewPCG(*seed, 8))}
	n := effort.Of(2000, 300)
	var b strings.Builder
	b.WriteString("program p\ncharacter(20) :: f, s\ncharacter(5) :: a\ninteger :: i, ios, k\nreal(8) :: d\nlogical :: l\ncharacter :: c\n" +
		"do\nread(*, '(a1,1x,a20,1x,a20)', iostat=ios) c, f, s\nif (ios /= 0) exit\ni = 77; d = 77; l = .false.; a = 'keep'\n" +
		"k = len_trim(s)\nselect case (c)\ncase ('i'); read(s(:k), f, iostat=ios) i\ncase ('d'); read(s(:k), f, iostat=ios) d\n" +
		"case ('l'); read(s(:k), f, iostat=ios) l\ncase ('a'); read(s(:k), f, iostat=ios) a\nend select\n" +
		"if (ios == 0) write(*, '(i0,1x,z0,1x,l1,1x,a)') i, d, l, a\nif (ios /= 0) print '(a)', 'bad'\nend do\nend\n")
	var input strings.Builder
	var cases, want []string
	for range n {
		format, text, kind := g.field()
		text = strings.TrimRight(text, " ")
		fmt.Fprintf(&input, "%s %-20s %-20s\n", kind, format, text)
		v := scalars{77, 77, false, "keep "}
		item := map[string]any{"i": &v.i, "d": &v.d, "l": &v.l, "a": &v.a}[kind]
		src := &record.Source{Next: record.Once(text), Name: "the string", InString: true}
		line := "bad"
		if err := Must(format).Reader(src)(false, item); err == nil {
			line = string(Must("(i0,1x,z0,1x,l1,1x,a)").Record(80, v.i, v.d, v.l, string(v.a)))
		}
		cases, want = append(cases, fmt.Sprintf("%s of %q", format, text)), append(want, line)
	}
	got := strings.Split(strings.TrimSuffix(run(t, b.String(), input.String()), "\n"), "\n")
	if len(got) != n {
		t.Fatalf("%d lines of %d", len(got), n)
	}
	for i := range got {
		if strings.TrimRight(got[i], " ") != strings.TrimRight(want[i], " ") {
			t.Errorf("%s\ngot  %s\nwant %s", cases[i], want[i], got[i])
		}
	}
}

// FuzzParse: no text makes the parser fail otherwise than by an error with a place,
// and what it takes lays out items without end.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"(i5,3(f8.3,:,','))", "(*(g0,1x))", "(5hab cd,/)", "(1p,2(es12.4e3,tl3))", "(", "(i5))", "('a''b')", "(2(3(i2)))", "(*(1x))", "(t1,b8.8)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		format, end, err := ParsePrefix(text)
		var bad *Error
		switch {
		case errors.As(err, &bad):
			if bad.Offset < 0 || bad.Offset > len(text) || bad.Msg == "" || bad.Help == "" {
				t.Errorf("%q: %+v", text, bad)
			}
			return
		case err != nil || end < 2 || end > len(text) || text[end-1] != ')':
			t.Fatalf("%q: %v, ends at %d", text, err, end)
		}
		if strings.Count(text, "(") > 3 || len(text) > 40 || regexp.MustCompile("[0-9]{3}").MatchString(text) {
			return // long records
		}
		defer func() {
			if v := recover(); v != nil {
				if _, ok := v.(*Error); !ok {
					panic(v)
				}
			}
		}()
		format.Text(int32(1), 2.5, "text", true, 7)
	})
}
