package ir

import (
	"unsafe"
)

// Type is a Fortran type together with its storage size.
type Type uint8

const (
	Invalid       Type = iota
	Byte               // INTEGER(1), and
	Short              // INTEGER(2), which lower makes INTEGERs that it wraps: no pass behind sees them
	Integer            // INTEGER(4), Go int32; arithmetic wraps
	Long               // INTEGER(8), Go int; arithmetic wraps
	Real               // REAL(4), Go float32
	Double             // REAL(8), Go float64
	Complex            // COMPLEX(4), Go complex64
	DoubleComplex      // COMPLEX(8), Go complex128
	Logical1           // LOGICAL(1), and
	Logical2           // LOGICAL(2), which lower makes LOGICAL, as
	Logical            // LOGICAL(4), Go bool
	Logical8           // LOGICAL(8)
	Character          // Go string padded with blanks to its declared length
)

// IsInteger reports whether t is an INTEGER, of any kind.
func (t Type) IsInteger() bool { return Byte <= t && t <= Long }

// IsLogical reports whether t is LOGICAL, of any kind.
func (t Type) IsLogical() bool { return Logical1 <= t && t <= Logical8 }

// Bytes is how many bytes a value of type t, but CHARACTER, has in storage that Fortran lays out: in files,
// and where variables share it.
func (t Type) Bytes() int {
	switch t {
	case Byte, Logical1:
		return 1
	case Short, Logical2:
		return 2
	case Long, Double, Complex, Logical8:
		return 8
	case DoubleComplex:
		return 16
	}
	return 4
}

// Wrap is what an INTEGER of type t holds when n is stored in it.
func (t Type) Wrap(n int) int {
	unused := 64 - 8*t.Bytes()
	return n << unused >> unused
}

// Size is the bytes of a value of type t in emitted programs.
func (t Type) Size() int64 {
	switch t {
	case Logical:
		return int64(unsafe.Sizeof(false))
	case Integer, Real:
		return int64(unsafe.Sizeof(float32(0)))
	case DoubleComplex:
		return int64(unsafe.Sizeof(complex128(0)))
	case Character:
		return int64(unsafe.Sizeof(""))
	}
	return int64(unsafe.Sizeof(float64(0)))
}

// IsReal reports whether t is REAL or DOUBLE PRECISION.
func (t Type) IsReal() bool { return t == Real || t == Double }

// IsComplex reports whether t is COMPLEX, of either kind.
func (t Type) IsComplex() bool { return t == Complex || t == DoubleComplex }

// IsOrdered reports whether t is INTEGER or REAL, of any kind: numbers that are less or greater.
func (t Type) IsOrdered() bool { return t.IsInteger() || t.IsReal() }

// IsNumeric reports whether t is INTEGER, REAL or COMPLEX, of any kind.
func (t Type) IsNumeric() bool { return t.IsOrdered() || t.IsComplex() }

// Part is the type of the real and the imaginary part of a COMPLEX type; of other types it is t.
func (t Type) Part() Type {
	switch t {
	case Complex:
		return Real
	case DoubleComplex:
		return Double
	}
	return t
}

// WithParts is the COMPLEX type whose parts are Real or Double.
func WithParts(part Type) Type {
	if part == Double {
		return DoubleComplex
	}
	return Complex
}

// Common is the type in which two numbers of types t and u are combined.
func (t Type) Common(u Type) Type {
	if t.IsComplex() || u.IsComplex() {
		return WithParts(max(t.Part(), u.Part()))
	}
	return max(t, u)
}

// GoString is the type in Fortran, for %#v.
func (t Type) GoString() string { return t.String() }

func (t Type) String() string {
	switch t {
	case Byte:
		return "INTEGER(1)"
	case Short:
		return "INTEGER(2)"
	case Integer:
		return "INTEGER"
	case Long:
		return "INTEGER(8)"
	case Real:
		return "REAL"
	case Double:
		return "DOUBLE PRECISION"
	case Complex:
		return "COMPLEX"
	case DoubleComplex:
		return "COMPLEX(8)"
	case Logical1:
		return "LOGICAL(1)"
	case Logical2:
		return "LOGICAL(2)"
	case Logical:
		return "LOGICAL"
	case Logical8:
		return "LOGICAL(8)"
	case Character:
		return "CHARACTER"
	}
	return "invalid type"
}
