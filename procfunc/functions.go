package procfunc

import (
	"sort"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// Functions are the processor functions of all communications of a program. They remember
// what they have answered, and serve one caller at a time.
type Functions struct {
	Program   *comm.Program
	Graph     *cfg.Graph
	Relations []*Relation // of communication r at r-1

	puts       []*cfg.Node      // C_r, the node that puts, at r-1
	defs       map[string][]int // symbol: nodes that may assign it, ascending
	extents    map[*cfg.Loop]extent
	ways       *ways // to communication waysPut
	waysPut    int
	answered   [][]int8             // of KillsAfter for waysPut, by nth and y: yes 1, no -1
	cache      map[cacheKey]*Reason // of decide
	texts      map[string]int       // numbers of what differs
	loopShapes map[[2]*cfg.Loop]int
	during     map[int]map[int]bool // per communication: those that may put while it is under way

	moves  [][]int64       // of displacements
	chains map[int][][]int // of Chains
	// unchanging, by communication: it has the same messages throughout the outermost
	// loop around it.
	unchanging map[int]bool

	matrices map[int]*Matrices // by communication, negative for the printed form
	shapes   *shapes           // of the printed tests
}

// Analyze computes the functions of the communications of p. g is a graph of p.
func Analyze(p *comm.Program, g *cfg.Graph) *Functions {
	f := &Functions{
		Program: p, Graph: g,
		puts:    make([]*cfg.Node, len(p.Comms)),
		defs:    map[string][]int{},
		extents: extents(g),
	}
	f.forget()
	for _, c := range p.Comms {
		f.Relations = append(f.Relations, f.relationOf(c))
	}
	reduced := map[int]*ir.Symbol{}
	for _, r := range p.Reduces {
		reduced[r.ID] = r.Sym
	}
	for _, n := range g.Nodes {
		def := func(s *ir.Symbol) {
			if !s.IsArray() {
				f.defs[s.Name] = append(f.defs[s.Name], n.ID)
			}
		}
		switch n.Kind {
		case cfg.Comm:
			if n.Flavour != "recv" {
				f.puts[n.Ref-1] = n
			}
		case cfg.Reduce:
			if s := reduced[n.Ref]; s != nil {
				def(s)
			}
		case cfg.LoopHead:
			if d, ok := p.Loop(n.Loop).(*ir.Do); ok {
				def(d.Index)
			}
		case cfg.Stmt:
			if s := p.Stmt(n); s != nil {
				for sym := range p.Modified(s) {
					def(sym)
				}
			}
		}
	}
	return f
}

// forget makes f remember no answers.
func (f *Functions) forget() {
	f.loopShapes = map[[2]*cfg.Loop]int{}
	f.cache = map[cacheKey]*Reason{}
	f.texts = map[string]int{}
	f.during = map[int]map[int]bool{}
	f.moves, f.chains = nil, map[int][][]int{}
	f.unchanging = map[int]bool{}
}

// Fork gives functions of the same communications that may be asked at the same time.
func (f *Functions) Fork() *Functions {
	c := &Functions{
		Program: f.Program, Graph: f.Graph, puts: f.puts, defs: f.defs, extents: f.extents,
	}
	c.forget()
	for _, r := range f.Relations {
		own := *r
		own.shape = 0 // a number of f's
		c.Relations = append(c.Relations, &own)
	}
	return c
}

// Put is the node at which communication r puts.
func (f *Functions) Put(r int) *cfg.Node { return f.puts[r-1] }

// extent is the first and the last node of a loop, which has all between.
type extent struct{ first, last int }

func extents(g *cfg.Graph) map[*cfg.Loop]extent {
	out := map[*cfg.Loop]extent{}
	for _, n := range g.Nodes {
		for l := n.Loop; l != nil; l = l.Parent {
			e, seen := out[l]
			if !seen {
				e.first = n.ID
			}
			e.last = n.ID
			out[l] = e
		}
	}
	return out
}

// definedBetween reports whether a node lo..hi may assign the symbol.
func (f *Functions) definedBetween(name string, lo, hi int) bool {
	ids := f.defs[name]
	k := sort.SearchInts(ids, lo)
	return k < len(ids) && ids[k] <= hi
}

// Items lists the obligations (use, put): the value of communication use is dead
// before communication put puts next. Communications with a buffer of their own
// have one with themselves, those that fill cells in common have one for each
// pair, but for uses that always end before another use of the class does, and are not under way at the
// put: every PE that is done with the later use is done with the earlier one.
func (f *Functions) Items() [][2]int {
	var items [][2]int
	for put := 1; put <= len(f.Program.Comms); put++ {
		sharing := f.sharing(put)
		if len(sharing) == 1 {
			items = append(items, [2]int{put, put})
			continue
		}
		for _, use := range f.pending(sharing, put) {
			items = append(items, [2]int{use, put})
		}
	}
	return items
}

// sharing is the communications that may fill a cell that communication r fills,
// itself included, ascending.
func (f *Functions) sharing(r int) []int {
	var out []int
	for x := range f.Program.Comms {
		if f.shares(x+1, r) {
			out = append(out, x+1)
		}
	}
	return out
}

func (f *Functions) shares(x, y int) bool {
	return x == y || share(f.Program.Comms[x-1], f.Program.Comms[y-1])
}

// pending is those of some communications with cells in common with put that may be
// under way when put puts, or whose use may be the last to have ended by then; put
// itself if there are none. Ascending.
func (f *Functions) pending(class []int, put int) []int {
	with := map[int]bool{}
	member := map[int]bool{}
	for _, m := range class {
		member[m] = true
	}
	// Back from the put to the ends of uses.
	seen := map[*cfg.Node]bool{}
	work := []*cfg.Node{f.puts[put-1]}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range n.Preds {
			switch {
			case seen[p]:
			case p.Kind == cfg.UseOver && member[p.Ref]:
				with[p.Ref] = true
			default:
				seen[p] = true
				work = append(work, p)
			}
		}
	}
	for _, m := range class {
		if !with[m] && f.underWay(m)[put] {
			with[m] = true
		}
	}
	var out []int
	for _, m := range class {
		if with[m] {
			out = append(out, m)
		}
	}
	if out == nil {
		return []int{put}
	}
	return out
}

// underWay is the communications that may put while communication m is posted
// and not used up.
func (f *Functions) underWay(m int) map[int]bool {
	if out := f.during[m]; out != nil {
		return out
	}
	out := map[int]bool{}
	seen := map[*cfg.Node]bool{}
	var work []*cfg.Node
	for _, n := range f.Graph.Nodes {
		if n.Kind == cfg.Comm && n.Ref == m {
			work = append(work, n.Succs...)
		}
	}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[n] || n.Kind == cfg.UseOver && n.Ref == m {
			continue
		}
		seen[n] = true
		if n.Kind == cfg.Comm && n.Flavour != "recv" {
			out[n.Ref] = true
		}
		work = append(work, n.Succs...)
	}
	f.during[m] = out
	return out
}

// Shared lists groups of communications that may fill the same cells of an
// overlap: each two of a group do, and each two that do are in some group. A
// communication that shares its cells with two others that do not share theirs is in
// two groups. Numbers ascend in the groups.
func (f *Functions) Shared() [][]int {
	var groups [][]int
	for _, class := range f.Classes() {
		var pairs [][]int
		for i, x := range class {
			for _, y := range class[i+1:] {
				if f.shares(x, y) {
					pairs = append(pairs, []int{x, y})
				}
			}
		}
		switch n := len(class); {
		case n == 1:
		case len(pairs) == n*(n-1)/2:
			groups = append(groups, class)
		default:
			groups = append(groups, pairs...)
		}
	}
	return groups
}

// Classes divides the communications by the buffer that they fill: those into
// overlapping cells of one array's overlap belong together, and what overlaps with
// these too; each other one has a temporary of its own. Numbers ascend, in the
// classes and of their first ones.
func (f *Functions) Classes() [][]int {
	var classes [][]int
	for i, c := range f.Program.Comms {
		joined := -1
		for k := 0; k < len(classes); k++ {
			shares := false
			for _, r := range classes[k] {
				shares = shares || share(f.Program.Comms[r-1], c)
			}
			switch {
			case !shares:
			case joined < 0:
				classes[k] = append(classes[k], i+1)
				joined = k
			default: // c joins two classes to one
				classes[joined] = mergeSorted(classes[joined], classes[k])
				classes = append(classes[:k], classes[k+1:]...)
				k--
			}
		}
		if joined < 0 {
			classes = append(classes, []int{i + 1})
		}
	}
	return classes
}

func mergeSorted(a, b []int) []int {
	var out []int
	for len(a) > 0 || len(b) > 0 {
		if len(b) == 0 || len(a) > 0 && a[0] < b[0] {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return out
}

// share reports whether two communications may fill the same cell. Overlap
// cells below and above what a PE owns are different ones, and so are those with
// different constant subscripts in a dimension that is not distributed.
func share(a, b *comm.Comm) bool {
	if !a.Overlap || !b.Overlap || a.Array != b.Array {
		return false
	}
	outside := false
	for d, ax := range a.Array.Mapping.Map.Axes {
		if ax.Grid < 0 {
			if apart(a.Axes[d], b.Axes[d]) {
				return false
			}
			continue
		}
		both := a.Reach(d) & b.Reach(d)
		if both == 0 {
			return false
		}
		outside = outside || both != comm.Inside
	}
	return outside
}

// apart reports whether two axes are single subscripts, constant and different.
func apart(a, b comm.Axis) bool {
	single := func(x comm.Axis) bool { return !x.All && len(x.Terms) == 0 && x.Off.IsConst() }
	return single(a) && single(b) && !a.Off.Equal(b.Off)
}
