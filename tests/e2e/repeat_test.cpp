// Iterations within a step: the cavity flow compared with loops written by hand and with published
// results, runs that resume from a checkpoint, and emitted programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "tests/e2e/tool.h"

namespace stencil::test {
namespace {

// A repeat together with history levels, a series, and a reduction that it reads.
constexpr const char* kBeside =
    "grid G = [0..29, 0..40] steps 11;\n"
    "series w : real [0..20];\n"
    "field U, C : real on G boundary clamp;\n"
    "field H : real on G history 2;\n"
    "stencil before : U on G = U[0,0] + 0.1 * H@-1[0,0];\n"
    "reduce total = sum(U[0,0]) on G;\n"
    "repeat 7 {\n"
    "  stencil smooth : U[1..28, 1..39] = 0.25 * (U[-1,0] + U[1,0] + U[0,-1] + U[0,1]) + C[0,0]\n"
    "    + w[time];\n"
    "  stencil follow : C every 2 on G = 0.5 * C[0,0] + 1e-4 * U[0,0] / total;\n"
    "}\n"
    "stencil keep : H on G = U[0,0] - H[0,0];\n"
    "reduce largest = max(abs(U[0,0])) on G every 3;\n"
    "stop when largest > 1e9;\n"
    "init w[t] = 0.01 * real(t); init U[i, j] = 1 + real((i * 7 + j * 5) % 11) / 11;\n";

using Values = std::vector<double>;

class Repeat : public Tool {
 protected:
  Repeat() { write("beside.stn", kBeside); }

  Values values(const std::string& name, size_t points) {
    const std::string bytes = read(file(name));
    Values out(points);
    EXPECT_GT(bytes.size(), points * sizeof(double)) << name;
    if (bytes.size() <= points * sizeof(double)) return out;
    std::memcpy(out.data(), bytes.data() + bytes.size() - points * sizeof(double),
                points * sizeof(double));
    return out;
  }
  std::string run(const std::string& arguments) {
    const Outcome outcome = stencilc("run " + arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  }
  void expect_equal_bits(const Values& one, const Values& other, const std::string& what) {
    EXPECT_EQ(std::memcmp(one.data(), other.data(), one.size() * sizeof(double)), 0) << what;
  }
};

const std::string kCavity = "'" STENCIL_SOURCE_DIR "/dsl-examples/cavity2d.stn' --real double ";

// One step of dsl-examples/cavity2d.stn as loops, operation by operation.
struct Cavity {
  int n;
  double re = 100, lid = 1, h = 1.0 / n, dt = 0.2 * std::min(h, re*h*h);
  Values u = Values(size()), v = u, us = u, vs = u, p = u, source = u;

  size_t size() const { return static_cast<size_t>((n + 2) * (n + 2)); }
  size_t at(int i, int j) const { return static_cast<size_t>(i * (n + 2) + j); }
  static double mean(double a, double b) { return 0.5 * (a + b); }
  double diffusion(const Values& a, int i, int j) const {
    return (a[at(i - 1, j)] + a[at(i + 1, j)] + a[at(i, j - 1)] + a[at(i, j + 1)] -
            4 * a[at(i, j)]) /
           (re * h * h);
  }
  double pressure(const Values& old, int i, int j) const {
    return old[at(std::clamp(i, 1, n), std::clamp(j, 1, n))];
  }

  void step() {
    for (int j = 1; j < n; ++j) {
      u[at(0, j)] = -u[at(1, j)];
      u[at(n + 1, j)] = 2 * lid - u[at(n, j)];
      v[at(j, 0)] = -v[at(j, 1)];
      v[at(j, n + 1)] = -v[at(j, n)];
    }
    for (int i = 1; i <= n; ++i) {
      for (int j = 1; j < n; ++j) {
        const double right = mean(u[at(i, j)], u[at(i, j + 1)]);
        const double left = mean(u[at(i, j - 1)], u[at(i, j)]);
        const double upper =
            mean(u[at(i, j)], u[at(i + 1, j)]) * mean(v[at(i, j)], v[at(i, j + 1)]);
        const double lower =
            mean(u[at(i - 1, j)], u[at(i, j)]) * mean(v[at(i - 1, j)], v[at(i - 1, j + 1)]);
        us[at(i, j)] = u[at(i, j)] + dt * (diffusion(u, i, j) -
                                           (right * right - left * left + upper - lower) / h);
      }
    }
    for (int i = 1; i < n; ++i) {
      for (int j = 1; j <= n; ++j) {
        const double upper = mean(v[at(i, j)], v[at(i + 1, j)]);
        const double lower = mean(v[at(i - 1, j)], v[at(i, j)]);
        const double right =
            mean(u[at(i, j)], u[at(i + 1, j)]) * mean(v[at(i, j)], v[at(i, j + 1)]);
        const double left =
            mean(u[at(i, j - 1)], u[at(i + 1, j - 1)]) * mean(v[at(i, j - 1)], v[at(i, j)]);
        vs[at(i, j)] = v[at(i, j)] + dt * (diffusion(v, i, j) -
                                           (upper * upper - lower * lower + right - left) / h);
      }
    }
    for (int i = 1; i <= n; ++i) {
      for (int j = 1; j <= n; ++j) {
        source[at(i, j)] =
            (us[at(i, j)] - us[at(i, j - 1)] + vs[at(i, j)] - vs[at(i - 1, j)]) / (h * dt);
      }
    }
    for (int iteration = 0; iteration < 20; ++iteration) {
      const Values old = p;
      for (int i = 1; i <= n; ++i) {
        for (int j = 1; j <= n; ++j) {
          const double around = pressure(old, i - 1, j) + pressure(old, i + 1, j) +
                                pressure(old, i, j - 1) + pressure(old, i, j + 1);
          p[at(i, j)] = 0.25 * (around - h * h * source[at(i, j)]);
        }
      }
    }
    for (int i = 1; i <= n; ++i) {
      for (int j = 1; j <= n; ++j) {
        if (j < n) u[at(i, j)] = us[at(i, j)] - dt / h * (p[at(i, j + 1)] - p[at(i, j)]);
        if (i < n) v[at(i, j)] = vs[at(i, j)] - dt / h * (p[at(i + 1, j)] - p[at(i, j)]);
      }
    }
  }
};

TEST_F(Repeat, PressureEqualsPlainLoops) {
  Cavity cavity{19};
  for (int step = 0; step < 9; ++step) cavity.step();
  const char* schedules[] = {"direct", "'overlapped T=3'", "'overlapped T=20 block=128x64'",
                             "'planes T=7'", "auto"};
  const auto expect = [&](const std::string& how) {
    run(kCavity + "-D N=19 --steps 9 --fp strict --out u=u.npy --out v=v.npy " + how);
    expect_equal_bits(values("u.npy", cavity.size()), cavity.u, how + " u");
    expect_equal_bits(values("v.npy", cavity.size()), cavity.v, how + " v");
  };
  expect("--device reference");
  for (const char* schedule : schedules)
    expect(std::string("--device host --schedule ") + schedule);
}

// For Re = 100: Ghia, Ghia and Shin, J. Comput. Phys. 48 (1982), tables I and II, on 129 x 129
// points.
TEST_F(Repeat, CavityFlowMatchesPublishedResults) {
  constexpr int kN = 32;
  run(kCavity + "-D N=32 --steps 4000 --device host --out u=u.npy --out v=v.npy --history h.csv");
  const Cavity at{kN};
  const Values u = values("u.npy", at.size()), v = values("v.npy", at.size());
  double least_u = 0, least_v = 0, largest_v = 0;
  for (int i = 1; i <= kN; ++i) {  // faces on the centre lines
    least_u = std::min(least_u, u[at.at(i, kN / 2)]);
    least_v = std::min(least_v, v[at.at(kN / 2, i)]);
    largest_v = std::max(largest_v, v[at.at(kN / 2, i)]);
  }
  EXPECT_NEAR(least_u, -0.21090, 0.004);
  EXPECT_NEAR(least_v, -0.24533, 0.005);
  EXPECT_NEAR(largest_v, 0.17527, 0.002);
  std::istringstream rows(read(file("h.csv")));
  std::string row;
  std::getline(rows, row);
  Values outflow;
  while (std::getline(rows, row)) outflow.push_back(std::stod(row.substr(row.find(',') + 1)));
  ASSERT_EQ(outflow.size(), 40u);
  for (size_t s = 1; s < 30; ++s) EXPECT_LT(outflow[s], outflow[s - 1]) << s;
  EXPECT_LT(outflow.back(), 1e-9);
}

TEST_F(Repeat, ResumesFromACheckpoint) {
  for (const std::string on : {" --fp strict --device reference",
                               " --fp strict --device host --schedule 'overlapped T=4'"}) {
    const std::string whole = run("beside.stn --out U=u.npy --out H=h.npy" + on);
    run("beside.stn --steps 5 --checkpoint c.ckpt" + on);
    const std::string rest = run("beside.stn --restart c.ckpt --out U=u2.npy --out H=h2.npy" + on);
    EXPECT_TRUE(read(file("u.npy")) == read(file("u2.npy"))) << on << " U";
    EXPECT_TRUE(read(file("h.npy")) == read(file("h2.npy"))) << on << " H";
    EXPECT_NE(reductions(whole), "");
    EXPECT_EQ(reductions(whole), reductions(rest)) << on;
  }
  // A checkpoint with another number of iterations belongs to another program.
  std::string other = kBeside;
  other.replace(other.find("repeat 7"), 8, "repeat 6");
  write("other.stn", other);
  EXPECT_NE(stencilc("run other.stn --restart c.ckpt --device reference").status, 0);
}

TEST_F(Repeat, IsVerified) {
  const Outcome verified = stencilc("verify beside.stn --quick --full --device host");
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
  EXPECT_NE(verified.out.find("same bits"), std::string::npos) << verified.out;
  const std::string in = "cd '" + (root_ / "work").string() + "' && ";
  const std::string compile =
      "c++ -std=c++17 -Wall -Wextra -Werror -ffp-contract=off -o beside beside.cpp 2>log";
  for (const char* schedule : {"direct", "'overlapped T=3'", "'planes T=4'"}) {
    ASSERT_EQ(
        stencilc("beside.stn -o beside.cpp --main --fp strict --schedule " + std::string(schedule))
            .status,
        0);
    ASSERT_EQ(std::system((in + compile).c_str()), 0) << read(file("log"));
    ASSERT_EQ(std::system((in + "./beside --repeat 0 >log 2>&1").c_str()), 0) << read(file("log"));
    EXPECT_NE(read(file("log")).find("check=passed"), std::string::npos) << read(file("log"));
  }
}

}  // namespace
}  // namespace stencil::test
