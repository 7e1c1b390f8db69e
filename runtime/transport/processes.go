package transport

// Processes is a machine on which each PE is a process of its own, all of which run the
// same program.
type Processes interface {
	// Join makes this process a PE of a run. It comes first. With alike, either all PEs have
	// memory in common, or no two.
	Join(alike bool) (pe, n int, err error)
	// Run runs body on this process's PE and returns the error that ended the run on
	// the PE that met it first, ErrElsewhere on others. When no PE can move, the run is
	// aborted with the error that stuck makes of the waits.
	Run(stuck func([]Wait) error, body func(Transport)) error
	// Print sends what a PE prints to PE 0, where Printed shows what has come so far, in
	// the order in which it was printed: errors is for the standard error output.
	Print(text []byte, errors bool)
	Printed(show func(text []byte, errors bool))
	// Leave says that this process has run, leaves something to PE 0, and returns when all
	// have left: with what they left, by PE, nil for those that have not come to it in a
	// run that has failed. idle is called meanwhile.
	Leave(last []byte, idle func()) [][]byte
	// End comes last. A process exits behind it.
	End()
}

// Machine is the machine that the program runs on: nil if its PEs are goroutines of this
// process. A package with another one sets it when it is imported.
var Machine Processes
