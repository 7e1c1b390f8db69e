package transform_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/spmdc/spmdc/ir"
	"github.com/spmdc/spmdc/ir/transform"
)

// refusals are programs that a transformation would spoil, each with the reason
// that it gives. The first loop or IF of the line "! here" is the one meant.
var refusals = []struct {
	kind transform.Kind
	why  string
	body string
	// same: forced, the transformation happens to give the same results here: it
	// is refused for other reasons than these.
	same bool
}{
	{transform.Distribute, "lines 5 and 6 stay together: z(1,i) in line 6 and z(1,i-1) in line 5: carried by loop i", `
do i = 2, 7 ! here
  a(i) = z(1,i-1)
  z(1,i) = a(i)
end do`, false},
	{transform.Distribute, "EXIT in line 6 ends it", `
do i = 1, 8 ! here
  a(i) = i
  if (a(i) > 3) exit
  z(1,i) = 5
end do`, false},
	{transform.Distribute, "CYCLE in line 6 skips statements", `
do i = 1, 8 ! here
  a(i) = i
  if (a(i) > 3) cycle
  z(1,i) = 5
end do`, false},
	{transform.Distribute, "STOP in line 6 ends the program", `
do i = 1, 8 ! here
  a(i) = i
  if (a(i) > 3) stop
  z(1,i) = 5
end do`, false},
	{transform.Distribute, "the records of PRINT in line 6", `
do i = 1, 8 ! here
  a(i) = i
  print *, a(i)
  z(1,i) = 5
  print *, z(1,i)
end do`, false},
	{transform.Distribute, "the records of READ in line 6", `
do i = 1, 8 ! here
  a(i) = i
  read *, k
  z(1,i) = k
end do`, false},
	{transform.Distribute, "x keeps its value from one iteration to the next, or for use behind the loop", `
x = 1
do i = 1, 8 ! here
  a(i) = x
  x = x + i
  z(1,i) = x
end do`, false},
	{transform.Distribute, "x keeps its value from one iteration to the next, or for use behind the loop", `
do i = 1, 8 ! here
  x = i
  a(i) = x
  if (i == 3) x = 7
  z(1,i) = x
end do
print *, x`, false},
	{transform.Distribute, "x has a value of its own in each iteration, from line 5 to line 6", `
do i = 1, 8 ! here
  x = a(i)
  a(i) = x + 1
  z(1,i) = x
end do`, false},
	{transform.Distribute, "x has a value of its own in each iteration, from line 5 to line 8", `
do i = 1, 8 ! here
  x = i
  if (i < 4) x = a(1)
  a(i) = 1
  z(1,i) = x
end do`, false},
	{transform.Distribute, "its bounds read a distributed array", `
a(1) = 6
do i = 1, a(1) ! here
  z(1,i) = 3
  w(i) = 2
end do`, true},
	{transform.Distribute, "its body is one statement", `
do i = 1, 8 ! here
  a(i) = 1
end do`, true},
	{transform.Distribute, "all its statements have the same owners", `
do i = 1, 8 ! here
  a(i) = 1
  a(i) = a(i) + 1
end do`, true},

	{transform.Guard, "it has an ELSE", `
do i = 1, 4
  if (i < 3) then ! here
    do k = i, 2
      a(k) = 9
    end do
  else
    a(8) = i
  end if
end do`, false},
	{transform.Guard, "its condition is not made of comparisons", `
do i = 1, 4
  if (a(i) < 3) then ! here
    do k = i, 2
      a(k) = 9
    end do
  end if
end do`, true},
	{transform.Guard, "the loop in line 6 may run where the condition is false", `
do i = 1, 4
  if (i < 2) then ! here
    do k = i, 2
      a(k) = a(k) + 9
    end do
  end if
end do`, false},
	{transform.Guard, "it changes n, which its condition depends on", `
do i = 1, 4
  do n = 1, i
    a(n) = 8
  end do
  if (n < 3) then ! here
    do n = n, 2
      a(n) = 9
    end do
  end if
end do`, true},
	{transform.Guard, "the IF changes k, which the loop in line 9 depends on", `
do i = 1, 4
  if (i < 3) then ! here
    do k = i, 2
      a(k) = 9
    end do
    do m = k, 2
      a(m) = 8
    end do
  end if
end do`, true},
	{transform.Guard, "k, which line 6 changes, may be used behind it", `
do i = 1, 4
  if (i < 3) then ! here
    do k = i, 2
      a(k) = 9
    end do
  end if
  w(i) = k
end do`, false},
	{transform.Guard, "m, which line 6 changes, may be used behind it", `
do i = 1, 4
  if (i < 3) then ! here
    m = i
    do k = m, 2
      a(k) = 9
    end do
  end if
  w(i) = m
end do`, false},
	{transform.Guard, "line 9 assigns a(5) whatever the loops do", `
do i = 1, 4
  if (i < 3) then ! here
    do k = i, 2
      a(k) = 9
    end do
    a(5) = i
  end if
end do`, false},
	{transform.Guard, "line 9 is neither a loop nor an assignment", `
do i = 1, 4
  if (i < 3) then ! here
    do k = i, 2
      a(k) = 9
    end do
    print *, i
  end if
end do`, false},
	{transform.Guard, "the value of m in line 6 is not affine", `
do i = 1, 4
  if (i < 3) then ! here
    m = 12 / (3 - i)
    do k = i, 2
      a(k) = m
    end do
  end if
end do`, false},
	{transform.Guard, "n in line 6 may have no value where the condition is false", `
do i = 1, 4
  if (i < 3) then ! here
    m = n + 1
    do k = i, 2
      a(k) = m
    end do
  end if
end do`, true},
	{transform.Guard, "the bounds of the loop in line 6 are not affine", `
do i = 1, 4
  if (i < 3) then ! here
    do k = i, w(i)
      a(k) = 9
    end do
  end if
end do`, false},
	{transform.Guard, "it guards no loop", `
do i = 1, 4
  if (i < 3) then ! here
    m = i
  end if
end do`, true},

	{transform.Peel, "its step is not a constant", `
do i = 1, 5, w(1) ! here
  if (i < 5) a(i) = 9
end do`, true},
	{transform.Peel, "its bounds are not affine", `
do i = 1, w(1) ! here
  if (i < w(1)) a(i) = 9
end do`, true},
	{transform.Peel, "no condition inside compares affine forms", `
do i = 1, 6 ! here
  if (a(i) > 2) a(i) = 9
end do`, true},
	{transform.Peel, "neither the first nor the last iteration decides a condition", `
do i = 1, 6 ! here
  if (i < 4) a(i) = 9
end do`, true},
	{transform.Peel, "EXIT in line 6 leaves it before the last iteration", `
do i = 1, 6 ! here
  if (i < 6) a(i) = 9
  if (a(i) < 2) exit
  a(i) = 8
end do`, false},
	{transform.Split, "its step is not 1 or -1", `
do i = 1, 6, 2 ! here
  a(i) = a(3)
end do`, false},
	{transform.Split, "its bounds are not affine", `
do i = 1, w(1) ! here
  a(i) = a(3)
end do`, true},
	{transform.Split, "no iteration assigns what others read", `
m = 1
do i = 1, 6 ! here
  a(i) = a(m)
  m = 7 - m
end do`, true},
	{transform.Split, "no iteration assigns what others read", `
do i = 1, 6 ! here
  a(i) = a(i) + w(3)
end do`, true},
	{transform.Split, "that it has an iteration i = 7 is not known", `
do i = 1, 6 ! here
  a(i) = a(7)
end do`, true},
	{transform.Split, "the jump in line 6 names it", `
do i = 1, 6 ! here
  a(i) = a(3)
  if (a(i) < 9) cycle
  a(i) = 8
end do`, false},
	{transform.Peel, "CYCLE in line 6 ends the peeled iteration", `
do i = 1, 6 ! here
  if (i < 6) a(i) = 9
  if (a(i) < 9) cycle
  a(i) = 8
end do`, false},
	{transform.Interchange, "z(i,k) in line 6 and z(i-1,k+1) in line 6 may touch the same element, in the other order then", `
do i = 2, 7 ! here
  do k = 2, 7
    z(i,k) = z(i-1,k+1) + i
  end do
end do`, false},
	{transform.Interchange, "z(i,k) in line 7 and z(mod(i,3)+1,k+1) in line 7 may touch", `
x = 3
do i = 2, 7 ! here
  do k = 2, 7
    z(i,k) = z(mod(i,3)+1,k+1) + i*k
  end do
end do`, false},
	{transform.Interchange, "the bounds of the loop in line 5 depend on i", `
do i = 1, 7 ! here
  do k = 1, i
    z(i,k) = 9*i + k
  end do
end do`, false},
	{transform.Interchange, "x has values that depend on the order of the iterations", `
do i = 1, 7 ! here
  do k = 1, 7
    x = x + i
    z(i,k) = x
  end do
end do`, false},
	{transform.Interchange, "x has values that depend on the order of the iterations", `
do i = 1, 7 ! here
  do k = 1, 7
    x = 10*i + k
    z(i,k) = x
  end do
end do
w(2) = x`, true},
	{transform.Interchange, "k, the index of the loop in line 6, is used behind the nest, and the loop in line 5 may have no iteration", `
n = mod(w(1), 1)
do i = 1, n ! here
  do k = 1, 7
    z(i,k) = i
  end do
end do
w(1) = k`, false},
	{transform.Interchange, "EXIT in line 7 ends a loop of the nest", `
do i = 1, 7 ! here
  do k = 1, 7
    z(i,k) = i
    if (i + k > 6) exit
  end do
end do`, false},
	{transform.Interchange, "INDEPENDENT of the loop in line 6 says nothing of it outside of that in line 4", `
do i = 2, 7 ! here
!HPF$ INDEPENDENT
  do k = 2, 7
    z(i,k) = z(mod(i,2)+1,k) + 1
  end do
end do`, true},
	{transform.Replicate, "may touch the same element: carried by loop i", `
do i = 1, 6 ! here
  x = a(i)
  a(i) = a(i+1)
  a(i+1) = x + 1
end do`, false},
	{transform.Replicate, "x in line 5 keeps its value", `
do i = 1, 7, 2 ! here
  x = a(i)
  a(i) = a(i+1)
  a(i+1) = x
end do
print *, x`, false},
	{transform.Replicate, "a(i+1) in line 6 is not accessed in each iteration", `
do i = 1, 8, 2 ! here
  a(i) = a(i) + i
  if (i < 7) a(i+1) = a(i)
end do`, false},
	{transform.Replicate, "all that it assigns has the same owners", `
do i = 1, 8 ! here
  a(i) = a(i) + i
end do`, false},
	{transform.Redistribute, "of no array that is distributed otherwise it accesses elements i alone", `
!HPF$ DISTRIBUTE c(*,BLOCK)
do i = 1, 7 ! here
  do k = 1, 8
    c(i,k) = c(i+1,k)
  end do
end do`, false},
	{transform.Redistribute, "it assigns to none of the arrays that would be distributed along i", `
!HPF$ DISTRIBUTE c(*,BLOCK)
do i = 1, 8 ! here
  do k = 1, 8
    a(i) = a(i) + c(i,k)
  end do
end do`, true},
	{transform.Redistribute, "its bounds are not affine, or change in it", `
!HPF$ DISTRIBUTE c(*,BLOCK)
n = max(1, min(1, a(3)))
do i = 1, 8, n ! here
  do k = 1, 8
    c(i,mod(3*k,8)+1) = k
  end do
end do`, true},
	{transform.Redistribute, "INDEPENDENT names c", `
!HPF$ DISTRIBUTE c(*,BLOCK)
!HPF$ INDEPENDENT, NEW(c)
do i = 1, 8 ! here
  do k = 1, 8
    c(i,k) = k
  end do
end do`, true},
	{transform.Periodic, "that x is 1 or 2 in front of the loop is not known", `
x = a(3) + 5
do i = 1, 8 ! here
  a(i) = x
  x = 3 - x
end do`, false},
	{transform.Periodic, "x is assigned in 2 places", `
x = 1
do i = 1, 8 ! here
  a(i) = x
  x = 3 - x
  if (i == 4) x = 2
end do`, false},
	{transform.Periodic, "CYCLE in line 7 may leave out what flips", `
x = 1
do i = 1, 8 ! here
  a(i) = x
  if (i == 3) cycle
  x = 3 - x
end do`, false},
	{transform.Periodic, "the two values of x in line 7 are not neighbours", `
x = 0
do i = 1, 8 ! here
  a(i) = x
  x = 4 - x
end do`, false},
}

// TestRefusals: each transformation that would spoil a program is refused, with
// the reason; and it would spoil it: done all the same, the results differ.
func TestRefusals(t *testing.T) {
	for _, test := range refusals {
		t.Run(string(test.kind)+"/"+test.why, func(t *testing.T) {
			text := "program p\n  integer :: a(8), z(8,8), w(8), c(8,8), i, k, m, n, x\n!HPF$ DISTRIBUTE a(BLOCK)" + test.body + "\nend program p\n"
			p := program(t, text)
			var at ir.Stmt
			for i, line := range strings.Split(text, "\n") {
				if strings.Contains(line, "! here") {
					ir.Walk(p.Body, func(s ir.Stmt) bool {
						if s.Position().Line == i+1 && at == nil {
							at = s
						}
						return at == nil
					})
				}
			}
			c, err := apply(analysis(p), test.kind, at)
			var r *transform.Refusal
			if !errors.As(err, &r) || c != nil {
				t.Fatalf("not refused: %v, %v", c, err)
			}
			if !strings.Contains(r.Why, test.why) {
				t.Errorf("refused because %s; want %s", r.Why, test.why)
			}
			before, failed := run(p)
			if failed != "" {
				t.Fatal(failed)
			}
			after, failed := run(substitute(p, force(test.kind, at)))
			if same := failed == "" && differ(p, before, after) == ""; same != test.same {
				t.Errorf("forced, it gives the same: %v, want %v", same, test.same)
			}
		})
	}
}

// force makes a change without asking: a loop for each statement, the statements
// of an IF without it, the last iteration of a loop behind it, two loops interchanged, a
// loop twice with nothing kept of what was before, x as 1 or 2 by the parity of i, a loop
// in another order, as if the PEs shared its iterations.
func force(kind transform.Kind, s ir.Stmt) *transform.Change {
	c := &transform.Change{Kind: kind, Old: s}
	switch s := s.(type) {
	case *ir.If:
		c.New = s.Then
	case *ir.Do:
		if kind == transform.Interchange {
			outer, inner := *s.Body[0].(*ir.Do), *s
			inner.Body = ir.Copy(outer.Body)
			outer.Body = []ir.Stmt{&inner}
			redirect(inner.Body, s.Body[0], &inner)
			c.New = []ir.Stmt{&outer}
			return c
		}
		if kind == transform.Periodic {
			n := *s
			n.Body = ir.Copy(s.Body)
			redirect(n.Body, s, &n)
			c.New = []ir.Stmt{&n}
			var x *ir.Var
			ir.WalkExprs(n.Body, func(_ ir.Stmt, e ir.Expr) bool {
				if v, ok := e.(*ir.Var); ok && v.Sym.Name == "x" {
					x = v
				}
				return x == nil
			})
			typ := ir.X{Typ: ir.Integer}
			constant := func(k int) ir.Expr { return &ir.Const{X: typ, Int: k} }
			odd := &ir.Call{X: typ, Name: "mod", Args: []ir.Expr{&ir.Var{X: typ, Sym: s.Index}, constant(2)}}
			n.Body = append([]ir.Stmt{&ir.Assign{LHS: ir.Clone(x), RHS: &ir.Bin{X: typ, Op: ir.Sub, L: constant(2), R: odd}}}, n.Body...)
			return c
		}
		if kind == transform.Redistribute {
			n := *s
			n.Body = ir.Copy(s.Body)
			redirect(n.Body, s, &n)
			n.Lo, n.Hi, n.Step = ir.Clone(s.Hi), ir.Clone(s.Lo), &ir.Un{X: ir.X{Typ: ir.Integer}, Op: ir.Neg, E: ir.Clone(s.Step)}
			c.New = []ir.Stmt{&n}
			return c
		}
		if kind == transform.Replicate {
			c.New = append(ir.Copy([]ir.Stmt{s}), ir.Copy([]ir.Stmt{s})...)
			return c
		}
		if kind == transform.Distribute {
			for _, x := range s.Body {
				part := *s
				part.Body = ir.Copy([]ir.Stmt{x})
				redirect(part.Body, s, &part)
				c.New = append(c.New, &part)
			}
			return c
		}
		one := func() ir.Expr { return &ir.Const{X: ir.X{Typ: ir.Integer}, Int: 1} }
		main, last := *s, *s
		main.Hi = &ir.Bin{X: ir.X{Typ: ir.Integer}, Op: ir.Sub, L: ir.Clone(s.Hi), R: one()}
		main.Body = ir.Copy(s.Body)
		redirect(main.Body, s, &main)
		last.Lo = ir.Clone(s.Hi)
		last.Body = ir.Copy(s.Body)
		// A jump in the copy has no loop to go to: it does nothing.
		last.Body = withoutJumps(last.Body, s)
		c.New = []ir.Stmt{&main, &last}
	}
	return c
}

func redirect(body []ir.Stmt, from, to ir.Stmt) {
	ir.Walk(body, func(s ir.Stmt) bool {
		switch s := s.(type) {
		case *ir.Exit:
			if s.Loop == from {
				s.Loop = to
			}
		case *ir.Cycle:
			if s.Loop == from {
				s.Loop = to
			}
		}
		return true
	})
}

func withoutJumps(body []ir.Stmt, loop ir.Stmt) []ir.Stmt {
	var out []ir.Stmt
	for _, s := range body {
		switch s := s.(type) {
		case *ir.Exit, *ir.Cycle:
			continue
		case *ir.If:
			s.Then, s.Else = withoutJumps(s.Then, loop), withoutJumps(s.Else, loop)
		}
		out = append(out, s)
	}
	return out
}
