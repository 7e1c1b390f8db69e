package abstract

// ShapeKind is a way in which communications move data.
type ShapeKind uint8

// The kinds, with A and Density as in Shape.
const (
	Shift     ShapeKind = iota // p to p+A
	Rotate                     // p to p+A, around
	Broadcast                  // A to all
	Gather                     // all to A
	Reverse                    // p to A-p, around: a transpose
	Pair                       // A to A+1, around
	All                        // all to all
	Random                     // each message with probability Density/8
	shapeKinds
)

// Shape says which messages a communication sends in each iteration.
type Shape struct {
	Kind    ShapeKind
	A       int
	By      *Stmt // A grows by Step per iteration of this loop; nil for none
	Step    int
	Offset  int  // … as if it were that many iterations later
	Flip    bool // the messages go the other way
	Seed    uint64
	Density int
	Holes   *Stmt // nothing is sent in every other iteration of this loop
	// Maybe makes messages uncertain, as those of an irregular communication or a
	// guarded one are.
	Maybe bool
	// Ahead keeps only messages to higher (1) or lower (-1) PEs; for pipelines.
	Ahead int
}

// messages gives the messages that may be sent, and those that are certain; at
// gives the iteration that a loop is in.
func (s *Shape) messages(pes int, at func(*Stmt) int) (may, must Relation) {
	may, must = s.pairs(pes, at)
	for p := range pes {
		may &^= Message(p, p)
		must &^= Message(p, p)
	}
	return may, must
}

// pairs is messages with those of a PE to itself.
func (s *Shape) pairs(pes int, at func(*Stmt) int) (may, must Relation) {
	i := 0
	if s.By != nil {
		i = at(s.By) + s.Offset
	}
	if s.Holes != nil && at(s.Holes)%2 == int(s.Seed%2) {
		return 0, 0
	}
	a := s.A + s.Step*i
	add := func(p, q int) {
		if s.Flip {
			p, q = q, p
		}
		if q < 0 || q >= pes || p < 0 || p >= pes || s.Ahead*(q-p) < 0 {
			return
		}
		may |= Message(p, q)
		if !s.Maybe || s.hash(p, q, i, 1)%4 > 0 {
			must |= Message(p, q)
		}
	}
	for p := range pes {
		switch s.Kind {
		case Shift:
			add(p, p+a)
		case Rotate:
			add(p, mod(p+a, pes))
		case Reverse:
			add(p, mod(a-p, pes))
		case Pair:
			if p == mod(a, pes) {
				add(p, mod(a+1, pes))
			}
		default:
			for q := range pes {
				if s.Kind == Broadcast && p == mod(a, pes) ||
					s.Kind == Gather && q == mod(a, pes) ||
					s.Kind == All ||
					s.Kind == Random && s.hash(p, q, i, 0)%8 < uint64(s.Density) {
					add(p, q)
				}
			}
		}
	}
	return may, must
}

func mod(a, n int) int { return (a%n + n) % n }

// hash is the same for the same shape, message and iteration.
func (s *Shape) hash(p, q, i, salt int) uint64 {
	if s.By == nil {
		i = 0
	}
	h := s.Seed ^ uint64(p+7*q+61*(i+5)+1009*salt)*0x9e3779b97f4a7c15
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h >> 32
}
