package codegen

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
	"github.com/spmdc/spmdc/procfunc/linalg"
	"github.com/spmdc/spmdc/runtime/dist"
)

// triplet renders the range of a loop index on PE pe.
func (g *gen) rangeOn(r *comm.Range, pe string) string {
	all := "dist.All()"
	switch {
	case r.By != nil:
		all = fmt.Sprintf("dist.Range(%s, %s, %s)", g.affine(r.Lo), g.affine(r.Hi), g.affine(*r.By))
	case !r.Unknown:
		all = fmt.Sprintf("dist.Range(%s, %s, %d)", g.affine(r.Lo), g.affine(r.Hi), r.Step)
	}
	return g.owned(r.Cons, r.Index, pe, all)
}

// owned renders the elements of range all in which PE pe owns every constraint.
func (g *gen) owned(cons []comm.Constraint, index, pe, all string) string {
	out := all
	for i, c := range cons {
		a := c.Sub.Coef(index)
		rest, _ := c.Sub.Subst(index, linalg.Const(0))
		if i > 0 {
			out = fmt.Sprintf("%s.Iters(%s, %d, %d, %s, %s)", g.names.sym(c.Array), pe, c.Axis, a, g.affine(rest), out)
			continue
		}
		out = fmt.Sprintf("%s.Iters(%s, %d, %d, %s, %s)", g.names.sym(c.Array), pe, c.Axis, a, g.affine(rest), all)
	}
	return out
}

// holds renders the test that PE pe satisfies c.
func (g *gen) holds(c comm.Constraint, pe string) string {
	if c.Axis < 0 {
		return fmt.Sprintf("%s.Layout.Holds(%s)", g.names.sym(c.Array), pe)
	}
	return fmt.Sprintf("%s.Holds(%s, %d, %s)", g.names.sym(c.Array), pe, c.Axis, g.affine(c.Sub))
}

func (g *gen) axis(c *comm.Comm, d int, ax comm.Axis) string {
	if ax.All {
		b := c.Array.Dims[d]
		return fmt.Sprintf("dist.Range(%s, %s, 1)", g.end(b.Lo), g.end(b.Hi))
	}
	if len(ax.Terms) == 0 {
		return "dist.Single(" + g.affine(ax.Off) + ")"
	}
	out := ""
	for i, t := range ax.Terms {
		s := g.rangeOn(t.Range, "q")
		if x := g.strip(c); x != nil && d == x.Axis {
			s = g.stripOf(x, t.Range)
		}
		if x := g.lag(c, t.Range); x != "" {
			s = x
		}
		off := linalg.Affine{}
		if i == 0 {
			off = ax.Off
		}
		if t.Coef != 1 || !off.Equal(linalg.Affine{}) {
			s = fmt.Sprintf("%s.Image(%d, %s)", s, t.Coef, g.affine(off))
		}
		if i == 0 {
			out = s
		} else {
			out = fmt.Sprintf("%s.Plus(%s)", out, s)
		}
	}
	return out
}

// box renders the elements that PE q consumes, if it consumes any.
func (g *gen) box(c *comm.Comm) string {
	axes := make([]string, len(c.Axes))
	for d, ax := range c.Axes {
		axes[d] = g.axis(c, d, ax)
	}
	return fmt.Sprintf("pe.Box(%s)", strings.Join(axes, ", "))
}

// needByAll renders the box that every PE consumes, if it is the same for all of them.
func (g *gen) needByAll(c *comm.Comm) (box string, ok bool) {
	if c.RootOnly || c.Kind == comm.Pipeline || len(c.Guard) > 0 || g.strip(c) != nil {
		return "", false
	}
	for _, r := range c.Ranges {
		if len(r.Cons) > 0 {
			return "", false
		}
	}
	return g.box(c), true
}

// within renders a box that has what all PEs consume, if it lets many producers find out that they
// have nothing of it: where an axis along which the source is distributed is the same for all.
func (g *gen) within(c *comm.Comm) (box string, useful bool) {
	axes := make([]string, len(c.Axes))
	for d, ax := range c.Axes {
		axes[d] = "dist.All()"
		if slices.ContainsFunc(ax.Terms, func(t comm.AxisTerm) bool { return len(t.Range.Cons) > 0 }) {
			continue
		}
		axes[d] = g.axis(c, d, ax)
		useful = useful || !ax.All && g.distributes(c, d)
	}
	return fmt.Sprintf("pe.Box(%s)", strings.Join(axes, ", ")), useful
}

// distributes reports whether the elements along axis d of what c moves have several owners.
func (g *gen) distributes(c *comm.Comm, d int) bool {
	for axis, ax := range axesOf(c.Array) {
		along := axis
		if len(c.Subs) > 0 {
			along = c.Subs[axis].Axis
		}
		if along == d && ax.Grid >= 0 && ax.Format != dist.Collapsed {
			return true
		}
	}
	return false
}

// need renders the function that gives what PE q consumes, and the scalars of
// the program that it reads.
func (g *gen) need(c *comm.Comm) (string, []*ir.Symbol) {
	before := g.used
	g.used = map[*ir.Symbol]bool{}
	var b strings.Builder
	args := "q int"
	if g.strip(c) != nil {
		args = "q, strip int"
	}
	fmt.Fprintf(&b, "func(%s) spmd.Box {\n", args)
	if c.RootOnly {
		b.WriteString("if q != 0 {\nreturn nil\n}\n")
	}
	for _, k := range c.Guard {
		fmt.Fprintf(&b, "if !%s {\nreturn nil\n}\n", g.holds(k, "q"))
	}
	// A loop that the elements do not depend on may still have no iterations
	// on q: then q reads nothing.
	for _, r := range c.Ranges {
		if len(r.Cons) > 0 && !c.Varies(r) {
			fmt.Fprintf(&b, "if %s.N == 0 {\nreturn nil\n}\n", g.rangeOn(r, "q"))
		}
	}
	fmt.Fprintf(&b, "return %s\n}", g.box(c))
	var captured []*ir.Symbol
	for _, f := range c.Affines() {
		for _, v := range f.Vars() {
			if s := g.symbols[v]; s != nil {
				g.used[s] = true
			}
		}
	}
	for s := range g.used {
		captured = append(captured, s)
	}
	sort.Slice(captured, func(i, j int) bool { return captured[i].Name < captured[j].Name })
	// The indices of expanded ranges are not variables here.
	var vars []*ir.Symbol
	own := map[string]bool{}
	for _, r := range c.Ranges {
		own[r.Index] = true
	}
	text := b.String()
	for _, s := range captured {
		if !own[s.Name] && mentions(text, g.names.sym(s)) {
			vars = append(vars, s)
		}
	}
	g.used = before
	return text, vars
}

// captures opens a block in which the scalars that closures read are copies:
// the loops' own variables then stay in registers.
func (g *gen) captures(vars []*ir.Symbol) bool {
	if len(vars) == 0 {
		return false
	}
	names := make([]string, len(vars))
	for i, s := range vars {
		names[i] = g.scalar(s)
		g.reads(s)
	}
	list := strings.Join(names, ", ")
	g.out.p("{")
	g.out.p("%s := %s", list, list)
	return true
}

func (g *gen) subArgs(c *comm.Comm) string {
	var b strings.Builder
	for _, s := range c.Subs {
		fmt.Fprintf(&b, ", spmd.Sub{Axis: %d, Coef: %d, Off: %s}", s.Axis, s.Coef, g.affine(s.Off))
	}
	return b.String()
}

// comment emits what c moves, and why it does or does not synchronise, above a call.
func (g *gen) comment(c *comm.Comm) {
	const width = 110
	line := "//"
	for _, word := range strings.Fields(source.Printable(g.plan.Comment(c))) {
		if len(line)+len(word) > width {
			g.out.p("%s", line)
			line = "//"
		}
		line += " " + word
	}
	g.out.p("%s", line)
}

// needs emits what c moves, from its next execution on.
func (g *gen) needs(c *comm.Comm) {
	g.out.at = c.CLine
	text, vars := g.need(c)
	if box, ok := g.needByAll(c); ok {
		for _, s := range vars {
			g.scalar(s)
			g.reads(s)
		}
		g.comment(c)
		g.out.p("%s.NeedsAll(%s%s)", g.comms[c], box, g.subArgs(c))
		return
	}
	open := g.captures(vars)
	g.comment(c)
	switch {
	case g.strip(c) != nil:
		g.out.p("%s.NeedsStrips(%s%s)", g.comms[c], text, g.subArgs(c))
	case c.Kind == comm.Pipeline:
		p := c.Region.Pipe
		g.out.p("%s.NeedsFrom(%d, %d, %s)", g.comms[c], p.GridDim, p.Dir, text)
	default:
		within := ""
		if box, useful := g.within(c); useful {
			within = ".Within(" + box + ")"
		}
		g.out.p("%s%s.Needs(%s%s)", g.comms[c], within, text, g.subArgs(c))
	}
	if open {
		g.out.p("}")
	}
}

// post emits C_x of each communication of the group.
func (g *gen) post(n *comm.Post) {
	g.out.at = n.Comms[0].CLine
	for _, set := range n.MessageGroups() {
		for _, c := range set {
			g.out.at = c.CLine
			if c.Kind == comm.Irregular {
				g.list(c)
				continue
			}
			g.claim(c)
			if g.lasting[c] == nil {
				g.needs(c)
			}
			if len(set) == 1 {
				g.out.p("%s.Post()", g.comms[c])
			}
		}
		if len(set) > 1 {
			g.out.p("%s.Post()", g.together(set))
		}
	}
}

// together is the object of communications that travel together.
func (g *gen) together(set []*comm.Comm) string {
	t := messageGroup{name: g.names.fresh(fmt.Sprintf("with%d", set[0].ID)), members: set}
	g.groups = append(g.groups, t)
	return t.name
}

// messageGroup is communications whose messages to the same PE are one.
type messageGroup struct {
	name    string
	members []*comm.Comm
}

// declare emits the object.
func (g *gen) declare(t messageGroup) {
	names := make([]string, len(t.members))
	for i, c := range t.members {
		names[i] = g.comms[c]
	}
	g.out.p("%s := pe.MessageGroup(%s) // one message for what they send to the same PE", t.name, strings.Join(names, ", "))
}

func (g *gen) wait(n *comm.Wait) {
	for _, c := range n.Comms {
		g.out.at = c.COLine
		g.out.p("%s.Wait()", g.comms[c])
	}
}

func (g *gen) done(n *comm.Done) {
	for _, c := range n.Comms {
		g.out.at = c.UOLine
		g.out.p("%s.Done()", g.comms[c])
	}
}

// axesOf is how the axes of an array lie on the PEs; of one that is not mapped there are none.
func axesOf(s *ir.Symbol) []dist.Axis {
	if s.Mapping == nil {
		return nil
	}
	return s.Mapping.Map.Axes
}
