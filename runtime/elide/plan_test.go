package elide

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

const examplePlan = `elide-plan 1
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
		whole := p.whole()
		back, rest, err := parsePath(whole.String() + "  # note")
		if err != nil || rest != "# note" || strings.Join(back, "\x01") != strings.Join(whole, "\x01") {
			t.Fatalf("%q: %q %q %v", whole, back, rest, err)
		}
	}
}

// Every error names the line and says what to do.
func TestPlanErrors(t *testing.T) {
	head := "elide-plan 1\n"
	for text, want := range map[string]string{
		"":                            "x:0: the file has no statements: a plan begins with",
		"# only\n":                    "a plan begins with",
		"elide: a\n":                  "x:1: this is no barrier elision plan: its first line must be \"elide-plan 1\"",
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
	trie := p.trie()
	for text, want := range map[string]Verdict{
		"m > n > b": Elide, "a > m > n > b": Elide, "x > m > n > b": Never, "n > b": "",
		"q > z > b": Never, "b": Elide, "a > b": "", "c": "", "d": "", "e": "",
	} {
		if got := trie.verdict(strings.Split(text, " > ")); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
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
	trie := p.trie()
	if trie.verdict(Path{"a", "b"}) != Never || trie.verdict(Path{"c", "b"}) != Never || trie.verdict(Path{"x", "a", "b"}) != Elide {
		t.Errorf("%+v", p.Entries)
	}
}

// Validation adds the largest first, keeps what passes, rejects what fails, and
// stops when told.
func TestValidate(t *testing.T) {
	entry := func(v Verdict, n uint64, label string) Entry {
		return Entry{Verdict: v, Suffix: Path{label}, Barriers: n}
	}
	plan := &Plan{Program: "p", Entries: []Entry{
		entry(Candidate, 5, "small"), entry(Candidate, 50, "large"), entry(Candidate, 20, "bad"),
		entry(Never, 90, "never"), entry(Reject, 70, "old"), entry(Elide, 1, "kept"),
	}}
	var runs []string
	test := func(_ context.Context, p *Plan) error {
		var on []string
		for _, e := range p.Entries {
			if e.Verdict == Elide {
				on = append(on, e.Suffix[0])
			}
		}
		runs = append(runs, strings.Join(on, "+"))
		if strings.Contains(runs[len(runs)-1], "bad") {
			return errors.New("wrong result")
		}
		return nil
	}
	var trials []string
	out, err := Validate(t.Context(), plan, test, func(tr Trial) {
		if tr.N > 0 {
			trials = append(trials, string(tr.Entry.Verdict)+" "+tr.Entry.Suffix[0])
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(runs, " "), "kept large+kept large+bad+kept large+small+kept"; got != want {
		t.Errorf("runs %s, want %s", got, want)
	}
	if got, want := strings.Join(trials, ", "), "elide large, reject bad, elide small"; got != want {
		t.Errorf("trials %s, want %s", got, want)
	}
	if out.count(Elide) != 3 || out.count(Reject) != 2 || out.count(Never) != 1 || plan.count(Candidate) != 3 {
		t.Errorf("%+v", out.Entries)
	}
	_, err = Validate(t.Context(), plan, func(context.Context, *Plan) error { return errors.New("always wrong") }, nil)
	if err == nil || !strings.Contains(err.Error(), "before any candidate") {
		t.Error(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	out, err = Validate(ctx, plan, func(_ context.Context, p *Plan) error {
		if p.count(Elide) > 1 {
			stop()
			return errors.New("killed")
		}
		return nil
	}, nil)
	if !errors.Is(err, context.Canceled) || out.count(Candidate) != 3 {
		t.Errorf("%v: %+v", err, out.Entries)
	}
}
