package codegen

import (
	"fmt"
	"strings"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/runtime/dist"
)

// A pipelined region receives what it needs of the PEs before, executes its statements,
// and sends. If it is divided into blocks it does so for each of them:
//
//	all2 := dist.Range(2, n-1, 1)
//	size2 := pe.BlockSize(all2.N, ...)
//	for block2 := 0; block2 < all2.Strips(size2); block2++ {
//		c2.NeedsFrom(0, 1, ... all2.Lag(block2, size2, 0) ...)
//		c2.PipeRecv()
//		part2 := all2.Strip(block2, size2)
//		for j := part2.Lo; j <= part2.Hi(); j++ {
//			...
//		}
//		pe.PipeSend(c2)
//	}

// blockMemory bounds the bytes of the stages of blocks, if they have any.
const blockMemory = 16 << 20

// mostBlocks is how many blocks an execution of c, which is pipelined, may have at most. Each
// slot is that many.
func (g *gen) mostBlocks(c *comm.Comm) int {
	if c.Kind != comm.Pipeline || c.Region.Pipe.Blocks == nil {
		return 1
	}
	most := dist.MostBlocks / max(1, g.plan.Slots[c.ID-1].Ring)
	if bytes := g.plan.StageBytes(c); bytes > 0 {
		most = min(most, int(min(dist.MostBlocks, blockMemory/bytes)))
	}
	return max(1, most)
}

// blockNames are the Go variables of a region in blocks: the iterations of the loop that
// is divided, the number of the block, and the size of blocks.
type blockNames struct {
	*comm.Blocks
	all, block, size string
}

func (g *gen) pipelined(r *comm.Region) {
	p := r.Pipe
	if p.Blocks == nil {
		g.pass(r)
	} else {
		g.inBlocks(r)
	}
	if g.opt.Check {
		for _, c := range p.Comms {
			g.out.p("%s.Done()", g.comms[c])
		}
	}
}

// pass emits what is done in one go.
func (g *gen) pass(r *comm.Region) {
	for _, c := range r.Pipe.Comms {
		g.pipeRecv(c)
	}
	g.alone(r)
	var names []string
	for _, c := range r.Pipe.Comms {
		names = append(names, g.comms[c])
	}
	g.out.p("pe.PipeSend(%s)", strings.Join(names, ", "))
}

func (g *gen) inBlocks(r *comm.Region) {
	p := r.Pipe
	d, n := p.Blocks.Loop, p.Comms[0].ID
	name := func(base string) string { return g.names.fresh(fmt.Sprintf("%s%d", base, n)) }
	b := &blockNames{Blocks: p.Blocks, all: name("all"), block: name("block"), size: name("size")}
	own := name("part")
	most := dist.MostBlocks
	for _, c := range p.Comms {
		most = min(most, g.mostBlocks(c))
	}
	g.out.at = d.Pos.Line
	g.out.p("%s := dist.Range(%s, %s, %d)", b.all, g.position(d.Lo), g.position(d.Hi), g.step(d))
	switch size := g.opt.Block; {
	case size > 0:
		g.out.p("%s := max(%d, %s.Strips(%d))", b.size, size, b.all, most)
	case size < 0:
		g.out.p("%s := max(1, %s.N)", b.size, b.all)
	default:
		g.out.p("%s := pe.BlockSize(%s.N, %d, %s)", b.size, b.all, most, g.effort(r))
	}
	g.out.p("for %s := 0; %s < %s.Strips(%s); %s++ { // in blocks of iterations of %s", b.block, b.block, b.all, b.size, b.block, d.Index.Name)
	g.blocks = b
	strip := "Strip"
	if b.Down {
		strip = "StripDown"
	}
	g.out.p("%s := %s.%s(%s, %s)", own, b.all, strip, b.block, b.size)
	g.parts[d] = own
	g.pass(r)
	delete(g.parts, d)
	g.blocks = nil
	g.out.p("}")
}

// lag renders, for a region in blocks, what of range r of c belongs to the block at hand;
// "" if it is another range.
func (g *gen) lag(c *comm.Comm, r *comm.Range) string {
	b := g.blocks
	if b == nil || b.Ranges[c] != r {
		return ""
	}
	method := "Lag"
	if b.Down {
		method = "LagDown"
	}
	return fmt.Sprintf("%s.%s(%s, %s, %d)", b.all, method, b.block, b.size, b.Behind[c])
}

// effort renders, for a region in blocks, the number of PEs in the pipeline, the operations
// and references of all of them in an iteration of the loop, and how often all of them
// together begin the loop anew for a block.
func (g *gen) effort(r *comm.Region) string {
	p := r.Pipe
	c := p.Comms[0]
	times := func(count int, loops []*ir.Do) string {
		text := fmt.Sprint(count)
		for _, d := range loops {
			for _, x := range c.Ranges {
				if x.Loop == d && !x.Unknown {
					text += fmt.Sprintf("*dist.Range(%s, %s, %d).N", g.affine(x.Lo), g.affine(x.Hi), x.Step)
				}
			}
		}
		return text
	}
	var others []*ir.Do
	body := r.Stmts
	for {
		d, ok := body[0].(*ir.Do)
		if !ok || len(body) > 1 {
			break
		}
		if body = d.Body; d != p.Blocks.Loop {
			others = append(others, d)
		}
	}
	return fmt.Sprintf("%s[%d], %s, %s", g.grids[c.Array.Mapping.Grid], p.GridDim, times(operations(body), others), times(1, p.Blocks.Outside))
}

// operations counts operations and references.
func operations(body []ir.Stmt) int {
	n := 0
	ir.WalkExprs(body, func(_ ir.Stmt, e ir.Expr) bool {
		switch e.(type) {
		case *ir.Bin, *ir.Un, *ir.Call, *ir.Ref:
			n++
		}
		return true
	})
	return max(1, n)
}

func (g *gen) pipeRecv(c *comm.Comm) {
	g.out.at = c.CLine
	g.claim(c)
	if g.lasting[c] == nil {
		g.needs(c)
	}
	g.out.p("%s.PipeRecv()", g.comms[c])
}
