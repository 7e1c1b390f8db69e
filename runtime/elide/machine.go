package elide

import "slices"

// Why is what decided the state of a context.
type Why uint8

const (
	Learning    Why = iota + 1 // private executions are being counted
	Learned                    // all counted executions were private: elided
	Planned                    // the plan elides it
	Necessary                  // an execution was not private on some PE
	Misaligned                 // PEs met in it from different contexts
	Unplanned                  // no plan names it, and nothing is learned
	Audited                    // the run elides nothing
	Pinned                     // a certificate rests on it
	Blacklisted                // the plan forbids it
)

var whys = []string{"", "learning", "learned", "planned", "necessary", "misaligned", "unplanned", "audited", "pinned", "blacklisted"}

func (w Why) String() string { return whys[w] }

// ParseWhy is the Why that String gives as s.
func ParseWhy(s string) (w Why, ok bool) {
	i := slices.Index(whys, s)
	return Why(max(i, 0)), i > 0
}

// record is what a PE knows of one context that has barriers, as far as a barrier
// always needs it: half a cache line.
type record struct {
	hash      uint64 // of the context
	executed  uint64 // barriers executed
	elided    uint64 // barriers elided
	remaining int32  // private executions until it is elided; 0: elided; rankNecessary: never
	why       Why
	vetoes    uint8 // times that learning was in vain, at most maxVetoes
}

// aside is the rest.
type aside struct {
	private  uint64 // executed although the global summary was N
	ideal    uint64 // redundant by Table 1, executed or elided
	steady   uint64 // executed before the first time that it was not private
	learning uint32 // executions while it was learned
	broken   uint32 // consensus broken by all PEs
	context  Context
}

// maxVetoes bounds the doubling of the count that re-learning needs.
const maxVetoes = 20

// Place is the barriers of one context on one PE.
type Place int32

// point is where a PE stands when it votes.
type point uint8

const (
	atBarrier point = iota
	atCollective
	atEnd
)

// Contexts of votes that are no barriers. A barrier's hash is one of these with
// probability 2⁻⁶⁴ per context.
const (
	collectiveSalt = 0xc2b2ae3d27d4eb4f
	endHash        = 0x165667b19e3779f9
)

// recent is the length of the memory of elided barriers, a power of two.
const recent = 256

// machine is one PE's half of Algorithm 1 without the waiting: arrive decides
// whether the PE elides the barrier or with which vote it goes into the
// agreement, conclude takes what came out of it. All that a PE decides depends
// on its own program and on agreements, so that PEs that have met equally often
// know the same of every context in which all of them met:
//
//	if a context is elided on one PE, it is elided on all.
//
// This holds at the start (all have one plan), and it is kept because a context
// becomes elided only in an agreement to which every PE came in this context,
// and the count of private executions is then the greatest of any PE. So whoever
// breaks consensus can only meet PEs that broke it too, or a different place.
type machine struct {
	config
	tree    Tree
	records []record // by Place; records[0] is none
	asides  []aside  // by Place
	summary Access   // of this PE since the last executed barrier
	seq     uint64   // barriers, collectives and the end, elided ones included
	armed   bool     // some context is elided; the same on all PEs that met equally often

	now   Place   // the barrier at which this PE votes,
	there Context // or where it votes otherwise
	at    point
	elid  *[recent]Place // by seq: the last elided barriers
	last  uint64         // seq of the last agreement

	ideal     Access // Table 1: summary before the last barrier, as far as not cut off
	undecided Place  // Table 1: the last barrier, 0 if it is none
	totals    totals
}

// totals are counts that belong to no context.
type totals struct {
	agreements uint64 // for collectives and the end
	misaligned uint64 // barriers in which PEs met from different contexts
	relearned  uint64 // contexts that became elided after they had been necessary
}

// config is what a machine must know of its options. It is the same on all PEs.
type config struct {
	threshold   int32
	relearn     int32
	pessimistic bool
	online      bool
	audit       bool
	begin       func(path []Site) Why // of a new context: Planned, Pinned, Blacklisted, or 0
}

func newMachine(c config, planned bool) *machine {
	return &machine{config: c, tree: *NewTree(), records: make([]record, 1, 32), asides: make([]aside, 1, 32), summary: Private, elid: new([recent]Place), armed: planned, ideal: Private}
}

// place is the record of context c, made if there is none.
func (m *machine) place(c Context) Place {
	k := m.tree.nodes[c].record
	if k == 0 {
		m.meetContext(c)
		k = m.tree.nodes[c].record
	}
	return Place(k)
}

// arrive begins a barrier at a place. If the barrier is elided the PE goes on;
// otherwise it votes, and concludes with what the agreement gives.
func (m *machine) arrive(k Place, vote *Vote) (elided bool) {
	m.seq++
	r := &m.records[k]
	if r.remaining == 0 && m.summary == Private {
		r.elided++
		m.elid[m.seq%recent] = k
		if m.undecided != 0 { // Table 1 with N after the last barrier: redundant
			m.asides[m.undecided].ideal++
		}
		m.undecided = k
		return true
	}
	m.now, m.at = k, atBarrier
	rank := int64(r.remaining)
	access := int64(m.summary)
	if rank == 0 {
		rank = rankStrict
		access += broken
	}
	vote.set(access, r.hash, m.seq, rank)
	return false
}

// arriveCollective is the vote before another collective operation in c.
func (m *machine) arriveCollective(c Context, vote *Vote) {
	m.seq++
	m.there, m.at = c, atCollective
	vote.set(int64(m.summary), m.tree.nodes[c].hash^collectiveSalt, m.seq, rankStrict)
}

// arriveEnd is the vote at the end of the program.
func (m *machine) arriveEnd(vote *Vote) {
	m.seq++
	m.there, m.at = 0, atEnd
	vote.set(int64(m.summary), endHash, m.seq, rankStrict)
}

// conclude ends a barrier, collective or the program with what all PEs voted
// together. It reports whether they stood at the same place; if not, speculation
// has failed, on all PEs alike, and nothing is changed.
func (m *machine) conclude(v *Vote) (ok bool) {
	aligned := v.sameContext()
	if !v.sameSeq() || !aligned && v.rank() == rankStrict {
		return false
	}
	m.summary = Private
	m.last = m.seq
	after := v.access()
	if redundant, summary := Table1(m.ideal, after); redundant {
		m.ideal = summary
		m.asides[m.undecided].ideal++ // record 0 takes what is no barrier
	} else {
		m.ideal = summary
	}
	if m.at != atBarrier {
		m.totals.agreements++
		m.undecided, m.ideal = 0, Private // not a barrier to delete
		return true
	}
	m.undecided = m.now
	r := &m.records[m.now]
	r.executed++
	if Table3(after) {
		more := &m.asides[m.now]
		if more.private++; more.private == r.executed {
			more.steady = more.private
		}
	}
	if r.remaining == rankNecessary && aligned { // for ever, as it mostly is
		return true
	}
	m.learn(r, v)
	return true
}

// synchronised begins the summary anew after a collective that orders all.
func (m *machine) synchronised() {
	m.observe(Remote) // nobody knows the global summary: the worst
	m.undecided, m.ideal, m.summary = 0, Private, Private
}

// learn updates r after an executed barrier.
func (m *machine) learn(r *record, v *Vote) {
	more := &m.asides[m.now]
	if r.why == Learning {
		more.learning++
	}
	switch {
	case !v.sameContext():
		m.totals.misaligned++
		r.remaining = rankNecessary
		if r.why != Pinned && r.why != Blacklisted {
			r.why = Misaligned
		}
	case v.allBroke():
		more.broken++
		if m.pessimistic {
			r.remaining, r.why = rankNecessary, Necessary
		}
	case v.rank() == rankNecessary:
		r.remaining = rankNecessary
		if r.why == Learning {
			r.why = Misaligned // another PE was in it when this one was elsewhere
		}
	case Table3(v.access()):
		r.remaining = int32(v.rank()) - 1
		if r.remaining == 0 {
			m.armed = true
			if r.why = Learned; r.vetoes > 0 {
				m.totals.relearned++
			}
		}
	case m.relearn > 0:
		r.why = Learning
		r.remaining = int32(min(int64(m.relearn)<<r.vetoes, rankNecessary-1))
		r.vetoes = min(r.vetoes+1, maxVetoes)
	default:
		r.remaining, r.why = rankNecessary, Necessary
	}
}

// observe continues Table 1 with the global summary since the last barrier.
func (m *machine) observe(after Access) {
	var redundant bool
	if redundant, m.ideal = Table1(m.ideal, after); redundant {
		m.asides[m.undecided].ideal++ // record 0 takes what is no barrier
	}
}

// meetContext makes the record of a context that has none.
func (m *machine) meetContext(c Context) {
	r := record{hash: m.tree.nodes[c].hash, remaining: rankNecessary}
	switch r.why = m.begin(m.tree.Sites(c)); {
	case m.audit:
		r.why = Audited
	case r.why == Planned:
		r.remaining = 0
	case r.why != 0:
	case m.online:
		r.remaining, r.why = m.threshold, Learning
	default:
		r.why = Unplanned
	}
	m.tree.nodes[c].record = int32(len(m.records))
	m.records = append(m.records, r)
	m.asides = append(m.asides, aside{context: c})
}

// elidedAs is the context that this PE elided as barrier seq, or 0 if it did
// not, or too long ago to know. voting says whether it votes for the last one.
func (m *machine) elidedAs(seq uint64, voting bool) Context {
	if seq <= m.last || seq > m.seq || seq+recent <= m.seq || seq == m.seq && voting {
		return 0
	}
	return m.asides[m.elid[seq%recent]].context
}
