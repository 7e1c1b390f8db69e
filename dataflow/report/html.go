package report

import (
	"embed"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"
)

//go:embed page
var page embed.FS

// HTML is the report, built in full, as one page that needs nothing else: no
// other file, no network. source is the program; everything from it is escaped.
func (r *Report) HTML(source string) (string, error) {
	t, err := template.New("page.html").Funcs(template.FuncMap{
		"lower": strings.ToLower, "join": strings.Join, "matrix": func(cells [][]string) template.HTML { return cellsHTML(cells) },
		"set": set, "bare": bare, "changes": changes, "spots": spots, "onPEs": onPEs, "eliminated": eliminated,
		"form": func(s Slot) string { return s.form() },
		"hints": func(list []Hint, tried bool) []string {
			var out []string
			for _, h := range list {
				if h.Tried == tried {
					out = append(out, h.Text)
				}
			}
			return out
		},
	}).ParseFS(page, "page/page.html")
	if err != nil {
		return "", err
	}
	css, err := page.ReadFile("page/page.css")
	if err != nil {
		return "", err
	}
	js, err := page.ReadFile("page/page.js")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, map[string]any{
		"Report": r, "CSS": template.CSS(css), "JS": template.JS(js), "Graph": template.HTML(r.svg()),
		"Lines": r.lines(source), "Panels": r.panels(), "Data": r.pageData(),
		"Says": strings.ToUpper(planSays[r.Plan][:1]) + planSays[r.Plan][1:], "Costs": costs,
	})
	return b.String(), err
}

// sourceLine is a line of the program, with what communicates there.
type sourceLine struct {
	Number      int
	Text        string
	Class       string // "hpf", "comment" or ""
	Refs        []*Communication
	Collectives []Collective
}

var directive = regexp.MustCompile(`(?i)^\s*[!c*]hpf\$`)

func (r *Report) lines(source string) []sourceLine {
	var out []sourceLine
	for i, text := range strings.Split(strings.TrimRight(source, "\n"), "\n") {
		l := sourceLine{Number: i + 1, Text: strings.TrimRight(text, "\r")}
		switch {
		case directive.MatchString(text):
			l.Class = "hpf"
		case strings.HasPrefix(strings.TrimSpace(text), "!"):
			l.Class = "comment"
		}
		for k := range r.Communications {
			if slices.Contains(r.Communications[k].Lines, l.Number) {
				l.Refs = append(l.Refs, &r.Communications[k])
			}
		}
		for _, c := range r.Collectives {
			if c.Line == l.Number {
				l.Collectives = append(l.Collectives, c)
			}
		}
		out = append(out, l)
	}
	return out
}

// panel is what the page shows of a communication.
type panel struct {
	*Communication
	Where       string
	Around      []string // loops, outermost first
	Obligations []panelItem
	Next        []panelMatrix
	Besides     string
}

type panelItem struct {
	*Obligation
	Alone bool // the only one of its communication
	Index int
}

type panelMatrix struct {
	Name  string
	Cells [][]string
	Say   string
}

func (r *Report) panels() []panel {
	var out []panel
	for i := range r.Communications {
		c := &r.Communications[i]
		p := panel{Communication: c, Besides: c.besides(), Where: spots(c.C) + " · " + spots(c.CO) + " · " + spots(c.UO)}
		for _, id := range c.Loops {
			l := r.Graph.Loops[id-1]
			name := fmt.Sprintf("line %d", l.Line)
			if l.Index != "" {
				name = fmt.Sprintf("%s (line %d)", l.Index, l.Line)
			}
			p.Around = append(p.Around, name)
		}
		for _, n := range c.Functions.NextProducers {
			m := panelMatrix{Cells: n.Matrix, Say: n.Say}
			if len(c.Functions.NextProducers) > 1 {
				if m.Name = n.Index; m.Name == "" {
					m.Name = fmt.Sprintf("line %d", n.Loop)
				}
			}
			p.Next = append(p.Next, m)
		}
		for k := range c.Obligations {
			o := &c.Obligations[k]
			item := panelItem{Obligation: o, Alone: len(c.Obligations) == 1, Index: k}
			p.Obligations = append(p.Obligations, item)
		}
		out = append(out, p)
	}
	return out
}

func cellsHTML(cells [][]string) template.HTML {
	var b strings.Builder
	b.WriteString(`<table class="matrix"><tbody>`)
	for _, row := range cells {
		b.WriteString("<tr>")
		for _, s := range row {
			b.WriteString("<td>" + template.HTMLEscapeString(s) + "</td>")
		}
		b.WriteString("</tr>")
	}
	b.WriteString("</tbody></table>")
	return template.HTML(b.String())
}

// pageData is what the page's script works with: paths, lines with their roles,
// and the states as indices into a list of texts.
type pageData struct {
	States []string   `json:"states"`
	Nodes  []pageNode `json:"nodes"`
	Comms  []pageComm `json:"comms"`
}

type pageNode struct {
	Name string `json:"name"`
	Line int    `json:"line"`
}

type pageComm struct {
	ID      int        `json:"id"`
	Verdict string     `json:"verdict"`
	Items   []pageItem `json:"items"`
}

type pageItem struct {
	Slots int        `json:"slots"`
	Use   int        `json:"use"`
	Put   int        `json:"put"`
	Good  bool       `json:"good"`
	Paths [][]int    `json:"paths"` // of the chains, or the one of the gap
	Roles []pageRole `json:"roles"`
	// Sweeps has SC_IN and SC_OUT after each sweep, as pairs of the last node of a
	// span and the index of its state.
	Sweeps [][2][]int `json:"sweeps"`
}

// pageRole is what happens at a line.
type pageRole struct {
	Node int    `json:"node"`
	Line int    `json:"line"`
	Name string `json:"name"`
	Kind string `json:"kind"` // use, killer, put, passed, missed
}

func (r *Report) pageData() pageData {
	d := pageData{States: []string{}, Nodes: []pageNode{}, Comms: []pageComm{}}
	index := map[string]int{}
	number := func(spans []Span) []int {
		out := make([]int, 0, 2*len(spans))
		for _, s := range spans {
			k, ok := index[s.State]
			if !ok {
				k = len(d.States)
				index[s.State] = k
				d.States = append(d.States, s.State)
			}
			out = append(out, s.To, k)
		}
		return out
	}
	states := func(list []Sweep) [][2][]int {
		out := [][2][]int{}
		for _, s := range list {
			out = append(out, [2][]int{number(s.In), number(s.Out)})
		}
		return out
	}
	for _, n := range r.Graph.Nodes {
		name := n.Name
		if n.Kind == "stmt" || n.Kind == "branch" || n.Kind == "loop" {
			name = n.Text
		}
		d.Nodes = append(d.Nodes, pageNode{name, n.Line})
	}
	for i := range r.Communications {
		c := &r.Communications[i]
		pc := pageComm{ID: c.ID, Verdict: c.Verdict, Items: []pageItem{}}
		for k := range c.Obligations {
			pc.Items = append(pc.Items, c.Obligations[k].page(&r.Graph, states))
		}
		d.Comms = append(d.Comms, pc)
	}
	return d
}

// hopKinds are the page's names for roles of hops.
var hopKinds = map[string]string{"before": "put", "use": "use", "witness": "killer", "known": "killer", "put": "put"}

// changes is change for each of several values, one per line.
func changes(in, out string) string {
	ins, outs := strings.Split(in, " | "), strings.Split(out, " | ")
	for i := range ins {
		ins[i] = change(ins[i], outs[i])
	}
	return strings.Join(ins, "\n")
}

func (o *Obligation) page(graph *Graph, states func([]Sweep) [][2][]int) pageItem {
	item := pageItem{Slots: max(1, o.Slots), Use: o.Use, Put: o.Put, Good: o.Gap == nil, Paths: [][]int{}, Roles: []pageRole{}, Sweeps: states(o.Sweeps)}
	add := func(p Point, kind string) {
		role := pageRole{p.Node, p.Line, bare(p.Name), kind}
		if !slices.Contains(item.Roles, role) {
			item.Roles = append(item.Roles, role)
		}
	}
	for _, ch := range o.Chains {
		item.Paths = append(item.Paths, ch.Path)
		for _, h := range ch.Hops {
			add(h.Point, hopKinds[h.Role])
		}
	}
	if g := o.Gap; g != nil {
		item.Paths = append(item.Paths, g.Path)
		if len(g.Path) > 0 {
			n := &graph.Nodes[g.Path[0]]
			add(Point{n.ID, n.Name, n.Line}, "use")
		}
		for _, p := range g.Passed {
			add(p.Point, "passed")
		}
		for _, p := range g.Missed {
			add(p.Point, "missed")
		}
	}
	return item
}
