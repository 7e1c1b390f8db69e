package elide

import "slices"

// trie holds paths from their inner end: the children of a node are the calls
// one step further out, and Start is the child of a whole context. A path that
// ends at a node is a suffix of all that go through it.
type trie struct {
	outer     map[string]*trie
	says      Verdict // plan: of the suffix that ends here
	necessary bool    // classification: a suffix of a context in NRBC
	entry     *Entry  // classification: the entry of the suffix that ends here
}

func (t *trie) child(label string) *trie {
	c := t.outer[label]
	if c == nil {
		if t.outer == nil {
			t.outer = make(map[string]*trie)
		}
		c = &trie{}
		t.outer[label] = c
	}
	return c
}

// trie holds the verdicts of the plan.
func (p *Plan) trie() *trie {
	root := &trie{}
	for _, e := range p.Entries {
		t := root
		for _, label := range slices.Backward(e.Suffix) {
			t = t.child(label)
		}
		t.says = e.Verdict
	}
	return root
}

// verdict is what the plan says about a context: Never before Elide, or "".
func (t *trie) verdict(context Path) Verdict {
	found := Verdict("")
	for _, label := range slices.Backward(context.whole()) {
		if t = t.outer[label]; t == nil {
			break
		}
		switch t.says {
		case Never:
			return Never
		case Elide:
			found = Elide
		}
	}
	return found
}

// Classify is Algorithm 2. Of the contexts of a training log those that were
// redundant whenever they were executed, and were never misaligned, are the
// candidates (ECC = RBC - NRBC); each is represented by its shortest suffix that
// is no suffix of a necessary context. The plan has one candidate for each such
// suffix, with the barriers and contexts it stands for, the largest first.
//
// Contexts have Start before their first call, so that a redundant context that
// is itself the end of a longer necessary one has a distinguishing suffix too;
// the algorithm as printed does not end then.
func Classify(log *Log) *Plan {
	root := &trie{}
	for _, c := range log.Contexts {
		if c.Redundant() {
			continue
		}
		t := root
		for _, label := range slices.Backward(c.Path.whole()) {
			t = t.child(label)
			t.necessary = true
		}
	}
	plan := &Plan{Program: log.Program}
	var found []*Entry
	for _, c := range log.Contexts {
		if !c.Redundant() {
			continue
		}
		whole := c.Path.whole()
		t := root
		for i, label := range slices.Backward(whole) {
			if t = t.child(label); t.necessary {
				continue
			}
			if t.entry == nil {
				t.entry = &Entry{Verdict: Candidate, Suffix: slices.Clone(whole[i:])}
				found = append(found, t.entry)
			}
			t.entry.Barriers += c.Private
			t.entry.Contexts++
			break
		}
	}
	for _, e := range found {
		plan.Entries = append(plan.Entries, *e)
	}
	plan.sort()
	return plan
}
