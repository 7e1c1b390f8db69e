package hb

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg"
)

// This file verifies certificates. It shares nothing with the solver: sets are
// kept consumer by consumer and age by age, and every rule is written down again.

// checkClaims checks that the claims are inductive and give the conclusion.
func (c *Certificate) checkClaims() error {
	nodes := c.System.Graph.Nodes
	if len(c.Claims) != len(nodes) {
		return fmt.Errorf("%d claims for %d nodes", len(c.Claims), len(nodes))
	}
	for _, n := range nodes {
		if err := c.free(n); err != nil {
			return err
		}
		out := c.after(c.Claims[n.ID], n)
		for _, next := range n.Succs {
			if err := c.within(c.Claims[next.ID], out); err != nil {
				return fmt.Errorf("%v: from %s (node %d) to %s (node %d): %w", c, n.Name(), n.ID, next.Name(), next.ID, err)
			}
		}
	}
	return nil
}

// free checks the conclusion at a put.
func (c *Certificate) free(n *cfg.Node) error {
	if n.Kind != cfg.Comm || n.Ref != c.Put || n.Flavour == recv || !c.Claims[n.ID].Posted {
		return nil
	}
	var err error
	c.System.May[n.ID].Each(func(p, q int) {
		if err == nil && !c.knows(c.Claims[n.ID].Known, c.Slots-1, p, q) {
			err = fmt.Errorf("%v: %s (node %d): PE %d puts to PE %d without knowing that its use is over", c, n.Name(), n.ID, p, q)
		}
	})
	return err
}

// knows reports whether p is known to be after q's use of an age.
func (c *Certificate) knows(known [][]uint64, age, p, q int) bool {
	return age >= len(known) || known[age][q]>>p&1 != 0
}

// table has, by age and consumer, who satisfies a condition.
func (c *Certificate) table(holds func(age, p, q int) bool) [][]uint64 {
	out := make([][]uint64, c.Slots)
	for a := range out {
		out[a] = make([]uint64, c.System.PEs)
		for q := range out[a] {
			for p := range c.System.PEs {
				if holds(a, p, q) {
					out[a][q] |= 1 << p
				}
			}
		}
	}
	return out
}

// after is what holds behind n when in holds in front of it.
func (c *Certificate) after(in Claim, n *cfg.Node) Claim {
	known := in.Known
	out := Claim{Posted: in.Posted, Live: in.Live, Held: in.Held, Known: known, Flights: map[int][][]uint64{}}
	for y, f := range in.Flights {
		out.Flights[y] = f
	}
	switch n.Kind {
	case cfg.Comm:
		return c.afterComm(in, out, n)
	case cfg.CommOver:
		told := c.flight(in, n.Ref)
		out.Known = c.table(func(a, p, q int) bool { return c.knows(known, a, p, q) || c.knows(told, a, p, q) })
		delete(out.Flights, n.Ref)
		if c.Staged && n.Ref == c.Use {
			return c.afterUse(out)
		}
	case cfg.UseOver:
		if !c.Staged && n.Ref == c.Use {
			return c.afterUse(out)
		}
	case cfg.Reduce, cfg.Barrier:
		out.Known = c.table(func(a, _, q int) bool {
			for s := range c.System.PEs {
				if c.knows(known, a, s, q) {
					return true
				}
			}
			return false
		})
	}
	return out
}

// flight is what the arrival of y lets PEs know: of ages that everybody knows,
// that; of others nothing, if it is not under way.
func (c *Certificate) flight(in Claim, y int) [][]uint64 {
	if f := in.Flights[y]; f != nil {
		return f
	}
	return c.table(func(a, _, _ int) bool { return a >= len(in.Known) })
}

func (c *Certificate) afterComm(in, out Claim, n *cfg.Node) Claim {
	if n.Flavour != send {
		must := c.System.Must[n.ID]
		out.Flights[n.Ref] = c.table(func(a, p, q int) bool {
			for s := range c.System.PEs {
				if (a >= len(in.Known) || must.Has(s, p)) && c.knows(in.Known, a, s, q) {
					return true
				}
			}
			return false
		})
	}
	if n.Ref != c.Use || n.Flavour == recv {
		return out
	}
	users := c.System.Users[n.ID]
	older := func(known [][]uint64) [][]uint64 {
		return c.table(func(a, p, q int) bool {
			switch {
			case a > 0:
				return c.knows(known, a-1, p, q)
			case users>>q&1 != 0:
				return false
			}
			return c.knows(known, c.Slots-1, p, q)
		})
	}
	for y, f := range out.Flights {
		out.Flights[y] = older(f)
	}
	out.Known = older(in.Known)
	out.Posted = true
	out.Held = in.Live | users
	out.Live = out.Held
	return out
}

// afterUse is the end of the use of the latest value.
func (c *Certificate) afterUse(in Claim) Claim {
	out := Claim{Posted: in.Posted, Held: in.Held, Flights: map[int][][]uint64{}}
	void := func(known [][]uint64, self bool) [][]uint64 {
		return c.table(func(a, p, q int) bool {
			if a > 0 || in.Held>>q&1 == 0 {
				return c.knows(known, a, p, q) || self && a == 0 && p == q
			}
			return self && p == q
		})
	}
	out.Known = void(in.Known, true)
	for y, f := range in.Flights {
		out.Flights[y] = void(f, false)
	}
	return out
}

// within checks that a claim follows from what is known.
func (c *Certificate) within(claim, known Claim) error {
	if known.Posted && !claim.Posted || known.Live&^claim.Live != 0 || known.Held&^claim.Held != 0 {
		return fmt.Errorf("a use is left out")
	}
	for a := range c.Slots {
		for q := range c.System.PEs {
			for p := range c.System.PEs {
				if c.knows(claim.Known, a, p, q) && !c.knows(known.Known, a, p, q) {
					return fmt.Errorf("PE %d need not know of the use of age %d at PE %d", p, a, q)
				}
			}
		}
	}
	for y, f := range claim.Flights {
		told := c.flight(known, y)
		for a := range claim.Known {
			for q := range c.System.PEs {
				for p := range c.System.PEs {
					// What everybody knows already is not told.
					if c.knows(f, a, p, q) && !c.knows(told, a, p, q) && known.Known[a][q] != everyone(c.System.PEs) {
						return fmt.Errorf("the arrival of C_%d need not tell PE %d of the use of age %d at PE %d", y, p, a, q)
					}
				}
			}
		}
	}
	return nil
}

// checkForms does the same for claims by forms.
func (c *Certificate) checkForms(g *cfg.Graph) error {
	if len(c.Forms) != len(g.Nodes) {
		return fmt.Errorf("%d claims for %d nodes", len(c.Forms), len(g.Nodes))
	}
	for _, n := range g.Nodes {
		in := c.Forms[n.ID]
		if n.Kind == cfg.Comm && n.Ref == c.Put && n.Flavour != recv && in.Posted && in.Ages[c.Slots-1] < ToldNext {
			return fmt.Errorf("%v: %s (node %d) puts without knowing that the use is over", c, n.Name(), n.ID)
		}
		out := c.formAfter(in, n)
		for _, next := range n.Succs {
			claim := c.Forms[next.ID]
			ok := !out.Posted || claim.Posted
			for a, l := range claim.Ages {
				ok = ok && l <= out.Ages[a]
				for _, y := range claim.Under[a] {
					ok = ok && (out.Ages[a] >= ToldNext || slices.Contains(out.Under[a], y))
				}
			}
			if !ok {
				return fmt.Errorf("%v: from %s (node %d) to %s (node %d): %v does not give %v", c, n.Name(), n.ID, next.Name(), next.ID, out, claim)
			}
		}
	}
	return nil
}

// formAfter is what holds behind n when in holds in front of it.
func (c *Certificate) formAfter(in Form, n *cfg.Node) Form {
	out := Form{in.Posted, slices.Clone(in.Ages), slices.Clone(in.Under)}
	if !in.Posted && n.Ref != c.Use {
		return out
	}
	for a := range out.Ages {
		switch {
		case out.Ages[a] != Over && out.Ages[a] != ToldNext:
		case n.Kind == cfg.Reduce || n.Kind == cfg.Barrier:
			out.Ages[a] = ToldAll
		case n.Kind == cfg.CommOver && slices.Contains(out.Under[a], n.Ref):
			out.Ages[a] = ToldNext
		case n.Kind == cfg.Comm && n.Ref == c.Put && n.Flavour != recv && !c.Stable:
			out.Ages[a], out.Under[a] = Over, nil // other producers come next
		case n.Kind == cfg.Comm && n.Flavour != recv && n.Flavour != send && n.Ref != c.Put && n.Ref != c.Use && slices.Contains(c.Kills, n.Ref):
			out.Under[a] = append(slices.Clone(out.Under[a]), n.Ref)
		}
	}
	switch {
	case n.Kind == cfg.Comm && n.Ref == c.Use && n.Flavour != recv:
		out.Posted = true
		out.Ages = append([]Level{InUse}, out.Ages[:c.Slots-1]...)
		out.Under = append([][]int{nil}, out.Under[:c.Slots-1]...)
	case in.Posted && n.Ref == c.Use && (n.Kind == cfg.UseOver && !c.Staged || n.Kind == cfg.CommOver && c.Staged):
		out.Ages[0], out.Under[0] = Over, nil
	}
	return out
}
