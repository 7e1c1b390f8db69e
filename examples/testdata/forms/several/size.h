#ifndef N
#define N 8 /* how many there are */
#endif
