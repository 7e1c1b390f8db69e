package front

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
)

// Trace runs the control flow of g, a graph of p, which randprog.Subscripts has written. env
// has the values of m and f, and gets those of indices; at is called for every
// node that is passed, of which there are at most limit.
func Trace(p *comm.Program, g *cfg.Graph, env map[string]int64, limit int, at func(n *cfg.Node)) {
	value := func(e ir.Expr) (int64, bool) {
		a, ok := p.Affine(e)
		if !ok {
			return 0, false
		}
		return a.Eval(func(v string) int64 { return env[v] })
	}
	left := map[*cfg.Loop]int64{} // iterations to come
	inside := map[*cfg.Loop]bool{}
	n, steps := g.Entry, 0
	var prev *cfg.Node
	for n.Kind != cfg.Exit && steps < limit {
		steps++
		next := 0
		at(n)
		switch n.Kind {
		case cfg.LoopHead:
			d := p.Loop(n.Loop).(*ir.Do)
			if !n.Loop.Contains(prev.Loop) || !inside[n.Loop] {
				lo, _ := value(d.Lo)
				hi, _ := value(d.Hi)
				st, _ := value(d.Step)
				env[d.Index.Name] = lo
				left[n.Loop] = max(0, (hi-lo+st)/st)
				inside[n.Loop] = true
			} else {
				st, _ := value(d.Step)
				env[d.Index.Name] += st
				left[n.Loop]--
			}
			if left[n.Loop] == 0 {
				next = 1
				inside[n.Loop] = false
			}
		case cfg.Branch:
			// mod(index,2) == 0, 1 or f
			var idx string
			var want string
			text := strings.NewReplacer("mod(", "", ",2)", "", "==", "").Replace(n.Text)
			if _, err := fmt.Sscan(text, &idx, &want); err != nil {
				panic(n.Text)
			}
			w := map[string]int64{"0": 0, "1": 1, "f": env["f"]}[want]
			if env[idx]%2 != w {
				next = 1
			}
		}
		prev, n = n, n.Succs[next]
	}
}
