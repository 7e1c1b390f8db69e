package procfunc

import (
	"fmt"

	"github.com/spmdc/spmdc/procfunc/linalg"
	"github.com/spmdc/spmdc/runtime/dist"
)

// Matrices are the processor functions of one communication in the notation of
// the paper, on template positions. They hold at least the messages that there
// are: sets and maps are supersets, and equal where Exact says so.
//
// Entries are forms over scalars and the indices of loops around the
// communication, with the values that these have at the instance at hand.
type Matrices struct {
	Ref int // number of the communication, or of the reduction
	// Collective: all PEs take part, and each waits for all others.
	Collective bool
	// Producers and Consumers have one set for each dimension of the processor
	// grid; the positions that send and receive lie in their product.
	Producers, Consumers []linalg.Triplet
	// RF is ReceiveFrom: the positions that receive from p.
	RF linalg.Transform
	// Exact: p in Producers sends to q in RF(p) and there are no other messages,
	// as long as no loop is empty.
	Exact bool
	// Traversal names the index of the traversal loop of each dimension, "" where
	// there is none.
	Traversal []string
	// Next is NextProducers, one for each loop around the communication, the
	// innermost first.
	Next []Next
}

// Union is NextProducers whichever back edge comes next: a dimension in which
// the loops differ is U. It is false where no loop is around.
func (m *Matrices) Union() (linalg.Transform, bool) {
	if len(m.Next) == 0 {
		return linalg.Transform{}, false
	}
	t := m.Next[0].Matrix
	for _, n := range m.Next[1:] {
		t = t.Hull(n.Matrix)
	}
	return t, true
}

// Collective reports whether r is the number of a reduction (numbers above
// those of the communications) or stands for a barrier (0, the reference of
// nodes without number).
func (f *Functions) Collective(r int) bool { return r < 1 || r > len(f.Relations) }

// collective is the functions of reductions and barriers: "each of the
// functions Producers, Consumers, and ReceiveFrom(p) evaluates to the set of
// all processors" (section 4), in k dimensions.
func collective(r, k int) *Matrices {
	m := &Matrices{Ref: r, Collective: true, RF: linalg.Everywhere(k, k), Exact: true, Traversal: make([]string, k)}
	for range k {
		m.Producers = append(m.Producers, linalg.U())
		m.Consumers = append(m.Consumers, linalg.U())
	}
	return m
}

// Matrices are the processor functions of communication r; those of a reduction
// or barrier have one dimension.
func (f *Functions) Matrices(r int) *Matrices { return f.shaped(r, false) }

// NextProducers is, for each loop around communication r, innermost first, the
// positions that send the values of a position's loop iterations when the
// communication comes again over that loop's back edge.
func (f *Functions) NextProducers(r int) []Next { return f.Matrices(r).Next }

// shaped computes the matrices. The printed form differs in what it takes for
// the positions. A producer that is replicated along a dimension is U there, as
// alignment with `*` gives o = U in the paper; here it is one copy that sends,
// that on the consumer's coordinate. And the positions are those of the
// reference, VPROCS(i+j,j) for b(i+j,j), also where the box around them is sent.
func (f *Functions) shaped(r int, printed bool) *Matrices {
	if f.Collective(r) {
		return collective(r, 1)
	}
	key := r
	if printed {
		key = -r
	}
	if m := f.matrices[key]; m != nil {
		return m
	}
	rel := f.Relations[r-1]
	p, q := entries(rel.P), entries(rel.Q)
	var copies []bool
	if printed {
		copies = f.replicated(rel)
		for _, v := range rel.Vars {
			for d := range p {
				if v.Of != "" {
					p[d].form = p[d].form.Subst(v.Name, linalg.FormOf(linalg.Var(v.Of)))
				}
			}
		}
		for d, copied := range copies {
			if !copied {
				continue
			}
			p[d] = entry{all: true}
			if rel.Q[d].Kind == At && rel.Q[d].Space.Format == dist.Collapsed {
				q[d] = entry{all: true} // each coordinate to itself
			}
		}
	}
	m := &Matrices{Ref: r}
	rf, traversal, exact := receiveFrom(p, q, rel.Vars)
	m.RF, m.Exact = rf, exact && rel.Must && rel.Clip == ""
	for d := range p {
		set, ok := expand(p[d], rel.Vars)
		m.Producers, m.Exact = append(m.Producers, set), m.Exact && (ok || rel.coordinate(d))
		set, _ = expand(q[d], rel.Vars)
		m.Consumers = append(m.Consumers, set)
		name := ""
		if v := traversal[d]; v >= 0 && !rel.coordinate(d) {
			name = rel.Vars[v].Name
		}
		m.Traversal = append(m.Traversal, name)
	}
	m.Next = f.next(r, p, copies, printed)
	if f.matrices == nil {
		f.matrices = map[int]*Matrices{}
	}
	f.matrices[key] = m
	return m
}

// coordinate reports whether every coordinate of dimension d sends to itself.
func (r *Relation) coordinate(d int) bool {
	return r.P[d].Kind == At && r.P[d].Space.Format == dist.Collapsed
}

// replicated tells the grid dimensions along which the array has copies.
func (f *Functions) replicated(r *Relation) []bool {
	copies := make([]bool, len(r.P))
	for d := range copies {
		copies[d] = true
	}
	m := r.Comm.Array.Mapping.Map
	for _, ax := range m.Axes {
		if ax.Grid >= 0 {
			copies[ax.Grid] = false
		}
	}
	for _, fx := range m.Fixed {
		if fx.Grid >= 0 {
			copies[fx.Grid] = false
		}
	}
	return copies
}

// name is C_r, or what the reduction is called.
func (f *Functions) name(r int) string {
	switch {
	case r < 1:
		return "a barrier"
	case f.Collective(r):
		for _, red := range f.Program.Reduces {
			if red.ID == r {
				return fmt.Sprintf("the %s of %s in line %d", red.Name, red.What(), red.Line)
			}
		}
	}
	return fmt.Sprintf("C_%d", r)
}
