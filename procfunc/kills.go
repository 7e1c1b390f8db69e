package procfunc

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/procfunc/linalg"
)

// Reason is the answer to whether one communication kills the synchronisation
// of another, for people.
type Reason struct {
	Kills bool
	Text  string // inside of this package {y} and {x} stand for the two
}

// KillsAfter reports whether communication y, executed after the use of a value, orders
// that use before the puts of communication put that come as number nth behind it, from
// 1: every position q to which that instance of put will send from p sends in y to p. It
// is the exact form of Conditions 2 and 3 (Theorems 1 and 2), asked of the instance that
// comes, so that it does not matter which positions earlier instances had, or whether
// there were any. Rings of several slots ask for later instances than the first, as they
// use a slot again only in the one that comes around. y may be put itself: its messages
// say what its senders are done with from earlier instances. True is proved; false may
// mean not proved.
func (f *Functions) KillsAfter(y, put, nth int) bool {
	if !f.Relations[y-1].Must {
		return false
	}
	w := f.waysTo(put)
	for len(f.answered) <= nth {
		f.answered = append(f.answered, make([]int8, len(f.puts)+1))
	}
	said := &f.answered[nth][y]
	if *said == 0 {
		set := w.nth(f.puts[y-1], f.puts[put-1], nth)
		*said = -1
		if set != 0 && f.decide(y, put, w, set).Kills {
			*said = 1
		}
	}
	return *said > 0
}

// KillReason is KillsAfter with the reason, for the first instance to come and one slot.
func (f *Functions) KillReason(y, use, put int) Reason {
	if y == use || y == put {
		return f.named(no("a communication does not acknowledge itself: it has one slot"), y, put)
	}
	return f.KillReasonAfter(y, put, 1)
}

// KillReasonAfter is KillsAfter with the reason.
func (f *Functions) KillReasonAfter(y, put, nth int) Reason {
	w := f.waysTo(put)
	set := w.nth(f.puts[y-1], f.puts[put-1], nth)
	r := no("{y} is not followed by {x}")
	switch ry := f.Relations[y-1]; {
	case !ry.Must:
		r = no("it is not certain which messages {y} sends: " + ry.Why)
	case set != 0:
		r = f.decide(y, put, w, set)
	}
	return f.named(r, y, put)
}

// named gives the two communications of a reason their names.
func (f *Functions) named(r *Reason, y, put int) Reason {
	names := strings.NewReplacer("{y}", fmt.Sprintf("C_%d", y), "{x}", fmt.Sprintf("C_%d", put))
	return Reason{r.Kills, names.Replace(r.Text)}
}

func no(text string) *Reason { return &Reason{false, text} }

// waysTo keeps the ways to one communication: questions come one put after
// another, and all ways of a large program take much memory.
func (f *Functions) waysTo(put int) *ways {
	if f.ways == nil || f.waysPut != put {
		f.ways, f.waysPut = waysTo(f.puts[put-1], f.extents), put
		for _, said := range f.answered {
			clear(said)
		}
	}
	return f.ways
}

// cacheKey is what an answer depends on: the relations and the places, but not
// the numbers, of the two communications.
type cacheKey struct {
	y, x           int       // shapes
	common         *cfg.Loop // innermost loop around both
	yLoops, xLoops int       // shapes of the loops around one alone
	set            waySet
	changed        string // scalars of x that are assigned on a straight way from y
}

// decide asks whether y answers the instances of put that are reached from it on
// the ways of set.
func (f *Functions) decide(y, put int, w *ways, set waySet) *Reason {
	ry, rx := f.Relations[y-1], f.Relations[put-1]
	return f.decideFor(f.shape(ry), ry, put, w, set, func() (*matching, string) { return match(ry, rx) })
}

// decideFor is decide for a relation, of which those with the same shape say the same,
// where communication ry.Ref is. matched says what has to hold.
func (f *Functions) decideFor(shape int, ry *Relation, put int, w *ways, set waySet, matched func() (*matching, string)) *Reason {
	rx := f.Relations[put-1]
	ny, nx := f.puts[ry.Ref-1], f.puts[put-1]
	common := nx.Loop
	for common != nil && !common.Contains(ny.Loop) {
		common = common.Parent
	}
	key := cacheKey{shape, f.shape(rx), common, f.loopShape(ny.Loop, common), f.loopShape(nx.Loop, common), set, ""}
	for _, v := range f.scalars(put) {
		if f.assignedBetween(v, ny, nx, common) {
			key.changed += v + " "
		}
	}
	if r := f.cache[key]; r != nil {
		return r
	}
	m, why := matched()
	var r *Reason
	if m == nil {
		r = no(why)
	} else {
		r = f.prove(m, ry, rx, w, set)
	}
	f.cache[key] = r
	return r
}

// loopShape numbers what is known of the loops from l outwards to outer, which is
// left out.
func (f *Functions) loopShape(l, outer *cfg.Loop) int {
	if l == outer {
		return 0
	}
	pair := [2]*cfg.Loop{l, outer}
	if n := f.loopShapes[pair]; n != 0 {
		return n
	}
	key := "loops "
	for k := l; k != outer; k = k.Parent {
		b, ok := f.loopBounds(k)
		key += fmt.Sprintf("%s %v %+v;", k.Index, ok, b)
	}
	f.loopShapes[pair] = f.number(key)
	return f.loopShapes[pair]
}

// scalars are the names in the positions of communication r, in the ranges of
// its Vars and in the bounds of loops around it, Vars and indices of these loops aside:
// their values may differ between an instance of another communication and it.
func (f *Functions) scalars(r int) []string {
	rel := f.Relations[r-1]
	if rel.scalars != nil {
		return *rel.scalars
	}
	known := map[string]bool{}
	for _, v := range rel.Vars {
		known[v.Name] = true
	}
	var forms []linalg.Affine
	for d := range rel.P {
		forms = append(forms, rel.P[d].Form, rel.Q[d].Form)
	}
	for _, v := range rel.Vars {
		forms = append(forms, v.Lo, v.Hi)
	}
	for _, e := range rel.Elements {
		forms = append(forms, e.Lo, e.Hi)
	}
	for l := f.puts[r-1].Loop; l != nil; l = l.Parent {
		known[l.Index] = true
		if b, ok := f.loopBounds(l); ok {
			forms = append(forms, b.lo, b.hi)
		}
	}
	names := []string{}
	for _, g := range forms {
		for _, v := range g.Vars() {
			if !known[v] {
				known[v] = true
				names = append(names, v)
			}
		}
	}
	rel.scalars = &names
	return names
}

// assignedBetween reports whether v may be assigned on a way from ny to nx that
// stays in one iteration of common and the loops around it. Such a way runs
// forward through the text, but for the loops around ny or nx alone.
func (f *Functions) assignedBetween(v string, ny, nx *cfg.Node, common *cfg.Loop) bool {
	lo, hi := ny.ID, nx.ID
	for _, n := range []*cfg.Node{ny, nx} {
		var out *cfg.Loop
		for l := n.Loop; l != common; l = l.Parent {
			out = l
		}
		if out != nil {
			lo, hi = min(lo, f.extents[out].first), max(hi, f.extents[out].last)
		}
	}
	return f.definedBetween(v, lo, hi)
}

// shape numbers relations that say the same.
func (f *Functions) shape(r *Relation) int {
	if r.shape == 0 {
		var b strings.Builder
		if r.Grid.Rank > 1 {
			fmt.Fprintf(&b, "%p ", r.Grid)
		}
		for d := range r.P {
			for _, p := range []Pos{r.P[d], r.Q[d]} {
				fmt.Fprintf(&b, "%v@%p.%d%v%d:%d ", p, p.Space.Grid, p.Space.Dim, p.Space.Format, p.Space.TLo, p.Space.THi)
			}
		}
		for _, v := range r.Vars {
			fmt.Fprintf(&b, "%v %v,", v, v.Idle)
		}
		fmt.Fprintf(&b, "%v", r.Elements)
		r.shape = f.number(b.String())
	}
	return r.shape
}

// number gives equal texts equal numbers, from 1.
func (f *Functions) number(text string) int {
	if f.texts[text] == 0 {
		f.texts[text] = len(f.texts) + 1
	}
	return f.texts[text]
}
