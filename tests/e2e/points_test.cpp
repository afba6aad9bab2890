// Point sets from the command line: their effect, their files, and refused positions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/e2e/tool.h"

namespace stencil::test {
namespace {

// Quarters and halves, so that sums are exact in any order.
constexpr const char* kSources =
    "param S : integer = 4;\n"
    "grid G = [0..7, 10..49] steps 5;\n"
    "points shots [1..S] on G;\n"
    "points probe [0..0] on G weights 3;\n"
    "series w : real [0..3] on shots boundary [none .. constant -8];\n"
    "field gain : real on shots constant;\n"
    "field U, V : real on G;\n"
    "stencil s : U on G = U[0,0] + w[time];\n"
    "stencil t : V on G = V[0,0] + gain * probe + 16 * shots;\n"
    // The third point is the corner of the grid, the others share one position.
    "init shots[p] = { select(p == 3, 7, 1.25), select(p == 3, 49, 40.5) };\n"
    "init probe[p] = { at = { 1, 40 }, weight = { { 2, 4, 8 }, { 1, 0, 0.5 } } };\n"
    "init w[t, p] = real(4 * t + p);\n"
    "init gain[p] = real(p);\n";

class PointSets : public Tool {
 protected:
  PointSets() { write("sources.stn", kSources); }

  std::vector<float> run(const std::string& arguments) {
    const Outcome outcome = stencilc("run sources.stn --out U=u.npy --out V=v.npy " + arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::vector<float> all(2 * kPoints);
    for (const char* name : {"u.npy", "v.npy"}) {
      const std::string bytes = read(file(name));
      const size_t half = kPoints * sizeof(float);
      EXPECT_GT(bytes.size(), half);
      if (bytes.size() <= half) continue;
      std::memcpy(all.data() + (name[0] == 'u' ? 0 : kPoints), bytes.data() + bytes.size() - half,
                  half);
    }
    return all;
  }

  static constexpr size_t kPoints = 8 * 40;
};

TEST_F(PointSets, AddTheirWeightedValues) {
  std::vector<float> expected(2 * kPoints);
  const auto at = [](int i, int j) { return static_cast<size_t>(i * 40 + j - 10); };
  const auto value = [](int step, int p) {
    return step > 3 ? -8.0f : static_cast<float>(4 * step + p);
  };
  for (int step = 0; step < 5; ++step) {
    for (const int p : {1, 2, 3, 4}) {
      for (int i = 1; i <= 2 && p != 3; ++i) {
        for (int j = 40; j <= 41; ++j) {
          const float weight = (i == 1 ? 0.75f : 0.25f) * 0.5f;
          expected[at(i, j)] += weight * value(step, p);
          expected[kPoints + at(i, j)] += 16 * weight;
        }
      }
    }
    expected[at(7, 49)] += value(step, 3);
    expected[kPoints + at(7, 49)] += 16;
    // The points of `gain` and `probe` overlap here: gains 1, 2 and 4, each times its weight.
    expected[kPoints + at(1, 41)] += (1 + 2 + 4) * 0.75f * 0.5f * (4 * 0.5f);
    expected[kPoints + at(2, 41)] += (1 + 2 + 4) * 0.25f * 0.5f * (8 * 0.5f);
  }
  for (const char* arguments :
       {"--device reference", "--device host", "--device host --schedule direct",
        "--device host --schedule 'overlapped T=3'", "--device host --schedule 'planes T=2'",
        // Per-thread buffers of all steps would not fit the stack.
        "--device host --schedule 'overlapped T=4 block=512x192'",
        "--device host --open S -D S=4"}) {
    EXPECT_EQ(run(arguments), expected) << arguments;
  }
}

// Clang compiles sources of more than 150,000 characters without unrolling loops.
TEST_F(PointSets, WorkInLongKernels) {
  write("shot.stn",
        "grid G = [0..59, 0..79] steps 30;\n"
        "field U : real on G history 2;\n"
        "points shots [0..1] on G;\n"
        "series w : real [0..29];\n"
        "points mics [0..4] on G;\n"
        "stencil wave : U[1..58, 1..78] = 2 * U[0,0] - U@-1[0,0] + shots * w[time] +\n"
        "  0.2 * (U[-1,0] + U[1,0] + U[0,-1] + U[0,1] - 4 * U[0,0]);\n"
        "record trace [0..29] = U[0,0] at mics;\n"
        "init shots[p] = { 20.5, 10 + 30.0 * p };\n"
        "init w[t] = sin(0.3 * real(t));\n"
        "init mics[p] = { 5.0, 2.5 + 15.0 * p };\n");
  ::setenv("STENCIL_HOST_OPTIMISATION", "3", 1);
  const std::string line = " --schedule 'planes T=14'";
  const Outcome emitted = stencilc("shot.stn --machine cpu -o long.cpp" + line);
  EXPECT_EQ(emitted.status, 0) << emitted.err;
  EXPECT_GT(read(file("long.cpp")).size(), 160000u);
  const std::string strict =
      "run shot.stn --fp strict --out U=u_{0}.npy --out trace=t_{0}.npy --device {0}";
  for (const std::string& device : {std::string("host"), std::string("reference")}) {
    const Outcome outcome =
        stencilc(fmt::format(fmt::runtime(strict), device) + (device == "host" ? line : ""));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }
  EXPECT_TRUE(read(file("u_host.npy")) == read(file("u_reference.npy")));
  EXPECT_TRUE(read(file("t_host.npy")) == read(file("t_reference.npy")));
  ::setenv("STENCIL_HOST_OPTIMISATION", "1", 1);
}

TEST_F(PointSets, TakePositionsFromFiles) {
  run("--device host --out shots=places.npy --out w=w.npy --out gain=gain.npy");
  EXPECT_NE(read(file("places.npy")).find("'shape': (4, 2)"), std::string::npos);
  EXPECT_NE(read(file("w.npy")).find("'shape': (4, 4)"), std::string::npos);
  EXPECT_NE(read(file("gain.npy")).find("'shape': (4,)"), std::string::npos);
  const auto before = run("--device reference");
  EXPECT_EQ(run("--device host --in shots=places.npy --in w=w.npy --in gain=gain.npy"), before);
}

TEST_F(PointSets, MustLieInTheirDomain) {
  std::string text = kSources;
  text.replace(text.find("40.5"), 4, "49.5");
  write("sources.stn", text);
  for (const char* device : {"host", "reference"}) {
    const Outcome outcome =
        stencilc(std::string("run sources.stn --out U=u.npy --device ") + device);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_TRUE(holds(outcome.err,
                      "error R056: point 1 of 'shots' lies at (1.25, 49.5), not in [0..7, 10..49]"))
        << outcome.err;
  }
  EXPECT_EQ(files(), "sources.stn");
}

TEST_F(PointSets, WorkInEmittedPrograms) {
  const std::string in = "cd '" + (root_ / "work").string() + "' && ";
  for (const char* schedule : {"direct", "overlapped T=2"}) {
    ASSERT_EQ(stencilc(std::string("sources.stn -o sources.cpp --main --open S --schedule '") +
                       schedule + "'")
                  .status,
              0);
    ASSERT_EQ(
        std::system((in + "c++ -std=c++17 -Wall -Werror -o sources sources.cpp 2>log").c_str()), 0)
        << read(file("log"));
    ASSERT_EQ(std::system((in + "./sources S=3 --repeat 0 >log 2>&1").c_str()), 0)
        << read(file("log"));
    EXPECT_TRUE(holds(read(file("log")), "check=passed")) << read(file("log"));
  }
}

}  // namespace
}  // namespace stencil::test
