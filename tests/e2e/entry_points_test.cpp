// Arguments that emitted entry points refuse, under sanitizers: all checks precede any memory
// access. tests/property/entries makes random calls.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/e2e/tool.h"

namespace stencil::test {
namespace {

// The step determines rows of records, entries of series, and tables of points.
const char* const kTrace = R"(
param N : integer;
param M : integer;
param wide : long;
param k : real = 0.5;
require N >= 4;
grid G = [0..N-1, 0..M-1] steps 10;
field A : real on G history 2 boundary clamp;
points P [0..2] on G;
record r [0..19] = A[0,0] at P;
series w : real [0..19] on P;
series z : real [0..wide+14];
stencil s : A on G = k * (A[1,0] + A@-1[0,-1]) + w[time] + z[time];
reduce e = sum(A[0,0]) on G every 2;
)";

const char* const kTraceCaller = R"(
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>
#include "trace.h"

static std::vector<float> a(120, 1.f), older(120, 1.f), w(60), z(20), r(60);
static std::vector<double> y = {0, 1, 2}, x = {0, 1, 2};

static const char* run(int64_t steps, int64_t first, int N = 10, int M = 12, int64_t wide = 5,
                       void* newest = a.data(), void* results = nullptr, float k = 0.5f) {
  trace_results own = {};
  void* arrays[] = {y.data(), x.data(), newest, older.data(), w.data(), z.data(), r.data(),
                    results ? results : &own};
  const void* params[] = {&N, &M, &wide, &k};
  return trace_run_packed(arrays, params, steps, first);
}
static void say(const char* error) { std::printf("%s\n", error ? error : "done"); }

int main() {
  say(run(5, 0));
  say(run(5, 15));
  say(run(5, -3));
  say(run(5, INT64_MIN));
  say(run(INT64_MAX, 15));
  say(run(INT64_MIN, 15));
  say(run(1, INT64_MAX));
  say(run(6, 15));
  say(run(1, 0, 10, 12, 5, older.data()));
  say(run(1, 0, 10, 12, 5, older.data() + 119));
  say(run(1, 0, 10, 12, 5, r.data()));
  say(run(1, 0, 10, 12, 5, nullptr));
  say(run(1, 0, 10, 12, 5, a.data(), a.data() + 2));
  say(run(1, 0, 3, 12));
  say(run(1, 0, -2147483647, 12));
  say(run(1, 0, 10, 0));
  say(run(1, 0, 2147483647, 2147483647));
  say(run(1, 0, 1 << 30, 1 << 30));
  say(run(1, 0, 10, 12, INT64_MAX));
  say(run(1, 0, 10, 12, -9223372036854775807));
  say(run(1, 0, 10, 12, 5, a.data(), nullptr, NAN));
  say(run(1, 0, 10, 12, 5, a.data(), nullptr, INFINITY));
  trace_results full = {};
  full.e_evaluations = INT64_MAX;
  say(run(2, 0, 10, 12, 5, a.data(), &full));
  trace_params params = trace_default_params();
  params.N = 10, params.M = 12, params.wide = 5;
  say(trace_init(y.data(), x.data(), a.data(), a.data(), w.data(), z.data(), r.data(), &params));
  say(trace_run(y.data(), y.data(), a.data(), older.data(), w.data(), z.data(), r.data(), 3, &params,
                nullptr));
}
)";

class EntryPoints : public Tool {
 protected:
  int shell(const std::string& command) const {
    return std::system(("cd '" + (root_ / "work").string() + "' && " + command).c_str());
  }
};

TEST_F(EntryPoints, CheckAllArgumentsBeforeAccessingMemory) {
  write("trace.stn", kTrace);
  write("caller.cpp", kTraceCaller);
  const auto written = stencilc("trace.stn -o trace.cpp --header --schedule direct");
  ASSERT_EQ(written.status, 0) << written.err;
  ASSERT_EQ(shell("c++ -std=c++17 -O0 -ffp-contract=off -fsanitize=address,undefined "
                  "-fno-sanitize-recover=all -w -DSTENCIL_CLONES= trace.cpp caller.cpp -o caller"),
            0);
  EXPECT_EQ(shell("./caller >said"), 0);
  EXPECT_EQ(read(file("said")),
            "done\n"
            "done\n"
            "the first step is negative\n"
            "the first step is negative\n"
            "a run has at most 2147483647 steps\n"
            "the number of steps is negative\n"
            "a run has at most 2147483647 steps\n"
            "record r has rows for 20 steps: the run has more steps\n"
            "arguments A and A_1 overlap\n"
            "arguments A and A_1 overlap\n"
            "arguments A and r overlap\n"
            "argument A is NULL\n"
            "arguments A and results overlap\n"
            "require N >= 4 does not hold\n"
            "require N >= 4 does not hold\n"
            "the grid is empty\n"
            "field A: coordinates and extents are limited to 2^30\n"
            "array A: an extent is below 1, or the size is too large\n"
            "param wide is out of range: from -2305843009213693937 to 2305843009213693937\n"
            "param wide is out of range: from -2305843009213693937 to 2305843009213693937\n"
            "param k is not a finite number\n"
            "param k is not a finite number\n"
            "results: the evaluation count of e is out of range\n"
            "arguments A and A_1 overlap\n"
            "done\n");
}

}  // namespace
}  // namespace stencil::test
