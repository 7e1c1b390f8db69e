package dist

import (
	"slices"
	"sync"
	"sync/atomic"
)

// general is a format that GenBlocks has made: the sizes of the blocks, and their sums up to each block.
type general struct{ sizes, ends []int }

// generals are all of them, in the order in which they were made. The list is replaced, not changed, so
// that those who look up an owner need no lock.
var (
	generals atomic.Pointer[[]general]
	adding   sync.Mutex
)

// GenBlocks is GEN_BLOCK(sizes): the k-th coordinate has sizes[k] positions, behind those of the
// coordinates before. Where the number of coordinates is not that of the sizes it is BLOCK, and
// what lies behind all blocks belongs to the last coordinate. Equal sizes are one format.
func GenBlocks(sizes ...int) Format {
	adding.Lock()
	defer adding.Unlock()
	var list []general
	if have := generals.Load(); have != nil {
		list = *have
	}
	k := slices.IndexFunc(list, func(g general) bool { return slices.Equal(g.sizes, sizes) })
	if k < 0 {
		k = len(list)
		g := general{slices.Clone(sizes), make([]int, len(sizes))}
		sum := 0
		for i, n := range sizes {
			sum += n
			g.ends[i] = sum
		}
		list = append(slices.Clip(list), g)
		generals.Store(&list)
	}
	return firstGen + Format(k)
}

// general is what GenBlocks has made f of; nil for other formats.
func (f Format) general() *general {
	if f < firstGen {
		return nil
	}
	return &(*generals.Load())[f-firstGen]
}

// Sizes are those of GEN_BLOCK, which must not be changed; nil for other formats.
func (f Format) Sizes() []int {
	if g := f.general(); g != nil {
		return g.sizes
	}
	return nil
}

// ends are the sums of the sizes up to each block of GEN_BLOCK, if they are for np coordinates.
func (f Format) ends(np int) []int {
	if g := f.general(); g != nil && len(g.ends) == np {
		return g.ends
	}
	return nil
}
