package mapping_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/parser/source"
)

// TestTooLarge: whatever leads to positions, extents or coefficients beyond 2**48 is one
// error with a place; what reaches the limit is none.
func TestTooLarge(t *testing.T) {
	// The declarations of a(...) and of the template, and how a lies in it.
	for _, c := range []struct{ array, template, align, want string }{
		{"10", "4611686018427387904_8", "i", "2: dimension 1 of template t is 1:4611686018427387904"},
		{"10", "9223372036854775807_8", "i", "2: dimension 1 of template t"},
		{"10", "281474976710657_8", "i", "2: dimension 1 of template t"},
		{"10", "0:281474976710656_8", "i", "2: dimension 1 of template t"},
		{"10", "-281474976710656_8:281474976710656_8", "i", "2: dimension 1 of template t"},
		{"10", "-9223372036854775807_8:9223372036854775807_8", "i", "2: dimension 1 of template t"},
		{"10", "4611686018427387000_8:4611686018427387900_8", "i", "2: dimension 1 of template t"},
		{"10", "281474976710656_8", "i + 281474976710646_8", ""},
		{"10", "-281474976710655_8:0", "-i - 281474976710645_8", ""},
		{"10", "281474976710656_8", "28147497671065_8*i", ""},
		{"0:9223372036854775807_8", "10", "i", "1: dimension 1 of array a is 0:9223372036854775807"},
		{"-9223372036854775807_8:-9223372036854775800_8", "10", "i", "1: dimension 1 of array a"},
		{"9223372036854775807_8:0", "10", "i", "1: dimension 1 of array a"},
		{"281474976710647_8:281474976710656_8", "10", "i - 281474976710646_8", ""},
		{"281474976710648_8:281474976710657_8", "10", "i - 281474976710647_8", "1: dimension 1 of array a"},
		{"10", "100", "4611686018427387904_8*i", "3: a coefficient or offset of ALIGN is beyond 2**48"},
		{"10", "100", "2**20*(2_8**30*i)", "3: a coefficient or offset of ALIGN"},
		{"10", "100", "i + 9223372036854775807_8", "3: a coefficient or offset of ALIGN"},
		{"10", "100", "(i + 2_8**40)*2**10", "3: a coefficient or offset of ALIGN"},
		{"10", "100", "9223372036854775807_8", "3: a coefficient or offset of ALIGN"},
		{"2_8**40:2_8**40 + 9", "100", "2_8**40*i", "3: the position of element 1099511627776 of dimension 1 of a in t"},
		{"100000", "100000", "i", ""},
	} {
		src := fmt.Sprintf(`program p; real a(%s)
!HPF$ TEMPLATE t(%s)
!HPF$ ALIGN a(i) WITH t(%s)
!HPF$ DISTRIBUTE t(BLOCK)
print *, 1
end program
`, c.array, c.template, c.align)
		found := compile(src).Diags
		switch {
		case c.want == "" && len(found) > 0:
			t.Errorf("a(%s), t(%s), %s: %v", c.array, c.template, c.align, found[0])
		case c.want == "":
		case len(found) == 0:
			t.Errorf("a(%s), t(%s), %s: no error", c.array, c.template, c.align)
		default:
			d := found[0]
			if got := fmt.Sprintf("%d: %s", d.Pos.Line, d.Msg); d.Code != source.TooLarge || !strings.HasPrefix(got, c.want) || d.Help == "" {
				t.Errorf("a(%s), t(%s), %s: %s [%s], want %s", c.array, c.template, c.align, got, d.Code, c.want)
			}
		}
	}
}

// TestTooLargeElsewhere: chains of alignments, whole arrays, dummies.
func TestTooLargeElsewhere(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{`program p; real a(1), b(1)
!HPF$ TEMPLATE t(100)
!HPF$ ALIGN a(i) WITH t(2_8**40*i - 2_8**40 + 1)
!HPF$ ALIGN b(i) WITH a(2_8**40*i - 2_8**40 + 1)
!HPF$ DISTRIBUTE t(BLOCK)
print *, 1
end program
`, "4: in t, with which b is aligned in the end"},
		{"program p; real a(2000000, 1000000)\nprint *, 1\nend program\n", "1: array a has 2e+12 elements"},
		{"program p; real a(0, 2_8**60)\nprint *, 1\nend program\n", "1: dimension 2 of array a"},
		{`program p; real a(10)
call s(a)
contains
subroutine s(d)
real d(9223372036854775800_8:)
d(9223372036854775800_8) = 0
end subroutine
end program
`, "5: dimension 1 of the dummy argument d"},
		{"program p; character(len=1099511627776_8) c\nc = 'x'\nend program\n", "1: a CHARACTER length of 1099511627776"},
		{"program p; character c*(2**28 + 1)\nc = 'x'\nend program\n", "1: a CHARACTER length of 268435457"},
		{"program p; character(len=65537), parameter :: c = 'x'\nprint *, c\nend program\n", "1: a CHARACTER constant of 65537"},
		{`program p
character(len=40000), parameter :: c = 'x'
character(len=*), parameter :: d = c // c
print *, d
end program
`, "3: a CHARACTER constant of 80000"},
	} {
		found := compile(c.src).Diags
		if len(found) == 0 {
			t.Errorf("no error in\n%s", c.src)
			continue
		}
		if got := fmt.Sprintf("%d: %s", found[0].Pos.Line, found[0].Msg); found[0].Code != source.TooLarge || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s [%s], want %s", got, found[0].Code, c.want)
		}
	}
	for _, src := range []string{
		"program p; character(len=2**28) c\nc = 'x'\nend program\n",
		"program p; character(len=65536), parameter :: c = 'x'\nprint *, c // c\nend program\n",
	} {
		if found := compile(src).Diags; len(found) > 0 {
			t.Errorf("%v in\n%s", found[0], src)
		}
	}
}
