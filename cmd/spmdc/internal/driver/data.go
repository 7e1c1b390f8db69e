package driver

import (
	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm/choose"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/dataflow/report"
	"github.com/spmdc/spmdc/ir"
)

// The structured forms of stages, for --format=json. Field names are part of
// the interface: tools read them.

type commData struct {
	Communications []communication `json:"communications"`
	Reductions     []reduction     `json:"reductions"`
}

type communication struct {
	ID         int      `json:"id"`
	Kind       string   `json:"kind"`
	Array      string   `json:"array"`
	References []string `json:"references"`
	Line       int      `json:"line"` // of the first reference
	Column     int      `json:"column"`
	C          int      `json:"c"`  // line before which the data is sent
	CO         int      `json:"co"` // line before which it has to have arrived
	UO         int      `json:"uo"` // line behind which it is dead
	Moves      string   `json:"moves"`
}

type reduction struct {
	ID       int    `json:"id"`
	Name     string `json:"name"` // sum, max, ...
	Variable string `json:"variable"`
	Line     int    `json:"line"`
	OwnerOf  string `json:"owner_of"` // the reference whose owners hold the partial values
}

func dataComm(c *Compilation) any {
	d := commData{Communications: []communication{}, Reductions: []reduction{}}
	for _, x := range c.Comm.Comms {
		m := communication{ID: x.ID, Kind: string(x.Kind), Array: x.Array.Name, Line: x.Line, Column: x.Col,
			C: x.CLine, CO: x.COLine, UO: x.UOLine, Moves: x.Moves()}
		for _, r := range x.Refs {
			m.References = append(m.References, ir.ExprString(r))
		}
		d.Communications = append(d.Communications, m)
	}
	for _, r := range c.Comm.Reduces {
		d.Reductions = append(d.Reductions, reduction{r.ID, r.Name, r.What(), r.Line, ir.ExprString(r.By)})
	}
	return d
}

type decision struct {
	Kind    string  `json:"kind"` // distribute, guard, expand, peel, split, replicate
	Line    int     `json:"line"`
	Verdict string  `json:"verdict"` // chosen, no gain, not possible, not tried
	What    string  `json:"what,omitempty"`
	Why     string  `json:"why,omitempty"`
	Before  float64 `json:"before,omitempty"` // estimated costs, in messages
	After   float64 `json:"after,omitempty"`
}

func dataTransform(c *Compilation) any {
	list := []decision{}
	for _, d := range c.Transform.Decisions {
		list = append(list, decision{string(d.Kind), d.Line, string(d.Verdict), d.What, d.Why, d.Before, d.After})
	}
	return map[string]any{"decisions": list}
}

type costRow struct {
	Line       int           `json:"line,omitempty"`
	Depth      int           `json:"depth"`
	Loop       string        `json:"loop"`
	How        string        `json:"how"` // divided, together, in a pipeline of blocks, ...
	Statements float64       `json:"statements"`
	Messages   float64       `json:"messages"`
	Bytes      float64       `json:"bytes"`
	Waits      float64       `json:"waits"`
	Cost       float64       `json:"cost"`              // in messages
	Guessed    bool          `json:"guessed,omitempty"` // some bounds are not known
	Measured   *costMeasured `json:"measured,omitempty"`
}

type costMeasured struct {
	Messages float64 `json:"messages"`
	Bytes    float64 `json:"bytes"`
	Waits    float64 `json:"waits"`
	Seconds  float64 `json:"seconds,omitempty"` // of the loop; of a profile only
	Blocked  float64 `json:"blocked,omitempty"` // seconds in waits for its messages
}

func dataCost(c *Compilation) any {
	rows, e := []costRow{}, choose.NewEstimate(c.Comm, c.PEs)
	for _, r := range e.Rows {
		row := costRow{Line: r.Line, Depth: r.Depth, Loop: r.Text, How: r.How, Statements: r.Cost.Statements, Messages: r.Cost.Messages,
			Bytes: r.Cost.Bytes, Waits: r.Cost.Waits, Cost: r.Cost.Total(), Guessed: r.Cost.Guessed}
		if c.Measured != nil {
			m := costMeasured(c.Measured.Of(r))
			row.Measured = &m
		}
		rows = append(rows, row)
	}
	return map[string]any{"pes": e.PEs, "cost": e.Total.Total(), "loops": rows}
}

type graphNode struct {
	ID    int    `json:"id"`
	Kind  string `json:"kind"`
	Line  int    `json:"line,omitempty"`
	Comm  int    `json:"comm,omitempty"` // the communication that the node belongs to
	Text  string `json:"text,omitempty"`
	Loop  int    `json:"loop,omitempty"`
	Succs []int  `json:"succs"`
}

func dataGraph(g *cfg.Graph) any {
	nodes := make([]graphNode, 0, len(g.Nodes))
	for _, n := range g.Nodes {
		d := graphNode{ID: n.ID, Kind: n.Kind.String(), Line: n.Line, Comm: n.Ref, Text: n.Text, Succs: []int{}}
		if n.Loop != nil {
			d.Loop = n.Loop.ID
		}
		for _, s := range n.Succs {
			d.Succs = append(d.Succs, s.ID)
		}
		nodes = append(nodes, d)
	}
	return map[string]any{"nodes": nodes}
}

func dataFunctions(c *Compilation) any {
	return map[string]any{"communications": c.Functions.Reports()}
}

type slot struct {
	Comm  int  `json:"comm"`
	Line  int  `json:"line"`  // of the reference
	Ready bool `json:"ready"` // a ready message before every put
	// OnDemand: only from PEs that have sent the producer nothing since their last use.
	OnDemand bool `json:"on_demand,omitempty"`
	// Verdict of the analysis: Sync, NoSync or Once; absent in plans without one.
	Verdict string `json:"verdict,omitempty"`
	Cells   string `json:"cells"`
	// Slots is how many the puts take turns in; Staged: they are stages, from which
	// what has arrived is copied.
	Slots  int  `json:"slots"`
	Staged bool `json:"staged,omitempty"`
	// ElidedOn: on so many PEs there are no ready messages, whatever Ready says.
	ElidedOn []int `json:"elided_on,omitempty"`
	// Strip: the slots hold what so many iterations of a loop need; the first of its
	// strips is put, the others are got from the owners. Completes: each PE acknowledges to them when it
	// is done with that.
	Strip     int    `json:"strip,omitempty"`
	Completes bool   `json:"completes,omitempty"`
	Why       string `json:"why"`
	// Tried is what the search of plan elide looked at.
	Tried []trial `json:"tried,omitempty"`
}

type trial struct {
	What      string  `json:"what"`                // the form, as in slot lines of the text; or strips
	PEs       []int   `json:"pes,omitempty"`       // that is so on these numbers of PEs only
	OnDemand  bool    `json:"on_demand,omitempty"` // with ready messages from PEs that have sent nothing since
	Rate      float64 `json:"rate,omitempty"`      // of these, the part of the puts that have one, by examples
	Free      bool    `json:"free"`
	Strip     int     `json:"strip,omitempty"`     // in strips of so many iterations
	Completes bool    `json:"completes,omitempty"` // then with messages to the owners that gets are over
	Not       string  `json:"not,omitempty"`       // why that cannot be done
	Cost      float64 `json:"cost"`
	Note      string  `json:"note,omitempty"`
}

func dataTrial(t plan.Trial) trial {
	if t.Not != "" {
		return trial{What: "strips", Not: t.Not}
	}
	return trial{
		What: t.Form.String(), PEs: t.PEs, OnDemand: t.Ready == plan.OnDemand, Rate: t.Rate, Free: t.Ready == plan.Never,
		Strip: t.Strip, Completes: t.Completes, Cost: t.Cost, Note: t.Note,
	}
}

func dataPlan(c *Compilation) any {
	slots := make([]slot, 0, len(c.Plan.Slots))
	for _, s := range c.Plan.Slots {
		d := slot{Comm: s.Comm.ID, Line: s.Comm.Line, Ready: s.Ready != plan.Never, OnDemand: s.Ready == plan.OnDemand, Cells: s.Cells, Slots: s.Ring, Staged: s.Staged, ElidedOn: s.At, Why: c.Plan.Why(s.Comm)}
		if s.Strip != nil {
			d.Strip, d.Completes = s.Strip.Size, s.Strip.Completes
		}
		for _, t := range s.Tried {
			d.Tried = append(d.Tried, dataTrial(t))
		}
		if c.Plan.Kind == plan.Elide || c.Plan.Kind == plan.PopL96 || c.Plan.Kind == plan.PopL96Literal {
			d.Verdict = s.Verdict.String()
		}
		slots = append(slots, d)
	}
	barriers := make([]report.Fence, 0, len(c.Plan.Fenced)) // those that the search of plan elide tried
	for _, f := range c.Plan.Fenced {
		barriers = append(barriers, report.Fence(f))
	}
	return map[string]any{"plan": c.Plan.Kind, "slots": slots, "barriers": barriers, "graph": dataGraph(c.Plan.Graph)}
}
