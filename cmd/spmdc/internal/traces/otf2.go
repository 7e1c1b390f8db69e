package traces

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// An archive of the Open Trace Format 2 is a folder: an anchor, the definitions of all, and for
// each location, which is a PE, a file of events and one of definitions, of which there are
// none. Regions and activities are regions of OTF2; what goes through the transport is there
// as remote memory access besides. The waits for a message are RmaWaitChange, and its epoch
// is the parameter in front of it.

// Records, by their published numbers.
const (
	otf2Clock, otf2String, otf2Node, otf2Group, otf2Location, otf2Region = 5, 10, 12, 13, 14, 15
	otf2Members, otf2Comm, otf2Parameter, otf2Window                     = 18, 22, 23, 24

	otf2Timestamp, otf2Enter, otf2Leave, otf2ParameterUnsigned = 5, 12, 13, 34
	otf2CollectiveBegin, otf2CollectiveEnd, otf2Sync, otf2Wait = 37, 38, 44, 45
	otf2Put, otf2Get, otf2Complete, otf2CompleteRemote         = 46, 47, 49, 52
)

// Values of their fields.
const (
	otf2Undefined               = math.MaxUint64
	otf2NotifyIn, otf2NotifyOut = 1, 2 // types of Sync
	otf2Unknown, otf2Compiler   = 0, 2 // paradigms
	otf2Code                    = 4    // a role
)

// otf2RolesOf are roles of regions by their kind, otf2Roles those of activities.
var otf2RolesOf = map[string]byte{"program": 1, "procedure": 1, "loop": 3, "input": 27, "output": 27}

var otf2Roles = map[tracefile.Kind]byte{
	tracefile.Put: 29, tracefile.Get: 29, tracefile.Ready: 29, tracefile.WaitReady: 29, tracefile.Arrival: 29,
	tracefile.Reduction: 25, tracefile.Broadcast: 23, tracefile.Barrier: 15, tracefile.Elided: 15, tracefile.Lock: 12,
}

// otf2Operations are the operations of what all PEs do together.
var otf2Operations = map[tracefile.Kind]byte{tracefile.Barrier: 0, tracefile.Broadcast: 1, tracefile.Reduction: 11}

const (
	otf2EventChunk      = 1 << 20
	otf2DefinitionChunk = 4 << 20
)

// otf2Record is the data of a record.
type otf2Record []byte

// number adds an unsigned number with as many bytes as it needs.
func (r otf2Record) number(v uint64) otf2Record {
	switch v {
	case 0:
		return append(r, 0)
	case otf2Undefined:
		return append(r, 0xff)
	}
	at := len(r)
	r = append(r, 0)
	for ; v > 0; v >>= 8 {
		r = append(r, byte(v))
	}
	r[at] = byte(len(r) - at - 1)
	return r
}

func (r otf2Record) numbers(list ...uint64) otf2Record {
	for _, v := range list {
		r = r.number(v)
	}
	return r
}

func (r otf2Record) byte(v ...byte) otf2Record { return append(r, v...) }

func (r otf2Record) text(s string) otf2Record { return append(append(r, s...), 0) }

// otf2File is a file of chunks.
type otf2File struct {
	f      *os.File
	w      *bufio.Writer
	size   int // of a chunk
	events bool
	chunk  []byte
	first  uint64 // number of the first record of the chunk
	n      uint64 // records so far
	now    int64  // the time of the last record, -1: none in this chunk
	buf    []byte
}

func otf2Create(file string, size int, events bool) (*otf2File, error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	x := &otf2File{f: f, w: bufio.NewWriter(f), size: size, events: events}
	x.begin()
	return x, nil
}

const otf2Head = 2 + 8 + 8 // of a chunk

func (x *otf2File) begin() {
	x.chunk = append(x.chunk[:0], 3, 0x42)
	x.chunk = append(x.chunk, make([]byte, otf2Head-2)...)
	x.first, x.now = x.n+1, -1
}

// flush writes the chunk. All have the same size but for the last.
func (x *otf2File) flush(last bool) {
	first, end := uint64(1), uint64(0)
	if x.events {
		first, end = x.first, x.n
	}
	binary.LittleEndian.PutUint64(x.chunk[2:], first)
	binary.LittleEndian.PutUint64(x.chunk[10:], end)
	if last {
		x.chunk = append(x.chunk, 2, 1)
	} else {
		x.chunk = append(x.chunk, make([]byte, x.size-len(x.chunk))...)
	}
	x.w.Write(x.chunk) // its error comes again when the file is closed
}

// add adds a record, with its time in events, in one piece.
func (x *otf2File) add(at int64, id byte, data otf2Record) {
	b := append(x.buf[:0], id)
	switch {
	case x.events && (id == otf2Enter || id == otf2Leave):
	case len(data) < 255:
		b = append(b, byte(len(data)))
	default:
		b = binary.LittleEndian.AppendUint64(append(b, 255), uint64(len(data)))
	}
	b = append(b, data...)
	x.buf = b
	const stamp, end = 1 + 8, 2
	if len(x.chunk)+stamp+len(b)+end > x.size {
		x.flush(false)
		x.begin()
	}
	if x.events && at != x.now {
		x.chunk = binary.LittleEndian.AppendUint64(append(x.chunk, otf2Timestamp), uint64(at))
		x.now = at
	}
	x.chunk = append(x.chunk, b...)
	x.n++
}

func (x *otf2File) close() error {
	x.flush(true)
	return errors.Join(x.w.Flush(), x.f.Close())
}

// otf2Archive is an archive under construction.
type otf2Archive struct {
	*Trace
	from, to   int64             // of all events
	activities map[[2]int]uint64 // by kind and site, numbers of regions
	order      []*tracefile.Event
	buffers    int // there are no buffers of this number and more
}

// OTF2 fills a folder with an archive of the Open Trace Format 2, version 3.0. Times are in
// nanoseconds.
func (t *Trace) OTF2(folder string) error {
	a := &otf2Archive{Trace: t, activities: map[[2]int]uint64{}}
	for _, list := range t.PE {
		for i := range list {
			a.from, a.to = min(a.from, list[i].Began), max(a.to, list[i].Began+list[i].Took)
		}
	}
	files := filepath.Join(folder, "traces")
	if err := os.Mkdir(files, 0o777); err != nil {
		return err
	}
	counts := make([]uint64, t.PEs)
	for pe := range t.PEs {
		name := filepath.Join(files, fmt.Sprint(pe))
		x, err := otf2Create(name+".evt", otf2EventChunk, true)
		if err != nil {
			return err
		}
		a.location(x, pe)
		counts[pe] = x.n
		own, err := otf2Create(name+".def", otf2DefinitionChunk, false)
		if err = errors.Join(err, x.close()); err != nil {
			return err
		}
		if err := own.close(); err != nil {
			return err
		}
	}
	defs, err := otf2Create(filepath.Join(folder, "traces.def"), otf2DefinitionChunk, false)
	if err != nil {
		return err
	}
	a.definitions(defs, counts)
	if err := defs.close(); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "traces.otf2"), a.anchor(defs.n), 0o666)
}

// anchor is the file that is opened to read the archive.
func (a *otf2Archive) anchor(definitions uint64) []byte {
	le := binary.LittleEndian
	b := append([]byte{3, 0x42}, "OTF2\x00"...)
	b = append(b, 3, 2, 3, 0, 2) // versions
	b = le.AppendUint64(b, otf2EventChunk)
	b = le.AppendUint64(b, otf2DefinitionChunk)
	b = append(b, 1, 1) // plain files, not compressed
	b = le.AppendUint64(b, uint64(a.PEs))
	b = le.AppendUint64(b, definitions)
	b = otf2Record(b).text("").text("spmdc").text(a.Program)
	b = append(b, make([]byte, 4+8+4+4)...) // no properties, no number, no snapshots, no thumbnails
	return append(b, 2, 1, 0)
}

// location writes the events of a PE.
func (a *otf2Archive) location(x *otf2File, pe int) {
	list := a.PE[pe]
	var at int64
	var buf [64]byte
	data := func(list ...uint64) otf2Record { return otf2Record(buf[:0]).numbers(list...) }
	add := func(id byte, data otf2Record) { x.add(at, id, data) }
	var matching uint64 // number of the put or get
	a.nested(pe, func(i int, now int64) {
		e := &list[i]
		at = now - a.from
		if !part(e) {
			add(otf2Enter, data(a.region(e)))
		}
		message := e.Peer >= 0 && !e.Kind.Collective()
		if message {
			add(otf2ParameterUnsigned, data(0, e.Number))
		}
		win, peer := a.window(e), uint64(e.Peer)
		switch {
		case e.Kind.Collective():
			add(otf2CollectiveBegin, nil)
		case !message:
		case e.Kind == tracefile.Put || e.Kind == tracefile.PutPart:
			add(otf2Put, data(win, peer, uint64(e.Bytes), matching))
		case e.Kind == tracefile.Get:
			add(otf2Get, data(win, peer, uint64(e.Bytes), matching))
		case e.Kind == tracefile.Ready || e.Kind == tracefile.ReadyPart:
			add(otf2Sync, data(win, peer).byte(otf2NotifyOut))
		}
	}, func(i int, now int64) {
		e := &list[i]
		at = now - a.from
		win, peer := a.window(e), uint64(e.Peer)
		switch {
		case e.Kind.Collective():
			root := uint64(otf2Undefined)
			if e.Peer >= 0 {
				root = peer
			}
			const process, memory = 1, 2
			add(otf2CollectiveEnd, otf2Record(buf[:0]).byte(otf2Operations[e.Kind]).numbers(process|memory, win, root, uint64(e.Bytes), uint64(e.Bytes)))
		case e.Peer < 0:
		case e.Kind == tracefile.Put || e.Kind == tracefile.PutPart:
			add(otf2CompleteRemote, data(win, matching))
			matching++
		case e.Kind == tracefile.Get:
			add(otf2Complete, data(win, matching))
			matching++
		case e.Kind == tracefile.Arrival:
			add(otf2Wait, data(win))
		case e.Kind == tracefile.WaitReady:
			add(otf2Sync, data(win, peer).byte(otf2NotifyIn))
		}
		if !part(e) {
			add(otf2Leave, data(a.region(e)))
		}
	})
}

// part reports whether an event is a further part of a message, which has no time of its own.
func part(e *tracefile.Event) bool {
	return e.Kind == tracefile.PutPart || e.Kind == tracefile.ReadyPart
}

// region is the number of the region that an event is.
func (a *otf2Archive) region(e *tracefile.Event) uint64 {
	if e.Kind == tracefile.Region {
		return uint64(e.ID)
	}
	key := [2]int{int(e.Kind), e.ID}
	id, known := a.activities[key]
	if !known {
		id = uint64(len(a.Regions) + len(a.order))
		a.activities[key] = id
		a.order = append(a.order, e)
	}
	return id
}

// window is what an event is about: a buffer, or in what belongs to none all PEs.
func (a *otf2Archive) window(e *tracefile.Event) uint64 {
	if e.Kind == tracefile.Region || e.Kind.Collective() {
		return 0
	}
	a.buffers = max(a.buffers, e.Buffer+1)
	return uint64(e.Buffer + 1)
}

// definitions writes the global definitions, in an order in which each is there before it is
// used.
func (a *otf2Archive) definitions(x *otf2File, events []uint64) {
	def := func(id byte, data otf2Record) { x.add(0, id, data) }
	numbers := map[string]uint64{}
	text := func(s string) uint64 {
		n, known := numbers[s]
		if !known {
			n = uint64(len(numbers))
			numbers[s] = n
			def(otf2String, otf2Record{}.number(n).text(s))
		}
		return n
	}
	const second = 1e9
	def(otf2Clock, otf2Record{}.numbers(second, 0, uint64(a.to-a.from), otf2Undefined))
	empty := text("")
	def(otf2Node, otf2Record{}.numbers(0, text(a.Program), empty, otf2Undefined))
	const process, thread = 1, 1
	members := otf2Record{}.number(uint64(a.PEs))
	for pe := range uint64(a.PEs) {
		name := text(a.laneName(int(pe)))
		def(otf2Group, otf2Record{}.numbers(pe, name).byte(process).numbers(0, otf2Undefined))
		def(otf2Location, otf2Record{}.numbers(pe, name).byte(thread).numbers(events[pe], pe))
		members = members.number(pe)
	}
	region := func(id int, name, file string, role byte, line, last int) {
		n := text(name)
		// The first role is that of old versions, 0: unknown. The name is the canonical one, too.
		def(otf2Region, otf2Record{}.numbers(uint64(id), n, empty).byte(0).numbers(text(file), uint64(line), uint64(last), n).byte(role, otf2Compiler).number(0))
	}
	for i, r := range a.Regions {
		role, known := otf2RolesOf[r.Kind]
		if !known {
			role = otf2Code
		}
		region(i, a.Name(i), r.File, role, r.Line, r.Last)
	}
	for i, e := range a.order {
		file, line := a.place(e)
		region(len(a.Regions)+i, a.name(e), file, otf2Roles[e.Kind], line, line)
	}
	// Groups of the locations and of the ranks; the last three fields replace the first of old
	// versions.
	const locations, ranks = 4, 5
	def(otf2Members, append(otf2Record{}.numbers(0, text("locations")).byte(0), members...).byte(locations, otf2Unknown).number(0))
	def(otf2Members, append(otf2Record{}.numbers(1, text("ranks")).byte(0), members...).byte(ranks, otf2Unknown).number(0))
	def(otf2Comm, otf2Record{}.numbers(0, text("all"), 1, otf2Undefined, 0))
	const unsigned = 2
	def(otf2Parameter, otf2Record{}.numbers(0, text("epoch")).byte(unsigned))
	for win := range uint64(a.buffers + 1) {
		name := "all PEs"
		if win > 0 {
			name = fmt.Sprintf("buffer %d", win-1)
		}
		def(otf2Window, otf2Record{}.numbers(win, text(name), 0, 0))
	}
}
