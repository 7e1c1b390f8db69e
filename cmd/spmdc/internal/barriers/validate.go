package barriers

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/runtime/elide"
)

// Trial is one step of a validation.
type Trial struct {
	Entry elide.Entry // as judged: Elide or Reject; the zero Entry before the first: nothing elided
	Err   error       // why it was rejected
	Of, N int         // this is trial N of Of
}

// judge is the test validation of section 5: it takes the candidates of the
// plan, those with most barriers first, adds one at a time to what is elided,
// and lets test decide, which runs the program by the plan it gets and returns
// nil if the results are right. A candidate with which test fails is rejected
// and taken out again. Entries that are elided, rejected or forbidden already
// are kept as they are.
//
// First the plan without any candidate is tested: if that fails, the test says
// nothing about candidates. report, which may be nil, is called after each
// trial. When ctx ends it returns its error, and the plan with what has
// been judged so far.
func judge(ctx context.Context, p *elide.Plan, test func(context.Context, *elide.Plan) error, report func(Trial)) (*elide.Plan, error) {
	if report == nil {
		report = func(Trial) {}
	}
	judged := &elide.Plan{Program: p.Program, Entries: slices.Clone(p.Entries), Tail: p.Tail}
	slices.SortStableFunc(judged.Entries, func(a, b elide.Entry) int {
		return cmp.Or(cmp.Compare(b.Barriers, a.Barriers), cmp.Compare(b.Contexts, a.Contexts), slices.Compare(a.Suffix, b.Suffix))
	})
	trials := judged.Count(elide.Candidate)
	if err := test(ctx, judged); err != nil {
		if ctx.Err() != nil {
			return judged, ctx.Err()
		}
		return judged, fmt.Errorf("the test fails before any candidate is elided, so that it can judge none: correct the test or the program: %w", err)
	}
	report(Trial{Of: trials})
	n := 0
	for i := range judged.Entries {
		e := &judged.Entries[i]
		if e.Verdict != elide.Candidate {
			continue
		}
		n++
		e.Verdict = elide.Elide
		err := test(ctx, judged)
		if ctx.Err() != nil {
			e.Verdict = elide.Candidate
			return judged, ctx.Err()
		}
		if err != nil {
			e.Verdict = elide.Reject
		}
		report(Trial{Entry: *e, Err: err, Of: trials, N: n})
	}
	return judged, nil
}
