package spmd

// runs are elements along the first axis of an array, as many a time as the program wants.
type runs struct {
	at    []int // for each, where it begins, and its number of elements; -1-k: at k in the array itself
	next  int   // run
	first int   // the subscript of the first element in the last one
}

// Runs has the communication fetch runs along the first axis, of which no PE has only a part,
// and returns it. Post is given, for each, its number of elements, at least one, and the
// subscripts of the first.
func (c *Irregular[T]) Runs() *Irregular[T] {
	c.runs = &runs{}
	return c
}

// Next goes to the next run: Data is its elements from now on. The first of them has
// this first subscript.
func (c *Irregular[T]) Next(first int) {
	r := c.runs
	from, at, count := c.held, r.at[2*r.next], r.at[2*r.next+1]
	if at < 0 {
		from, at = c.src.Data, -1-at
	}
	c.Data = from[at:][:count]
	r.next, r.first = r.next+1, first
}

// At1 is where, in Data, the element is with this first subscript.
func (c *Irregular[T]) At1(i int) int { return i - c.runs.first }

// sortRuns is sort for runs: those that the PE has itself stay where they are, unless it changes
// elements meanwhile.
func (c *Irregular[T]) sortRuns(list []int) {
	n, self := c.pe.n, c.pe.id
	from, entry := c.from.Data, c.src.Layout.Rank()+1
	clear(from)
	c.picked = c.picked[:0]
	at := resized(c.pe, c.runs.at, 2*(len(list)/entry))
	c.runs.at = at
	remotes := &c.remote
	remotes.reset(c.pe, len(at)/2)
	var lengths []int // by number
	owners, zeros := make([]int, len(at)/2), 0
	for k := range owners {
		count, subs := list[k*entry], list[k*entry+1:(k+1)*entry]
		owners[k], at[2*k+1] = c.ownerOfRun(count, subs), count
		switch p := owners[k]; {
		case p == -1:
			zeros = max(zeros, count)
		case p != self:
			id, first := remotes.number(c.offset(p, subs)*n + p)
			if first {
				lengths = append(lengths, 0)
			}
			from[p+1] += max(0, count-lengths[id])
			lengths[id] = max(lengths[id], count)
			at[2*k] = id
		case c.copied:
			at[2*k] = len(c.picked)
			off := c.offset(self, subs)
			for i := range count {
				c.picked = append(c.picked, off+i)
			}
		default:
			at[2*k] = -1 - c.offset(self, subs)
		}
	}
	c.arrange(func(id int) int { return lengths[id] }, zeros)
	for k, p := range owners {
		switch {
		case p == -1:
			at[2*k] = c.kept() + from[n]
		case p != self:
			at[2*k] = c.kept() + remotes.keys[at[2*k]]
		}
	}
}

// ownerOfRun is the PE that has a run, this one if it is one of several, or -1 for one that leaves
// the array.
func (c *Irregular[T]) ownerOfRun(count int, subs []int) int {
	axis := c.src.Layout.Axes[0]
	if subs[0] < axis.Lo || subs[0]+count-1 > axis.Hi {
		return -1
	}
	return c.src.Layout.OwnerFor(c.pe.id, subs)
}
