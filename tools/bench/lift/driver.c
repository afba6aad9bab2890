/* Times kernel() on n^RANK points and prints GCells/s, best of three runs. Usage: PROGRAM N STEPS */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void kernel(int n, int steps, double* a, double* b);

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1000, steps = argc > 2 ? atoi(argv[2]) : 100;
  size_t points = (size_t)n * (size_t)n;
  if (RANK == 3) points *= (size_t)n;
  double* a = malloc(points * sizeof *a);
  double* b = malloc(points * sizeof *b);
  double best = 1e30;
  if (a == NULL || b == NULL) return 1;
  for (int run = 0; run < 3; run++) {
#pragma omp parallel for
    for (size_t i = 0; i < points; i++) a[i] = b[i] = (double)(i % 97) / 97;
    const double begin = now();
    kernel(n, steps, a, b);
    const double seconds = now() - begin;
    if (seconds < best) best = seconds;
  }
  printf("%.3f\n", (double)points * steps / best * 1e-9);
  free(a);
  free(b);
  return 0;
}
