package procfunc

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Report is what there is to say about one communication, or about a collective
// operation, for people and for tools. Sets are texts as in the paper, "1:n" or
// "U", one per grid dimension; matrices have one text per entry, the homogeneous
// row included. Field names are part of the interface of --format=json.
type Report struct {
	ID         int      `json:"id"`
	Kind       string   `json:"kind"`
	Line       int      `json:"line"`
	References []string `json:"references"`
	C          int      `json:"c,omitempty"`  // line before which the data is sent
	CO         int      `json:"co,omitempty"` // line before which it has to have arrived
	UO         int      `json:"uo,omitempty"` // line behind which it is dead
	Collective bool     `json:"collective,omitempty"`

	Relation string        `json:"relation,omitempty"` // p -> q; ranges of the indices
	Spaces   []SpaceReport `json:"spaces,omitempty"`   // per grid dimension

	Producers   []string   `json:"producers"`
	Consumers   []string   `json:"consumers"`
	ReceiveFrom [][]string `json:"receive_from"`
	Traversal   []string   `json:"traversal"` // index of the traversal loop per dimension, "" for none
	// Exact: the functions hold the messages and nothing else; else Why.
	Exact bool   `json:"exact"`
	Why   string `json:"why,omitempty"`

	NextProducers []NextReport `json:"next_producers"`
	Union         [][]string   `json:"next_producers_union,omitempty"`

	// One sentence each.
	SayProducers   string `json:"say_producers"`
	SayConsumers   string `json:"say_consumers"`
	SayReceiveFrom string `json:"say_receive_from"`
	SayUnion       string `json:"say_union,omitempty"`
}

// SpaceReport is how the positions of a grid dimension are dealt out to PEs,
// "BLOCK(1:100)"; empty for a party on all positions.
type SpaceReport struct {
	Producers string `json:"producers"`
	Consumers string `json:"consumers"`
}

// NextReport is NextProducers over one back edge.
type NextReport struct {
	Loop   int        `json:"loop"` // line of the loop
	Index  string     `json:"index,omitempty"`
	Matrix [][]string `json:"matrix"`
	// Consecutive: the next instance belongs to the next iteration for certain.
	Consecutive bool   `json:"consecutive"`
	Say         string `json:"say"`

	matrix linalg.Transform
}

// Reports describes all communications by number, then the reductions.
func (f *Functions) Reports() []Report {
	reports := make([]Report, 0, len(f.Relations)+len(f.Program.Reduces))
	for r := range f.Relations {
		reports = append(reports, f.Report(r+1))
	}
	for _, red := range f.Program.Reduces {
		reports = append(reports, f.Report(red.ID))
	}
	return reports
}

// Report describes communication or reduction r.
func (f *Functions) Report(r int) Report {
	m := f.Matrices(r)
	rep := Report{
		ID: r, Collective: m.Collective, Exact: m.Exact,
		Producers: texts(m.Producers), Consumers: texts(m.Consumers),
		ReceiveFrom: m.RF.Cells(), Traversal: m.Traversal,
		References: []string{}, NextProducers: []NextReport{},
		SayReceiveFrom: sayReceiveFrom(m.RF),
	}
	if m.Collective {
		rep.Kind = "barrier"
		for _, red := range f.Program.Reduces {
			if red.ID == r {
				rep.Kind, rep.Line = red.Name, red.Line
				rep.References = append(rep.References, red.What())
			}
		}
		rep.SayProducers = "Every PE takes part and sends its partial value."
		rep.SayConsumers = "Every PE receives the result, and waits for all others for it."
		return rep
	}
	rel := f.Relations[r-1]
	c := rel.Comm
	rep.Kind, rep.Line, rep.C, rep.CO, rep.UO = string(c.Kind), c.Line, c.CLine, c.COLine, c.UOLine
	for _, ref := range c.Refs {
		rep.References = append(rep.References, ir.ExprString(ref))
	}
	rep.Relation = rel.String()
	if !m.Exact {
		if rep.Why = rel.Why; rep.Why == "" {
			rep.Why = rel.Clip
		}
		if rep.Why == "" {
			rep.Why = "its positions are no product of the dimensions"
		}
	}
	for d := range rel.P {
		rep.Spaces = append(rep.Spaces, SpaceReport{rel.P[d].space(), rel.Q[d].space()})
	}
	rep.SayProducers = sayMembers(m.Producers, "send", c.Array.Name)
	rep.SayConsumers = sayMembers(m.Consumers, "receive", c.Array.Name)
	if c.RootOnly {
		rep.SayConsumers = "PE 0 alone receives. No template position stands for it: U."
		rep.SayReceiveFrom = "Everything goes to PE 0."
	}
	for _, n := range m.Next {
		rep.NextProducers = append(rep.NextProducers, NextReport{Loop: n.Loop.Line, Index: n.Loop.Index,
			Matrix: n.Matrix.Cells(), Consecutive: n.Consecutive, Say: sayNext(n), matrix: n.Matrix})
	}
	if u, ok := m.Union(); ok && len(m.Next) > 1 {
		rep.Union = u.Cells()
		rep.SayUnion = "Whichever of these loops goes on, " + sayMoves(u) + "."
	}
	return rep
}

func (p Pos) space() string {
	if p.Kind != At {
		return ""
	}
	return p.Space.String()
}

func texts(sets []linalg.Triplet) []string {
	var out []string
	for _, s := range sets {
		out = append(out, s.String())
	}
	return out
}

// sayMembers is "Positions p from 2 to n send elements of b.".
func sayMembers(sets []linalg.Triplet, do, array string) string {
	everywhere := true
	where := make([]string, len(sets))
	for d, s := range sets {
		where[d] = sayMember(coordinateName(len(sets), d), s)
		everywhere = everywhere && s.All
	}
	if everywhere {
		return fmt.Sprintf("Any position may %s elements of %s.", do, array)
	}
	if len(sets) == 1 {
		return fmt.Sprintf("Positions %s %s elements of %s.", where[0], do, array)
	}
	return fmt.Sprintf("Positions %s with %s %s elements of %s.", source(len(sets)), strings.Join(where, " and "), do, array)
}

// sayMember says that the coordinate name lies in s.
func sayMember(name string, s linalg.Triplet) string {
	if s.All {
		return "any " + name
	}
	if s.IsPoint() {
		return fmt.Sprintf("%s = %v", name, s.Lo)
	}
	if up, exact := s.Ascending(); exact {
		s = up
	}
	text := fmt.Sprintf("%s from %v to %v", name, s.Lo, s.Hi)
	if step := s.Step.RatString(); step != "1" {
		text += " in steps of " + step
	}
	return text
}

// anywhere reports whether every row is U.
func anywhere(t linalg.Transform) bool {
	for i := range t.Rows() {
		if !t.Offset(i).All {
			return false
		}
	}
	return true
}

// sayReceiveFrom reads the rows of RF.
func sayReceiveFrom(t linalg.Transform) string {
	if anywhere(t) {
		return "What a position sends may go to any position."
	}
	return fmt.Sprintf("What position %s sends goes to position %s.", source(t.Cols()), target(t))
}

// sayNext reads the matrix of NextProducers over one back edge.
func sayNext(n Next) string {
	loop := fmt.Sprintf("the loop in line %d", n.Loop.Line)
	if n.Loop.Index != "" {
		loop = n.Loop.Index
	}
	when := fmt.Sprintf("In the next iteration of %s", loop)
	if !n.Consecutive {
		when = fmt.Sprintf("In the next iteration of %s that gets here", loop)
	}
	return when + " " + sayMoves(n.Matrix) + "."
}

func sayMoves(t linalg.Transform) string {
	if anywhere(t) {
		return "a value may come from any position"
	}
	if t.Equal(linalg.IdentityTransform(t.Cols())) {
		return "each value comes from the same position as before"
	}
	return fmt.Sprintf("a value that came from position %s comes from position %s", source(t.Cols()), target(t))
}

// coordinate names of positions: p, or p1 to pk.
func coordinateName(k, i int) string {
	if k == 1 {
		return "p"
	}
	return fmt.Sprintf("p%d", i+1)
}

func source(k int) string {
	names := make([]string, k)
	for i := range names {
		names[i] = coordinateName(k, i)
	}
	return paren(names)
}

// target is what t makes of the position (p1, ..., pk), in words.
func target(t linalg.Transform) string {
	parts := make([]string, t.Rows())
	for i := range parts {
		linear := linalg.Form{}
		for j := range t.Cols() {
			linear = linear.Add(linalg.FormOf(linalg.Var(coordinateName(t.Cols(), j))).Scale(t.Coef(i, j)))
		}
		parts[i] = spelled(linear, t.Offset(i))
	}
	return paren(parts)
}

// spelled is a row as a text: "p - 1", "U", "p + (1:n)".
func spelled(linear linalg.Form, offset linalg.Triplet) string {
	switch {
	case offset.All:
		return "any"
	case linear.IsConst():
		return offset.String()
	case !offset.IsPoint():
		return fmt.Sprintf("%v + (%v)", linear, offset)
	}
	s, o := linear.String(), offset.Lo.String()
	switch {
	case o == "0":
		return s
	case strings.HasPrefix(o, "-"):
		return s + " - " + o[1:]
	}
	return s + " + " + o
}

func paren(parts []string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// Explain is the text of stage procfunc.
func (f *Functions) Explain() string {
	var b strings.Builder
	b.WriteString(explainHead)
	reports := f.Reports()
	if len(reports) == 0 {
		b.WriteString("\nno communication\n")
	}
	for _, r := range reports {
		b.WriteString("\n" + r.String())
	}
	return b.String()
}

const explainHead = `Positions are template positions: the owner of each is a PE. p sends, q receives.
A matrix takes (p1, ..., pk, 1) to the positions in its rows; lo:hi:step is a set, U every position.
`

// String is the text for one communication.
func (r Report) String() string {
	var b strings.Builder
	name := fmt.Sprintf("C_%d", r.ID)
	fmt.Fprintf(&b, "%-5s %-10s %-24s line %d", name, r.Kind, strings.Join(r.References, ", "), r.Line)
	if !r.Collective {
		fmt.Fprintf(&b, "   C %d  CO %d  UO %d", r.C, r.CO, r.UO)
	}
	b.WriteString("\n")
	item := func(title, text, say string) {
		lines := strings.Split(text, "\n")
		for i, l := range lines {
			if i > 0 {
				title = ""
			}
			fmt.Fprintf(&b, "  %-10s %s\n", title, l)
		}
		if say != "" {
			fmt.Fprintf(&b, "  %-10s   %s\n", "", say)
		}
	}
	if r.Relation != "" {
		item("messages", r.Relation, r.saySpaces())
	}
	item("Producers", tupleText(r.Producers), r.SayProducers)
	item("Consumers", tupleText(r.Consumers), r.SayConsumers)
	item("RF", linalg.Grid(r.ReceiveFrom), r.SayReceiveFrom)
	if !r.Collective {
		if r.Exact {
			item("exact", "yes: these are all messages of one instance, and no others", "")
		} else {
			item("exact", "no: there may be fewer messages; "+r.Why, "")
		}
	}
	for _, n := range r.NextProducers {
		title := "NP " + n.Index
		if n.Index == "" {
			title = fmt.Sprintf("NP line %d", n.Loop)
		}
		item(title, linalg.Grid(n.Matrix), n.Say)
	}
	if r.Union != nil {
		item("NP", linalg.Grid(r.Union), r.SayUnion)
	}
	if len(r.NextProducers) == 0 && !r.Collective {
		item("NP", "none", "No loop is around it: it is executed once.")
	}
	return b.String()
}

// saySpaces says how positions are dealt out.
func (r Report) saySpaces() string {
	var parts []string
	for d, s := range r.Spaces {
		text := ""
		switch {
		case s.Producers == "" && s.Consumers == "":
			continue
		case s.Producers == s.Consumers || s.Consumers == "":
			text = s.Producers
		case s.Producers == "":
			text = s.Consumers
		default:
			text = fmt.Sprintf("%s to %s", s.Producers, s.Consumers)
		}
		if len(r.Spaces) > 1 {
			text = fmt.Sprintf("dimension %d: %s", d+1, text)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

func tupleText(sets []string) string { return paren(sets) }
