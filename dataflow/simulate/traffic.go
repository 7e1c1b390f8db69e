package simulate

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/spmdc/spmdc/cfg/comm"
	"github.com/spmdc/spmdc/dataflow/plan"
	"github.com/spmdc/spmdc/procfunc"
	"github.com/spmdc/spmdc/runtime/dist"
)

// bundle is a message from one PE to another, with the parts that members of a group have
// in it.
type bundle struct {
	from, to int
	parts    []part // one of another message that has the same is this one
	bytes    float64
	arrives  float64
}

type part struct {
	member int
	bytes  float64
}

// flight is the messages of a group that have been sent.
type flight struct {
	set      []*comm.Comm
	messages []bundle
	over     bool // they have been waited for
}

// posting is what the messages of a post are where scalars have certain values.
type posting struct {
	flights []*flight // of a set whose messages are too many, or not known: without messages
	gets    map[*comm.Comm][]procfunc.Count
	under   map[string]int64
}

// meet is a barrier or reduction: nobody goes on before all have come, and then only after
// some time.
func (t *timed) meet(took float64) {
	all := slices.Max(t.clock) + took
	for q := range t.clock {
		t.clock[q] = all
	}
	t.met()
}

// met notes that everybody has an acknowledgement of everything.
func (t *timed) met() {
	if t.counts {
		t.now++
		t.all = t.now
	}
}

// barrier is a dissemination barrier of the PEs of each host, and then of the hosts.
func (t *timed) barrier() {
	size := t.PerHost
	if size == 0 {
		size = t.pes
	}
	hosts := make([]float64, (t.pes+size-1)/size) // when their PEs have met
	for h := range hosts {
		near := t.clock[h*size : min(t.pes, (h+1)*size)]
		rounds := bits.Len(uint(len(near) - 1))
		hosts[h] = slices.Max(near) + float64(rounds)*(t.Host.Latency+2*t.Host.Overhead)
	}
	l := &t.Network
	before := make([]float64, len(hosts))
	for stride := 1; stride < len(hosts); stride *= 2 {
		copy(before, hosts)
		for h, at := range before {
			to := (h + stride) % len(hosts)
			hosts[to] = max(before[to]+l.Overhead, at+l.Overhead+l.Latency) + l.Overhead
		}
	}
	for q := range t.clock {
		t.clock[q] = hosts[q/size]
	}
	t.met()
}

// reduce is a reduction: messages up a binomial tree of the PEs, and down again.
func (t *timed) reduce(bytes float64) {
	hop := func(from, to int) {
		l := t.link(from, to)
		t.clock[from] += l.Overhead
		t.clock[to] = max(t.clock[to], t.clock[from]+l.Latency+l.PerByte*bytes) + l.Overhead
	}
	stride := 1
	for ; stride < t.pes; stride *= 2 {
		for q := 0; q+stride < t.pes; q += 2 * stride {
			hop(q+stride, q)
		}
	}
	for stride /= 2; stride > 0; stride /= 2 {
		for q := 0; q+stride < t.pes; q += 2 * stride {
			hop(q, q+stride)
		}
	}
	t.met()
}

// combine is the reductions that stand at one place.
func (t *timed) combine(n *comm.Combine) {
	for _, r := range n.Reduce {
		delete(t.values, r.Sym.Name)
	}
	for _, set := range n.MessageGroups() {
		red := set[0]
		at := &t.sites[red.ID]
		others, bytes := float64(t.pes-1), 8*float64(len(set))
		if red.Sym.IsArray() {
			count, known := t.combined(red)
			if !known {
				t.guess(red.Line, "the elements that are combined are taken to be %.0f", count)
			}
			bytes = count * float64(red.Sym.Type.Size())
		}
		if red.Parted { // each takes what others have of its own elements
			at.add(Traffic{Data: others * float64(t.pes), Bytes: others * bytes}, 1)
		} else if len(set) > 1 || red.Sym.IsArray() {
			at.add(Traffic{Data: others * float64(t.pes), Bytes: others * float64(t.pes) * bytes}, 1)
		} else {
			at.add(Traffic{Data: 2 * others, Bytes: 2 * others * bytes}, 1)
		}
		t.actAll("allreduce %.0f 0 %d", bytes, tracedByte)
		t.reduce(bytes)
	}
}

// combined is how many elements a reduction combines.
func (t *timed) combined(r *comm.Reduction) (float64, bool) {
	if r.Parted {
		return t.space.Size(r.Sym)
	}
	box, known := t.space.Combined(r)
	return elements(box), known
}

// done is the end of the uses of what communications brought, but for what has been copied.
func (t *timed) done(comms []*comm.Comm) {
	for _, c := range comms {
		if !t.plan.Slots[c.ID-1].Staged {
			t.free(c)
		}
	}
}

// free is the end of a use.
func (t *timed) free(c *comm.Comm) {
	s := &t.slots[c.ID]
	if s.ready == plan.OnDemand && s.epoch > 0 {
		t.now++
		s.over[s.epoch%len(s.over)] = t.now
	}
}

// post sends the messages of a group of communications.
func (t *timed) post(n *comm.Post) {
	p := t.posting(n)
	for _, f := range p.flights {
		if f.messages == nil {
			t.exchange(f.set)
			continue
		}
		t.send(f.set, f.messages)
		f.over = false
		for _, c := range f.set {
			t.flights[c], t.gets[c] = f, p.gets[c]
		}
	}
}

// posting finds the messages of a group.
func (t *timed) posting(n *comm.Post) *posting {
	if p := t.posts[n]; p != nil && t.same(p.under) {
		return p
	}
	t.read = t.read[:0]
	p := &posting{gets: map[*comm.Comm][]procfunc.Count{}}
	known := true
	for _, set := range n.MessageGroups() {
		f := &flight{set: set, messages: t.bundles(set)}
		known = known && f.messages != nil
		p.flights = append(p.flights, f)
		for _, c := range set {
			if x := t.plan.Slots[c.ID-1].Strip; x != nil {
				p.gets[c] = t.space.Gets(x.Strips, x.Size)
			}
		}
	}
	if p.under = t.dependsOn(); known {
		t.posts[n] = p
	}
	return p
}

// entry is what a member of a set sends from one PE to another.
type entry struct {
	procfunc.Pair
	member int
	bytes  float64
	box    []dist.Triplet // where it may travel with that of another member; nil: on its own
}

// bundles are the messages of a set, by sender, and then in the order in which it sends
// them; nil if they are not known, or too many to be looked at one by one.
func (t *timed) bundles(set []*comm.Comm) []bundle {
	list := t.entries[:0]
	defer func() { t.entries = list[:0] }()
	for k, c := range set {
		joins := slices.ContainsFunc(set, func(d *comm.Comm) bool { return d != c && joined(c, d) })
		size := float64(c.Array.Type.Size())
		if !t.space.Sections(c, func(p, q int, section []dist.Triplet) bool {
			e := entry{procfunc.Pair{From: p, To: q}, k, elements(section) * size, nil}
			if joins {
				e.box = slices.Clone(section)
			}
			list = append(list, e)
			return len(list) <= mostPairs
		}) || len(list) > mostPairs {
			return nil
		}
	}
	sorted := t.bySender(list, len(set))
	out := make([]bundle, 0, len(list))
	parts := make([]part, 0, len(set))
	for i := 0; i < len(sorted); {
		first := i
		for i++; i < len(sorted) && sorted[i].Pair == sorted[first].Pair; i++ {
		}
		b := bundle{from: sorted[first].From, to: sorted[first].To}
		parts = parts[:0]
		for j := first; j < i; j++ {
			e := &sorted[j]
			c := set[e.member]
			parts = append(parts, part{e.member, e.bytes})
			// Sections of one overlap that are a box together travel as that box.
			at := slices.IndexFunc(sorted[first:j], func(x entry) bool {
				return x.box != nil && e.box != nil && joined(c, set[x.member]) && dist.Join(x.box, e.box)
			})
			if at >= 0 {
				e.box = nil
				parts[j-first].bytes = 0
				parts[at].bytes = elements(sorted[first+at].box) * float64(c.Array.Type.Size())
			}
		}
		if n := len(out); n > 0 && slices.Equal(out[n-1].parts, parts) {
			b.parts, b.bytes = out[n-1].parts, out[n-1].bytes
		} else {
			b.parts = slices.Clone(parts)
			for _, x := range parts {
				b.bytes += x.bytes
			}
		}
		out = append(out, b)
	}
	return out
}

// joined reports whether sections that c and d bring may travel as one.
func joined(c, d *comm.Comm) bool { return c.Overlap && d.Overlap && c.Array == d.Array }

// bySender sorts entries, of which those of each member come by receiver ascending: by sender, then by the distance
// of the receiver, then by member.
func (t *timed) bySender(list []entry, members int) []entry {
	if t.starts == nil {
		t.starts = make([]int, t.pes+1)
	}
	clear(t.starts)
	for i := range list {
		t.starts[list[i].From+1]++
	}
	for p := range t.pes {
		t.starts[p+1] += t.starts[p]
	}
	t.sorted = slices.Grow(t.sorted[:0], len(list))[:len(list)]
	for _, above := range []bool{true, false} { // those below the sender are further on
		for i := range list {
			if e := &list[i]; (e.To > e.From) == above {
				t.sorted[t.starts[e.From]] = *e
				t.starts[e.From]++
			}
		}
	}
	if members == 1 {
		return t.sorted
	}
	order := func(a, b entry) int {
		return cmp.Or((a.To-a.From+t.pes)%t.pes-(b.To-b.From+t.pes)%t.pes, a.member-b.member)
	}
	for i := 0; i < len(list); {
		upto := t.starts[t.sorted[i].From]
		if own := t.sorted[i:upto]; !slices.IsSortedFunc(own, order) {
			slices.SortFunc(own, order)
		}
		i = upto
	}
	return t.sorted
}

func elements(box []dist.Triplet) float64 {
	n := 1.0
	for _, t := range box {
		n *= float64(t.N)
	}
	return n
}

// exchange is a set of communications whose messages are not looked at: each PE gets what
// it wants from all others, and as much from each.
func (t *timed) exchange(set []*comm.Comm) {
	others := float64(t.pes - 1)
	for _, c := range set {
		t.begin(c)
		size, known := t.space.Wanted(c)
		if !known {
			size, _ = t.space.Size(c.Array)
			size /= float64(t.pes)
			t.guess(c.Line, "each PE is taken to send all others a part of %s", c.Array.Name)
		}
		bytes := size * float64(c.Array.Type.Size()) / float64(t.pes) // of a message
		data := others * float64(t.pes)
		t.sites[c.ID].add(Traffic{Data: data, Bytes: data * bytes}, 1)
		t.actAll("alltoall %.0f %.0f %d %d", bytes, bytes, tracedByte, tracedByte)
		l := &t.Network
		if t.PerHost == 0 || t.pes <= t.PerHost {
			l = &t.Host
		}
		took := l.Latency + others*(max(l.Gap, 2*l.Overhead)+l.PerByte*bytes)
		if all := slices.Max(t.clock) + took; c.Kind == comm.Irregular {
			t.meet(took)
		} else {
			for q := range t.clock {
				t.clock[q] = all
			}
		}
	}
}

// begin is the start of an execution of c, as the run time counts events, and says of which
// messages the slot takes a ready message.
func (t *timed) begin(c *comm.Comm) (needs func(from, to int) bool) {
	s := &t.slots[c.ID]
	s.epoch++
	if t.counts {
		t.now++
		s.posted = t.now
	}
	switch s.ready {
	case plan.Always:
		return func(int, int) bool { return true }
	case plan.OnDemand:
		at := s.epoch % len(s.over)
		over := s.over[at]
		s.over[at] = InUse
		if s.epoch <= len(s.over) || t.all >= over {
			return nil
		}
		return func(from, to int) bool { return t.acks[procfunc.Pair{From: from, To: to}] < over }
	}
	return nil
}

// send sends the messages of a set: first the consumers send what ready messages there are,
// then the producers put.
func (t *timed) send(set []*comm.Comm, list []bundle) {
	var ready []float64 // by message, when its ready message has come; -1: none
	var by []*comm.Comm // by message, whose slot that declares free
	for k, c := range set {
		needs := t.begin(c)
		if needs == nil {
			continue
		}
		if len(ready) == 0 {
			ready, by = slices.Repeat([]float64{-1}, len(list)), make([]*comm.Comm, len(list))
		}
		for i := range list {
			b := &list[i]
			if !b.has(k) || !needs(b.from, b.to) {
				continue
			}
			if t.slots[c.ID].ready == plan.OnDemand {
				t.acknowledge(b.from, b.to, t.now)
			}
			if ready[i] < 0 {
				t.sites[c.ID].Ready++
				by[i] = c
				t.sends(b.to, b.from, readyTag(c), 0)
				l := t.link(b.to, b.from)
				t.clock[b.to] += l.Overhead
				ready[i] = t.clock[b.to] + l.Latency
			}
		}
	}
	for i := range list {
		b := &list[i]
		if len(ready) > 0 && ready[i] >= 0 {
			t.receives(b.from, b.to, readyTag(by[i]), 0)
			t.clock[b.from] = max(t.clock[b.from], ready[i]) + t.link(b.to, b.from).Overhead
		}
		t.sends(b.from, b.to, dataTag(set[b.parts[0].member]), b.bytes)
		t.put(b)
		for _, x := range b.parts {
			t.sites[set[x.member].ID].Bytes += x.bytes
		}
		t.sites[set[b.parts[0].member].ID].Data++
	}
}

// put sends a message.
func (t *timed) put(b *bundle) {
	l := t.link(b.from, b.to)
	start := max(t.clock[b.from], t.port[b.from])
	t.clock[b.from] = start + l.Overhead
	if l == &t.Host { // the PE copies the elements itself
		t.clock[b.from] += l.PerByte * b.bytes
	}
	t.port[b.from] = start + max(l.Gap, l.Overhead) + l.PerByte*b.bytes
	b.arrives = start + l.Overhead + l.Latency + l.PerByte*b.bytes
}

func (b *bundle) has(member int) bool {
	return slices.ContainsFunc(b.parts, func(x part) bool { return x.member == member })
}

// wait is the arrival of what a group has sent.
func (t *timed) wait(comms []*comm.Comm) {
	for _, c := range comms {
		f := t.flights[c]
		if f == nil {
			continue
		}
		member := slices.Index(f.set, c)
		for i := range f.messages {
			b := &f.messages[i]
			if !f.over {
				t.receives(b.to, b.from, dataTag(f.set[b.parts[0].member]), b.bytes)
				t.clock[b.to] = max(t.clock[b.to], b.arrives) + t.link(b.from, b.to).Overhead
			}
			if t.counts && b.has(member) {
				t.acknowledge(b.to, b.from, t.slots[c.ID].posted)
			}
		}
		f.over = true
		delete(t.flights, c)
		if t.plan.Slots[c.ID-1].Staged {
			t.free(c)
		}
		for _, g := range t.gets[c] {
			l := t.link(g.From, g.To)
			t.sites[c.ID].Data += float64(g.N)
			t.clock[g.To] += float64(g.N) * 2 * (l.Latency + l.Overhead)
			if t.plan.Slots[c.ID-1].Strip.Completes {
				t.sites[c.ID].Ready++
			}
		}
	}
}

// acknowledge notes that PE p has an acknowledgement of what q did up to an event.
func (t *timed) acknowledge(p, q, event int) {
	pair := procfunc.Pair{From: p, To: q}
	t.acks[pair] = max(t.acks[pair], event)
}
