package plan

import (
	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/dataflow/exact"
)

// Pass is Proof.pass.
func Pass(p *Proof, c Claim, n *cfg.Node) Claim { return p.pass(c, n) }

// PassAges is SlotProof.pass.
func PassAges(p *SlotProof, in []Claim, n *cfg.Node, staged bool) []Claim {
	return p.pass(in, n, staged)
}

// Follow is Plan.follow.
func Follow(p *Plan, e *exact.Proof) error { return p.follow(e) }

// Contradict is Plan.contradict.
func Contradict(p *Plan) error { return p.contradict() }
