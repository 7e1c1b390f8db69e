package driver

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/cfg/comm/choose"
	"github.com/spmdc/spmdc/codegen"
	"github.com/spmdc/spmdc/dataflow/placement"
	"github.com/spmdc/spmdc/dataflow/report"
	"github.com/spmdc/spmdc/dataflow/search"
	"github.com/spmdc/spmdc/dataflow/verify"
	"github.com/spmdc/spmdc/ir/blockcyclic"
	"github.com/spmdc/spmdc/ir/images"
	"github.com/spmdc/spmdc/ir/lower"
	"github.com/spmdc/spmdc/ir/mapping"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/ir/sharing"
	"github.com/spmdc/spmdc/parser"
	"github.com/spmdc/spmdc/parser/ast"
	"github.com/spmdc/spmdc/procfunc"
)

// Passes returns the pass table of the compiler.
func Passes() *Table {
	return &Table{
		Passes: []Pass{
			{
				Name:    "ast",
				Doc:     "read the source into a syntax tree",
				Run:     runAST,
				Check:   checkAST,
				Explain: Views{Text: func(c *Compilation) (string, error) { return astRecords(c.AST), nil }},
			},
			{
				Name:    "ir",
				Doc:     "resolve names and types, fold constants, report what lies outside the language",
				Run:     func(c *Compilation) error { c.IR = lower.Lower(c.AST, c.Diags); return nil },
				Explain: Views{Text: func(c *Compilation) (string, error) { return irRecords(c.IR), nil }},
			},
			{
				Name:    "mapping",
				Doc:     "turn ALIGN and DISTRIBUTE into owner maps",
				Run:     runMapping,
				Explain: Views{Text: func(c *Compilation) (string, error) { return mapping.Explain(c.IR, c.PEs), nil }},
			},
			{
				Name: "scalar",
				Doc:  "forward substitution, private scalars, reductions without directives",
				Run:  func(c *Compilation) error { c.Scalar = scalar.Analyze(c.IR); return nil },
			},
			{
				Name:    "transform",
				Doc:     "distribute loops, remove guards, peel iterations, where that saves messages",
				Run:     runTransform,
				Check:   checkTransform,
				Explain: Views{Text: func(c *Compilation) (string, error) { return c.Transform.Explain(), nil }, Data: dataTransform},
			},
			{
				Name:    "comm",
				Doc:     "who computes what, which references communicate, and where",
				Run:     runComm,
				Explain: Views{Text: func(c *Compilation) (string, error) { return c.Comm.Explain(), nil }, Data: dataComm},
			},
			{
				Name:    "cost",
				Doc:     "what each loop is estimated to cost, and with --measured=FILE what a run counted",
				Run:     func(*Compilation) error { return nil }, // it is estimated when it is shown
				Explain: Views{Text: func(c *Compilation) (string, error) { return choose.NewEstimate(c.Comm, c.PEs).Text(c.Measured), nil }, Data: dataCost},
			},
			{
				Name:    "cfg",
				Doc:     "control-flow graph with communication nodes",
				Run:     func(c *Compilation) error { c.Graph = c.Comm.Graph(); return nil },
				Check:   checkCFG,
				Explain: Views{Text: cfgText, DOT: cfgDOT, Data: func(c *Compilation) any { return dataGraph(c.Graph) }},
			},
			{
				Name:    "procfunc",
				Doc:     "who sends to whom in each communication, and who will send next",
				Run:     func(c *Compilation) error { c.Functions = procfunc.Analyze(c.Comm, c.Graph); return nil },
				Explain: Views{Text: func(c *Compilation) (string, error) { return c.Functions.Explain(), nil }, Data: dataFunctions},
			},
			{
				Name:  "plan",
				Doc:   "posts, waits and ready messages of every communication",
				Run:   runPlan,
				Check: func(c *Compilation) error { return verify.Contradict(c.Plan) },
				Explain: Views{
					Text: func(c *Compilation) (string, error) { return c.Plan.Explain(), nil },
					DOT:  func(c *Compilation) (string, error) { return c.Plan.Graph.DOT(), nil },
					Data: dataPlan,
				},
			},
			{
				Name:    "placement",
				Doc:     "which PEs should share a host, for the hosts of --hosts=4x16",
				Run:     func(*Compilation) error { return nil }, // it is found when it is shown
				Explain: Views{Text: explainPlacement},
			},
			{
				Name: "dataflow",
				Doc:  "why each communication of the plan needs ready messages, or none",
				Run: func(c *Compilation) error {
					c.Synch = report.Analyze(c.Plan, c.Functions, report.Options{PEs: c.PEs, Search: c.searchOptions()})
					return nil
				},
				Explain: Views{
					Text: func(c *Compilation) (string, error) {
						text, err := c.Synch.Build(c.File, false).View(report.View{Color: c.Color, Brief: c.Brief, Only: c.Only})
						if err != nil {
							return "", Usagef("--only=#4, or --only=50 for a line", "%v", err)
						}
						return text, nil
					},
					DOT:  func(c *Compilation) (string, error) { return c.Synch.Build(c.File, false).DOT(c.Plan.Graph), nil },
					HTML: func(c *Compilation) (string, error) { return c.Synch.Build(c.File, true).HTML(string(c.Text)) },
					Data: func(c *Compilation) any { return c.Synch.Build(c.File, true) },
				},
			},
			{
				Name: "paper",
				Doc:  "the table of the paper's section 5, reference by reference",
				Run:  func(*Compilation) error { return nil }, // it is made when it is shown
				Explain: Views{Text: func(c *Compilation) (string, error) {
					return c.Synch.Build(c.File, false).Paper(string(c.Text)), nil
				}},
			},
			{
				Name:    "code",
				Doc:     "write the Go program",
				Run:     runCode,
				Check:   checkCode,
				Explain: Views{Text: func(c *Compilation) (string, error) { return string(c.Emitted()), nil }},
			},
			{
				Name:    "kernels",
				Doc:     "which innermost loops are vector kernels, and why others are none",
				Run:     func(*Compilation) error { return nil }, // code has decided
				Explain: Views{Text: explainKernels, Data: func(c *Compilation) any { return dataKernels(c) }},
			},
		},
		Orders: []Order{
			{"ast", "ir", "names are resolved in the syntax tree"},
			{"ir", "mapping", "directives name resolved arrays, and their expressions are folded"},
			{"mapping", "scalar", "a scalar's mapping follows from the arrays that it is used with"},
			{"scalar", "comm", "without forward substitution and privatisation every scalar is a broadcast"},
			{"scalar", "transform", "what may be moved depends on the affine forms, classes and liveness of scalars"},
			{"mapping", "transform", "what pays depends on the owners of elements"},
			{"transform", "comm", "the communications are those of the transformed program"},
			{"mapping", "comm", "a reference communicates when owner and reader differ"},
			{"comm", "cost", "what is estimated is the SPMD form"},
			{"comm", "cfg", "the graph has the communication nodes"},
			{"cfg", "procfunc", "next producers follow the back edges of the graph"},
			{"plan", "placement", "the messages are those that are planned"},
			{"plan", "dataflow", "what is explained is what the plan does"},
			{"comm", "plan", "the plan synchronises the communications"},
			{"procfunc", "plan", "a ready message is left out when other messages acknowledge those that come"},
			{"plan", "code", "code is emitted from the plan and nothing else"},
			{"code", "kernels", "the loops are those that were emitted"},
		},
	}
}

// explainPlacement is for the PEs and hosts that are given, or two hosts with half of the PEs each.
func explainPlacement(c *Compilation) (string, error) {
	h, n := c.Hosts, c.PEs
	switch {
	case n == 0 && h.Count == 0:
		n, h = 8, placement.Hosts{Count: 2, Each: 4}
	case n == 0:
		n = h.Count * h.Each
	case h.Count == 0:
		h = placement.Hosts{Count: 2, Each: (n + 1) / 2}
	}
	if n > h.Count*h.Each {
		return "", Usagef("name more of them, or larger ones", "--hosts=%dx%d: there is no room for %d PEs", h.Count, h.Each, n)
	}
	if c.IR.SPMD {
		return "", Usagef("explain a program with HPF directives", "stage placement: images say themselves where they send, when they run")
	}
	text, err := placement.Measure(c.Plan, n).Text(h)
	if err != nil {
		return "", Usagef("mend or remove the installation of Scotch", "%v", err)
	}
	return text, nil
}

func runAST(c *Compilation) error {
	parse := parser.ParseProgram
	if c.Units {
		parse = parser.ParseUnits
	}
	c.AST, c.Diags = parse(c.Program())
	return nil
}

func runMapping(c *Compilation) error {
	c.IR.Asserts = c.Options.Check
	mapping.Resolve(c.IR, c.Diags)
	images.Check(c.IR, c.Diags)
	mapping.WarnUnused(c.IR, c.Diags)
	if !c.Diags.HasErrors() {
		sharing.Share(c.IR)
	}
	blockcyclic.Divide(c.IR, c.Diags)
	return nil
}

func runComm(c *Compilation) error {
	c.Comm = comm.Analyze(c.IR, c.Scalar)
	c.Comm.WarnIgnored(c.Diags)
	c.Comm.WarnSlow(c.Diags)
	choose.MarkSerial(c.Comm)
	return nil
}

// checkAST proves that the tree holds all that the program says: written out
// and read again it gives the same text.
func checkAST(c *Compilation) error {
	text := ast.Unparse(c.AST)
	again, diags := parser.Parse("again.hpf", []byte(text))
	if diags.HasErrors() {
		return fmt.Errorf("the unparsed program does not parse: %w", diags.Err())
	}
	if ast.Unparse(again) != text {
		return errors.New("unparsing twice gives two texts")
	}
	return nil
}

// checkCFG proves that the text form of the graph has all of it.
func checkCFG(c *Compilation) error {
	text := c.Graph.String()
	again, err := cfg.Parse(text)
	if err != nil {
		return fmt.Errorf("the text form of the graph does not parse: %w", err)
	}
	if again.String() != text {
		return errors.New("reading the text form of the graph gives another graph")
	}
	return nil
}

// runTransform makes the transformed program the one that all later passes see.
func runTransform(c *Compilation) error {
	c.Transform = choose.Choose(c.IR, c.Scalar, choose.Options{Without: c.Options.Without, InOrder: c.Options.FP == codegen.Strict})
	c.IR, c.Scalar = c.Transform.IR, c.Transform.Info
	return nil
}

// checkTransform proves that the program is a tree in which every node occurs
// once, with jumps to loops around them.
func checkTransform(c *Compilation) error { return c.Transform.Check() }

func cfgText(c *Compilation) (string, error) { return c.Graph.String(), nil }

func cfgDOT(c *Compilation) (string, error) { return c.Graph.DOT(), nil }

func runPlan(c *Compilation) error {
	c.Plan = search.Make(c.Comm, c.Options.Sync, c.Functions, c.searchOptions())
	if c.Plan.Program != c.Comm { // it has barriers
		c.Comm, c.Graph = c.Plan.Program, c.Plan.Graph
		c.Functions = procfunc.Analyze(c.Comm, c.Graph)
	}
	return verify.Proofs(c.Plan) // whether or not --verify-passes is given
}

// searchOptions are those of plan elide.
func (c *Compilation) searchOptions() search.Options {
	return search.Options{Memory: c.Options.SlotsMemory, PEs: c.Options.PEs, BarrierThreshold: c.Options.BarrierThreshold, Strip: c.Options.Strip}
}

func runCode(c *Compilation) (err error) {
	o := codegen.Options{Check: c.Options.Check, Unsafe: c.Options.Unsafe, Source: c.All(), Target: c.Options.Target, FP: c.Options.FP, Block: c.Options.Block, Strip: c.Options.Strip, Regions: c.Options.Regions}
	if files := c.Program().File; len(files.Parts()) > 1 {
		o.Files = files
	}
	if o.Check {
		o.Claims = claims(c)
	}
	var files map[string][]byte
	files, c.Loops, err = codegen.EmitFiles(c.Plan, o)
	c.Code = files["main.go"]
	delete(files, "main.go")
	c.Kernels = files
	if o.Files != nil && err == nil {
		// Comments and messages in the program name the file of a line.
		if c.Code, err = format.Source([]byte(o.Files.Spell(string(c.Code)))); err != nil {
			return err
		}
	}
	if errors.Is(err, codegen.ErrUnsafe) {
		return Usagef("choose another plan, or add --unsafe to get the program all the same",
			"--sync=%s leaves out messages that a program may need to be right; it is there to be looked at", c.Plan.Kind)
	}
	return err
}

// checkCode proves that the emitted program is Go as gofmt writes it.
func checkCode(c *Compilation) error {
	formatted, err := format.Source(c.Code)
	if err != nil {
		return fmt.Errorf("the emitted program does not parse: %w", err)
	}
	if !bytes.Equal(formatted, c.Code) {
		return errors.New("gofmt would change the emitted program")
	}
	return nil
}
