package procfunc

import "testing"

// TestOutside: a section of an array that is too small for it is put nowhere. What has the
// section aligns with the array, so that its elements lie outside of the template.
func TestOutside(t *testing.T) {
	f := analyze(t, `program sections
  integer, allocatable :: a(:)
  integer :: b(12), i, n
!HPF$ DISTRIBUTE a(BLOCK(2))
!HPF$ DISTRIBUTE b(CYCLIC)
  read *, n
  allocate (a(n))
  a = 1
  b = 0
  b(1:5) = matmul(reshape([(i, i = 1, 25)], [5, 5]), mod(a(1:5), 13))
  print *, b(1)
end program sections
`)
	for _, n := range []int64{0, 1, 4, 5, 12} {
		outside := false
		for _, c := range f.Program.Comms {
			s := NewPESpace(3, f.Program.IR.Ends, func(string) (int64, bool) { return n, true })
			_, known := s.Messages(c)
			if s.Outside() {
				outside = true
			} else if !known {
				t.Errorf("n = %d: the messages of %v are not known", n, c)
			}
		}
		if outside != (n < 5) {
			t.Errorf("n = %d: outside %v", n, outside)
		}
	}
}
