package codegen

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/parser/source"
	"github.com/spmdc/spmdc/procfunc/linalg"
	"github.com/spmdc/spmdc/runtime/dist"
)

// Claim is what the analysis says of the messages of one communication (see
// check.Relation for what it means): forms are over the indices of Vars and over
// variables of the program.
type Claim struct {
	Must     bool
	Vars     []ClaimIndex
	From, To []ClaimPlace // by grid dimension
	Inside   []ClaimSubscript
	Next     []ClaimNext
	Text     string // the same for people
}

// ClaimNext is NextProducers over the back edge of the loop at a depth, 0 for the
// outermost: a row for each grid dimension.
type ClaimNext struct {
	Depth int
	Rows  []ClaimRow
}

// ClaimRow is every position with Any; else from Lo to Hi by Step, and with Own as far
// from where the value is sent from now.
type ClaimRow struct {
	Any, Own bool
	Lo, Hi   linalg.Affine
	Step     int64
}

// ClaimIndex is an index with its values.
type ClaimIndex struct {
	Name    string
	Lo, Hi  linalg.Affine
	Step    int64
	Unknown bool
}

// ClaimPlace is a template position; with Any it may be each.
type ClaimPlace struct {
	Any      bool
	At       linalg.Affine
	Format   dist.Format
	TLo, THi int
}

// ClaimSubscript is a subscript and the bounds of its dimension.
type ClaimSubscript struct {
	At, Lo, Hi linalg.Affine
}

// claim emits, in check builds, what the analysis says of the messages of the
// instance of c that is about to start: proofs rest on it, so the run compares it
// with the messages that there are.
//
//	c1.Claim(spmd.Relation{Must: true, Vars: []spmd.Index{{Lo: 2, Hi: n, Step: 1}},
//		From: []spmd.Place{{At: spmd.Form{-1, 1}, Format: dist.Block, TLo: 1, THi: 100}},
//		To: []spmd.Place{{At: spmd.Form{0, 1}, Format: dist.Block, TLo: 1, THi: 100}}}) // i - 1 -> i; i = 2:n
func (g *gen) claim(c *comm.Comm) {
	if !g.opt.Check || c.ID > len(g.opt.Claims) || c.Kind == comm.Irregular {
		return
	}
	r := g.opt.Claims[c.ID-1]
	w := claimWriter{g: g, r: r, vars: map[string]int{}}
	for i, v := range r.Vars {
		w.vars[v.Name] = i
	}
	parts := []string{}
	if r.Must {
		parts = append(parts, "Must: true")
	}
	var spans, inside []string
	for _, v := range r.Vars {
		if v.Unknown {
			spans = append(spans, "{Unknown: true}")
		} else {
			spans = append(spans, fmt.Sprintf("{Lo: %s, Hi: %s, Step: %d}", g.affine(v.Lo), g.affine(v.Hi), v.Step))
		}
	}
	if len(spans) > 0 {
		parts = append(parts, "Vars: []spmd.Index{"+strings.Join(spans, ", ")+"}")
	}
	parts = append(parts, "From: "+w.places(r.From), "To: "+w.places(r.To))
	for _, e := range r.Inside {
		inside = append(inside, fmt.Sprintf("{At: %s, Lo: %s, Hi: %s}", w.form(e.At), g.affine(e.Lo), g.affine(e.Hi)))
	}
	if len(inside) > 0 {
		parts = append(parts, "Inside: []spmd.Bounded{"+strings.Join(inside, ", ")+"}")
	}
	if next := w.next(); next != "" {
		parts = append(parts, next)
	}
	// On one line, since it all belongs to one line of the source.
	g.out.p("%s.Claim(spmd.Relation{%s}) // %s", g.comms[c], strings.Join(parts, ", "), source.Printable(r.Text))
}

// claimWriter knows which names are those of the relation's own indices; the others
// are variables of the program.
type claimWriter struct {
	g    *gen
	r    *Claim
	vars map[string]int
}

func (w *claimWriter) places(ps []ClaimPlace) string {
	list := make([]string, len(ps))
	for i, p := range ps {
		switch {
		case p.Any:
			list[i] = "{}"
		case p.Format == dist.Collapsed:
			list[i] = fmt.Sprintf("{At: %s, Format: dist.Collapsed}", w.form(p.At))
		default:
			list[i] = fmt.Sprintf("{At: %s, Format: %s, TLo: %s, THi: %s}", w.form(p.At), distFormat(p.Format), w.g.end(p.TLo), w.g.end(p.THi))
		}
	}
	return "[]spmd.Place{" + strings.Join(list, ", ") + "}"
}

// next writes what is said of the next instance; "" for nothing.
func (w *claimWriter) next() string {
	var list []string
	for _, n := range w.r.Next {
		rows := make([]string, len(n.Rows))
		says := false
		for i, r := range n.Rows {
			if r.Any || !w.known(r.Lo) || !w.known(r.Hi) {
				rows[i] = "{Any: true}"
				continue
			}
			says = true
			own := ""
			if r.Own {
				own = "Own: true, "
			}
			rows[i] = fmt.Sprintf("{%sLo: %s, Hi: %s, Step: %d}", own, w.form(r.Lo), w.form(r.Hi), r.Step)
		}
		if says {
			list = append(list, fmt.Sprintf("{Depth: %d, Rows: []spmd.Row{%s}}", n.Depth, strings.Join(rows, ", ")))
		}
	}
	if list == nil {
		return ""
	}
	return "Next: []spmd.Next{" + strings.Join(list, ", ") + "}"
}

// known reports whether all names of a form are indices of the relation or variables
// of the program.
func (w *claimWriter) known(f linalg.Affine) bool {
	for _, v := range f.Vars() {
		if _, own := w.vars[v]; !own && w.g.symbols[v] == nil {
			return false
		}
	}
	return true
}

// form writes the constant, which has the variables of the program in it, and the
// coefficients of the indices.
func (w *claimWriter) form(f linalg.Affine) string {
	rest := linalg.Affine{C: f.C, T: map[string]int64{}}
	coef := make([]string, 0, len(w.r.Vars))
	for _, v := range w.r.Vars {
		coef = append(coef, fmt.Sprint(f.Coef(v.Name)))
	}
	for _, v := range f.Vars() {
		if _, own := w.vars[v]; !own {
			rest.T[v] = f.Coef(v)
		}
	}
	for len(coef) > 0 && coef[len(coef)-1] == "0" {
		coef = coef[:len(coef)-1]
	}
	return "spmd.Form{" + strings.Join(append([]string{w.g.affine(rest)}, coef...), ", ") + "}"
}
