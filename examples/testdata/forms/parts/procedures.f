      subroutine scale(n, x)
      integer n, i
      double precision x(*)
      do i = 1, n
         x(i) = 2*x(i) + i
      end do
      end
      subroutine plane(p, n, m)
      integer n, m, i
      real p(n,m)
      do i = 1, m
         p(1,i) = p(1,i) + 10*p(2,i)
      end do
      end
      subroutine turn(c, n)
      integer n, i
      complex c(n)
      do i = 1, n
         c(i) = c(i)*(0,1)
      end do
      end
      subroutine total(c, n)
      integer n, i
      complex(8) c(2,*), s
      s = 0
      do i = 1, n/2
         s = s + c(1,i)*c(2,i)
      end do
      print *, s
      end
