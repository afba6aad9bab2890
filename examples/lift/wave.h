#ifndef WAVE_H
#define WAVE_H
#ifdef __cplusplus
extern "C" {
#endif
/* `steps` steps of a wave on ny x nx points. `u` is the state, `before` the one before; after an
   odd number of steps the newest is in `before`. */
void wave(int ny, int nx, int steps, float c, float* u, float* before);
#ifdef __cplusplus
}
#endif
#endif
