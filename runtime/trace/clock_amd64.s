#include "textflag.h"

// func cpuid(leaf uint32) (a, d uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-16
	MOVL leaf+0(FP), AX
	MOVL $0, CX
	CPUID
	MOVL AX, a+8(FP)
	MOVL DX, d+12(FP)
	RET

// func rdtsc() int64
TEXT ·rdtsc(SB), NOSPLIT, $0-8
	RDTSC
	SHLQ $32, DX
	ORQ DX, AX
	MOVQ AX, ret+0(FP)
	RET
