package spmd

import (
	"sync"

	"github.com/spmdc/spmdc/runtime/dist"
	"github.com/spmdc/spmdc/runtime/transport"
)

// shared is what the PEs of a run need not have one of each: what they all make in the
// same order, with the same contents, and do not change. Of a thousand PEs, tables with an
// entry for each would otherwise have a million.
type shared struct {
	mu      sync.Mutex
	layouts []*dist.Layout // in the order in which PEs make them
	pieces  map[pieces][]Dim
	apart   map[transport.Buffer][]any
	small   int    // bytes of small arrays before they share huge pages
	page    []byte // what is left of the huge page that they share
}

// pieces says what the pieces of an array depend on.
type pieces struct {
	layout *dist.Layout
	shadow [transport.MaxRank][2]int
	size   int // of an element
}

// Layout places m on g: that of all PEs, which make the same layouts in the same order.
func (pe *PE) Layout(m dist.Map, g dist.Grid) *dist.Layout {
	if pe.shared == nil {
		return dist.NewLayout(m, g)
	}
	s := pe.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	at := pe.layouts
	pe.layouts++
	if at == len(s.layouts) {
		s.layouts = append(s.layouts, dist.NewLayout(m, g))
	}
	if l := s.layouts[at]; l.Is(m, g) {
		return l
	}
	return dist.NewLayout(m, g)
}

// piecesOf is the axes of the pieces of all PEs of an array, by PE and axis.
func (pe *PE) piecesOf(l *dist.Layout, shadow [][2]int, size int) []Dim {
	if pe.shared == nil {
		return makePieces(l, shadow, size)
	}
	key := pieces{layout: l, size: size}
	copy(key.shadow[:], shadow)
	s := pe.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	dims, made := s.pieces[key]
	if !made {
		dims = makePieces(l, shadow, size)
		s.pieces[key] = dims
	}
	return dims
}

// makePieces computes what piecesOf returns.
func makePieces(l *dist.Layout, shadow [][2]int, size int) []Dim {
	rank := l.Rank()
	all := make([]Dim, l.Shape.Size()*rank)
	for q := range l.Shape.Size() {
		dims := all[q*rank : (q+1)*rank]
		for d := range dims {
			var w [2]int
			if shadow != nil {
				w = shadow[d]
			}
			cells := l.Storage(q, d, w[0], w[1])
			dims[d] = Dim{Lo: cells.Lo, Step: max(1, cells.Step), N: cells.N}
			if cells.N < 2 {
				// Loops that touch it under conditions count from where they begin.
				dims[d].Step = l.Spacing(d)
			}
		}
		spread(dims, size)
	}
	return all
}

// sharedBy is a list with a place for each PE, the same for all that name buffer b.
func (pe *PE) sharedBy(b transport.Buffer) []any {
	s := pe.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.apart == nil {
		s.apart = map[transport.Buffer][]any{}
	}
	if s.apart[b] == nil {
		s.apart[b] = make([]any, pe.n)
	}
	return s.apart[b]
}
