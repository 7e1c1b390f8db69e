package barriers

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/spmdc/spmdc/runtime/elide"
)

// hasSuffix is the notion of suffix that Algorithm 2 is about, on whole contexts.
func hasSuffix(context, suffix elide.Path) bool {
	whole := append(elide.Path{elide.Start}, context...)
	return len(suffix) <= len(whole) && slices.Equal(whole[len(whole)-len(suffix):], suffix)
}

// bruteForce finds for every redundant context its shortest suffix that no
// necessary context has, by trying all.
func bruteForce(log *elide.Log) map[string]elide.Entry {
	found := map[string]elide.Entry{}
	for _, c := range log.Contexts {
		if !c.AlwaysRedundant() {
			continue
		}
		whole := append(elide.Path{elide.Start}, c.Path...)
		for length := 1; length <= len(whole); length++ {
			suffix := whole[len(whole)-length:]
			if slices.ContainsFunc(log.Contexts, func(o elide.LogContext) bool { return !o.AlwaysRedundant() && hasSuffix(o.Path, suffix) }) {
				continue
			}
			e := found[suffix.String()]
			e.Barriers += c.Redundant
			e.Contexts++
			found[suffix.String()] = e
			break
		}
	}
	return found
}

// asPrinted is Algorithm 2 with its sets, on whole contexts.
func asPrinted(log *elide.Log) map[string]bool {
	ecc, nrbc := map[string]elide.Path{}, []elide.Path{}
	for _, c := range log.Contexts {
		whole := append(elide.Path{elide.Start}, c.Path...)
		if c.AlwaysRedundant() {
			ecc[whole.String()] = whole
		} else {
			nrbc = append(nrbc, whole)
		}
	}
	suffix := func(p elide.Path, n int) string {
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
		maps.DeleteFunc(ecc, func(_ string, p elide.Path) bool { return s[suffix(p, n)] })
	}
	return ecs
}

// counted is a context with so many barriers.
func counted(redundant, necessary uint64, path ...string) elide.LogContext {
	n := redundant + necessary
	return elide.LogContext{Path: path, Why: elide.Audited, Counts: elide.Counts{Barriers: n, Executed: n, Redundant: redundant}}
}

// randomLog has contexts that share much: few labels, biased ends.
func randomLog(rng *rand.Rand) *elide.Log {
	log := &elide.Log{PEs: []int{1}, Mode: elide.Audit, Calls: map[string]string{}}
	seen := map[string]bool{}
	labels, depth, odds := 1+rng.IntN(4), 1+rng.IntN(6), 1+rng.IntN(4)
	for range rng.IntN(30) {
		p := make(elide.Path, 1+rng.IntN(depth))
		for i := range p {
			p[i] = string(rune('a' + rng.IntN(labels)))
		}
		if seen[p.String()] {
			continue
		}
		seen[p.String()] = true
		c := counted(uint64(rng.IntN(9)), 0, p...)
		if rng.IntN(20) == 0 {
			c.Why = elide.Misaligned
		}
		if rng.IntN(odds) == 0 || c.Redundant == 0 {
			c.Barriers += 1 + uint64(rng.IntN(3))
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
			if w := want[key]; w.Barriers != e.Barriers || w.Contexts != e.Contexts || e.Verdict != elide.Candidate {
				t.Fatalf("%v: suffix %s: %+v, want %+v", log.Contexts, key, e, w)
			}
			if !printed[key] {
				t.Fatalf("%v: %s is none of the algorithm as printed", log.Contexts, key)
			}
			if i > 0 && e.Barriers > plan.Entries[i-1].Barriers {
				t.Fatalf("%v: not the largest first", plan.Entries)
			}
			suffixes++
			if e.Suffix[0] == elide.Start {
				anchored++
			}
			if e.Contexts > 1 {
				shared++
			}
		}
		// The plan covers just the redundant contexts of its log.
		for _, c := range log.Contexts {
			covered := slices.ContainsFunc(plan.Entries, func(e elide.Entry) bool { return hasSuffix(c.Path, e.Suffix) })
			if covered != c.AlwaysRedundant() {
				t.Fatalf("%v: %v covered %t, redundant %t", log.Contexts, c.Path, covered, c.AlwaysRedundant())
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
	log := &elide.Log{Program: "p"}
	for _, caller := range []string{"W", "X", "Y", "Z"} {
		log.Contexts = append(log.Contexts,
			counted(5, 0, "main", caller, "M", "N", "B"),
			counted(3, 1, "main", caller, "P", "N", "B"),
			counted(0, 2, "main", caller, "Q", "N", "B"))
	}
	log.Calls = map[string]string{"N": "leaf"}
	plan := Classify(log)
	if len(plan.Entries) != 1 || plan.Entries[0].Suffix.String() != "M > N > B" || plan.Entries[0].Barriers != 20 || plan.Entries[0].Contexts != 4 {
		t.Errorf("%+v", plan.Entries)
	}
	var b bytes.Buffer
	if err := NewReport(log).WriteCandidates(&b); err != nil {
		t.Fatal(err)
	}
	const want = `44 barriers in 12 contexts; redundant 32 (72.7 %), of these in contexts that are always redundant 20 (45.5 %)
  barriers   share  contexts  subcontext
        20  45.5 %         4  M > N leaf > B
`
	if b.String() != want {
		t.Errorf("report:\n%s", b.String())
	}
}
