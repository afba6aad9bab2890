// Steps of a program inside a larger simulation, in that simulation's own arrays: in device memory
// and on its stream if there is a GPU, in host memory otherwise. No data is copied between the two.
//
// The larger simulation strikes the membrane once every ten steps.
//
//   coupled FILE.stn
#include <stencil/stencil.h>

#include <cstdio>
#include <utility>
#include <vector>

#include "cuda_memory.h"

namespace {

constexpr int64_t kRows = 100, kColumns = 128;
constexpr size_t kPoints = kRows * kColumns;
constexpr int kStrikes = 5, kStepsBetween = 10;
constexpr size_t kStruck = 30 * kColumns + 50;
constexpr float kForce = 0.5f;

// The expected result of the simulation, computed by a plain loop.
std::vector<float> expected(const std::vector<float>& c) {
  std::vector<float> u(kPoints, 0.0f), older(kPoints, 0.0f), next(kPoints, 0.0f);
  for (int strike = 0; strike < kStrikes; ++strike) {
    u[kStruck] = kForce;
    for (int step = 0; step < kStepsBetween; ++step) {
      next = u;
      for (size_t i = 1; i < kRows - 1; ++i) {
        for (size_t j = 1; j < kColumns - 1; ++j) {
          const size_t p = i * kColumns + j;
          const float sum = u[p - kColumns] + u[p + kColumns] + u[p - 1] + u[p + 1];
          next[p] = 2 * u[p] - older[p] + c[p] * (sum - 4 * u[p]);
        }
      }
      std::swap(older, u);
      std::swap(u, next);
    }
  }
  return u;
}

stencil::Program read(const char* file) {
  stencil::Options options;
  options.definitions = {{"N", kRows}, {"M", kColumns}};
  options.fp = stencil::FloatingPoint::Strict;
  return stencil::Program::from_file(file, options).or_throw();
}

// U, U@-1 and c of the program are our arrays. Views of device memory have the same type as others.
stencil::Arrays arrays(float* u, float* older, const float* c) {
  return {{"U", stencil::View(u, {kRows, kColumns})},
          {"U@-1", stencil::View(older, {kRows, kColumns})},
          {"c", stencil::View(c, {kRows, kColumns})}};
}

std::vector<float> on_host(const stencil::Program& program, const std::vector<float>& c) {
  std::vector<float> u(kPoints, 0.0f), older(kPoints, 0.0f);
  const bool compiler = stencil::choose_device("host").ok();
  const auto kernel = program.compile({.device = compiler ? "host" : "reference"}).or_throw();
  auto simulation = kernel.attach(arrays(u.data(), older.data(), c.data())).or_throw();
  for (int strike = 0; strike < kStrikes; ++strike) {
    u[kStruck] = kForce;
    simulation.advance(kStepsBetween).or_throw();
  }
  return u;
}

std::vector<float> on_gpu(const Cuda& cuda, const stencil::Program& program,
                          const std::vector<float>& c) {
  float* const u = cuda.allocate(kPoints);
  float* const older = cuda.allocate(kPoints);
  float* const medium = cuda.allocate(kPoints);
  std::vector<float> result(kPoints, 0.0f);
  const float force = kForce;
  cuda.upload(u, result.data(), kPoints);
  cuda.upload(older, result.data(), kPoints);
  cuda.upload(medium, c.data(), kPoints);

  const auto kernel = program.compile({.device = "cuda", .dense = true}).or_throw();
  auto simulation = kernel.attach_device(arrays(u, older, medium), cuda.stream()).or_throw();
  for (int strike = 0; strike < kStrikes; ++strike) {
    cuda.upload(u + kStruck, &force, 1);
    simulation.advance(kStepsBetween).or_throw();  // queued after the strike, on the same stream
  }
  cuda.download(result.data(), u, kPoints);  // the newest level is in the array given for it
  simulation.wait().or_throw();
  return cuda.synchronize() ? result : std::vector<float>();
}

bool report(const char* where, bool same) {
  std::printf("%s: %s\n", where, same ? "as the plain loop" : "NOT as the plain loop");
  return same;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto program = read(argc > 1 ? argv[1] : "membrane.stn");
    std::vector<float> c(kPoints, 0.25f);
    for (size_t p = 0; p < kPoints; p += 7) c[p] = 0.125f;
    const auto plain = expected(c);
    bool same = report("host memory", on_host(program, c) == plain);
    const auto gpu = stencil::choose_device("cuda");
    const auto cuda = gpu.ok() ? Cuda::open() : std::nullopt;
    if (cuda) {
      same = report("device memory", on_gpu(*cuda, program, c) == plain) && same;
    } else {
      std::printf("device memory: left out, %s",
                  gpu.ok() ? "the driver cannot be opened\n" : gpu.failure().text().c_str());
    }
    return same ? 0 : 1;
  } catch (const stencil::Error& error) {
    std::fprintf(stderr, "%s", error.what());
    return 1;
  }
}
