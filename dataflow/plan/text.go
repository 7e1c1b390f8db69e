package plan

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/exact"
	"github.com/spmdc/spmdc/ir"
)

// Explain is the text of stage plan: the slots, each followed by the proofs that
// make its ready messages unnecessary, and in plan elide by what was tried; the
// barriers that were tried; the classes of communications that may fill the same
// cells; then the graph with communication nodes. Parse reads it.
func (p *Plan) Explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "plan %s\n", p.Kind)
	for _, n := range p.notes() {
		fmt.Fprintf(&b, "# %s\n", n)
	}
	for _, s := range p.Slots {
		fmt.Fprintf(&b, "slot %d %s %s of %s, line %d: %s # %s\n", s.Comm.ID, mood(s), s.Comm.Kind, ir.ExprString(s.Comm.Refs[0]), s.Comm.Line, s.Cells, p.Why(s.Comm))
		for _, t := range s.Tried {
			fmt.Fprintf(&b, "tried %v\n", t)
		}
		for i := range s.Proofs {
			fmt.Fprintln(&b, &s.Proofs[i])
		}
		if s.Planes != nil {
			fmt.Fprintln(&b, s.Planes)
		}
		if s.Strip != nil {
			fmt.Fprintln(&b, s.Strip.text())
		}
		if s.Ages != nil {
			fmt.Fprintln(&b, s.Ages)
		}
		writeTimes(&b, s.Comm.ID, s.Times)
		writeAt(&b, s.At)
	}
	for _, f := range p.Fenced {
		fmt.Fprintf(&b, "barrier %v\n", f)
	}
	for _, c := range p.Classes {
		fmt.Fprintf(&b, "class %s\n", numbers(c, " "))
	}
	for _, e := range p.Exact {
		b.WriteString(e.String())
	}
	b.WriteString(p.Graph.String())
	return b.String()
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
	case s.Unheard && s.Staged:
		word = "unheard-staged"
	case s.Unheard:
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

// parseMood reads what mood writes.
func parseMood(text string) (s SlotText, ok bool) {
	word, many, several := strings.Cut(text, "*")
	switch word {
	case "ready":
		s.Ready = true
	case "quiet":
	case "alternating":
		s.Alternating = true
	case "staged":
		s.Staged = true
	case "ready-staged":
		s.Ready, s.Staged = true, true
	case "unheard", "unheard-staged":
		s.Ready, s.Unheard, s.Staged = true, true, word != "unheard"
	default:
		return s, false
	}
	s.Count = 1
	if s.Alternating && many != "2" {
		return s, false
	}
	if several {
		n, err := strconv.Atoi(many)
		if err != nil || n < 2 || n > MostSlots {
			return s, false
		}
		s.Count = n
	}
	return s, true
}

// Document is a plan as read from its text: enough for the passes that work on
// the graph, without the program that it was made from.
type Document struct {
	Kind    Kind
	Notes   []string // for people
	Slots   []SlotText
	Proofs  []Proof  // in the order of Slots by Put
	Fenced  []string // which barriers were tried
	Classes [][]int  // communications that may fill the same cells; others have cells of their own
	Exact   []*exact.Proof
	Graph   *cfg.Graph
}

// SlotText is a slot line: whether puts of communication ID wait for a ready
// message, how many slots they take turns in and whether these are stages, and the
// rest in words; with the lines behind it that tell what was tried.
type SlotText struct {
	ID      int
	Ready   bool
	Unheard bool // from those consumers only that have sent the producer nothing since
	Staged  bool
	Count   int
	// Alternating: the slots are planes of an overlap. Dim and Sub are what is claimed
	// of them: successive executions differ in subscript Dim, which is Sub.
	Alternating bool
	Dim         int
	Sub         string
	Text        string
	Tried       []string
	Strip       *StripText // of a temporary that is filled strip by strip
	At          []int      // on so many PEs it needs no ready messages
	Proof       *SlotProof // of stages and several slots, which belong to the communication alone
	Times       int        // there are at most so many executions, and a slot for each; else 0
}

func (s *SlotText) mood() string {
	slot := Slot{Ready: s.Ready, Staged: s.Staged, Unheard: s.Unheard, Count: s.Count}
	if s.Alternating {
		slot.Planes = &Planes{}
	}
	return mood(slot)
}

// String writes d in the form that Parse reads.
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
		for i := range d.Proofs {
			if d.Proofs[i].Put == s.ID {
				fmt.Fprintln(&b, &d.Proofs[i])
			}
		}
		if s.Sub != "" {
			fmt.Fprintf(&b, "alternates %d in %d: %s\n", s.ID, s.Dim, s.Sub)
		}
		if s.Strip != nil {
			fmt.Fprintln(&b, s.Strip)
		}
		if s.Proof != nil {
			fmt.Fprintln(&b, s.Proof)
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
	for _, e := range d.Exact {
		b.WriteString(e.String())
	}
	b.WriteString(d.Graph.String())
	return b.String()
}

// Parse reads the text form of a plan. Errors name the line.
func Parse(text string) (*Document, error) {
	d := &Document{}
	sc := bufio.NewScanner(strings.NewReader(text))
	sc.Buffer(nil, len(text)+1)
	n, offset := 0, 0
	for sc.Scan() {
		line := sc.Text()
		n++
		word, _, _ := strings.Cut(line, " ")
		var err error
		switch {
		case n == 1:
			err = d.parseKind(line)
		case word == "slot":
			err = d.parseSlot(line)
		case word == "proof":
			err = d.parseProof(line)
		case word == "tried" || word == "ages" || word == "times" || word == "quiet" || word == "alternates" || word == "strips":
			err = d.parseOfSlot(word, line)
		case exact.Keyword(word):
			err = d.parseExact(line)
		case word == "class":
			err = d.parseClass(line)
		case word == "barrier":
			d.Fenced = append(d.Fenced, strings.TrimPrefix(line, "barrier "))
		case word == "#":
			d.Notes = append(d.Notes, strings.TrimPrefix(line, "# "))
		default:
			g, err := cfg.Parse(text[offset:])
			if err != nil {
				return nil, fmt.Errorf("graph that starts in line %d: %w", n, err)
			}
			d.Graph = g
			return d, nil
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		offset += len(line) + 1
	}
	return nil, fmt.Errorf("line %d: the graph is missing", n+1)
}

func (d *Document) parseKind(line string) error {
	f := strings.SplitN(line, " ", 4)
	if len(f) != 2 || f[0] != "plan" {
		return fmt.Errorf("found %q, want \"plan KIND\"", line)
	}
	k, err := ParseKind(f[1])
	d.Kind = k
	return err
}

func (d *Document) parseSlot(line string) error {
	f := strings.SplitN(line, " ", 4)
	if len(f) != 4 {
		return fmt.Errorf("found %q, want \"slot NUMBER ready|quiet|staged|alternating|unheard TEXT\"", line)
	}
	slot, ok := parseMood(f[2])
	if !ok {
		return fmt.Errorf("found %q, want ready, quiet, staged, ready-staged, unheard or unheard-staged, with *2 to *%d for several slots, or alternating*2", f[2], MostSlots)
	}
	id, err := strconv.Atoi(f[1])
	if err != nil || id != len(d.Slots)+1 {
		return fmt.Errorf("slot %q out of order, want %d", f[1], len(d.Slots)+1)
	}
	slot.ID, slot.Text = id, f[3]
	d.Slots = append(d.Slots, slot)
	return nil
}

// parseOfSlot reads a line that belongs to the slot before it.
func (d *Document) parseOfSlot(word, line string) error {
	if len(d.Slots) == 0 {
		return fmt.Errorf("%q does not follow a slot", line)
	}
	s := &d.Slots[len(d.Slots)-1]
	if word == "tried" {
		s.Tried = append(s.Tried, strings.TrimPrefix(line, "tried "))
		return nil
	}
	if word == "quiet" {
		return s.parseAt(line)
	}
	if word == "times" {
		id, times, err := parseTimes(line)
		switch {
		case err != nil:
			return err
		case id != s.ID || s.Times != 0:
			return fmt.Errorf("%q does not follow its slot, as the only such line", line)
		}
		s.Times = times
		return nil
	}
	if word == "strips" {
		x, err := parseStrips(line)
		switch {
		case err != nil:
			return err
		case x.Comm != s.ID || s.Strip != nil:
			return fmt.Errorf("%q does not follow its slot, as the only such line", line)
		}
		s.Strip = x
		return nil
	}
	if word == "alternates" {
		id, dim, sub, err := parsePlanes(line)
		switch {
		case err != nil:
			return err
		case id != s.ID || !s.Alternating || s.Sub != "":
			return fmt.Errorf("%q does not follow its slot, alternating, as the only such line", line)
		}
		s.Dim, s.Sub = dim, sub
		return nil
	}
	p, err := parseSlotProof(line)
	switch {
	case err != nil:
		return err
	case p.Comm != s.ID:
		return fmt.Errorf("a proof over the slots of #%d does not follow its slot", p.Comm)
	case s.Proof != nil:
		return fmt.Errorf("a second proof over the slots of #%d", p.Comm)
	}
	s.Proof = p
	return nil
}

// parseAt reads what writeAt writes.
func (s *SlotText) parseAt(line string) error {
	f := strings.Fields(line)
	if len(f) < 4 || f[1] != "on" || f[len(f)-1] != "PEs" || s.At != nil {
		return fmt.Errorf("found %q, want one line \"quiet on NUMBERS PEs\"", line)
	}
	for _, w := range f[2 : len(f)-1] {
		n, err := strconv.Atoi(w)
		if err != nil || n < 1 || len(s.At) > 0 && n <= s.At[len(s.At)-1] {
			return fmt.Errorf("found %q PEs, want numbers, ascending", w)
		}
		s.At = append(s.At, n)
	}
	return nil
}

// parseExact reads a line of a proof for a number of PEs.
func (d *Document) parseExact(line string) error {
	var last *exact.Proof
	if k := len(d.Exact); k > 0 {
		last = d.Exact[k-1]
	}
	p, err := exact.ParseLine(line, last)
	if err != nil || p == last {
		return err
	}
	if last != nil && p.PEs <= last.PEs {
		return fmt.Errorf("proofs for %d PEs do not come behind those for %d", p.PEs, last.PEs)
	}
	d.Exact = append(d.Exact, p)
	return nil
}

func (d *Document) parseProof(line string) error {
	p, err := parseProof(line)
	if err != nil {
		return err
	}
	if p.Put != len(d.Slots) {
		return fmt.Errorf("a proof about the puts of #%d does not follow its slot", p.Put)
	}
	if d.proof(p.Use, p.Put) != nil {
		return fmt.Errorf("a second proof %d %d", p.Use, p.Put)
	}
	d.Proofs = append(d.Proofs, p)
	return nil
}

func (d *Document) parseClass(line string) error {
	var class []int
	for _, w := range strings.Fields(line)[1:] {
		id, err := strconv.Atoi(w)
		if err != nil || id < 1 || id > len(d.Slots) || len(class) > 0 && id <= class[len(class)-1] {
			return fmt.Errorf("class member %q: want the numbers of slots, ascending", w)
		}
		class = append(class, id)
	}
	if len(class) < 2 {
		return fmt.Errorf("found %q, want at least two members", line)
	}
	d.Classes = append(d.Classes, class)
	return nil
}

// Document is p without the program behind it.
func (p *Plan) Document() *Document {
	d, err := Parse(p.Explain())
	if err != nil {
		panic("plan: own text does not parse: " + err.Error())
	}
	return d
}
