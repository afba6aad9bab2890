/* A C program that uses an emitted file: prints the bits of the results of a run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plate.h"

static int failed(const char* error) {
  if (error) fprintf(stderr, "%s\n", error);
  return error != NULL;
}

/* The error of a NULL argument names the argument. */
static int refused(const char* error, const char* argument) {
  return error && strstr(error, argument) != NULL && strstr(error, "NULL") != NULL;
}

int main(int argc, char** argv) {
  plate_params params = plate_default_params();
  if (!plate_derive_params(&params)) return 2; /* N is not given */
  params = plate_default_params();
  params.N = 9;
  if (argc > 1) params.kappa = (float)atof(argv[1]);
  if (argc > 2) params.dt = (float)atof(argv[2]);
  enum { kPoints = 18 * 9 };
  float T[kPoints], older[kPoints], Q[kPoints];
  memset(Q, 255, sizeof Q);
  if (!refused(plate_init(T, older, NULL, &params), "argument Q ")) return 5;
  if (!refused(plate_run(T, NULL, Q, 7, &params, NULL), "argument T_1 ")) return 5;
  void* arrays[] = {T, older, Q, NULL};
  const void* given[16] = {&params.N};
  if (!refused(plate_run_packed(arrays, given, 7, 0), "argument results ")) return 5;
  if (failed(plate_init(T, older, Q, &params))) return 1;
  if (Q[kPoints - 1] != 0 || memcmp(T, older, sizeof T) != 0) return 3;
  plate_results results;
  if (failed(plate_run(T, older, Q, 7, &params, &results))) return 1;
  if (results.steps_done != 7 || results.total_evaluations != 3) return 4;
  if (failed(plate_derive_params(&params))) return 1;
  printf("dt %a total %a\n", params.dt, results.total);
  for (int i = 0; i < kPoints; ++i) printf("%a %a\n", T[i], Q[i]);
  return 0;
}
