// Package vector says which vector instructions the processor has, for kernels of emitted
// programs that come in several forms with the same results.
package vector
