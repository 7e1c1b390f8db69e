package spmd

import "fmt"

// Access summarises what an image did to memory since some moment: the S of
// Chabbi et al. (PPoPP 2015, section 3). The values descend in what others can
// observe, so that the summary of two parts is the smaller one; they are those
// of elide.Access.
type Access uint8

const (
	Remote  Access = iota // R: a coarray of another image was read or written, x(i)[p]
	Local                 // L: a coarray of this image was read or written
	Private               // N: only variables that no other image can name
)

// marks is the summary of a PE. Its zero value stands for Private, so that a PE
// need not be initialised: touched counts down from there.
type marks struct{ touched uint8 }

// MarkRemote notes, ahead of the next synchronisation, that this image reads or
// writes a coarray of another one (or may: marks are exact or too many, never too
// few).
func (pe *PE) MarkRemote() { pe.marks.touched = uint8(Private - Remote) }

// MarkLocal notes that this image reads or writes its own part of a coarray.
func (pe *PE) MarkLocal() { pe.marks.touched = max(pe.marks.touched, uint8(Private-Local)) }

// TakeAccess is the summary since the last TakeAccess, and begins a new one.
func (pe *PE) TakeAccess() Access {
	a := Private - Access(pe.marks.touched)
	pe.marks.touched = 0
	return a
}

// marked ends the run if an access is not marked, which barrier elision rests on.
func (pe *PE) marked(a Access, name string) {
	if Access(pe.marks.touched) < Private-a {
		panic(&Fault{
			Msg:  fmt.Sprintf("internal error: the access to coarray %s is not marked", name),
			Hint: "this is a defect of the compiler; please report it",
		})
	}
}

// Call is a call on one call path: the statements of the procedure stand, once for
// every path, in place of the call. Program.Calls has the callers first.
type Call struct {
	Line, Col int    // of the call
	Proc      string // the procedure called
	Parent    int    // the call that executes the caller: its index in Program.Calls plus 1; 0: the main program
}

// Path is the calls that lead to site, the outermost first: with the site itself
// the calling context of a barrier. Two paths have a call in common if its Line and
// Col are the same.
func (p *Program) Path(site int) []Call {
	var n int
	for c := p.Sites[site].Call; c > 0; c = p.Calls[c-1].Parent {
		n++
	}
	path := make([]Call, n)
	for c := p.Sites[site].Call; c > 0; c = p.Calls[c-1].Parent {
		n--
		path[n] = p.Calls[c-1]
	}
	return path
}

// SyncAll is SYNC ALL at a site, one of kind "sync all": when it returns, every
// image has called it, and what any of them did before is visible to all.
func (pe *PE) SyncAll(site int) {
	pe.Barrier(site)
	pe.TakeAccess()
}
