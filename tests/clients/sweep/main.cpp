// One program, compiled once and run by two threads, for many values of a param and several sizes.
//
//   sweep
#include <stencil/stencil.h>

#include <cstdio>
#include <thread>
#include <vector>

namespace {

// Real params such as `a` are kernel arguments. N has no value, so one kernel serves all sizes.
constexpr const char* kProgram = R"(
param N : integer;
param a : real = 0.1;
require N >= 3;
grid G = [0..N-1] steps 200;
field A : real on G history 2;
stencil diffuse : A[1..N-2] = A[0] + a * (A[-1] - 2 * A[0] + A[1]);
init A[i] = select(i == 0, 1.0, 0.0);
reduce content = sum(A[0]) on G every 20;
reduce change = max(abs(A[0] - A@-1[0])) on [1..N-2];
stop when content > 8;
)";

struct Case {
  int size = 0;
  float a = 0;
  int64_t steps = 0;
  double content = 0;
};

// The program's result after `steps` steps, computed by a plain loop.
std::vector<float> expected(const Case& at) {
  std::vector<float> now(static_cast<size_t>(at.size), 0.0f);
  now[0] = 1;
  std::vector<float> next = now;
  for (int64_t step = 0; step < at.steps; ++step) {
    for (size_t i = 1; i + 1 < now.size(); ++i) {
      next[i] = now[i] + at.a * (now[i - 1] - 2 * now[i] + now[i + 1]);
    }
    std::swap(now, next);
  }
  return now;
}

bool run(const stencil::Kernel& kernel, Case& at) {
  auto simulation = kernel.start({{"N", at.size}, {"a", at.a}}).or_throw();
  const auto report = simulation.run().or_throw();
  at.steps = report.steps;
  at.content = simulation.reduction("content").or_throw().value;
  return simulation.get<float>("A").or_throw() == expected(at);
}

}  // namespace

int main() {
  try {
    stencil::Options options;
    options.fp = stencil::FloatingPoint::Strict;
    const auto program = stencil::Program::from_text(kProgram, options).or_throw();
    for (const auto& param : program.params()) {
      std::printf("param %s: %s\n", param.name.c_str(), stencil::name_of(param.type));
    }
    const auto kernel = program.compile().or_throw();

    std::vector<Case> cases;
    for (const int size : {40, 1000}) {
      for (const float a : {0.05f, 0.1f, 0.2f, 0.4f, 0.5f}) cases.push_back({size, a, 0, 0});
    }
    std::vector<char> same(cases.size(), 0);
    const auto work = [&](size_t first) {
      try {
        for (size_t c = first; c < cases.size(); c += 2) same[c] = run(kernel, cases[c]);
      } catch (const stencil::Error& error) {
        std::fprintf(stderr, "%s", error.what());
      }
    };
    std::thread other(work, 1);
    work(0);
    other.join();

    bool all = true;
    for (size_t c = 0; c < cases.size(); ++c) {
      std::printf("N = %4d, a = %.2f: %3lld steps, content %.6f, %s\n", cases[c].size,
                  static_cast<double>(cases[c].a), static_cast<long long>(cases[c].steps),
                  cases[c].content, same[c] ? "as the plain loop" : "NOT as the plain loop");
      all = all && same[c];
    }
    return all ? 0 : 1;
  } catch (const stencil::Error& error) {
    std::fprintf(stderr, "%s", error.what());
    return 1;
  }
}
