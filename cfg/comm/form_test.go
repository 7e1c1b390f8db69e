package comm_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// form writes the SPMD form of p, one line per node:
//
//	C #1 #2
//	CO #1 #2
//	lines 8-12: j by the owner of b(:,j), i by the owner of b(i,:)
//	UO #1 #2
//	line 14, only the owner of a(3): ...
//	all: do k = 1, 3, 1
//	   ...
func form(p *comm.Program) string {
	var b strings.Builder
	w := formWriter{out: &b}
	w.nodes(p.Body)
	for _, s := range p.IR.Symbols {
		if width := p.Shadow[s]; width != nil {
			fmt.Fprintf(&b, "overlap of %s: %v\n", s.Name, width)
		}
	}
	return b.String()
}

type formWriter struct {
	out   *strings.Builder
	depth int
}

func (w *formWriter) line(format string, args ...any) {
	w.out.WriteString(strings.Repeat("   ", w.depth) + fmt.Sprintf(format, args...) + "\n")
}

func (w *formWriter) inner(list []comm.Node) {
	w.depth++
	w.nodes(list)
	w.depth--
}

func (w *formWriter) nodes(list []comm.Node) {
	for _, n := range list {
		switch n := n.(type) {
		case *comm.Post:
			w.line("C%s", ids(n.Comms))
		case *comm.Wait:
			w.line("CO%s", ids(n.Comms))
		case *comm.Done:
			w.line("UO%s", ids(n.Comms))
		case *comm.Region:
			w.region(n)
		case *comm.Start:
			for _, red := range n.Reduce {
				if red.Moved != nil { // others start with their region
					w.line("start #%d", red.ID)
				}
			}
		case *comm.Combine:
			for _, red := range n.Reduce {
				lead := ""
				for _, d := range red.Lead {
					lead += fmt.Sprintf(", coordinate 1 of dimension %d counts", d.Dim+1)
				}
				w.line("%s #%d: %s, by the owner of %s%s", red.Name, red.ID, red.Sym.Name, ir.ExprString(red.By), lead)
			}
		case *comm.Loop:
			w.line("all: %s", ir.StmtString(n.Do))
			w.inner(n.Body)
		case *comm.WhileLoop:
			w.line("all: do")
			w.inner(n.Pre)
			w.line("   while %s", ir.ExprString(n.While.Cond))
			if len(n.Used) > 0 {
				w.line("   UO%s either way", ids(n.Used))
			}
			w.inner(n.Body)
		case *comm.Branch:
			w.line("all: %s", ir.StmtString(n.If))
			w.inner(n.Then)
			if len(n.Else) > 0 {
				w.line("else")
				w.inner(n.Else)
			}
		case *comm.Simple:
			w.line("all: %s", ir.StmtString(n.Stmt))
		}
	}
}

func (w *formWriter) region(r *comm.Region) {
	var text strings.Builder
	first, last := r.Stmts[0].Position().Line, 0
	var order []*ir.Do
	ir.Walk(r.Stmts, func(s ir.Stmt) bool {
		last = max(last, s.Position().Line)
		if d, ok := s.(*ir.Do); ok {
			last = max(last, d.End.Line)
			order = append(order, d)
		}
		return true
	})
	if fmt.Fprintf(&text, "line %d", first); last > first {
		text.Reset()
		fmt.Fprintf(&text, "lines %d-%d", first, last)
	}
	if len(r.Guard) > 0 {
		fmt.Fprintf(&text, ", only the %s", constraints(r.Guard))
	}
	var parts []string
	for _, d := range order {
		if r.Part[d] != nil {
			parts = append(parts, fmt.Sprintf("%s by the %s", d.Index.Name, constraints(r.Part[d])))
		}
		if k := r.Picks[d]; k != nil {
			parts = append(parts, fmt.Sprintf("%s, which picks %s, by the %s", d.Index.Name, k.Var().Name, constraints(k.Own)))
		}
	}
	switch {
	case r.Fallback:
		text.WriteString(": all, on gathered arrays")
		for _, c := range r.StoreBack {
			text.WriteString("; owners keep " + c.Array.Name)
		}
	case len(parts) > 0:
		text.WriteString(": " + strings.Join(parts, ", "))
	case len(r.Guard) == 0:
		text.WriteString(": all")
	}
	if r.Pipe != nil {
		fmt.Fprintf(&text, "; PE after PE along dimension %d, %+d:%s", r.Pipe.GridDim+1, r.Pipe.Dir, ids(r.Pipe.Comms))
	}
	w.line("%s", text.String())
}

func ids(list []*comm.Comm) string {
	text := ""
	for _, c := range list {
		text += fmt.Sprintf(" #%d", c.ID)
	}
	return text
}

func constraints(list []comm.Constraint) string {
	var texts []string
	for _, k := range list {
		texts = append(texts, k.String())
	}
	slices.Sort(texts)
	return strings.Join(texts, " and ")
}
