package codegen

import (
	"fmt"

	"github.com/spmdc/spmdc/ir"
)

// A kernel loads elements that are far apart one by one, as a loop in Go does, and gains
// where it computes with them. Of loops that compute little with such elements, those in
// Go are as fast or faster: a copy of a row, or of an array into its transpose.

// nearby is the stride up to which elements are as good as consecutive ones: up to there
// a vector has at least two of them.
const nearby = 4

// goesWell reports whether a loop is a kernel, or several, over elements that are next to
// each other: else a loop around it may do better.
func (v *vectorLoop) goesWell() bool {
	return v.nest != nil || v.k != nil && v.far() == ""
}

// far says which reference goes through elements that are far apart, "" for none.
func (v *vectorLoop) far() string {
	for i, s := range v.streams {
		if s.local == nil && !s.table && distant(v.k.Streams[i].Stride) {
			return fmt.Sprintf("%s does not go through consecutive elements", ir.ExprString(s.ref))
		}
	}
	return ""
}

func distant(stride int) bool { return stride == 0 || abs(stride) > nearby }

// pays reports whether the kernel is worth its loads of distant elements. Loops that are
// unrolled in it, and are not short, may go through others.
func (v *vectorLoop) pays() bool {
	if v.why != "" || v.far() == "" {
		return true
	}
	distance := func(stream int) bool { return distant(v.k.Streams[stream].Stride) }
	far, ops := v.k.Work(distance)
	return ops >= far && (v.flat == nil || v.flat.longest < 2*shortest && !v.betterInside())
}

// betterInside reports whether a loop that is unrolled is itself a kernel over consecutive
// elements. A short one that reduces is not better: its partial values are added up each time.
func (v *vectorLoop) betterInside() bool {
	better := false
	for _, d := range v.flat.loops {
		if !isLeaf(d.Body) {
			continue
		}
		inner := v.leaf.g.vectorized(d, v.region)
		switch {
		case inner.k == nil || inner.far() != "" || inner.k.Picks():
		case len(inner.k.Reductions) > 0:
			return false
		default:
			better = true
		}
	}
	return better
}

// passStride gives a stream whose stride the kernel does not know its stride, and returns
// the text of it.
func (v *vectorLoop) passStride(i int, name string, fields *[][2]string, checks *[]string) string {
	s := v.k.Streams[i]
	if s.Stride != 0 {
		return fmt.Sprint(s.Stride)
	}
	by := name + "By"
	text := v.leaf.stride(v.streams[i].leafRef)
	if steps := v.streams[i].steps; steps != nil {
		text = steps()
	}
	v.leaf.g.out.p("%s := %s", by, v.streams[i].place(text))
	*fields = append(*fields, [2]string{s.Name + "Step", by})
	*checks = append(*checks, fmt.Sprintf("spmd.Near(%s)", by))
	return by
}
