package elide

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// hasSuffix is the notion of suffix that Algorithm 2 is about, on whole contexts.
func hasSuffix(context, suffix Path) bool {
	whole := append(Path{Start}, context...)
	return len(suffix) <= len(whole) && slices.Equal(whole[len(whole)-len(suffix):], suffix)
}

// bruteForce finds for every redundant context its shortest suffix that no
// necessary context has, by trying all.
func bruteForce(log *Log) map[string]Entry {
	found := map[string]Entry{}
	for _, c := range log.Contexts {
		if !c.Redundant() {
			continue
		}
		whole := append(Path{Start}, c.Path...)
		for length := 1; length <= len(whole); length++ {
			suffix := whole[len(whole)-length:]
			if slices.ContainsFunc(log.Contexts, func(o LogContext) bool { return !o.Redundant() && hasSuffix(o.Path, suffix) }) {
				continue
			}
			e := found[suffix.String()]
			e.Barriers += c.Private
			e.Contexts++
			found[suffix.String()] = e
			break
		}
	}
	return found
}

// asPrinted is Algorithm 2 with its sets, on whole contexts.
func asPrinted(log *Log) map[string]bool {
	ecc, nrbc := map[string]Path{}, []Path{}
	for _, c := range log.Contexts {
		whole := append(Path{Start}, c.Path...)
		if c.Redundant() {
			ecc[whole.String()] = whole
		} else {
			nrbc = append(nrbc, whole)
		}
	}
	suffix := func(p Path, n int) string {
		return p[max(0, len(p)-n):].String()
	}
	ecs := map[string]bool{}
	for n := 1; len(ecc) > 0; n++ {
		s := map[string]bool{}
		for _, p := range ecc {
			s[suffix(p, n)] = true
		}
		for _, p := range nrbc {
			delete(s, suffix(p, n))
		}
		maps.Copy(ecs, s)
		maps.DeleteFunc(ecc, func(_ string, p Path) bool { return s[suffix(p, n)] })
	}
	return ecs
}

// randomLog has contexts that share much: few labels, biased ends.
func randomLog(rng *rand.Rand) *Log {
	log := &Log{PEs: 1}
	seen := map[string]bool{}
	labels, depth, odds := 1+rng.IntN(4), 1+rng.IntN(6), 1+rng.IntN(4)
	for range rng.IntN(30) {
		p := make(Path, 1+rng.IntN(depth))
		for i := range p {
			p[i] = string(rune('a' + rng.IntN(labels)))
		}
		if seen[p.String()] {
			continue
		}
		seen[p.String()] = true
		c := LogContext{Path: p, Private: uint64(rng.IntN(9)), Misaligned: rng.IntN(20) == 0}
		if rng.IntN(odds) == 0 || c.Private == 0 {
			c.Necessary = 1 + uint64(rng.IntN(3))
		}
		log.Contexts = append(log.Contexts, c)
	}
	return log
}

func TestAlgorithm2(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	suffixes, anchored, shared := 0, 0, 0
	for range 10000 {
		log := randomLog(rng)
		want := bruteForce(log)
		plan := Classify(log)
		if len(plan.Entries) != len(want) {
			t.Fatalf("%v: %d suffixes, want %d", log.Contexts, len(plan.Entries), len(want))
		}
		printed := asPrinted(log)
		for i, e := range plan.Entries {
			key := e.Suffix.String()
			if w := want[key]; w.Barriers != e.Barriers || w.Contexts != e.Contexts || e.Verdict != Candidate {
				t.Fatalf("%v: suffix %s: %+v, want %+v", log.Contexts, key, e, w)
			}
			if !printed[key] {
				t.Fatalf("%v: %s is none of the algorithm as printed", log.Contexts, key)
			}
			if i > 0 && e.Barriers > plan.Entries[i-1].Barriers {
				t.Fatalf("%v: not the largest first", plan.Entries)
			}
			suffixes++
			if e.Suffix[0] == Start {
				anchored++
			}
			if e.Contexts > 1 {
				shared++
			}
		}
		// The plan elides just the redundant contexts of its log.
		for i := range plan.Entries {
			plan.Entries[i].Verdict = Elide
		}
		trie := plan.trie()
		for _, c := range log.Contexts {
			if got := trie.verdict(c.Path) == Elide; got != c.Redundant() {
				t.Fatalf("%v: %v elided %t, redundant %t", log.Contexts, c.Path, got, c.Redundant())
			}
		}
	}
	if anchored == 0 || shared == 0 {
		t.Error("the sets are too simple")
	}
	t.Logf("%d suffixes, %d whole contexts, %d for several contexts", suffixes, anchored, shared)
}

// Figure 4: the paths through M are redundant, those through other modules not.
func TestClassifyFigure4(t *testing.T) {
	log := &Log{Program: "p"}
	for _, caller := range []string{"W", "X", "Y", "Z"} {
		log.Contexts = append(log.Contexts,
			LogContext{Path: Path{"main", caller, "M", "N", "B"}, Private: 5},
			LogContext{Path: Path{"main", caller, "P", "N", "B"}, Private: 3, Necessary: 1},
			LogContext{Path: Path{"main", caller, "Q", "N", "B"}, Necessary: 2})
	}
	plan := Classify(log)
	if len(plan.Entries) != 1 || plan.Entries[0].Suffix.String() != "M > N > B" || plan.Entries[0].Barriers != 20 || plan.Entries[0].Contexts != 4 {
		t.Errorf("%+v", plan.Entries)
	}
	var b bytes.Buffer
	if err := AuditReport(&b, log, plan); err != nil {
		t.Fatal(err)
	}
	const want = `44 barriers in 12 contexts; redundant 32 (72.7 %), of these in contexts that are always redundant 20 (45.5 %)
  barriers   share  contexts  subcontext
        20  45.5 %         4  M > N > B
`
	if b.String() != want {
		t.Errorf("report:\n%s", b.String())
	}
}

func TestLogRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 300 {
		log := randomLog(rng)
		log.Program, log.Run, log.PE, log.PEs = "shallow 4f2a", "r 1", 1, 4
		log.sort()
		var b bytes.Buffer
		if err := log.Write(&b); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		back, err := ReadLog("x", &b)
		if err != nil {
			t.Fatal(err)
		}
		var again bytes.Buffer
		if err := back.Write(&again); err != nil || again.String() != text || len(back.Contexts) != len(log.Contexts) {
			t.Fatalf("%v:\n%s\n%s", err, text, again.String())
		}
	}
}

func TestLogErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "not whole",
		"elide-log 1\n":                         "run the training again",
		"elide-log 2\npe 0 of 1\n":              "version 2",
		"elide-plan 1\npe 0 of 1\n":             "no training log",
		"elide-log 1\npe 4 of 4\n":              "write pe 0 of 4",
		"elide-log 1\npe 0 of 1\n12: a > b\n":   "x:3: \"12: a > b\" is no context",
		"elide-log 1\npe 0 of 1\n1 x: a > b\n":  "\"x\" is no number",
		"elide-log 1\npe 0 of 1\n1 2: a > \n":   "a call is missing",
		"elide-log 1\npe 0 of 1\n1 2 wild: a\n": "is no context",
	} {
		if _, err := ReadLog("x", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestMerge(t *testing.T) {
	ctx := func(private, necessary uint64, misaligned bool, p ...string) LogContext {
		return LogContext{p, private, necessary, misaligned}
	}
	logs := []*Log{
		{Program: "p", Run: "1", PE: 0, PEs: 2, Contexts: []LogContext{ctx(3, 0, false, "a"), ctx(2, 0, false, "b")}},
		{Program: "p", Run: "1", PE: 1, PEs: 2, Contexts: []LogContext{ctx(3, 0, false, "a"), ctx(1, 0, true, "b"), ctx(1, 0, true, "c")}},
		{Program: "p", Run: "2", PE: 0, PEs: 1, Contexts: []LogContext{ctx(4, 1, false, "a"), ctx(9, 0, false, "d")}},
	}
	m, err := Merge(logs)
	if err != nil {
		t.Fatal(err)
	}
	want := []LogContext{ctx(7, 1, false, "a"), ctx(2, 0, true, "b"), ctx(1, 0, true, "c"), ctx(9, 0, false, "d")}
	if !slices.EqualFunc(m.Contexts, want, func(a, b LogContext) bool {
		return a.Path.String() == b.Path.String() && a.Private == b.Private && a.Necessary == b.Necessary && a.Misaligned == b.Misaligned
	}) {
		t.Errorf("%+v", m.Contexts)
	}
	other := *logs[2]
	other.Program = "q"
	wide := *logs[1]
	wide.PEs = 3
	for want, bad := range map[string][]*Log{
		"no training logs":       nil,
		"different programs":     {logs[0], &other},
		"two logs of PE 0":       {logs[0], logs[0]},
		"give all of them":       {logs[0], logs[2]},
		"logs of 2 and of 3 PEs": {logs[0], &wide},
	} {
		if _, err := Merge(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
