package elide

import "slices"

// Site is a place of a call or a barrier. It is the same number on every PE and
// in every run of one version of the program: an index into a table of call
// sites, or a hash of load module and offset.
type Site uint64

// Context is a calling context in which something happened, as an index into
// the tree of one PE. It has no meaning on another PE: the hash has.
type Context uint32

// frame is one call that is under way, with the hash of the calls up to it.
type frame struct {
	site   Site
	hash   uint64
	factor uint64 // of the next call's site in its hash
}

// rootHash is the hash of the empty call chain, factor the multiplier of the
// call at a depth: the numbers of splitmix64, made odd. The hash of a chain is
//
//	rootHash + Σ (site at depth d + 1) · factor(d)  mod 2⁶⁴
//
// so that a call adds one product to the hash of its caller, with nothing to
// wait for but an addition. Two chains of sites that are unrelated to the factors
// share a hash with probability about 2⁻⁶⁴.
const rootHash = 0x9e3779b97f4a7c15

func factor(depth int) uint64 {
	z := uint64(depth+1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31 | 1
}

// Tree knows the calling context of one PE, and holds every context that was
// asked for as a path in a tree, so that contexts share what they have in
// common. A call costs two stores, a multiplication and an addition; nodes are made only
// for paths that end in a barrier (the chain of a call that never leads to one
// is forgotten).
//
// Contexts are distinguished by 64-bit hashes: of 10,000 contexts two share one with
// probability 3·10⁻¹².
type Tree struct {
	frames []frame // frames[0] is the program itself; frames[depth] the innermost call
	depth  int
	nodes  []node  // nodes[0] is the program itself
	table  []int32 // open addressing by hash: node number, or 0
	shift  uint    // 64 - log2(len(table))
}

type node struct {
	hash   uint64
	site   Site
	parent Context
	record int32 // what happened here: index for the tree's owner; 0 is nothing
}

// NewTree returns the tree of a PE that has not called anything.
func NewTree() *Tree {
	t := &Tree{nodes: make([]node, 1, 64), table: make([]int32, 64), shift: 64 - 6}
	t.grow()
	t.frames[0].hash, t.nodes[0].hash = rootHash, rootHash
	return t
}

// grow makes room for more calls.
//
//go:noinline
func (t *Tree) grow() {
	for n := max(64, 2*len(t.frames)); len(t.frames) < n; {
		t.frames = append(t.frames, frame{factor: factor(len(t.frames))})
	}
}

// Enter records a call from site. Every Enter is paired with a Leave.
func (t *Tree) Enter(site Site) {
	d := t.depth
	f, caller := &t.frames[d+1], &t.frames[d]
	f.site = site
	f.hash = caller.hash + (uint64(site)+1)*caller.factor
	t.depth = d + 1
	if t.depth == len(t.frames)-1 { // there is always room for one more
		t.grow()
	}
}

// Leave records the return from the last call. It panics, by an index out of
// range at the next use, if there is none.
func (t *Tree) Leave() { t.depth-- }

// Depth is the number of calls under way. A caller that unwinds several calls
// at once notes it before and gives it to LeaveTo.
func (t *Tree) Depth() int { return t.depth }

// LeaveTo returns from calls until depth are under way.
func (t *Tree) LeaveTo(depth int) {
	if depth < 0 || depth > t.depth {
		panic("elide: LeaveTo a depth that is not under way")
	}
	t.depth = depth
}

// At is the context of site under the calls that are under way.
func (t *Tree) At(site Site) Context {
	caller := &t.frames[t.depth]
	h := caller.hash + (uint64(site)+1)*caller.factor
	if c := t.find(h); c != 0 {
		return c
	}
	parent := Context(0)
	for _, f := range t.frames[1 : t.depth+1] {
		parent = t.child(parent, f.site, f.hash)
	}
	return t.child(parent, site, h)
}

// Path is the context whose calls, from the outermost to the barrier, are
// sites: for programs whose call chain is found by unwinding the stack.
func (t *Tree) Path(sites []Site) Context {
	for len(t.frames) < len(sites)+1 {
		t.grow()
	}
	h := uint64(rootHash)
	for d, s := range sites {
		h += (uint64(s) + 1) * t.frames[d].factor
	}
	if c := t.find(h); c != 0 {
		return c
	}
	c := Context(0)
	h = rootHash
	for d, s := range sites {
		h += (uint64(s) + 1) * t.frames[d].factor
		c = t.child(c, s, h)
	}
	return c
}

// Sites is the path of c from the outermost call to the barrier.
func (t *Tree) Sites(c Context) []Site {
	var path []Site
	for ; c != 0; c = t.nodes[c].parent {
		path = append(path, t.nodes[c].site)
	}
	slices.Reverse(path)
	return path
}

// Hash is the same for the same path on every PE.
func (t *Tree) Hash(c Context) uint64 { return t.nodes[c].hash }

// Len is the number of nodes: contexts and the calls that lead to them.
func (t *Tree) Len() int { return len(t.nodes) - 1 }

// find is the node of hash h, or 0.
func (t *Tree) find(h uint64) Context {
	mask := uint64(len(t.table) - 1)
	for i := h >> t.shift; ; i = (i + 1) & mask {
		c := t.table[i&mask]
		if c == 0 || t.nodes[c].hash == h {
			return Context(c)
		}
	}
}

// child finds or makes the node of site under parent.
func (t *Tree) child(parent Context, site Site, h uint64) Context {
	if c := t.find(h); c != 0 {
		return c
	}
	c := Context(len(t.nodes))
	t.nodes = append(t.nodes, node{hash: h, site: site, parent: parent})
	if 2*len(t.nodes) > len(t.table) {
		t.table = make([]int32, 2*len(t.table))
		t.shift--
		for i := 1; i < len(t.nodes)-1; i++ {
			t.put(Context(i))
		}
	}
	t.put(c)
	return c
}

// put enters node c, which is not there, in the table.
func (t *Tree) put(c Context) {
	mask := uint64(len(t.table) - 1)
	i := t.nodes[c].hash >> t.shift
	for t.table[i] != 0 {
		i = (i + 1) & mask
	}
	t.table[i] = int32(c)
}
