package check

import (
	"slices"

	"github.com/spmdc/spmdc/runtime/dist"
)

// Slots makes the slots of one PE. All PEs make theirs in the same order.
type Slots struct {
	ledger *Ledger
	pe     int
	count  int
}

// Slots is the maker for a PE.
func (l *Ledger) Slots(pe int) *Slots { return &Slots{ledger: l, pe: pe} }

// Slot is what one PE knows of one communication. Its methods are called by
// that PE only.
type Slot struct {
	Site   int    // of the communication
	Memory string // what its puts fill, in words: "the overlap of a"

	pe    int
	row   []mark
	mates []*Slot // the slots of this PE in the same memory, this one included
	needs [][]need
	puts  []uint64 // by PE: the epoch of the last put there
	reads Reads
}

// Reads reports whether PE q, which needs box, has some of the given cells filled
// by the communication, and so reads them there.
type Reads func(q int, box, cells []dist.Triplet) bool

// need is what a PE needs in the epochs from..to.
type need struct {
	from, to uint64
	box      []dist.Triplet
}

// Slot makes the slot of the next communication. reads tells cells apart; with
// nil the memory is one cell.
func (m *Slots) Slot(site int, memory string, reads Reads) *Slot {
	s := &Slot{
		Site: site, Memory: memory, pe: m.pe, row: m.ledger.row(m.count),
		needs: make([][]need, m.ledger.pes), puts: make([]uint64, m.ledger.pes), reads: reads,
	}
	s.mates = []*Slot{s}
	m.count++
	return s
}

// Join says that s fills the same memory as the slots that first has been joined
// with so far: each put of one is checked against the uses of all.
func (s *Slot) Join(first *Slot) {
	for _, m := range first.mates {
		m.mates = append(m.mates, s)
		if m != s {
			s.mates = append(s.mates, m)
		}
	}
	// first is in its own list, so that the loop has given it s.
}

// Need records that PE q uses box in an epoch. Epochs come in ascending order;
// one in which q needs nothing is left out. What is over on q is forgotten, so
// the record is as long as PEs are apart.
func (s *Slot) Need(epoch uint64, q int, box []dist.Triplet) {
	list, over := s.needs[q], load(&s.row[q].over)
	done := 0
	for done < len(list) && list[done].to <= over {
		done++
	}
	list = slices.Delete(list, 0, done)
	if k := len(list) - 1; k >= 0 && list[k].to == epoch-1 && slices.Equal(list[k].box, box) {
		list[k].to = epoch
	} else {
		list = append(list, need{epoch, epoch, slices.Clone(box)})
	}
	s.needs[q] = list
}

// Arrived records that the data of an epoch have arrived on this PE (CO).
func (s *Slot) Arrived(epoch uint64) { store(&s.row[s.pe].arrived, epoch) }

// Over records that the use of an epoch is over on this PE (UO).
func (s *Slot) Over(epoch uint64) { store(&s.row[s.pe].over, epoch) }

// Violation is a put that came too early.
type Violation struct {
	Put, Use *Slot
	From, To int    // PEs
	Epoch    uint64 // of the put
	// UseEpoch is that of the use which is not over on To; OverEpoch the last one
	// of that communication that is, 0 if none.
	UseEpoch, OverEpoch uint64
	// Flag: the cells are free, but To has not looked yet at the flag which this
	// PE set in UseEpoch, and would find that of Epoch.
	Flag bool
}

// Put checks a put of this PE, in an epoch, into cells of PE q, before it is
// made. It returns nil if they are free: every use of them that is over here is
// over there, and so is the arrival of this PE's last put.
func (s *Slot) Put(epoch uint64, q int, cells []dist.Triplet) *Violation {
	for _, m := range s.mates {
		over := load(&m.row[q].over)
		mine := load(&m.row[s.pe].over)
		for _, n := range m.needs[q] {
			first := max(n.from, over+1)
			if first <= min(n.to, mine) && (m.reads == nil || m.reads(q, n.box, cells)) {
				return &Violation{Put: s, Use: m, From: s.pe, To: q, Epoch: epoch, UseEpoch: first, OverEpoch: over}
			}
		}
	}
	if last, arrived := s.puts[q], load(&s.row[q].arrived); last > arrived {
		return &Violation{Put: s, Use: s, From: s.pe, To: q, Epoch: epoch, UseEpoch: last, OverEpoch: arrived, Flag: true}
	}
	s.puts[q] = epoch
	return nil
}
