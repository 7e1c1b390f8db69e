package simulate

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
	switch {
	case m.PerHost == 0 || p == q:
		return &m.Host
	case m.PerHost == 1: // the usual case needs no division
		return &m.Network
	case p/m.PerHost == q/m.PerHost:
		return &m.Host
	}
	return &m.Network
}
