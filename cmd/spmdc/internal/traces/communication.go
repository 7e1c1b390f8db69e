package traces

import (
	"cmp"
	"slices"

	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// flow is what one PE sends to another in a time. A get is sent by the PE that has the data.
type flow struct{ from, to, source, target int64 }

// moved is messages and bytes of a flow.
type moved struct{ messages, bytes int64 }

// flows are those of a trace, or of what is in view.
type flows map[flow]moved

// add adds an event of a PE, if it moves data, to the flows of a time.
func (f flows) add(pe int, e *tracefile.Event, from, to int64) {
	source, target, n := pe, e.Peer, int64(1)
	switch e.Kind {
	case tracefile.Get:
		source, target = target, source
	case tracefile.Put:
	case tracefile.PutPart:
		n = 0
	default:
		return
	}
	if e.Peer < 0 {
		return
	}
	key := flow{from, to, int64(source), int64(target)}
	x := f[key]
	f[key] = moved{x.messages + n, x.bytes + e.Bytes}
}

// list is six numbers for each flow: from when to when, the PEs, messages, and bytes.
func (f flows) list() []int64 {
	list := make([]int64, 0, 6*len(f))
	keys := make([]flow, 0, len(f))
	for key := range f {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b flow) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.source, b.source), cmp.Compare(a.target, b.target))
	})
	for _, key := range keys {
		list = append(list, key.from, key.to, key.source, key.target, f[key].messages, f[key].bytes)
	}
	return list
}

// Of a page: how many flows it has, and into how many pieces the time is divided for that.
const (
	mostFlows  = 20_000
	mostPieces = 1000
)

// communication is the flows of a time, in pieces of equal lengths.
func (t *Trace) communication(from, to int64) flows {
	divided := func(n int64) flows {
		f := flows{}
		for pe, list := range t.PE {
			for i := range list {
				k := min((list[i].Began-from)*n/(to-from), n-1)
				f.add(pe, &list[i], from+k*(to-from)/n, from+(k+1)*(to-from)/n)
			}
		}
		return f
	}
	pairs := int64(max(1, len(divided(1))))
	return divided(max(1, min(mostPieces, mostFlows/pairs)))
}
