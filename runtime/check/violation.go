package check

import (
	"cmp"
	"fmt"
	"slices"
)

// Kind is what is wrong with a message.
type Kind uint8

const (
	// TooEarly: a put has come while its cells were in use, or its flag not seen
	// (invariant I1).
	TooEarly Kind = iota + 1
	// Unordered: the cells were free, but the sender could not know (I4).
	Unordered
	// Unseen: a put has landed though the flag of the one before had not been
	// looked at (I2).
	Unseen
	// InUse: a put has landed in cells in use (I3).
	InUse
	// Changed: cells have changed between arrival and end of use (I3).
	Changed
	// Garbled: at arrival there is not what was sent (I3).
	Garbled
	// Unsent: a flag or a ready message has come that nobody has sent (I2).
	Unsent
	// Twice: a put has landed a second time.
	Twice
	// Overtaken: a put has landed behind the next one.
	Overtaken
	// Miscounted: the epoch of a slot is not the number of its execution (I8).
	Miscounted
	// Unforeseen: the analysis says that there is no such message (I7).
	Unforeseen
	// Missing: the analysis says that there is one (I7).
	Missing
	// Astray: the analysis excludes that the value of an iteration is sent from where
	// it is sent from next (I6).
	Astray
)

// Violation is a message that breaks an invariant. It is an error without
// position; the numbers of sites stand in Put and Use.
type Violation struct {
	Kind     Kind
	Put, Use *Slot
	From, To int    // PEs
	Epoch    uint64 // of the put
	// UseEpoch is that of the use which is not over on To, or not known to be;
	// OverEpoch the last one of that communication that is over, 0 if none.
	UseEpoch, OverEpoch uint64
	// Flag: the cells are free, but To has not looked yet at the flag which this
	// PE set in UseEpoch, and would find that of Epoch.
	Flag bool
	// Source: it is no put, but From overwrites elements of its own that To gets, or
	// has got, in the execution Epoch, in a line of the program.
	Source bool
	Line   int
	// Index is the indices of the loops around the put, the outermost first.
	Index []int
	// Times is how often the same was found, of Unordered.
	Times int

	step uint64 // that ended the use
}

func (v *Violation) Error() string {
	return fmt.Sprintf("put of slot %d from PE %d to PE %d in epoch %d, against epoch %d of slot %d: violation %d",
		v.Put.Site, v.From, v.To, v.Epoch, v.UseEpoch, v.Use.Site, v.Kind)
}

// Divergence is the error of PEs that have come to one message by different ways
// (I5): from different sites, or by other ways through the program before.
type Divergence struct {
	PE, Other         int
	Site, OtherSite   int
	Index, OtherIndex []int
}

func (d *Divergence) Error() string {
	return fmt.Sprintf("control diverged: PE %d is at site %d %v, PE %d was at site %d %v", d.PE, d.Site, d.Index, d.Other, d.OtherSite, d.OtherIndex)
}

// stray is what makes two puts that nothing orders the same to a reader.
type stray struct {
	put, use, to int
	flag, source bool
}

// stray keeps a put that the sender could not know to be free.
func (m *Monitor) stray(v *Violation) {
	m.trace.unordered(v)
	key := stray{v.Put.Site, v.Use.Site, v.To, v.Flag, v.Source}
	if first := m.known[key]; first != nil {
		first.Times++
		return
	}
	v.Times = 1
	m.known[key] = v
	m.strays = append(m.strays, v)
}

// Strays are the puts of the run that nothing has ordered after the last use of
// their cells: the first of each kind, by communication, sender and receiver.
// They do not depend on which PE was fast. It is called when the PEs have ended.
func (l *Ledger) Strays() []*Violation {
	var all []*Violation
	for _, m := range l.monitors {
		if m != nil {
			all = append(all, m.strays...)
		}
	}
	slices.SortFunc(all, func(a, b *Violation) int {
		return cmp.Or(cmp.Compare(a.Put.Site, b.Put.Site), cmp.Compare(a.Epoch, b.Epoch), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Use.Site, b.Use.Site))
	})
	return all
}

// Fault is the first fault of the transport, nil if there was none.
func (l *Ledger) Fault() *Violation { return l.fault.Load() }
