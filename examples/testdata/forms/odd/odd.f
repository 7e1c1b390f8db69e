C     Names that are words of the language, words that run together, blanks inside of words.
      PROGRAM ODD
      IMPLICIT NONE
      INTEGER DO10I, IF(3), I, END, REAL, FORMAT(4), DATA, GOTO5
      REAL*8HOLL, E1
      LOGICAL THEN
      CHARACTER*5 STR*8, C
      DOUBLEPRECISIONDP
      DO10I=1 5
      IF(3)=4
      IF (1) = 2
      END=3
      REAL=END+1
      FORMAT(2)=7
      DATA=1
      GOTO5=8
      THEN=.T RUE.
      HOLL=1.E1+1D0
      E1 = 1 . 5 E - 1
      DP=2.D0
      STR='A''B'
      C='X"Y'
      IF(THEN)REAL=REAL*2
      IF(IF(3).EQ.4.AND.THEN)THEN
      PRINT*,'YES'
      ELSEIF(I.EQ.3)THEN
      PRINT*,'NO'
      ELSE
      PRINT*,'NEVER'
      ENDIF
      DO20I=1,3
20    CONTINUE
25    FORMAT(I-2)=FORMAT(I-2)+1
      DO 3 0 I = 1 , 3 ; REAL = REAL + I
3 0   CON TINUE
      DOWHILE(I.LT.9)
      I=I+1
      ENDDO
      PRINT*,DO10I,IF(3),IF(1),END,REAL,FORMAT(2),DATA,GOTO5,I
      PRINT*,THEN,HOLL,E1,DP,STR,C
      END
