//go:build !amd64

package vector

// AVX2 and AVX512 are of another machine.
const AVX2, AVX512 = false, false
