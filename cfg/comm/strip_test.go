package comm_test

import "testing"

// stripProgram has a loop that reads a transposed.
func stripProgram(loop string) string {
	return `program p
 integer :: i, j, k
 double precision :: a(20,20), b(20,20), s
!HPF$ DISTRIBUTE a(BLOCK,*)
!HPF$ ALIGN b(i,j) WITH a(i,j)
 do j = 1, 20
  do i = 1, 20
   a(i,j) = i + j
   b(i,j) = 1
  end do
 end do
 k = 7
 s = 0
` + loop + `
 print *, b(1,1), s
end program
`
}

// TestStrips: which loops may be divided, and what is said of those that may not.
func TestStrips(t *testing.T) {
	for _, c := range []struct{ loop, want string }{
		{"do j = 1, 20\n do i = 1, 20\n b(i,j) = b(i,j) + a(j,i)\n end do\n end do", "j axis 0"},
		{"do j = 19, 1, -2\n do i = 1, 20\n b(i,j) = b(i,j) + a(j+1,i)\n end do\n end do", "j axis 0 down"},
		{"do j = k, 20\n do i = 1, 20\n b(i,j) = b(i,j) + a(j,i)\n end do\n end do", "j axis 0"},
		{"do i = 1, 20\n do j = 1, 20\n b(i,j) = b(i,j) + a(j,i)\n end do\n end do", "i axis 1 divided"},
		{"do j = 1, 20\n do i = 1, 20\n b(i,j) = a(j,i)\n end do\n end do\n k = j", "j keeps its value behind the loop in line 14"},
		{"do j = 1, 20\n do i = 1, 20\n b(i,j) = b(i,j) + a(3,i)\n end do\n end do", "what it brings does not vary with j, the index of the loop in line 14"},
	} {
		p := analyze(t, stripProgram(c.loop+"\n print *, k"))
		var got []string
		for _, x := range p.Comms {
			if x.Array.Name != "a" {
				continue
			}
			s, why := p.Strips(x)
			if why != "" {
				got = append(got, why)
				continue
			}
			text := s.Loop.Index.Name + " axis " + string(rune('0'+s.Axis))
			if s.Divided {
				text += " divided"
			}
			if s.Down {
				text += " down"
			}
			got = append(got, text)
		}
		if len(got) != 1 || got[0] != c.want {
			t.Errorf("%s\nhas %q, want %q", c.loop, got, c.want)
		}
	}
}
