/* Jacobi's method for Laplace's equation until no point changes by more than `tolerance`. */
#include "relax.h"

#include <math.h>

int relax(int ny, int nx, double* restrict u, double* restrict next, double tolerance, int most,
          double* change) {
  double largest = HUGE_VAL;
  int sweeps = 0;
  while (largest > tolerance && sweeps < most) {
    largest = 0;
    for (int j = 1; j < ny - 1; j++) {
      for (int i = 1; i < nx - 1; i++) {
        next[j * nx + i] = 0.25 * (u[j * nx + i - 1] + u[j * nx + i + 1] + u[(j - 1) * nx + i] +
                                   u[(j + 1) * nx + i]);
        largest = fmax(largest, fabs(next[j * nx + i] - u[j * nx + i]));
      }
    }
    double* const spare = u;
    u = next;
    next = spare;
    sweeps++;
  }
  *change = largest;
  return sweeps;
}
