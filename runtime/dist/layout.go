package dist

import (
	"fmt"
	"slices"
	"strings"
)

// Format is how a template dimension is dealt out to a grid dimension.
type Format int

const (
	Collapsed Format = iota // `*`: not divided
	Block                   // contiguous blocks of ceil(extent/np) positions
	Cyclic                  // position p to coordinate (p-TLo) mod np
)

// firstGen is the format of the first sizes that GenBlocks got. BLOCK(n) and CYCLIC(n) are nearer
// to 0, as n is at most MaxPosition.
const firstGen Format = 1 << 50

// Blocks is BLOCK(n): contiguous blocks of n positions. Where these are more blocks than
// PEs, the blocks are as large as those of BLOCK. n is at least 1.
func Blocks(n int) Format { return Cyclic + Format(n) }

// Cyclics is CYCLIC(k) for k above 1: blocks of k positions, dealt out in turn. Only mappings
// of the source have it: a layout has CYCLIC blocks instead (package ir/blockcyclic).
func Cyclics(k int) Format { return Format(-k) }

// BlockLength is the k of CYCLIC(k), 0 for other formats.
func (f Format) BlockLength() int { return max(0, int(-f)) }

// IsBlock reports whether the positions of each PE are contiguous, and behind those of the
// coordinates below: BLOCK, BLOCK(n) or GEN_BLOCK.
func (f Format) IsBlock() bool { return f == Block || f > Cyclic }

// Size is the n of BLOCK(n), 0 for other formats.
func (f Format) Size() int {
	if f >= firstGen {
		return 0
	}
	return max(0, int(f-Cyclic))
}

func (f Format) String() string {
	switch f {
	case Collapsed:
		return "*"
	case Block:
		return "BLOCK"
	case Cyclic:
		return "CYCLIC"
	}
	if k := f.BlockLength(); k > 0 {
		return fmt.Sprintf("CYCLIC(%d)", k)
	}
	if sizes := f.Sizes(); sizes != nil {
		return fmt.Sprintf("GEN_BLOCK(%s)", strings.Trim(fmt.Sprint(sizes), "[]"))
	}
	return fmt.Sprintf("BLOCK(%d)", f.Size())
}

// Axis says how one array dimension lies on a grid: element i of the dimension
// sits at template position A*i+B, and the template dimension TLo..THi is
// dealt out to the grid dimension Grid by Format.
type Axis struct {
	Lo, Hi   int    // declared bounds of the array dimension
	Grid     int    // grid dimension, -1: whole on every PE
	Format   Format // Collapsed: whole on every PE
	TLo, THi int    // template bounds
	A, B     int    // alignment, A != 0
}

// Fixed places a whole array at one position of a template dimension, as
// `ALIGN a(i) WITH t(i, 5)` does with the second.
type Fixed struct {
	Grid     int
	Format   Format
	TLo, THi int
	Pos      int
}

// Map is the mapping of an array: one Axis for each dimension, and the template
// positions that no dimension varies. Along a grid dimension that neither
// names, the array is replicated.
type Map struct {
	Axes  []Axis
	Fixed []Fixed
}

// Layout is a Map on a concrete grid, with the owned sets of all PEs.
type Layout struct {
	Map
	Shape Grid

	np         int
	holds      []bool    // [pe]
	owned      []Triplet // [pe*rank+axis]
	replicated []int     // grid dimensions along which the array is replicated
	replica    []int     // [pe]: its coordinates along them, as one number
	weight     []int     // [dim]: distance in PE ids of two grid neighbours
}

// NewLayout places m on g. It panics if the two do not fit together (unknown
// grid dimension, one grid dimension used twice, A == 0), which is an error of
// the compiler.
func NewLayout(m Map, g Grid) *Layout {
	l := &Layout{Map: m, Shape: g, np: g.Size()}
	used := make([]bool, len(g))
	use := func(dim int) {
		if dim < 0 || dim >= len(g) || used[dim] {
			panic(fmt.Sprintf("dist: mapping %+v does not fit the grid %v", m, g))
		}
		used[dim] = true
	}
	for d := range m.Axes {
		ax := &m.Axes[d]
		if ax.whole() {
			continue
		}
		use(ax.Grid)
		if ax.Format.BlockLength() > 0 {
			panic(fmt.Sprintf("dist: a layout that is %v", ax.Format))
		}
		if ax.A == 0 {
			panic(fmt.Sprintf("dist: array dimension %d has alignment stride 0", d+1))
		}
	}
	for _, f := range m.Fixed {
		if f.Grid >= 0 && f.Format != Collapsed {
			use(f.Grid)
		}
	}
	weight := 1
	for dim, extent := range g {
		l.weight = append(l.weight, weight)
		weight *= extent
		if !used[dim] {
			l.replicated = append(l.replicated, dim)
		}
	}
	l.holds = make([]bool, l.np)
	l.replica = make([]int, l.np)
	l.owned = make([]Triplet, l.np*len(m.Axes))
	for pe := range l.np {
		for _, dim := range l.replicated {
			l.replica[pe] += g.Coord(pe, dim) * l.weight[dim]
		}
		if l.holds[pe] = l.holdsFixed(pe); !l.holds[pe] {
			continue
		}
		for d := range m.Axes {
			l.owned[pe*len(m.Axes)+d] = m.Axes[d].section(pe, g).Intersect(Range(m.Axes[d].Lo, m.Axes[d].Hi, 1))
		}
	}
	return l
}

// Is reports whether l places m on g.
func (l *Layout) Is(m Map, g Grid) bool {
	return slices.Equal(l.Axes, m.Axes) && slices.Equal(l.Fixed, m.Fixed) && slices.Equal(l.Shape, g)
}

// Misplacement is an element, or a whole array, that its mapping puts outside of the template.
type Misplacement struct {
	Axis, Element int // of the array; Axis is -1 where a Fixed position is outside
	At            int // position in the template dimension, which is TLo:THi
	TLo, THi      int
}

// Misplaced finds a position of m outside of the template; nil: there is none.
func (m Map) Misplaced() *Misplacement {
	for d, ax := range m.Axes {
		if ax.Grid < 0 || ax.Hi < ax.Lo {
			continue
		}
		for _, i := range [2]int{ax.Lo, ax.Hi} {
			if at := ax.A*i + ax.B; at < ax.TLo || at > ax.THi {
				return &Misplacement{d, i, at, ax.TLo, ax.THi}
			}
		}
	}
	for _, f := range m.Fixed {
		if f.Grid >= 0 && (f.Pos < f.TLo || f.Pos > f.THi) {
			return &Misplacement{-1, 0, f.Pos, f.TLo, f.THi}
		}
	}
	return nil
}

// whole reports whether the dimension is on every PE undivided.
func (ax *Axis) whole() bool { return ax.Grid < 0 || ax.Format == Collapsed }

// section is the set of indices of the dimension whose template positions are
// dealt to pe, not yet clipped to the declared bounds.
func (ax *Axis) section(pe int, g Grid) Triplet {
	if ax.whole() {
		return Range(ax.Lo, ax.Hi, 1)
	}
	return positions(ax.Format, ax.TLo, ax.THi, g.Coord(pe, ax.Grid), g[ax.Grid]).Preimage(ax.A, ax.B)
}

// positions is the set of template positions at a grid coordinate.
func positions(f Format, tlo, thi, coord, np int) Triplet {
	if f == Cyclic {
		return Range(tlo+coord, thi, np)
	}
	if ends := f.ends(np); ends != nil {
		lo, hi := 0, ends[coord]
		if coord > 0 {
			lo = ends[coord-1]
		}
		if coord == np-1 {
			hi = max(hi, thi-tlo+1)
		}
		return Range(tlo+lo, min(thi, tlo+hi-1), 1)
	}
	block := f.blockSize(tlo, thi, np)
	return Range(tlo+coord*block, min(thi, tlo+(coord+1)*block-1), 1)
}

// blockSize is ceil(extent/np), at least 1 and the size that the format has.
func (f Format) blockSize(tlo, thi, np int) int {
	return max(1, f.Size(), (thi-tlo+np)/np)
}

// CoordOf is the grid coordinate that a template position is dealt to.
func CoordOf(f Format, tlo, thi, pos, np int) int {
	if f == Cyclic {
		return mod(pos-tlo, np)
	}
	if ends := f.ends(np); ends != nil {
		coord, _ := slices.BinarySearch(ends[:np-1], pos-tlo+1)
		return coord
	}
	return (pos - tlo) / f.blockSize(tlo, thi, np)
}

func (l *Layout) holdsFixed(pe int) bool {
	for _, f := range l.Fixed {
		if f.Grid < 0 || f.Format == Collapsed {
			continue
		}
		if CoordOf(f.Format, f.TLo, f.THi, f.Pos, l.Shape[f.Grid]) != l.Shape.Coord(pe, f.Grid) {
			return false
		}
	}
	return true
}

// Rank is the number of array dimensions.
func (l *Layout) Rank() int { return len(l.Axes) }

// Holds reports whether pe lies at the fixed template positions of the array,
// so that it owns the elements that the axes give it.
func (l *Layout) Holds(pe int) bool { return l.holds[pe] }

// Owned is the set of indices of an axis (from 0) on a PE: the PE owns the
// product of its sets. It is empty where the PE does not hold the array.
func (l *Layout) Owned(pe, axis int) Triplet { return l.owned[pe*len(l.Axes)+axis] }

// Owns reports whether pe owns the element with the given subscripts.
func (l *Layout) Owns(pe int, idx ...int) bool {
	if !l.holds[pe] {
		return false
	}
	own := l.owned[pe*len(l.Axes):]
	for d, i := range idx {
		if !own[d].Contains(i) {
			return false
		}
	}
	return true
}

// Iters is {x in loop : a*x+b in Owned(pe, axis)}: the iterations of a loop
// whose subscript a*x+b of the axis is owned by pe. With a == 0 it is all of
// loop, or nothing.
func (l *Layout) Iters(pe, axis, a, b int, loop Triplet) Triplet {
	own := l.Owned(pe, axis)
	if a == 0 {
		if own.Contains(b) {
			return loop
		}
		return Triplet{}
	}
	return own.Preimage(a, b).Intersect(loop)
}

// ReplicaFor reports whether pe is the one that serves consumer among the PEs
// that own the same elements: their coordinates are equal in all grid
// dimensions along which the array is replicated. An array on all PEs is thus
// served by the consumer itself.
func (l *Layout) ReplicaFor(pe, consumer int) bool { return l.replica[pe] == l.replica[consumer] }

// Replicated reports whether several PEs own the same elements.
func (l *Layout) Replicated() bool { return len(l.replicated) > 0 }

// OwnerFor is the PE that serves the element idx to consumer, or -1 if a
// subscript is outside the declared bounds.
func (l *Layout) OwnerFor(consumer int, idx []int) int {
	pe := l.replica[consumer]
	for d := range l.Axes {
		ax := &l.Axes[d]
		if idx[d] < ax.Lo || idx[d] > ax.Hi {
			return -1
		}
		if !ax.whole() {
			pe += CoordOf(ax.Format, ax.TLo, ax.THi, ax.A*idx[d]+ax.B, l.Shape[ax.Grid]) * l.weight[ax.Grid]
		}
	}
	for _, f := range l.Fixed {
		if f.Grid >= 0 && f.Format != Collapsed {
			pe += CoordOf(f.Format, f.TLo, f.THi, f.Pos, l.Shape[f.Grid]) * l.weight[f.Grid]
		}
	}
	return pe
}

// Spacing is the distance between neighbours among the elements of an axis that a PE owns,
// whether it has two or not.
func (l *Layout) Spacing(axis int) int {
	ax := &l.Axes[axis]
	if ax.whole() || ax.Format.IsBlock() {
		return 1
	}
	np := l.Shape[ax.Grid]
	return np / gcd(max(ax.A, -ax.A), np)
}

// Storage is the set of indices of an axis for which pe needs cells when the
// overlap (shadow) is below and above elements wide: the block of the PE grown
// by the overlap. It is placed by the template and not by the owned elements,
// because a PE whose block lies just past the end of a short array, or between
// two elements of a stretched one, owns nothing and still reads its neighbours.
// It panics if an overlap is asked for on a CYCLIC axis.
func (l *Layout) Storage(pe, axis, below, above int) Triplet {
	ax := &l.Axes[axis]
	if below == 0 && above == 0 || ax.whole() || !l.holds[pe] {
		return l.Owned(pe, axis)
	}
	np := l.Shape[ax.Grid]
	if !ax.Format.IsBlock() && np > 1 {
		panic(fmt.Sprintf("dist: overlap on a %v dimension", ax.Format))
	}
	pos := positions(ax.Format, ax.TLo, ax.THi, l.Shape.Coord(pe, ax.Grid), np)
	if pos.Empty() {
		return Triplet{}
	}
	// The indices i with pos.Lo <= A*i+B <= pos.Hi() are lo..hi, with
	// hi = lo-1 if there is none.
	a, first, last := ax.A, pos.Lo-ax.B, pos.Hi()-ax.B
	if a < 0 {
		a, first, last = -a, -last, -first
	}
	lo, hi := -floorDiv(-first, a), floorDiv(last, a)
	return Range(max(lo-below, ax.Lo-below), min(hi+above, ax.Hi+above), 1)
}
