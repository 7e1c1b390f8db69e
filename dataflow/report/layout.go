package report

import (
	"cmp"
	"math"
	"slices"
)

// The layout is the layered one of Sugiyama, Tagawa and Toda: layers by longest
// paths, edges that cross layers as chains of points, order within layers by
// barycenters, and x by least squares under the distances that boxes need. What
// follows a loop stands below its body, and a back edge goes up through points
// beside the layers that it crosses.

// Sizes, in pixels.
const (
	charWidth  = 6.7
	rowHeight  = 18.0
	pillHeight = 22.0
	pillGap    = 6.0
	padding    = 8.0
	valueRoom  = 74.0 // for the value of the analysis, right of a row
	layerGap   = 30.0
	boxGap     = 26.0
	pointGap   = 14.0
	stubLength = 22.0
)

// spineWeight is how much more it counts that a box stands below the one that
// leads to it than that edges are short.
const spineWeight = 8.0

// stubLayers is how many layers an edge to the exit crosses before only its
// beginning is drawn: a STOP at the top of a program would run beside all of it.
const stubLayers = 3

// drawing is a graph with coordinates.
type drawing struct {
	blocks        []*block
	edges         []drawnEdge
	width, height float64
}

// drawnEdge is an edge and the points that it passes, from the bottom of one
// box to the top of another.
type drawnEdge struct {
	blockEdge
	tail   int
	points [][2]float64
}

// item is a box or a point in a layer.
type item struct {
	block *block // nil for a point
	x, w  float64
	up    []*item // neighbours in the layer above
	down  []*item
	// beside is the box in the same layer that a back edge leads to or comes from.
	beside *item
	// spine is the box that all ways to this one have passed last: below it is
	// where this box belongs.
	spine *item
	order float64
	at    int // position in its layer
}

func (it *item) gap(next *item) float64 {
	gap := boxGap
	if it.block == nil || next.block == nil {
		gap = pointGap
	}
	return it.w/2 + gap + next.w/2
}

func (g *Graph) layout() *drawing {
	d := &drawing{blocks: g.blocks()}
	for _, b := range d.blocks {
		b.size(g)
	}
	d.rank(g)
	layers, chains := d.items()
	for range 12 {
		sortLayers(layers)
	}
	place(layers)
	d.coordinates(layers)
	d.route(chains)
	return d
}

// size sets width and height of a box from its rows.
func (b *block) size(g *Graph) {
	b.h = 2 * padding
	for _, r := range b.rows {
		w := charWidth * float64(len([]rune(r.text)))
		if r.pills {
			w = -pillGap
			for _, id := range r.nodes {
				w += pillWidth(&g.Nodes[id]) + pillGap
			}
		}
		b.w = max(b.w, w+2*padding+valueRoom)
		b.h += r.height()
	}
	if len(b.rows) == 1 && !b.rows[0].pills && b.rows[0].text == "" { // a join
		b.w, b.h = 12, 12
	}
}

func (r *row) height() float64 {
	if r.pills {
		return pillHeight + 4
	}
	return rowHeight
}

// pillText is what stands in the pill of a communication node.
func pillText(n *Node) string { return bare(n.Name) }

func pillWidth(n *Node) float64 { return charWidth*float64(len([]rune(pillText(n)))) + 18 }

// rank gives each block its layer: one below all that lead to it, back edges
// apart, and what a loop leads to when it ends below its body.
func (d *drawing) rank(g *Graph) {
	succs := make([][]int, len(d.blocks))
	heads := map[int]int{} // loop: block of its head
	for i, b := range d.blocks {
		if n := g.Nodes[b.nodes[0]]; n.Kind == "loop" {
			heads[n.Loop] = i
		}
		for _, e := range b.succs {
			if !e.back {
				succs[i] = append(succs[i], e.to)
			}
		}
	}
	for i, b := range d.blocks {
		for l := g.Nodes[b.nodes[len(b.nodes)-1]].Loop; l != 0; l = g.Loops[l-1].Parent {
			if head := d.blocks[heads[l]]; heads[l] != i && len(head.succs) == 2 && !head.succs[1].back {
				succs[i] = append(succs[i], head.succs[1].to)
			}
		}
	}
	order := topological(succs)
	for _, i := range order {
		for _, s := range succs[i] {
			d.blocks[s].layer = max(d.blocks[s].layer, d.blocks[i].layer+1)
		}
	}
}

// topological orders 0..n-1 so that edges lead forward, but for those that close
// a cycle.
func topological(succs [][]int) []int {
	state := make([]uint8, len(succs))
	var order []int
	var visit func(i int)
	visit = func(i int) {
		state[i] = 1
		for k := len(succs[i]) - 1; k >= 0; k-- {
			if s := succs[i][k]; state[s] == 0 {
				visit(s)
			}
		}
		order = append(order, i)
	}
	for i := range succs {
		if state[i] == 0 {
			visit(i)
		}
	}
	slices.Reverse(order)
	return order
}

// dominators gives for each block the last one that all ways to it pass, -1 for
// the first block.
func (d *drawing) dominators() []int {
	preds := make([][]int, len(d.blocks))
	succs := make([][]int, len(d.blocks))
	for i, b := range d.blocks {
		for _, e := range b.succs {
			if !e.back {
				preds[e.to] = append(preds[e.to], i)
				succs[i] = append(succs[i], e.to)
			}
		}
	}
	// Without back edges one pass in topological order is enough.
	order := topological(succs)
	at := make([]int, len(order))
	for k, i := range order {
		at[i] = k
	}
	dom := make([]int, len(d.blocks))
	for _, i := range order {
		dom[i] = -1
		for k, p := range preds[i] {
			if k == 0 {
				dom[i] = p
				continue
			}
			a := dom[i]
			for a != p && a >= 0 && p >= 0 {
				if at[a] > at[p] {
					a = dom[a]
				} else {
					p = dom[p]
				}
			}
			dom[i] = min(a, p)
			if a == p {
				dom[i] = a
			}
		}
	}
	return dom
}

// chain is an edge and the items that it passes, from the upper end to the lower
// one for edges down, beside both ends for edges up.
type chain struct {
	tail  int
	edge  blockEdge
	items []*item
}

// items fills the layers with boxes and the points of edges.
func (d *drawing) items() ([][]*item, []chain) {
	depth := 0
	for _, b := range d.blocks {
		depth = max(depth, b.layer)
	}
	layers := make([][]*item, depth+1)
	put := func(layer int, it *item) *item {
		it.at = len(layers[layer])
		layers[layer] = append(layers[layer], it)
		return it
	}
	boxes := make([]*item, len(d.blocks))
	var chains []chain
	// Boxes in program order, each with its points behind it: the order to start
	// from is that of the source.
	for i, b := range d.blocks {
		boxes[i] = put(b.layer, &item{block: b, w: b.w})
	}
	for i, above := range d.dominators() {
		if i > 0 && above >= 0 {
			boxes[i].spine = boxes[above]
		}
	}
	for i, b := range d.blocks {
		for _, e := range b.succs {
			c := chain{tail: i, edge: e}
			from, to := b.layer, d.blocks[e.to].layer
			if e.stub = e.to == len(d.blocks)-1 && to-from > stubLayers; e.stub {
				c.edge = e
			} else if to > from {
				last := boxes[i]
				for l := from + 1; l < to; l++ {
					p := put(l, &item{w: 2})
					c.items = append(c.items, p)
					join(last, p)
					last = p
				}
				join(last, boxes[e.to])
			} else {
				// Beside the head, down to beside the tail.
				var last *item
				for l := to; l <= from; l++ {
					p := put(l, &item{w: 2})
					c.items = append(c.items, p)
					if last != nil {
						join(last, p)
					}
					last = p
				}
				c.items[0].beside = boxes[e.to]
				if last.beside == nil {
					last.beside = boxes[i]
				}
				slices.Reverse(c.items)
			}
			chains = append(chains, c)
		}
	}
	return layers, chains
}

func join(upper, lower *item) {
	upper.down = append(upper.down, lower)
	lower.up = append(lower.up, upper)
}

// sortLayers orders each layer by the mean position of the neighbours above,
// then by that of those below.
func sortLayers(layers [][]*item) {
	arrange := func(layer []*item, near func(*item) []*item) {
		for _, it := range layer {
			it.order = float64(it.at)
			if list := near(it); len(list) > 0 {
				it.order = 0
				for _, o := range list {
					it.order += float64(o.at)
				}
				it.order /= float64(len(list))
			}
		}
		for _, it := range layer {
			if it.beside != nil {
				it.order = it.beside.order + 0.4
			}
		}
		slices.SortStableFunc(layer, func(a, b *item) int { return cmp.Compare(a.order, b.order) })
		for i, it := range layer {
			it.at = i
		}
	}
	for i := 1; i < len(layers); i++ {
		arrange(layers[i], func(it *item) []*item { return it.up })
	}
	for i := len(layers) - 2; i >= 0; i-- {
		arrange(layers[i], func(it *item) []*item { return it.down })
	}
}

// place chooses x: in turn for each layer the least squares fit to the mean of
// the neighbours, under the distances that are needed.
func place(layers [][]*item) {
	for _, layer := range layers {
		x := 0.0
		for i, it := range layer {
			if i > 0 {
				x += layer[i-1].gap(it)
			}
			it.x = x
		}
	}
	wish := func(it *item, lists ...[]*item) (float64, float64) {
		sum, n := 0.0, 0.0
		for _, list := range lists {
			for _, o := range list {
				w := 1.0
				if it.block == nil && o.block == nil {
					w = 12 // long edges are straight
				}
				if it.block != nil && len(it.down) == 0 {
					w = 0.2 // what leads nowhere makes room for what goes on
				}
				sum, n = sum+w*o.x, n+w
			}
		}
		if it.beside != nil {
			sum, n = sum+2*(it.beside.x+it.beside.gap(it)), n+2
		}
		if it.spine != nil {
			sum, n = sum+spineWeight*it.spine.x, n+spineWeight
		}
		if n == 0 {
			return it.x, 0.1
		}
		return sum / n, n
	}
	for round := range 40 {
		for i := range layers {
			k := i
			if round%2 == 1 {
				k = len(layers) - 1 - i
			}
			layer := layers[k]
			want := make([]float64, len(layer))
			weight := make([]float64, len(layer))
			for j, it := range layer {
				switch {
				case round >= 24:
					want[j], weight[j] = wish(it, it.up, it.down)
				case round%2 == 0:
					want[j], weight[j] = wish(it, it.up)
				default:
					want[j], weight[j] = wish(it, it.down)
				}
			}
			fit(layer, want, weight)
		}
	}
}

// fit minimises the weighted squares of x - want under x[i+1]-x[i] >= gap, by
// pooling adjacent violators.
func fit(layer []*item, want, weight []float64) {
	type pool struct {
		sum, weight float64
		count       int
	}
	offset := make([]float64, len(layer))
	var pools []pool
	for i := range layer {
		if i > 0 {
			offset[i] = offset[i-1] + layer[i-1].gap(layer[i])
		}
		p := pool{weight[i] * (want[i] - offset[i]), weight[i], 1}
		for k := len(pools) - 1; k >= 0 && pools[k].sum/pools[k].weight > p.sum/p.weight; k-- {
			p = pool{p.sum + pools[k].sum, p.weight + pools[k].weight, p.count + pools[k].count}
			pools = pools[:k]
		}
		pools = append(pools, p)
	}
	i := 0
	for _, p := range pools {
		for range p.count {
			layer[i].x = p.sum/p.weight + offset[i]
			i++
		}
	}
}

// coordinates moves everything to where x and y start at a margin.
func (d *drawing) coordinates(layers [][]*item) {
	const margin = 16.0
	left, right := math.Inf(1), math.Inf(-1)
	for _, layer := range layers {
		for _, it := range layer {
			left, right = min(left, it.x-it.w/2), max(right, it.x+it.w/2)
		}
	}
	y := margin
	for _, layer := range layers {
		h := 0.0
		for _, it := range layer {
			it.x += margin - left
			if it.block != nil {
				it.block.x, it.block.y = it.x, y
				h = max(h, it.block.h)
			}
		}
		// A layer of points alone still takes some room.
		y += h + layerGap
	}
	d.width, d.height = right-left+2*margin, y
}

// route turns chains into points. A point of a chain is passed from the top of
// its layer to the bottom, so that no edge crosses a box beside it.
func (d *drawing) route(chains []chain) {
	top := map[int]float64{}
	bottom := map[int]float64{}
	for _, b := range d.blocks {
		top[b.layer] = b.y
		bottom[b.layer] = max(bottom[b.layer], b.y+b.h)
	}
	for _, c := range chains {
		from, to := d.blocks[c.tail], d.blocks[c.edge.to]
		e := drawnEdge{blockEdge: c.edge, tail: c.tail}
		start := from.x
		if len(from.succs) == 2 && from.w > 40 {
			// Two edges leave at two places, the one to the left on the left.
			other := from.succs[0]
			if other.to == c.edge.to && other.at == c.edge.at {
				other = from.succs[1]
			}
			side := func(e blockEdge) float64 {
				for _, k := range chains {
					if k.tail == c.tail && k.edge == e && len(k.items) > 0 {
						return k.items[0].x
					}
				}
				return d.blocks[e.to].x
			}
			shift := min(from.w/4, 40)
			if side(c.edge) <= side(other) {
				shift = -shift
			}
			start += shift
		}
		e.points = append(e.points, [2]float64{start, from.y + from.h})
		if e.stub {
			e.points = append(e.points, [2]float64{start, from.y + from.h + stubLength})
			d.edges = append(d.edges, e)
			continue
		}
		down := to.layer > from.layer
		for i, it := range c.items {
			layer := from.layer + 1 + i
			if !down {
				layer = from.layer - i
			}
			t, b := top[layer], bottom[layer]
			if t == 0 {
				continue
			}
			if down {
				e.points = append(e.points, [2]float64{it.x, t}, [2]float64{it.x, b})
			} else {
				e.points = append(e.points, [2]float64{it.x, b}, [2]float64{it.x, t})
			}
		}
		e.points = append(e.points, [2]float64{to.x, to.y})
		d.edges = append(d.edges, e)
	}
}
