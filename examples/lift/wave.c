/* The acoustic wave equation in a common form: linear subscripts, ping-pong buffers. */
#include "wave.h"

void wave(int ny, int nx, int steps, float c, float* restrict u, float* restrict before) {
  for (int t = 0; t < steps; t++) {
    for (int y = 1; y < ny - 1; y++)
      for (int x = 1; x < nx - 1; x++) {
        const int at = y * nx + x;
        const float sum = u[at - 1] + u[at + 1] + u[at - nx] + u[at + nx];
        before[at] = 2 * u[at] - before[at] + c * (sum - 4 * u[at]);
      }
    float* next = before;
    before = u;
    u = next;
  }
}
