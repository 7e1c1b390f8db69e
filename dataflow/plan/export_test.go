package plan

import "github.com/spmdc/spmdc/cfg"

// Pass is Proof.pass.
func Pass(p *Proof, c Claim, n *cfg.Node) Claim { return p.pass(c, n) }

// PassAges is SlotProof.pass.
func PassAges(p *SlotProof, in []Claim, n *cfg.Node, staged bool) []Claim {
	return p.pass(in, n, staged)
}
