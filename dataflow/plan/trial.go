package plan

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/dataflow/proof"
)

// Trial is one thing that the search tried for a communication.
type Trial struct {
	Form              // with Ready: what is needed then
	PEs       []int   // that is so on these numbers of PEs only
	Rate      float64 // of OnDemand, the part of the puts with a ready message, in executions on a few PEs
	Strip     int     // above 0: in strips of so many iterations
	Completes bool    // then with completion acknowledgements of gets
	Not       string  // why strips cannot be used; nothing else is said then
	Cost      float64
	Note      string // chosen, or why not where the cost does not say it
}

// String is "elided-staged*2: cost 1.2, chosen".
func (t Trial) String() string {
	if t.Not != "" {
		return "strips: not possible, " + t.Not
	}
	text := t.Form.String()
	if t.Strip > 0 {
		text += fmt.Sprintf(" in strips of %d", t.Strip)
	}
	if t.Completes {
		text += " with completion acknowledgements"
	}
	if len(t.PEs) > 0 {
		text += " on " + NumbersOf(t.PEs)
	}
	if t.Ready == OnDemand {
		text += fmt.Sprintf(": %.2g ready messages for a put", t.Rate)
	}
	text += fmt.Sprintf(": cost %.4g", t.Cost)
	if t.Note != "" {
		text += ", " + t.Note
	}
	return text
}

// Say is what was tried, in words.
func (t Trial) Say() string {
	if t.Not != "" {
		return "strips"
	}
	text := t.Slots()
	if t.Strip > 0 {
		text += fmt.Sprintf(", in strips of %d", t.Strip)
	}
	if t.Completes {
		text += ", with completion acknowledgements"
	}
	if t.Ready == OnDemand {
		text += ", on demand"
	}
	if len(t.PEs) > 0 {
		text += " on " + NumbersOf(t.PEs)
	}
	return text
}

// Chosen is the Note of the trial that was taken.
const Chosen = "chosen"

// FenceTrial is a barrier that the search tried.
type FenceTrial struct {
	Before int // the communication before whose group it stands
	Line   int // of that group
	// Messages is how many ready messages the outermost statement around it would
	// send each time it is executed, by estimate, without the barrier.
	Messages float64
	// Without and With are the costs of that statement.
	Without, With float64
	Chosen        bool
}

// String is "before #3 in line 20, where 240 ready messages are expected: cost 12
// instead of 31, chosen".
func (t FenceTrial) String() string {
	note := ""
	if t.Chosen {
		note = ", chosen"
	}
	return fmt.Sprintf("before #%d in line %d, where %.4g ready messages are expected: cost %.4g instead of %.4g%s", t.Before, t.Line, t.Messages, t.With, t.Without, note)
}

// NumbersOf is like "4 PEs" or "2, 4 or 8 PEs".
func NumbersOf(pes []int) string {
	last := len(pes) - 1
	text := fmt.Sprint(pes[last])
	if last > 0 {
		text = strings.ReplaceAll(proof.Numbers(pes[:last], " "), " ", ", ") + " or " + text
	}
	return text + " PEs"
}
