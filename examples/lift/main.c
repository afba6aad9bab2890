/* Uses wave() and relax(), independently of which version is linked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relax.h"
#include "wave.h"

/* A plate with one warm edge. */
static int plate(int most) {
  const int ny = 40, nx = 60;
  double change = 0, sum = 0;
  double* u = calloc((size_t)ny * (size_t)nx, sizeof *u);
  double* next = calloc((size_t)ny * (size_t)nx, sizeof *next);
  if (u == NULL || next == NULL) return 1;
  for (int i = 0; i < nx; i++) u[i] = next[i] = 1;
  const int sweeps = relax(ny, nx, u, next, 1e-4, most, &change);
  for (int i = 0; i < ny * nx; i++) sum += sweeps % 2 ? next[i] : u[i];
  printf("%d %.17g %.17g\n", sweeps, change, sum);
  free(u);
  free(next);
  return 0;
}

int main(void) {
  const int ny = 200, nx = 300;
  const size_t points = (size_t)ny * (size_t)nx;
  float* u = malloc(points * sizeof *u);
  float* before = malloc(points * sizeof *before);
  unsigned long hash = 5381;
  if (u == NULL || before == NULL) return 1;
  for (int steps = 0; steps < 40; steps += 13) {
    for (size_t i = 0; i < points; i++) {
      u[i] = (float)(i % 17) / 16;
      before[i] = (float)(i % 13) / 12;
    }
    wave(ny, nx, steps, 0.1f, u, before);
    for (size_t i = 0; i < points; i++) {
      unsigned a, b;
      memcpy(&a, u + i, sizeof a);
      memcpy(&b, before + i, sizeof b);
      hash = hash * 33 + a;
      hash = hash * 33 + b;
    }
  }
  printf("%lu\n", hash);
  free(u);
  free(before);
  return plate(10000) + plate(77) + plate(0);
}
