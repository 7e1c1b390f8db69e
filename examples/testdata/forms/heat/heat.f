C     Heat in a plate, in the fixed form of old: the residual of each sweep, and the
C     temperature along the diagonal.
      PROGRAM HEAT
      INTEGER N, STEPS
      PARAMETER (N = 24, STEPS = 30)
      REAL*8 U(N,N), V(N,N), ERR
      INTEGER I, J, K
CHPF$ PROCESSORS P(2, 2)
CHPF$ TEMPLATE T(N, N)
CHPF$ ALIGN (I, J) WITH T(I, J) ::
CHPF$*  U, V
*HPF$ DISTRIBUTE T(BLOCK, BLOCK) ONTO P          ! both dimensions
      DO 10 J = 1, N
        DO 10 I = 1, N
          U(I,J) = 0.D0
          IF (I .EQ. 1) U(I,J) = 100.D0 + J
10        V(I,J) = U(I,J)
      DO 40 K = 1, STEPS
        ERR = 0.D0
!hpf$ independent (j, i), reduction(err)
        DO 20 J = 2, N - 1
          DO 20 I = 2, N - 1
            V(I,J) = 0.25D0 * (U(I-1,J) + U(I+1,J)
     &                       + U(I,J-1) + U(I,J+1))                     HEAT0010
            ERR = MAX(ERR, ABS(V(I,J) - U(I,J)))
   20   CONTINUE
        DO30J=2,N-1
        DO30I=2,N-1
30      U(I,J)=V(I,J)
        IF (MOD(K, 10).EQ.0) PRINT *, 'STEP', K, ' RESID
     *UAL', ERR
40    CONTINUE
      DO 5 0 I = 1, N, 4
      PR INT *, I, U(I, I)
5  0  CONT INUE
      CALL TOTAL(U, N)
      E N D

      SUBROUTINE TOTAL(A, N)
      INTEGER N, I, J
      DOUBLE PRECISION A(N, N), S
      S = 0
	DO 10 J = 1, N
	DO 10 I = 1, N
10	S = S + A(I, J)
	IF (S .GT. 1 . E 3) THEN
	PRINT *, 'TOTAL',
	1 S
	END IF
      END
