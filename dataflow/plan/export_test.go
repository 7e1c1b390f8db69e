package plan

import "github.com/spmdc/spmdc/dataflow/proof"

// Follow is Plan.follow.
func Follow(p *Plan, u *proof.Unfolding) error { return p.follow(u) }

// Contradict is Plan.contradict.
func Contradict(p *Plan) error { return p.contradict() }
