package report

// For drawing, the graph is cut into blocks: nodes that always follow each other
// stand in one box, one row for each statement, and communication nodes of one
// kind that follow each other share a row.

// block is a box of the drawing.
type block struct {
	nodes []int // in order
	rows  []row
	succs []blockEdge
	// x is the middle, y the top; set by the layout.
	x, y, w, h float64
	layer      int
}

// row is a line in a box: one statement, or communication nodes of one kind.
type row struct {
	nodes []int
	pills bool
	text  string
}

// blockEdge is an edge between boxes.
type blockEdge struct {
	to       int // block
	from, at int // nodes
	label    string
	back     bool
	stub     bool // only the beginning is drawn
}

// pillsPerRow is how many communication nodes share a row.
const pillsPerRow = 5

// maxRowText is how many characters of a statement are drawn; all of it is in
// the source beside.
const maxRowText = 44

// blocks cuts the graph. The blocks are in the order of their first nodes.
func (g *Graph) blocks() []*block {
	preds := make([]int, len(g.Nodes))
	for _, n := range g.Nodes {
		for _, s := range n.Succs {
			preds[s]++
		}
	}
	starts := make([]bool, len(g.Nodes))
	for i, n := range g.Nodes {
		starts[i] = starts[i] || i == 0 || preds[i] != 1 || n.Kind == "loop"
		if len(n.Succs) != 1 || n.Kind == "loop" {
			for _, s := range n.Succs {
				starts[s] = true
			}
		}
	}
	var list []*block
	of := make([]int, len(g.Nodes))
	for i := range g.Nodes {
		if !starts[i] {
			continue
		}
		b := &block{}
		for at := i; ; at = g.Nodes[at].Succs[0] {
			b.nodes = append(b.nodes, at)
			of[at] = len(list)
			if s := g.Nodes[at].Succs; len(s) != 1 || starts[s[0]] {
				break
			}
		}
		b.rows = g.rows(b.nodes)
		list = append(list, b)
	}
	for _, b := range list {
		last := g.Nodes[b.nodes[len(b.nodes)-1]]
		for slot, s := range last.Succs {
			e := blockEdge{to: of[s], from: last.ID, at: s}
			if len(last.Succs) == 2 {
				e.label = []string{"T", "F"}[slot]
			}
			head := g.Nodes[s]
			e.back = head.Kind == "loop" && g.inside(last.Loop, head.Loop)
			b.succs = append(b.succs, e)
		}
	}
	return list
}

// inside reports whether loop inner is outer or lies in it.
func (g *Graph) inside(inner, outer int) bool {
	for ; inner != 0; inner = g.Loops[inner-1].Parent {
		if inner == outer {
			return true
		}
	}
	return false
}

func (g *Graph) rows(nodes []int) []row {
	var rows []row
	for _, id := range nodes {
		n := &g.Nodes[id]
		switch n.Kind {
		case "comm", "commover", "useover", "reduce", "barrier":
			if k := len(rows) - 1; k >= 0 && rows[k].pills && len(rows[k].nodes) < pillsPerRow &&
				g.Nodes[rows[k].nodes[0]].Kind == n.Kind && n.Kind != "reduce" {
				rows[k].nodes = append(rows[k].nodes, id)
				continue
			}
			rows = append(rows, row{nodes: []int{id}, pills: true})
		case "entry", "exit", "join":
			rows = append(rows, row{nodes: []int{id}, text: map[string]string{"entry": "entry", "exit": "exit"}[n.Kind]})
		default:
			text := []rune(n.Text)
			if len(text) > maxRowText {
				text = append(text[:maxRowText-1], '…')
			}
			rows = append(rows, row{nodes: []int{id}, text: string(text)})
		}
	}
	return rows
}
