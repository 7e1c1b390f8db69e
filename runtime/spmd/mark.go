package spmd

import (
	"fmt"

	"github.com/spmdc/spmdc/runtime/elide"
)

// marks is the summary of what a PE did to memory since the last synchronisation. Its
// zero value stands for elide.Private, so that a PE need not be initialised: touched
// counts down from there.
type marks struct{ touched uint8 }

// MarkRemote notes, ahead of the next synchronisation, that this image reads or
// writes a coarray of another one (or may: marks are exact or too many, never too
// few).
func (pe *PE) MarkRemote() { pe.marks.touched = uint8(elide.Private - elide.Remote) }

// MarkLocal notes that this image reads or writes its own part of a coarray.
func (pe *PE) MarkLocal() { pe.marks.touched = max(pe.marks.touched, uint8(elide.Private-elide.Local)) }

// TakeAccess is the summary since the last TakeAccess, and begins a new one.
func (pe *PE) TakeAccess() elide.Access {
	a := elide.Private - elide.Access(pe.marks.touched)
	pe.marks.touched = 0
	return a
}

// marked ends the run if an access is not marked, which barrier elision rests on.
func (pe *PE) marked(a elide.Access, name string) {
	if elide.Access(pe.marks.touched) < elide.Private-a {
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
// image of the current team has called it, and what any of them did before is visible to all.
// Barriers of other teams than the initial one are never elided, and begin no new summary of
// accesses: they do not order all images.
func (pe *PE) SyncAll(site int) {
	if !pe.plain() {
		pe.rendezvous(site, pe.images.teams.current)
		return
	}
	pe.syncInitial(site)
}

// syncInitial is a barrier of the images of the initial team.
func (pe *PE) syncInitial(site int) {
	pe.t.Complete(site, -1)
	pe.Barrier(site)
	pe.TakeAccess()
}
