package randprog

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestDumpTmp(t *testing.T) {
	dir := os.Getenv("RPDUMP")
	if dir == "" {
		t.Skip()
	}
	n := 100
	fmt.Sscan(os.Getenv("RPN"), &n)
	tot := map[string]int{}
	for i := range n {
		p := Sample(uint64(i))
		os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d.hpf", i)), []byte(p.Source), 0o644)
		os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d.in", i)), []byte(p.Input), 0o644)
		for k, v := range p.Features {
			tot[k] += v
		}
	}
	for k, v := range tot {
		fmt.Println(v, k)
	}
}
