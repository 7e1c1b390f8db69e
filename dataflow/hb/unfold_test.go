package hb

import (
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/cfg"
	"github.com/spmdc/spmdc/internal/front"
	"github.com/spmdc/spmdc/internal/randprog"
	"github.com/spmdc/spmdc/procfunc"
)

// TestUnfolding: every execution is a path of the unfolded graph, along which its
// messages lie between those that are certain and those that there may be.
func TestUnfolding(t *testing.T) {
	steps, copies, certain := 0, 0, 0
	for k := range 120 {
		rng := rand.New(rand.NewSource(int64(900 + k)))
		text := randprog.Subscripts(rng)
		m := int64(rng.Intn(6))
		if k%3 > 0 { // else m is not known to the analysis
			text = strings.NewReplacer("j, m, f", "j, f\n integer, parameter :: m = "+strconv.FormatInt(m, 10), "read *, m, f", "read *, f").Replace(text)
		}
		f, err := tryFunctions(text)
		if err != nil {
			continue // with this m a subscript is out of bounds
		}
		for np := 1; np <= 5; np += 2 {
			sys := newProgram(f, np)
			copies += len(sys.Graph.Nodes) - len(f.Graph.Nodes)
			env := map[string]int64{"m": m, "f": int64(k % 2)}
			space := procfunc.NewPESpace(np, nil, func(v string) (int64, bool) { x, ok := env[v]; return x, ok })
			var at []*cfg.Node // copies that the execution may be at
			front.Trace(f.Program, f.Graph, env, 2000, func(n *cfg.Node) {
				var next []*cfg.Node
				if n == f.Graph.Entry {
					next = []*cfg.Node{sys.Graph.Entry}
				}
				for _, c := range at {
					for _, d := range c.Succs {
						if sys.Origin[d.ID] == n.ID && !slices.Contains(next, d) {
							next = append(next, d)
						}
					}
				}
				if n.Kind == cfg.Comm && n.Flavour != recv {
					pairs, ok := space.Messages(f.Program.Comms[n.Ref-1])
					if !ok {
						t.Fatalf("program %d: messages without value", k)
					}
					now := make(Messages, np)
					for _, p := range pairs {
						now[p.From] |= 1 << p.To
					}
					next = slices.DeleteFunc(next, func(c *cfg.Node) bool {
						fits := true
						for p := range np {
							fits = fits && now[p]&^sys.May[c.ID][p] == 0
							if must := sys.Must[c.ID]; len(must) > 0 {
								fits = fits && must[p]&^now[p] == 0
							}
						}
						return !fits
					})
					if len(next) == 1 && len(sys.Must[next[0].ID]) > 0 && len(pairs) > 0 {
						certain++
					}
				}
				if len(next) == 0 {
					t.Fatalf("program %d, %d PEs, %v: no copy of %s (node %d) follows that has these messages\n%s\n%v", k, np, env, n.Name(), n.ID, text, f.Graph)
				}
				at = next
				steps++
			})
		}
	}
	t.Logf("%d steps, %d copies more than nodes, %d executed communications with certain messages", steps, copies, certain)
	if steps < 10000 || copies == 0 || certain < 500 {
		t.Errorf("too little was followed")
	}
}
