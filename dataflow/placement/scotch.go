package placement

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// scotchLimit is how long Scotch may take.
const scotchLimit = time.Minute

// Scotch is the program of the graph partitioner Scotch, as Debian's package scotch has it, or its
// authors; "" if there is none.
func Scotch() string {
	for _, name := range []string{"scotch_gpart", "gpart"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// scotch is the placement that Scotch finds, with PEs for whom there is no room where there is some.
func (t *Traffic) scotch(program string, h Hosts) (Place, error) {
	dir, err := os.MkdirTemp("", "spmdc-placement-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	graph, parts := filepath.Join(dir, "pes.grf"), filepath.Join(dir, "pes.map")
	if err := os.WriteFile(graph, []byte(t.graph()), 0o600); err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(context.Background(), scotchLimit)
	defer stop()
	if out, err := exec.CommandContext(ctx, program, fmt.Sprint(h.Count), graph, parts).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", program, err, strings.TrimSpace(string(out)))
	}
	text, err := os.ReadFile(parts)
	if err != nil {
		return nil, err
	}
	return t.read(string(text), h)
}

// graph is the traffic as Scotch reads it ("Scotch and libScotch 7.0 User's Guide", section 5.1): for each PE
// its neighbours, each behind what is exchanged with it.
func (t *Traffic) graph() string {
	most, arcs := 0.0, 0
	for _, row := range t.bytes {
		for _, b := range row {
			if most = max(most, b); b > 0 {
				arcs++
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "0\n%d %d\n0 010\n", t.PEs, arcs)
	for _, row := range t.bytes {
		n, line := 0, ""
		for q, bytes := range row {
			if bytes > 0 {
				n++
				line += fmt.Sprintf(" %.0f %d", math.Ceil(1e6*bytes/most), q)
			}
		}
		fmt.Fprintf(&b, "%d%s\n", n, line)
	}
	return b.String()
}

// read is the placement in a file of Scotch: the number of PEs, and the part of each.
func (t *Traffic) read(text string, h Hosts) (Place, error) {
	var n int
	in := strings.NewReader(text)
	if _, err := fmt.Fscan(in, &n); err != nil || n != t.PEs {
		return nil, fmt.Errorf("Scotch has placed %d of %d PEs", n, t.PEs)
	}
	p, has := make(Place, n), make([]int, h.Count)
	var late []int
	for range n {
		var q, part int
		if _, err := fmt.Fscan(in, &q, &part); err != nil || q < 0 || q >= n || part < 0 || part >= h.Count {
			return nil, fmt.Errorf("Scotch has placed PE %d in part %d of %d", q, part, h.Count)
		}
		if has[part] == h.Each {
			late = append(late, q)
			continue
		}
		p[q] = part
		has[part]++
	}
	host := 0
	for _, q := range late {
		for has[host] == h.Each {
			host++
		}
		p[q] = host
		has[host]++
	}
	return p, nil
}
