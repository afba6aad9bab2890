// First steps with the library: read a program, give it arrays, run it, and read them back. Then
// repeat the run in two parts: write files, stop early, and resume from a checkpoint.
//
//   plate FILE.stn [DEVICE]
#include <stencil/stencil.h>

#include <algorithm>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr int64_t kRows = 120, kColumns = 75, kSteps = 50;

// The program's result, computed by a plain loop.
std::vector<float> expected(std::vector<float> t, const std::vector<float>& q, float k) {
  std::vector<float> next = t;
  const auto at = [](int64_t i, int64_t j) { return static_cast<size_t>(i * kColumns + j); };
  for (int64_t step = 0; step < kSteps; ++step) {
    for (int64_t i = 1; i < kRows - 1; ++i) {
      for (int64_t j = 1; j < kColumns - 1; ++j) {
        const float sum = t[at(i - 1, j)] + t[at(i + 1, j)] + t[at(i, j - 1)] + t[at(i, j + 1)];
        next[at(i, j)] = t[at(i, j)] + k * (sum - 4 * t[at(i, j)]) + q[at(i, j)];
      }
    }
    std::swap(t, next);
  }
  return t;
}

// The same run in two calls, which writes a series, a picture and a checkpoint next to `file`.
// check() finds errors in files and fields before the kernels are compiled.
std::vector<float> in_parts(const stencil::Program& program, stencil::State begin,
                            const std::string& file, const char* device) {
  const stencil::RunFiles files{
      .outputs = {{file + ".npy", {"T"}}, {.path = file + ".png", .fields = {"T"}}},
      .every = 20,
      .checkpoint = file + ".ckpt"};
  begin.check(files).or_throw();
  auto first = program.compile({.device = device}).or_throw().start(std::move(begin)).or_throw();
  const auto interrupted = [](const stencil::Progress&) { return false; };
  const auto report = first.run(files, interrupted).or_throw();

  auto saved = program.initial_state().or_throw();
  saved.load_checkpoint(files.checkpoint).or_throw();
  std::printf("%lld steps in the first part, %lld left\n", static_cast<long long>(report.steps),
              static_cast<long long>(saved.steps_left().or_throw()));
  auto rest =
      program.compile({.device = "reference"}).or_throw().start(std::move(saved)).or_throw();
  rest.run(files).or_throw();

  auto written = program.initial_state().or_throw();
  written.read("T", file + ".npy").or_throw();
  return written.get<float>("T").or_throw();
}

int run(const char* file, const char* device) {
  // N and M become constants of the code. Under --fp=strict every device computes the same bits.
  stencil::Options options;
  options.definitions = {{"N", kRows}, {"M", kColumns}};
  options.fp = stencil::FloatingPoint::Strict;
  const auto program = stencil::Program::from_file(file, options).or_throw();
  std::printf("%s", program.warnings().c_str());
  const auto kernel = program.compile({.device = device}).or_throw();
  std::printf("%s: %s\n", kernel.device().name.c_str(), kernel.schedule().c_str());

  // The temperature is a dense array. The sources are part of a larger array
  // whose rows are 100 elements apart.
  std::vector<float> temperature(kRows * kColumns, 20.0f);
  std::fill_n(temperature.begin(), kColumns, 100.0f);
  std::vector<float> larger(kRows * 100, 0.0f);
  const stencil::View sources(larger.data(), {kRows, kColumns}, {100, 1});
  sources(60, 40) = 5.0f;

  auto simulation = kernel.start().or_throw();
  simulation.set("T", stencil::View(temperature, {kRows, kColumns})).or_throw();
  simulation.set("Q", sources).or_throw();
  const auto report = simulation.run().or_throw();  // the number of steps comes from the program
  const auto result = simulation.get<float>("T").or_throw();

  const double hottest = simulation.reduction("hottest").or_throw().value;
  std::printf("%lld steps, %.3g GCells/s, at most %g degrees\n",
              static_cast<long long>(report.steps), report.gcells_per_second(), hottest);

  std::vector<float> q(kRows * kColumns, 0.0f);
  q[60 * kColumns + 40] = 5.0f;
  const auto plain = expected(temperature, q, 0.2f);
  auto begin = program.initial_state().or_throw();
  begin.set("T", stencil::View(temperature, {kRows, kColumns})).or_throw();
  begin.set("Q", sources).or_throw();
  const auto parts = in_parts(program, std::move(begin), file, device);
  const bool same =
      result == plain && parts == plain && hottest == *std::max_element(plain.begin(), plain.end());
  std::printf("%s\n", same ? "as the plain loop" : "NOT as the plain loop");

  // Errors are values; or_throw() turns them into exceptions.
  const auto refused = simulation.set("T", stencil::View(std::span(temperature).first(10)));
  std::printf("%s", refused.ok() ? "NOT refused\n" : refused.failure().text().c_str());
  return same && !refused.ok() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "plate.stn", argc > 2 ? argv[2] : "auto");
  } catch (const stencil::Error& error) {
    std::fprintf(stderr, "%s", error.what());
    return 1;
  }
}
