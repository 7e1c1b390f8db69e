package verify

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spmdc/spmdc/internal/randprog"
)

const long = `program long
  implicit none
  integer :: a, b, &
     c
  do a = 1, 3
    if (b > 1) then
      c = 1
    else
      c = 2
    end if
    inner: do b = 1, 2
      c = c + 1
    end do inner
  end do
  if (c > 2) c = 3
  print *, c
end program
`

// The smallest program that fails keeps what it fails by, and no more.
func TestShrink(t *testing.T) {
	late := time.Now().Add(time.Hour)
	for _, c := range []struct{ fails, want string }{
		{"c = 2", "program long\n  implicit none\n  do a = 1, 3\n      c = 2\n  end do\nend program\n"},
		{"c = 1", "program long\n  implicit none\n  do a = 1, 3\n      c = 1\n  end do\nend program\n"},
		{"     c\n", "program long\n  implicit none\n  integer :: a, b, &\n     c\nend program\n"},
		{"c = c + 1", "program long\n  implicit none\n  do a = 1, 3\n    inner: do b = 1, 2\n      c = c + 1\n    end do inner\n  end do\nend program\n"},
		{"program long", "program long\n  implicit none\nend program\n"},
	} {
		tries := 0
		got, err := Shrink(long, func(source string) error {
			if tries++; strings.Contains(source, c.fails) {
				return errors.New("it has " + c.fails)
			}
			return nil
		}, late)
		if got != c.want || err == nil || tries > 40 {
			t.Errorf("%q, %v in %d tries:\n%s\nwant\n%s", c.fails, err, tries, got, c.want)
		}
	}
	const units = `module store
  implicit none
  integer :: x
contains
  subroutine clear(y)
    integer :: y
    y = 0
  end subroutine clear
end module store
program units
  use store
  implicit none
  call clear(x)
  x = f(3)
contains
  integer function f(x)
    integer :: x
    f = x
  end function f
end program units
`
	for _, c := range []struct{ fails, want string }{
		{"call clear(x)", "program units\n  implicit none\n  call clear(x)\nend program units\n"},
		{"f = x", "program units\n  implicit none\n  integer function f(x)\n    f = x\n  end function f\nend program units\n"},
		{"y = 0", "module store\n  implicit none\n  subroutine clear(y)\n    y = 0\n  end subroutine clear\nend module store\nprogram units\n  implicit none\nend program units\n"},
	} {
		got, _ := Shrink(units, func(source string) error {
			if strings.Contains(source, c.fails) {
				return errors.New("it has " + c.fails)
			}
			return nil
		}, late)
		if got != c.want {
			t.Errorf("%q:\n%s\nwant\n%s", c.fails, got, c.want)
		}
	}
	if got, err := Shrink(long, func(string) error { return nil }, late); got != long || err != nil {
		t.Errorf("what does not fail is changed: %v\n%s", err, got)
	}
	if got, err := Shrink(long, func(string) error { return errors.New("always") }, time.Now()); got != long || err == nil {
		t.Errorf("without time: %v\n%s", err, got)
	}
}

func TestManner(t *testing.T) {
	same := func(a, b *Fault) bool { return manner(a) == manner(b) }
	early := &Fault{Violation, "x.hpf:3: PE 0: put of #1 shift a(i-1) (line 3) to PE 1 in epoch 2 comes too early: PE 1 is not done\n more"}
	other := &Fault{Violation, "x.hpf:7: PE 2: put of #4 shift b(i+1) (line 7) to PE 0 in epoch 9 comes too early: PE 0 is not done\n less"}
	undefined := &Fault{Violation, "x.hpf:3: PE 0: b(i) is used before it has a value"}
	unordered := &Fault{Violation, "x.hpf:8: PE 2: put of #4 shift b(i+1) (line 8) to PE 0 in epoch 9 is not ordered: PE 2 cannot know"}
	if !same(early, other) || !same(early, unordered) || same(early, undefined) || same(early, &Fault{Hang, early.Text}) || !same(&Fault{Wrong, "x"}, &Fault{Wrong, "y"}) {
		t.Errorf("%q, %q, %q", manner(early), manner(other), manner(undefined))
	}
}

func TestParsePEs(t *testing.T) {
	for text, want := range map[string][]int{"": DefaultPEs, "4": {4}, "8, 2,1,2": {1, 2, 8}, "1-4": {1, 2, 3, 4}, "7-8,1, 2 - 3": {1, 2, 3, 7, 8}, "5-5": {5}, "3-2": nil, "1-": nil, "0-2": nil, "1-2-3": nil, "1-9999999": nil, "0": nil, "1,": nil, "x": nil, "-1": nil} {
		got, err := ParsePEs(text)
		if !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
}

// The generators take turns, and each seed has one program.
func TestGenerated(t *testing.T) {
	program := regexp.MustCompile(`(?m)^program (\w+)`) // there may be modules before it
	names := map[string]int{}
	for seed := range uint64(12) {
		p := Generated(seed)
		if p.Source != Generated(seed).Source {
			t.Errorf("seed %d has two programs", seed)
		}
		if _, err := randprog.Subroutine(p.Source, 0); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		names[program.FindStringSubmatch(p.Source)[1]]++
	}
	if names["random"] != 9 || names["loops"] != 2 || names["planes"] != 1 {
		t.Errorf("%v", names)
	}
}
