// Package predict says how long a program would take on more PEs than this machine has: it
// executes the communications of each synchronisation plan on the LogGP model of a machine
// (package dataflow/simulate).
package predict

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/cfg/comm/choose"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/bench"
	"github.com/spmdc/spmdc/cmd/spmdc/internal/driver"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/simulate"
	"github.com/spmdc/spmdc/internal/parallel"
	"github.com/spmdc/spmdc/ir"
)

// Options say what is predicted.
type Options struct {
	PEs     []int
	Plans   []plan.Kind
	Machine simulate.Machine
	Any     bool // take plans for any number of PEs only
	Trips   int
	Reads   map[string]int64
	Set     []bench.Setting // other values of PARAMETERs
	// Compute is by what the time that the cost model gives for computation is multiplied; 0:
	// so that the time of the program on one PE is the one measured.
	Compute float64
	// SMPI is the folder for what SimGrid's smpirun replays, of the only plan and number of PEs; "": none.
	SMPI string
}

// messageTime is how many seconds a message of the cost model takes, by which it counts.
const messageTime = 1e-6

// mostCompiled is up to how many PEs a plan is made for just that number, as run -n makes it.
const mostCompiled = 16

// Row is a plan on a number of PEs.
type Row struct {
	PEs      int       `json:"pes"`
	Plan     plan.Kind `json:"plan"`
	Seconds  float64   `json:"seconds"`
	Computed float64   `json:"computed"` // seconds that a PE computes, on average
	Data     float64   `json:"data"`     // messages
	Ready    float64   `json:"ready"`
	Bytes    float64   `json:"bytes"`
	Sampled  bool      `json:"sampled"` // the counts are estimates
	Sites    []Site    `json:"sites"`
}

// Site is a communication or reduction.
type Site struct {
	Line      int     `json:"line"`
	Column    int     `json:"column"`
	Kind      string  `json:"kind"`
	Reference string  `json:"reference"`
	Data      float64 `json:"data"`
	Ready     float64 `json:"ready"`
	Bytes     float64 `json:"bytes"`
}

// Report is what was predicted.
type Report struct {
	File    string   `json:"file"`
	Set     []string `json:"set"`
	Compute float64  `json:"compute"`
	// Measured is how long the program takes on one PE, 0 if it was not run.
	Measured float64           `json:"measured,omitempty"`
	Machine  *simulate.Machine `json:"machine"`
	Rows     []Row             `json:"rows"`
	Guessed  []string          `json:"guessed"`
}

// Make predicts the times of the program of c. stdin is its input where it has to be run.
func Make(table *driver.Table, c *driver.Compilation, stdin io.Reader, o Options) (*Report, error) {
	text, err := bench.Apply(c.File, c.Text, o.Set)
	if err != nil {
		return nil, err
	}
	c.Text = text
	r := &Report{File: c.File, Set: []string{}, Compute: o.Compute, Machine: &o.Machine, Guessed: []string{}}
	for _, s := range o.Set {
		r.Set = append(r.Set, s.Name+"="+s.Value)
	}
	compiled := func(kind plan.Kind, pes []int) (*plan.Plan, error) {
		one, options := c, c.Options
		options.Sync, options.PEs = kind, pes
		if c.Plan != nil {
			one = c.Again(options)
		} else {
			c.Options = options
		}
		err := table.Run(one, driver.RunOptions{StopAfter: "plan"})
		return one.Plan, err
	}
	plans := make([]*plan.Plan, len(o.Plans)) // for any number of PEs
	for i, kind := range o.Plans {
		if plans[i], err = compiled(kind, nil); err != nil {
			return nil, err
		}
	}
	if c.IR.SPMD {
		return nil, &driver.Failure{Status: driver.StatusProgram, Text: c.File + " is a program with coarrays: its messages are known only as it runs", Remedy: "run it with --stats, which counts them"}
	}
	model := simulate.Model{Machine: o.Machine, Trips: o.Trips, Reads: o.Reads, Block: c.Options.Block}
	predict := func(p *plan.Plan, pes int, model simulate.Model) (*simulate.Prediction, error) {
		model.Work = func(region *comm.Region, values map[string]int64, own func(*ir.Do) (float64, bool)) float64 {
			return messageTime * r.Compute * choose.Work(p.Program, region, values, own)
		}
		return simulate.Predict(p, pes, model)
	}
	if o.Compute == 0 {
		b, err := bench.Measure(table, c.Again(c.Options), stdin, bench.Options{PEs: []int{1}, Peers: []string{}, Runs: 3})
		if err != nil {
			return nil, err
		}
		r.Measured, r.Compute = b.Contenders[0].Median, 1
		x, err := predict(plans[0], 1, model)
		if err != nil {
			return nil, err
		}
		if x.Computed > 0 {
			r.Compute = r.Measured / x.Computed
		}
	}
	for _, pes := range o.PEs {
		list := plans
		if pes <= mostCompiled && !o.Any {
			list = make([]*plan.Plan, len(plans))
			for i, kind := range o.Plans {
				if list[i], err = compiled(kind, []int{pes}); err != nil {
					return nil, err
				}
			}
		}
		var recorded *replay
		if o.SMPI != "" {
			if recorded, err = newReplay(o.SMPI, pes, &o.Machine); err != nil {
				return nil, err
			}
			model.Record = recorded.record
		}
		// Each plan has a program of its own.
		predictions, failed := make([]*simulate.Prediction, len(list)), make([]error, len(list))
		parallel.Each(runtime.GOMAXPROCS(0), len(list), func(_, i int) { predictions[i], failed[i] = predict(list[i], pes, model) })
		if recorded != nil {
			failed = append(failed, recorded.close())
		}
		if err := errors.Join(failed...); err != nil {
			return nil, err
		}
		for i, x := range predictions {
			row := Row{PEs: pes, Plan: o.Plans[i], Seconds: x.Seconds, Computed: x.Computed, Data: x.Total.Data, Ready: x.Total.Ready, Bytes: x.Total.Bytes, Sampled: x.Sampled}
			for _, s := range x.Sites {
				site := Site{Data: s.Data, Ready: s.Ready, Bytes: s.Bytes}
				if s.Comm != nil {
					site.Line, site.Column, site.Kind, site.Reference = s.Comm.Line, s.Comm.Col, string(s.Comm.Kind), ir.ExprString(s.Comm.Refs[0])
				} else {
					site.Line, site.Column, site.Kind, site.Reference = s.Reduce.Line, 1, s.Reduce.Name, s.Reduce.What()
				}
				row.Sites = append(row.Sites, site)
			}
			r.Rows = append(r.Rows, row)
			for _, g := range x.Guessed {
				if !slices.Contains(r.Guessed, g) {
					r.Guessed = append(r.Guessed, g)
				}
			}
		}
	}
	return r, nil
}

// Write writes the table.
func (r *Report) Write(w io.Writer) {
	name := r.File
	if len(r.Set) > 0 {
		name += " with " + strings.Join(r.Set, ", ")
	}
	fmt.Fprintf(w, "%s on a model (LogGP): %s\n", name, machine(r.Machine))
	switch {
	case r.Measured > 0:
		fmt.Fprintf(w, "computation: %.3g of what the cost model counts, since one PE takes %.3g s\n\n", r.Compute, r.Measured)
	default:
		fmt.Fprintf(w, "computation: %.3g of what the cost model counts\n\n", r.Compute)
	}
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "PEs\tplan\tseconds\tcomputing\tdata messages\tready messages\tbytes\t")
	sampled := false
	for i, row := range r.Rows {
		pes, about := fmt.Sprint(row.PEs), ""
		if i > 0 && r.Rows[i-1].PEs == row.PEs {
			pes = ""
		}
		if row.Sampled {
			about, sampled = "~", true
		}
		share := "-"
		if row.Seconds > 0 {
			share = fmt.Sprintf("%.0f %%", 100*row.Computed/row.Seconds)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s%s\t%s\t%s%s\t%s%s\t%s%s\t\n", pes, row.Plan, about, seconds(row.Seconds), share, about, number(row.Data), about, number(row.Ready), about, number(row.Bytes))
	}
	tw.Flush()
	if sampled {
		fmt.Fprintf(w, "\n~ of long loops some iterations were executed, which stand for all\n")
	}
	if len(r.Guessed) > 0 {
		fmt.Fprintf(w, "\nwhat depends on data:\n  %s\n", strings.Join(r.Guessed, "\n  "))
	}
}

func seconds(s float64) string { return fmt.Sprintf("%.4g", s) }

// number is a count: all digits as far as they are exact.
func number(n float64) string {
	if n < 1e15 {
		return fmt.Sprintf("%.0f", n)
	}
	return fmt.Sprintf("%.4g", n)
}

func machine(m *simulate.Machine) string {
	link := func(l *simulate.Link) string {
		return fmt.Sprintf("latency %.3g µs, overhead %.3g µs, gap %.3g µs, %.3g GB/s", l.Latency*1e6, l.Overhead*1e6, l.Gap*1e6, 1e-9/l.PerByte)
	}
	switch m.PerHost {
	case 0:
		return link(&m.Host)
	case 1:
		return link(&m.Network)
	}
	return fmt.Sprintf("%d PEs a host; between hosts %s; within one %s", m.PerHost, link(&m.Network), link(&m.Host))
}
