/* A program that uses wave() and does not know which of the two it was linked with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wave.h"

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
  return 0;
}
