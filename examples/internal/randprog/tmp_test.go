package randprog

import (
	"fmt"
	"testing"
)

func TestWindows(t *testing.T) {
	const W = 100
	miss := map[string]int{}
	tot := map[string]int{}
	var win []map[string]int
	for w := range W {
		m := map[string]int{}
		for i := range 40 {
			p := Sample(uint64(1 + 40*w + i))
			for k, v := range p.Features {
				m[k] += v
				tot[k] += v
			}
		}
		win = append(win, m)
	}
	for k := range tot {
		for _, m := range win {
			if m[k] == 0 {
				miss[k]++
			}
		}
		fmt.Println(miss[k], tot[k], k)
	}
}
