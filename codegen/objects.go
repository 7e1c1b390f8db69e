package codegen

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/runtime/dist"
)

// What stands in front of the body of a program: grids, arrays, communications and scalars.

// objects emits grids, arrays, temporaries and communications: those that the
// body uses, since Go takes no others.
func (g *gen) objects(body []line) {
	p := g.prog.IR
	used := map[string]bool{}
	// part collects what f emits, and what that uses.
	part := func(f func()) []line {
		g.out.lines = nil
		f()
		identifiers(used, g.out.lines)
		return g.out.lines
	}
	identifiers(used, body)
	comms := part(func() {
		var reached []*comm.Comm // not those behind a jump that is always taken
		for _, c := range g.prog.Comms {
			if used[g.comms[c]] {
				reached = append(reached, c)
				g.communication(c)
			}
		}
		for _, c := range reached {
			slot := &g.plan.Slots[c.ID-1]
			if len(slot.At) > 0 {
				names := make([]string, len(slot.At))
				for i, n := range slot.At {
					names[i] = strconv.Itoa(n)
				}
				onDemand := ""
				if slot.Ready == plan.OnDemand {
					onDemand = ".OnDemand()"
				}
				g.out.p("%s.ElidedOn(%s)%s // no ready messages on so many PEs", g.comms[c], strings.Join(names, ", "), onDemand)
			}
		}
		g.declareOwn(used)
		for _, s := range p.Symbols {
			if name := g.partsNames[s]; name != "" && used[name] {
				g.out.p("%s := spmd.NewParts(pe, %s)", name, g.names.sym(s))
			}
		}
		for _, t := range g.groups {
			if used[t.name] {
				g.declare(t)
			}
		}
	})
	arrays := part(func() {
		for _, s := range p.Symbols {
			if s.IsArray() && !s.Param && used[g.names.sym(s)] {
				g.array(s)
			}
		}
	})
	grids := part(func() {
		for _, gr := range p.Grids {
			if used[g.grids[gr]] {
				g.grid(gr)
			}
		}
	})
	g.out.lines = append(append(grids, arrays...), comms...)
	// Once they have started, others may ask for initial values, and put what they computed into overlaps.
	for _, s := range p.Symbols {
		if s.IsArray() && !s.Param && s.Init == nil && s.Type == ir.Character && s.Len > 0 && !g.opt.Check && used[g.names.sym(s)] {
			g.out.p("spmd.Blank(%s.Data, %d)", g.names.sym(s), s.Len)
		}
		if s.IsArray() && !s.Param && s.Init != nil && used[g.names.sym(s)] {
			name := g.names.sym(s)
			g.out.p("for %sN := range %s.Data {\n%s.Data[%sN] = %s\n}", name, name, name, name, g.value(s.Init, s))
		}
		if s.IsArray() && !s.Param && s.Values != nil && used[g.names.sym(s)] {
			g.initialValues(s)
		}
	}
	g.out.p("pe.Start()")
	if g.regions.recorder != "" && used[g.regions.recorder] {
		g.out.p("%s := trace.Of(pe)", g.regions.recorder)
	}
	switch {
	case len(g.points) == 0:
	case g.resume == "":
		g.out.p("pe.Resume()")
	default:
		g.out.p("%s := pe.Resume() // the checkpoint to go on from, 0: none", g.resume)
	}
	g.out.p("")
}

// initialValues emits the initial values of array s: many equal ones as such, others in
// lists.
func (g *gen) initialValues(s *ir.Symbol) {
	name := g.names.sym(s)
	const long = 4
	for i := 0; i < len(s.Values); {
		v := s.Values[i]
		if v.N >= long {
			g.out.p("%s.Repeat(%d, %d, %s)", name, v.At, v.N, g.value(v.Const, s))
			i++
			continue
		}
		var list []string
		for next := v.At; i < len(s.Values) && s.Values[i].N < long && s.Values[i].At == next; i++ {
			for range s.Values[i].N {
				list = append(list, g.value(s.Values[i].Const, s))
			}
			next += s.Values[i].N
		}
		g.out.p("%s.Initial(%d, %s)", name, v.At, strings.Join(list, ", "))
	}
}

func (g *gen) grid(gr *ir.Grid) {
	args := make([]string, gr.Rank)
	for i := range args {
		args[i] = "0"
		if gr.Shape != nil {
			args[i], _ = g.whole(gr.Shape[i])
		}
	}
	g.out.p("%s := pe.Grid(%s)", g.grids[gr], strings.Join(args, ", "))
}

func (g *gen) array(s *ir.Symbol) {
	name := g.names.sym(s)
	g.out.at = 0
	if s.Mapping == nil {
		bounds := make([]string, len(s.Dims))
		for i, b := range unallocated(s) {
			bounds[i] = fmt.Sprintf("[2]int{%d, %d}", b.Lo, b.Hi)
		}
		kind, shown := "NewLocal", s.Name
		if s.Coarray {
			if kind, shown = "NewCoarray", s.Source(); s.Apart {
				kind = "NewApart"
			}
		}
		g.out.p("%s := spmd.%s[%s](pe, %q, %s)", name, kind, goType(s.Type), shown, strings.Join(bounds, ", "))
		return
	}
	m := s.Mapping.Map
	shadow := "nil"
	if w := g.prog.Shadow[s]; w != nil {
		parts := make([]string, len(w))
		for i, x := range w {
			parts[i] = fmt.Sprintf("{%d, %d}", x[0], x[1])
		}
		shadow = "[][2]int{" + strings.Join(parts, ", ") + "}"
	}
	line := ""
	if first, ok := g.first[s]; ok && m.Axes[0].Grid < 0 && first != int64(m.Axes[0].Lo) {
		line = fmt.Sprintf(", %d", first)
	}
	g.out.p("%s := spmd.NewArray[%s](pe, %q, pe.Layout(%s, %s), %s%s)", name, goType(s.Type), s.Name, g.mapOf(emptied(m), g.end), g.grids[s.Mapping.Grid], shadow, line)
}

// emptied is the map that an array has before it is allocated: without elements where bounds are open.
func emptied(m dist.Map) dist.Map {
	return ir.EachEnds(m, func(lo, hi int) (int, int) {
		if ir.IsOpen(lo) || ir.IsOpen(hi) {
			return 1, 0
		}
		return lo, hi
	})
}

// mapOf renders m, and its ends by end.
func (g *gen) mapOf(m dist.Map, end func(int) string) string {
	var b strings.Builder
	b.WriteString("dist.Map{Axes: []dist.Axis{\n")
	for _, ax := range m.Axes {
		if ax.Grid < 0 {
			fmt.Fprintf(&b, "{Lo: %s, Hi: %s, Grid: -1, A: 1},\n", end(ax.Lo), end(ax.Hi))
			continue
		}
		fmt.Fprintf(&b, "{Lo: %s, Hi: %s, Grid: %d, Format: %s, TLo: %s, THi: %s, A: %d, B: %d},\n",
			end(ax.Lo), end(ax.Hi), ax.Grid, distFormat(ax.Format), end(ax.TLo), end(ax.THi), ax.A, ax.B)
	}
	b.WriteString("}")
	if len(m.Fixed) > 0 {
		b.WriteString(", Fixed: []dist.Fixed{\n")
		for _, f := range m.Fixed {
			fmt.Fprintf(&b, "{Grid: %d, Format: %s, TLo: %s, THi: %s, Pos: %d},\n", f.Grid, distFormat(f.Format), end(f.TLo), end(f.THi), f.Pos)
		}
		b.WriteString("}")
	}
	b.WriteString("}")
	return b.String()
}

func distFormat(f dist.Format) string {
	switch f {
	case dist.Block:
		return "dist.Block"
	case dist.Cyclic:
		return "dist.Cyclic"
	}
	if sizes := f.Sizes(); sizes != nil {
		return fmt.Sprintf("dist.GenBlocks(%s)", strings.Trim(strings.Join(strings.Fields(fmt.Sprint(sizes)), ", "), "[]"))
	}
	if k := f.BlockLength(); k > 0 {
		return fmt.Sprintf("dist.Cyclics(%d)", k)
	}
	if f.IsBlock() {
		return fmt.Sprintf("dist.Blocks(%d)", f.Size())
	}
	return "dist.Collapsed"
}

// communication declares the node of c, and its temporary.
func (g *gen) communication(c *comm.Comm) {
	typ, src := goType(c.Array.Type), g.names.sym(c.Array)
	slot := &g.plan.Slots[c.ID-1]
	mode := ""
	switch {
	case slot.Ready == plan.OnDemand && len(slot.At) == 0:
		mode = ".OnDemand()"
	case slot.Ready == plan.Never:
		mode = ".Sync(spmd.Elided)"
	}
	switch {
	case c.Kind == comm.Irregular:
		if g.changesInside(c) {
			mode += ".Copied()"
		}
		if g.listsRuns(c) {
			mode += ".Runs()"
		}
		g.out.p("%s := spmd.NewIrregular[%s](pe, %d, %s)%s", g.comms[c], typ, g.site(c), src, mode)
		if g.sameList[c] != nil {
			break
		}
		g.out.p("var %s []int // subscripts that %s wants", g.lists[c], ir.ExprString(c.Refs[0]))
		if known, ok := g.listed[c]; ok {
			g.out.p("var %s bool // whether they are listed", known)
		}
	case c.Overlap:
		if len(c.Forward) > 0 {
			dims := make([]string, len(c.Forward))
			for i, d := range c.Forward {
				dims[i] = fmt.Sprint(d)
			}
			mode = fmt.Sprintf(".Forward(%s)", strings.Join(dims, ", ")) + mode
		}
		switch {
		case slot.Staged:
			g.out.p("%s := spmd.NewStaged[%s](pe, %d, %s, %d, %d)%s", g.comms[c], typ, g.site(c), src, slot.Ring*g.mostBlocks(c), c.StageAxis(), mode)
		case g.mostBlocks(c) > 1:
			g.out.p("%s := spmd.NewBlocks[%s](pe, %d, %s, %d)%s", g.comms[c], typ, g.site(c), src, g.mostBlocks(c), mode)
		case slot.Planes != nil:
			g.out.p("%s := spmd.NewPlanes[%s](pe, %d, %s, %d)%s", g.comms[c], typ, g.site(c), src, slot.Ring, mode)
		default:
			g.out.p("%s := spmd.NewComm[%s](pe, %d, %s, nil)%s", g.comms[c], typ, g.site(c), src, mode)
		}
	default:
		capacity, sized := g.capacity(c), ""
		if c.Array.Placed() {
			capacity, sized = "0", fmt.Sprintf(".Sized(func() int { return %s })", capacity)
		}
		if n := slot.Ring; n > 1 {
			g.out.p("%s := spmd.NewTemps[%s](pe, %d, %s, %d)%s", g.temps[c], typ, len(c.Axes), capacity, n, sized)
		} else {
			g.out.p("%s := spmd.NewTemp[%s](pe, %d, %s)%s", g.temps[c], typ, len(c.Axes), capacity, sized)
		}
		if c.InPlace && len(g.points) == 0 {
			mode += ".InPlace()"
		}
		if s := g.strip(c); s != nil {
			mode += ".InStrips()"
			if s.Completes {
				mode += ".Completing()"
			}
		}
		g.out.p("%s := spmd.NewComm(pe, %d, %s, %s)%s", g.comms[c], g.site(c), src, g.temps[c], mode)
	}
}

// capacity is the most elements that a PE may need at once.
func (g *gen) capacity(c *comm.Comm) string {
	fixed := 1
	var factors []string
	for d, ax := range c.Axes {
		most, text := c.TempExtent(d), ""
		if dim, by := c.TempExtentIn(d); dim >= 0 && c.Array.Dims[dim].Open() {
			text = fmt.Sprintf("%s.Extent(%d)", g.names.sym(c.Array), dim)
			if by > 1 {
				text = fmt.Sprintf("(%s+%d)/%d", text, by-1, by)
			}
		}
		if s := g.strip(c); s != nil && s.Axis == d {
			if most = min(most, s.Size); text != "" {
				text = fmt.Sprintf("min(%s, %d)", text, s.Size)
			}
		}
		if len(ax.Terms) == 1 && len(ax.Terms[0].Range.Cons) > 0 {
			if k := ax.Terms[0].Range.Cons[0]; !k.Array.Placed() || k.Array == c.Array {
				if text == "" {
					text = fmt.Sprint(most)
				}
				text = fmt.Sprintf("min(%s, %s.Owned(%d).N)", text, g.names.sym(k.Array), k.Axis)
			}
		}
		if text != "" {
			factors = append(factors, text)
		} else {
			fixed *= most
		}
	}
	if fixed != 1 || len(factors) == 0 {
		factors = append([]string{fmt.Sprint(fixed)}, factors...)
	}
	return strings.Join(factors, "*")
}

// scalars declares the scalars that the body uses.
func (g *gen) scalars() {
	g.out.at = 0
	byType := map[ir.Type][]*ir.Symbol{}
	var unread []string
	for _, s := range g.prog.IR.Symbols {
		if s.IsArray() || !g.declared[s] {
			continue
		}
		byType[s.Type] = append(byType[s.Type], s)
		if !g.read[s] {
			unread = append(unread, g.names.sym(s))
		}
	}
	for _, t := range []ir.Type{ir.Integer, ir.Long, ir.Real, ir.Double, ir.Complex, ir.DoubleComplex, ir.Logical, ir.Character} {
		var plain []string
		for _, s := range byType[t] {
			name := g.names.sym(s)
			switch {
			case s.Init != nil:
				g.out.p("var %s %s = %s", name, goType(t), g.value(s.Init, s))
			case g.opt.Check && !s.Temp && undefined[t] != "":
				g.out.p("var %s %s = %s // undefined", name, goType(t), undefined[t])
			case t == ir.Character && !g.opt.Check && s.Len > 0:
				g.out.p("var %s = spmd.Pad(\"\", %d)", name, s.Len)
			default:
				plain = append(plain, name)
			}
		}
		if len(plain) > 0 {
			g.out.p("var %s %s", strings.Join(plain, ", "), goType(t))
		}
	}
	g.declareKept()
	sort.Strings(unread)
	for _, u := range unread {
		g.out.p("_ = %s // assigned, never used", u)
	}
	g.out.p("")
}

// undefined are the values that stand for "never assigned" in check builds.
var undefined = map[ir.Type]string{
	ir.Integer: "spmd.UndefInt32",
	ir.Long:    "spmd.UndefInt",
	ir.Real:    "spmd.UndefFloat32",
	ir.Double:  "spmd.UndefFloat64",

	ir.Complex:       "spmd.UndefComplex64",
	ir.DoubleComplex: "spmd.UndefComplex128",
}
