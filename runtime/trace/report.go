package trace

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/spmdc/spmdc/runtime/trace/tracefile"
	"github.com/spmdc/spmdc/runtime/transport"
)

// Where the PEs of a run are in several processes, each process reports at its end what its PEs
// measured, and that of PE 0 makes one profile and one trace of the reports.

// apart is what a process knows of the others.
type apart struct {
	first, count int // its PEs
	head         int // the lowest PE on its host
	rounds       []round
	reports      []*report // in the process of PE 0
}

// report is what the PEs of a process measured, in ticks since Clock.
type report struct {
	First   int
	Head    int
	Clock   int64   // when the run began
	Rate    float64 // nanoseconds of a tick
	Rounds  []round
	PEs     []measured
	Energy  *tracefile.Energy // nil: another process of the host reports it, and the network
	Network *tracefile.Network
	Events  chunks `json:"-"`
}

// measured is what one PE of them did.
type measured struct {
	Regions, Acts []Sum
	Iterations    int64
	Kept          tracefile.Kept
	Undecided     []undecided
}

// undecided is an iteration of which the processes have not agreed whether it is kept.
type undecided struct {
	Number  int64
	Outlier bool  // to this PE
	Lost    int64 // events for which there was no room
	Held    int64 // the others
	Events  chunks
}

// chunks are events whose times are ticks: for each chunk its PE, its level, how many events it
// has, and how many bytes these take, which follow.
type chunks []byte

func (c *chunks) add(pe, level int, list []tracefile.Event) {
	if len(list) == 0 {
		return
	}
	b := tracefile.Append(nil, list)
	for _, n := range []int{pe, level, len(list), len(b)} {
		*c = binary.AppendUvarint(*c, uint64(n))
	}
	*c = append(*c, b...)
}

// each calls f for each chunk, with its times in nanoseconds. Its events are of the definitions.
func (c chunks) each(of *tracefile.Definitions, clock affine, f func(pe, level int, list []tracefile.Event)) error {
	for len(c) > 0 {
		var head [4]int
		for i := range head {
			n, size := binary.Uvarint(c)
			if size <= 0 || n > math.MaxInt32 {
				return errReport
			}
			head[i], c = int(n), c[size:]
		}
		pe, level, events, size := head[0], head[1], head[2], head[3]
		if size > len(c) || pe >= of.PEs {
			return errReport
		}
		list, ok := tracefile.Decode(c[:size], events, of)
		if !ok {
			return errReport
		}
		c = c[size:]
		for i := range list {
			e := &list[i]
			end := clock.of(e.Began + e.Took)
			e.Began = clock.of(e.Began)
			e.Took = end - e.Began
		}
		f(pe, level, list)
	}
	return nil
}

var errReport = errors.New("internal error: what another process measured is damaged")

// Start ends the construction. Where there are several processes they agree on the regions that
// have no events, and those on several hosts meet a few times, see hostClocks.
func (r *Recorder) Start() {
	r.Transport.Start()
	if r.apart == nil {
		return
	}
	if r.filter.profiled {
		skip := make([]byte, len(r.regions))
		for i, s := range r.filter.skip {
			if s {
				skip[i] = 1
			}
		}
		r.filter.skip = make([]bool, len(skip))
		for i, s := range r.Transport.Share(-1, 0, skip) {
			r.filter.skip[i] = s != 0
		}
	}
	far, ok := r.Transport.(transport.Distant)
	if !ok {
		return
	}
	first := r.PE() == r.apart.first
	several := false
	for q := r.N() - 1; q >= 0; q-- {
		if far.Far(q) {
			several = true
		} else if first {
			r.apart.head = q
		}
	}
	for range rounds {
		if !several {
			return
		}
		came := ticks()
		r.Transport.Barrier(-1)
		if first {
			r.apart.rounds = append(r.apart.rounds, round{came, ticks()})
		}
	}
}

// Report is what the PEs of this process measured.
func (o *observer) Report() ([]byte, error) {
	x := o.report()
	text, err := json.Marshal(x)
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...), x.Events...), err
}

// Add takes the report of another process.
func (o *observer) Add(b []byte) error {
	if len(b) < 8 || binary.LittleEndian.Uint64(b) > uint64(len(b)-8) {
		return errReport
	}
	text := b[8:][:binary.LittleEndian.Uint64(b)]
	x := new(report)
	if err := json.Unmarshal(text, x); err != nil {
		return fmt.Errorf("%w: %w", errReport, err)
	}
	if x.First < 0 || x.First+len(x.PEs) > len(o.recorders) {
		return errReport
	}
	x.Events = b[8+len(text):]
	o.apart.reports = append(o.apart.reports, x)
	// Sums count in the ticks of this process.
	scale := 1.0
	if x.Head != o.apart.head {
		scale = x.Rate / o.began.rate()
	}
	for i, m := range x.PEs {
		for _, list := range [][]Sum{m.Regions, m.Acts} {
			for i := range list {
				list[i].scale(scale)
			}
		}
		o.recorders[x.First+i] = &Recorder{regions: m.Regions, acts: m.Acts, iterations: m.Iterations}
	}
	return nil
}

func (s *Sum) scale(by float64) {
	if by == 1 {
		return
	}
	for _, n := range []*int64{&s.Total, &s.Inner, &s.Least, &s.Most, &s.Blocked} {
		*n = int64(float64(*n) * by)
	}
}

func (o *observer) report() *report {
	a := o.apart
	o.unwatch()
	x := &report{First: a.first, Head: a.head, Clock: o.began.ticks, Rate: o.began.rate(), Rounds: a.rounds}
	if energy, network := o.energy.end(), o.network.end(); a.first == a.head {
		x.Energy, x.Network = energy, network
	}
	for _, r := range o.recorders[a.first:][:a.count] {
		m := measured{Regions: r.regions, Acts: r.acts, Iterations: r.iterations}
		if r.events != nil {
			m.Undecided = o.undecided(r)
			m.Kept = r.events.kept()
			r.events.write(x.Clock, 1, func(level int, list []tracefile.Event) { x.Events.add(r.PE(), level, list) })
		}
		x.PEs = append(x.PEs, m)
	}
	return x
}

// undecided takes out of the buffer of a PE the iterations of which it is not known whether they
// are kept.
func (o *observer) undecided(r *Recorder) (list []undecided) {
	v, b := r.filter.verdicts, r.events
	if v == nil {
		return nil
	}
	b.settle(v)
	for _, it := range b.undecided {
		u := undecided{Number: b.next, Outlier: v.outliers[b.next]}
		for _, n := range it.lost {
			u.Lost += n
		}
		held := buffer{levels: make([]level, depths+1)}
		for _, block := range it.blocks {
			for _, e := range block {
				l := &held.levels[e.level]
				l.blocks = append(l.blocks, []event{e})
				u.Held++
			}
		}
		held.write(o.began.ticks, 1, func(level int, list []tracefile.Event) { u.Events.add(r.PE(), level, list) })
		list = append(list, u)
		b.next++
	}
	b.undecided = nil
	return list
}

// writeReports writes the events that all processes have reported.
func (o *observer) writeReports(newWriter func() *tracefile.Writer, p *profile) (*tracefile.Writer, error) {
	reports := o.apart.reports
	outliers := map[int64]bool{} // to any PE
	for _, x := range reports {
		for _, m := range x.PEs {
			for _, u := range m.Undecided {
				outliers[u.Number] = outliers[u.Number] || u.Outlier
			}
		}
	}
	p.Kept = make([]tracefile.Kept, len(o.recorders))
	for _, x := range reports {
		for i, m := range x.PEs {
			for _, u := range m.Undecided {
				if !outliers[u.Number] {
					m.Kept.Unselected += u.Held + u.Lost
					continue
				}
				m.Kept.Events += u.Held
				if u.Lost > 0 {
					m.Kept.Dropped = append(m.Kept.Dropped, tracefile.Dropped{Level: tracefile.Messages, Events: u.Lost})
				}
			}
			p.Kept[x.First+i] = m.Kept
		}
	}
	for _, x := range reports {
		if x.Head != o.apart.head {
			p.Hosts = make([]int, len(o.recorders))
		}
	}
	for _, x := range reports {
		for i := range x.PEs {
			if p.Hosts != nil {
				p.Hosts[x.First+i] = x.Head
			}
		}
	}
	clocks, err := o.apart.clocks(p.Definitions, p.tick*1e9)
	if err != nil {
		return nil, err
	}
	first := slices.MinFunc(clocks, func(a, b affine) int { return cmp.Compare(a.at, b.at) }).at
	for i := range clocks {
		clocks[i].at -= first // the time of a trace begins with the first process
	}
	w := newWriter()
	for i, x := range reports {
		if err := x.Events.each(p.Definitions, clocks[i], w.Events); err != nil {
			return nil, err
		}
		for _, m := range x.PEs {
			for _, u := range m.Undecided {
				if !outliers[u.Number] {
					continue
				}
				if err := u.Events.each(p.Definitions, clocks[i], w.Events); err != nil {
					return nil, err
				}
			}
		}
	}
	return w, nil
}

// energyOf adds up what the hosts used.
func (a *apart) energyOf() *tracefile.Energy {
	all := new(tracefile.Energy)
	for _, x := range a.reports {
		if x.Energy == nil || all.Unreadable != "" {
			continue
		}
		if x.Energy.Unreadable != "" {
			*all = *x.Energy
			continue
		}
		all.Joules += x.Energy.Joules
		for _, z := range x.Energy.Zones {
			z.Name = x.ofHost(z.Name)
			all.Zones = append(all.Zones, z)
		}
	}
	return all
}

// ofHost is the name of something with its host.
func (x *report) ofHost(name string) string {
	if x.Head == 0 {
		return name
	}
	return fmt.Sprintf("%s of the host of PE %d", name, x.Head)
}

// networkOf is what the interfaces of all hosts carried.
func (a *apart) networkOf() *tracefile.Network {
	all := new(tracefile.Network)
	for _, x := range a.reports {
		switch {
		case x.Network == nil || all.Unreadable != "":
		case x.Network.Unreadable != "":
			*all = *x.Network
		default:
			for _, i := range x.Network.Interfaces {
				i.Name = x.ofHost(i.Name)
				all.Interfaces = append(all.Interfaces, i)
			}
		}
	}
	return all
}
