// Package codegen emits the Go program of a synchronisation plan. For
//
//	do i = 2, n
//	   b(i) = a(i-1)
//	end do
//
// it writes
//
//	// #1 shift a(i-1) (line 8): ...; a ready message before every put, ...
//	c1.Needs(func(q int) spmd.Box {
//		return pe.Box(b.Iters(q, 0, 1, 0, dist.Range(2, 100, 1)).Image(1, -1))
//	})
//	c1.Post()
//	c1.Wait()
//	if it := b.Iters(pe.ID(), 0, 1, 0, dist.Range(2, 100, 1)); it.N > 0 {
//		i := it.Lo
//		nT := it.N
//		aN1 := a.Data[a.At1(i-1):][:nT]
//		bN2 := b.Data[b.At1(i):][:nT]
//		for t := 0; t < nT; t++ {
//			bN2[t] = aN1[t]
//		}
//	}
//	c1.Done()
//
// In loops Needs stands in front of the outermost one in which it stays the same.
package codegen

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
	"github.com/spmdc/spmdc/runtime/dist"
)

// Options choose the variant of the emitted program.
type Options struct {
	// Check emits bounds checks, tests for undefined values and for INTEGER
	// overflow; loops are then not turned into leaf loops.
	Check bool
	// Claims are what the analysis says of the messages of each communication, by
	// number less 1: programs with Check compare it with the messages that there are.
	Claims []*Claim
	// Unsafe emits programs of plans that do not make them right too.
	Unsafe bool
	// Target says for which processors leaf loops are kernels; "" is for kernel.Go: they
	// are loops in main.go.
	Target kernel.Target
	// FP says what may be done with floating-point operations; "" is for Ordered.
	FP FP
	// Source names the version of the source text, for programs whose barriers
	// may be elided by what was learned of that version.
	Source string
	// Block, above 0, is how many iterations the blocks of pipelines have; below 0 there
	// are none. With 0 the run time chooses.
	Block int
	// Strip, above 0, is how many iterations the strips of nests have that are executed by
	// turns; below 0 there are none. With 0 it is what fits in a cache.
	Strip int
}

// ErrUnsafe is the answer to a plan that leaves out messages without proof.
var ErrUnsafe = errors.New("the plan does not make the program right")

// Emit returns main.go of the emitted program, formatted, or ErrUnsafe. Programs with
// kernels have more files.
func Emit(p *plan.Plan, o Options) ([]byte, error) {
	files, _, err := EmitFiles(p, o)
	return files["main.go"], err
}

// EmitFiles returns the files of package main by their names, formatted, or ErrUnsafe; and
// what became of the innermost loops.
func EmitFiles(p *plan.Plan, o Options) (map[string][]byte, []Loop, error) {
	if !p.Kind.Sound() && !o.Unsafe {
		return nil, nil, ErrUnsafe
	}
	g := &gen{
		plan: p, prog: p.Program, opt: o, out: &buffer{},
		names:      newNames(p.Program.IR),
		symbols:    map[string]*ir.Symbol{},
		lasting:    map[*comm.Comm]ir.Stmt{},
		listed:     map[*comm.Comm]string{},
		temps:      map[*comm.Comm]string{},
		comms:      map[*comm.Comm]string{},
		lists:      map[*comm.Comm]string{},
		walked:     map[*comm.Comm]string{},
		picked:     map[*ir.Ref]string{},
		grids:      map[*ir.Grid]string{},
		bound:      map[*ir.Symbol]int{},
		declared:   map[*ir.Symbol]bool{},
		read:       map[*ir.Symbol]bool{},
		used:       map[*ir.Symbol]bool{},
		leaf:       map[*ir.Ref]string{},
		rolled:     map[*ir.Ref]string{},
		starts:     map[*ir.Assign]string{},
		labelled:   map[ir.Stmt]bool{},
		labels:     map[string]ir.Stmt{},
		labelOf:    map[ir.Stmt]string{},
		final:      map[*ir.Do]string{},
		readSites:  map[*ir.Read]int{},
		imageSites: map[ir.Stmt]int{},
		corefSites: map[*ir.CoRef]int{},

		parts:   map[*ir.Do]string{},
		copyOf:  map[*ir.Ref]*ir.Ref{},
		vectors: map[*ir.Do]*vectorLoop{}, partial: map[*ir.Symbol]func() string{}, partialRef: map[*ir.Ref]func() string{}, fused: map[*ir.Bin]side{}, kernelOf: map[string]*kernel.Kernel{},
		points: map[*ir.Checkpoint]int{}, pointSites: map[*ir.Checkpoint]int{},
	}
	ir.Walk(p.Program.IR.Body, func(s ir.Stmt) bool {
		if _, ok := s.(*ir.Do); ok {
			g.loops++
		}
		return true
	})
	text, err := g.program()
	files := map[string][]byte{"main.go": text}
	if err != nil {
		return files, nil, err
	}
	more, err := g.kernelFiles()
	maps.Copy(files, more)
	return files, g.innermost(), err
}

type gen struct {
	plan    *plan.Plan
	prog    *comm.Program
	opt     Options
	out     *buffer
	names   *names
	symbols map[string]*ir.Symbol

	temps, comms, lists, walked map[*comm.Comm]string // Go names
	grids                       map[*ir.Grid]string

	bound    map[*ir.Symbol]int  // scalars that are local to a loop here
	declared map[*ir.Symbol]bool // scalars that the function declares
	read     map[*ir.Symbol]bool // of these, those that are read
	used     map[*ir.Symbol]bool
	leaf     map[*ir.Ref]string // how a leaf loop addresses a reference
	rows     []*kernel.Rows     // the nests over rows
	picked   map[*ir.Ref]string // the names under which it has addressed one that it picks
	index    []int              // open loops: line of the index definition, or -1
	final    map[*ir.Do]string
	parts    map[*ir.Do]string // open loops in strips: the iterations of the strip
	blocks   *blockNames       // of the pipelined region at hand, if it is in blocks
	serial   int
	around   int // open loops that all PEs execute together

	divided bool // PEs execute different parts of what is emitted now
	loops   int  // of the program
	fetches bool // distributed elements are fetched from their owners

	vectors    map[*ir.Do]*vectorLoop
	rolled     map[*ir.Ref]string           // what a leaf loop stores: the variable that the next iteration reads
	outer      map[*ir.Do]*ir.Do            // the loop around each; nil before it is asked for
	partial    map[*ir.Symbol]func() string // sums inside of their loop: the partial sum of the iteration
	partialRef map[*ir.Ref]func() string    // the same of sums that are elements
	fused      map[*ir.Bin]side             // sums that are rounded once with a product
	kernels    []*kernel.Kernel
	kernelOf   map[string]*kernel.Kernel // by their description
	copyOf     map[*ir.Ref]*ir.Ref       // references of unrolled loops

	lasting map[*comm.Comm]ir.Stmt // the loop while which the elements stay the same
	listed  map[*comm.Comm]string  // of lists that do: the Go variable that tells whether it is made

	inside *ir.Site // the call that the statement emitted last is part of

	labelled  map[ir.Stmt]bool
	starts    map[*ir.Assign]string // statements that start a reduction of elements: its neutral value
	labels    map[string]ir.Stmt
	labelOf   map[ir.Stmt]string
	readSites map[*ir.Read]int
	sites     []string
	barriers  map[int]*comm.Comm // by site: the barriers of the plan, with a communication behind each
	versions  []string           // by site: what the version of the program depends on
	companies []company

	imageSites map[ir.Stmt]int // of programs with coarrays
	corefSites map[*ir.CoRef]int
	syncsAll   bool   // the program has a SYNC ALL
	marked     access // what the marks since the last synchronisation say

	points, pointSites map[*ir.Checkpoint]int // the numbers of the calls of spmd_checkpoint, and their sites
	resume             string                 // the variable with the number of the call to go on from
	kept               []string               // bounds of the loops around calls
}

// site is the run-time site of a communication.
func (g *gen) site(c *comm.Comm) int { return c.ID - 1 }

func (g *gen) reduceSite(r *comm.Reduction) int { return r.ID - 1 }

func (g *gen) readSite(s *ir.Read) int { return g.readSites[s] }

func (g *gen) program() ([]byte, error) {
	p := g.prog.IR
	for _, s := range p.Symbols {
		g.symbols[s.Name] = s
	}
	for _, c := range g.prog.Comms {
		g.comms[c] = g.names.fresh(c.Name())
		switch {
		case c.Kind == comm.Irregular:
			g.lists[c] = g.names.fresh(fmt.Sprintf("list%d", c.ID))
		case !c.Overlap:
			g.temps[c] = g.names.fresh(fmt.Sprintf("t%d", c.ID))
		}
	}
	for _, gr := range p.Grids {
		name := gr.Name
		if name == "" {
			name = fmt.Sprintf("grid%d", gr.Rank)
		}
		g.grids[gr] = g.names.fresh(name)
	}
	g.findLasting(g.prog.Body, nil)
	g.findBarriers(g.prog.Body)
	g.makeSites()
	g.findLabels(p.Body, nil)

	if g.numberPoints(g.prog.Body); len(g.points) > 0 {
		g.resume = g.names.fresh("resume")
	}

	// The body first: it tells which scalars the function declares.
	g.nodes(g.prog.Body)
	body := g.finishPoints(g.out.lines)
	g.out = &buffer{}
	g.objects(body)
	objects := g.out.lines
	g.out = &buffer{}
	uses := func(pkg string) bool {
		for _, lines := range [][]line{objects, body} {
			for _, l := range lines {
				if mentions(l.text, pkg) {
					return true
				}
			}
		}
		return false
	}
	g.header(uses)
	g.out.lines = append(g.out.lines, objects...)
	g.scalars()
	g.out.lines = append(g.out.lines, body...)
	g.out.at = 0
	g.out.p("}")
	text, err := g.out.bytes(source.Printable(filepath.Base(p.File)), "main.go")
	return g.identify(text), err
}

// makeSites numbers everything that communicates, for messages of the run time.
func (g *gen) makeSites() {
	site := func(line, col int, kind, ref, why string) { g.addSite(line, col, kind, ref, why, nil) }
	for _, c := range g.prog.Comms {
		why := ""
		if g.opt.Check {
			why = g.plan.Why(c)
		}
		site(c.Line, c.Col, string(c.Kind), ir.ExprString(c.Refs[0]), why)
	}
	for _, r := range g.prog.Reduces {
		site(r.Line, 1, r.Name, r.What(), "")
	}
	ir.Walk(g.prog.IR.Body, func(s ir.Stmt) bool {
		if r, ok := s.(*ir.Read); ok {
			g.readSites[r] = len(g.sites)
			site(r.Pos.Line, r.Pos.Col, "read", ir.StmtString(r), "")
		}
		if c, ok := s.(*ir.Checkpoint); ok {
			g.pointSites[c] = len(g.sites)
			site(c.Pos.Line, c.Pos.Col, "checkpoint", "spmd_checkpoint", "")
		}
		return true
	})
	g.makeImageSites()
}

// addSite adds a line to the table of sites and returns its number. call is the
// call that executes it, where that matters.
func (g *gen) addSite(line, col int, kind, ref, why string, call *ir.Site) int {
	if why != "" {
		why = fmt.Sprintf(", Why: %q", why)
	}
	if call != nil {
		why += fmt.Sprintf(", Call: %d", call.ID+1)
	}
	n := len(g.sites)
	barrier := g.barrierSite(n)
	g.versions = append(g.versions, fmt.Sprint(line, col, kind, ref, barrier))
	why += barrier
	g.sites = append(g.sites, fmt.Sprintf("{ID: %d, Line: %d, Col: %d, Kind: %q, Ref: %q%s},", n, line, col, kind, ref, why))
	return n
}

// header emits everything before the body of run. uses tells which packages
// the function needs.
func (g *gen) header(uses func(pkg string) bool) {
	p := g.prog.IR
	g.out.p("// Code generated by spmdc from %s; DO NOT EDIT.", source.Printable(filepath.Base(p.File)))
	g.out.p("")
	if p.SPMD {
		g.out.p("// Program %s: every image executes run, on variables of its own.", p.Name)
	} else {
		g.out.p("// Program %s in SPMD form: every processing element (PE) executes run.", p.Name)
		g.out.p("// Plan: %s.", g.plan.Kind)
	}
	g.out.p("package main")
	g.out.p("")
	g.out.p("import (")
	if uses("math") {
		g.out.p("%q", "math")
		g.out.p("")
	}
	if uses("dist") {
		g.out.p("%q", "github.com/spmdc/spmdc/runtime/dist")
	}
	g.out.p("%q", "github.com/spmdc/spmdc/runtime/spmd")
	g.out.p(")")
	g.out.p("")
	g.out.p("// program tells the run time what the numbers in its messages mean.")
	g.out.p("var program = spmd.Program{")
	g.out.p("Name: %q,", p.Name)
	g.out.p("File: %q,", source.Printable(filepath.Base(p.File))) // as in //line directives
	if g.opt.Check {
		g.out.p("Check: true,")
	}
	if p.SPMD {
		g.out.p("Coarray: true,")
		g.calls()
	}
	if len(g.points) > 0 {
		g.out.p("Identity: %q,", unidentified)
	}
	if len(g.sites) > 0 {
		g.out.p("Sites: []spmd.Site{")
		for _, s := range g.sites {
			g.out.p("%s", s)
		}
		g.out.p("},")
	}
	g.version()
	g.out.p("}")
	g.out.p("")
	g.out.p("func main() { spmd.Main(program, run) }")
	g.out.p("")
	if p.SPMD {
		g.out.p("// run is the program, as one image executes it.")
	} else {
		g.out.p("// run is the program, as one PE executes it.")
	}
	g.out.p("func run(pe *spmd.PE) {")
}

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
			if len(slot.Asks) > 0 {
				names := make([]string, len(slot.Asks))
				for i, y := range slot.Asks {
					names[i] = g.comms[g.prog.Comms[y-1]]
				}
				g.out.p("%s.AnsweredBy(%s) // no ready message to PEs that these come from", g.comms[c], strings.Join(names, ", "))
			}
			if len(slot.At) > 0 {
				names := make([]string, len(slot.At))
				for i, n := range slot.At {
					names[i] = strconv.Itoa(n)
				}
				unheard := ""
				if slot.Unheard {
					unheard = ".Unheard()"
				}
				g.out.p("%s.QuietOn(%s)%s // no ready messages on so many PEs", g.comms[c], strings.Join(names, ", "), unheard)
			}
		}
		for _, t := range g.companies {
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
	if !p.SPMD { // there other images may ask for initial values at once
		g.out.p("pe.Start()")
	}
	for _, s := range p.Symbols {
		if s.IsArray() && !s.Param && s.Init != nil && used[g.names.sym(s)] {
			name := g.names.sym(s)
			g.out.p("for %sN := range %s.Data {\n%s.Data[%sN] = %s\n}", name, name, name, name, g.value(s.Init, s))
		}
	}
	if p.SPMD {
		g.out.p("pe.Start()")
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
		for i, b := range s.Dims {
			bounds[i] = fmt.Sprintf("[2]int{%d, %d}", b.Lo, b.Hi)
		}
		kind, shown := "NewLocal", s.Name
		if s.Coarray {
			kind, shown = "NewCoarray", s.Source()
		}
		g.out.p("%s := spmd.%s[%s](pe, %q, %s)", name, kind, goType(s.Type), shown, strings.Join(bounds, ", "))
		return
	}
	m := s.Mapping.Map
	var b strings.Builder
	b.WriteString("dist.Map{Axes: []dist.Axis{\n")
	for _, ax := range m.Axes {
		if ax.Grid < 0 {
			fmt.Fprintf(&b, "{Lo: %d, Hi: %d, Grid: -1, A: 1},\n", ax.Lo, ax.Hi)
			continue
		}
		fmt.Fprintf(&b, "{Lo: %d, Hi: %d, Grid: %d, Format: %s, TLo: %d, THi: %d, A: %d, B: %d},\n", ax.Lo, ax.Hi, ax.Grid, distFormat(ax.Format), ax.TLo, ax.THi, ax.A, ax.B)
	}
	b.WriteString("}")
	if len(m.Fixed) > 0 {
		b.WriteString(", Fixed: []dist.Fixed{\n")
		for _, f := range m.Fixed {
			fmt.Fprintf(&b, "{Grid: %d, Format: %s, TLo: %d, THi: %d, Pos: %d},\n", f.Grid, distFormat(f.Format), f.TLo, f.THi, f.Pos)
		}
		b.WriteString("}")
	}
	b.WriteString("}")
	shadow := "nil"
	if w := g.prog.Shadow[s]; w != nil {
		parts := make([]string, len(w))
		for i, x := range w {
			parts[i] = fmt.Sprintf("{%d, %d}", x[0], x[1])
		}
		shadow = "[][2]int{" + strings.Join(parts, ", ") + "}"
	}
	g.out.p("%s := spmd.NewArray[%s](pe, %q, dist.NewLayout(%s, %s), %s)", name, goType(s.Type), s.Name, b.String(), g.grids[s.Mapping.Grid], shadow)
}

func distFormat(f dist.Format) string {
	switch f {
	case dist.Block:
		return "dist.Block"
	case dist.Cyclic:
		return "dist.Cyclic"
	}
	return "dist.Collapsed"
}

// communication declares the node of c, and its temporary.
func (g *gen) communication(c *comm.Comm) {
	typ, src := goType(c.Array.Type), g.names.sym(c.Array)
	slot := &g.plan.Slots[c.ID-1]
	mode := ""
	switch {
	case slot.Unheard && len(slot.At) == 0:
		mode = ".Unheard()"
	case len(slot.Asks) > 0: // said when all communications are there
	case !g.plan.Ready(c):
		mode = ".Sync(spmd.Quiet)"
	}
	switch {
	case c.Kind == comm.Irregular:
		for _, s := range c.Region.Stmts {
			if g.prog.Modified(s)[c.Array] {
				mode += ".Copied()"
				break
			}
		}
		g.out.p("%s := spmd.NewIrregular[%s](pe, %d, %s)%s", g.comms[c], typ, g.site(c), src, mode)
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
			g.out.p("%s := spmd.NewStaged[%s](pe, %d, %s, %d, %d)%s", g.comms[c], typ, g.site(c), src, slot.Count*g.mostBlocks(c), c.StageAxis(), mode)
		case g.mostBlocks(c) > 1:
			g.out.p("%s := spmd.NewBlocks[%s](pe, %d, %s, %d)%s", g.comms[c], typ, g.site(c), src, g.mostBlocks(c), mode)
		case slot.Planes != nil:
			g.out.p("%s := spmd.NewPlanes[%s](pe, %d, %s, %d)%s", g.comms[c], typ, g.site(c), src, slot.Count, mode)
		default:
			g.out.p("%s := spmd.NewComm[%s](pe, %d, %s, nil)%s", g.comms[c], typ, g.site(c), src, mode)
		}
	default:
		if n := slot.Count; n > 1 {
			g.out.p("%s := spmd.NewTemps[%s](pe, %d, %s, %d)", g.temps[c], typ, len(c.Axes), g.capacity(c), n)
		} else {
			g.out.p("%s := spmd.NewTemp[%s](pe, %d, %s)", g.temps[c], typ, len(c.Axes), g.capacity(c))
		}
		if g.strip(c) == nil && len(g.points) == 0 && g.prog.Stays(c) {
			mode += ".InPlace()"
		}
		if s := g.strip(c); s != nil {
			mode += ".InStrips()"
			if s.Tells {
				mode += ".Telling()"
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
		most := c.TempExtent(d)
		if s := g.strip(c); s != nil && s.Axis == d {
			most = min(most, s.Size)
		}
		own := ""
		if len(ax.Terms) == 1 && len(ax.Terms[0].Range.Cons) > 0 {
			k := ax.Terms[0].Range.Cons[0]
			own = fmt.Sprintf("min(%d, %s.Owned(%d).N)", most, g.names.sym(k.Array), k.Axis)
		}
		if own != "" {
			factors = append(factors, own)
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
	for _, t := range []ir.Type{ir.Integer, ir.Long, ir.Real, ir.Double, ir.Logical, ir.Character} {
		var plain []string
		for _, s := range byType[t] {
			name := g.names.sym(s)
			switch {
			case s.Init != nil:
				g.out.p("var %s %s = %s", name, goType(t), g.value(s.Init, s))
			case g.opt.Check && !s.Temp && undefined[t] != "":
				g.out.p("var %s %s = %s // undefined", name, goType(t), undefined[t])
			case t == ir.Character && !g.opt.Check:
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
}
