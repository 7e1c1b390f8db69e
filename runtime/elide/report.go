package elide

import (
	"errors"
	"fmt"
	"strings"
)

// Kind is a way in which speculation, or the program, fails.
type Kind uint8

const (
	// BrokenConsensus: a PE had shared accesses before a barrier that others elided.
	BrokenConsensus Kind = iota + 1
	// SkippedToEnd: a PE went to the end of the program while others wait in a barrier.
	SkippedToEnd
	// DuringCollective: a PE went into another collective while others wait in a barrier.
	DuringCollective
	// DifferentContext: at the same barrier PEs are in different contexts, and
	// one of them elides its own.
	DifferentContext
	// MismatchedSequence: PEs wait in different barriers, and none broke consensus.
	MismatchedSequence
	// Stalled: others did not come to a barrier that is elided otherwise.
	Stalled
)

func (k Kind) String() string {
	return [...]string{"", "consensus was broken by some PEs only", "a PE went to the end of the program",
		"a PE went into another collective operation", "PEs are in different contexts",
		"PEs are at different barriers", "other PEs did not come"}[k]
}

// Position is where a PE stood when the misspeculation was found.
type Position struct {
	PE      int
	Barrier uint64 // number of the barrier it waits in, from 1, elided ones included
	At      string // "barrier", "collective" or "end"; "program": it waits in none of these
	Broke   bool   // it breaks consensus: its context is elided, but it had shared accesses
	Access  Access // its summary since the last executed barrier
	Path    Path   // the context; empty at the end
	Elided  Path   // what it elided as the disputed barrier, if it did and still knows
	Recent  Path   // if it does not know any more: what it elided longest ago of what it knows
}

// Misspeculation is the error by which a run ends in which a barrier was elided
// that some PE needed. All PEs find it in the same agreement and have the same
// report. It implements error.
type Misspeculation struct {
	Kind Kind
	// Barrier is the number of the first barrier in dispute, from 1. Barriers,
	// executed or elided, and agreements before collectives are counted.
	Barrier uint64
	// Agreed is the number of the last one at which all PEs met.
	Agreed uint64
	// PEs is what each PE did, by PE; of a stall only the one that waited.
	PEs []Position
	// Images: the report calls PEs images, and counts them from 1.
	Images bool
}

// Speculative reports whether elision had a part in it. If not, no barrier in
// dispute was elided, and the program itself lets its PEs come to barriers that
// do not match.
func (m *Misspeculation) Speculative() bool { return len(m.Blacklist()) > 0 }

// Blacklist is the contexts that a restarted run must not elide: those in which
// consensus was broken, and those elided on a PE as the barrier in dispute.
func (m *Misspeculation) Blacklist() []Path {
	var list []Path
	seen := map[string]bool{}
	add := func(p Path) {
		if len(p) > 0 && !seen[p.String()] {
			seen[p.String()] = true
			list = append(list, p)
		}
	}
	for _, p := range m.PEs {
		if p.Broke && p.Barrier == m.Barrier {
			add(p.Path)
		}
		add(p.Elided)
	}
	if len(list) == 0 { // too long ago for the PEs that elided it to know
		for _, p := range m.PEs {
			add(p.Recent)
			if p.Broke {
				add(p.Path)
			}
		}
	}
	return list
}

// Error is the report: what, where, and every PE's part in it.
func (m *Misspeculation) Error() string {
	text := m.text()
	if m.Images {
		text = strings.NewReplacer("some PEs", "some images", "other PEs", "other images", "all PEs", "all images", "a PE", "an image", ": PEs", ": images").Replace(text)
	}
	return text
}

// name is what the report calls a PE.
func (m *Misspeculation) name(pe int) string {
	if m.Images {
		return fmt.Sprintf("image %d", pe+1)
	}
	return fmt.Sprintf("PE %d", pe)
}

func (m *Misspeculation) text() string {
	var b strings.Builder
	if m.Speculative() {
		fmt.Fprintf(&b, "misspeculation at barrier %d: %v", m.Barrier, m.Kind)
	} else {
		fmt.Fprintf(&b, "barriers of the program do not match at barrier %d: %v, and none was elided there", m.Barrier, m.Kind)
	}
	for _, p := range m.PEs {
		fmt.Fprintf(&b, "\n  %s ", m.name(p.PE))
		if len(p.Elided) > 0 {
			fmt.Fprintf(&b, "elided it in %v and ", p.Elided)
		} else if p.Barrier > m.Barrier {
			b.WriteString("elided it and ")
		}
		switch p.At {
		case "program":
			if p.Barrier >= m.Barrier {
				b.WriteString("went on")
			} else {
				fmt.Fprintf(&b, "has come to barrier %d only", p.Barrier)
			}
		case "end":
			b.WriteString("went to the end of the program")
		case "collective":
			fmt.Fprintf(&b, "came to the collective in %v", p.Path)
		default:
			fmt.Fprintf(&b, "waits at barrier %d in %v", p.Barrier, p.Path)
		}
		fmt.Fprintf(&b, " (%s", p.Access.describe())
		if p.Broke {
			b.WriteString("; the context is elided otherwise")
		}
		b.WriteString(")")
	}
	fmt.Fprintf(&b, "\n  all PEs last met at barrier %d", m.Agreed)
	return b.String()
}

// classify finds the kind from where the PEs stand.
func (m *Misspeculation) classify() {
	first, last := m.PEs[0].Barrier, m.PEs[0].Barrier
	end, collective, broke := false, false, false
	for _, p := range m.PEs {
		first, last = min(first, p.Barrier), max(last, p.Barrier)
		end = end || p.At == "end"
		collective = collective || p.At == "collective"
	}
	for _, p := range m.PEs {
		broke = broke || p.Broke && p.Barrier == first
	}
	m.Barrier = first
	switch {
	case end:
		m.Kind = SkippedToEnd
	case collective:
		m.Kind = DuringCollective
	case first == last:
		m.Kind = DifferentContext
	case broke:
		m.Kind = BrokenConsensus
	default:
		m.Kind = MismatchedSequence
	}
}

// Standing is where a PE stood when a run failed, whose process may be another one than
// that which looks at it.
type Standing struct {
	Position        // for no barrier in dispute yet
	Voting   bool   // it waits in that barrier
	Met      uint64 // the last one at which it met all others
	Since    []Path // those that it elided since, as far as it knows
}

// Standing is that of this PE. Nobody calls the engine any more.
func (e *Engine) Standing() Standing {
	m := &e.m
	s := Standing{Position: e.position(0), Voting: e.voting, Met: m.last}
	for seq := m.last + 1; seq <= m.seq; seq++ {
		if c := m.elidedAs(seq, e.voting); c != 0 {
			s.Since = append(s.Since, e.path(m.tree.Sites(c)))
		}
	}
	return s
}

// passed is the number of the last barrier that the PE has behind it.
func (s *Standing) passed() uint64 {
	if s.Voting {
		return s.Barrier - 1
	}
	return s.Barrier
}

// at is the position for a barrier in dispute.
func (s *Standing) at(dispute uint64) Position {
	p := s.Position
	first := s.passed() + 1 - uint64(len(s.Since))
	switch {
	case len(s.Since) == 0 || dispute <= s.Met || dispute > s.passed():
	case dispute >= first:
		p.Elided = s.Since[dispute-first]
	default:
		p.Recent = s.Since[0]
	}
	return p
}

// Autopsy is what a failed run has to do with elision: the standings are those of
// the PEs that have ended, all of them if possible.
// The run has failed because PEs wait for each other, or because of an error that
// may come of data that were read too early or too late. It is a misspeculation if
// a PE went past a barrier that another one waits in, or has yet to come to with
// shared accesses before it: that barrier was elided, and is needed. The result is
// nil if there is none.
func Autopsy(standings []Standing) *Misspeculation {
	passed := uint64(0) // the last barrier that a PE has behind it
	for i := range standings {
		passed = max(passed, standings[i].passed())
	}
	m := &Misspeculation{Kind: BrokenConsensus}
	for i := range standings {
		s := &standings[i]
		m.Agreed = max(m.Agreed, s.Met)
		if !s.Voting && s.Access == Private {
			continue
		}
		if next := s.passed() + 1; next <= passed && (m.Barrier == 0 || next < m.Barrier) {
			m.Barrier = next
			if s.Voting {
				m.Kind = Stalled
			}
		}
	}
	if m.Barrier == 0 {
		return nil
	}
	for i := range standings {
		m.PEs = append(m.PEs, standings[i].at(m.Barrier))
	}
	return m
}

// position is where this PE stands, for the barrier in dispute.
func (e *Engine) position(dispute uint64) Position {
	m := &e.m
	p := Position{
		PE: e.t.PE(), Barrier: m.seq, Access: m.summary,
		At: [...]string{"barrier", "collective", "end"}[m.at],
	}
	switch {
	case !e.voting:
		p.At = "program"
	case m.at == atBarrier:
		p.Broke = m.records[m.now].remaining == 0
		p.Path = e.path(m.tree.Sites(m.asides[m.now].context))
	default:
		p.Path = e.path(m.tree.Sites(m.there))
	}
	if c := m.elidedAs(dispute, e.voting); c != 0 {
		p.Elided = e.path(m.tree.Sites(c))
	} else if dispute > m.last && dispute+recent <= m.seq {
		p.Recent = e.path(m.tree.Sites(m.asides[m.elid[(m.seq+1)%recent]].context))
	}
	return p
}

// misspeculated makes the report with all PEs, who all saw v.
func (e *Engine) misspeculated(v *Vote) error {
	report := &Misspeculation{Agreed: e.m.last}
	all, err := e.t.Gather(e.site, e.position(v.firstSeq()).encode())
	if err != nil {
		return err
	}
	for pe, data := range all {
		p, err := decodePosition(string(data))
		if err != nil {
			return fmt.Errorf("elide: misspeculation, and the report of PE %d is no report: %v", pe, err)
		}
		report.PEs = append(report.PEs, p)
	}
	report.classify()
	return report
}

// stalled is the report of the one PE that gave up.
func (e *Engine) stalled() error {
	return &Misspeculation{Kind: Stalled, Barrier: e.m.seq, Agreed: e.m.last, PEs: []Position{e.position(e.m.seq)}}
}

// encode is p as one line: fixed fields, then the paths parted by '#', which no
// path has outside quotes.
func (p Position) encode() []byte {
	return fmt.Appendf(nil, "%d %d %s %t %d #%v#%v", p.PE, p.Barrier, p.At, p.Broke, p.Access, p.Path, p.Elided)
}

func decodePosition(s string) (p Position, err error) {
	head, paths, found := strings.Cut(s, "#")
	if !found {
		return p, errors.New("no paths")
	}
	if _, err := fmt.Sscanf(head, "%d %d %s %t %d", &p.PE, &p.Barrier, &p.At, &p.Broke, &p.Access); err != nil {
		return p, err
	}
	if !strings.HasPrefix(paths, "#") {
		if p.Path, paths, err = ParsePath(paths); err != nil {
			return p, err
		}
	}
	if paths = strings.TrimPrefix(paths, "#"); paths != "" {
		p.Elided, _, err = ParsePath(paths)
	}
	return p, err
}
