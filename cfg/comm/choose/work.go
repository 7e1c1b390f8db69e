package choose

import (
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// Work is an estimate of what a PE has to compute in one execution of a region, in messages,
// of each of which Cost says how long it takes. values are those of scalars; own is how
// many iterations of a loop the PE executes, false where that is all of them.
func Work(p *comm.Program, r *comm.Region, values map[string]int64, own func(*ir.Do) (float64, bool)) float64 {
	w := newWeigher(p, 1)
	w.own = own
	for name, v := range values {
		w.means[name] = float64(v)
	}
	return w.work(r, r.Stmts).Total() + entryCost
}
