package comm

import (
	"slices"

	"github.com/spmdc/spmdc/ir"
)

// release ends, before each EXIT and CYCLE, the communications that it jumps
// out of: on every path UO_r follows C_r before C_r comes again.
func (a *analyzer) release(body []Node) []Node {
	r := &releaser{opened: map[ir.Stmt]int{}}
	return r.nodes(body)
}

type releaser struct {
	live   []*Comm
	opened map[ir.Stmt]int // loop -> how many were live at its entry
}

func (r *releaser) nodes(list []Node) []Node {
	var out []Node
	for _, n := range list {
		switch n := n.(type) {
		case *Post:
			r.live = append(r.live, n.Comms...)
		case *Done:
			r.done(n.Comms)
		case *Loop:
			r.opened[n.Do] = len(r.live)
			n.Body = r.nodes(n.Body)
		case *WhileLoop:
			r.opened[n.While] = len(r.live)
			n.Pre = r.nodes(n.Pre)
			r.done(n.Used)
			n.Body = r.nodes(n.Body)
		case *Branch:
			before := append([]*Comm(nil), r.live...)
			n.Then = r.nodes(n.Then)
			after := r.live
			r.live = before
			n.Else = r.nodes(n.Else)
			// A branch that jumps away leaves its list as it was there.
			if len(after) < len(r.live) {
				r.live = after
			}
		case *Simple:
			var to ir.Stmt
			switch s := n.Stmt.(type) {
			case *ir.Exit:
				to = s.Loop
			case *ir.Cycle:
				to = s.Loop
			}
			if to != nil {
				if open := r.live[min(r.opened[to], len(r.live)):]; len(open) > 0 {
					out = append(out, &Done{append([]*Comm(nil), open...)})
				}
			}
		}
		out = append(out, n)
	}
	return out
}

// done takes comms off the live list.
func (r *releaser) done(comms []*Comm) {
	gone := map[*Comm]bool{}
	for _, c := range comms {
		gone[c] = true
	}
	var keep []*Comm
	for _, c := range r.live {
		if !gone[c] {
			keep = append(keep, c)
		}
	}
	r.live = keep
}

// endEarly moves the ends of values that follow reductions in front of them: by
// these every PE then tells every other that it is done with the values.
func endEarly(list []Node) []Node {
	var out []Node
	at := -1 // where the reductions just before begin
	for _, n := range list {
		switch n := n.(type) {
		case *Done:
			if at >= 0 {
				out = slices.Insert(out, at, Node(n))
				at++
				continue
			}
		case *Combine:
			if at < 0 {
				at = len(out)
			}
			out = append(out, n)
			continue
		}
		rewrite(n, endEarly)
		at = -1
		out = append(out, n)
	}
	return out
}
