package simulate

import "math"

// Machine is a machine by the parameters of LogGP (Alexandrov, Ionescu, Schauser, Scheiman,
// SPAA'95): those between PEs of one host, and those between hosts.
type Machine struct {
	Host, Network Link
	PerHost       int // PEs on each host, by ascending numbers; 0: all PEs are on one
}

// Link has the parameters of LogGP for a pair of PEs, in seconds.
type Link struct {
	Latency  float64 // L: from the end of sending to the begin of receiving
	Overhead float64 // o: how long either of them is busy with a message
	Gap      float64 // g: between the begins of two messages of one PE
	PerByte  float64 // G: what each byte of a message adds
}

// link is that between two PEs.
func (m *Machine) link(p, q int) *Link {
	if m.PerHost == 0 || p/m.PerHost == q/m.PerHost {
		return &m.Host
	}
	return &m.Network
}

// levels is the depths of a tree of so many PEs, within hosts and between them.
func (m *Machine) levels(pes int) (within, between int) {
	depth := func(n int) int { return int(math.Ceil(math.Log2(float64(max(1, n))))) }
	if m.PerHost == 0 || pes <= m.PerHost {
		return depth(pes), 0
	}
	return depth(m.PerHost), depth((pes + m.PerHost - 1) / m.PerHost)
}

// tree is how long a message takes from the leaves of a tree of all PEs to its root.
func (m *Machine) tree(pes int, bytes float64) float64 {
	within, between := m.levels(pes)
	hop := func(l *Link) float64 { return l.Latency + 2*l.Overhead + l.PerByte*bytes }
	return float64(within)*hop(&m.Host) + float64(between)*hop(&m.Network)
}
