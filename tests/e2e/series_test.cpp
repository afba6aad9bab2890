// Profiles and series from the command line: their files, and the number
// of steps that a series permits.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/e2e/tool.h"

namespace stencil::test {
namespace {

constexpr const char* kDriven =
    "param K : integer = 9;\n"
    "grid G = [0..19, 0..29] spacing 0.5 steps 8;\n"
    "field A : real on G;\n"
    "field depth : real on G along 0 constant;\n"
    "series wave : real [0..K-1];\n"
    "series wind : real [0..3] on G along 1 boundary clamp;\n"
    "stencil s : A[1..18, 1..28] = 0.2 * (A[-1,0] + A[1,0] + A[0,-1] + A[0,1])\n"
    "  + depth[-1] * wave[time + 1] + wind[time, 0];\n"
    "init depth[i] = position(i);\n"
    "init wave[t] = 1 / (1 + real(t));\n"
    "init wind[t, j] = 0.01 * (t + j);\n";

class Series : public Tool {
 protected:
  Series() { write("driven.stn", kDriven); }
  std::string run(const std::string& arguments) {
    const Outcome outcome = stencilc("run driven.stn --device host " + arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  }
};

TEST_F(Series, HaveFilesOfTheirShape) {
  run("--out A=a.npy --out depth=depth.npy --out wave=wave.npy --out wind=wind.npy "
      "--out depth=depth.vti --out wave=wave.png --out wind=wind.png");
  EXPECT_NE(read(file("depth.npy")).find("'shape': (20,)"), std::string::npos);
  EXPECT_NE(read(file("wave.npy")).find("'shape': (9,)"), std::string::npos);
  EXPECT_NE(read(file("wind.npy")).find("'shape': (4, 30)"), std::string::npos);
  EXPECT_NE(read(file("depth.vti"))
                .find("WholeExtent=\"0 19 0 0 0 0\" Origin=\"0 0 0\" "
                      "Spacing=\"0.5 1 1\""),
            std::string::npos);
  EXPECT_GT(read(file("wave.png")).size(), 1000u);
  EXPECT_GT(read(file("wind.png")).size(), 1000u);
  // Files written by a run can be read by a run, with the same result as in the interpreter.
  run("--in depth=depth.npy --in wave=wave.npy --in wind=wind.npy --out A=again.npy");
  EXPECT_EQ(read(file("a.npy")), read(file("again.npy")));
  const Outcome reference = stencilc("run driven.stn --device reference --out A=reference.npy");
  EXPECT_EQ(reference.status, 0) << reference.err;
  EXPECT_EQ(read(file("a.npy")), read(file("reference.npy")));
  const Outcome wrong = stencilc("run driven.stn --device host --in wave=wind.npy");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(holds(wrong.err, "error R022")) << wrong.err;
}

// Signals enter at an edge and travel one point per step, so the value of a point after n steps is
// known.
TEST_F(Series, CanBeBoundaryValues) {
  write("travel.stn",
        "grid G = [0..39] steps 14;\n"
        "series w : real [0..9] boundary constant -1;\n"
        "field U : real on G boundary [constant 2 * w[time] .. none];\n"
        "field V : real on G boundary [none .. constant w[time]];\n"
        "stencil right : U on G = U[-1];\n"
        "stencil left : V[1..39] = V[1];\n"
        "init w[t] = real(t + 1);\ninit V[i] = real(i);\n");
  const auto values = [&](const std::string& schedule) {
    const Outcome outcome =
        stencilc("run travel.stn --device host --out U=u.npy --out V=v.npy " + schedule);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::vector<float> all(80);
    for (const char* name : {"u.npy", "v.npy"}) {
      const std::string bytes = read(file(name));
      const size_t half = 40 * sizeof(float);
      EXPECT_GT(bytes.size(), half);
      std::memcpy(all.data() + (name[0] == 'u' ? 0 : 40), bytes.data() + bytes.size() - half, half);
    }
    return all;
  };
  for (const char* schedule : {"", "--schedule direct", "--schedule 'overlapped T=4'"}) {
    const std::vector<float> found = values(schedule);
    for (int i = 0; i < 40; ++i) {
      const int entered = 13 - i;  // the step in which it entered; the series ends at 9
      const float u = i > 13 ? 0 : entered > 9 ? -2 : 2.0f * static_cast<float>(entered + 1);
      EXPECT_EQ(found[i], u) << schedule << " U " << i;
      const int from = 13 - (39 - i);
      const float v = i == 0         ? 0
                      : i + 14 <= 39 ? static_cast<float>(i + 14)
                      : from > 9     ? -1.0f
                                     : static_cast<float>(from + 1);
      EXPECT_EQ(found[40 + i], v) << schedule << " V " << i;
    }
  }
}

TEST_F(Series, AreExplained) {
  const Outcome outcome = stencilc("explain driven.stn");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "A[-1..1, -1..1] depth[-1..-1] wave[time+1] wind[time, 0..0]"))
      << outcome.out;
}

TEST_F(Series, LimitARun) {
  const Outcome known = stencilc("run driven.stn --device host --steps 9");
  EXPECT_EQ(known.status, 1) << known.err;
  EXPECT_TRUE(holds(known.err, "error S031: series wave has values from 0 to 8")) << known.err;
  const Outcome open = stencilc("run driven.stn --device host --open K -D K=8 --out A=a.npy");
  EXPECT_EQ(open.status, 2) << open.err;
  EXPECT_TRUE(holds(open.err, "error R055: series wave has values from 0 to K-1")) << open.err;
  EXPECT_EQ(files(), "driven.stn");
}

TEST_F(Series, LimitAnEmittedProgram) {
  ASSERT_EQ(stencilc("driven.stn -o driven.cpp --main --open K --schedule direct").status, 0);
  const std::string in = "cd '" + (root_ / "work").string() + "' && ";
  ASSERT_EQ(std::system((in + "c++ -std=c++17 -o driven driven.cpp 2>log").c_str()), 0)
      << read(file("log"));
  const auto ran = [&](const std::string& words) {
    return std::system((in + "./driven " + words + " --repeat 0 >log 2>&1").c_str());
  };
  EXPECT_EQ(ran("--steps 8 K=9"), 0) << read(file("log"));
  EXPECT_TRUE(holds(read(file("log")), "check=passed")) << read(file("log"));
  EXPECT_NE(ran("--steps 9 K=9"), 0);
  EXPECT_TRUE(holds(read(file("log")), "series wave has values from 0 to K-1"))
      << read(file("log"));
}

}  // namespace
}  // namespace stencil::test
