package procfunc

import (
	"strings"
	"testing"
)

// TestAlikeClipped: a communication whose elements an index of the loop around takes out of
// the array does not have the same messages in all iterations, though the positions are the
// same; one whose elements stay inside does.
func TestAlikeClipped(t *testing.T) {
	for _, test := range []struct {
		columns string
		want    bool
	}{{"4", false}, {"6", true}} {
		text := strings.ReplaceAll(`program clipped
  integer, parameter :: n = 24
  integer :: a(n,COLUMNS), b(n), i, j, t
!HPF$ DISTRIBUTE b(BLOCK)
!HPF$ ALIGN a(i,*) WITH b(i)
  do t = 1, 6
    do i = 2, n
      if (b(i) < 100 .and. t <= COLUMNS) b(i) = a(i-1,t)
    end do
    do i = 1, n
      do j = 1, COLUMNS
        a(i,j) = b(i) + j
      end do
    end do
  end do
  print *, b(3)
end program clipped
`, "COLUMNS", test.columns)
		f := analyze(t, text)
		found := 0
		for k, c := range f.Program.Comms {
			if c.Array.Name != "a" {
				continue
			}
			found++
			lengths := map[int]bool{} // numbers of messages in the iterations of t
			for at := int64(1); at <= 6; at++ {
				list, ok := NewPESpace(3, nil, func(v string) (int64, bool) { return at, v == "t" }).Messages(c)
				if !ok {
					t.Fatalf("the messages of C_%d are not known", k+1)
				}
				lengths[len(list)] = true
			}
			if same := len(lengths) == 1; same != test.want {
				t.Errorf("%s columns: numbers of messages %v", test.columns, lengths)
			}
			if got := f.Alike(k+1, k+1); got != test.want {
				t.Errorf("%s columns: C_%d (%v) is always alike: %v", test.columns, k+1, f.Relations[k], got)
			}
		}
		if found != 1 {
			t.Errorf("%s columns: %d communications of a", test.columns, found)
		}
	}
}
