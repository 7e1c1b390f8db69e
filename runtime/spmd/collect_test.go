package spmd

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// TestCollectLater: the first collection is late, and Go decides when the second one is.
func TestCollectLater(t *testing.T) {
	percent := func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	t.Setenv("GOGC", "100")
	collectLater()
	if got := percent(); got != 100 {
		t.Errorf("GOGC=100 has become %d", got)
	}
	os.Unsetenv("GOGC")
	collectLater()
	if got := percent(); got != 3200 {
		t.Errorf("before the first collection: %d percent", got)
	}
	runtime.GC()
	for end := time.Now().Add(10 * time.Second); percent() != 100; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("behind the first collection: %d percent", percent())
		}
	}
}
