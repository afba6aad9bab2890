// wave() of examples/lift for a caller with arrays in host memory. The inner function was written
// by `stencilc lift --replace --device-pointers`.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#include "wave.h"

static void check(cudaError_t code) {
  if (code == cudaSuccess) return;
  fprintf(stderr, "lift_device: %s\n", cudaGetErrorString(code));
  abort();
}

extern "C" void wave_in_host_memory(int ny, int nx, int steps, float c, float* u, float* before) {
  const size_t bytes = sizeof(float) * (size_t)ny * (size_t)nx;
  float *device_u = nullptr, *device_before = nullptr;
  check(cudaMalloc(&device_u, bytes));
  check(cudaMalloc(&device_before, bytes));
  check(cudaMemcpy(device_u, u, bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(device_before, before, bytes, cudaMemcpyHostToDevice));
  wave(ny, nx, steps, c, device_u, device_before);
  check(cudaMemcpy(u, device_u, bytes, cudaMemcpyDeviceToHost));
  check(cudaMemcpy(before, device_before, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(device_u));
  check(cudaFree(device_before));
}
