// Package elementary has the elementary functions of emitted programs, and those of
// constants, which the compiler computes. They are here, and not those of package math,
// since vector kernels compute them too, with the same operations and so the same bits on
// all machines: package codegen/kernel has these functions as operations on vectors, which
// change with them. (Some of package math are wrong by several units in the last place, and
// math.Log is wrong below the normal numbers on amd64, in Go 1.26.)
package elementary
