package spmd

import "math/bits"

// Ichar is the position of the first character of s.
func Ichar(s string) int {
	if s == "" {
		return 0
	}
	return int(s[0])
}

// Char is the character at position i.
func Char(i int) string { return string([]byte{byte(i)}) }

// Ishft shifts the 32 bits of i left by n, right if n is negative, filling with
// zeros.
func Ishft(i, n int) int {
	x := uint32(int32(i))
	switch {
	case n >= 32 || n <= -32:
		return 0
	case n >= 0:
		return int(int32(x << n))
	}
	return int(int32(x >> -n))
}

// Ishft8 is Ishft for the 64 bits of an INTEGER(8).
func Ishft8(i, n int) int {
	switch {
	case n >= 64 || n <= -64:
		return 0
	case n >= 0:
		return int(uint64(i) << n)
	}
	return int(uint64(i) >> -n)
}

// Btest reports whether bit n of i is set.
func Btest(i, n int) bool { return n >= 0 && n < 64 && i>>n&1 == 1 }

// Popcnt is the number of bits of i that are set, of size.
func Popcnt(i, size int) int { return bits.OnesCount64(uint64(i) << (64 - size)) }

// Leadz is the number of bits of i, of size, in front of the first that is set.
func Leadz(i, size int) int { return min(size, bits.LeadingZeros64(uint64(i)<<(64-size))) }

// Trailz is the number of bits of i, of size, behind the last that is set.
func Trailz(i, size int) int { return min(size, bits.TrailingZeros64(uint64(i))) }

// Merge is t where mask holds, else f.
func Merge[T any](t, f T, mask bool) T {
	if mask {
		return t
	}
	return f
}
