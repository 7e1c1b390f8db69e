package dist

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestPEsOfElements: the PEs found in closed form are, in order, those among which each owner
// of some elements is, and for whole ranges of BLOCK and CYCLIC no others.
func TestPEsOfElements(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := Grid{rapid.IntRange(1, 6).Draw(t, "extent"), rapid.IntRange(1, 4).Draw(t, "extent")}
		format := rapid.SampledFrom([]Format{Block, Cyclic, Blocks(1), Blocks(4), GenBlocks(60, 0, 4, 59), GenBlocks(64, 59)})
		n, a := rapid.IntRange(1, 30).Draw(t, "n"), rapid.SampledFrom([]int{1, -1, 2}).Draw(t, "a")
		ax := Axis{Lo: 1, Hi: n, Grid: 0, Format: format.Draw(t, "format"), TLo: -61, THi: 61, A: a}
		m := Map{Axes: []Axis{ax}}
		if rapid.Bool().Draw(t, "fixed") {
			m.Fixed = []Fixed{{Grid: 1, Format: format.Draw(t, "format"), TLo: 1, THi: 9, Pos: rapid.IntRange(1, 9).Draw(t, "pos")}}
		}
		l := NewLayout(m, g)
		consumer := rapid.IntRange(0, g.Size()-1).Draw(t, "consumer")
		lo, hi := rapid.IntRange(0, n+1).Draw(t, "lo"), rapid.IntRange(0, n+1).Draw(t, "hi")
		spans := make([]Span, len(g))
		l.Serving(consumer, spans)
		l.Narrow(spans, 0, lo, hi)
		got := g.PEs(nil, spans)
		if !slices.IsSorted(got) {
			t.Fatalf("not in order: %v", got)
		}
		var want []int
		for p := range g.Size() {
			if l.ReplicaFor(p, consumer) && !l.Owned(p, 0).Intersect(Range(lo, hi, 1)).Empty() {
				want = append(want, p)
			}
		}
		if a == 2 || ax.Format.Sizes() != nil { // blocks between two elements have none, nor those of size 0
			got = slices.DeleteFunc(got, func(p int) bool { return l.Owned(p, 0).Intersect(Range(lo, hi, 1)).Empty() })
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%+v on %v: elements %d to %d for %d are on %v, not %v", m, g, lo, hi, consumer, want, got)
		}
	})
}
