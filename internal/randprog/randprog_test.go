package randprog

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/spmdc/spmdc/internal/effort"
)

// TestSampleIsDeterministic: a seed names one program, in every process.
func TestSampleIsDeterministic(t *testing.T) {
	for seed := range uint64(20) {
		a, b := Sample(seed), Sample(seed)
		if a.Source != b.Source || a.Input != b.Input {
			t.Errorf("seed %d gives two programs", seed)
		}
	}
	if Sample(1).Source == Sample(2).Source {
		t.Error("seeds 1 and 2 give the same program")
	}
}

// TestEachSeedHasAProgram: no choice leads a generator to a fault of its own.
func TestEachSeedHasAProgram(t *testing.T) {
	t.Parallel()
	try := func(what string, seed uint64, make func(uint64) Program) {
		defer func() {
			if r := recover(); r != nil {
				t.Errorf("%s, seed %d: %v", what, seed, r)
			}
		}()
		if make(seed).Source == "" {
			t.Errorf("%s, seed %d: no program", what, seed)
		}
	}
	const first = 97000000
	n := uint64(effort.Of(20000, 2000))
	for seed := uint64(first); seed < first+n; seed++ {
		try("Sample", seed, Sample)
		if seed%10 == 0 {
			try("Rounds", seed, Rounds)
			try("Loops", seed, Loops)
			try("Planes", seed, Planes)
			try("Arrays", seed, Arrays)
			try("Types", seed, Types)
			try("Images", seed, Images)
			try("Jumps", seed, Jumps)
		}
	}
	// Arrays without elements are what others are aligned with.
	for seed := range uint64(200) {
		try("arrays without elements", seed, func(seed uint64) Program {
			return With(seed, "arrays without elements", "arrays without elements")
		})
	}
}

// TestAlignWithNothing: an array has a place in another one only where that one has
// positions.
func TestAlignWithNothing(t *testing.T) {
	vector := []bounds{{lo: 1, hi: 3}}
	for _, tt := range []struct {
		name  string
		a, b  []bounds
		place bool
	}{
		{"row of no columns", vector, []bounds{{lo: 1, hi: 3}, {lo: 2, hi: 1}}, false},
		{"no elements", vector, []bounds{{lo: 1, hi: 0}}, false},
		{"both without elements", []bounds{{lo: 1, hi: 0}}, []bounds{{lo: 5, hi: 4}}, true},
		{"row", vector, []bounds{{lo: 1, hi: 3}, {lo: 2, hi: 2}}, true},
	} {
		for seed := range uint64(20) {
			g := &gen{features: map[string]int{}}
			b := &array{name: "b", dims: tt.b}
			if got := g.alignWithArray(&array{name: "a", dims: tt.a, u: wordsOf(seed).unit()}, b); got != tt.place {
				t.Errorf("%s, seed %d: aligned is %v, want %v", tt.name, seed, got, tt.place)
			}
		}
	}
}

// TestRequiredIsCovered: the first seeds cover what Required says, and count
// nothing that it does not name.
func TestRequiredIsCovered(t *testing.T) {
	known := map[string]bool{}
	for _, name := range Required(longRun) {
		if known[name] {
			t.Errorf("feature %q is named twice", name)
		}
		known[name] = true
	}
	seen := map[string]int{}
	for n := 1; n <= longRun; n++ {
		for name, count := range Sample(uint64(n)).Features {
			seen[name] += count
			if !known[name] {
				t.Errorf("seed %d has feature %q, which is in no list", n, name)
				known[name] = true
			}
		}
		if n == fullRun || n == longRun {
			for _, name := range Required(n) {
				if seen[name] == 0 {
					t.Errorf("%d programs do not have %q", n, name)
				}
			}
		}
	}
	if len(Required(fullRun-1)) != 0 {
		t.Error("a short run requires features")
	}
}

// TestKernelsAreNamedOnce: a prescribed kernel is found by its name.
func TestKernelsAreNamedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range kernels {
		if seen[k.name] {
			t.Errorf("two kernels are named %q", k.name)
		}
		seen[k.name] = true
		if got := With(3, k.name).Features["kernel:"+k.name]; got == 0 {
			t.Errorf("a program with %q has no such kernel", k.name)
		}
	}
}

// TestLinesAreShort: free form allows 132 columns, and only inside of directives
// does the generator not break lines.
func TestLinesAreShort(t *testing.T) {
	for seed := range uint64(300) {
		for i, l := range strings.Split(Sample(seed).Source, "\n") {
			if len(l) > 132 {
				t.Errorf("seed %d: line %d has %d columns: %s", seed, i+1, len(l), l)
			}
		}
	}
}

// TestPlainUnit: the word 0, on which all shrinking ends, takes every first
// choice.
func TestPlainUnit(t *testing.T) {
	u := &unit{}
	if n := u.pick(10); n != 0 {
		t.Errorf("the plain unit picks %d", n)
	}
	if u.chance(9, 10) {
		t.Error("the plain unit takes a chance")
	}
	if f := u.fork(); f.pick(100) != 0 {
		t.Error("a part of the plain unit is not plain")
	}
}

// TestUnitIsFair: all answers come about equally often.
func TestUnitIsFair(t *testing.T) {
	count := make([]int, 7)
	for s := uint64(1); s <= 7000; s++ {
		u := &unit{state: s}
		u.pick(3)
		count[u.pick(7)]++
	}
	for i, c := range count {
		if c < 850 || c > 1150 {
			t.Errorf("answer %d: %d of 7000, expected about 1000", i, c)
		}
	}
}

// TestAffine writes and evaluates subscripts.
func TestAffine(t *testing.T) {
	for _, tt := range []struct {
		c, o int
		want string
	}{
		{1, 0, "i"}, {1, 2, "i+2"}, {1, -2, "i-2"}, {2, 0, "2*i"}, {3, -1, "3*i-1"},
		{-1, 0, "-i"}, {-1, 5, "5-i"}, {-1, -5, "-i-5"},
	} {
		if got := affine(tt.c, "i", fmt.Sprint(abs(tt.o)), tt.o); got != tt.want {
			t.Errorf("affine(%d, %d) = %q, want %q", tt.c, tt.o, got, tt.want)
		}
	}
}

// TestNarrow: the range of a loop variable is exactly what keeps all its
// subscripts in bounds.
func TestNarrow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom([]int{1, 2, 3, -1, -2}).Draw(t, "c")
		o := rapid.IntRange(-9, 9).Draw(t, "o")
		lo := rapid.IntRange(-9, 9).Draw(t, "lo")
		hi := lo + rapid.IntRange(0, 9).Draw(t, "extent")
		v := &lvar{}
		v.narrow(c, o, lo, hi)
		for i := -40; i <= 40; i++ {
			in := c*i+o >= lo && c*i+o <= hi
			if in != (i >= v.lo && i <= v.hi) {
				t.Fatalf("%d*i%+d within %d:%d gives %d:%d, wrong at %d", c, o, lo, hi, v.lo, v.hi, i)
			}
		}
	})
}

// TestWrap: continued lines join to the original.
func TestWrap(t *testing.T) {
	for _, l := range []string{
		"   short = 1",
		"   print *, '" + strings.Repeat("word ", 12) + "', " + strings.Repeat("a(i), ", 20) + "b",
		"   x = " + strings.Repeat("f(", 60) + "1" + strings.Repeat(")", 60),
	} {
		got := wrap(l)
		for _, part := range strings.Split(got, "\n") {
			if len(part) > lineLimit+2 {
				t.Errorf("a line of %d columns: %s", len(part), part)
			}
		}
		joined := regexp.MustCompile(` ?&\n +`).ReplaceAllString(strings.TrimSuffix(got, "\n"), "\x00")
		squeeze := strings.NewReplacer(" ", "", "\x00", "")
		if squeeze.Replace(joined) != squeeze.Replace(l) {
			t.Errorf("wrap changes the text:\n%s\n%s", l, got)
		}
	}
}

// TestGfortranAccepts: gfortran takes the programs as Fortran 95, and they run
// without any of the errors that it can find at run time.
func TestGfortranAccepts(t *testing.T) {
	if testing.Short() {
		t.Skip("long: gfortran compiles many programs")
	}
	effort.Tool(t, "gfortran", "gfortran")
	n := uint64(effort.Of(40, 4))
	dir := t.TempDir()
	for seed := range n {
		p := Sample(seed + 10000)
		source, program := filepath.Join(dir, "p.hpf"), filepath.Join(dir, "p")
		if err := os.WriteFile(source, []byte(p.Source), 0o666); err != nil {
			t.Fatal(err)
		}
		args := []string{"-x", "f95", "-ffree-form", "-std=f95", "-Wall", "-O0", "-fwrapv", "-fcheck=all", "-finit-integer=-77777777", "-J", dir, "-o", program, source}
		if !p.Special {
			args = append(args, "-ffpe-trap=invalid,zero,overflow", "-finit-real=snan")
		}
		out, err := exec.Command("gfortran", args...).CombinedOutput()
		if err != nil {
			t.Errorf("seed %d: gfortran: %v\n%s\n%s", seed+10000, err, out, p.Source)
			continue
		}
		cmd := exec.Command(program)
		cmd.Stdin = strings.NewReader(p.Input)
		if out, err := cmd.CombinedOutput(); err != nil {
			var exit *exec.ExitError
			if !errors.As(err, &exit) {
				t.Fatal(err)
			}
			t.Errorf("seed %d: %v\n%s\n%s\ninput:\n%s", seed+10000, err, tail(out), p.Source, p.Input)
		}
	}
}

// tail returns the last lines of an output.
func tail(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}

// TestExactValues: whatever is combined stays exact, and within what it says.
func TestExactValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := &unit{state: rapid.Uint64().Draw(t, "unit")}
		kd := rapid.SampledFrom([]kind{realKind, intKind}).Draw(t, "kind")
		var list []val
		for i := range rapid.IntRange(1, 6).Draw(t, "operands") {
			v := val{text: fmt.Sprintf("x%d", i), kind: kd, bound: oneOf(u, 16, 64, 256, 1<<10)}
			if kd == realKind {
				v.frac = oneOf(u, 3, 8, 12)
			}
			list = append(list, v)
		}
		v := u.combine(list)
		if v.kind != kd {
			t.Fatalf("%s has kind %d, want %d", v.text, v.kind, kd)
		}
		limit := 53
		if kd == intKind {
			limit = 31
		}
		if v.size() > limit {
			t.Errorf("%s needs %d bits of %d", v.text, v.size(), limit)
		}
		var missing []string
		for _, x := range list {
			if !strings.Contains(v.text, x.text) {
				missing = append(missing, x.text)
			}
		}
		if len(missing) > 0 {
			t.Errorf("%s does not use %v", v.text, missing)
		}
		to := tier{frac: 4, bound: 64}
		if w := u.fit(v, to); w.bound > to.bound || kd == realKind && w.frac > to.frac {
			t.Errorf("%s does not fit", w.text)
		}
	})
}

// TestRounds: a few dozen programs of Rounds hold every kind of kernel and
// construct, and a seed gives the same program again.
func TestRounds(t *testing.T) {
	found := map[string]int{}
	for seed := range uint64(fullRun) {
		p := Rounds(seed)
		if q := Rounds(seed); p.Source != q.Source {
			t.Fatalf("seed %d gives two programs", seed)
		}
		for name, count := range p.Features {
			found[name] += count
		}
	}
	for _, name := range []string{
		"loop", "bounds of an outer index", "guard", "cycle", "exit",
		"there and back", "mirrors", "to all and back",
		"shift up", "shift down", "both sides", "mirror", "broadcast", "to one owner", "reduction", "gather and scatter",
		"part in one loop", "part under another condition", "part and one element", "part and whole",
		"transpose", "plane shift", "five points", "row or column", "plane reduction", "plane mirror",
	} {
		if found["rounds:"+name] == 0 {
			t.Errorf("no program holds %q", name)
		}
	}
}

// TestGenerators: a few dozen programs of a generator have what RequiredOf says, some hundred
// more of it, and a seed has one program.
func TestGenerators(t *testing.T) {
	for name, generate := range Generators {
		if name == "kernels" { // TestRequiredIsCovered
			continue
		}
		found := map[string]int{}
		for n := 1; n <= longRun; n++ {
			p := generate(uint64(n))
			if n < 5 && p.Source != generate(uint64(n)).Source {
				t.Errorf("%s: seed %d gives two programs", name, n)
			}
			for feature, count := range p.Features {
				found[feature] += count
			}
			if n != fullRun && n != longRun {
				continue
			}
			for _, feature := range RequiredOf(name, n) {
				if found[feature] == 0 {
					t.Errorf("%d programs of %s do not have %q", n, name, feature)
				}
			}
		}
	}
	for _, name := range []string{"arrays", "jumps"} {
		if len(RequiredOf(name, fullRun)) == 0 {
			t.Errorf("nothing is required of %s", name)
		}
	}
}
