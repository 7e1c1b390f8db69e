package check

import (
	"slices"

	"github.com/spmdc/spmdc/runtime/dist"
)

// Next is what the analysis says of the instance that comes next over the back edge
// of a loop, and of none around it (NextProducers): for each dimension, where the
// value of an iteration is sent from then, by where it is sent from now. That is
// invariant I6: with I7, which says that every message is from such a position, the
// actual next writer of a slot is one that was foreseen.
type Next struct {
	Depth int // of the loop; the outermost has 0
	Rows  []Row
}

// Row is one dimension: the position now, if Own is set, plus Lo, Lo+Step, ..., Hi.
// With Any it is every position.
type Row struct {
	Any, Own bool
	Lo, Hi   Form // over the indices of the relation
	Step     int
}

// equalNext reports whether two lists say the same.
func equalNext(a, b []Next) bool {
	return slices.EqualFunc(a, b, func(x, y Next) bool {
		return x.Depth == y.Depth && slices.EqualFunc(x.Rows, y.Rows, func(p, q Row) bool {
			return p.Any == q.Any && p.Own == q.Own && p.Step == q.Step && slices.Equal(p.Lo, q.Lo) && slices.Equal(p.Hi, q.Hi)
		})
	})
}

// Foresees reports whether what a relation says of the next instance over the loop at
// a depth holds of the relation s of that instance, for all iterations that both have.
// If not it gives the grid dimension.
func (r *Relation) Foresees(s *Relation, depth int) (dim int, ok bool) {
	k := slices.IndexFunc(r.Next, func(n Next) bool { return n.Depth == depth })
	if k < 0 || len(r.Vars) != len(s.Vars) {
		return 0, true // nothing is said
	}
	for d := range r.Next[k].Rows {
		if !r.foreseen(s, d, &r.Next[k].Rows[d]) {
			return d, false
		}
	}
	return 0, true
}

func (r *Relation) foreseen(s *Relation, d int, row *Row) bool {
	if row.Any || r.From[d].At == nil || s.From[d].At == nil {
		return true
	}
	values := make([]int, 1+len(r.Vars))
	values[0] = 1
	var vars []int
	var spans []dist.Triplet
	tuples := 1
	for v := range r.Vars {
		used := false
		for _, f := range []Form{r.From[d].At, s.From[d].At, row.Lo, row.Hi} {
			used = used || v+1 < len(f) && f[v+1] != 0
		}
		if !used {
			continue
		}
		if r.Vars[v].Unknown || s.Vars[v].Unknown {
			return true // its values are not known
		}
		t := dist.Range(r.Vars[v].Lo, r.Vars[v].Hi, r.Vars[v].Step).Intersect(dist.Range(s.Vars[v].Lo, s.Vars[v].Hi, s.Vars[v].Step))
		vars, spans = append(vars, v), append(spans, t)
		if tuples *= t.N; tuples > mostTuples {
			return true
		}
	}
	var run func(i int) bool
	run = func(i int) bool {
		if i < len(vars) {
			for k := range spans[i].N {
				values[1+vars[i]] = spans[i].Lo + k*spans[i].Step
				if !run(i + 1) {
					return false
				}
			}
			return true
		}
		later := s.From[d].At.value(values)
		if row.Own {
			later -= r.From[d].At.value(values)
		}
		return dist.Range(row.Lo.value(values), row.Hi.value(values), row.Step).Contains(later)
	}
	return run(0)
}
