package simulate

import (
	"math"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/runtime/dist"
)

// working is how long the PEs compute a region where scalars have certain values.
type working struct {
	times []float64
	under map[string]int64
}

// maxShares is how many loops of a region are looked at PE by PE.
const maxShares = 6

// working is how long the PEs compute a region.
func (t *timed) working(r *comm.Region) []float64 {
	if w := t.works[r]; w != nil && t.same(w.under) {
		return w.times
	}
	t.read = t.read[:0]
	w := &working{times: make([]float64, t.pes)}
	var loops []*ir.Do
	var shares []func(q int) int
	inside := map[string]bool{} // indices of loops of the region, which are half-way
	ir.Walk(r.Stmts, func(s ir.Stmt) bool {
		d, ok := s.(*ir.Do)
		if !ok {
			return true
		}
		b := t.program.Info.Bounds(d)
		if !b.LoOK || !b.HiOK || b.Step == 0 {
			return true
		}
		if r.Picks[d] != nil && len(loops) < maxShares {
			if all, known := t.space.Iterations(&comm.Range{Index: d.Index.Name, Lo: b.Lo, Hi: b.Hi, Step: int(b.Step)}); known {
				t.guess(d.Pos.Line, "all PEs are taken to have equal parts of the iterations that a variable picks")
				loops, shares = append(loops, d), append(shares, func(q int) int { return (all(q) + t.pes - 1) / t.pes })
			}
		}
		if len(r.Part[d]) > 0 && len(loops) < maxShares {
			own, known := t.space.Iterations(&comm.Range{Index: d.Index.Name, Lo: b.Lo, Hi: b.Hi, Step: int(b.Step), Cons: r.Part[d]})
			if known {
				loops, shares = append(loops, d), append(shares, own)
			}
		}
		lo, ok1 := t.eval(b.Lo)
		hi, ok2 := t.eval(b.Hi)
		if _, has := t.values[d.Index.Name]; ok1 && ok2 && !has {
			t.values[d.Index.Name] = (lo + hi) / 2
			inside[d.Index.Name] = true
		}
		return true
	})
	owns, known := t.space.Owners(r.Guard)
	w.under = t.dependsOn()
	for name := range inside {
		delete(w.under, name)
		delete(t.values, name)
	}
	took := map[[maxShares]int]float64{}
	var share, before [maxShares]int
	x := -1.0 // of the shares of the PE before; below 0: there is none
	own := func(d *ir.Do) (float64, bool) {
		k := slices.Index(loops, d)
		if k < 0 {
			return 0, false
		}
		return float64(share[k]), true
	}
	for q := range w.times {
		if known && !owns(q) {
			continue
		}
		for k, f := range shares {
			share[k] = f(q)
		}
		if x < 0 || share != before {
			var ok bool
			if x, ok = took[share]; !ok {
				x = t.Work(r, t.values, own)
				took[share] = x
			}
			before = share
		}
		w.times[q] = x
	}
	t.works[r] = w
	return w.times
}

// region is what the PEs compute on their own, or one after another.
func (t *timed) region(r *comm.Region) {
	times := t.working(r)
	for _, x := range times {
		t.computed += x
	}
	if r.Pipe == nil {
		for q, x := range times {
			t.clock[q] += x
		}
		for q := 0; q < len(times) && t.Record != nil; q++ {
			t.computes(q, times[q])
		}
		return
	}
	t.pipeline(r, times)
}

// pipeline is a region of which each PE receives values of those before it: all at once, or
// block by block. PEs with the same coordinate are independent.
func (t *timed) pipeline(r *comm.Region, times []float64) {
	list := t.bundles(r.Pipe.Comms)
	blocks := t.blocks(r, times)
	for _, c := range r.Pipe.Comms {
		if t.begin(c) != nil && t.slots[c.ID].ready == plan.OnDemand {
			t.guess(c.Line, "ready messages of a pipeline are taken to come in time")
		}
	}
	before, behind := make([][]*stage, t.pes), make([][]*stage, t.pes) // by receiver, by sender
	for i := range list {
		b := &list[i]
		first := r.Pipe.Comms[b.parts[0].member]
		x := &stage{bundle: b, comm: first, bytes: b.bytes / blocks, free: make([]float64, int(blocks)), arrives: make([]float64, int(blocks))}
		before[b.to], behind[b.from] = append(before[b.to], x), append(behind[b.from], x)
		t.sites[first.ID].Data += blocks
		for _, p := range b.parts {
			t.sites[r.Pipe.Comms[p.member].ID].Bytes += p.bytes
		}
		if t.slots[first.ID].ready == plan.Always {
			t.declare(x)
		}
	}
	done := make([]bool, t.pes)
	var pass func(q int)
	pass = func(q int) {
		if done[q] {
			return
		}
		done[q] = true
		for _, x := range before[q] {
			pass(x.from)
		}
		t.stages(q, int(blocks), times[q]/blocks, before[q], behind[q])
		for _, x := range before[q] {
			x.free, x.arrives = nil, nil
		}
	}
	for q := range done {
		pass(q)
	}
	if t.counts {
		t.now++
		for i := range list {
			t.acknowledge(list[i].to, list[i].from, t.now)
		}
	}
	for _, c := range r.Pipe.Comms {
		if t.plan.Slots[c.ID-1].Staged {
			t.free(c)
		}
	}
}

// stage is the messages of a pipeline from one PE to another, one for each block.
type stage struct {
	*bundle
	comm    *comm.Comm
	bytes   float64   // of a block
	ready   bool      // it takes ready messages
	free    []float64 // by block: when its ready message has come
	arrives []float64 // by block
}

// declare sends the ready messages of all blocks.
func (t *timed) declare(x *stage) {
	x.ready = true
	l := t.link(x.to, x.from)
	for k := range x.free {
		t.sends(x.to, x.from, readyTag(x.comm), 0)
		t.clock[x.to] += l.Overhead
		x.free[k] = t.clock[x.to] + l.Latency
	}
	t.sites[x.comm.ID].Ready += float64(len(x.free))
}

// stages is what PE q does in a pipeline: it receives each block, computes for some time, and sends it on.
func (t *timed) stages(q, blocks int, piece float64, before, behind []*stage) {
	clock := t.clock[q]
	for k := range blocks {
		for _, x := range before {
			clock = max(clock, x.arrives[k]) + t.link(x.from, q).Overhead
			t.receives(q, x.from, dataTag(x.comm), x.bytes)
		}
		clock += piece
		t.computes(q, piece)
		for _, x := range behind {
			l := t.link(q, x.to)
			if x.ready {
				clock = max(clock, x.free[k]) + l.Overhead
				t.receives(q, x.to, readyTag(x.comm), 0)
			}
			clock += l.Overhead
			x.arrives[k] = clock + l.Latency + l.PerByte*x.bytes
			t.sends(q, x.to, dataTag(x.comm), x.bytes)
		}
	}
	t.clock[q] = clock
}

// blocks is in how many pieces the PEs of a pipeline pass on what they have.
func (t *timed) blocks(r *comm.Region, times []float64) float64 {
	b := r.Pipe.Blocks
	if b == nil || t.Block < 0 {
		return 1
	}
	bounds := t.program.Info.Bounds(b.Loop)
	lo, ok1 := t.eval(bounds.Lo)
	hi, ok2 := t.eval(bounds.Hi)
	if !ok1 || !ok2 || bounds.Step == 0 {
		t.guess(b.Loop.Pos.Line, "the pipeline is taken to have %d blocks", dist.MostBlocks)
		return dist.MostBlocks
	}
	n := float64(max(1, (hi-lo+bounds.Step)/bounds.Step))
	if t.Block > 0 {
		return math.Ceil(n / float64(t.Block))
	}
	behind := math.Pow(float64(t.pes), 1/float64(len(t.space.Shape(r.Pipe.Comms[0].Array)))) - 1
	each, cost := 1e9*slices.Max(times)/n, 1e9*(t.Host.Latency+t.Host.Overhead)
	if behind <= 0 || each <= 0 {
		return 1
	}
	t.guess(b.Loop.Pos.Line, "the pipeline has as many blocks as would take least time")
	return math.Ceil(n / float64(dist.BlockSize(int(n), dist.MostBlocks, behind, each, cost)))
}
