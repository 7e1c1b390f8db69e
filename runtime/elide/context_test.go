package elide

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A tree gives each path one context, the same through Enter and Leave as by
// Path, and the same hash in every tree, in whatever order paths come.
func TestTreeIsASetOfPaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var paths [][]Site
	for range 3000 {
		p := make([]Site, 1+rng.IntN(40))
		for i := range p {
			p[i] = Site(rng.IntN(3))
		}
		paths = append(paths, p)
	}
	a, b := NewTree(), NewTree()
	contexts := map[string]Context{}
	hashes := map[uint64]string{}
	for _, p := range paths {
		for _, s := range p[:len(p)-1] {
			a.Enter(s)
		}
		c := a.At(p[len(p)-1])
		for range p[1:] {
			a.Leave()
		}
		key := string(siteBytes(p))
		if old, seen := contexts[key]; seen && old != c {
			t.Fatalf("%v is context %d and %d", p, old, c)
		}
		contexts[key] = c
		if other, seen := hashes[a.Hash(c)]; seen && other != key {
			t.Fatalf("%v and another have one hash", p)
		}
		hashes[a.Hash(c)] = key
		if !slices.Equal(a.Sites(c), p) {
			t.Fatalf("%v became %v", p, a.Sites(c))
		}
		if a.Path(p) != c {
			t.Fatalf("%v: Path is another context", p)
		}
	}
	if a.Depth() != 0 {
		t.Errorf("depth %d", a.Depth())
	}
	for i, p := range slices.Backward(paths) {
		if h := b.Hash(b.Path(p)); h != a.Hash(contexts[string(siteBytes(paths[i]))]) {
			t.Fatalf("%v: another hash on another PE", p)
		}
	}
	if a.Len() != b.Len() || a.Len() < len(contexts) {
		t.Errorf("%d and %d nodes, %d contexts", a.Len(), b.Len(), len(contexts))
	}
	if per := float64(a.Bytes()) / float64(a.Len()); per > 80 {
		t.Errorf("%.0f bytes per node", per)
	}
}

func siteBytes(p []Site) []byte {
	b := make([]byte, len(p))
	for i, s := range p {
		b[i] = byte(s)
	}
	return b
}

// The hash depends on the order of calls and on their number.
func TestHashIsOfTheWholeChain(t *testing.T) {
	tree := NewTree()
	seen := map[uint64][]Site{}
	for _, p := range [][]Site{{1}, {2}, {0}, {0, 0}, {0, 0, 0}, {1, 2}, {2, 1}, {1, 2, 3}, {3, 2, 1}, {1 << 63}, {1, 1 << 63}} {
		h := tree.Hash(tree.Path(p))
		if other, twice := seen[h]; twice {
			t.Errorf("%v and %v have one hash", p, other)
		}
		seen[h] = p
	}
}

func TestLeaveTo(t *testing.T) {
	tree := NewTree()
	tree.Enter(1)
	depth := tree.Depth()
	for range 100 {
		tree.Enter(2)
	}
	tree.LeaveTo(depth)
	if got := tree.Sites(tree.At(3)); !slices.Equal(got, []Site{1, 3}) {
		t.Error(got)
	}
	defer func() {
		if recover() == nil {
			t.Error("LeaveTo a depth that is not there")
		}
	}()
	tree.LeaveTo(2)
}

// Enter and Leave cost no allocation, nor does a barrier in a known context.
func TestCallsDoNotAllocate(t *testing.T) {
	e, err := New(NewInProcess(1)[0], Options{Mode: Online})
	if err != nil {
		t.Fatal(err)
	}
	round := func() {
		e.Enter(1)
		e.Enter(2)
		if err := e.Barrier(3); err != nil {
			t.Fatal(err)
		}
		e.Leave()
		e.Leave()
		e.Mark(Remote)
		if err := e.Barrier(4); err != nil {
			t.Fatal(err)
		}
	}
	round()
	if n := testing.AllocsPerRun(100, round); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
