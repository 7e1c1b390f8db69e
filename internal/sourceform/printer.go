// Package sourceform prints programs of free form in fixed form, and in free form again, as
// unkindly as the standard allows: with blanks and tabs where they mean nothing, in fixed form
// also in the middle of words, statements cut into continuation lines anywhere, comments
// between them, letters of either case, and text behind column 72. It serves tests of the
// scanner. From
//
//	do i = 1, n
//
// may come in fixed and in free form
//
//	c a comment
//	        d Oi=1
//	     &            ,                                                     junk
//	     x N
//
//	    D&   ! 'a comment
//	  ! another
//	   &o   i= &
//	1,N
package sourceform

import (
	"strings"

	"github.com/spmdc/spmdc/parser/scan"
	"github.com/spmdc/spmdc/parser/source"
)

// Source is where choices come from; *rand.Rand is one.
type Source interface {
	IntN(n int) int
}

// printer is what both forms have in common.
type printer struct {
	choose Source
	out    strings.Builder
}

// lines are the statements and directives of a program of free form.
func lines(text string) []scan.Line {
	file := source.NewFile("free.f90", []byte(text))
	return scan.FreeForm{}.Lines(file.Physical(), source.NewList(file))
}

// one reports true in one of n cases.
func (p *printer) one(n int) bool { return p.choose.IntN(n) == 0 }

// pick chooses one of some texts.
func (p *printer) pick(list ...string) string { return list[p.choose.IntN(len(list))] }
