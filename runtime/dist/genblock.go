package dist

import (
	"slices"
	"sync"
)

// generals are the formats that GenBlocks has made, in this order.
var generals struct {
	sync.RWMutex
	sizes [][]int // of the blocks
	ends  [][]int // the sums of the sizes up to each block
}

// GenBlocks is GEN_BLOCK(sizes): the k-th coordinate has sizes[k] positions, behind those of the
// coordinates before. Where the number of coordinates is not that of the sizes it is BLOCK, and
// what lies behind all blocks belongs to the last coordinate. Equal sizes are one format.
func GenBlocks(sizes ...int) Format {
	generals.Lock()
	defer generals.Unlock()
	k := slices.IndexFunc(generals.sizes, func(s []int) bool { return slices.Equal(s, sizes) })
	if k < 0 {
		k = len(generals.sizes)
		ends, sum := make([]int, len(sizes)), 0
		for i, n := range sizes {
			sum += n
			ends[i] = sum
		}
		generals.sizes = append(generals.sizes, slices.Clone(sizes))
		generals.ends = append(generals.ends, ends)
	}
	return firstGen + Format(k)
}

// Sizes are those of GEN_BLOCK, which must not be changed; nil for other formats.
func (f Format) Sizes() []int {
	if f < firstGen {
		return nil
	}
	generals.RLock()
	defer generals.RUnlock()
	return generals.sizes[f-firstGen]
}

// ends are the sums of the sizes up to each block of GEN_BLOCK, if they are for np coordinates.
func (f Format) ends(np int) []int {
	if f < firstGen {
		return nil
	}
	generals.RLock()
	defer generals.RUnlock()
	if ends := generals.ends[f-firstGen]; len(ends) == np {
		return ends
	}
	return nil
}
