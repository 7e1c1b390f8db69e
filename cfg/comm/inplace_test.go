package comm_test

import "testing"

// TestInPlace: a PE that runs alone copies what is written while the copy is in use.
func TestInPlace(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       bool
	}{
		{"another array", "do i = 1, n\n b(i) = a(n+1-i)\n end do", true},
		{"what the loop writes later", "do i = n - 1, 1, -1\n a(i+1) = a(i)\n end do", false},
		{"columns to the left", "do j = 1, n\n do k = 1, j - 1\n do i = j, n\n d(i,j) = d(i,j) - d(i,k)\n end do\n end do\n end do", true},
		{"not its neighbours", "do i = 1, n/2\n b(i) = a(2*i)\n end do", false},
		{"the diagonal", "do i = 1, n\n b(i) = d(i,i)\n end do", false},
		{"written behind its use, while it is in use", "do i = 1, n\n b(i) = a(n+1-i)\n end do\n do i = 1, n\n a(i) = b(n+1-i)\n end do\n", true},
		{"a fallback", "do i = 2*k, n, 2*k\n a(i) = a(i-k) + a(mod(i,k) + 1)\n end do", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := analyze(t, "program p\n integer, parameter :: n = 12\n integer :: a(n), b(n), d(n,n), i, j, k\n"+
				"!HPF$ DISTRIBUTE (CYCLIC) :: a\n!HPF$ DISTRIBUTE (BLOCK) :: b\n!HPF$ DISTRIBUTE d(*,CYCLIC)\n k = 1\n"+c.body+"\n print *, k\nend program\n")
			if len(p.Comms) == 0 {
				t.Fatal("no communication")
			}
			for _, x := range p.Comms {
				if x.InPlace != c.want {
					t.Errorf("%s of %s: in place %v", x.Kind, x.Array.Name, x.InPlace)
				}
			}
		})
	}
}
