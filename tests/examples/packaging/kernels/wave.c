#include "wave.h"

void
wave_step(int n, const double now[n], const double before[n], double next[n], double c2)
{
    for (int i = 0; i < n; i++)
        next[i] = i == 0 || i == n - 1 ? 0.0 : 2.0 * now[i] - before[i] + c2 * (now[i - 1] - 2.0 * now[i] + now[i + 1]);
}
