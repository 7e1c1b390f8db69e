package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/synch"
)

// why says what the analysis found for a slot; against is the communication
// whose use nothing is known to order before its puts, 0 if there is none.
func (p *Plan) why(s *Slot, against int) string {
	switch {
	case against == s.Comm.ID:
		return "ready message: nothing is known to order its last use before the next put"
	case against > 0:
		return "ready message: nothing is known to order the last use of " + p.reference(against) + ", in the same cells, before the next put"
	case s.Verdict == synch.Once:
		return "once: nothing has used the slot when it is put, and it is put only once"
	}
	var between []*cfg.Node
	chains := ""
	for i := range s.Proofs {
		between = append(between, s.Proofs[i].Witnesses(p.Graph)...)
		for _, c := range s.Proofs[i].Chains() {
			chains += fmt.Sprintf("; each of %s sends what it was told on to the next", numbered(c))
		}
	}
	what := "every use"
	if len(s.Proofs) > 1 {
		what = "every use of these cells"
	}
	if len(between) == 0 {
		return "no ready message: no use of the slot comes before a put that could overwrite it"
	}
	return "no ready message: " + p.orders(between, what) + chains
}

// numbered is "#2, #3".
func numbered(comms []int) string { return "#" + numbers(comms, ", #") }

// whyAges is why for a slot with a proof over ages; between is what orders its uses.
func (p *Plan) whyAges(s *Slot, between []*cfg.Node) string {
	what := "every copy from the stage"
	switch {
	case s.Staged && s.Count > 1:
		what = "every copy from a stage"
	case s.Planes != nil:
		what = "every use of a plane"
	case !s.Staged:
		what = "every use of a slot"
	}
	if len(between) == 0 {
		return fmt.Sprintf("no ready message: at most %d executions, each with a slot of its own", s.Count)
	}
	why := "no ready message: " + p.orders(between, what) + " into it"
	if s.Planes != nil {
		why += "; " + s.Planes.why()
	}
	if len(s.Pairwise) > 0 {
		var names []string
		for _, y := range s.Pairwise {
			names = append(names, fmt.Sprintf("#%d", y))
		}
		why += fmt.Sprintf("; but one between PEs where %s does not go the other way", strings.Join(names, " or "))
	}
	return why
}

// Chosen is the Note of the trial that was taken.
const Chosen = chosen

// Form is the third word of the slot's line: ready, quiet, staged, quiet*2, ...
func (s *Slot) Form() string { return mood(*s) }

// SaySlots says how many slots there are, and whether they are stages.
func (s *Slot) SaySlots() string {
	return sayTimes(say(s.Planes != nil, s.Staged, s.Count, false), s.Times)
}

// inStrips is what Say adds of strips.
func (s *Slot) inStrips() string {
	if s.Strip == nil {
		return ""
	}
	return fmt.Sprintf(", in strips of %d", s.Strip.Size)
}

// Say is what the slot is, in words. Asking: ready messages only between PEs
// between which what is asked for goes one way only. Listening: only from PEs that
// have sent nothing since their last use. In turn: exchanges with opposite
// neighbours complete one after another.
func (s *Slot) Say() string {
	switch {
	case s.OnDemand:
		return say(false, s.Staged, s.Count, false) + s.inStrips() + ", listening"
	case s.Ready:
		return say(false, s.Staged, s.Count, false) + s.inStrips() + ", a ready message before every put"
	}
	return sayTimes(say(s.Planes != nil, s.Staged, s.Count, len(s.Pairwise) > 0), s.Times) + s.inStrips()
}

// Say is what was tried, in words.
func (t Trial) Say() string {
	word, many, _ := strings.Cut(t.What, "*")
	if !slices.Contains([]string{"quiet", "staged", "unheard", "unheard-staged", "alternating"}, word) {
		return t.What
	}
	count, err := strconv.Atoi(many)
	if err != nil {
		count = 1
	}
	text := sayTimes(say(word == "alternating", strings.HasSuffix(word, "staged"), count, t.Pairwise), t.Times)
	if t.Strip > 0 {
		text += fmt.Sprintf(", in strips of %d", t.Strip)
	}
	if t.Completes {
		text += ", telling"
	}
	if t.OnDemand {
		text += ", listening"
	}
	if t.InTurn {
		text += ", in turn"
	}
	if len(t.PEs) > 0 {
		text += " on " + numbersOf(t.PEs)
	}
	return text
}

// sayTimes says that there is a slot for each of some executions, if there is.
func sayTimes(text string, times int) string {
	if times > 1 {
		text = strings.Replace(text, " by turns", ", one for each execution", 1)
	}
	return text
}

func say(planes, staged bool, count int, asks bool) string {
	text := "one slot"
	switch {
	case planes:
		text = fmt.Sprintf("%d planes by turns", count)
	case staged && count > 1:
		text = fmt.Sprintf("%d stages by turns", count)
	case staged:
		text = "a stage"
	case count > 1:
		text = fmt.Sprintf("%d slots by turns", count)
	}
	if asks {
		text += ", asking"
	}
	return text
}

// notes explain the words of the text form of a plan that was searched for.
func (p *Plan) notes() []string {
	if len(p.Fenced) == 0 && !slices.ContainsFunc(p.Slots, func(s Slot) bool { return s.Tried != nil }) {
		return nil
	}
	list := []string{
		"tried: what the search looked at for the slot above; it takes the cheapest.",
		"quiet: one slot, quiet*2: two by turns; staged: a stage, from which is copied what has arrived; asking: ready messages only",
		"between PEs that get no answer; unheard: only from PEs that have sent nothing since; in turn: opposite exchanges one after",
		"another; barrier: where one of all PEs was tried.",
		fmt.Sprintf("cost: of all expected executions, in messages: a ready message %g, a copy out of a stage %g, asking %g, noting who was heard", readyCost, copyCost, askCost),
		fmt.Sprintf("%g, a turn more %g, a barrier %g, a byte of slots %g, of many slots %g. Loops of unknown bounds count as %g iterations.", noteCost, turnCost, fenceCost, byteCost, firstCost, guessTrip),
		"proof: what is known in front of each node of the graph below, of the last value | of the one before | ...; verified.",
	}
	if slices.ContainsFunc(p.Slots, func(s Slot) bool { return s.Times > 0 }) {
		list = append(list, "times: there are at most so many executions, and a slot for each; verified.")
	}
	if slices.ContainsFunc(p.Slots, func(s Slot) bool { return s.Strip != nil }) {
		list = append(list,
			"strips: the temporary holds a strip of a loop; what comes later is got from the owners. Behind the colon, the nodes that may",
			fmt.Sprintf("overwrite it, and what holds in front of them; tells: a message that all is got. A strip that is got costs %g.", getCost))
	}
	if slices.ContainsFunc(p.Slots, func(s Slot) bool { return s.Planes != nil }) {
		list = append(list, "alternating*2, alternates: planes of the overlap by turns, as the subscript named is another one in each execution; verified.")
	}
	return list
}

// orders says that the given nodes order what before the next put.
func (p *Plan) orders(nodes []*cfg.Node, what string) string {
	var names []string
	for _, n := range nodes {
		if name := p.Program.Teller(n); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch last := len(names) - 1; {
	case last == 0 && nodes[0].Kind == cfg.CommOver:
		return fmt.Sprintf("%s goes from every user to the next producers, and so orders %s before the next put", names[0], what)
	case last == 0:
		return fmt.Sprintf("%s orders %s before the next put", names[0], what)
	default:
		return fmt.Sprintf("%s or %s, whichever comes on the way, orders %s before the next put", strings.Join(names[:last], ", "), names[last], what)
	}
}

// reference names communication r: "#5 (broadcast of d(k), line 90)".
func (p *Plan) reference(r int) string { return p.Slots[r-1].Comm.Title() }
