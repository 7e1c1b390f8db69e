//go:build !race

#include "textflag.h"

// func storeRelease(flag *atomic.Uint64, value uint64)
TEXT ·storeRelease(SB), NOSPLIT, $0-16
	MOVQ flag+0(FP), AX
	MOVQ value+8(FP), CX
	MOVQ CX, (AX)
	RET
