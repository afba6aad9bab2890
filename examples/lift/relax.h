#ifndef RELAX_H
#define RELAX_H
#ifdef __cplusplus
extern "C" {
#endif
/* Sweeps over ny x nx points until none changes by more than `tolerance`, at most `most` times.
   Returns the number of sweeps; `change` receives the largest change of the last sweep. `next` must
   have the same edge values as `u`. After an odd number of sweeps, the result is in `next`. */
int relax(int ny, int nx, double* u, double* next, double tolerance, int most, double* change);
#ifdef __cplusplus
}
#endif
#endif
