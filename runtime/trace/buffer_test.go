package trace

import (
	"testing"

	"github.com/spmdc/spmdc/runtime/trace/tracefile"
)

// counts is how many events of each level are in a buffer, and how many were dropped.
func (b *buffer) counts() (kept, dropped [depths + 1]int64) {
	for i := range b.levels {
		for _, block := range b.levels[i].blocks {
			kept[i] += int64(len(block))
		}
		dropped[i] = b.levels[i].dropped
	}
	return kept, dropped
}

// TestBound: ten million events fit in 1 MB, all are kept or counted, the deepest regions go
// first, and what remains of messages is one in 2**k, by their numbers.
func TestBound(t *testing.T) {
	const memory, rounds = 1 << 20, 2_500_000
	b := newBuffer(memory)
	for i := range uint64(rounds) {
		b.add(3, event{kind: tracefile.Region, id: 3, number: i})
		b.add(depths, event{kind: tracefile.Put, number: i + 1, peer: 1})
		b.add(depths, event{kind: tracefile.Arrival, number: i + 1, peer: 1})
		b.add(2, event{kind: tracefile.Region, id: 2, number: i})
		if i == 2000 {
			kept, _ := b.counts()
			n := int64(i) + 1
			// 4 blocks for 256 rounds: 85 blocks last for 5440 rounds.
			if b.every != 1 || kept[depths] != 2*n || kept[2] != n || kept[3] != n {
				t.Fatalf("after %d rounds every %d: %v", i, b.every, kept)
			}
		}
	}
	b.add(0, event{kind: tracefile.Region})
	kept, dropped := b.counts()
	if b.bytes > memory {
		t.Errorf("the events take %d bytes of %d", b.bytes, memory)
	}
	want := map[int]int64{0: 1, 2: rounds, 3: rounds, depths: 2 * rounds}
	for level, n := range want {
		if kept[level]+dropped[level] != n {
			t.Errorf("level %d: %d events are kept and %d dropped, of %d", level, kept[level], dropped[level], n)
		}
	}
	if kept[0] != 1 || kept[2] != 0 || kept[3] != 0 {
		t.Errorf("of the regions %d, %d, %d are kept, want the program alone", kept[0], kept[2], kept[3])
	}
	if kept[depths] < memory/blockBytes*blockEvents/4 {
		t.Errorf("%d events of messages are kept: less than half of the memory is in use", kept[depths])
	}
	for _, block := range b.levels[depths].blocks {
		for _, e := range block {
			if e.number%b.every != 0 {
				t.Fatalf("message %d is kept, one in %d", e.number, b.every)
			}
		}
	}
	if k := b.kept(); k.Every != int64(b.every) || k.Events != kept[0]+kept[depths] {
		t.Errorf("%+v, want every %d, %d events", k, b.every, kept[0]+kept[depths])
	}
}

// TestDeepestFirst: the level that goes is the deepest that has events, and others stay whole.
func TestDeepestFirst(t *testing.T) {
	b := newBuffer(4 * blockBytes)
	for i := range uint64(blockEvents) {
		b.add(1, event{number: i})
		b.add(2, event{number: i})
		b.add(depths, event{number: i})
	}
	for i := range uint64(2 * blockEvents) {
		b.add(1, event{number: blockEvents + i})
	}
	kept, dropped := b.counts()
	if kept[1] != 3*blockEvents || kept[2] != 0 || dropped[2] != blockEvents || kept[depths] != blockEvents || b.every != 1 {
		t.Errorf("kept %v, dropped %v, every %d", kept[:3], dropped[:3], b.every)
	}
	b.add(2, event{})
	if _, dropped := b.counts(); dropped[2] != blockEvents+1 {
		t.Errorf("%d events of depth 2 are dropped, want %d", dropped[2], blockEvents+1)
	}
}

// BenchmarkTraced is what the two events of a region take that is kept: new memory aside, which
// takes as long again where the system has to find it.
func BenchmarkTraced(b *testing.B) {
	with(b, 1, 2, 0, func(r *Recorder) {
		r.events = newBuffer(defaultMemory << 20)
		for i := 0; b.Loop(); i++ {
			r.Enter(1)
			r.Leave()
			if l := &r.events.levels[1]; i%100_000 == 0 {
				r.events.free, l.blocks = append(r.events.free, l.blocks...), nil
			}
		}
	})
}
