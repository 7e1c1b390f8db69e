package barriers

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/runtime/elide"
)

// Validation adds the largest first, keeps what passes, rejects what fails, and
// stops when its context ends.
func TestValidate(t *testing.T) {
	entry := func(v elide.Verdict, n uint64, label string) elide.Entry {
		return elide.Entry{Verdict: v, Suffix: elide.Path{label}, Barriers: n}
	}
	plan := &elide.Plan{Program: "p", Entries: []elide.Entry{
		entry(elide.Candidate, 5, "small"), entry(elide.Candidate, 50, "large"), entry(elide.Candidate, 20, "bad"),
		entry(elide.Never, 90, "never"), entry(elide.Reject, 70, "old"), entry(elide.Elide, 1, "kept"),
	}}
	var runs []string
	test := func(_ context.Context, p *elide.Plan) error {
		var on []string
		for _, e := range p.Entries {
			if e.Verdict == elide.Elide {
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
	out, err := judge(t.Context(), plan, test, func(tr Trial) {
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
	if out.Count(elide.Elide) != 3 || out.Count(elide.Reject) != 2 || out.Count(elide.Never) != 1 || plan.Count(elide.Candidate) != 3 {
		t.Errorf("%+v", out.Entries)
	}
	_, err = judge(t.Context(), plan, func(context.Context, *elide.Plan) error { return errors.New("always wrong") }, nil)
	if err == nil || !strings.Contains(err.Error(), "before any candidate") {
		t.Error(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	out, err = judge(ctx, plan, func(_ context.Context, p *elide.Plan) error {
		if p.Count(elide.Elide) > 1 {
			stop()
			return errors.New("killed")
		}
		return nil
	}, nil)
	if !errors.Is(err, context.Canceled) || out.Count(elide.Candidate) != 3 {
		t.Errorf("%v: %+v", err, out.Entries)
	}
}
