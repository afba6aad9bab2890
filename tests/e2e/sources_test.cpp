// Waves from off-grid point sources, and a gas: dsl-examples compared with analytic solutions.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "tests/e2e/simulations.h"

namespace stencil::test {
namespace {

double hump(double x) {
  return (1 - 2 * x * x) * std::exp(-x * x);
}

// --- elastic3d

// Homogeneous ground around one explosion, before the surface reflects.
class Explosion : public Simulations {
 protected:
  static constexpr int kPoints = 72, kSteps = 55;
  static constexpr double kDx = 10, kDt = 0.0018, kF0 = 12, kSpeed = 3000, kDensity = 2000,
                          kMoment = 1e12;

  // The moment rate, relative to kMoment.
  static double rate(double time) { return hump(kPi * kF0 * (time - 1.2 / kF0)); }

  // The radial velocity at distance r from the explosion, from the potential
  // -M(t - r / v) / (4 pi rho v^2 r).
  static double away(double time, double r) {
    constexpr double kStep = 1e-6;
    const double late = time - r / kSpeed;
    const double slope = (rate(late + kStep) - rate(late - kStep)) / (2 * kStep);
    return kMoment / (4 * kPi * kDensity * kSpeed * kSpeed) *
           (rate(late) / (r * r) + slope / (r * kSpeed));
  }
};

TEST_F(Explosion, MatchesTheAnalyticPotential) {
  run("elastic3d",
      "--device host --schedule direct --real double -D N=72 -D M=72 -D S=1 -D upper=3000 -D f0=12 "
      "-D dt=0.0018 "
      "--steps 55 --out vx=vx.npy --out vz=vz.npy");
  const auto vx = load<double>("vx.npy", size_t{kPoints} * kPoints * kPoints);
  const auto vz = load<double>("vz.npy", vx.size());
  const std::array<double, 3> source = {0.3 * kPoints, 0.45 * kPoints, 0.5 * kPoints};
  double greatest = 0, worst = 0;
  for (int k = 12; k < 32; ++k) {
    for (int j = 22; j < 42; ++j) {
      for (int i = 26; i < 46; ++i) {
        const auto at = static_cast<size_t>((k * kPoints + j) * kPoints + i);
        for (const bool down : {false, true}) {
          const double z = (k + (down ? 0.5 : 0) - source[0]) * kDx;
          const double y = (j - source[1]) * kDx;
          const double x = (i + (down ? 0 : 0.5) - source[2]) * kDx;
          const double r = std::hypot(x, y, z);
          if (r < 6 * kDx) continue;  // too few points per wavelength
          const double expected = away((kSteps - 0.5) * kDt, r) * (down ? z : x) / r;
          greatest = std::max(greatest, std::abs(expected));
          worst = std::max(worst, std::abs((down ? vz : vx)[at] - expected));
        }
      }
    }
  }
  EXPECT_GT(greatest, 1e-4);
  EXPECT_LT(worst, 0.08 * greatest);
}

// --- tti2d

class TiltedLayers : public Simulations {
 protected:
  static constexpr int kPoints = 101, kMiddle = 50;

  std::vector<double> pressure(const std::string& options) {
    run("tti2d",
        "--device host --schedule direct --real double -D N=101 -D M=101 -D S=1 --steps 90 --out "
        "p=p.npy " +
            options);
    return load<double>("p.npy", size_t{kPoints} * kPoints);
  }
};

TEST_F(TiltedLayers, VerticalAndHorizontalLayersAreEquivalent) {
  const auto lying = pressure("-D theta=0");
  const auto upright = pressure("-D theta=1.5707963267948966");
  double greatest = 0, worst = 0;
  for (int i = 0; i < kPoints; ++i) {
    for (int j = 0; j < kPoints; ++j) {
      const double value = lying[i * kPoints + j];
      greatest = std::max(greatest, std::abs(value));
      worst = std::max(worst, std::abs(value - upright[j * kPoints + i]));
    }
  }
  EXPECT_GT(greatest, 0.1);
  EXPECT_LT(worst, 1e-12);
}

// With epsilon = delta, fronts are ellipses that are wider by sqrt(1 + 2
// epsilon) = 1.2 along the layers.
TEST_F(TiltedLayers, HaveEllipticWaveFronts) {
  const auto p = pressure("-D theta=0 -D epsilon=0.22 -D delta=0.22 -D period=40");
  double greatest = 0;
  for (const double value : p) greatest = std::max(greatest, std::abs(value));
  for (const int z : {5, 10, 15, 20, 25, 30}) {
    const double across = p[(kMiddle + z) * kPoints + kMiddle];
    const double along = p[kMiddle * kPoints + kMiddle + 6 * z / 5];
    EXPECT_NEAR(across, along, 0.01 * greatest) << z;
  }
}

// --- euler2d

// The solution of Sod's problem at time 0.2 (Toro, chapter 4).
double density(double s) {  // s = (x - 1/2) / 0.2
  constexpr double kGamma = 1.4, kPressure = 0.30313017805, kSpeed = 0.92745262005;
  const double sound = std::sqrt(kGamma);
  const double left = std::pow(kPressure, 1 / kGamma);
  const double behind = sound * std::pow(kPressure, (kGamma - 1) / (2 * kGamma));
  constexpr double kShock = 1.7521557320;
  if (s < -sound) return 1;
  if (s < kSpeed - behind) {
    return std::pow((2 - (kGamma - 1) / sound * s) / (kGamma + 1), 2 / (kGamma - 1));
  }
  if (s < kSpeed) return left;
  return s < kShock ? 0.26557371170 : 0.125;
}

TEST_F(Simulations, ShockTubeMatchesSod) {
  const std::string out = run("euler2d",
                              "--device host --real double -D slope=0 -D N=3 -D M=200 "
                              "--out W=w.npy --history h.csv");
  EXPECT_NE(out.find("elapsed = 0.2"), std::string::npos) << out;
  const auto w = load<double>("w.npy", size_t{3} * 200 * 4);
  double error = 0;
  for (size_t i = 0; i < 200; ++i) {
    for (const size_t row : {size_t{1}, size_t{2}}) {
      EXPECT_EQ(w[4 * i], w[4 * (200 * row + i)]) << i;
    }
    error += std::abs(w[4 * i] - density(((static_cast<double>(i) + 0.5) / 200 - 0.5) / 0.2)) / 200;
  }
  EXPECT_LT(error, 0.007);  // 0.0057; a first-order scheme has 0.02
  for (const double step : history("h.csv", "dt")) EXPECT_GT(step, 0);
}

}  // namespace
}  // namespace stencil::test
