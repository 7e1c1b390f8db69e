// Package traces shows what is in traces of runs, as package tracefile has them: sums, a page
// with a lane for each PE, and forms that other tools read.
package traces

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	"github.com/spmdc/spmdc/parser/source"
	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// Trace is a trace with all its events.
type Trace struct {
	*tracefile.File
	PE [][]tracefile.Event // by PE, in the order in which they began; those around others first

	// Partner is, for the wait of a message, where its sender's event is, and the other way
	// round.
	Partner map[Place]Place

	Phases []tracefile.Event // iterations of PE 0, in order

	lanes   []string // names of the PEs; nil: they are numbered
	numbers []int    // then: theirs

	// Of a Server: the time of the run, where the page gets other views, and what is not in this.
	span       *[2]int64
	view, note string
	flows      flows   // nil: of all events
	partly     bool    // flows are of some messages only
	steps      []int64 // of the critical path, as a page has them
}

// laneName is the name of a PE.
func (t *Trace) laneName(pe int) string {
	switch {
	case t.lanes != nil:
		return t.lanes[pe]
	case t.Images:
		return fmt.Sprintf("image %d", t.number(pe))
	}
	return fmt.Sprintf("PE %d", pe)
}

// number is that of a PE or image.
func (t *Trace) number(pe int) int {
	switch {
	case t.numbers != nil:
		return t.numbers[pe]
	case t.Images:
		return pe + 1
	}
	return pe
}

// Place is the index of an event.
type Place struct{ PE, Index int }

// definitions reads the definitions and the index of a trace.
func definitions(f *os.File) (*tracefile.File, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, tracefile.ErrOther
	}
	x, err := tracefile.Read(f, st.Size())
	if err != nil {
		return nil, err
	}
	printable(&x.Definitions)
	return x, nil
}

// Read reads a trace.
func Read(file string) (*Trace, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	x, err := definitions(f)
	if err != nil {
		return nil, err
	}
	t := &Trace{File: x, PE: make([][]tracefile.Event, x.PEs)}
	for _, c := range x.Chunks {
		list, err := x.Events(c)
		if err != nil {
			return nil, err
		}
		if c.Level == tracefile.Iterations {
			t.Phases = append(t.Phases, list...)
			continue
		}
		t.PE[c.PE] = append(t.PE[c.PE], list...)
	}
	for _, list := range t.PE {
		slices.SortStableFunc(list, before)
	}
	t.match()
	return t, nil
}

// printable makes texts that come from a source such as can be shown everywhere.
func printable(d *tracefile.Definitions) {
	d.Program = source.Printable(d.Program)
	for i := range d.Regions {
		r := &d.Regions[i]
		r.Kind, r.Name, r.File = source.Printable(r.Kind), source.Printable(r.Name), source.Printable(r.File)
	}
	for i := range d.Sites {
		s := &d.Sites[i]
		s.Kind, s.Reference, s.File = source.Printable(s.Kind), source.Printable(s.Reference), source.Printable(s.File)
	}
}

// before is the order of events of a PE.
func before(a, b tracefile.Event) int {
	if c := cmp.Or(cmp.Compare(a.Began, b.Began), cmp.Compare(b.Took, a.Took)); c != 0 {
		return c
	}
	// A region that is as long as the one around it has a higher number.
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.ID, b.ID))
}

func rank(e tracefile.Event) int {
	if e.Kind == tracefile.Region {
		return 0
	}
	return 1
}

// identity is what both ends of a message have in common.
type identity struct {
	ready    bool
	buffer   int
	epoch    uint64
	from, to int
}

// match finds the partners of messages.
func (t *Trace) match() {
	t.Partner = map[Place]Place{}
	sent := map[identity]Place{}
	for pe, list := range t.PE {
		for i, e := range list {
			switch e.Kind {
			case tracefile.Put, tracefile.PutPart, tracefile.Ready, tracefile.ReadyPart:
				sent[identity{e.Kind != tracefile.Put && e.Kind != tracefile.PutPart, e.Buffer, e.Number, pe, e.Peer}] = Place{pe, i}
			}
		}
	}
	for pe, list := range t.PE {
		for i, e := range list {
			if e.Kind != tracefile.Arrival && e.Kind != tracefile.WaitReady {
				continue
			}
			if from, ok := sent[identity{e.Kind == tracefile.WaitReady, e.Buffer, e.Number, e.Peer, pe}]; ok {
				t.Partner[Place{pe, i}], t.Partner[from] = from, Place{pe, i}
			}
		}
	}
}

// Notes say what of the run is not in the trace.
func (t *Trace) Notes() (notes []string) {
	if t.Cut != "" {
		notes = append(notes, "the end of the file is missing ("+t.Cut+"): some events are not there")
	}
	for pe, k := range t.Kept {
		var deep, messages int64
		level := 0
		for _, d := range k.Dropped {
			if d.Level == tracefile.Messages {
				messages += d.Events
				continue
			}
			deep += d.Events
			if level == 0 || d.Level < level {
				level = d.Level
			}
		}
		if deep > 0 {
			notes = append(notes, fmt.Sprintf("PE %d: %d executions of regions are left out, of depth %d and more: their memory was needed", pe, deep, level))
		}
		if k.Unselected > 0 {
			notes = append(notes, fmt.Sprintf("PE %d: %d events are left out, as requested when the trace was made", pe, k.Unselected))
		}
		if k.Every > 1 {
			notes = append(notes, fmt.Sprintf("PE %d: %d events of messages are left out: those of one epoch in %d are there", pe, messages, k.Every))
		}
	}
	return notes
}

// walk calls f for each event of a PE with the index of the innermost region around it, -1 for
// none.
func (t *Trace) walk(pe int, f func(i, around int)) {
	var open []int
	list := t.PE[pe]
	for i, e := range list {
		for len(open) > 0 && list[open[len(open)-1]].Began+list[open[len(open)-1]].Took <= e.Began && !within(list[open[len(open)-1]], e) {
			open = open[:len(open)-1]
		}
		around := -1
		if len(open) > 0 {
			around = open[len(open)-1]
		}
		f(i, around)
		if e.Kind == tracefile.Region {
			open = append(open, i)
		}
	}
}

// within reports whether e lies in a region, both of which may have no length.
func within(region, e tracefile.Event) bool {
	return e.Began >= region.Began && e.Began+e.Took <= region.Began+region.Took
}
