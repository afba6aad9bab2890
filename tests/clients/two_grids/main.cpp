// A multigrid cycle of the caller, from kernels of several programs on shared arrays: smoothers of
// two grids, residual and restriction, correction. On a GPU the cycle is captured in a CUDA graph.
//
//   two_grids
#include <stencil/stencil.h>

#include <cstdio>
#include <functional>
#include <utility>
#include <vector>

#include "../coupled/cuda_graph.h"

namespace {

constexpr int64_t kFine = 65, kCoarse = 33;
constexpr size_t kFinePoints = kFine * kFine, kCoarsePoints = kCoarse * kCoarse;
constexpr int kCycles = 6, kSmoothings = 2, kCoarseSmoothings = 20;

// -laplace(u) = f, scaled by the square of the spacing; u is 0 on the edges.
constexpr const char* kSmooth = R"(
param N : integer;
grid G = [0..N-1, 0..N-1] steps 1;
field u, f : real on G;
stencil smooth : u[1..N-2, 1..N-2] =
  u[0,0] + 0.2 * (f[0,0] - (4 * u[0,0] - (u[-1,0] + u[1,0] + u[0,-1] + u[0,1])));
)";
// `source` and `error` belong to the coarse grid. The residual has memory of the library.
constexpr const char* kRestrict = R"(
param N : integer;
grid F = [0..N-1, 0..N-1] steps 1;
grid C of F by 2;
field u, f, r : real on F;
field source, error : real on C;
subgrid inner of C = [first+1..last-1, first+1..last-1];
stencil residual : r[1..N-2, 1..N-2] =
  f[0,0] - (4 * u[0,0] - (u[-1,0] + u[1,0] + u[0,-1] + u[0,1]));
stencil down : source on inner = r[0,0] + 0.5 * (r[-1,0] + r[1,0] + r[0,-1] + r[0,1])
  + 0.25 * (r[-1,-1] + r[-1,1] + r[1,-1] + r[1,1]);
stencil zero : error on C = 0;
)";
constexpr const char* kCorrect = R"(
param N : integer;
grid F = [0..N-1, 0..N-1] steps 1;
grid C of F by 2;
field u : real on F;
field error : real on C;
stencil correct : u[1..N-2, 1..N-2] =
  u[0,0] + 0.25 * (error[0,0] + error[0,1] + error[1,0] + error[1,1]);
)";

// The caller's arrays.
struct Memory {
  float *u, *f, *error, *source;
};

// The expected result of a cycle, computed by plain loops.
void smooth(std::vector<float>& u, const std::vector<float>& f, size_t n, int times) {
  for (std::vector<float> old; times > 0; --times) {
    old = u;
    for (size_t i = 1; i < n - 1; ++i) {
      for (size_t p = i * n + 1; p < i * n + n - 1; ++p) {
        const float sum = old[p - n] + old[p + n] + old[p - 1] + old[p + 1];
        u[p] = old[p] + 0.2f * (f[p] - (4 * old[p] - sum));
      }
    }
  }
}
void expected_cycle(std::vector<float>& u, const std::vector<float>& f) {
  constexpr size_t n = kFine, m = kCoarse;
  smooth(u, f, n, kSmoothings);
  std::vector<float> r(kFinePoints, 0.0f), source(kCoarsePoints, 0.0f), error(kCoarsePoints, 0.0f);
  for (size_t i = 1; i < n - 1; ++i) {
    for (size_t p = i * n + 1; p < i * n + n - 1; ++p) {
      r[p] = f[p] - (4 * u[p] - (u[p - n] + u[p + n] + u[p - 1] + u[p + 1]));
    }
  }
  for (size_t i = 1; i < m - 1; ++i) {
    for (size_t j = 1; j < m - 1; ++j) {
      const size_t p = 2 * i * n + 2 * j;
      source[i * m + j] = r[p] + 0.5f * (r[p - n] + r[p + n] + r[p - 1] + r[p + 1]) +
                          0.25f * (r[p - n - 1] + r[p - n + 1] + r[p + n - 1] + r[p + n + 1]);
    }
  }
  smooth(error, source, m, kCoarseSmoothings);
  for (size_t i = 1; i < n - 1; ++i) {
    for (size_t j = 1; j < n - 1; ++j) {
      const size_t p = i / 2 * m + j / 2, right = p + j % 2, below = p + i % 2 * m;
      u[i * n + j] += 0.25f * (error[p] + error[right] + error[below] + error[below + j % 2]);
    }
  }
  smooth(u, f, n, kSmoothings);
}

class Cycle {
 public:
  using Attach = std::function<stencil::Simulation(const stencil::Kernel&, const stencil::Arrays&)>;

  Cycle(const stencil::KernelOptions& options, const Memory& memory, const Attach& attach)
      : smoother_(attach(compile(kSmooth, kFine, options),
                         {{"u", fine(memory.u)}, {"f", fine(memory.f)}})),
        restriction_(attach(compile(kRestrict, kFine, options), {{"u", fine(memory.u)},
                                                                 {"f", fine(memory.f)},
                                                                 {"source", coarse(memory.source)},
                                                                 {"error", coarse(memory.error)}})),
        coarse_(attach(compile(kSmooth, kCoarse, options),
                       {{"u", coarse(memory.error)}, {"f", coarse(memory.source)}})),
        correction_(attach(compile(kCorrect, kFine, options),
                           {{"u", fine(memory.u)}, {"error", coarse(memory.error)}})) {}

  void take() {
    smoother_.advance(kSmoothings).or_throw();
    restriction_.advance(1).or_throw();
    coarse_.advance(kCoarseSmoothings).or_throw();
    correction_.advance(1).or_throw();
    smoother_.advance(kSmoothings).or_throw();
  }

 private:
  static stencil::Kernel compile(const char* text, int64_t points,
                                 const stencil::KernelOptions& options) {
    stencil::Options of_program;
    of_program.definitions = {{"N", points}};
    of_program.fp = stencil::FloatingPoint::Strict;
    return stencil::Program::from_text(text, of_program).or_throw().compile(options).or_throw();
  }
  static stencil::AnyView fine(float* memory) { return stencil::View(memory, {kFine, kFine}); }
  static stencil::AnyView coarse(float* memory) {
    return stencil::View(memory, {kCoarse, kCoarse});
  }

  stencil::Simulation smoother_, restriction_, coarse_, correction_;
};

std::vector<float> on_host(const std::vector<float>& f) {
  std::vector<float> u(kFinePoints, 0.0f), source(kCoarsePoints, 0.0f), error(source), given(f);
  const bool compiler = stencil::choose_device("host").ok();
  Cycle cycle(
      {.device = compiler ? "host" : "reference"},
      {u.data(), given.data(), error.data(), source.data()},
      [](const auto& kernel, const auto& arrays) { return kernel.attach(arrays).or_throw(); });
  for (int n = 0; n < kCycles; ++n) cycle.take();
  return u;
}

std::vector<float> on_gpu(const Cuda& cuda, const CudaGraphs& graphs, const std::vector<float>& f) {
  const Memory memory = {cuda.allocate(kFinePoints), cuda.allocate(kFinePoints),
                         cuda.allocate(kCoarsePoints), cuda.allocate(kCoarsePoints)};
  std::vector<float> u(kFinePoints, 0.0f);
  cuda.upload(memory.u, u.data(), kFinePoints);
  cuda.upload(memory.f, f.data(), kFinePoints);
  cuda.upload(memory.source, u.data(), kCoarsePoints);
  Cycle cycle({.device = "cuda", .dense = true}, memory,
              [&](const auto& kernel, const auto& arrays) {
                return kernel.attach_device(arrays, cuda.stream()).or_throw();
              });
  // Nothing runs during the capture. Each launch of the graph takes the whole cycle.
  graphs.begin(cuda.stream());
  cycle.take();
  void* const graph = graphs.end(cuda.stream());
  for (int n = 0; n < kCycles; ++n) graphs.launch(graph, cuda.stream());
  cuda.download(u.data(), memory.u, kFinePoints);
  return graph && cuda.synchronize() ? u : std::vector<float>();
}

bool report(const char* where, bool same) {
  std::printf("%s: %s\n", where, same ? "as the plain loop" : "NOT as the plain loop");
  return same;
}

}  // namespace

int main() {
  try {
    std::vector<float> f(kFinePoints, 0.0f), plain(kFinePoints, 0.0f);
    for (size_t p = 0; p < kFinePoints; p += 5) f[p] = static_cast<float>(p % 11) / 8 - 0.5f;
    for (int n = 0; n < kCycles; ++n) expected_cycle(plain, f);
    bool same = report("host memory", on_host(f) == plain);
    const auto cuda = stencil::choose_device("cuda").ok() ? Cuda::open() : std::nullopt;
    const auto graphs = cuda ? CudaGraphs::open() : std::nullopt;
    if (graphs) {
      same = report("a CUDA graph", on_gpu(*cuda, *graphs, f) == plain) && same;
    } else {
      std::printf("a CUDA graph: left out, there is no GPU\n");
    }
    return same ? 0 : 1;
  } catch (const stencil::Error& error) {
    std::fprintf(stderr, "%s", error.what());
    return 1;
  }
}
