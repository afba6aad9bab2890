// Records from the command line: their rows on every device and after restarts, and runs that are
// too long for them.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/e2e/tool.h"

namespace stencil::test {
namespace {

// Weights are quarters and halves, so that sums are exact. U counts steps, at some points by more
// than 1 per step.
constexpr const char* kCounter =
    "param K : integer = 7;\n"
    "grid G = [0..7, 10..49] steps 7;\n"
    "points mics [1..3] on G;\n"
    "points probe [0..0] on G weights 2;\n"
    "field U : real on G;\n"
    "stencil s : U on G[i,j] = U[0,0] + 1 + i;\n"
    "record trace [0..K-1] = U[0,0] at mics;\n"
    "record some [0..3] = U[0,0] * 2 at probe every 2;\n"
    "init mics[p] = { select(p == 3, 7, 1.25), select(p == 1, 49, 40.5) };\n"
    "init probe[p] = { at = { 7, 48 }, weight = { { 2, 4 }, { 1, 0.5 } } };\n";

class RecordRuns : public Tool {
 protected:
  RecordRuns() { write("count.stn", kCounter); }
  std::vector<float> values(const std::string& name, size_t count) {
    const std::string bytes = read(file(name));
    std::vector<float> all(count);
    const size_t size = count * sizeof(float);
    EXPECT_GT(bytes.size(), size) << name;
    if (bytes.size() > size) std::memcpy(all.data(), bytes.data() + bytes.size() - size, size);
    return all;
  }
  void succeeds(const std::string& arguments) {
    const Outcome outcome = stencilc("run count.stn " + arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }
};

TEST_F(RecordRuns, HoldWeightedSamples) {
  for (const char* device :
       {"reference", "host --schedule 'planes T=3'", "host --schedule 'overlapped T=4 block=16x4'",
        "host --schedule direct"}) {
    succeeds(std::string("--out trace=t.npy --out some=s.npy --device ") + device);
    const std::vector<float> trace = values("t.npy", 7 * 3), some = values("s.npy", 4);
    for (size_t row = 0; row < 7; ++row) {
      const float steps = static_cast<float>(row + 1);
      EXPECT_EQ(trace[3 * row], 2.25f * steps) << device << ", row " << row;
      EXPECT_EQ(trace[3 * row + 1], 2.25f * steps);
      EXPECT_EQ(trace[3 * row + 2], 8 * steps);
    }
    // Weights outside the grid are ignored: row 7 and columns 48 and 49 remain.
    for (size_t row = 0; row < 3; ++row) {
      EXPECT_EQ(some[row], 2 * 1.5f * 2 * 8 * 2 * static_cast<float>(row + 1)) << device;
    }
    EXPECT_EQ(some[3], 0) << "not evaluated yet";
  }
}

TEST_F(RecordRuns, ResumeFromACheckpoint) {
  succeeds("--device reference --out trace=whole.npy");
  succeeds("--device reference --steps 3 --checkpoint half.ckpt");
  succeeds("--device reference --restart half.ckpt --out trace=rest.npy");
  EXPECT_EQ(values("rest.npy", 21), values("whole.npy", 21));
}

TEST_F(RecordRuns, MustNotExceedTheirRows) {
  const Outcome known = stencilc("run count.stn --device reference --steps 8 --out trace=t.npy");
  EXPECT_EQ(known.status, 1) << known.err;
  EXPECT_TRUE(holds(known.err, "error S031: record trace has rows for 7 steps")) << known.err;
  EXPECT_TRUE(holds(known.err, "give the record more rows")) << known.err;
  const std::string open = "run count.stn --device reference --open K --out trace=t.npy ";
  const Outcome longer = stencilc(open + "-D K=6");
  EXPECT_EQ(longer.status, 2) << longer.err;
  EXPECT_TRUE(holds(longer.err, "error R055: record trace has rows for K steps")) << longer.err;
  EXPECT_EQ(files(), "count.stn");
  EXPECT_EQ(stencilc(open + "-D K=9").status, 0);
}

TEST_F(RecordRuns, WorkInEmittedPrograms) {
  const std::string in = "cd '" + (root_ / "work").string() + "' && ";
  for (const char* schedule : {"direct", "'overlapped T=2 block=16x4'", "'planes T=3'"}) {
    ASSERT_EQ(stencilc(std::string("count.stn -o count.cpp --main --open K --schedule ") + schedule)
                  .status,
              0);
    ASSERT_EQ(std::system((in + "c++ -std=c++17 -Wall -Werror -o count count.cpp 2>log").c_str()),
              0)
        << read(file("log"));
    EXPECT_EQ(std::system((in + "./count K=9 --repeat 0 >log 2>&1").c_str()), 0)
        << read(file("log"));
    EXPECT_TRUE(holds(read(file("log")), "check=passed")) << read(file("log"));
    EXPECT_NE(std::system((in + "./count K=6 --repeat 0 >log 2>&1").c_str()), 0);
  }
}

}  // namespace
}  // namespace stencil::test
