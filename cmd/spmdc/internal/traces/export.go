package traces

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// Format is a form in which traces are written for other tools: one file, or a folder.
type Format struct {
	Name   string
	Begins string // how such a file begins, by which it is known
	Write  func(t *Trace, w io.Writer) error
	Folder func(t *Trace, folder string) error // fills an empty folder; nil: the form is a file
}

// Formats are the forms that there are.
var Formats = []Format{
	{Name: "otf2", Folder: (*Trace).OTF2},
	{Name: "perfetto", Begins: perfettoBegin, Write: (*Trace).Perfetto},
	{Name: "csv", Begins: csvBegin, Write: (*Trace).CSV},
	{Name: "pprof", Begins: pprofBegin, Write: (*Trace).PProf},
}

// nested calls enter for each event of a PE when it begins, and leave when it ends. Times do
// not go back, and what was entered last is left first.
func (t *Trace) nested(pe int, enter, leave func(i int, at int64)) {
	list := t.PE[pe]
	end := func(i int) int64 { return list[i].Began + list[i].Took }
	var open []int
	var now int64
	pop := func() {
		last := open[len(open)-1]
		open = open[:len(open)-1]
		now = max(now, end(last))
		leave(last, now)
	}
	for i := range list {
		e := &list[i]
		if i == 0 {
			now = e.Began
		}
		// An event without length that begins where another one ends is inside of that.
		for len(open) > 0 && (end(open[len(open)-1]) < e.Began || e.Took > 0 && end(open[len(open)-1]) == e.Began) {
			pop()
		}
		now = max(now, e.Began)
		enter(i, now)
		open = append(open, i)
	}
	for len(open) > 0 {
		pop()
	}
}

// name is an event in words.
func (t *Trace) name(e *tracefile.Event) string {
	if e.Kind == tracefile.Region {
		return t.Name(e.ID)
	}
	return e.Kind.String() + ": " + t.SiteName(e.ID)
}

// place is its first line in the source.
func (t *Trace) place(e *tracefile.Event) (file string, line int) {
	switch {
	case e.Kind == tracefile.Region:
		return t.Regions[e.ID].File, t.Regions[e.ID].Line
	case e.ID >= 0:
		return t.Sites[e.ID].File, t.Sites[e.ID].Line
	}
	return t.Regions[0].File, 0
}

// csvBegin is the head of the table.
const csvBegin = "pe,kind,name,file,line,began_ns,took_ns,number,peer,buffer,bytes\n"

// CSV writes a line for each event.
func (t *Trace) CSV(w io.Writer) error {
	if _, err := io.WriteString(w, csvBegin); err != nil {
		return err
	}
	c := csv.NewWriter(w)
	for pe, list := range t.PE {
		for i := range list {
			e := &list[i]
			file, line := t.place(e)
			_ = c.Write([]string{fmt.Sprint(pe), e.Kind.String(), cell(t.name(e)), cell(file), fmt.Sprint(line),
				fmt.Sprint(e.Began), fmt.Sprint(e.Took), fmt.Sprint(e.Number), fmt.Sprint(e.Peer), fmt.Sprint(e.Buffer), fmt.Sprint(e.Bytes)})
		}
	}
	c.Flush()
	return c.Error()
}

// cell is a text that no program takes for a formula.
func cell(text string) string {
	if strings.ContainsAny(text[:min(1, len(text))], "=+-@\t") {
		return "'" + text
	}
	return text
}

// perfettoBegin is the first packet: a track of that name, above those of the PEs.
var perfettoBegin = func() string {
	var track, packet, whole proto
	track.uint(uuidField, 1)
	track.text(trackNameField, "spmdc PEs")
	packet.message(trackField, track)
	packet.uint(sequenceField, 1)
	whole.message(packetField, packet)
	return string(whole)
}()

// Fields of Perfetto's messages, by their published numbers.
const (
	packetField = 1 // of Trace

	timestampField, sequenceField, eventField, trackField = 8, 10, 11, 60 // of TracePacket

	uuidField, trackNameField, parentField = 1, 2, 5 // of TrackDescriptor

	typeField, ofTrackField, categoriesField, nameField, flowField, flowEndField, noteField = 9, 11, 22, 23, 47, 48, 4 // of TrackEvent
	begins, ends                                                                            = 1, 2                     // types

	noteName, noteInt, noteText = 10, 4, 6 // of DebugAnnotation
)

// Perfetto writes the trace for Perfetto: a track for each PE, with regions and messages as
// nested slices, and flows from puts and ready messages to the waits for them.
func (t *Trace) Perfetto(out io.Writer) error {
	w := bufio.NewWriter(out)
	w.WriteString(perfettoBegin)
	packet := func(p proto) {
		var whole proto
		whole.message(packetField, p)
		w.Write(whole)
	}
	const first = 2 // the uuid of the track of PE 0
	flows := map[Place]uint64{}
	flow := func(at Place) uint64 {
		if flows[at] == 0 {
			flows[at] = uint64(len(flows) + 1)
		}
		return flows[at]
	}
	for pe, list := range t.PE {
		var track, p proto
		track.uint(uuidField, uint64(first+pe))
		track.text(trackNameField, t.laneName(pe))
		track.uint(parentField, 1)
		p.message(trackField, track)
		p.uint(sequenceField, uint64(pe+1))
		packet(p)
		event := func(at int64, kind uint64, more func(*proto)) {
			var p, e proto
			e.uint(typeField, kind)
			e.uint(ofTrackField, uint64(first+pe))
			if more != nil {
				more(&e)
			}
			p.uint(timestampField, uint64(max(0, at)))
			p.uint(sequenceField, uint64(pe+1))
			p.message(eventField, e)
			packet(p)
		}
		t.nested(pe, func(i int, now int64) {
			e := &list[i]
			event(now, begins, func(p *proto) {
				p.text(nameField, t.name(e))
				p.text(categoriesField, e.Kind.String())
				file, line := t.place(e)
				p.note("line", noteText, fmt.Sprintf("%s:%d", file, line))
				if e.Peer >= 0 {
					p.note("PE", noteInt, e.Peer)
				}
				if e.Bytes > 0 {
					p.note("bytes", noteInt, int(e.Bytes))
				}
				if e.Kind != tracefile.Region {
					p.note("number", noteInt, int(e.Number))
				}
				at := Place{pe, i}
				partner, ok := t.Partner[at]
				switch {
				case !ok:
				case e.Kind == tracefile.Arrival || e.Kind == tracefile.WaitReady:
					p.fixed(flowEndField, flow(partner))
				default:
					p.fixed(flowField, flow(at))
				}
			})
		}, func(_ int, now int64) { event(now, ends, nil) })
	}
	return w.Flush()
}

// note adds an annotation.
func (p *proto) note(name string, field int, value any) {
	var n proto
	n.text(noteName, name)
	switch v := value.(type) {
	case int:
		n.uint(field, uint64(v))
	case string:
		n.text(field, v)
	}
	p.message(noteField, n)
}

// pprofComment is in the head of the compressed file, of which pprofBegin is the beginning.
const (
	pprofComment = "spmdc trace"
	pprofBegin   = "\x1f\x8b\x08\x10\x00\x00\x00\x00\x00\xff" + pprofComment
)

// PProf writes the trace for go tool pprof: samples are the time of regions and activities
// themselves, by PE, with the regions around as callers.
func (t *Trace) PProf(out io.Writer) error {
	type key struct{ region, pe, site, kind int } // kind -1: the region itself
	sums := map[key]*[2]int64{}
	add := func(k key, count, ns int64) {
		if sums[k] == nil {
			sums[k] = &[2]int64{}
		}
		sums[k][0] += count
		sums[k][1] += ns
	}
	for pe, list := range t.PE {
		t.walk(pe, func(i, around int) {
			e := &list[i]
			region := 0
			if around >= 0 {
				region = list[around].ID
				add(key{region, pe, 0, -1}, 0, -e.Took)
			}
			if e.Kind == tracefile.Region {
				add(key{e.ID, pe, 0, -1}, 1, e.Took)
			} else {
				add(key{region, pe, e.ID, int(e.Kind)}, 1, e.Took)
			}
		})
	}
	var keys []key
	for k := range sums {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b key) int {
		return slices.Compare([]int{a.region, a.pe, a.site, a.kind}, []int{b.region, b.pe, b.site, b.kind})
	})
	p := &pprof{names: map[string]int{}, places: map[[2]int]int{}, text: []string{""}}
	p.valueType("executions", "count")
	p.valueType("time", "nanoseconds")
	for _, k := range keys {
		var stack []int
		if k.kind >= 0 {
			e := &tracefile.Event{Kind: tracefile.Kind(k.kind), ID: k.site}
			file, line := t.place(e)
			stack = append(stack, p.location([2]int{k.kind, k.site}, t.name(e), file, line))
		}
		for r := k.region; r >= 0; r = t.Regions[r].Parent {
			g := t.Regions[r]
			stack = append(stack, p.location([2]int{-1, r}, strings.TrimSpace(g.Kind+" "+g.Name), g.File, g.Line))
		}
		p.sample(stack, sums[k][0], max(0, sums[k][1]), k.pe)
	}
	for _, s := range p.text {
		p.out.text(6, s)
	}
	p.out.uint(10, uint64(t.Seconds*1e9))
	z := gzip.NewWriter(out)
	z.Comment = pprofComment
	if _, err := z.Write(p.out); err != nil {
		return err
	}
	return z.Close()
}

// pprof is a message Profile of pprof, by its published numbers.
type pprof struct {
	out    proto
	text   []string
	names  map[string]int
	places map[[2]int]int // locations
}

func (p *pprof) string(s string) uint64 {
	if s == "" {
		return 0
	}
	if p.names[s] == 0 {
		p.names[s] = len(p.text)
		p.text = append(p.text, s)
	}
	return uint64(p.names[s])
}

func (p *pprof) valueType(name, unit string) {
	var v proto
	v.uint(1, p.string(name))
	v.uint(2, p.string(unit))
	p.out.message(1, v)
}

// location is the number of a place, and of the function that stands for it.
func (p *pprof) location(key [2]int, name, file string, line int) int {
	if id := p.places[key]; id > 0 {
		return id
	}
	id := len(p.places) + 1
	p.places[key] = id
	var f, l, where proto
	f.uint(1, uint64(id))
	f.uint(2, p.string(fmt.Sprintf("%s, line %d", name, line)))
	f.uint(4, p.string(file))
	f.uint(5, uint64(line))
	p.out.message(5, f)
	where.uint(1, uint64(id))
	where.uint(2, uint64(line))
	l.uint(1, uint64(id))
	l.message(4, where)
	p.out.message(4, l)
	return id
}

func (p *pprof) sample(stack []int, count, ns int64, pe int) {
	var s, label proto
	for _, id := range stack {
		s.uint(1, uint64(id))
	}
	s.uint(2, uint64(count))
	s.uint(2, uint64(ns))
	label.uint(1, p.string("PE"))
	label.uint(2, p.string(fmt.Sprint(pe)))
	s.message(3, label)
	p.out.message(2, s)
}
