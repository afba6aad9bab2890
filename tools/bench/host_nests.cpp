// Plain loop nests for tools/bench/host, as programmers write them with OpenMP, with two ping-pong
// arrays. Prints GCells/s. Usage: host_nests jacobi2d|jacobi3d|copy N STEPS; copy uses an array of
// N^3.
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

namespace {

using Array = std::unique_ptr<float, decltype(&std::free)>;

Array array(long points) {
  constexpr long kHugePage = 2 << 20;
  const long bytes = (points * 4 + kHugePage - 1) / kHugePage * kHugePage;
  Array out(static_cast<float*>(std::aligned_alloc(kHugePage, bytes)), std::free);
#pragma omp parallel for schedule(static)
  for (long i = 0; i < points; ++i) out.get()[i] = static_cast<float>(i % 7);
  return out;
}

void jacobi2d(const float* __restrict a, float* __restrict b, long n) {
#pragma omp parallel for schedule(static)
  for (long i = 1; i < n - 1; ++i) {
    for (long j = 1; j < n - 1; ++j) {
      const long p = i * n + j;
      b[p] = 0.2f * (a[p] + a[p - n] + a[p + n] + a[p - 1] + a[p + 1]);
    }
  }
}

void jacobi3d(const float* __restrict a, float* __restrict b, long n) {
  const float centre = 0.4f, neighbour = 0.1f;
#pragma omp parallel for collapse(2) schedule(static)
  for (long i = 1; i < n - 1; ++i) {
    for (long j = 1; j < n - 1; ++j) {
      for (long k = 1; k < n - 1; ++k) {
        const long p = (i * n + j) * n + k;
        b[p] = centre * a[p] + neighbour * (a[p - n * n] + a[p + n * n] + a[p - n] + a[p + n] +
                                            a[p - 1] + a[p + 1]);
      }
    }
  }
}

void copy(const float* __restrict a, float* __restrict b, long n) {
#pragma omp parallel for schedule(static)
  for (long p = 0; p < n * n * n; ++p) b[p] = a[p];
}

// A positive number; 0 if the text is not one.
long count(const char* text) {
  long value = 0;
  const char* const end = text + std::strlen(text);
  const auto [at, error] = std::from_chars(text, end, value);
  return error == std::errc() && at == end && value > 0 ? value : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const bool flat = std::strcmp(argv[1], "jacobi2d") == 0;
  const auto step = flat ? jacobi2d : std::strcmp(argv[1], "copy") == 0 ? copy : jacobi3d;
  const long n = count(argv[2]), steps = count(argv[3]);
  if (n < 1 || steps < 1) return 2;
  const long points = flat ? n * n : n * n * n;
  Array a = array(points), b = array(points);
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  for (long t = 0; t < steps; ++t) {
    step(a.get(), b.get(), n);
    std::swap(a, b);
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  std::printf("%.6f\n", 1e-9 * static_cast<double>(points) * static_cast<double>(steps) / seconds);
}
