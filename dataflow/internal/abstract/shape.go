package abstract

// shapeKind is a way in which communications move data.
type shapeKind uint8

const (
	shiftShape     shapeKind = iota // p to p+a
	rotateShape                     // p to p+a, around
	broadcastShape                  // a to all
	gatherShape                     // all to a
	reverseShape                    // p to a-p, around: a transpose
	pairShape                       // a to a+1, around
	allShape                        // all to all
	randomShape                     // each message with probability density/8
	shapeKinds
)

// shape says which messages a communication sends in each iteration.
type shape struct {
	kind    shapeKind
	a       int
	by      *stmt // a grows by step per iteration of this loop; nil for none
	step    int
	offset  int  // … as if it were that many iterations later
	flip    bool // the messages go the other way
	seed    uint64
	density int
	holes   *stmt // nothing is sent in every other iteration of this loop
	// maybe makes messages uncertain, as those of an irregular communication or a
	// guarded one are.
	maybe bool
	// ahead keeps only messages to higher (1) or lower (-1) PEs; for pipelines.
	ahead int
}

// messages gives the messages that may be sent, and those that are certain; at
// gives the iteration that a loop is in.
func (s *shape) Messages(pes int, at func(*stmt) int) (may, must Relation) {
	may, must = s.pairs(pes, at)
	for p := range pes {
		may &^= Message(p, p)
		must &^= Message(p, p)
	}
	return may, must
}

// pairs is messages with those of a PE to itself.
func (s *shape) pairs(pes int, at func(*stmt) int) (may, must Relation) {
	i := 0
	if s.by != nil {
		i = at(s.by) + s.offset
	}
	if s.holes != nil && at(s.holes)%2 == int(s.seed%2) {
		return 0, 0
	}
	a := s.a + s.step*i
	add := func(p, q int) {
		if s.flip {
			p, q = q, p
		}
		if q < 0 || q >= pes || p < 0 || p >= pes || s.ahead*(q-p) < 0 {
			return
		}
		may |= Message(p, q)
		if !s.maybe || s.hash(p, q, i, 1)%4 > 0 {
			must |= Message(p, q)
		}
	}
	for p := range pes {
		switch s.kind {
		case shiftShape:
			add(p, p+a)
		case rotateShape:
			add(p, mod(p+a, pes))
		case reverseShape:
			add(p, mod(a-p, pes))
		case pairShape:
			if p == mod(a, pes) {
				add(p, mod(a+1, pes))
			}
		default:
			for q := range pes {
				if s.kind == broadcastShape && p == mod(a, pes) ||
					s.kind == gatherShape && q == mod(a, pes) ||
					s.kind == allShape ||
					s.kind == randomShape && s.hash(p, q, i, 0)%8 < uint64(s.density) {
					add(p, q)
				}
			}
		}
	}
	return may, must
}

func mod(a, n int) int { return (a%n + n) % n }

// hash is the same for the same shape, message and iteration.
func (s *shape) hash(p, q, i, salt int) uint64 {
	if s.by == nil {
		i = 0
	}
	h := s.seed ^ uint64(p+7*q+61*(i+5)+1009*salt)*0x9e3779b97f4a7c15
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h >> 32
}
