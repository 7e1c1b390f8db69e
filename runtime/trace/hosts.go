package trace

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// The processes of a host have one clock. Those of other hosts are brought to that of PE 0: nobody
// leaves a barrier or a reduction before all have come to it, and nothing arrives before it was
// sent, so that each of these bounds how far two clocks are apart. Where they are on several
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
	hosts := map[int]bool{}
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
		hosts[x.Head] = true
	}
	if len(hosts) == 1 {
		return own, nil
	}
	orders, err := a.orders(of, own)
	if err != nil {
		return nil, err
	}
	behind := align(slices.Sorted(maps.Keys(hosts)), orders)
	for i, x := range a.reports {
		b := behind[x.Head]
		own[i] = affine{b.at + (1+b.slope)*own[i].at, (1 + b.slope) * own[i].factor}
	}
	return own, nil
}

// order says that what was done on one host at a time of its clock comes before what was
// done on another one at a time of that.
type order struct{ first, then float64 }

// orders are what the reports say, by both hosts.
func (a *apart) orders(of *tracefile.Definitions, own []affine) (map[[2]int][]order, error) {
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
	meetings := map[meeting]map[int]met{} // by host
	meet := func(host int, m meeting, came, left int64) {
		if meetings[m] == nil {
			meetings[m] = map[int]met{}
		}
		if x, known := meetings[m][host]; known {
			came, left = max(came, x.came), min(left, x.left)
		}
		meetings[m][host] = met{came, left}
	}
	sent, arrived := map[message]int64{}, map[message]int64{}
	whole := map[int]int64{} // by PE: when the last message was sent, to which further parts belong, which are noted later
	for i, x := range a.reports {
		for k, r := range x.Rounds {
			meet(x.Head, meeting{number: uint64(k)}, own[i].of(r.Came-x.Clock), own[i].of(r.Left-x.Clock))
		}
		err := x.Events.each(of, own[i], func(pe, _ int, list []tracefile.Event) {
			for _, e := range list {
				ready := e.Kind == tracefile.Ready || e.Kind == tracefile.ReadyPart
				if e.Kind == tracefile.Put || e.Kind == tracefile.Ready {
					whole[pe] = e.Began
				}
				switch {
				case e.Kind == tracefile.Barrier || e.Kind == tracefile.Reduction:
					meet(x.Head, meeting{e.Kind, e.ID, e.Number}, e.Began, e.Began+e.Took)
				case e.Peer < 0 || heads[e.Peer] == x.Head:
				case ready || e.Kind == tracefile.Put || e.Kind == tracefile.PutPart:
					sent[message{ready, e.Buffer, e.Number, pe, e.Peer}] = whole[pe]
				case e.Kind == tracefile.Arrival || e.Kind == tracefile.WaitReady:
					arrived[message{e.Kind == tracefile.WaitReady, e.Buffer, e.Number, e.Peer, pe}] = e.Began + e.Took
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	all := map[[2]int][]order{}
	add := func(from, to int, first, then int64) {
		if from != to {
			all[[2]int{from, to}] = append(all[[2]int{from, to}], order{float64(first), float64(then)})
		}
	}
	for _, hosts := range meetings {
		for g, first := range hosts {
			for h, then := range hosts {
				add(g, h, first.came, then.left)
			}
		}
	}
	for m, began := range sent {
		if ended, ok := arrived[m]; ok {
			add(heads[m.from], heads[m.to], began, ended)
		}
	}
	for key, list := range all {
		all[key] = tightest(list)
	}
	return all, nil
}

// tightest is the orders that any two clocks with constant rates satisfy only if they satisfy all: the
// corners of the convex hull on the side of those that are close.
func tightest(list []order) []order {
	slices.SortFunc(list, func(a, b order) int { return cmp.Or(cmp.Compare(a.then, b.then), cmp.Compare(b.first, a.first)) })
	var hull []order
	for _, x := range list {
		for len(hull) > 1 {
			a, b := hull[len(hull)-2], hull[len(hull)-1]
			// b is a corner if it lies above the line from a to x.
			if (b.then-a.then)*(x.first-x.then-a.first+a.then) < (x.then-a.then)*(b.first-b.then-a.first+a.then) {
				break
			}
			hull = hull[:len(hull)-1]
		}
		if len(hull) > 0 && hull[len(hull)-1].then == x.then {
			continue
		}
		hull = append(hull, x)
	}
	return hull
}

// behind is how far a clock is behind that of PE 0: at + slope*t at its time t.
type behind struct{ at, slope float64 }

func (b behind) of(t float64) float64 { return t + b.at + b.slope*t }

// sweeps is how often the clocks are set, one after another: each as far as can be from what
// contradicts it, given the others.
const sweeps = 40

// align sets the clocks of hosts, of which the first is that of PE 0, so that as far as can be what
// is ordered is in order.
func align(hosts []int, orders map[[2]int][]order) map[int]behind {
	set := map[int]behind{hosts[0]: {}}
	for range sweeps {
		for _, h := range hosts[1:] {
			var bounds []bound
			for g, other := range set {
				if g == h {
					continue
				}
				for _, o := range orders[[2]int{g, h}] {
					bounds = append(bounds, bound{o.then, other.of(o.first) - o.then, math.Inf(1)})
				}
				for _, o := range orders[[2]int{h, g}] {
					bounds = append(bounds, bound{o.first, math.Inf(-1), other.of(o.then) - o.first})
				}
			}
			set[h] = between(bounds)
		}
		if len(hosts) == 2 {
			break
		}
	}
	return set
}

// bound says that at a time of a clock it is at least and at most so far behind.
type bound struct{ at, least, most float64 }

// mostDrift is by how much the rates of two clocks may differ: that of a system is kept within
// 500 parts in a million.
const mostDrift = 1e-3

// between is the line farthest from all bounds, the one without a slope where that is nearly as far.
func between(bounds []bound) behind {
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
	slope := (from + to) / 2
	width, middle := room(slope)
	const nearly = 0.8
	if flat, at := room(0); flat > 0 && flat >= nearly*width {
		return behind{at, 0}
	}
	return behind{middle, slope}
}
