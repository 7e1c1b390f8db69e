package randprog

import "fmt"

// polymorphicObjects has allocatable objects of which the run chooses the type, in variables and in
// containers: what they are called with, copied and asked is up to their types.
func polymorphicObjects(k *kern) {
	u := k.u
	base, more := k.lineage()
	kinds := []*record{base, more}
	reset := k.fresh("reset")
	for i, r := range kinds {
		name := fmt.Sprintf("%s_%d", reset, i)
		r.bound = append(r.bound, "procedure :: reset => "+name)
		c := &callee{}
		c.add("subroutine %s(self, d)", name)
		c.add("class(%s), intent(inout) :: self", r.name)
		c.add("integer, intent(in) :: d")
		c.lines = append(c.lines, r.fill(u, "self", "d")...)
		p := numbersOf(u, r, "self", val{text: "d", kind: intKind, bound: 12})
		c.lines = append(c.lines, p.stores(u, r, "self", 2)...)
		c.add("end subroutine %s", name)
		r.add(c)
	}
	holder := k.fresh("holder")
	base.module.behind = append(base.module.behind, "type :: "+holder, "   integer :: tag = 0", fmt.Sprintf("   class(%s), allocatable :: what", base.name), "end type "+holder)
	made := k.fresh("made")
	f := &callee{}
	f.add("function %s(d) result(p)", made)
	f.add("integer, intent(in) :: d")
	f.add("class(%s), allocatable :: p", base.name)
	f.add("if (mod(abs(d), 2) == %d) then", u.pick(2))
	f.add("allocate (%s :: p)", more.name)
	f.add("else")
	f.add("allocate (%s :: p)", base.name)
	f.add("end if")
	f.add("call p%%reset(d)")
	f.add("end function %s", made)
	base.add(f)
	asked := k.asked(base, more)
	total := k.scalarVar(intKind, "m", "0", tier{bound: 1000})
	drive := k.fresh("drive")
	c := &callee{}
	count := func(format string, args ...any) { c.add("total = mod(total + %s, 1000)", fmt.Sprintf(format, args...)) }
	c.add("subroutine %s(d, total)", drive)
	c.add("integer, intent(in) :: d")
	c.add("integer, intent(inout) :: total")
	c.add("class(%s), allocatable :: p, q", base.name)
	c.add("type(%s) :: h(4)", holder)
	c.add("integer :: i")
	if u.chance(1, 2) {
		k.feat("class:allocated with a type")
		c.add("allocate (%s :: p)", oneOf(u, base, more).name)
		c.add("call p%%reset(d)")
	} else {
		k.feat("class:value of a function")
		c.add(oneOf(u, "p = %s(d)", "allocate (p, source=%s(d))"), made)
	}
	for range 2 + u.pick(3) {
		switch u.pick(8) {
		case 0:
			k.feat("class:with a source")
			c.add("if (allocated(q)) deallocate (q)")
			c.add("allocate (q, source=p)")
			count("q%%rate(2)")
		case 1:
			k.feat("class:assigned")
			c.add("q = p")
			c.add("call p%%reset(d + 1)")
			count("q%%rate(1)")
		case 2:
			k.feat("class:moved")
			c.add("call move_alloc(p, q)")
			count("merge(1, 2, allocated(p)) + merge(3, 4, allocated(q))")
			c.add("if (.not. allocated(p)) p = %s(d + 3)", made)
		case 3:
			k.feat("class:in containers")
			c.add("do i = 1, 4")
			c.add("h(i)%%tag = i*d")
			c.add("if (allocated(h(i)%%what)) deallocate (h(i)%%what)")
			c.add("if (mod(i + d, 3) == 0) then")
			c.add("allocate (%s :: h(i)%%what)", oneOf(u, base, more).name)
			c.add("else if (mod(i + d, 3) == 1) then")
			c.add("allocate (h(i)%%what, source=p)")
			c.add("end if")
			c.add("if (allocated(h(i)%%what)) call h(i)%%what%%reset(i)")
			c.add("end do")
			c.add("do i = 4, 1, -1")
			c.add("if (allocated(h(i)%%what)) total = mod(total + h(i)%%what%%rate(i), 1000)")
			c.add("end do")
		case 4:
			k.feat("class:containers copied")
			c.add("h(%d) = h(%d)", 1+u.pick(2), 3+u.pick(2))
			c.add("do i = 1, 2")
			c.add("if (allocated(h(i)%%what)) call h(i)%%what%%reset(7)")
			c.add("end do")
			c.add("do i = 1, 4")
			c.add("if (allocated(h(i)%%what)) total = mod(total + i*h(i)%%what%%rate(1), 1000)")
			c.add("end do")
		case 5:
			k.feat("class:select type")
			c.add("select type (p)")
			c.add("type is (%s)", base.name)
			c.lines = append(c.lines, numbersOf(u, base, "p").stores(u, base, "p", 2)...)
			c.add("class is (%s)", more.name)
			c.lines = append(c.lines, numbersOf(u, more, "p").stores(u, more, "p", 2)...)
			c.add("total = mod(total + 5, 1000)")
			c.add("end select")
			count("p%%rate(3)")
		case 6:
			k.feat("class:same type")
			c.add("if (.not. allocated(q)) allocate (q, source=p)")
			c.add("if (same_type_as(p, q)) total = mod(total + 7, 1000)")
			c.add("if (extends_type_of(p, q)) total = mod(total + 11, 1000)")
		case 7:
			k.feat("class:recursion")
			if u.chance(1, 2) {
				k.feat("class:optional")
				c.add("call %s(2, total, p)", asked)
			} else {
				c.add("call %s(3, total)", asked)
			}
		}
	}
	count("p%%rate(1)")
	c.add("end subroutine %s", drive)
	base.add(c)
	for range 1 + u.pick(2) {
		k.emit(fmt.Sprintf("call %s(%s, %s)", drive, k.runtime(1+u.pick(5)), total.name))
	}
}

// asked is the name of a recursive procedure with an optional polymorphic argument.
func (k *kern) asked(base, more *record) string {
	u := k.u
	name := k.fresh("asked")
	c := &callee{}
	c.add("recursive subroutine %s(d, total, p)", name)
	c.add("integer, intent(in) :: d")
	c.add("integer, intent(inout) :: total")
	c.add("class(%s), intent(in), optional :: p", base.name)
	c.add("type(%s) :: own", oneOf(u, base, more).name)
	c.add("if (d <= 0) return")
	c.add("call own%%reset(d)")
	c.add("total = mod(total + 2*own%%rate(d), 1000)")
	c.add("if (present(p)) then")
	c.add("total = mod(total + p%%rate(d), 1000)")
	c.add("call %s(d - 1, total%s)", name, oneOf(u, ", p", ", own", ""))
	c.add("else")
	c.add("call %s(d - 1, total%s)", name, oneOf(u, ", own", ""))
	c.add("end if")
	c.add("total = mod(total + own%%rate(1), 1000)")
	c.add("end subroutine %s", name)
	base.add(c)
	return name
}
