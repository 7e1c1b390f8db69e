package cfg

// NaturalLoop is what repeats: the head and the nodes that reach a back edge to
// it without passing it. It leaves out what Loop.Body has on the way to EXIT or
// STOP.
type NaturalLoop struct {
	Head *Node
	Back []Edge // the back edges to Head
	Body map[*Node]bool
}

// NaturalLoops returns the natural loops, one per node that a back edge leads
// to, by the ID of the head.
func (g *Graph) NaturalLoops() []*NaturalLoop {
	byHead := map[*Node]*NaturalLoop{}
	for _, e := range g.BackEdges() {
		l := byHead[e.To()]
		if l == nil {
			l = &NaturalLoop{Head: e.To(), Body: map[*Node]bool{e.To(): true}}
			byHead[e.To()] = l
		}
		l.Back = append(l.Back, e)
		work := []*Node{e.From}
		for len(work) > 0 {
			n := work[len(work)-1]
			work = work[:len(work)-1]
			if !l.Body[n] {
				l.Body[n] = true
				work = append(work, n.Preds...)
			}
		}
	}
	var loops []*NaturalLoop
	for _, n := range g.Nodes {
		if l := byHead[n]; l != nil {
			loops = append(loops, l)
		}
	}
	return loops
}

// Depth is the number of loops around and including l, 0 for nil.
func (l *Loop) Depth() int {
	d := 0
	for ; l != nil; l = l.Parent {
		d++
	}
	return d
}
