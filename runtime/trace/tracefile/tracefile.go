// Package tracefile is the form of traces in files: what the PEs of a run did, and when.
//
// A file begins with Word, and consists of chunks. The first has the definitions, which are
// JSON: the program, its regions and sites, what was counted, and what was left out. Each of
// the others has events of one PE and one level, and says how many and of which time. The
// last is the index, the places of all others; behind it stands where it is. A reader takes
// from the file only the chunks that it needs. Each chunk has a check sum, so that a file
// that was cut off can be read up to the cut:
//
//	spmdc trace 1
//	chunk definitions  {"program": "jacobi", ...}
//	chunk events       PE 0, regions of depth 0
//	chunk events       PE 0, regions of depth 1
//	chunk events       PE 0, messages
//	...
//	chunk index
//	place of the index
//
// Times are nanoseconds from the beginning of the run.
package tracefile

// Word is how a file begins.
const Word = "spmdc trace 1\n"

// end is what its last bytes are, behind the place of the index.
const end = "trace ends here\n"

// Kind is what an event is.
type Kind uint8

// The Kinds. A put of several parts is one Put, and a PutPart for each further part that has
// a flag of its own; a ready message likewise.
const (
	Region    Kind = iota // a region was executed
	Put                   // of data to another PE
	Get                   // of data from another PE
	Ready                 // a ready message was sent
	WaitReady             // a ready message was waited for
	Arrival               // data were waited for
	Reduction             // values of all PEs were combined
	Broadcast             // a PE gave all a value
	Barrier               // all PEs were waited for
	Lock                  // a CRITICAL construct was waited for
	PutPart
	ReadyPart
	Iteration // of an outermost loop in which PEs have to do with each other; PE 0 alone has them
	Elided    // a barrier was left out, since it would have ordered nothing
	Kinds     // is how many there are
)

var kindNames = [Kinds]string{"region", "put", "get", "ready", "wait for ready", "wait for arrival", "reduction", "broadcast", "barrier", "lock", "part of a put", "part of a ready message", "iteration", "elided barrier"}

func (k Kind) String() string {
	if k < Kinds {
		return kindNames[k]
	}
	return "event"
}

// Blocks reports whether the time of an event is that of a wait.
func (k Kind) Blocks() bool { return k >= WaitReady && k <= Lock }

// ofRegion reports whether the ID of an event is that of a region.
func (k Kind) ofRegion() bool { return k == Region || k == Iteration }

// Collective reports whether all PEs take part in an event.
func (k Kind) Collective() bool { return k == Reduction || k == Broadcast || k == Barrier }

// Event is something that a PE did. A message is known by its buffer, its epoch, and the two
// PEs: the event of the sender, Put or Ready, and that of the receiver, Arrival or WaitReady,
// have the same. An event of all PEs is known by its site and Number, which counts them. The
// iterations of all loops are numbered from 0 in the order in which they begin.
type Event struct {
	Kind        Kind
	ID          int   // of the region, or of the site, from 0; -1: none
	Began, Took int64 // nanoseconds
	Number      uint64
	Peer        int // the other PE, -1: none
	Buffer      int
	Bytes       int64
}

// Levels of events that are no regions; the others are depths of regions.
const (
	Messages   = 255
	Iterations = 254
)

// Definitions are what the numbers in events stand for.
type Definitions struct {
	Program string      `json:"program"`
	PEs     int         `json:"pes"`
	Seconds float64     `json:"seconds"`
	Images  bool        `json:"images,omitempty"` // its PEs are images
	Regions []RegionDef `json:"regions"`
	Sites   []SiteDef   `json:"sites"`
	Kept    []Kept      `json:"kept"` // by PE
	Energy  *Energy     `json:"energy,omitempty"`
	// Iterations is how many the outermost loops had, of PE 0.
	Iterations int64 `json:"iterations,omitempty"`
	// Hosts is for each PE the first PE on its host; nil: all are on one host.
	Hosts   []int    `json:"hosts,omitempty"`
	Network *Network `json:"network,omitempty"`
}

// Energy is what the machine used during the run.
type Energy struct {
	Joules     float64 `json:"joules"`
	Zones      []Zone  `json:"zones,omitempty"`
	Unreadable string  `json:"unreadable,omitempty"` // why it is not known
}

// Zone is a package of processors.
type Zone struct {
	Name   string  `json:"name"`
	Joules float64 `json:"joules"`
}

// Network is what the interfaces of the machine carried during the run.
type Network struct {
	Interfaces []Interface `json:"interfaces,omitempty"` // those that carried something
	Unreadable string      `json:"unreadable,omitempty"` // why it is not known
}

// Interface is a network interface. Sent and Received are bytes.
type Interface struct {
	Name     string `json:"name"`
	Sent     int64  `json:"sent"`
	Received int64  `json:"received"`
}

// RegionDef is a region of the source.
type RegionDef struct {
	Parent int    `json:"parent"`
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Last   int    `json:"last"`
}

// SiteDef is a communication of the source.
type SiteDef struct {
	File      string  `json:"file"`
	Line      int     `json:"line"`
	Kind      string  `json:"kind"`
	Reference string  `json:"reference"`
	Counts    []Count `json:"counts"` // by PE
}

// Count is what a site did on a PE, as spmd.Stats counts it.
type Count struct {
	Calls int64 `json:"calls"`
	Data  int64 `json:"data"`
	Ready int64 `json:"ready"`
	Bytes int64 `json:"bytes"`
	Waits int64 `json:"waits"`
	// Elided is the ready messages that were left out.
	Elided int64 `json:"elided,omitempty"`
	// Barriers is the barriers that were left out.
	Barriers int64 `json:"elidedBarriers,omitempty"`
}

// Kept says what of the events of a PE is in the file.
type Kept struct {
	Memory int64 `json:"memory"` // bytes that events have taken
	Events int64 `json:"events"` // in the file
	// Every is 1, or a power of two if only events whose number is a multiple of it are
	// there: of regions and of what all PEs do together each execution of such a number,
	// of messages each epoch.
	Every   int64     `json:"every"`
	Dropped []Dropped `json:"dropped,omitempty"`
	// Unselected is how many events were left out as was asked for.
	Unselected int64 `json:"unselected,omitempty"`
}

// Dropped is how many events of a level there were that the file does not have.
type Dropped struct {
	Level  int   `json:"level"`
	Events int64 `json:"events"`
}

// Chunk is a part of a file.
type Chunk struct {
	PE, Level, Events int
	From, To          int64 // when its first event began, and the last one ended
	at                int64 // in the file
	size              int64
}
