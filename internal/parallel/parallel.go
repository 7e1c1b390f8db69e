// Package parallel does independent work on several processors.
package parallel

import (
	"sync"
	"sync/atomic"
)

// Each calls f for i from 0 to n-1, by so many workers at the same time, w from 0 on, each of
// which takes the next i that is left. A panic of f is one of Each, when all workers have ended.
func Each(workers, n int, f func(w, i int)) {
	if workers = min(workers, n); workers <= 1 {
		for i := range n {
			f(0, i)
		}
		return
	}
	var next atomic.Int64
	var all sync.WaitGroup
	failures := make([]any, workers)
	for w := range workers {
		all.Go(func() {
			defer func() { failures[w] = recover() }()
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				f(w, i)
			}
		})
	}
	all.Wait()
	for _, p := range failures {
		if p != nil {
			panic(p)
		}
	}
}
