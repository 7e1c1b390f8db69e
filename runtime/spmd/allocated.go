package spmd

import "fmt"

// Allocate gives an allocatable coarray memory, with the same bounds on all images, which
// wait for each other: what was assigned before is seen by all behind it.
func (c *Coarray[T]) Allocate(site int, bounds ...[2]int) {
	pe := c.pe
	c.reachable(site)
	pe.collect(site, 0, coAllocate, 2*len(bounds), func(i int) uint64 {
		return uint64(bounds[i/2][i%2])
	}, func(i int, word func(q int) uint64) {
		ours := bounds[i/2][i%2]
		for q, p := range pe.images.teams.current.members {
			if theirs := int(word(q)); theirs != ours {
				end := [2]string{"lower", "upper"}[i%2]
				e := pe.errorAt(site, fmt.Sprintf("allocate: the %s bound of dimension %d of coarray %s is %d, on image %d it is %d", end, i/2+1, c.Name, ours, p+1, theirs))
				e.Hint = "all images must allocate a coarray with the same bounds"
				pe.t.Abort(e)
			}
		}
	})
	c.Resize(bounds...)
	pe.t.Rebind(c.buffer, c.mem)
	if pe.plain() {
		pe.t.Barrier(site)
	} else {
		pe.rendezvous(site, pe.images.teams.current)
	}
}

// reachable ends the run where images that are processes allocate in a team: the others learn
// of new memory in barriers of all.
func (c *Coarray[T]) reachable(site int) {
	if c.pe.images.teams.initial() {
		return
	}
	if p := c.pe.t.Alloc(line); p != nil {
		c.pe.t.Free(p)
		e := c.pe.errorAt(site, "coarray "+c.Name+" is allocated inside CHANGE TEAM, and the images are processes")
		e.Hint = "run it without mpirun, or allocate the coarray in front of CHANGE TEAM"
		c.pe.t.Abort(e)
	}
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
func (pe *PE) ImageIndex(codims ...int) int { return imageIndex(pe.n, codims) }

func imageIndex(images int, codims []int) int {
	at, size := 0, 1
	for i := 0; i < len(codims); i += 3 {
		k, n := codims[i+2]-codims[i], codims[i+1]
		if k < 0 || n > 0 && k >= n || k > images {
			return 0
		}
		at += k * size
		size *= n
	}
	if at >= images {
		return 0
	}
	return at + 1
}
