// examples/multigrid: convergence factors, orders of accuracy, and a direct solver.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/e2e/simulations.h"

namespace stencil::test {
namespace {

using Values = std::vector<double>;

class Multigrid : public Simulations {
 protected:
  std::string cycles(const std::string& example, const std::string& arguments) {
    const Outcome outcome = stencilc("run '" STENCIL_SOURCE_DIR "/examples/multigrid/" + example +
                                     ".stn' --history h.csv " + arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }
  Values residuals(const std::string& example, const std::string& arguments,
                   const std::string& column = "norm") {
    cycles(example, arguments);
    const Values found = history("h.csv", column);
    EXPECT_GE(found.size(), 3u);
    return found;
  }
  // The mean factor from the second to the last step.
  static double factor(const Values& residuals) {
    return std::pow(residuals.back() / residuals[1],
                    1.0 / static_cast<double>(residuals.size() - 2));
  }
};

TEST_F(Multigrid, CyclesConvergeAtTheSameRateOnAllSizes) {
  struct Expected {
    const char *example, *sizes;
    double most;
  };
  for (const auto& [example, sizes, most] : {Expected{"poisson27", "-D N=17 -D L=3", 0.22},
                                             {"poisson27", "-D N=33 -D L=5", 0.22},
                                             {"vcycle7", "-D N=16 -D L=3", 0.08},
                                             {"vcycle7", "-D N=32 -D L=4", 0.08},
                                             {"neumann27", "-D N=17 -D L=3", 0.14},
                                             {"neumann27", "-D N=33 -D L=5", 0.14},
                                             {"variable", "-D N=32 -D L=4", 0.3},
                                             {"variable", "-D N=64 -D L=5", 0.3},
                                             {"smoothers", "-D N=33 -D L=4 -D smoother=0", 0.2},
                                             {"smoothers", "-D N=33 -D L=4 -D smoother=1", 0.13},
                                             {"smoothers", "-D N=33 -D L=4 -D smoother=2", 0.17}}) {
    const Values found = residuals(example, std::string(sizes) + " --steps 6 --real double");
    EXPECT_LT(factor(found), most) << example << " " << sizes;
    EXPECT_GT(factor(found), most / 4) << example << " " << sizes;
  }
}

TEST_F(Multigrid, FullMultigridIsOfSecondOrder) {
  Values errors;
  for (const char* sizes : {"-D N=9 -D L=3", "-D N=17 -D L=4", "-D N=33 -D L=5"}) {
    const Values found =
        residuals("full", std::string(sizes) + " --real double --steps 9", "error");
    // the first guess and one cycle reach the discretisation error
    EXPECT_LT(found.front(), 1.1 * found.back()) << sizes;
    errors.push_back(found.back());
  }
  EXPECT_NEAR(errors[0] / errors[1], 4, 0.2);
  EXPECT_NEAR(errors[1] / errors[2], 4, 0.1);
}

TEST_F(Multigrid, FloatCyclesReachThePrecisionOfDouble) {
  const Values found = residuals("mixed", "-D N=17 -D L=3 --steps 30");
  EXPECT_LT(found.back(), 2e-12);
  EXPECT_LT(found.size(), 25u);  // the run stops
}

TEST_F(Multigrid, ConjugateGradientsAreFasterThanTheirCycle) {
  const Values preconditioned = residuals("cg", "-D N=33 -D L=4 --real double");
  const Values cycles = residuals("smoothers", "-D N=33 -D L=4 --real double --steps 5");
  EXPECT_LT(preconditioned.size(), 8u);
  EXPECT_LT(factor(preconditioned), 0.12);
}

// The solution of the 7-point equations by elimination within a band.
Values solved(int n, const Values& f) {
  const int m = n - 2, unknowns = m * m * m, band = m * m;
  const auto width = static_cast<size_t>(2 * band + 1);
  std::vector<Values> a(static_cast<size_t>(unknowns), Values(width, 0));
  Values x(static_cast<size_t>(unknowns));
  const auto at = [&](int row, int column) -> double& {
    return a[static_cast<size_t>(row)][static_cast<size_t>(column - row + band)];
  };
  for (int p = 0; p < unknowns; ++p) {
    const int i = p / (m * m), j = p / m % m, k = p % m;
    x[static_cast<size_t>(p)] = f[static_cast<size_t>(((i + 1) * n + j + 1) * n + k + 1)];
    at(p, p) = 6;
    if (i > 0) at(p, p - m * m) = -1;
    if (i < m - 1) at(p, p + m * m) = -1;
    if (j > 0) at(p, p - m) = -1;
    if (j < m - 1) at(p, p + m) = -1;
    if (k > 0) at(p, p - 1) = -1;
    if (k < m - 1) at(p, p + 1) = -1;
  }
  for (int p = 0; p < unknowns; ++p) {
    for (int row = p + 1; row <= std::min(p + band, unknowns - 1); ++row) {
      const double by = at(row, p) / at(p, p);
      if (by == 0) continue;
      for (int c = p; c <= std::min(p + band, unknowns - 1); ++c) at(row, c) -= by * at(p, c);
      x[static_cast<size_t>(row)] -= by * x[static_cast<size_t>(p)];
    }
  }
  for (int p = unknowns; p-- > 0;) {
    for (int c = p + 1; c <= std::min(p + band, unknowns - 1); ++c) {
      x[static_cast<size_t>(p)] -= at(p, c) * x[static_cast<size_t>(c)];
    }
    x[static_cast<size_t>(p)] /= at(p, p);
  }
  Values out(f.size(), 0);
  for (int p = 0; p < unknowns; ++p) {
    const int i = p / (m * m), j = p / m % m, k = p % m;
    out[static_cast<size_t>(((i + 1) * n + j + 1) * n + k + 1)] = x[static_cast<size_t>(p)];
  }
  return out;
}

TEST_F(Multigrid, CyclesFindTheSolutionOfADirectSolver) {
  constexpr int n = 9;
  const Values nothing;
  for (const auto& [example, field, source] :
       {std::tuple{"smoothers", "u", "f"}, {"cg", "x", "source"}, {"mixed", "x", "source"}}) {
    cycles(example,
           "-D N=9 -D L=3 --real double --steps 20 "
           "--out " +
               std::string(field) + "=u.npy --out " + source + "=f.npy");
    const Values f = load<double>("f.npy", n * n * n), u = load<double>("u.npy", n * n * n);
    const Values expected = solved(n, f);
    double largest = 0, difference = 0;
    for (size_t p = 0; p < u.size(); ++p) {
      largest = std::max(largest, std::abs(expected[p]));
      difference = std::max(difference, std::abs(u[p] - expected[p]));
    }
    EXPECT_GT(largest, 0.05);
    EXPECT_LT(difference, std::string(example) == "cg" ? 1e-4 : 1e-11) << example;
  }
}

}  // namespace
}  // namespace stencil::test
