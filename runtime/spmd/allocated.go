package spmd

import "fmt"

// Allocate gives an allocatable coarray memory, with the same bounds on all images, which
// wait for each other: what was assigned before is seen by all behind it.
func (c *Coarray[T]) Allocate(site int, bounds ...[2]int) {
	pe := c.pe
	pe.collect(site, 0, coAllocate, 2*len(bounds), func(i int) uint64 {
		return uint64(bounds[i/2][i%2])
	}, func(i int, word func(q int) uint64) {
		ours := bounds[i/2][i%2]
		for q := range pe.n {
			if theirs := int(word(q)); theirs != ours {
				end := [2]string{"lower", "upper"}[i%2]
				e := pe.errorAt(site, fmt.Sprintf("allocate: the %s bound of dimension %d of coarray %s is %d, on image %d it is %d", end, i/2+1, c.Name, ours, q+1, theirs))
				e.Hint = "all images must allocate a coarray with the same bounds"
				pe.t.Abort(e)
			}
		}
	})
	c.Resize(bounds...)
	pe.t.Rebind(c.buffer, c.mem)
	pe.t.Barrier(site)
}

// Deallocate takes the memory, when all images have come here.
func (c *Coarray[T]) Deallocate(site int) {
	c.pe.collect(site, 0, coDeallocate, 0, nil, nil)
	c.Free()
	c.pe.t.Rebind(c.buffer, c.mem)
}

// ImageIndex is the image that cosubscripts mean, from 1, or 0 if there is none. Each
// codimension is three numbers: its lower bound, its extent, and the cosubscript; the last
// one has the extent 0, as many as there are images.
func (pe *PE) ImageIndex(codims ...int) int {
	at, size := 0, 1
	for i := 0; i < len(codims); i += 3 {
		k, n := codims[i+2]-codims[i], codims[i+1]
		if k < 0 || n > 0 && k >= n || k > pe.n {
			return 0
		}
		at += k * size
		size *= n
	}
	if at >= pe.n {
		return 0
	}
	return at + 1
}
