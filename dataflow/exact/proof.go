// Package exact is proofs, for one number of PEs each, that communications need no
// ready messages: what they say, how they are written, and whether they hold. It
// does not know how they are found (package hb does that), and shares no code
// with what finds them.
//
// A proof has a copy of each node of the program's graph for each way in which the
// messages there may go, with the messages; and, for the uses of a communication's
// slots, what is known in front of the copies: which PE is sure to be after the
// use at which other PE. For
//
//	do t = 1, m
//	   C_1 p to p+1    C_2 p to p-1    CO_1    CO_2    use    UO_1    UO_2
//	end do
//
// on three PEs, with two slots for #1, it is
//
//	on 3 PEs: 0>1; 1>2,9; 2-8>1; 9
//	sent 1 at 2: 0>1 1>2 to 1-2
//	sent 2 at 3: 1>0 2>1 to 0-1
//	known 1*2: 1-2 0@1:1 0@2:2 1@1:0 1@2:1; 3 1@1:1 1@2:2; 4-5 2>1@1:0 2>1@2:1; 6-7 1@1:0 1@2:1; 8 0@1:1 0@2:2 1@1:0 1@2:1
//
// The copies follow each other as the first line says: 0 goes on to 1, 1 to 2 or 9,
// 2 to 3 and so on up to 8, which goes on to 1. In front of copies 1 and 2, PE 1 is
// after its use of the value that came last (age 0, 0@1:1), and PE 0 after that of
// the one before at PE 1 (1@1:0), which it was told by #2. In front of 4 that
// message is under way (2>1@1:0). The put of #1 at 2 fills the slot of age 1, and is
// told to be free.
package exact

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// MaxPEs is the largest number of PEs that a proof can be about: sets of PEs are
// words, bit p for PE p.
const MaxPEs = 64

// Proof is the proofs for one number of PEs, over common copies.
type Proof struct {
	PEs int
	// Loops are the heads, by node of the program, of the loops whose iterations
	// are told apart.
	Loops  []int
	Copies []Copy // the first one is of the entry
	Sent   []Sent
	Uses   []Use
}

// Copy is a node of the program in some of its executions.
type Copy struct {
	Node  int   // ID
	Succs []int // copies that may come next
}

// Sent is what a communication sends at some copies of its C node.
type Sent struct {
	Comm   int
	Copies []int // ascending
	// Must are the messages that are certain, with Chains those that follow from
	// them by way of others; May are all that there can be, those in Must
	// included. Users may use what is brought: receivers and those who have it.
	Must, May Messages
	Users     uint64
}

// Messages is who sends to whom: bit q of element p for a message from PE p to q.
// Nil stands for none.
type Messages []uint64

// has reports whether p sends to q.
func (m Messages) has(p, q int) bool { return len(m) > 0 && m[p]>>q&1 != 0 }

// Chains are the messages and what leads from PE to PE by several of them: a
// pipelined communication is received before it is sent on.
func (m Messages) Chains() Messages {
	out := slices.Clone(m)
	for via := range out {
		for p := range out {
			if out[p]>>via&1 != 0 {
				out[p] |= out[via]
			}
		}
	}
	return out
}

// Within reports whether all messages of m are among those of n.
func (m Messages) Within(n Messages) bool {
	for p, to := range m {
		if to != 0 && (len(n) == 0 || to&^n[p] != 0) {
			return false
		}
	}
	return true
}

// All has a message for each two PEs.
func All(pes int) Messages {
	m := make(Messages, pes)
	for p := range m {
		m[p] = everyone(pes) &^ (1 << p)
	}
	return m
}

func everyone(pes int) uint64 { return 1<<pes - 1 } // of 64: a shift by 64 gives 0

// Use is what is known of the uses of a communication's slots.
type Use struct {
	Comm int
	// Slots is how many slots the claims are about, which the instances fill by
	// turns. Staged: the use of a slot ends at CO, where it is copied away.
	Slots  int
	Staged bool
	Claims []Span // by ascending copies; of others nothing is claimed
}

// Span is a claim that holds in front of the copies From to To.
type Span struct {
	From, To int
	Claim    *Claim
}

// Claim is what holds on every path.
type Claim struct {
	Facts []Fact // ascending
	// Over are PEs whose latest use is over; Idle those for which the next end of
	// a use ends none.
	Over, Idle uint64
}

// Fact says that PEs know of the use at one of them: that the value of an age, 0
// for the one that came last, is not used there any more, nor are those that were
// in the same slot before. With Under they will when that communication arrives.
type Fact struct {
	Under, Age, At int
	PEs            uint64
}

func compareFacts(f, g Fact) int {
	switch {
	case f.Under != g.Under:
		return f.Under - g.Under
	case f.Age != g.Age:
		return f.Age - g.Age
	}
	return f.At - g.At
}

// Find is the claims about the uses of a communication, nil if there are none.
func (p *Proof) Find(comm, slots int, staged bool) *Use {
	for i := range p.Uses {
		if u := &p.Uses[i]; u.Comm == comm && u.Slots == slots && u.Staged == staged {
			return u
		}
	}
	return nil
}

// String is the lines of the text form.
func (p *Proof) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "on %d PEs", p.PEs)
	if len(p.Loops) > 0 {
		b.WriteString(" loops " + list(p.Loops))
	}
	b.WriteByte(':')
	p.writeCopies(&b)
	b.WriteByte('\n')
	for _, s := range p.Sent {
		fmt.Fprintf(&b, "sent %d at %s:", s.Comm, list(s.Copies))
		s.Must.write(&b, p.PEs)
		if !s.May.Within(s.Must) {
			b.WriteString(" may")
			s.May.write(&b, p.PEs)
		}
		if s.Users != 0 {
			fmt.Fprintf(&b, " to %s", set(s.Users))
		}
		b.WriteByte('\n')
	}
	for i := range p.Uses {
		p.Uses[i].write(&b)
	}
	return b.String()
}

// writeCopies writes runs of copies that follow each other as their nodes do.
func (p *Proof) writeCopies(b *strings.Builder) {
	straight := func(i int) bool {
		c := p.Copies[i]
		return len(c.Succs) == 1 && c.Succs[0] == i+1 && i+1 < len(p.Copies) && p.Copies[i+1].Node == c.Node+1
	}
	for from := 0; from < len(p.Copies); {
		to := from
		for straight(to) {
			to++
		}
		if from > 0 {
			b.WriteByte(';')
		}
		fmt.Fprintf(b, " %d", p.Copies[from].Node)
		if to > from {
			fmt.Fprintf(b, "-%d", p.Copies[to].Node)
		}
		if next := p.Copies[to].Succs; len(next) > 0 {
			b.WriteByte('>')
			for i, n := range next {
				if i > 0 {
					b.WriteByte(',')
				}
				b.WriteString(strconv.Itoa(n))
			}
		}
		from = to + 1
	}
}

func (m Messages) write(b *strings.Builder, pes int) {
	if All(pes).Within(m) {
		b.WriteString(" all")
		return
	}
	for p, to := range m {
		for ; to != 0; to &= to - 1 {
			fmt.Fprintf(b, " %d>%d", p, bits.TrailingZeros64(to))
		}
	}
}

func (u *Use) write(b *strings.Builder) {
	fmt.Fprintf(b, "known %s:", u.name())
	for i, s := range u.Claims {
		if i > 0 {
			b.WriteByte(';')
		}
		fmt.Fprintf(b, " %s", list(between(s.From, s.To)))
		for _, f := range s.Claim.Facts {
			b.WriteByte(' ')
			if f.Under != 0 {
				fmt.Fprintf(b, "%d>", f.Under)
			}
			fmt.Fprintf(b, "%d@%d:%s", f.Age, f.At, set(f.PEs))
		}
		if s.Claim.Over != 0 {
			b.WriteString(" over:" + set(s.Claim.Over))
		}
		if s.Claim.Idle != 0 {
			b.WriteString(" idle:" + set(s.Claim.Idle))
		}
	}
	b.WriteByte('\n')
}

// name is like "3", "3*2" or "3*2 staged".
func (u *Use) name() string {
	s := strconv.Itoa(u.Comm)
	if u.Slots > 1 {
		s += "*" + strconv.Itoa(u.Slots)
	}
	if u.Staged {
		s += " staged"
	}
	return s
}

func between(from, to int) []int {
	out := make([]int, 0, to-from+1)
	for ; from <= to; from++ {
		out = append(out, from)
	}
	return out
}

// set is a set of PEs in the form of list.
func set(s uint64) string {
	var out []int
	for ; s != 0; s &= s - 1 {
		out = append(out, bits.TrailingZeros64(s))
	}
	return list(out)
}

// list is ascending numbers, as in "0-3,7".
func list(n []int) string {
	var b strings.Builder
	for i := 0; i < len(n); {
		k := i
		for k+1 < len(n) && n[k+1] == n[k]+1 {
			k++
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(n[i]))
		if k > i {
			fmt.Fprintf(&b, "-%d", n[k])
		}
		i = k + 1
	}
	return b.String()
}
