package transport

// Processes is a machine of several processes, each of which has one or more PEs. All run the
// same program.
type Processes interface {
	// Begin comes first: this process is number rank of so many.
	Begin() (rank, ranks int, err error)
	// Join deals out the n PEs of a run to the processes, as blocks, and says which are those of
	// this one. All processes call it; one that cannot run passes 0, and then no other can. With
	// alike, either all PEs have memory in common, or no two.
	Join(n int, alike bool) (first, count int, err error)
	// Run runs body on the PEs of this process and returns the error that ended the run in
	// the process that met it first, ErrElsewhere in others. When no PE can move, the run is
	// aborted with the error that stuck makes of the waits.
	Run(stuck func([]Wait) error, body func(Transport)) error
	// Print sends what a PE prints to the process of PE 0, where Printed shows what has come so far, in
	// the order in which it was printed: errors is for the standard error output.
	Print(text []byte, errors bool)
	Printed(show func(text []byte, errors bool))
	// Leave says that this process has run, leaves something, not empty, to that of PE 0, and returns
	// when all have left: in the process of PE 0 with what they left, in others with its first byte,
	// at the first PE of each; nil for those that have not come to it in a run that has failed. idle
	// is called meanwhile.
	Leave(last []byte, idle func()) [][]byte
	// Text is the data v points to, in exported fields, as text, of which Value makes the data that another v points to.
	Text(v any) string
	Value(text string, v any)
	// Failure is the error that has ended the run, if it was found in this process: also behind
	// Run, when only PEs of other processes were left, which could not move.
	Failure() error
	// End comes last. A process exits behind it.
	End()
}

// Machine is the machine that the program runs on: nil if its PEs are goroutines of this
// process. A package with another one sets it when it is imported.
var Machine Processes
