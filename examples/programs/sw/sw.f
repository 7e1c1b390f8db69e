C     SW: THE SHALLOW-WATER EQUATIONS ON A TORUS, IN FORTRAN 77, AS SADOURNY'S SCHEME
C     IN THE BENCHMARK SWIM HAS THEM: COMMON BLOCKS, LABELLED LOOPS, THREE SUBROUTINES.
      PROGRAM SW
      INTEGER M, N
      PARAMETER (M=24, N=20)
      DOUBLE PRECISION U, V, P, UNEW, VNEW, PNEW, UOLD, VOLD, POLD,
     &  CU, CV, Z, H
      COMMON /NOW/ U(M+1,N+1), V(M+1,N+1), P(M+1,N+1)
      COMMON /NEXT/ UNEW(M+1,N+1), VNEW(M+1,N+1), PNEW(M+1,N+1)
      COMMON /LAST/ UOLD(M+1,N+1), VOLD(M+1,N+1), POLD(M+1,N+1)
      COMMON /WORK/ CU(M+1,N+1), CV(M+1,N+1), Z(M+1,N+1), H(M+1,N+1)
!HPF$ DISTRIBUTE (*,BLOCK) :: U, V, P, UNEW, VNEW, PNEW
!HPF$ DISTRIBUTE (*,BLOCK) :: UOLD, VOLD, POLD, CU, CV, Z, H
      DOUBLE PRECISION PI, DI, DJ, PTOT, ETOT, DT
      INTEGER I, J, NC
      PI = 4.D0*ATAN(1.D0)
      DI = 2.D0*PI/M
      DJ = 2.D0*PI/N
      DO 10 J = 1, N+1
        DO 10 I = 1, M+1
          U(I,J) = -SIN((I-.5D0)*DI)*COS((J-1)*DJ)*10.D0
          V(I,J) = COS((I-1)*DI)*SIN((J-.5D0)*DJ)*10.D0
          P(I,J) = 2.D3*(COS(2.D0*(I-1)*DI) + COS(2.D0*(J-1)*DJ)) + 5.D4
          UOLD(I,J) = U(I,J)
          VOLD(I,J) = V(I,J)
          POLD(I,J) = P(I,J)
   10 CONTINUE
      DT = 90.D0
      DO 100 NC = 1, 60
        CALL CALC1
        CALL CALC2(DT)
        CALL CALC3(NC)
        IF (NC .EQ. 1) DT = DT + DT
        IF (MOD(NC,20) .NE. 0) GO TO 100
        PTOT = 0.D0
        ETOT = 0.D0
        DO 20 J = 1, N
          DO 20 I = 1, M
            PTOT = PTOT + P(I,J)
            ETOT = ETOT + P(I,J)*(U(I,J)**2 + V(I,J)**2)
   20   CONTINUE
        PRINT 900, NC, PTOT/(M*N), ETOT/(M*N)/1.D6
  100 CONTINUE
  900 FORMAT (' STEP', I4, '  MEAN PRESSURE', F14.6, '  KINETIC', F12.6)
      PRINT 910, (P(I,I), I = 1, 16)
  910 FORMAT (4F16.6)
      END

C     MASS FLUXES, VORTICITY AND HEIGHT
      SUBROUTINE CALC1
      INTEGER M, N
      PARAMETER (M=24, N=20)
      DOUBLE PRECISION U, V, P, CU, CV, Z, H
      COMMON /NOW/ U(M+1,N+1), V(M+1,N+1), P(M+1,N+1)
      COMMON /WORK/ CU(M+1,N+1), CV(M+1,N+1), Z(M+1,N+1), H(M+1,N+1)
      DOUBLE PRECISION FS
      INTEGER I, J
      FS = 4.D0/1.D5
      DO 10 J = 1, N
        DO 10 I = 1, M
          CU(I+1,J) = .5D0*(P(I+1,J) + P(I,J))*U(I+1,J)
          CV(I,J+1) = .5D0*(P(I,J+1) + P(I,J))*V(I,J+1)
          Z(I+1,J+1) = FS*(V(I+1,J+1) - V(I,J+1) - U(I+1,J+1)
     &      + U(I+1,J))/(P(I,J) + P(I+1,J) + P(I+1,J+1) + P(I,J+1))
          H(I,J) = P(I,J) + .25D0*(U(I+1,J)**2 + U(I,J)**2
     &      + V(I,J+1)**2 + V(I,J)**2)
   10 CONTINUE
      CALL AROUND(CU, 1, 0)
      CALL AROUND(CV, 0, 1)
      CALL AROUND(Z, 1, 1)
      CALL AROUND(H, 0, 0)
      END

C     THE BORDERS OF F, OF WHICH F(1+DI:M+DI,1+DJ:N+DJ) IS THERE
      SUBROUTINE AROUND(F, DI, DJ)
      INTEGER M, N
      PARAMETER (M=24, N=20)
      DOUBLE PRECISION F(M+1,N+1)
      INTEGER DI, DJ, I, J
!HPF$ INHERIT F
      DO 10 J = 1 + DJ, N + DJ
        IF (DI .EQ. 1) F(1,J) = F(M+1,J)
        IF (DI .EQ. 0) F(M+1,J) = F(1,J)
   10 CONTINUE
      DO 20 I = 1, M + 1
        IF (DJ .EQ. 1) F(I,1) = F(I,N+1)
        IF (DJ .EQ. 0) F(I,N+1) = F(I,1)
   20 CONTINUE
      END

C     THE NEXT STEP
      SUBROUTINE CALC2(DT)
      INTEGER M, N
      PARAMETER (M=24, N=20)
      DOUBLE PRECISION DT, UNEW, VNEW, PNEW, UOLD, VOLD, POLD,
     &  CU, CV, Z, H
      COMMON /NEXT/ UNEW(M+1,N+1), VNEW(M+1,N+1), PNEW(M+1,N+1)
      COMMON /LAST/ UOLD(M+1,N+1), VOLD(M+1,N+1), POLD(M+1,N+1)
      COMMON /WORK/ CU(M+1,N+1), CV(M+1,N+1), Z(M+1,N+1), H(M+1,N+1)
      DOUBLE PRECISION T8, TX
      INTEGER I, J
      T8 = DT/8.D0
      TX = DT/1.D5
      DO 10 J = 1, N
        DO 10 I = 1, M
          UNEW(I+1,J) = UOLD(I+1,J) + T8*(Z(I+1,J+1) + Z(I+1,J))
     &      *(CV(I+1,J+1) + CV(I,J+1) + CV(I,J) + CV(I+1,J))
     &      - TX*(H(I+1,J) - H(I,J))
          VNEW(I,J+1) = VOLD(I,J+1) - T8*(Z(I+1,J+1) + Z(I,J+1))
     &      *(CU(I+1,J+1) + CU(I,J+1) + CU(I,J) + CU(I+1,J))
     &      - TX*(H(I,J+1) - H(I,J))
          PNEW(I,J) = POLD(I,J) - TX*(CU(I+1,J) - CU(I,J))
     &      - TX*(CV(I,J+1) - CV(I,J))
   10 CONTINUE
      CALL AROUND(UNEW, 1, 0)
      CALL AROUND(VNEW, 0, 1)
      CALL AROUND(PNEW, 0, 0)
      END

C     THE TIME FILTER OF ROBERT
      SUBROUTINE CALC3(NC)
      INTEGER M, N, NC
      PARAMETER (M=24, N=20)
      DOUBLE PRECISION U, V, P, UNEW, VNEW, PNEW, UOLD, VOLD, POLD
      COMMON /NOW/ U(M+1,N+1), V(M+1,N+1), P(M+1,N+1)
      COMMON /NEXT/ UNEW(M+1,N+1), VNEW(M+1,N+1), PNEW(M+1,N+1)
      COMMON /LAST/ UOLD(M+1,N+1), VOLD(M+1,N+1), POLD(M+1,N+1)
      DOUBLE PRECISION ALPHA
      INTEGER I, J
      ALPHA = 1.D-3
      IF (NC .EQ. 1) ALPHA = 0.D0
      DO 10 J = 1, N+1
        DO 10 I = 1, M+1
          UOLD(I,J) = U(I,J) + ALPHA*(UNEW(I,J) - 2.D0*U(I,J)
     &      + UOLD(I,J))
          VOLD(I,J) = V(I,J) + ALPHA*(VNEW(I,J) - 2.D0*V(I,J)
     &      + VOLD(I,J))
          POLD(I,J) = P(I,J) + ALPHA*(PNEW(I,J) - 2.D0*P(I,J)
     &      + POLD(I,J))
          U(I,J) = UNEW(I,J)
          V(I,J) = VNEW(I,J)
          P(I,J) = PNEW(I,J)
   10 CONTINUE
      END
