// Package comm turns a typed program into SPMD form: it decides who computes
// each statement (owner computes), which references communicate, and where
// each communication stands: where its data are sent (C), where they must have
// arrived (CO, CommOver) and where this instance is dead (UO, UseOver).
//
// The source
//
//	do i = 2, n
//	   b(i) = a(i-1)          ! a, b BLOCK
//	end do
//
// becomes
//
//	Post  #1 shift a(i-1)     every PE: last own element to the next PE's overlap
//	Wait  #1
//	Region                    each PE: its own iterations of i, no communication inside
//	Done  #1
//
// A region is the largest piece of the program that every PE can execute on
// its own once the communications before it have completed. What no region
// covers is control flow that all PEs follow together (Loop, Branch).
// When a loop fits neither, its arrays are gathered, all PEs execute it, and
// the owners keep their part: Fallback, with the reason.
package comm

import (
	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/scalar"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Program is a program in SPMD form.
type Program struct {
	IR      *ir.Program
	Info    *scalar.Info
	Body    []Node
	Comms   []*Comm      // all communications; Comm.ID is the index + 1
	Reduces []*Reduction // all-PE reductions, IDs follow those of Comms
	Access  map[*ir.Ref]*Access
	a       *analyzer
	Notes   map[ir.Stmt]string    // why a loop is not a region
	graph   *cfg.Graph            // of Graph
	stmts   map[*cfg.Node]ir.Stmt // of the graph: the statement behind a node
	loops   map[*cfg.Loop]ir.Stmt // and behind a loop
	conds   map[*cfg.Node]ir.Expr // and the condition behind a branch
	proved  []privacy
	Shadow  map[*ir.Symbol][][2]int // overlap widths below and above, per array dimension
}

// Node is an element of the SPMD form.
type Node interface{ node() }

type (
	// Region is executed without communication. Every PE executes the
	// iterations that Part and Guard give it.
	Region struct {
		Stmts []ir.Stmt
		// Guard: the PE executes the region at all only if it owns these.
		Guard []Constraint
		// Part restricts a loop to the iterations in which the PE owns the
		// subscripts named. A loop without entry is executed in full.
		Part map[*ir.Do][]Constraint
		// Picks does so for loops whose iterations belong to the owners of elements that
		// a variable picks. No loop has an entry in both.
		Picks map[*ir.Do]*Pick
		// Comms are the communications whose values the region uses.
		Comms []*Comm
		// Pipe is set when the region's loop is executed PE after PE because it
		// carries dependences.
		Pipe *Pipe
		// StoreBack, set for a fallback, lists the arrays whose owners keep
		// their part of the gathered copy, with Why in words.
		StoreBack []*Comm
		Fallback  bool
		Why       string
	}

	// Post starts a group of communications.
	Post struct{ Comms []*Comm }
	// Barrier is one of all PEs, in front of the group or the pipelined region in which
	// communication Before comes first. The search of plans puts it there (Barriers).
	Barrier struct{ Before *Comm }
	// Wait is where the group's data must have arrived.
	Wait struct{ Comms []*Comm }
	// Done is where the group's values are dead.
	Done struct{ Comms []*Comm }

	// Start is where each PE begins to compute partial values of scalars, and
	// Combine where these become one value, the same on all PEs, all of which take
	// part. Between the two nothing but the statements of the reductions mentions the
	// scalars, and control goes from the one to the other or to the end of the
	// program. Behind is the statement that ends in front of Combine.
	Start   struct{ Reduce []*Reduction }
	Combine struct {
		Reduce []*Reduction
		Behind ir.Stmt
	}

	// Loop is a counted loop that all PEs execute together. Serial: a PE that runs alone
	// executes it as the source says.
	Loop struct {
		Do     *ir.Do
		Body   []Node
		Serial bool
	}
	// WhileLoop evaluates Pre, then its condition, then Body. Used are the
	// communications of Pre that the condition reads: dead once it is known.
	WhileLoop struct {
		While  *ir.While
		Pre    []Node
		Used   []*Comm
		Body   []Node
		Serial bool // as in Loop
	}
	// Branch is a conditional with a single-valued condition.
	Branch struct {
		If         *ir.If
		Then, Else []Node
	}
	// Simple is EXIT, CYCLE, READ or STOP outside regions.
	Simple struct{ Stmt ir.Stmt }
)

func (*Region) node()    {}
func (*Post) node()      {}
func (*Barrier) node()   {}
func (*Wait) node()      {}
func (*Done) node()      {}
func (*Start) node()     {}
func (*Combine) node()   {}
func (*Loop) node()      {}
func (*WhileLoop) node() {}
func (*Branch) node()    {}
func (*Simple) node()    {}

// Constraint says: the PE owns subscript Sub of axis Axis of Array. With Axis
// -1 it says that the PE holds Array at all (constant alignment).
type Constraint struct {
	Array *ir.Symbol
	Axis  int
	Sub   linalg.Affine
}

// Pipe says along which grid dimension a region is pipelined: PEs with smaller
// (Dir +1) or larger (Dir -1) coordinate come first.
type Pipe struct {
	GridDim, Dir int
	Comms        []*Comm // new values of the predecessors
	Blocks       *Blocks // nil: all in one message, for the reason Whole
	Whole        string
}

// Reduction combines the partial values of a scalar, or of elements of a replicated
// array, over all PEs.
type Reduction struct {
	ID    int
	Sym   *ir.Symbol
	Name  string // sum, product, max, min, and, or; place
	Line  int
	Lead  []GridDim // grid dimensions along which the partial is replicated: only coordinate 0 contributes
	By    *ir.Ref   // the reference whose owner computes the partial
	Stmts []ir.Stmt // the statements that accumulate
	// Moved is the loop that all PEs execute together and behind which it stands,
	// nil if none; Kept says why it stands in the loop KeptIn, nil if in none.
	Moved, KeptIn ir.Stmt
	Kept          string
	at            ir.Stmt

	// Of an extreme: how many of the reductions behind it in its list are called place, and
	// belong to it: their values are those of the PE whose extreme it is. Of equal ones that
	// is the PE where the first Ties places are least, compared one after another.
	Places, Ties int

	// Of an array: boxes of elements, one axis for each dimension, that hold all that
	// the region may change. Starts are the statements that give elements a new value to
	// go on from.
	Section [][]Axis
	Starts  []*ir.Assign

	// Parted: the array is distributed. PEs accumulate into elements that others own: each
	// has a place for all of them, and the owners combine those.
	Parted bool
}

// What is what is combined, for people: the name of a variable or an array, "g for all j"
// for an array that holds the values of a variable in all iterations of a loop.
func (r *Reduction) What() string {
	if r.Sym.Temp {
		return r.Sym.Source()
	}
	return r.Sym.Name
}

// GridDim is one dimension of a processor grid.
type GridDim struct {
	Grid *ir.Grid
	Dim  int
}

// Kind names what a communication looks like; it is for people, the run time
// treats all kinds alike (the pipelined and irregular ones aside).
type Kind string

const (
	Shift     Kind = "shift"     // neighbouring elements, into the overlap
	Broadcast Kind = "broadcast" // elements that do not vary with the region's loops, to all that need them
	Remap     Kind = "remap"     // aligned temporary: transposes, strides, other alignments
	Gather    Kind = "gather"    // to PE 0, for output
	AllGather Kind = "allgather" // a section to every PE
	Irregular Kind = "irregular" // subscripted subscripts, by a run-time schedule
	Pipeline  Kind = "pipeline"  // overlap filled by the predecessor's new values
	Whole     Kind = "whole"     // whole array to every PE, for a fallback
)

// Comm is one communication: the references (usually one) that read the same
// values of Array.
type Comm struct {
	ID     int
	Kind   Kind
	Array  *ir.Symbol
	Refs   []*ir.Ref
	Line   int
	Col    int
	COLine int // line before which data must have arrived
	UOLine int // line behind which the value is dead
	CLine  int // line before which it is posted

	Overlap bool // fills the array's own overlap; else a temporary
	// Window is, for an overlap, the least and greatest distance by which
	// the elements lie from those that the consumer's iterations own, per array
	// dimension.
	Window [][2]int
	// Forward lists the array dimensions (from 0) along which producers also
	// send what they have in their own overlap: their coordinate there is the
	// consumer's. The communications that filled it are complete before C.
	Forward []int
	// Axes describe the index space of the communication: for an overlap, and for
	// a temporary without Subs, the array's own dimensions.
	Axes []Axis
	// Subs, when not nil, give the array subscripts in terms of the index space.
	Subs []SubMap
	// Guard restricts the consumers: PEs that own these. RootOnly: PE 0.
	Guard    []Constraint
	RootOnly bool
	// Walk lists, for Irregular, the loops that are walked (outermost first).
	Walk []*ir.Do

	Ranges []*Range // the loops whose indices were expanded
	Region *Region
	// Partial: a reference served is evaluated under a condition. Elements outside
	// of the array's bounds, which are then not read, are not moved.
	Partial bool
	// Unowned: a reference served is evaluated in iterations that may have no executor:
	// all that is assigned there is assigned under a condition, and may be outside of its
	// array where the condition is false.
	Unowned bool
	// InPlace: nobody writes the elements of the array that it brings to a temporary, while
	// their values are in use; on a PE that runs alone, the array is the temporary.
	InPlace bool
	pipe    bool
}

// Range is the set of values a loop index takes, seen from where the
// communication stands: Lo..Hi by Step, restricted by ownership on the
// consumer. Unknown: any value, as far as the analysis goes. When the program
// runs, the values are those of Lo..Hi by By, if there is a By.
type Range struct {
	Loop    *ir.Do // nil: no loop of the program
	Index   string
	Lo, Hi  linalg.Affine
	Step    int
	Unknown bool
	By      *linalg.Affine // a step that is no constant
	Cons    []Constraint   // each affine in Index (coefficient /= 0) and symbols known at the communication
}

// Axis is one dimension of a communication's index space: the image of
// sum Coef*index + Off over the ranges; All: everything the array has.
type Axis struct {
	Terms []AxisTerm
	Off   linalg.Affine
	All   bool
}

// AxisTerm is Coef times the index of Range.
type AxisTerm struct {
	Range *Range
	Coef  int
}

// SubMap is one subscript: Coef times axis Axis of the index space plus Off
// (Axis -1: Off alone).
type SubMap struct {
	Axis, Coef int
	Off        linalg.Affine
}

// Mode says where a reference finds its value.
type Mode uint8

const (
	Own  Mode = iota // the PE's own section (overlap included) or a replicated array
	Temp             // the temporary of Comm
	Walk             // the next element of an irregular communication
	Part             // the PE's place for an element of an array that a Parted reduction combines
)

// Access says how one occurrence of a reference is addressed.
type Access struct {
	Mode Mode
	Comm *Comm // of Temp and Walk, and of Own when the overlap is read
}

// Sides is the set of places that a communication fills along one dimension of
// an overlap, seen from the PE's own section.
type Sides uint8

const (
	Below  Sides = 1 << iota // smaller indices than the PE owns
	Inside                   // indices that the PE owns
	Above                    // larger ones
)

// Reach is the places that c, which fills an overlap, may write along array
// dimension d. Cells that the PE owns itself, inside along every dimension, are
// not written.
func (c *Comm) Reach(d int) Sides {
	w := c.Window[d]
	var s Sides
	if w[0] < 0 {
		s |= Below
	}
	if w[1] > 0 {
		s |= Above
	}
	if w[0] <= 0 && w[1] >= 0 || c.askew() {
		s |= Inside
	}
	return s
}

// askew reports whether the elements are displaced along two dimensions: an
// element from outside along the one may lie inside along the other.
func (c *Comm) askew() bool {
	n := 0
	for _, w := range c.Window {
		if w[0] > 0 || w[1] < 0 {
			n++
		}
	}
	return n > 1
}
