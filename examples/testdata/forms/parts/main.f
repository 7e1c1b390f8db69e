      program parts
      implicit none
      complex(8) z(3,4)
      complex w(5)
      real x(9)
      double precision y(8)
      integer i, j
      do j = 1, 4
         do i = 1, 3
            z(i,j) = dcmplx(dble(i), dble(10*j))
         end do
      end do
      call scale(24, z)
      print *, z
      call scale(7, z(2,3))
      print *, z
      do i = 1, 5
         w(i) = cmplx(i, -i)
      end do
      call plane(w, 2, 5)
      print *, w
      do i = 1, 9
         x(i) = i
      end do
      call turn(x(2), 4)
      print *, x
      do i = 1, 8
         y(i) = i
      end do
      call total(y, 4)
      end
