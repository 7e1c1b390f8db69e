package procfunc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/internal/front"
)

// printedCase is a program with two communications y and x, and what the paper's
// tests and the sound one say of y kills x.
type printedCase struct {
	name           string
	program        string
	y, x           int
	printed, sound bool
	why            string // part of the printed test's reason
}

// one wraps a time loop over nests on one template of n = 8 positions.
func one(n int, declarations, body string) string {
	return fmt.Sprintf("program p\n implicit none\n integer, parameter :: n = %d\n integer :: i, j, k, t, s\n%s\n do t = 1, 4\n%s\n end do\nend program p\n", n, declarations, body)
}

const (
	aligned = ` integer :: a(n), b(n)
!HPF$ TEMPLATE v(n)
!HPF$ DISTRIBUTE v(BLOCK)
!HPF$ ALIGN a(i) WITH v(i)
!HPF$ ALIGN b(i) WITH v(i)`
	square = ` integer :: a(n,n), b(n,n), c(n)
!HPF$ PROCESSORS p(2,2)
!HPF$ TEMPLATE v(n,n)
!HPF$ DISTRIBUTE v(BLOCK,BLOCK) ONTO p
!HPF$ ALIGN a(i,j) WITH v(i,j)
!HPF$ ALIGN b(i,j) WITH v(i,j)`
)

// The numbers are rows of the table of defects of the printed algorithm: where
// printed is true and sound is not, the difference is such a row.
func TestPrintedConditions(t *testing.T) {
	for _, c := range []printedCase{
		{
			name:    "an exchange answers itself both ways",
			program: one(8, aligned, " do i = 1, n\n a(i) = b(n+1-i)\n end do\n do i = 1, n\n b(i) = a(n+1-i)\n end do"),
			y:       2, x: 1, printed: true, sound: true, why: "Conditions 2 and 3 hold",
		},
		{
			name:    "1: a mirror kills itself as printed",
			program: one(8, aligned, " do i = 1, n\n a(i) = b(n+1-i)\n end do\n do i = 1, n\n b(i) = b(i) + 1\n end do"),
			y:       1, x: 1, printed: true, sound: false,
		},
		{
			name:    "2: some consumer answers, not all: a broadcast, then a shift that covers the producer",
			program: one(8, aligned, " do i = 2, n\n a(i) = b(1)\n end do\n do i = 1, n - 1\n b(i) = a(i+1)\n end do"),
			y:       2, x: 1, printed: true, sound: false, why: "dimension 1 holds all next producers",
		},
		{
			name: "2: every consumer goes to its left neighbour or to the producer, not both",
			program: one(8, square, " do j = 1, n\n do i = 1, n\n a(i,j) = b(1,j)\n end do\n end do\n"+
				" do j = 1, n\n do i = 1, n\n b(i,j) = a(j,i)\n end do\n end do"),
			y: 2, x: 1, printed: false, sound: false,
		},
		{
			name:    "3: a shift right and a shift left, but the last consumer does not answer",
			program: one(8, aligned, " do i = 2, n\n a(i) = b(i-1)\n end do\n do i = 1, n - 2\n b(i) = a(i+1)\n end do"),
			y:       2, x: 1, printed: false, sound: false, why: "Condition 2 fails in dimension 1",
		},
		{
			name:    "shifts right and left",
			program: one(8, aligned, " do i = 2, n\n a(i) = b(i-1)\n end do\n do i = 1, n - 1\n b(i) = a(i+1)\n end do"),
			y:       2, x: 1, printed: true, sound: true,
		},
		{
			name: "4: the box around a diagonal",
			program: one(8, square+"\n!HPF$ ALIGN c(i) WITH v(i,1)", " do i = 1, n\n do j = 1, n\n a(i,j) = b(j,1)\n end do\n end do\n"+
				" do i = 1, n\n c(i) = a(i,i)\n end do\n do j = 1, n\n do i = 1, n\n b(i,j) = b(i,j) + c(i)\n end do\n end do"),
			y: 2, x: 1, printed: true, sound: false,
		},
		{
			name: "5: one copy of a replicated producer sends, as printed all do",
			program: one(8, square+"\n!HPF$ ALIGN c(i) WITH v(i,*)", " do j = 1, n\n do i = 1, n\n a(i,j) = b(n+1-i,1)\n end do\n end do\n"+
				" do i = 1, n\n b(i,1) = c(n+1-i)\n end do\n do i = 1, n\n c(i) = c(i) + 1\n end do"),
			y: 2, x: 1, printed: true, sound: false,
		},
		{
			name: "9: repetitions are identical in the innermost loop only",
			program: one(8, aligned, " do j = 1, 2\n do i = 1, n\n a(i) = b(t)\n end do\n"+
				" do i = 1, n\n b(t) = b(t) + a(i)\n end do\n end do"),
			y: 2, x: 1, printed: true, sound: false,
		},
		{
			name: "19: matrices with loop indices compared by name",
			program: "program p\n implicit none\n integer, parameter :: n = 8\n integer :: i, j, k, t, s\n" + aligned +
				"\n do k = 2, n\n do i = 1, n\n s = a(i)\n b(k) = b(k) + s\n end do\n do i = 1, n\n a(i) = b(k-1)\n end do\n end do\nend program p\n",
			y: 1, x: 2, printed: true, sound: false, why: "contains NP of C_2",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := analyze(t, c.program)
			if c.y > len(f.Relations) || c.x > len(f.Relations) {
				t.Fatalf("the program has %d communications\n%s", len(f.Relations), f.Explain())
			}
			got := f.PrintedTest(0, []int{c.y}, c.x)
			if got.Kills != c.printed || got.Kills != f.LiteralKills(0, c.y, c.x) || !strings.Contains(got.Why, c.why) {
				t.Errorf("as printed, C_%d kills C_%d: %v (%s), want %v (%s)", c.y, c.x, got.Kills, got.Why, c.printed, c.why)
			}
			if (c.y != c.x && f.KillsAfter(c.y, c.x, 1)) != c.sound {
				t.Errorf("C_%d kills C_%d: %v, want %v: %s", c.y, c.x, !c.sound, c.sound, f.KillReason(c.y, c.x, c.x).Text)
			}
			if t.Failed() {
				t.Logf("\n%s%s", front.Numbered(c.program), f.Explain())
			}
		})
	}
}

// Theorem 3: no single communication answers a shift by two, two shifts by one,
// one after the other, do; not in the other order, and not where the second one
// has fewer producers than the first has consumers.
func TestPrintedChain(t *testing.T) {
	f := analyze(t, one(9, aligned, ` do i = 3, n
 a(i) = b(i-2)
 end do
 do i = 2, n - 1
 b(i) = a(i+1)
 end do
 do i = 1, n - 2
 a(i) = b(i+1)
 end do
 do i = 1, n
 b(i) = b(i) + a(i)
 end do`))
	for _, c := range []struct {
		ys   []int
		x    int
		want bool
		why  string
	}{
		{[]int{2}, 1, false, "Condition 3 fails"},
		{[]int{3}, 1, false, "Condition 2 fails in dimension 1: the consumers 3:9 of C_1"},
		{[]int{2, 3}, 1, true, "dimension 1 has equal coefficients"},
		{[]int{2, 2}, 1, false, "Condition 2 fails in dimension 1: the consumers 2:8 of C_2"},
		{[]int{3, 2}, 1, false, "Condition 2 fails"},
		{[]int{0}, 1, true, "dimension 1 is U"},    // a barrier
		{[]int{2, 0}, 1, true, "dimension 1 is U"}, // and anything before it
		{[]int{0, 2}, 1, false, "Condition 2 fails in dimension 1: the consumers U of a barrier"},
		{[]int{0}, 0, true, ""},
		{[]int{1}, 0, false, "the consumers U of a barrier are not inside the producers of C_1"},
	} {
		got := f.PrintedTest(0, c.ys, c.x)
		if got.Kills != c.want || !strings.Contains(got.Why, c.why) {
			t.Errorf("%v kills C_%d: %v (%s), want %v (%s)", c.ys, c.x, got.Kills, got.Why, c.want, c.why)
		}
	}
	if got := f.PrintedTest(0, []int{2, 3}, 1).Product.String(); got != "[ 1 0 ]\n[ 0 1 ]" {
		t.Errorf("RF_3 * RF_2 * RF_1 =\n%s", got)
	}
}

// The paper's matrices are those of references: b(i+j,j) goes from (i+j,j), though
// the box of all i+j and j is sent; a copy is everywhere, though one is sent.
func TestPrintedPositions(t *testing.T) {
	f := analyze(t, one(4, square+"\n!HPF$ ALIGN c(i) WITH v(i,*)", ` do j = 1, 2
 do i = 1, 2
 a(i,j) = b(i+j,j)
 end do
 end do
 do j = 1, n
 do i = 1, n - 1
 b(i,j) = c(i+1)
 end do
 end do
 do i = 1, n
 c(i) = c(i) + 1
 end do`))
	for x, want := range map[int][2]string{
		1: {"[ 0 0   1:2 ]\n[ 1 0 -2:-1 ]\n[ 0 0     1 ]", "[ 1 -1 0 ]\n[ 0  1 0 ]\n[ 0  0 1 ]"},
		2: {"[ 1 0 -1 ]\n[ 0 1  0 ]\n[ 0 0  1 ]", "[ 1 0  -1 ]\n[ 0 0 1:4 ]\n[ 0 0   1 ]"},
	} {
		if got := f.Matrices(x).RF.String(); got != want[0] {
			t.Errorf("C_%d: ReceiveFrom\n%s\nwant\n%s", x, got, want[0])
		}
		// An empty chain leaves RF itself.
		if got := f.PrintedTest(0, nil, x).Product.String(); got != want[1] {
			t.Errorf("C_%d: as printed\n%s\nwant\n%s", x, got, want[1])
		}
	}
}

// A reduction kills itself and everything before it; all others that follow it
// would have to have all positions as producers.
func TestPrintedCollectives(t *testing.T) {
	f := analyze(t, one(8, aligned, " do i = 2, n\n a(i) = b(i-1)\n end do\n s = 0\n do i = 1, n\n s = s + a(i)\n end do\n do i = 1, n\n b(i) = b(i) + s\n end do"))
	r := len(f.Relations) + 1
	if len(f.Program.Reduces) != 1 || f.Program.Reduces[0].ID != r || !f.Collective(r) || f.Collective(1) {
		t.Fatalf("the program has not one communication and one reduction\n%s", f.Explain())
	}
	if !f.LiteralKills(0, r, 1) || !f.LiteralKills(0, r, r) || f.LiteralKills(0, 1, r) {
		t.Errorf("kills: reduction over shift %v, over itself %v, shift over reduction %v; want true, true, false",
			f.LiteralKills(0, r, 1), f.LiteralKills(0, r, r), f.LiteralKills(0, 1, r))
	}
	if m := f.Matrices(r); !m.Collective || m.RF.String() != "[ 0 U ]\n[ 0 1 ]" || m.Producers[0].String() != "U" {
		t.Errorf("the matrices of a reduction: %+v", m)
	}
}

// Chains over arrangements of different rank, which only a collective joins.
func TestPrintedRanks(t *testing.T) {
	f := analyze(t, one(8, aligned+`
 integer :: c(n,n), d(n,n)
!HPF$ PROCESSORS q(2,2)
!HPF$ DISTRIBUTE c(BLOCK,BLOCK) ONTO q
!HPF$ ALIGN d(i,j) WITH c(i,j)`, ` do i = 1, n
 a(i) = b(n+1-i)
 end do
 do j = 1, n
 do i = 1, n
 c(i,j) = d(j,i)
 end do
 end do
 do j = 1, n
 do i = 1, n
 d(i,j) = c(j,i)
 b(i) = b(i) + 1
 end do
 end do`))
	for _, c := range []struct {
		ys   []int
		x    int
		want bool
	}{
		{[]int{2}, 1, false}, {[]int{1}, 2, false},
		{[]int{0, 2}, 1, false}, {[]int{2, 0}, 1, false}, {[]int{1, 0}, 1, true}, {[]int{0}, 2, true},
		{[]int{0, 0}, 2, true}, {[]int{2}, 0, false}, {[]int{1, 0, 2}, 1, false}, {[]int{3}, 2, true},
	} {
		if got := f.PrintedTest(0, c.ys, c.x); got.Kills != c.want || got.Why == "" {
			t.Errorf("%v kills C_%d: %v (%q), want %v", c.ys, c.x, got.Kills, got.Why, c.want)
		}
	}
}
