// Package linalg holds the exact arithmetic that the analyses share: affine
// forms with integer coefficients (Affine) and rational ones (Form), sets of
// positions (Triplet), and small matrices of rationals with a last column of
// triplets (Transform).
//
// The subscript of
//
//	do i = 2, n
//	   a(2*i - n + 3) = ...
//
// is the affine form Affine{C: 3, T: {"i": 2, "n": -1}}, printed "2*i - n + 3".
// A communication for A(2*i) = B(i+1) relates positions by a matrix in
// homogeneous coordinates, whose last column is the translation:
//
//	[ 2 -2 ]
//	[ 0  1 ]
//
// Where a communication goes to a section, or to everybody, the translation is a
// set: "1:n", "2:n:2", or "U" for every position, which absorbs what is added
// to it.
//
// Nothing is ever rounded. Affine arithmetic reports overflow of int64 instead
// of wrapping; an analysis that meets it gives up on the fact at hand. Forms and
// matrices use arbitrary precision.
package linalg
