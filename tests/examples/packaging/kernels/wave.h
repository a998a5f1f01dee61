/* wave.h - a kernel that each of the example projects wraps. */
#ifndef WAVE_H
#define WAVE_H

/* One step of the wave equation on n points: next = 2 now - before + c2 * (now's second difference); the ends stay 0.
 * c2: the squared Courant number, without a unit. */
void wave_step(int n, const double now[n], const double before[n], double next[n], double c2);

#endif
