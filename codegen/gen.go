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

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/codegen/kernel"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/parser/source"
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
	// Strip, above 0, is how many iterations the strips of fused nests have;
	// below 0 no nests are fused. With 0 it is what fits in a cache.
	Strip int
	// Regions makes a program that can measure where its time goes, see package trace.
	Regions bool
	// Files are the files of a program of several, whose lines have numbers of their own;
	// nil where there is one.
	Files *source.File
}

// ErrUnsafe is the answer to a plan that leaves out messages without proof.
var ErrUnsafe = errors.New("the plan does not make the program right")

// EmitFiles returns the files of package main by their names, formatted, or ErrUnsafe; and
// what became of the innermost loops.
func EmitFiles(p *plan.Plan, o Options) (map[string][]byte, []Loop, error) {
	if !p.Kind.Sound() && !o.Unsafe {
		return nil, nil, ErrUnsafe
	}
	g := &gen{
		plan: p, prog: p.Program, opt: o, out: &buffer{},
		names:      newNames(p.Program.IR, o.Regions),
		symbols:    map[string]*ir.Symbol{},
		runs:       map[*comm.Comm]bool{},
		lasting:    map[*comm.Comm]ir.Stmt{},
		fromList:   map[*ir.Assign]string{},
		own:        map[*ir.Do]*ownList{},
		listed:     map[*comm.Comm]string{},
		sameList:   map[*comm.Comm]*comm.Comm{},
		temps:      map[*comm.Comm]string{},
		comms:      map[*comm.Comm]string{},
		lists:      map[*comm.Comm]string{},
		walked:     map[*comm.Comm]string{},
		locals:     map[*ir.Symbol]map[string]*ir.Symbol{},
		picked:     map[*ir.Ref]pickedFrom{},
		prefix:     map[ir.Stmt]func(){},
		grids:      map[*ir.Grid]string{},
		bound:      map[*ir.Symbol]int{},
		declared:   map[*ir.Symbol]bool{},
		read:       map[*ir.Symbol]bool{},
		used:       map[*ir.Symbol]bool{},
		leaf:       map[*ir.Ref]string{},
		rolled:     map[*ir.Ref]string{},
		held:       map[ir.Expr]string{},
		starts:     map[*ir.Assign]string{},
		labelled:   map[ir.Stmt]bool{},
		labels:     map[string]ir.Stmt{},
		labelOf:    map[ir.Stmt]string{},
		final:      map[*ir.Do]string{},
		readSites:  map[*ir.Read]int{},
		imageSites: map[ir.Stmt]int{},
		corefSites: map[*ir.CoRef]int{},

		parts:    map[*ir.Do]string{},
		sections: map[*comm.Reduction]sectionPart{},

		partsNames: map[*ir.Symbol]string{},
		copyOf:     map[*ir.Ref]*ir.Ref{},
		vectors:    map[*ir.Do]*vectorLoop{}, serialVectors: map[*ir.Do]*vectorLoop{}, partial: map[*ir.Symbol]func() string{}, partialRef: map[*ir.Ref]func() string{}, texts: map[*ir.Symbol]string{}, textElements: map[string]bool{}, passing: map[ir.Expr]bool{}, fused: map[*ir.Bin]side{}, kernelOf: map[string]*kernel.Kernel{},
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
	runs    map[*comm.Comm]bool // that inRuns has looked at

	temps, comms, lists, walked map[*comm.Comm]string                // Go names
	locals                      map[*ir.Symbol]map[string]*ir.Symbol // the variables for elements of private arrays
	grids                       map[*ir.Grid]string

	bound      map[*ir.Symbol]int  // scalars that are local to a loop here
	declared   map[*ir.Symbol]bool // scalars that the function declares
	read       map[*ir.Symbol]bool // of these, those that are read
	used       map[*ir.Symbol]bool
	leaf       map[*ir.Ref]string     // how a leaf loop addresses a reference
	rows       []*kernel.Rows         // the nests over rows
	picked     map[*ir.Ref]pickedFrom // how it addresses one that subscripts pick
	prefix     map[ir.Stmt]func()     // emits what it needs before a statement
	index      []int                  // open loops: line of the index definition, or -1
	final      map[*ir.Do]string
	parts      map[*ir.Do]string               // open loops in strips: the iterations of the strip
	sections   map[*comm.Reduction]sectionPart // what of them is combined in the strip at hand
	partsNames map[*ir.Symbol]string           // of arrays, see partsOf
	blocks     *blockNames                     // of the pipelined region at hand, if it is in blocks
	serial     int
	around     int // open loops that all PEs execute together

	divided      bool // PEs execute different parts of what is emitted now
	loops        int  // of the program
	barrierLines int  // in its text
	inLeaf       int  // leaf loops around what is emitted now
	fetches      bool // distributed elements are fetched from their owners

	vectors       map[*ir.Do]*vectorLoop
	alonePE       bool                         // what is emitted now is for a PE that runs alone
	serialVectors map[*ir.Do]*vectorLoop       // vectors of what was emitted for such a PE
	rolled        map[*ir.Ref]string           // what a leaf loop stores: the variable that the next iteration reads
	held          map[ir.Expr]string           // what a leaf loop has computed before its iterations
	outer         map[*ir.Do]*ir.Do            // the loop around each; nil before it is asked for
	assigned      map[*ir.Symbol]bool          // scalars that loops assign, see tripsChange; nil before it is asked for
	partial       map[*ir.Symbol]func() string // sums inside of their loop: the partial sum of the iteration
	texts         map[*ir.Symbol]string        // the bytes of those that the loop edits, by their variables
	textElements  map[string]bool              // the same of elements: the names that leaf has
	passing       map[ir.Expr]bool             // parts of texts that nothing keeps
	partialRef    map[*ir.Ref]func() string    // the same of sums that are elements
	fused         map[*ir.Bin]side             // sums that are rounded once with a product
	kernels       []*kernel.Kernel
	kernelOf      map[string]*kernel.Kernel // by their description
	copyOf        map[*ir.Ref]*ir.Ref       // references of unrolled loops

	first    map[*ir.Symbol]int64      // see begins
	own      map[*ir.Do]*ownList       // of loops that variables divide
	fromList map[*ir.Assign]string     // of those, what is assigned to the variable, "" for what the source says
	lasting  map[*comm.Comm]ir.Stmt    // the loop while which the elements stay the same
	listed   map[*comm.Comm]string     // of lists that do: the Go variable that tells whether it is made
	sameList map[*comm.Comm]*comm.Comm // the communication whose list one has

	inside *ir.Site // the call that the statement emitted last is part of

	labelled  map[ir.Stmt]bool
	starts    map[*ir.Assign]string // statements that start a reduction of elements: its neutral value
	labels    map[string]ir.Stmt
	labelOf   map[ir.Stmt]string
	readSites map[*ir.Read]int
	formats   []namedFormat // the constant ones
	sites     []string
	barriers  map[int]*comm.Comm // by site: the barriers of the plan, with a communication behind each
	versions  []string           // by site: what the version of the program depends on
	groups    []messageGroup

	imageSites map[ir.Stmt]int // of programs with coarrays
	corefSites map[*ir.CoRef]int
	syncsAll   bool   // the program has a SYNC ALL
	marked     access // what the marks since the last synchronisation say

	regions regions // what is measured

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
	g.first = g.begins(p.Body)
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
	g.numberPoints(g.prog.Body)
	g.findLasting(g.prog.Body, nil)
	g.findBarriers()
	g.makeSites()
	g.findLabels(p.Body, nil)

	if len(g.points) > 0 {
		g.resume = g.names.fresh("resume")
	}

	g.startRegions()
	// The body first: it tells which scalars the function declares.
	g.nodes(g.prog.Body)
	body := g.finishPoints(g.phases())
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
	text, err := g.out.bytes(g.place, "main.go")
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
	if uses("elementary") {
		g.out.p("%q", kernel.FunctionPackage)
	}
	if len(g.formats) > 0 || uses("fio") {
		g.out.p("%q", "github.com/spmdc/spmdc/runtime/fio")
	}
	if p.Files() {
		g.out.p("%q", "github.com/spmdc/spmdc/runtime/files")
	}
	if p.Asks("execute_command_line") {
		g.out.p("%q", "github.com/spmdc/spmdc/runtime/shell")
	}
	g.out.p("%q", "github.com/spmdc/spmdc/runtime/spmd")
	if g.opt.Regions {
		g.out.p("%q", "github.com/spmdc/spmdc/runtime/trace")
	}
	g.out.p(")")
	g.out.p("")
	for _, f := range g.formats {
		g.out.p("var %s = fio.Must(%q)", f.name, f.text)
	}
	if len(g.formats) > 0 {
		g.out.p("")
	}
	g.out.p("// program tells the run time what the numbers in its messages mean.")
	g.out.p("var program = spmd.Program{")
	g.out.p("Name: %q,", p.Name)
	g.out.p("File: %q,", source.Printable(filepath.Base(p.File))) // as in //line directives
	g.files()
	if g.opt.Check {
		g.out.p("Check: true,")
	}
	if p.Asks("command_argument_count", "get_command_argument", "getarg", "get_command") {
		g.out.p("Arguments: true,")
	}
	if p.Files() {
		g.out.p("NewFiles: files.New,")
	}
	if p.Asks("execute_command_line") {
		g.out.p("Shell: shell.Run,")
	}
	if g.opt.Regions {
		g.out.p("Observe: trace.New(measured),")
	}
	if p.SPMD {
		g.out.p("Coarray: true,")
		if p.Fails {
			g.out.p("Fails: true,")
		}
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
	g.regionTable()
	g.out.p("func main() { spmd.Main(program, run) }")
	g.out.p("")
	if p.SPMD {
		g.out.p("// run is the program, as one image executes it.")
	} else {
		g.out.p("// run is the program, as one PE executes it.")
	}
	g.out.p("func run(pe *spmd.PE) {")
}
