package synch

import (
	"slices"
	"testing"

	"github.com/spmdc/spmdc/dataflow/internal/abstract"
	"github.com/spmdc/spmdc/dataflow/proof"
)

// Small programs, one for each thing that is wrong with the printed data flow and
// its tests, as far as control flow and messages show it.

// post is a communication with its C, CO and UO one after another.
func post(s shape) *stmt {
	return &stmt{Kind: abstract.Group, Comms: []*abstract.Communication{{Shape: &s}}}
}

// shared is post into cells that others fill too.
func shared(s shape) *stmt {
	p := post(s)
	p.Comms[0].Class = 1
	return p
}

// repeat is a loop of three iterations.
func repeat(body ...*stmt) *stmt { return &stmt{Kind: abstract.Loop, Least: 3, Most: 3, Body: body} }

// when is an IF.
func when(body ...*stmt) *stmt { return &stmt{Kind: abstract.If, Body: body} }

var (
	toRight    = shape{Kind: abstract.Shift, A: 1}
	toLeft     = shape{Kind: abstract.Shift, A: -1}
	transposed = shape{Kind: abstract.Reverse, A: -1}
	fromFirst  = shape{Kind: abstract.Broadcast}
	around     = shape{Kind: abstract.Rotate, A: -1}
)

// from and to broadcast from, and gather to, the PE of number a plus the iteration
// of a loop.
func from(loop *stmt, a int) shape {
	return shape{Kind: abstract.Broadcast, By: loop, Step: 1, A: a}
}
func to(loop *stmt, a int) shape { return shape{Kind: abstract.Gather, By: loop, Step: 1, A: a} }

func TestDefectsOfThePrintedForm(t *testing.T) {
	inLoop := func(make func(loop *stmt) []*stmt) *stmt {
		l := repeat()
		l.Body = make(l)
		return l
	}
	for _, c := range []struct {
		name    string
		program *stmt
		x       int // the communication in question
		// What the printed form says, with Condition 3 as the product of matrices and
		// as in Theorem 2, and what the sound form says.
		product, theorem, sound Verdict
	}{
		{"answered",
			repeat(post(toRight), post(toLeft)), 1, NoReady, NoReady, NoReady},
		{"a communication does not kill its own requirement",
			repeat(post(transposed)), 1, NoReady, NoReady, NeedsSync},
		{"all consumers have to answer, not some",
			repeat(post(fromFirst), post(around)), 1, NoReady, NeedsSync, NeedsSync},
		{"the killer is left out when the loop ends, and the outer one goes on",
			inLoop(func(*stmt) []*stmt {
				l := &stmt{Kind: abstract.Loop, Endless: true}
				l.Body = []*stmt{post(toRight), when(&stmt{Kind: abstract.Exit, Target: l}), post(toLeft)}
				return []*stmt{l}
			}), 1, NoReady, NoReady, NeedsSync},
		{"a cycle in front of the use's end",
			inLoop(func(l *stmt) []*stmt {
				x := post(toRight)
				x.Body = []*stmt{when(&stmt{Kind: abstract.Cycle, Target: l})}
				return []*stmt{x, post(toLeft)}
			}), 1, NoReady, NoReady, NeedsSync},
		{"killers in the branches, of which only one has arrived",
			repeat(&stmt{Kind: abstract.OneOf, Other: []*stmt{post(toRight)}, Comms: []*abstract.Communication{{Shape: &toLeft}, {Shape: &toLeft}}}),
			3, NoReady, NoReady, NeedsSync},
		{"repetitions that are identical in the innermost loop only",
			inLoop(func(outer *stmt) []*stmt { return []*stmt{repeat(post(from(outer, 0)), post(to(outer, 0)))} }), 1, NoReady, NoReady, NeedsSync},
		{"next producers of the innermost loop only",
			repeat(inLoop(func(inner *stmt) []*stmt { return []*stmt{post(from(inner, 0)), post(to(inner, 1))} })), 1, NoReady, NoReady, NeedsSync},
		{"next producers, when an iteration may leave both out",
			inLoop(func(l *stmt) []*stmt { return []*stmt{when(post(from(l, 0)), post(to(l, 1)))} }), 1, NoReady, NoReady, NeedsSync},
		{"next producers, of every iteration",
			inLoop(func(l *stmt) []*stmt { return []*stmt{post(from(l, 0)), post(to(l, 1))} }), 1, NoReady, NoReady, NoReady},
		{"another communication in the same cells",
			repeat(shared(toRight), shared(toRight), &stmt{Kind: abstract.Barrier}), 2, NoReady, NoReady, NeedsSync},
		{"the killer's loop may run zero times; loops that test first show it",
			repeat(post(toRight), &stmt{Kind: abstract.Loop, Most: 2, Body: []*stmt{post(toLeft)}}), 1, NeedsSync, NeedsSync, NeedsSync},
		{"relations compared by the name of the loop index",
			inLoop(func(l *stmt) []*stmt { return []*stmt{post(to(l, 1)), post(from(l, 0))} }), 2, NoReady, NoReady, NeedsSync},
		{"the same, with the index that the next iteration has",
			inLoop(func(l *stmt) []*stmt { return []*stmt{post(to(l, 0)), post(from(l, 0))} }), 2, NeedsSync, NeedsSync, NoReady},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &abstract.Program{PEs: 4, Body: []*stmt{c.program}}
			b := build(p)
			early := func(a analysis) bool {
				return slices.ContainsFunc(refuted(p, a, false), func(it proof.Obligation) bool { return it.Put == c.x })
			}
			for _, form := range []struct {
				name string
				do   analysis
				want Verdict
			}{{"printed, product", literal(byProduct), c.product}, {"printed, theorem", literal(byTheorem), c.theorem}, {"sound", sound, c.sound}} {
				got := slices.Min(form.do(b)[c.x-1])
				if got != form.want {
					t.Errorf("%s: %v, want %v\n%v", form.name, got, form.want, b)
				}
				// Where the sound form disagrees, an execution shows why.
				if wrong := got > c.sound; wrong != early(form.do) {
					t.Errorf("%s: %v, and that an execution contradicts it is %v\n%v", form.name, got, !wrong, b)
				}
			}
		})
	}
}
