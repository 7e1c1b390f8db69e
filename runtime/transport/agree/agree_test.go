package agree

import (
	"runtime"
	"sync"
	"testing"
)

// Agreements go on when their count has come round in the bits that words have for it.
func TestExchangeComesRound(t *testing.T) {
	const start = 1<<(64-genShift) - 20 // even
	parties := NewExchange(3)
	for pe, p := range parties {
		p.gen = start
		p.slots[2*pe].word.Store(start << genShift)
		p.slots[2*pe+1].word.Store((start - 1) << genShift)
	}
	vote := func(first, count int64) Vote { return Vote{first, 5, ^5, count, ^count, ^9} }
	var wg sync.WaitGroup
	for pe, p := range parties {
		wg.Go(func() {
			for round := range int64(60) {
				count, want := round, vote(0, round)
				if round%7 == 3 { // a second round
					count, want[4] = round+int64(pe), ^(round + 2)
				}
				v := vote(int64(pe%2), count)
				p.Post(&v)
				for again := true; again; again = p.Conclude() {
					for q := range parties {
						for q != pe && !p.Poll(q) {
							runtime.Gosched()
						}
					}
				}
				if v != want {
					t.Errorf("PE %d, round %d: %v, want %v", pe, round, v, want)
					return
				}
			}
		})
	}
	wg.Wait()
	if parties[0].gen <= 1<<(64-genShift) {
		t.Error("the count has not come round")
	}
}
