package codegen

import (
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// A list has runs of elements where the innermost loop goes along the first axis of what it
// picks, and no PE has only a part of that axis:
//
//	do j = 1, n                    list1 = append(list1, end-i+1, i, int(perm.Data[perm.At1(j)]))
//	   do i = 1, m
//	      b(i,j) = a(i,perm(j))    c1.Next(i)
//	   end do                      c1N1 := c1.Data[c1.At1(i):][:nT]
//	end do
//
// The loop is a leaf loop like any other then, and may be a kernel. Builds with checks list
// the elements themselves.

// listsRuns reports whether the list of c has runs.
func (g *gen) listsRuns(c *comm.Comm) bool { return !g.opt.Check && g.inRuns(c) }

// inRuns reports whether the elements that c picks are runs. It is the same in all builds.
func (g *gen) inRuns(c *comm.Comm) bool {
	if is, known := g.runs[c]; known {
		return is
	}
	g.runs[c] = true // for linear
	g.runs[c] = g.findRuns(c)
	return g.runs[c]
}

func (g *gen) findRuns(c *comm.Comm) bool {
	d := c.Walk[len(c.Walk)-1]
	l := g.newLeaf(d, c.Region)
	if g.step(d) != 1 || !l.plain() || g.labelled[d] || !isLeaf(d.Body) || len(g.stripped(d)) > 0 || c.Array.Mapping == nil {
		return false
	}
	if b := g.prog.Info.Bounds(d); b.Affine() && b.Runs() {
		if far, ok := b.Hi.Sub(b.Lo); ok && far.IsConst() && far.C+1 < shortest {
			return false
		}
	}
	refs := l.refs()
	for _, r := range c.Refs {
		found := false
		for _, f := range refs {
			found = found || f.ref == r && !f.conditional && l.unit(f)
		}
		for _, s := range r.Subs[1:] {
			found = found && !ir.Mentions(s, d.Index)
		}
		if !found {
			return false
		}
	}
	return true
}

// nextRuns goes to the next runs of the loop's lists.
func (l *leaf) nextRuns(list []*comm.Comm) {
	for _, c := range list {
		if l.g.listsRuns(c) {
			f, _ := l.linear(c.Refs[0])
			l.g.out.p("%s.Next(%s)", l.g.comms[c], l.g.affine(f.subs[0]))
		}
	}
}
