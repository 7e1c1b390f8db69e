package transform

import (
	"fmt"

	"github.com/spmdc/spmdc/ir"
)

// Gather lets all PEs execute a loop on copies of arrays, of which each PE has one. In
//
//	do k = 1, m                         do i = 1, n
//	   do i = 1, n                         all(i) = x(i)
//	      x(l(i)) = x(l(i)) + y(k)      end do
//	   end do                           do k = 1, m
//	end do                                 do i = 1, n
//	                                          all(l(i)) = all(l(i)) + y(k)
//	                                       end do
//	                                    end do
//	                                    ... x(i) = all(i)
//
// all PEs find out who owns what an iteration on the left assigns, and exchange elements. On
// the right each computes all of it, and x is sent once. What other arrays the loop assigns
// is still divided among the PEs; and what is summed up in a copy, over iterations in which
// they own elements of other arrays, is computed in parts.
//
// The why is for people.
func (a *Analysis) Gather(loop *ir.Do, arrays []*ir.Symbol, why string) (*Change, error) {
	o := &onCopies{a: a, loop: loop, arrays: arrays, copies: map[*ir.Symbol]*ir.Symbol{}}
	for _, r := range o.refs() {
		if r.Sym.Temp {
			return nil, refuse("%s is a copy itself", r.Sym.Name)
		}
	}
	if s := o.named(); s != nil {
		return nil, refuse("INDEPENDENT names %s", s.Name)
	}
	if err := o.stays(); err != nil {
		return nil, err
	}
	for _, s := range arrays {
		o.copy(s, ".all", "on every PE", nil)
	}
	c := o.change(Gather, func(*ir.Symbol, int) *ir.Do { return nil })
	o.on.Gathered = why
	c.What = fmt.Sprintf("all PEs execute it on gathered copies of %s", names(arrays))
	return c, nil
}
