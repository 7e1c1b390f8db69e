package trace

import (
	"math"

	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// The processes of a host have one clock. Those of other hosts are brought to that of PE 0: nobody
// leaves a barrier or a reduction before all have come to it, and nothing arrives before it was
// sent, so that each of these bounds how far one clock is behind the other. Where they are on several
// hosts PEs meet a few times when the run begins, so that there are such bounds.

// round is a barrier, of the first PE of a process.
type round struct{ Came, Left int64 }

// rounds is how many of them there are in the beginning.
const rounds = 16

// affine is how ticks become nanoseconds.
type affine struct{ at, factor float64 }

func (a affine) of(ticks int64) int64 { return int64(math.Round(a.at + a.factor*float64(ticks))) }

// clocks is how the ticks of each report become nanoseconds of the run; tick is those that one
// of PE 0 takes.
func (a *apart) clocks(of *tracefile.Definitions, tick float64) ([]affine, error) {
	own := make([]affine, len(a.reports)) // nanoseconds since the first process of the host began
	several := false
	for i, x := range a.reports {
		head := x
		for _, y := range a.reports {
			if y.First == x.Head {
				head = y
			}
		}
		rate := head.Rate
		if x.Head == a.head {
			rate = tick
		}
		own[i] = affine{float64(x.Clock-head.Clock) * rate, rate}
		several = several || x.Head != a.head
	}
	if !several {
		return own, nil
	}
	bounds, err := a.bounds(of, own)
	if err != nil {
		return nil, err
	}
	for i, x := range a.reports {
		if x.Head != a.head {
			at, slope := align(bounds[x.Head])
			own[i] = affine{at + (1+slope)*own[i].at, (1 + slope) * own[i].factor}
		}
	}
	return own, nil
}

// bound says that at a time of a clock it is at least and at most so far behind that of PE 0.
type bound struct{ at, least, most float64 }

// reached is that something done at one time on the host of PE 0 comes before what was done at a
// time of another clock; left is the other way round.
func reached(here, there int64) bound {
	return bound{float64(there), float64(here - there), math.Inf(1)}
}

func left(there, here int64) bound {
	return bound{float64(there), math.Inf(-1), float64(here - there)}
}

// bounds are those of the hosts other than that of PE 0, by their lowest PEs.
func (a *apart) bounds(of *tracefile.Definitions, own []affine) (map[int][]bound, error) {
	type meeting struct {
		kind   tracefile.Kind
		site   int
		number uint64
	}
	type met struct{ came, left int64 } // the last one, the first one
	type message struct {
		ready    bool
		buffer   int
		epoch    uint64
		from, to int
	}
	heads := map[int]int{} // of PEs
	for _, x := range a.reports {
		for i := range x.PEs {
			heads[x.First+i] = x.Head
		}
	}
	meetings := map[int]map[meeting]met{} // by host
	meet := func(host int, m meeting, came, left int64) {
		if meetings[host] == nil {
			meetings[host] = map[meeting]met{}
		}
		if x, known := meetings[host][m]; known {
			came, left = max(came, x.came), min(left, x.left)
		}
		meetings[host][m] = met{came, left}
	}
	sent, arrived := map[message]int64{}, map[message]int64{}
	for i, x := range a.reports {
		for k, r := range x.Rounds {
			meet(x.Head, meeting{number: uint64(k)}, own[i].of(r.Came-x.Clock), own[i].of(r.Left-x.Clock))
		}
		err := x.Events.each(of, own[i], func(pe, _ int, list []tracefile.Event) {
			for _, e := range list {
				ready := e.Kind == tracefile.Ready || e.Kind == tracefile.ReadyPart
				switch {
				case e.Kind == tracefile.Barrier || e.Kind == tracefile.Reduction:
					meet(x.Head, meeting{e.Kind, e.ID, e.Number}, e.Began, e.Began+e.Took)
				case e.Peer < 0 || heads[e.Peer] == x.Head || heads[e.Peer] != a.head && x.Head != a.head:
				case ready || e.Kind == tracefile.Put || e.Kind == tracefile.PutPart:
					sent[message{ready, e.Buffer, e.Number, pe, e.Peer}] = e.Began
				case e.Kind == tracefile.Arrival || e.Kind == tracefile.WaitReady:
					arrived[message{e.Kind == tracefile.WaitReady, e.Buffer, e.Number, e.Peer, pe}] = e.Began + e.Took
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	all := map[int][]bound{}
	for host, list := range meetings {
		for m, there := range list {
			if here, ok := meetings[a.head][m]; ok && host != a.head {
				all[host] = append(all[host], reached(here.came, there.left), left(there.came, here.left))
			}
		}
	}
	for m, began := range sent {
		ended, ok := arrived[m]
		switch host := heads[m.from]; {
		case !ok:
		case host == a.head:
			all[heads[m.to]] = append(all[heads[m.to]], reached(began, ended))
		default:
			all[host] = append(all[host], left(began, ended))
		}
	}
	return all, nil
}

// mostDrift is by how much the rates of two clocks may differ: that of a system is kept within
// 500 parts in a million.
const mostDrift = 1e-3

// align is how far a clock is behind, at + slope*t at its time t: as far as can be from all
// bounds, and without a slope where that is nearly as far.
func align(bounds []bound) (at, slope float64) {
	room := func(slope float64) (width, middle float64) {
		least, most := math.Inf(-1), math.Inf(1)
		for _, b := range bounds {
			least, most = max(least, b.least-slope*b.at), min(most, b.most-slope*b.at)
		}
		return most - least, (least + most) / 2
	}
	from, to := -mostDrift, mostDrift
	for range 50 { // the width is concave
		third := (to - from) / 3
		a, _ := room(from + third)
		if b, _ := room(to - third); a < b {
			from += third
		} else {
			to -= third
		}
	}
	slope = (from + to) / 2
	width, middle := room(slope)
	const nearly = 0.8
	if flat, at := room(0); flat > 0 && flat >= nearly*width {
		return at, 0
	}
	return middle, slope
}
