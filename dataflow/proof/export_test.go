package proof

import "github.com/spmdc/spmdc/cfg"

// Transfer is the transfer of a symbolic certificate over g: it reports whether a fact
// holds behind a point when in holds in front of it.
func Transfer(c *Certificate, g *cfg.Graph) func(point int, in Claim, f Fact) bool {
	k := NewChecker(g)
	r, err := k.rules(c, nil)
	if err != nil {
		panic(err)
	}
	k.claims = make([]Claim, len(g.Nodes))
	return func(point int, in Claim, f Fact) bool {
		k.claims[point] = in
		return k.unsupported(r, point, f) == 0
	}
}
