package placement

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// draw is some traffic.
func draw(r *rapid.T, pes int) *Traffic {
	t := &Traffic{PEs: pes}
	for range pes {
		t.bytes = append(t.bytes, make([]float64, pes))
	}
	for range rapid.IntRange(0, 3*pes).Draw(r, "messages") {
		a, b := rapid.IntRange(0, pes-1).Draw(r, "from"), rapid.IntRange(0, pes-1).Draw(r, "to")
		if bytes := float64(8 * rapid.IntRange(1, 1000).Draw(r, "elements")); a != b {
			t.bytes[a][b] += bytes
			t.bytes[b][a] += bytes
		}
	}
	return t
}

// TestChoose: no host has more PEs than there is room for, the choice is no worse than the others,
// and for few PEs not far from the best that there is.
func TestChoose(t *testing.T) {
	best, got := 0.0, 0.0
	rapid.Check(t, func(r *rapid.T) {
		h := Hosts{rapid.IntRange(1, 4).Draw(r, "hosts"), rapid.IntRange(1, 4).Draw(r, "each")}
		n := rapid.IntRange(1, h.Count*h.Each).Draw(r, "PEs")
		traffic := draw(r, n)
		p := traffic.Choose(h)
		for host := range h.Count {
			if k := len(slices.DeleteFunc(slices.Clone(p), func(on int) bool { return on != host })); k > h.Each {
				t.Fatalf("host %d has %d PEs, room for %d: %v", host, k, h.Each, p)
			}
		}
		if b := traffic.Between(p); b > traffic.Between(Block(n, h)) || b > traffic.Between(RoundRobin(n, h)) {
			t.Fatalf("%v: %v bytes, more than others", p, b)
		}
		if n <= 6 {
			best += traffic.least(make(Place, n), 0, h)
			got += traffic.Between(p)
		}
	})
	if got > 1.1*best {
		t.Errorf("%.0f bytes between hosts in all, and there are placements with %.0f", got, best)
	}
}

// least is the least bytes between hosts of all placements that begin with the first PEs of p.
func (t *Traffic) least(p Place, first int, h Hosts) float64 {
	if first == len(p) {
		return t.Between(p)
	}
	best := -1.0
	for host := range h.Count {
		room := h.Each
		for _, on := range p[:first] {
			if on == host {
				room--
			}
		}
		if p[first] = host; room > 0 {
			if b := t.least(p, first+1, h); best < 0 || b < best {
				best = b
			}
		}
	}
	return best
}

// TestBetween counts each message between hosts once.
func TestBetween(t *testing.T) {
	traffic := &Traffic{PEs: 3, bytes: [][]float64{{0, 5, 7}, {5, 0, 0}, {7, 0, 0}}}
	if b := traffic.Between(Place{0, 1, 0}); b != 5 {
		t.Errorf("%v bytes, want 5", b)
	}
	if want := "0\n3 4\n0 010\n2 714286 1 1000000 2\n1 714286 0\n1 1000000 0\n"; traffic.graph() != want {
		t.Errorf("graph %q, want %q", traffic.graph(), want)
	}
	p, err := traffic.read("3\n0 1\n1 1\n2 1\n", Hosts{2, 2})
	if fmt.Sprint(p, err) != "[1 1 0] <nil>" {
		t.Errorf("%v, %v", p, err)
	}
	if _, err := traffic.read("3\n0 1\n1 2\n", Hosts{2, 2}); err == nil || !strings.Contains(err.Error(), "PE 1 in part 2") {
		t.Errorf("error %v", err)
	}
}
