package elide

import "slices"

// verdicts are the entries of a plan by their suffixes, from the inner end: the children
// of a node are the calls one step further out, and Start is the child of a whole
// context. A suffix that ends at a node ends all contexts that go through it.
type verdicts struct {
	outer map[string]*verdicts
	says  Verdict // of the suffix that ends here
}

// verdicts holds what the plan says.
func (p *Plan) verdicts() *verdicts {
	root := &verdicts{}
	for _, e := range p.Entries {
		v := root
		for _, label := range slices.Backward(e.Suffix) {
			next := v.outer[label]
			if next == nil {
				if v.outer == nil {
					v.outer = make(map[string]*verdicts)
				}
				next = &verdicts{}
				v.outer[label] = next
			}
			v = next
		}
		v.says = e.Verdict
	}
	return root
}

// of is what the plan says about a context: Never before Elide, or "".
func (v *verdicts) of(context Path) Verdict {
	found := Verdict("")
	for _, label := range slices.Backward(context.Whole()) {
		if v = v.outer[label]; v == nil {
			break
		}
		switch v.says {
		case Never:
			return Never
		case Elide:
			found = Elide
		}
	}
	return found
}
