package vector

// AVX2 and AVX512 report whether the processor has the instructions, and the system keeps
// their registers. AVX2 stands for AVX, AVX2 and FMA, AVX512 for these and the parts F,
// DQ, BW and VL.
var AVX2, AVX512 = detect()

func cpuid(leaf, sub uint32) (a, b, c, d uint32)

func xgetbv() (low, high uint32)

// detect asks the processor, as Intel's manual says in volume 1, sections 14.3 and 15.2.
func detect() (avx2, avx512 bool) {
	const (
		fma, osxsave, avx = 1 << 12, 1 << 27, 1 << 28 // leaf 1, ECX
		avx2Bit           = 1 << 5                    // leaf 7, EBX
		f, dq, bw, vl     = 1 << 16, 1 << 17, 1 << 30, 1 << 31
		ymm, zmm          = 0x6, 0xe6 // what the system keeps
	)
	_, _, c, _ := cpuid(1, 0)
	if c&(fma|osxsave|avx) != fma|osxsave|avx {
		return false, false
	}
	kept, _ := xgetbv()
	_, b, _, _ := cpuid(7, 0) // there is such a leaf: osxsave comes with leaf 13
	avx2 = kept&ymm == ymm && b&avx2Bit != 0
	avx512 = avx2 && kept&zmm == zmm && b&(f|dq|bw|vl) == f|dq|bw|vl
	return avx2, avx512
}
