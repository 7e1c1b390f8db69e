package procfunc

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/procfunc/linalg"
	"github.com/spmdc/spmdc/runtime/dist"
)

// Theorem 3 of the paper: communications one after another kill what none of them kills
// alone. In
//
//	do t = 1, m
//	   b(i) = a(i-2)     ! C_1: p sends to p+2
//	   c(i) = b(i+1)     ! C_2: p sends to p-1
//	   d(i) = c(i+1)     ! C_3: p sends to p-1
//	end do
//
// position p+2 sends to p+1 in C_2, which sends to p in C_3. The relation of the two is
// their composition; it is asked for the answer to every pair of C_1 as the relation of
// one communication is. The executions of C_2 and C_3 that form the chain may belong to
// different iterations, so that each has to have the same messages in all of them.

// MostLinks is the most communications of a chain; mostChains is how many chains of a put
// are looked at.
const (
	MostLinks  = 3
	mostChains = 64
)

// Chains lists the sequences of two and more communications of which none kills the
// synchronisation of the next execution of put, but all do together, each complete before
// the next one starts: for each message p to q of put there are messages q to r1, r1 to
// r2, ... to p. They are sequences of shifts, as short as may be. It is not asked whether,
// and when, the links are executed.
func (f *Functions) Chains(put int) [][]int {
	if known, ok := f.chains[put]; ok {
		return known
	}
	var out [][]int
	if back := negative(f.displacements()[put-1]); back != nil {
		out = f.chainsBack(put, back)
	}
	f.chains[put] = out
	return out
}

// chainsBack are the chains whose displacements add up to back.
func (f *Functions) chainsBack(put int, back []int64) (out [][]int) {
	type link struct {
		ref   int
		moves []int64
	}
	var links []link
	for y, r := range f.Relations {
		moves := f.displacements()[y]
		if y+1 == put || moves == nil || len(moves) != len(back) || slices.Equal(moves, back) || !r.Must || r.Comm.Kind == comm.Pipeline || !f.Alike(y+1, put) {
			continue
		}
		links = append(links, link{y + 1, moves})
	}
	looked := 0
	var extend func(chain []int, left []int64, more int)
	extend = func(chain []int, left []int64, more int) {
		for _, l := range links {
			rest := slices.Clone(left)
			for d := range rest {
				rest[d] -= l.moves[d]
			}
			switch done := !slices.ContainsFunc(rest, func(m int64) bool { return m != 0 }); {
			case slices.Contains(chain, l.ref):
			case more == 1 && done && looked < mostChains:
				looked++
				if all := append(slices.Clone(chain), l.ref); f.chainKills(all, put) {
					out = append(out, all)
				}
			case more > 1 && !done:
				extend(append(slices.Clone(chain), l.ref), rest, more-1)
			}
		}
	}
	for n := 2; n <= MostLinks && out == nil && len(links) >= n && (n == 2 || len(links) <= mostChains); n++ {
		extend(nil, back, n)
	}
	return out
}

// displacements are those of all relations.
func (f *Functions) displacements() [][]int64 {
	if f.moves == nil {
		for _, r := range f.Relations {
			f.moves = append(f.moves, displacement(r))
		}
	}
	return f.moves
}

// displacement is by how much the messages of a shift go on in each dimension, nil for
// others.
func displacement(r *Relation) []int64 {
	var out []int64
	for d := range r.P {
		p, q := r.P[d], r.Q[d]
		if p.Kind != At || q.Kind != At || p.Space != q.Space {
			return nil
		}
		by, ok := q.Form.Sub(p.Form)
		if !ok || !by.IsConst() {
			return nil
		}
		out = append(out, by.C)
	}
	return out
}

func negative(moves []int64) []int64 {
	out := slices.Clone(moves)
	for d := range out {
		out[d] = -out[d]
	}
	return out
}

// chainKills reports whether the composition of the links answers the next put.
func (f *Functions) chainKills(chain []int, put int) bool {
	y := f.Relations[chain[0]-1]
	shapes := fmt.Sprintf("chain %d", f.shape(y))
	var joints [][2]linalg.Affine
	for k, link := range chain[1:] {
		next, more, ok := compose(y, f.Relations[link-1], k)
		if !ok {
			return false
		}
		y, joints = next, append(joints, more...)
		shapes += fmt.Sprintf(" %d", f.shape(f.Relations[link-1]))
	}
	w := f.waysTo(put)
	set := w.nth(f.puts[y.Ref-1], f.puts[put-1], 1)
	return set != 0 && f.decideFor(f.number(shapes), y, put, w, set, func() (*matching, string) {
		m, why := match(y, f.Relations[put-1])
		if m != nil {
			m.joints = joints
		}
		return m, why
	}).Kills
}

// compose is the relation of a message of shift a that is followed by one of shift b, whose Vars get
// names of their own, and the forms that have to be equal for that: where a goes to is
// where b comes from.
func compose(a, b *Relation, k int) (*Relation, [][2]linalg.Affine, bool) {
	if !sameGrid(a.Grid, b.Grid) {
		return nil, nil, false
	}
	own := map[string]string{}
	for _, v := range b.Vars {
		own[v.Name] = fmt.Sprintf("%s;%d", v.Name, k+2)
	}
	ok := true
	named := func(f linalg.Affine) linalg.Affine {
		g, fine := f.Rename(func(v string) string {
			if n, mine := own[v]; mine {
				return n
			}
			return v
		})
		ok = ok && fine
		return g
	}
	c := &Relation{Ref: b.Ref, Comm: b.Comm, Grid: a.Grid, P: slices.Clone(a.P), Q: slices.Clone(b.Q), Vars: slices.Clone(a.Vars), Must: a.Must && b.Must, Elements: slices.Clone(a.Elements), Clip: a.Clip}
	for _, v := range b.Vars {
		v.Name, v.Lo, v.Hi = own[v.Name], named(v.Lo), named(v.Hi)
		c.Vars = append(c.Vars, v)
	}
	for _, e := range b.Elements {
		c.Elements = append(c.Elements, Element{named(e.Sub), e.Lo, e.Hi})
	}
	var joints [][2]linalg.Affine
	for d := range c.P {
		if stays(a, d) && stays(b, d) && a.P[d].Space == b.P[d].Space {
			c.Q[d] = a.Q[d]
			continue
		}
		from, to := a.Q[d], b.P[d]
		if from.Space != to.Space {
			return nil, nil, false
		}
		joints = append(joints, [2]linalg.Affine{from.Form, named(to.Form)})
		c.Q[d].Form = named(c.Q[d].Form)
	}
	return c, joints, ok
}

// stays reports whether each coordinate of a dimension sends to itself.
func stays(r *Relation, d int) bool {
	p, q := r.P[d], r.Q[d]
	return p.Kind == At && q.Kind == At && p.Space.Format == dist.Collapsed && p.Space == q.Space && p.Form.Equal(q.Form)
}
