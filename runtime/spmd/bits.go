package spmd

import (
	"math/bits"
	"strings"
)

// Ichar is the position of the first character of s.
func Ichar(s string) int {
	if s == "" {
		return 0
	}
	return int(s[0])
}

// Char is the character at position i.
func Char(i int) string {
	at := int(byte(i))
	return characters[at : at+1]
}

// characters are all characters, in the order of their positions.
var characters = func() string {
	var b strings.Builder
	for i := range 256 {
		b.WriteByte(byte(i))
	}
	return b.String()
}()

// Ishft shifts the bits of i left by n, right if n is negative, filling with zeros.
func Ishft[I integer](i I, n int) I {
	if n >= 0 {
		return i << n
	}
	left := bitsOf[I]() + n
	if left <= 0 {
		return 0
	}
	return i >> -n & (1<<left - 1)
}

// Btest reports whether bit n of i is set.
func Btest[I integer](i I, n int) bool { return n >= 0 && n < 64 && i>>n&1 == 1 }

// Popcnt is the number of bits of i that are set.
func Popcnt[I integer](i I) int32 { return int32(bits.OnesCount64(word(i))) }

// Leadz is the number of bits of i in front of the first that is set.
func Leadz[I integer](i I) int32 {
	return int32(bitsOf[I]() - bits.Len64(word(i)))
}

// Trailz is the number of bits of i behind the last that is set.
func Trailz[I integer](i I) int32 {
	return int32(min(bitsOf[I](), bits.TrailingZeros64(word(i))))
}

// word is the bits of i, and zeros in front of them.
func word[I integer](i I) uint64 { return uint64(i) << (64 - bitsOf[I]()) >> (64 - bitsOf[I]()) }

// Merge is t where mask holds, else f.
func Merge[T any](t, f T, mask bool) T {
	if mask {
		return t
	}
	return f
}
