package report

import (
	"fmt"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/synch"
	"github.com/spmdc/spmdc/procfunc"
)

// handshake explains the ready message that the plan has before every put,
// whether it is needed or not.
func (b *builder) handshake(r int) Obligation {
	o := Obligation{Use: r, Put: r, Verdict: synch.NeedsSync.String(), Slots: 1, Sweeps: []Sweep{}}
	put := b.f.Put(r)
	what := b.refText(r)
	c := Chain{By: r}
	for _, use := range b.uses[r] {
		if path := pathForth(use, put, func(*cfg.Node) bool { return true }); path != nil && (c.Path == nil || len(path) < len(c.Path)) {
			c.Path = ids(path)
			c.Hops = []Hop{{point(use), "use", "", fmt.Sprintf("every PE q that received %s is done with it, which only q knows", what)}}
		}
	}
	again := ""
	if c.Path == nil {
		c.Path = []int{put.ID}
	} else {
		var path []*cfg.Node
		for _, id := range c.Path {
			path = append(path, b.g.Nodes[id])
		}
		if l := crossed(path); l != nil {
			again = next(l) + " "
		}
	}
	rel := b.f.Relations[r-1]
	c.Hops = append(c.Hops,
		Hop{point(put), "witness", reversed(rel), fmt.Sprintf("%sq comes here, and sends p a ready message: all its uses lie behind it", again)},
		Hop{point(put), "put", rel.String(), fmt.Sprintf("p waits for that, and puts %s", what)})
	o.Chains = []Chain{c}
	o.Values = []Values{}
	return o
}

// reversed is the relation of the ready messages of r: q -> p.
func reversed(r *procfunc.Relation) string {
	back := *r
	back.P, back.Q = r.Q, r.P
	return back.String()
}
