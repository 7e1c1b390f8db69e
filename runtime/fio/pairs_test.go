package fio

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/effort"
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
	return g.pick("1x", "2x", "'text'", `"it's"`, "''''", "3hxyz", "/", ":", "1p", "0p", "2p", "-1p", "sp", "ss", "s", "t3", "t9", "tl2", "tr3", "bn", "/,/")
}

// separate puts a string between two entries that move the position: gfortran 12 is
// wrong about the second one where no character is between.
func separate(entries []string, next string) []string {
	moves := func(s string) bool { return strings.HasPrefix(s, "t") || s == "1x" || s == "2x" }
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
