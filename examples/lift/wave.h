#ifndef WAVE_H
#define WAVE_H
#ifdef __cplusplus
extern "C" {
#endif
/* Takes `steps` steps of a wave on ny x nx points. `u` is the current state, `before` the previous
   one. After an odd number of steps, the newest state is in `before`. */
void wave(int ny, int nx, int steps, float c, float* u, float* before);
#ifdef __cplusplus
}
#endif
#endif
