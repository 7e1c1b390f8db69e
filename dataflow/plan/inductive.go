package plan

import (
	"fmt"
	"slices"

	"github.com/spmdc/spmdc/cfg"
)

// This file checks certificates. It knows nothing of how they were found: the
// rules by which a claim passes a node are written down here once more, in the
// form that a check needs, one edge at a time.

// checkQuiet wants, for a communication that puts without ready messages, an
// inductive proof for every communication of its class whose use may be the last
// to have ended, or not be over, when it puts; one for itself if there is none.
func (d *Document) checkQuiet(put *cfg.Node) error {
	class := sharing(d.Classes, put.Ref)
	proved := slices.ContainsFunc(d.Proofs, func(p Proof) bool { return p.Put == put.Ref })
	for _, use := range class {
		p := d.proof(use, put.Ref)
		if p == nil {
			if (proved || use != put.Ref) && !d.reaches(use, put, class) {
				continue
			}
			return fmt.Errorf("line %d: %s puts without ready message, and no proof says that the value of #%d is dead by then", put.Line, put.Name(), use)
		}
		if err := d.checkProof(p); err != nil {
			return fmt.Errorf("line %d: %s puts without ready message: the proof for the value of #%d fails: %w", put.Line, put.Name(), use, err)
		}
	}
	return nil
}

// sharing is the communications that fill cells of communication r too, by the
// classes that it is in, and r itself; ascending.
func sharing(classes [][]int, r int) []int {
	out := []int{r}
	for _, c := range classes {
		if slices.Contains(c, r) {
			out = append(out, c...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// reaches reports whether some path leads from communication use to put on which
// its own use is not over, or is the last of the class to end.
func (d *Document) reaches(use int, put *cfg.Node, class []int) bool {
	ends := func(n *cfg.Node, r int) bool { return n.Kind == cfg.UseOver && n.Ref == r }
	seen := make([]bool, len(d.Graph.Nodes))
	// Back from the put: the first ends of uses that come up are the last ones.
	work := []*cfg.Node{put}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range n.Preds {
			switch {
			case ends(p, use):
				return true
			case seen[p.ID] || p.Kind == cfg.UseOver && slices.Contains(class, p.Ref):
			default:
				seen[p.ID] = true
				work = append(work, p)
			}
		}
	}
	// On from the communication, as long as its use is not over.
	clear(seen)
	for _, n := range d.Graph.Nodes {
		if n.Kind == cfg.Comm && n.Ref == use {
			work = append(work, n)
		}
	}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for _, n := range at.Succs {
			switch {
			case n == put:
				return true
			case !seen[n.ID] && !ends(n, use):
				seen[n.ID] = true
				work = append(work, n)
			}
		}
	}
	return false
}

func (d *Document) proof(use, put int) *Proof {
	for i := range d.Proofs {
		if p := &d.Proofs[i]; p.Use == use && p.Put == put {
			return p
		}
	}
	return nil
}

// checkProof checks that the claims of p are inductive, and that they suffice
// wherever p.Put puts.
func (d *Document) checkProof(p *Proof) error {
	_, err := d.inductive(p, func(n *cfg.Node, at Claim) error {
		if puts(n, p.Put) && at.Level < NoSync {
			return fmt.Errorf("%v where %s puts, NoSync or U wanted", at, n.Name())
		}
		return nil
	})
	return err
}

// inductive returns the claims of p, by node, if they hold: nothing but U at the
// entry, along every edge no more than what leaves its start, and what suffices says
// of each node.
func (d *Document) inductive(p *Proof, suffices func(*cfg.Node, Claim) error) ([]Claim, error) {
	at, err := p.claims(d.Graph)
	if err != nil {
		return nil, err
	}
	for _, y := range p.Kills {
		if err := d.mayKill(y, p); err != nil {
			return nil, err
		}
	}
	for _, n := range d.Graph.Nodes {
		for _, tag := range at[n.ID].Tags {
			if !slices.Contains(p.Kills, tag) {
				return nil, fmt.Errorf("node %d counts on a message of #%d, which is not among its kills", n.ID, tag)
			}
		}
		if err := suffices(n, at[n.ID]); err != nil {
			return nil, err
		}
		out := p.pass(at[n.ID], n)
		for _, s := range n.Succs {
			if !atMost(at[s.ID], out) {
				return nil, fmt.Errorf("node %d claims %v, but only %v comes from node %d (%s)", s.ID, at[s.ID], out, n.ID, n.Name())
			}
		}
	}
	return at, nil
}

// mayKill rejects messages that a proof must not count on: those of the slot
// itself, those that do not exist, and those of pipelined communications, which
// arrive before they are sent.
func (d *Document) mayKill(y int, p *Proof) error {
	if y == p.Use || y == p.Put {
		return fmt.Errorf("#%d counts on its own messages", y)
	}
	found := false
	for _, n := range d.Graph.Nodes {
		if n.Kind == cfg.Comm && n.Ref == y {
			found = true
			if n.Flavour == "recv" || n.Flavour == "send" {
				return fmt.Errorf("#%d is pipelined: its messages say nothing of what comes before it", y)
			}
		}
	}
	if !found {
		return fmt.Errorf("there is no communication #%d", y)
	}
	return nil
}

// puts reports whether n is where communication r puts: a pipelined one puts
// behind the loop.
func puts(n *cfg.Node, r int) bool {
	return n.Kind == cfg.Comm && n.Ref == r && n.Flavour != "recv"
}

// atMost reports whether claim c follows from what is known.
func atMost(c, known Claim) bool {
	if c.Level != NoSyncP || known.Level != NoSyncP {
		return c.Level <= known.Level
	}
	for _, tag := range c.Tags {
		if !slices.Contains(known.Tags, tag) {
			return false
		}
	}
	return true
}

// pass is what holds behind n when c holds before it.
func (p *Proof) pass(c Claim, n *cfg.Node) Claim {
	pending := c.Level == Cons || c.Level == NoSyncP
	switch n.Kind {
	case cfg.Reduce, cfg.Barrier: // every PE hears of every PE
		if pending {
			return Claim{Level: NoSync}
		}
	case cfg.UseOver: // what was known before the last use of all is void
		if n.Ref == p.Use && c.Level != Sync && c.Level != Unposted {
			return Claim{Level: Cons}
		}
	case cfg.CommOver: // the message that was under way is there
		if c.Level == NoSyncP && slices.Contains(c.Tags, n.Ref) {
			return Claim{Level: NoSync}
		}
	case cfg.Comm:
		switch {
		case puts(n, p.Put):
			return p.put(c)
		case n.Ref == p.Put: // a pipelined one waits here and puts later
		case n.Ref == p.Use:
			if c.Level != Sync { // a new value; its next put is another proof's concern
				return Claim{Level: CS}
			}
		case pending && slices.Contains(p.Kills, n.Ref):
			tags := append(slices.Clone(c.Tags), n.Ref)
			slices.Sort(tags)
			return Claim{Level: NoSyncP, Tags: slices.Compact(tags)}
		}
	}
	return c
}

// put is what holds behind the put that the proof is about. When the value was
// of the same communication, a new one is in use now; else the slot holds what
// was put, and the old value stays dead.
func (p *Proof) put(c Claim) Claim {
	switch {
	case c.Level < NoSync:
		return Claim{}
	case p.Use == p.Put:
		return Claim{Level: CS}
	case c.Level == NoSync:
		return Claim{Level: Cons}
	}
	return c
}
