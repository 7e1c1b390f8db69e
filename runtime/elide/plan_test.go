package elide

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

const examplePlan = `barriers-plan 1
program shallow 4f2a9c

# the library synchronises again on entry
elide 512 in 83: matmul.f90:4 > sync.f90:7
candidate 12 in 2: ^ > main.f90:9 > sync.f90:7  # only from the main program
never: "odd name" > "a>b" > "^" > "#" > "" > ä:1
# the end
`

// A plan is written as it was read, comments and all.
func TestPlanRoundTrip(t *testing.T) {
	p, err := ReadPlan("x", strings.NewReader(examplePlan))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != examplePlan {
		t.Errorf("got\n%s", got)
	}
	if p.Program != "shallow 4f2a9c" || len(p.Entries) != 3 || p.Entries[0].Barriers != 512 || p.Entries[0].Contexts != 83 ||
		p.Entries[2].Suffix[1] != "a>b" || p.Entries[2].Suffix[4] != "" || p.Entries[1].Suffix[0] != Start {
		t.Errorf("%+v", p)
	}
}

// Any label survives, whatever is in it.
func TestPathRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	alphabet := []rune("ab:./+0 >#\"^\\\t\n\u00e4\u2028\x00")
	for range 20000 {
		p := make(Path, 1+rng.IntN(4))
		for i := range p {
			label := make([]rune, rng.IntN(5))
			for k := range label {
				label[k] = alphabet[rng.IntN(len(alphabet))]
			}
			p[i] = string(label)
		}
		if p[0] == Start {
			continue // no label: the start of the program
		}
		whole := p.Whole()
		back, rest, err := ParsePath(whole.String() + "  # note")
		if err != nil || rest != "# note" || strings.Join(back, "\x01") != strings.Join(whole, "\x01") {
			t.Fatalf("%q: %q %q %v", whole, back, rest, err)
		}
	}
}

// Every error names the line and says what to do.
func TestPlanErrors(t *testing.T) {
	head := "barriers-plan 1\n"
	for text, want := range map[string]string{
		"":                            "x:0: the file has no statements: a plan begins with",
		"# only\n":                    "a plan begins with",
		"elide: a\n":                  "x:1: this is no plan of barriers: its first line must be \"barriers-plan 1\"",
		"elide-plan 7\n":              "x:1: version 7",
		head + "elid: a":              "x:2: \"elid\" is no verdict: write elide, candidate, reject or never",
		head + "elide a > b":          "x:2: elide of what? write elide: a > b > c",
		head + ": a > b":              "a verdict is missing",
		head + "elide 5: a":           "is no count: write elide 512 in 83:",
		head + "elide 5 of 3: a":      "is no count",
		head + "elide x in 3: a":      "\"x\" is no number of barriers",
		head + "elide 5 in x: a":      "\"x\" is no number of contexts",
		head + "elide 5 in -1: a":     "\"-1\" is no number of contexts",
		head + "elide:":               "a call is missing",
		head + "elide: a > ":          "a call is missing",
		head + "elide: a > > b":       "a call is missing",
		head + "elide: > b":           "a call is missing",
		head + "elide: ^":             "the path has no barrier",
		head + "elide: a > ^ > b":     "^ is the start of the program",
		head + "elide: \"^\" > b":     "without quotes",
		head + "elide: \"a > b":       "has no end: close it",
		head + "elide: a b":           "put > between calls, and quotes around names with spaces",
		head + "elide: a\n\nnever: a": "x:4: a has an entry in line 2 already: delete one",
		head + "program\n":            "x:2: the program has no name",
		head + "program a\nprogram b": "x:3: a second program",
	} {
		_, err := ReadPlan("x", strings.NewReader(text))
		var p Problems
		if !errors.As(err, &p) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	_, err := ReadPlan("x", strings.NewReader(head+strings.Repeat("wrong\n", 50)))
	if p, ok := err.(Problems); !ok || len(p) != 10 {
		t.Errorf("not ten problems: %v", err)
	}
}

func TestPlanOfAnotherProgram(t *testing.T) {
	p := &Plan{Program: "a 1", Entries: []Entry{{Verdict: Elide, Suffix: Path{"b"}}}}
	if _, err := New(NewInProcess(1)[0], Options{Mode: ByPlan, Plan: p, Program: "a 2"}); err == nil || !strings.Contains(err.Error(), "train and classify again") {
		t.Error(err)
	}
	if _, err := New(NewInProcess(1)[0], Options{Mode: ByPlan, Plan: p, Program: "a 1"}); err != nil {
		t.Error(err)
	}
}

func TestVerdicts(t *testing.T) {
	p := &Plan{Entries: []Entry{
		{Verdict: Elide, Suffix: Path{"m", "n", "b"}},
		{Verdict: Never, Suffix: Path{"x", "m", "n", "b"}},
		{Verdict: Never, Suffix: Path{"z", "b"}},
		{Verdict: Elide, Suffix: Path{"q", "z", "b"}},
		{Verdict: Elide, Suffix: Path{Start, "b"}},
		{Verdict: Candidate, Suffix: Path{"c"}},
		{Verdict: Reject, Suffix: Path{"d"}},
	}}
	said := p.verdicts()
	for text, want := range map[string]Verdict{
		"m > n > b": Elide, "a > m > n > b": Elide, "x > m > n > b": Never, "n > b": "",
		"q > z > b": Never, "b": Elide, "a > b": "", "c": "", "d": "", "e": "",
	} {
		if got := said.of(strings.Split(text, " > ")); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// What a plan says is what its definition says, of each of its entries.
func TestVerdictsAreSuffixes(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	path := func() Path {
		p := make(Path, 1+rng.IntN(4))
		for i := range p {
			p[i] = string(rune('a' + rng.IntN(3)))
		}
		return p
	}
	counts := map[Verdict]int{}
	for range 2000 {
		p, seen := &Plan{}, map[string]bool{}
		for range rng.IntN(6) {
			e := Entry{Verdict: []Verdict{Elide, Never, Candidate}[rng.IntN(3)], Suffix: path()}
			if rng.IntN(4) == 0 {
				e.Suffix = e.Suffix.Whole()
			}
			if !seen[e.Suffix.String()] {
				seen[e.Suffix.String()] = true
				p.Entries = append(p.Entries, e)
			}
		}
		context, want := path(), Verdict("")
		for _, e := range p.Entries {
			whole := context.Whole()
			if n := len(whole) - len(e.Suffix); n < 0 || !slices.Equal(whole[n:], e.Suffix) {
				continue
			}
			if e.Verdict == Never || e.Verdict == Elide && want == "" {
				want = e.Verdict
			}
		}
		if got := p.verdicts().of(context); got != want {
			t.Fatalf("%v: %v is %q, want %q", p.Entries, context, got, want)
		}
		counts[want]++
	}
	if counts[Elide] == 0 || counts[Never] == 0 || counts[""] == 0 {
		t.Errorf("the plans are too simple: %v", counts)
	}
}

func TestForbid(t *testing.T) {
	p := &Plan{Entries: []Entry{{Verdict: Elide, Suffix: Path{"b"}}, {Verdict: Elide, Suffix: Path{Start, "c", "b"}}}}
	if n := p.Forbid([]Path{{"a", "b"}, {"c", "b"}}, "misspeculation"); n != 2 {
		t.Errorf("%d added", n)
	}
	if n := p.Forbid([]Path{{"a", "b"}}, "again"); n != 0 {
		t.Errorf("%d added again", n)
	}
	said := p.verdicts()
	if said.of(Path{"a", "b"}) != Never || said.of(Path{"c", "b"}) != Never || said.of(Path{"x", "a", "b"}) != Elide {
		t.Errorf("%+v", p.Entries)
	}
}
