package report

import (
	"github.com/spmdc/spmdc/procfunc"
)

// Report is what stage dataflow shows, as plain data: the JSON form of the
// stage is this, and text, DOT and page are made from it. Field names are part
// of the interface: tools read them.
type Report struct {
	File           string          `json:"file"`
	Plan           string          `json:"plan"` // elide, popl96, ...
	Communications []Communication `json:"communications"`
	Collectives    []Collective    `json:"collectives"`
	Fences         []Fence         `json:"fences"` // barriers that were tried
	Graph          Graph           `json:"graph"`
	Table          []Total         `json:"table"`  // one row per form of the analysis
	PEs            []int           `json:"pes"`    // numbers of PEs that plan elide is made for in particular
	Sweeps         int             `json:"sweeps"` // most that an obligation took
}

// Communication is one communication with what the plan does about it, and why.
// Verdicts are "NoSync", "Once" and "Sync": ready messages are sent before every
// put.
type Communication struct {
	ID         int      `json:"id"`
	Kind       string   `json:"kind"`
	Array      string   `json:"array"`
	References []string `json:"references"`
	Line       int      `json:"line"` // of the first reference
	Column     int      `json:"column"`
	Lines      []int    `json:"lines"` // of all references, ascending
	Moves      string   `json:"moves"`

	C  []Point `json:"c"` // two for a pipelined one, which waits at the first and puts at the second
	CO []Point `json:"co"`
	UO []Point `json:"uo"`
	// Loops around C, outermost first, by ID.
	Loops []int `json:"loops"`

	Functions procfunc.Report `json:"functions"`

	Slot        Slot         `json:"slot"`
	Verdict     string       `json:"verdict"` // of the plan
	Why         string       `json:"why"`     // one sentence
	Obligations []Obligation `json:"obligations"`
	// Exact is how producers know on the numbers of PEs on which no ready message is
	// needed, though others need some.
	Exact []Exact `json:"exact"`
	// OnDemand is how PEs decide who needs a ready message; nil unless they do.
	OnDemand *OnDemand `json:"on_demand,omitempty"`
	// What the forms of the analysis say, whatever the plan: one slot, proved
	// (PopL96), or as printed (Literal), and what plan elide makes of it.
	PopL96  string  `json:"popl96"`
	Elide   Slot    `json:"elide"`
	Literal Literal `json:"literal"`
}

// Slot is what the puts of a communication fill, and when they wait.
type Slot struct {
	Verdict  string `json:"verdict"`
	Ready    bool   `json:"ready"` // a ready message before every put
	Form     string `json:"form"`  // as in the plan: "ready", "elided", "elided-staged*2"
	Say      string `json:"say"`   // in words
	Cells    string `json:"cells"`
	Count    int    `json:"count"`     // slots, used in turn
	Staged   bool   `json:"staged"`    // what arrives is copied from there
	ElidedOn []int  `json:"elided_on"` // numbers of PEs on which no ready message is needed, whatever Ready says
	// Strips says, of a temporary that is filled strip by strip, how its source is kept;
	// else it is empty.
	Strips string  `json:"strips,omitempty"`
	Tried  []Tried `json:"tried"` // by the search of plan elide; empty where there was nothing to search
}

// Tried is one form of slots that the search of plan elide looked at.
type Tried struct {
	What  string `json:"what"`            // in words
	Ready bool   `json:"ready,omitempty"` // one slot, and a ready message before every put
	// OnDemand: ready messages from those PEs only that have sent nothing since, as
	// are before the part Rate of the puts, by examples.
	OnDemand bool    `json:"on_demand,omitempty"`
	Rate     float64 `json:"rate,omitempty"`
	Free     bool    `json:"free"` // no ready message is needed then
	Cost     float64 `json:"cost"` // in messages, over the whole program
	Chosen   bool    `json:"chosen"`
	Note     string  `json:"note,omitempty"`
}

// Point is a node of the graph, for people.
type Point struct {
	Node int    `json:"node"`
	Name string `json:"name"` // "C_3", "the sum of h"
	Line int    `json:"line"`
}

// Obligation is what has to be shown for one item: the value that communication
// Use brought is dead before communication Put puts into the same cells.
// Exactly one of Once, Chains and Gap is there.
type Obligation struct {
	Use     int     `json:"use"`
	Put     int     `json:"put"`
	Verdict string  `json:"verdict"`
	Own     bool    `json:"own"`              // the proof is over slots that belong to the communication alone
	Slots   int     `json:"slots"`            // with several, values have generations
	Staged  bool    `json:"staged,omitempty"` // the use is over when the staging buffer is copied
	Once    string  `json:"once,omitempty"`   // why no use comes before a put
	Chains  []Chain `json:"chains,omitempty"` // on every path from use to put lies one of these
	Gap     *Gap    `json:"gap,omitempty"`    // a path on which nothing is known to order them
	// Printed, of plan popl96-literal, are the printed tests of Conditions 2 and 3: who
	// answers, or which Condition fails in which dimension.
	Printed []Refusal `json:"printed,omitempty"`
	// Values has the nodes that matter, Sweeps all nodes, or none where Build was
	// not asked for them.
	Values []Values `json:"values"`
	Sweeps []Sweep  `json:"sweeps"`
}

// Values are the states in front of and behind a node after each sweep.
type Values struct {
	Node int      `json:"node"`
	Name string   `json:"name"`
	Line int      `json:"line"`
	In   []string `json:"sc_in"`
	Out  []string `json:"sc_out"`
}

// Sweep is the states in front of and behind every node after one sweep.
type Sweep struct {
	In  []Span `json:"sc_in"`
	Out []Span `json:"sc_out"`
}

// Span is the state at the nodes From to To, by ID, as the paper writes it:
// "Cons", "NoSyncP{2}". The spans of a Sweep ascend and leave no node out.
type Span struct {
	From  int    `json:"from"`
	To    int    `json:"to"`
	State string `json:"state"`
}

// Chain is one way in which the end of a use becomes known to the next
// producers: hops in the order of time, from UO_use to C_put.
type Chain struct {
	By   int   `json:"by"` // number of the communication or reduction; 0 for a barrier
	Hops []Hop `json:"hops"`
	Path []int `json:"path"` // nodes of one path through the chain
}

// Hop is one step of a Chain. Role is "before" (the put that brought the value),
// "use" (the end of its use), "witness" (what makes that known), "known" (where it
// has arrived), or "put" (the put that overwrites).
type Hop struct {
	Point
	Role     string `json:"role"`
	Relation string `json:"relation,omitempty"` // p -> q
	Text     string `json:"text"`
}

// OnDemand is how both PEs of a pair know whether a ready message is needed: they
// note which messages have passed between them.
type OnDemand struct {
	// Rate is the part of the puts with a ready message in examples on a few PEs, if
	// Estimated.
	Rate      float64 `json:"rate"`
	Estimated bool    `json:"estimated"`
	Hops      []Hop   `json:"hops"`
}

// Fence is a barrier that the search of plan elide tried, before the group of
// communication Before.
type Fence struct {
	Before   int     `json:"before"`
	Line     int     `json:"line"`
	Messages float64 `json:"messages"` // ready messages expected without it, in the outermost statement around
	Without  float64 `json:"without"`  // costs of that statement
	With     float64 `json:"with"`
	Chosen   bool    `json:"chosen"`
}

// Exact is the proof for one number of PEs: how many pairs of PEs with a put have an
// answer, how many of them by way of other PEs, and the hops of the longest one.
type Exact struct {
	PEs    int        `json:"pes"`
	Pairs  int        `json:"pairs"`
	Longer int        `json:"longer"`
	Hops   []ExactHop `json:"hops"`
}

// ExactHop is a step by which PE To gets to know from PE From.
type ExactHop struct {
	Point
	From int    `json:"from"`
	To   int    `json:"to"`
	Text string `json:"text"`
}

// Gap is a path from the use to the next put on which nothing is known to make the
// end of the use known.
type Gap struct {
	Consumer string    `json:"consumer"` // PE q, in terms of positions
	Producer string    `json:"producer"` // PE p
	Ranges   []string  `json:"ranges"`   // of the indices in the two
	State    string    `json:"state"`    // what is known in front of C_put on this path
	Path     []int     `json:"path"`     // nodes, from UO_use (or CO_use) to C_put
	Steps    []Step    `json:"steps"`    // the decisions on the path
	Passed   []Refusal `json:"passed"`   // communications on the path, and why each proves nothing
	Missed   []Refusal `json:"missed"`   // what would prove it, and where the path goes past it
	// Example is an execution that shows that nothing orders them; nil where none
	// was found. Unless it is sure, it is only not proved that something does.
	Example *Example `json:"example,omitempty"`
	Hints   []Hint   `json:"hints"` // what to change
}

// Example is a put in an execution on a few PEs of which no data message and no
// reduction has acknowledged that the consumer is done with the slot.
type Example struct {
	PEs  int    `json:"pes"`
	From int    `json:"from"` // PE
	To   int    `json:"to"`
	Sure bool   `json:"sure"` // no condition was guessed
	Text string `json:"text"`
}

// Hint is a change that removes the need. Tried: the analysis was made again with
// the change in the graph, or the plan made anew, and the ready message was gone.
type Hint struct {
	Text  string `json:"text"`
	Tried bool   `json:"tried"`
}

// Step is one point of a Gap's path.
type Step struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Refusal is why a communication or reduction does not help.
type Refusal struct {
	Ref int `json:"ref"`
	Point
	Why string `json:"why"`
}

// Literal is what the printed form says, which proves nothing.
type Literal struct {
	Verdict   string `json:"verdict"`
	Converged bool   `json:"converged"`       // the iteration ended by itself
	Why       string `json:"why,omitempty"`   // where it differs from the sound form
	Final     *Sweep `json:"final,omitempty"` // the states in the end; nil unless Build was asked for all
}

// Collective is a reduction or barrier: every PE takes part and knows behind it
// what all had done before it.
type Collective struct {
	Ref  int    `json:"ref"` // 0 for a barrier
	Node int    `json:"node"`
	Name string `json:"name"` // "the sum of h"
	Line int    `json:"line"`
}

// Graph is the control-flow graph.
type Graph struct {
	Nodes []Node `json:"nodes"` // by ID
	Loops []Loop `json:"loops"` // by ID - 1
}

// Node is a node of the graph.
type Node struct {
	ID    int    `json:"id"`
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	Ref   int    `json:"ref,omitempty"`
	Line  int    `json:"line,omitempty"`
	Text  string `json:"text,omitempty"`
	Loop  int    `json:"loop,omitempty"`
	Succs []int  `json:"succs"`
}

// Loop is a loop of the graph.
type Loop struct {
	ID     int    `json:"id"`
	Head   int    `json:"head"` // node
	Parent int    `json:"parent,omitempty"`
	Line   int    `json:"line"`
	Index  string `json:"index,omitempty"`
}

// Total is a row of the table of the paper's section 5.
type Total struct {
	Form           string  `json:"form"` // "literal", "popl96" or "elide"
	Communications int     `json:"communications"`
	NoSync         int     `json:"nosync"`
	ElidedOn       int     `json:"elided_on"` // of Sync: none on any of the numbers of PEs that the plan is made for in particular
	Once           int     `json:"once"`
	Sync           int     `json:"sync"`
	OnDemand       int     `json:"on_demand"` // of Sync: only from PEs that have sent nothing since
	Percent        float64 `json:"percent"`   // of the communications that need ready messages
}
