package trace

// invariant: the counter of the processor has one rate, and does not stop.
var invariant = counts()

// counts reads it from the processor, as AMD's manual says in volume 3, function 8000_0007.
func counts() bool {
	const leaf, tsc = 0x80000007, 1 << 8
	most, _ := cpuid(0x80000000)
	if most < leaf {
		return false
	}
	_, d := cpuid(leaf)
	return d&tsc != 0
}

func cpuid(leaf uint32) (a, d uint32)

func rdtsc() int64

// ticks is the time in units that rate converts.
func ticks() int64 {
	if invariant {
		return rdtsc()
	}
	return monotonic()
}
