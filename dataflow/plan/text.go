package plan

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/proof"
	"github.com/spmdc/spmdc/ir"
)

// Explain is the text of stage plan: the slots, each followed by the proofs that
// make its ready messages unnecessary, and in plan elide by what was tried; the
// barriers that were tried; the classes of communications that may fill the same
// cells; then the graph with communication nodes. It is for people and tests.
func (p *Plan) Explain() string {
	d := p.Document()
	d.Notes = p.notes()
	for i := range d.Slots {
		line, s := &d.Slots[i], &p.Slots[i]
		line.Text = p.slotText(s)
		for _, t := range s.Tried {
			line.Tried = append(line.Tried, t.String())
		}
	}
	for _, f := range p.Fenced {
		d.Fenced = append(d.Fenced, f.String())
	}
	return d.String()
}

// writeAt writes on which numbers of PEs a slot needs no ready messages.
func writeAt(b *strings.Builder, at []int) {
	if len(at) > 0 {
		fmt.Fprintf(b, "quiet on %s PEs\n", numbers(at, " "))
	}
}

// mood is the third word of a slot line: ready or quiet; quiet*2 with two slots;
// staged, or staged*2, where they are stages, from which what has arrived is
// copied, also quiet; ready-staged*2 where these need ready messages. unheard is
// ready for those PEs that have not been heard from, unheard*2 with two slots, and
// unheard-staged, unheard-staged*2 with stages. alternating*2 is quiet, with planes of
// an overlap by turns.
func mood(s Slot) string {
	word := "quiet"
	switch {
	case s.OnDemand && s.Staged:
		word = "unheard-staged"
	case s.OnDemand:
		word = "unheard"
	case s.Ready && s.Staged:
		word = "ready-staged"
	case s.Ready:
		word = "ready"
	case s.Staged:
		word = "staged"
	case s.Planes != nil:
		word = "alternating"
	}
	if s.Count > 1 {
		word += fmt.Sprintf("*%d", s.Count)
	}
	return word
}

// Document is a plan without the program that it was made from: what the checks of
// the graph and of the proofs need, and the lines of the text form.
type Document struct {
	Kind    Kind
	Notes   []string // for people
	Slots   []SlotLine
	Fenced  []string // which barriers were tried
	Classes [][]int  // communications that may fill the same cells; others have cells of their own
	Finite  []Finite
	Graph   *cfg.Graph
}

// SlotLine is a slot: whether puts of communication ID wait for a ready message, how
// many slots they take turns in and whether these are stages, and the rest in words;
// with the lines behind it that tell what was tried.
type SlotLine struct {
	ID       int
	Ready    bool
	OnDemand bool // from those consumers only that have sent the producer nothing since
	Staged   bool
	Count    int
	// Alternating: the slots are planes of an overlap. Dim and Sub are what is claimed
	// of them: successive executions differ in subscript Dim, which is Sub.
	Alternating bool
	Dim         int
	Sub         string
	Text        string
	Tried       []string
	Strip       *Strip // of a temporary that is filled strip by strip
	At          []int  // on so many PEs it needs no ready messages
	Pairwise    []int  // see Slot
	Times       int    // there are at most so many executions, and a slot for each; else 0
	Proofs      []*proof.Certificate
}

func (s *SlotLine) mood() string {
	slot := Slot{Ready: s.Ready, Staged: s.Staged, OnDemand: s.OnDemand, Count: s.Count}
	if s.Alternating {
		slot.Planes = &Planes{}
	}
	return mood(slot)
}

// String is the text form.
func (d *Document) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "plan %s\n", d.Kind)
	for _, n := range d.Notes {
		fmt.Fprintf(&b, "# %s\n", n)
	}
	for _, s := range d.Slots {
		fmt.Fprintf(&b, "slot %d %s %s\n", s.ID, s.mood(), s.Text)
		for _, t := range s.Tried {
			fmt.Fprintf(&b, "tried %s\n", t)
		}
		for _, p := range s.Proofs {
			fmt.Fprintln(&b, p)
		}
		if s.Sub != "" {
			fmt.Fprintf(&b, "alternates %d in %d: %s\n", s.ID, s.Dim, s.Sub)
		}
		if s.Strip != nil {
			fmt.Fprintln(&b, s.Strip)
		}
		writeTimes(&b, s.ID, s.Times)
		writeAt(&b, s.At)
	}
	for _, f := range d.Fenced {
		fmt.Fprintf(&b, "barrier %s\n", f)
	}
	for _, c := range d.Classes {
		fmt.Fprintf(&b, "class %s\n", numbers(c, " "))
	}
	for _, f := range d.Finite {
		b.WriteString(f.String())
		for _, c := range f.Certificates {
			fmt.Fprintln(&b, c)
		}
	}
	b.WriteString(d.Graph.String())
	return b.String()
}

// Document is p without the program behind it, and without words.
func (p *Plan) Document() *Document {
	d := &Document{Kind: p.Kind, Classes: p.Classes, Finite: p.Finite, Graph: p.Graph}
	for i := range p.Slots {
		s := &p.Slots[i]
		line := SlotLine{
			ID: s.Comm.ID, Ready: s.Ready, OnDemand: s.OnDemand, Staged: s.Staged, Count: s.Count, Alternating: s.Planes != nil,
			At: s.At, Pairwise: s.Pairwise, Times: s.Times, Strip: s.Strip, Proofs: s.Proofs,
		}
		if s.Planes != nil {
			line.Dim, line.Sub = s.Planes.Dim, s.Planes.Sub.String()
		}
		d.Slots = append(d.Slots, line)
	}
	return d
}

// slotText says in words what the puts of a slot are and what they wait for.
func (p *Plan) slotText(s *Slot) string {
	return fmt.Sprintf("%s of %s, line %d: %s # %s", s.Comm.Kind, ir.ExprString(s.Comm.Refs[0]), s.Comm.Line, s.Cells, p.Why(s.Comm))
}

func numbers(list []int, sep string) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, sep)
}
