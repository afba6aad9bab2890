// Runs that are long enough for timing schedules. They would last for weeks, but their stop
// condition holds at once.
#include "tests/e2e/tool.h"

namespace stencil {
namespace {

constexpr const char* kLong = R"(
param N : integer = 300;
grid G = [0..N-1, 0..N-1] steps 1000000000;
field A : real on G;
stencil s : A[1..N-2, 1..N-2] = A[0,0] + 0.2 * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1] - 4 * A[0,0]);
init A[i,j] = 0.5 * i - j;
reduce largest = max(abs(A[0,0])) on G every 24;
stop when largest < 1000;
)";

class TimedRuns : public Tool {
 protected:
  TimedRuns() {
    ::setenv("STENCIL_CACHE", file("cache").c_str(), 1);
    ::setenv("STENCIL_TUNED", file("tuned.db").c_str(), 1);
    ::setenv("STENCIL_THREADS", "2", 1);  // keeps all compilers busy on any machine
    write("long.stn", kLong);
  }
  ~TimedRuns() override {
    ::setenv("STENCIL_CACHE", "off", 1);
    ::setenv("STENCIL_TUNED", "off", 1);
    ::unsetenv("STENCIL_THREADS");
  }
  void SetUp() override {
    if (stencilc("run long.stn --steps 1 --device host").status != 0) GTEST_SKIP() << "no host";
  }
  std::string scheduled(const Outcome& run) const {
    EXPECT_EQ(run.status, 0) << run.err;
    const size_t begin = run.out.find("schedule  "), end = run.out.find("\nsteps");
    return unwrapped(run.out.substr(begin, end - begin));
  }
};

// Other schedules would be tried while the run advances.
TEST_F(TimedRuns, BeginAtOnce) {
  const std::string run = "run long.stn --device host --out A=";
  const std::string first = scheduled(stencilc(run + "first.npy"));
  EXPECT_FALSE(holds(first, "timed")) << first;
  stencilc(run + "direct.npy --schedule direct");
  EXPECT_EQ(read(file("first.npy")), read(file("direct.npy")));
}

// Where results may depend on the schedule, it does not change during a run.
TEST_F(TimedRuns, TimeOnceAndCacheTheFastest) {
  const std::string run = "run long.stn --fp fast --device host --out A=";
  const std::string first = scheduled(stencilc(run + "first.npy"));
  EXPECT_TRUE(holds(first, "(the fastest of ")) << first;
  EXPECT_TRUE(holds(first, " timed in ")) << first;
  const std::string second = scheduled(stencilc(run + "second.npy"));
  EXPECT_TRUE(holds(second, " timed before)")) << second;
  EXPECT_EQ(first.substr(0, first.find(" (")), second.substr(0, second.find(" (")));
  // A cleared cache holds no choice.
  EXPECT_EQ(stencilc("cache --clear").status, 0);
  EXPECT_FALSE(holds(scheduled(stencilc(run + "brief.npy --steps 200")), "timed"));
}

// In a program with several grids the phases are timed as programs of their own, except those that
// read a reduction of the step.
TEST_F(TimedRuns, TimePhasesOnSeveralGrids) {
  write("grids.stn", R"(
param N : integer = 256;
grid F = [0..N-1, 0..N-1] steps 1000000000;
grid C of F by 2 cells;
field u : real on F;
field v : real on C boundary clamp;
init u[i,j] = 0.5 * i - j;
repeat 6 { stencil s : u[1..N-2, 1..N-2] = 0.25 * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1]); }
stencil down : v on C = 0.25 * (u[0,0] + u[1,0] + u[0,1] + u[1,1]);
repeat 4 { stencil t : v on C = 0.5 * v[0,0] + 0.25 * (v[0,1] + v[1,0]); }
reduce top = max(abs(u[0,0])) on F;
stencil scaled : u on F = u[0,0] / (1 + top);
reduce largest = max(abs(v[0,0])) on C every 24;
stop when largest < 1000;
)");
  const std::string run = "run grids.stn --device host --out u=";
  const std::string first = scheduled(stencilc(run + "first.npy --out v=first_v.npy"));
  EXPECT_TRUE(holds(first, " timed in ")) << first;
  stencilc(run + "direct.npy --out v=direct_v.npy --schedule direct");
  EXPECT_EQ(read(file("first.npy")), read(file("direct.npy")));
  EXPECT_EQ(read(file("first_v.npy")), read(file("direct_v.npy")));
}

TEST_F(TimedRuns, AreNotTimedIfShortOrTuningIsOff) {
  EXPECT_FALSE(holds(scheduled(stencilc("run long.stn --device host --steps 200")), "timed"));
  EXPECT_FALSE(holds(scheduled(stencilc("run long.stn --device host --schedule direct")), "timed"));
  ::setenv("STENCIL_TUNED", "off", 1);
  EXPECT_FALSE(holds(scheduled(stencilc("run long.stn --device host")), "timed"));
}

}  // namespace
}  // namespace stencil
