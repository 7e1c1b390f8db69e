package barriers

import (
	"cmp"
	"slices"

	"github.com/spmdc/spmdc/runtime/elide"
)

// Subcontext is the contexts that end in one suffix and whose barriers were redundant
// whenever they were executed.
type Subcontext struct {
	Suffix   elide.Path
	Contexts int
	elide.Counts
}

// ends are the suffixes of contexts, from the inner end: the children of a node are the
// calls one step further out.
type ends map[string]ends

// add adds the suffixes of a context.
func (e ends) add(context elide.Path) {
	for _, label := range slices.Backward(context) {
		if e[label] == nil {
			e[label] = ends{}
		}
		e = e[label]
	}
}

// other is the shortest suffix of a context that is none of e; nil if all are.
func (e ends) other(context elide.Path) elide.Path {
	for i, label := range slices.Backward(context) {
		if e = e[label]; e == nil {
			return slices.Clone(context[i:])
		}
	}
	return nil
}

// Subcontexts is Algorithm 2. Of the contexts of a log those that were redundant whenever
// they were executed, and were never misaligned, are the candidates (ECC = RBC - NRBC);
// each is represented by its shortest suffix that is no suffix of a necessary context.
// The result has each such suffix once, with the barriers and contexts that it stands
// for, the largest first.
//
// Contexts have Start before their first call, so that a redundant context that is
// itself the end of a longer necessary one has a distinguishing suffix too; the
// algorithm as printed does not end then.
func Subcontexts(log *elide.Log) []Subcontext {
	necessary := ends{}
	for _, c := range log.Contexts {
		if !c.AlwaysRedundant() {
			necessary.add(c.Path.Whole())
		}
	}
	at := map[string]int{}
	var list []Subcontext
	for _, c := range log.Contexts {
		if !c.AlwaysRedundant() {
			continue
		}
		suffix := necessary.other(c.Path.Whole())
		key := suffix.String()
		n, ok := at[key]
		if !ok {
			n = len(list)
			at[key] = n
			list = append(list, Subcontext{Suffix: suffix})
		}
		list[n].Contexts++
		list[n].Add(&c.Counts)
	}
	slices.SortFunc(list, func(a, b Subcontext) int {
		return cmp.Or(cmp.Compare(b.Barriers, a.Barriers), cmp.Compare(b.Contexts, a.Contexts), slices.Compare(a.Suffix, b.Suffix))
	})
	return list
}

// Classify makes a plan of a log, in which each subcontext is a candidate. Its note is the place of the barrier where
// that has a name besides its label.
func Classify(log *elide.Log) *elide.Plan {
	plan := &elide.Plan{Program: log.Program}
	for _, s := range Subcontexts(log) {
		plan.Entries = append(plan.Entries, elide.Entry{Verdict: elide.Candidate, Suffix: s.Suffix, Barriers: s.Barriers, Contexts: s.Contexts, Note: log.Calls[s.Suffix[len(s.Suffix)-1]]})
	}
	return plan
}
