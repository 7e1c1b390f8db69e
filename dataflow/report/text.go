package report

import (
	"fmt"
	"slices"
	"strings"
)

// Text is the whole report for reading. With color, verdicts are coloured by ANSI
// escapes.
func (r *Report) Text(color bool) string {
	text, err := r.View(View{Color: color})
	if err != nil {
		panic(err) // only a selection fails
	}
	return text
}

// View is what a view shows of the report. The error says that it selects nothing.
func (r *Report) View(v View) (string, error) {
	t := &text{r: r, color: v.Color}
	if err := v.check(r); err != nil {
		return "", err
	}
	if v.Only == "" {
		t.line("plan %s: %s", r.Plan, planSays[r.Plan])
		t.summary()
	}
	for i := range r.Communications {
		if c := &r.Communications[i]; !v.Brief && v.selects(c) {
			t.communication(c)
		}
	}
	if v.Only != "" {
		return t.b.String(), nil
	}
	if !v.Brief {
		t.collectives()
	}
	t.table()
	return t.b.String(), nil
}

type text struct {
	b     strings.Builder
	r     *Report
	color bool
}

// line writes a line without trailing blanks.
func (t *text) line(format string, args ...any) {
	t.b.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

// wrapWidth is how long the lines of paragraphs get.
const wrapWidth = 118

// wrap writes words behind a head, and the lines that follow indented by its
// width.
func (t *text) wrap(head, words string) {
	line, width := head, visible(head)
	indent := strings.Repeat(" ", width)
	empty := true
	for _, w := range strings.Fields(words) {
		if !empty && width+1+visible(w) > wrapWidth {
			t.line("%s", line)
			line, width, empty = indent, len(indent), true
		}
		if !empty {
			line, width = line+" ", width+1
		}
		line, width, empty = line+w, width+visible(w), false
	}
	t.line("%s", line)
}

// colours are the ANSI escapes of the verdicts.
var colours = map[string]string{"NoSync": "\x1b[1;32m", "Once": "\x1b[1;36m", "Sync": "\x1b[1;33m"}

const plain = "\x1b[0m"

// escapes removes what takes no room on the screen.
var escapes = strings.NewReplacer(colours["NoSync"], "", colours["Once"], "", colours["Sync"], "", plain, "")

// visible is how wide a text is.
func visible(s string) int { return len([]rune(escapes.Replace(s))) }

// paint colours a verdict.
func (t *text) paint(verdict, text string) string {
	if !t.color {
		return text
	}
	return colours[verdict] + text + plain
}

func (t *text) communication(c *Communication) {
	verdict := c.Verdict
	refs := strings.Join(c.References, ", ")
	if len(refs) > 26 && len(c.References) > 1 {
		refs = c.References[0] + ", ..."
	}
	how := ""
	if s := c.Slot.form(); s != "" {
		how = strings.Repeat(" ", max(0, 8-len(verdict))) + s
	}
	t.line("#%-3d %-10s %-26s line %-4d %s%s", c.ID, c.Kind, refs, c.Line, t.paint(c.Verdict, verdict), how)
	if strings.HasSuffix(refs, "...") {
		t.wrap("     ", "for "+strings.Join(c.References, ", "))
	}
	t.wrap("     ", c.Moves)
	where := spots(c.C) + " · " + spots(c.CO) + " · " + spots(c.UO)
	if len(c.Loops) > 0 {
		var loops []string
		for _, id := range c.Loops {
			loops = append(loops, t.loop(id))
		}
		where += " · in " + strings.Join(loops, ", ")
	}
	t.wrap("     ", where)
	t.functions(c)
	for i := range c.Obligations {
		t.values(&c.Obligations[i])
	}
	t.wrap("     "+t.paint(c.Verdict, c.Verdict)+": ", c.Why+".")
	if l := c.OnDemand; l != nil {
		t.hops(l.Hops)
	}
	for i := range c.Exact {
		t.exact(&c.Exact[i])
	}
	if say := c.besides(); say != "" {
		t.line("       %s:", say)
	}
	for i := range c.Obligations {
		t.why(c, &c.Obligations[i])
	}
	t.forms(c)
	t.line("")
}

func (t *text) loop(id int) string {
	l := t.r.Graph.Loops[id-1]
	if l.Index == "" {
		return fmt.Sprintf("the loop of line %d", l.Line)
	}
	return fmt.Sprintf("%s (line %d)", l.Index, l.Line)
}

// spots is "C_1 line 39", "UO_1 line 44, 50".
func spots(points []Point) string {
	var name string
	var lines []string
	for _, p := range points {
		name = p.Name
		if l := fmt.Sprint(p.Line); !slices.Contains(lines, l) {
			lines = append(lines, l)
		}
	}
	return name + " line " + strings.Join(lines, ", ")
}

// functions writes sets and matrices, matrices side by side.
func (t *text) functions(c *Communication) {
	f := &c.Functions
	how := "exactly"
	if !f.Exact {
		how = "at most"
		if f.Why != "" {
			how += ", " + f.Why
		}
	}
	t.wrap("     ", fmt.Sprintf("Producers %s · Consumers %s · p -> q: %s (%s)", set(f.Producers), set(f.Consumers), f.Relation, how))
	blocks := [][]string{matrix(fmt.Sprintf("RF_%d = ", c.ID), f.ReceiveFrom)}
	for _, n := range f.NextProducers {
		name := fmt.Sprintf("NP_%d = ", c.ID)
		if len(f.NextProducers) > 1 {
			over := n.Index
			if over == "" {
				over = fmt.Sprintf("line %d", n.Loop)
			}
			name = fmt.Sprintf("NP_%d[%s] = ", c.ID, over)
		}
		blocks = append(blocks, matrix(name, n.Matrix))
	}
	for _, l := range beside(blocks) {
		t.line("     %s", l)
	}
}

// set writes one position set per dimension as a tuple.
func set(dims []string) string {
	if len(dims) == 1 {
		return dims[0]
	}
	return "(" + strings.Join(dims, ", ") + ")"
}

// matrix writes the rows of a matrix behind its name.
func matrix(name string, cells [][]string) []string {
	width := widths(cells)
	var out []string
	for i, row := range cells {
		line := strings.Repeat(" ", len(name))
		if i == 0 {
			line = name
		}
		line += "["
		for j, s := range row {
			line += fmt.Sprintf(" %*s", width[j], s)
		}
		out = append(out, line+" ]")
	}
	return out
}

// beside sets blocks of lines side by side.
func beside(blocks [][]string) []string {
	var out []string
	for _, block := range blocks {
		at := 0
		for _, l := range out {
			at = max(at, len([]rune(l)))
		}
		for i, l := range block {
			if i == len(out) {
				out = append(out, "")
			}
			if at > 0 {
				out[i] += strings.Repeat(" ", at+3-len([]rune(out[i])))
			}
			out[i] += l
		}
	}
	return out
}

// values writes SC_IN and SC_OUT at the nodes that matter: after each sweep, or, of
// several slots, those of each generation after the last one.
func (t *text) values(o *Obligation) {
	head := "SC"
	if o.Use != o.Put {
		head = fmt.Sprintf("SC, use %d put %d", o.Use, o.Put)
	}
	rows := [][]string{{head, ""}}
	for i, v := range o.Values {
		row := []string{v.Name, fmt.Sprintf("line %d", v.Line)}
		if o.Slots > 1 {
			if i == 0 {
				rows[0] = append(rows[0], generations[:o.Slots]...)
			}
			k := len(v.In) - 1
			in, out := strings.Split(v.In[k], " | "), strings.Split(v.Out[k], " | ")
			for a := range in {
				row = append(row, change(in[a], out[a]))
			}
			rows = append(rows, row)
			continue
		}
		for k := range v.In {
			if i == 0 {
				rows[0] = append(rows[0], fmt.Sprintf("sweep %d", k+1))
			}
			row = append(row, change(v.In[k], v.Out[k]))
		}
		rows = append(rows, row)
	}
	if len(o.Values) == 0 {
		return
	}
	for _, l := range columns(rows) {
		t.line("       %s", l)
	}
}

// generations name the values that several slots hold.
var generations = []string{"last value", "the one before", "2 before", "3 before"}

// change is "SC_IN -> SC_OUT", or the one value where nothing changes.
func change(in, out string) string {
	if in == out {
		return in
	}
	return in + " -> " + out
}

// widths are those of columns.
func widths(rows [][]string) (width []int) {
	for _, row := range rows {
		for j, s := range row {
			if j == len(width) {
				width = append(width, 0)
			}
			width[j] = max(width[j], len([]rune(s)))
		}
	}
	return width
}

// columns writes rows with columns of one width each.
func columns(rows [][]string) []string {
	width := widths(rows)
	var out []string
	for _, row := range rows {
		line := ""
		for j, s := range row {
			line += s + strings.Repeat(" ", width[j]-len([]rune(s))+2)
		}
		out = append(out, strings.TrimRight(line, " "))
	}
	return out
}

// why writes the chains, or the path that has none.
func (t *text) why(c *Communication, o *Obligation) {
	if o.Use != o.Put {
		text := fmt.Sprintf("%s: the last use of C_%d before the put of C_%d, into the same cells", o.Verdict, o.Use, o.Put)
		if o.Once != "" {
			text += "; " + o.Once
		}
		t.wrap("       ", text)
	} else if len(c.Obligations) > 1 && o.Once != "" {
		t.wrap("       ", o.Verdict+" by itself: "+o.Once)
	}
	for i, ch := range o.Chains {
		if len(o.Chains) > 1 {
			t.line("       way %d of %d", i+1, len(o.Chains))
		}
		t.hops(ch.Hops)
	}
	t.refusals("the printed tests of Conditions 2 and 3:", o.Printed)
	if o.Gap != nil {
		t.gap(o.Gap)
	}
}

// hops writes a chain, one hop a line.
func (t *text) hops(hops []Hop) {
	width := 0
	for _, h := range hops {
		width = max(width, len([]rune(bare(h.Name))))
	}
	for _, h := range hops {
		t.spot(h.Line, h.Name, width, h.Text, h.Relation)
	}
}

// exact writes a chain over several PEs.
func (t *text) exact(e *Exact) {
	if len(e.Hops) == 0 {
		t.wrap("       ", e.String())
		return
	}
	t.wrap("       ", e.String()+":")
	width := 0
	for _, h := range e.Hops {
		width = max(width, len([]rune(bare(h.Name))))
	}
	for _, h := range e.Hops {
		t.spot(h.Line, h.Name, width, h.Text, "")
	}
}

// gap writes the path on which nothing is known to order use and put.
func (t *text) gap(g *Gap) {
	pair := fmt.Sprintf("q is %s, p is %s", g.Consumer, g.Producer)
	if len(g.Ranges) > 0 {
		pair += "; " + strings.Join(g.Ranges, ", ")
	}
	t.wrap("       the pair: ", pair)
	if g.Example != nil {
		t.wrap("       an example: ", g.Example.Text)
	} else {
		t.wrap("       an example: ", "none was found on a few PEs: something may order them that the analysis does not see")
	}
	t.line("       the path:")
	for _, s := range g.Steps {
		t.wrap(fmt.Sprintf("         line %-4d ", s.Line), s.Text)
	}
	t.refusals("on the path, and no proof:", g.Passed)
	t.refusals("beside the path:", g.Missed)
	t.hints("what would do (tried in the analysis):", g.Hints, true)
	t.hints("what may help:", g.Hints, false)
}

func (t *text) hints(head string, list []Hint, tried bool) {
	for _, h := range list {
		if h.Tried != tried {
			continue
		}
		if head != "" {
			t.line("       %s", head)
			head = ""
		}
		t.wrap("         - ", h.Text)
	}
}

// forms writes what the forms of the analysis say, and what the search of plan
// elide looked at.
func (t *text) forms(c *Communication) {
	elide := c.Elide.Verdict
	if s := c.Elide.form(); s != "" {
		elide += ", " + s
	}
	t.wrap("     ", fmt.Sprintf("printed form %s · popl96 %s · elide %s", c.Literal.Verdict, c.PopL96, elide))
	if c.Literal.Why != "" {
		t.wrap("     printed form "+c.Literal.Verdict+": ", c.Literal.Why+".")
	}
	if c.Slot.Strips != "" {
		t.wrap("     ", c.Slot.Strips+".")
	}
	t.tried(c)
}

// tried writes what the search of plan elide looked at.
func (t *text) tried(c *Communication) {
	var chosen, ready *Tried
	var unproved []string
	var onDemand []*Tried
	for i := range c.Slot.Tried {
		s := &c.Slot.Tried[i]
		switch {
		case s.Chosen:
			chosen = s
		case s.Ready:
			if ready == nil {
				ready = s
			}
		case s.OnDemand:
			onDemand = append(onDemand, s)
		case !s.Free && s.Note == "":
			unproved = append(unproved, s.What)
		}
	}
	if chosen == nil {
		return
	}
	text := fmt.Sprintf("%s at cost %.4g", chosen.What, chosen.Cost)
	if ready != nil && !chosen.Ready {
		text += fmt.Sprintf(", against %.4g with a ready message before every put", ready.Cost)
	}
	t.wrap("     the search took: ", text+".")
	for _, s := range c.Slot.Tried {
		switch {
		case s.Chosen || s.Ready || s.OnDemand:
		case s.Free:
			text := fmt.Sprintf("proved, at cost %.4g", s.Cost)
			if s.Note != "" {
				text += ", " + s.Note
			}
			t.wrap("       ", s.What+": "+text)
		case s.Note != "":
			t.wrap("       ", s.What+": "+s.Note)
		}
	}
	if len(unproved) > 0 {
		t.wrap("       ", "not proved: "+strings.Join(unproved, "; "))
	}
	if len(onDemand) > 0 {
		var costs []string
		for _, s := range onDemand {
			costs = append(costs, fmt.Sprintf("%s: %.4g (%.2g %%)", strings.Replace(s.What, ", on demand", "", 1), s.Cost, 100*s.Rate))
		}
		t.wrap("       ", "on demand, at cost (and puts with a ready message): "+strings.Join(costs, ", "))
	}
}

func (t *text) refusals(head string, list []Refusal) {
	if len(list) == 0 {
		return
	}
	t.line("       %s", head)
	width := 0
	for _, p := range list {
		width = max(width, len([]rune(bare(p.Name))))
	}
	for _, p := range list {
		t.spot(p.Line, p.Name, width, p.Why, "")
	}
}

// spot writes what there is to say of a node.
func (t *text) spot(line int, name string, width int, what, relation string) {
	if relation != "" {
		what += " [" + relation + "]"
	}
	t.wrap(fmt.Sprintf("         line %-4d %-*s  ", line, width, bare(name)), what)
}

// bare is a name without its article, for columns.
func bare(name string) string { return strings.TrimPrefix(name, "the ") }
