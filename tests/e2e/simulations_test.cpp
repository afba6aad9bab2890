// Physics of some dsl-examples, compared with analytic solutions,
// conservation laws and plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/e2e/simulations.h"

namespace stencil::test {
namespace {

// --- q2r

constexpr int kRows = 40, kColumns = 62;

size_t site(int i, int j) {
  return static_cast<size_t>((i + kRows) % kRows * kColumns + (j + kColumns) % kColumns);
}

int energy(const std::vector<int8_t>& spins) {
  int sum = 0;
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) {
      sum -= spins[site(i, j)] * (spins[site(i + 1, j)] + spins[site(i, j + 1)]);
    }
  }
  return sum;
}

TEST_F(Simulations, IsingAutomatonConservesEnergyAndIsReversible) {
  const std::string sizes = "--device host -D N=20 -D M=31 -D p=0.2 ";
  run("q2r", sizes + "--steps 200 --every 200 --out spin=s.npy --history h.csv");
  constexpr size_t kSites = size_t{kRows} * kColumns;
  const auto first = load<int8_t>("s_000000.npy", kSites);
  const auto last = load<int8_t>("s.npy", kSites);
  EXPECT_NEAR(static_cast<double>(std::count(first.begin(), first.end(), -1)), 0.2 * kSites, 80);
  EXPECT_EQ(history("h.csv", "energy"), std::vector<double>(2, energy(first)));
  EXPECT_EQ(energy(last), energy(first));

  std::vector<int8_t> spins = first;
  for (int step = 0; step < 200; ++step) {
    for (int i = 0; i < kRows; ++i) {
      for (int j = (i + step) % 2; j < kColumns; j += 2) {
        const int around = spins[site(i - 1, j)] + spins[site(i + 1, j)] + spins[site(i, j - 1)] +
                           spins[site(i, j + 1)];
        if (around == 0) spins[site(i, j)] = static_cast<int8_t>(-spins[site(i, j)]);
      }
    }
  }
  EXPECT_EQ(last, spins);
  EXPECT_NE(last, first);

  // Shifted by one column, the colours of the last step equal those of the first one.
  std::vector<int8_t> moved(kSites), returned(kSites);
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) moved[site(i, j + 1)] = last[site(i, j)];
  }
  save("moved.npy", "40, 62", moved);
  run("q2r", sizes + "--steps 200 --in spin=moved.npy --out spin=back.npy");
  const auto back = load<int8_t>("back.npy", kSites);
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) returned[site(i, j)] = back[site(i, j + 1)];
  }
  EXPECT_EQ(returned, first);
}

// --- semi_lagrangian

struct Moments {
  double sum = 0, y = 0, x = 0, yy = 0, xx = 0;  // means and variances
};

Moments moments(const std::vector<double>& c, int size) {
  Moments m;
  const auto each = [&](const auto& take) {
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < size; ++j) take(c[i * size + j], i, j);
    }
  };
  each([&](double value, int i, int j) { m.sum += value, m.y += value * i, m.x += value * j; });
  m.y /= m.sum, m.x /= m.sum;
  each([&](double value, int i, int j) {
    m.yy += value * (i - m.y) * (i - m.y) / m.sum;
    m.xx += value * (j - m.x) * (j - m.x) / m.sum;
  });
  return m;
}

// A step of whole cells plus a fraction r moves a bump by that distance. Linear interpolation adds
// exactly r (1 - r) to its variance while the bump stays away from the periodic edge.
TEST_F(Simulations, ConstantWindMovesABump) {
  constexpr size_t kPoints = 96 * 96;
  save("u.npy", "96, 96", std::vector<double>(kPoints, -1.7));
  save("v.npy", "96, 96", std::vector<double>(kPoints, 0.4));
  save("swing.npy", "20", std::vector<double>(20, 1.0));
  run("semi_lagrangian",
      "--device reference --real double -D N=96 -D K=20 --steps 20 --in u=u.npy --in v=v.npy "
      "--in swing=swing.npy --out c=c.npy --every 20 --history h.csv");
  const auto first = load<double>("c_000000.npy", kPoints);
  const auto last = load<double>("c.npy", kPoints);
  const Moments a = moments(first, 96), b = moments(last, 96);
  EXPECT_NEAR(b.sum, a.sum, 1e-9);
  EXPECT_NEAR(b.x - a.x, -34, 1e-9);
  EXPECT_NEAR(b.y - a.y, 8, 1e-9);
  EXPECT_NEAR(b.xx - a.xx, 20 * 0.7 * 0.3, 1e-9);
  EXPECT_NEAR(b.yy - a.yy, 20 * 0.4 * 0.6, 1e-9);
  EXPECT_GT(*std::max_element(last.begin(), last.end()), 0.9);
  EXPECT_GE(history("h.csv", "lowest").back(), 0);
  EXPECT_LE(history("h.csv", "highest").back(), 1);
}

TEST_F(Simulations, ReversedSwirlReturnsATracer) {
  constexpr size_t kPoints = 64 * 64;
  run("semi_lagrangian",
      "--device reference -D N=64 -D K=50 --steps 50 --every 25 --out c=c.npy --history h.csv");
  const auto first = load<float>("c_000000.npy", kPoints);
  const auto middle = load<float>("c_000025.npy", kPoints);
  const auto last = load<float>("c.npy", kPoints);
  double to_middle = 0, to_last = 0;
  for (size_t k = 0; k < kPoints; ++k) {
    to_middle = std::max<double>(to_middle, std::abs(middle[k] - first[k]));
    to_last = std::max<double>(to_last, std::abs(last[k] - first[k]));
  }
  EXPECT_GT(to_middle, 0.8);
  EXPECT_LT(to_last, 0.35);
  for (const double value : history("h.csv", "lowest")) EXPECT_GE(value, 0);
  for (const double value : history("h.csv", "highest")) EXPECT_LE(value, 1);
}

// --- tide

// A channel of constant depth without rotation and friction, closed at one end: eta = a cos(k (L -
// x)) / cos(k L) sin(w t). The scheme has the same solution with another k.
class Tide : public Simulations {
 protected:
  // The largest differences, after 5/4 periods, from the solution of the scheme and from that of
  // the equations.
  std::array<double, 2> errors(int columns, int steps) {
    constexpr int kAcross = 3;
    constexpr double kLength = 600e3, kDepth = 60, kGravity = 9.81, kPeriod = 44714, kHeight = 0.5;
    const double dx = kLength / (columns + 0.5), dt = kPeriod / steps, w = 2 * kPi / kPeriod;
    const double celerity = std::sqrt(kGravity * kDepth), k = w / celerity;
    const double k_scheme = 2 / dx * std::asin(dx / (celerity * dt) * std::sin(w * dt / 2));
    std::vector<double> depth, u;
    for (int row = 0; row < kAcross; ++row) {
      for (int j = 0; j < columns; ++j) {
        // Half a step before the start, half a spacing to the west.
        u.push_back(kGravity * dt / dx * kHeight / std::cos(k_scheme * kLength) *
                    std::sin(k_scheme * (kLength - (j + 0.5) * dx)) * std::sin(k_scheme * dx / 2) /
                    std::sin(w * dt / 2) * std::cos(w * dt / 2));
        depth.push_back(kDepth);
      }
    }
    const std::string shape = "3, " + std::to_string(columns);
    save("h.npy", shape, depth);
    save("u.npy", shape, u);
    std::ostringstream arguments;
    arguments.precision(17);
    arguments << "--device host --schedule direct --real double -D N=3 -D M=" << columns
              << " -D P=" << steps << " -D f=0 -D cd=0 -D amplitude=0.5 -D dx=" << dx << " --steps "
              << steps * 5 / 4 << " --in h=h.npy --in u=u.npy --out eta=eta.npy";
    run("tide", arguments.str());
    const auto eta = load<double>("eta.npy", depth.size());
    const auto wave = [&](double number, double x) {
      return kHeight * std::cos(number * (kLength - x)) / std::cos(number * kLength);
    };
    std::array<double, 2> largest = {};
    for (size_t n = 0; n < eta.size(); ++n) {
      const double x = (static_cast<double>(n % static_cast<size_t>(columns)) + 1) * dx;
      largest[0] = std::max(largest[0], std::abs(eta[n] - wave(k_scheme, x)));
      largest[1] = std::max(largest[1], std::abs(eta[n] - wave(k, x)));
    }
    return largest;
  }
};

TEST_F(Tide, IsAStandingWaveInAChannel) {
  const auto coarse = errors(50, 240), fine = errors(100, 480);
  EXPECT_LT(coarse[0], 1e-12);
  EXPECT_LT(fine[0], 1e-12);
  EXPECT_LT(coarse[1], 3e-4);
  EXPECT_NEAR(coarse[1] / fine[1], 4, 0.1) << "must be second order";
}

// With friction the gulf reaches periodic motion: successive periods have the same energy, and the
// level hardly changes at some points (amphidromes).
TEST_F(Tide, HasAmphidromesInAGulf) {
  run("tide", "--device host --history h.csv --steps 3840 --out crest=crest.npy");
  const auto energies = history("h.csv", "energy");
  ASSERT_EQ(energies.size(), 16U);
  EXPECT_NEAR(energies[15] / energies[13], 1, 0.01);
  const auto crest = load<float>("crest.npy", 96 * 160);
  EXPECT_LT(*std::min_element(crest.begin(), crest.end()), 0.1f);
  EXPECT_GT(*std::max_element(crest.begin(), crest.end()), 1.5f);
}

// --- lbm_d3q19

constexpr int kDepth = 7, kHeight = 8, kWidth = 11;  // K, N, M: z, y, x

// The same method as plain loops, with populations stored by velocity.
class PlainFlow {
 public:
  PlainFlow(double tau, double speed, double radius) : tau_(tau) {
    for (int z = -1; z <= 1; ++z) {
      for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) {
          if (z * z + y * y + x * x < 3) lattice_.push_back({z, y, x});
        }
      }
    }
    for (int y = 0; y < kHeight; ++y) {
      const double s = (y + 0.5) / kHeight;
      inflow_[y] = 6 * speed * s * (1 - s);
    }
    for (int z = 0; z < kDepth; ++z) {
      for (int y = 0; y < kHeight; ++y) {
        for (int x = 0; x < kWidth; ++x) {
          const double from_middle = std::pow(z - 0.5 * (kDepth - 1), 2) +
                                     std::pow(y - 0.5 * (kHeight - 1), 2) +
                                     std::pow(x - 0.25 * kWidth, 2);
          sphere_.push_back(from_middle < radius * radius);
          const std::array<double, 3> u = {0, 0, inflow_[y]};
          u_.push_back(u);
          for (const auto& c : lattice_) f_.push_back(equilibrium(c, 1, u));
        }
      }
    }
  }

  void step() {
    std::vector<double> next = f_;
    for (int z = 0; z < kDepth; ++z) {
      for (int y = 0; y < kHeight; ++y) {
        for (int x = 0; x < kWidth; ++x) {
          if (!sphere_[point(z, y, x)]) collide(z, y, x, next);
        }
      }
    }
    f_ = next;
  }

  double drag() const {
    double sum = 0;
    for (int z = 0; z < kDepth; ++z) {
      for (int y = 0; y < kHeight; ++y) {
        for (int x = 0; x < kWidth; ++x) {
          if (sphere_[point(z, y, x)]) continue;
          for (size_t q = 0; q < lattice_.size(); ++q) {
            const auto [cz, cy, cx] = lattice_[q];
            if (y + cy < 0 || y + cy >= kHeight || x + cx < 0 || x + cx >= kWidth) continue;
            if (sphere_[point(z + cz, y + cy, x + cx)]) {
              sum += 2 * cx * f_[point(z, y, x) * lattice_.size() + q];
            }
          }
        }
      }
    }
    return sum;
  }

  const std::vector<std::array<double, 3>>& velocity() const { return u_; }

 private:
  using Velocity = std::array<int, 3>;

  static size_t point(int z, int y, int x) {
    return static_cast<size_t>(((z + kDepth) % kDepth * kHeight + y) * kWidth + x);
  }

  static double equilibrium(const Velocity& c, double rho, const std::array<double, 3>& u) {
    const int length = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    const double weight = length == 0 ? 1.0 / 3 : length == 1 ? 1.0 / 18 : 1.0 / 36;
    const double cu = c[0] * u[0] + c[1] * u[1] + c[2] * u[2];
    const double uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    return weight * rho * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * uu);
  }

  void collide(int z, int y, int x, std::vector<double>& next) {
    const size_t here = point(z, y, x), count = lattice_.size();
    std::vector<double> g(count);
    double rho = 0;
    std::array<double, 3> momentum = {};
    for (size_t q = 0; q < count; ++q) {
      const auto [cz, cy, cx] = lattice_[q];
      // The lattice is ordered so that opposite velocities have mirrored positions.
      const double back = f_[here * count + count - 1 - q];
      if (y - cy < 0 || y - cy >= kHeight) {
        g[q] = back;
      } else if (x - cx < 0) {
        g[q] = equilibrium(lattice_[q], 1, {0, 0, inflow_[y - cy]});
      } else if (x - cx >= kWidth) {
        g[q] = equilibrium(lattice_[q], 1, u_[here]);
      } else {
        const size_t from = point(z - cz, y - cy, x - cx);
        g[q] = sphere_[from] ? back : f_[from * count + q];
      }
      rho += g[q];
      for (size_t d = 0; d < 3; ++d) momentum[d] += lattice_[q][d] * g[q];
    }
    for (double& component : momentum) component /= rho;
    u_[here] = momentum;
    for (size_t q = 0; q < count; ++q) {
      next[here * count + q] = g[q] + (equilibrium(lattice_[q], rho, momentum) - g[q]) / tau_;
    }
  }

  double tau_;
  std::vector<Velocity> lattice_;
  std::array<double, kHeight> inflow_;
  std::vector<bool> sphere_;
  std::vector<std::array<double, 3>> u_;
  std::vector<double> f_;
};

TEST_F(Simulations, FlowAroundASphereEqualsPlainLoops) {
  run("lbm_d3q19",
      "--device reference --real double -D K=7 -D N=8 -D M=11 -D radius=2.2 -D tau=0.7 -D "
      "speed=0.08 "
      "--steps 50 --out velocity=u.npy --history h.csv");
  PlainFlow flow(0.7, 0.08, 2.2);
  for (int step = 0; step < 50; ++step) flow.step();
  const auto u = load<double>("u.npy", flow.velocity().size() * 3);
  double largest = 0;
  for (size_t n = 0; n < u.size(); ++n) {
    largest = std::max(largest, std::abs(u[n] - flow.velocity()[n / 3][n % 3]));
  }
  EXPECT_LT(largest, 1e-13);
  EXPECT_GT(flow.drag(), 0.1);
  ASSERT_EQ(history("h.csv", "drag").size(), 1U);
  EXPECT_NEAR(history("h.csv", "drag")[0], flow.drag(), 1e-12);
}

// Once the drag is steady, the flux through all columns is the same.
TEST_F(Simulations, FlowAroundASphereBecomesSteady) {
  run("lbm_d3q19",
      "--device reference -D K=6 -D N=10 -D M=20 -D radius=1.6 --steps 600 --out velocity=u.npy "
      "--out f=f.npy --history h.csv");
  const auto drag = history("h.csv", "drag");
  ASSERT_EQ(drag.size(), 12U);
  for (const double value : drag) EXPECT_GT(value, 0);
  EXPECT_NEAR(drag[11] / drag[9], 1, 0.01);
  const auto u = load<float>("u.npy", 6 * 10 * 20 * 3);
  const auto f = load<float>("f.npy", 6 * 10 * 20 * 19);
  std::array<double, 20> flux = {};
  for (size_t n = 0; n < 6 * 10 * 20; ++n) {
    double rho = 0;
    for (size_t q = 0; q < 19; ++q) rho += f[n * 19 + q];
    flux[n % 20] += rho * u[n * 3 + 2];
  }
  EXPECT_NEAR(flux[1], 0.05 * 6 * 10, 0.2 * 0.05 * 6 * 10);
  for (const size_t column : {10U, 14U, 17U, 19U}) EXPECT_NEAR(flux[column] / flux[1], 1, 0.005);
}

// --- elastic2d

// An arrival is the step with the largest vz at a point, interpolated by a parabola between frames.
// Differences of arrivals give the wave speed. A P wave takes 2.5 steps per point in uniform
// ground.
class Ground : public Simulations {
 protected:
  static constexpr int kEvery = 10;
  static constexpr double kStepsOfP = 2.5;

  void shake(int rows, int columns, int steps, const std::string& arguments) {
    columns_ = columns;
    run("elastic2d", "--device host -D N=" + std::to_string(rows) +
                         " -D M=" + std::to_string(columns) + " --steps " + std::to_string(steps) +
                         " --every 10 --out vz=w.npy -D upper=2000 -D lower=2000 " + arguments);
    for (int n = 0; n <= steps; n += kEvery) {
      std::string number = std::to_string(n);
      number.insert(0, 6 - number.size(), '0');
      frames_.push_back(load<float>("w_" + number + ".npy", static_cast<size_t>(rows * columns)));
    }
  }

  double arrival(int row, int column) const {
    const auto at = [&](size_t n) { return double{frames_[n][row * columns_ + column]}; };
    size_t k = 1;
    for (size_t n = 1; n + 1 < frames_.size(); ++n) k = at(n) > at(k) ? n : k;
    return kEvery * (static_cast<double>(k) +
                     0.5 * (at(k - 1) - at(k + 1)) / (at(k - 1) - 2 * at(k) + at(k + 1)));
  }

 private:
  int columns_ = 0;
  std::vector<std::vector<float>> frames_;
};

// A vertical blow sends P waves downwards and S waves sideways.
TEST_F(Ground, IsCrossedByPAndSWaves) {
  shake(240, 240, 420, "");
  const int row = 240 / 4, column = 240 / 3;
  const double p = (arrival(row + 60, column) - arrival(row + 40, column)) / 20;
  const double s = (arrival(row, column + 60) - arrival(row, column + 40)) / 20;
  EXPECT_NEAR(p, kStepsOfP, 0.02 * p);
  EXPECT_NEAR(s, kStepsOfP * std::sqrt(3.0), 0.02 * s);
}

// A blow near the surface sends a Rayleigh wave along it. Its speed is 0.9194 times that of S waves
// if lambda = mu.
TEST_F(Ground, HasRayleighWavesOnItsSurface) {
  shake(48, 360, 900, "-D L=20");
  const int column = 360 / 3;
  const double rayleigh = (arrival(0, column + 160) - arrival(0, column + 120)) / 40;
  EXPECT_NEAR(rayleigh, kStepsOfP * std::sqrt(3.0) / 0.9194, 0.01 * rayleigh);
}

TEST_F(Simulations, ElasticWavesConserveEnergyUntilAbsorbed) {
  run("elastic2d", "--device host -D N=120 -D M=160 --steps 1000 --history h.csv");
  const auto energy = history("h.csv", "energy");
  ASSERT_EQ(energy.size(), 25U);
  for (size_t n = 5; n < energy.size(); ++n) EXPECT_LT(energy[n], 1.02 * energy[n - 1]) << n;
  EXPECT_LT(energy.back(), 0.02 * energy[4]);
}

// --- acoustic_cpml3d

// A wave from a point in an unbounded medium, in a box that it leaves.
class OpenMedium : public Simulations {
 protected:
  static constexpr int kPoints = 40, kLow = 19;
  static constexpr double kSpeed = 0.3, kFraction = 0.4, kPeriod = 30;

  static double wavelet(double time) {
    const double x = kPi * (time / kPeriod - 1.2);
    return (1 - 2 * x * x) * std::exp(-x * x);
  }

  // The largest difference from wavelet(t - r / c) / (4 pi c^2 r) at some points, relative to the
  // pulse's height there.
  double error_after(int steps, const std::string& options) {
    run("acoustic_cpml3d",
        "--device host --real double -D N=40 -D period=30 -D K=" + std::to_string(steps) +
            " --out U=u.npy --out trace=t.npy " + options);
    const auto u = load<double>("u.npy", size_t{kPoints} * kPoints * kPoints);
    double worst = 0;
    for (const auto& [i, j, k] : std::vector<std::array<int, 3>>{
             {8, 0, 0}, {0, -8, 0}, {0, 0, 9}, {5, 5, 5}, {-7, 0, 6}, {0, 11, 0}, {-6, -6, -6}}) {
      const double r = std::hypot(i - kFraction, j - kFraction, k - kFraction);
      const size_t at = static_cast<size_t>(((kLow + i) * kPoints + kLow + j) * kPoints + kLow + k);
      const double height = 1 / (4 * kPi * kSpeed * kSpeed * r);
      worst = std::max(worst, std::abs(u[at] / height - wavelet(steps - r / kSpeed)));
    }
    return worst;
  }
};

TEST_F(OpenMedium, EqualsTheAnalyticPointSource) {
  EXPECT_LT(error_after(75, "-D L=8"), 0.1);  // an error of the time step: 0.085
}

// Each receiver records the passing wave.
TEST_F(OpenMedium, ReceiversRecordTheAnalyticWave) {
  constexpr int kSteps = 75, kRow = 20, kLayer = 8;
  EXPECT_LT(error_after(kSteps, "-D L=8"), 0.1);
  const auto trace = load<double>("t.npy", size_t{kSteps} * kRow * kRow);
  double worst = 0;
  for (int receiver = 0; receiver < kRow * kRow; ++receiver) {
    const auto spread = [](int i) {
      return kLayer + (kPoints - 1 - 2.0 * kLayer) / (kRow - 1) * i;
    };
    const double r =
        std::hypot(kLayer - kLow - kFraction, spread(receiver / kRow) - kLow - kFraction,
                   spread(receiver % kRow) - kLow - kFraction);
    const double height = 1 / (4 * kPi * kSpeed * kSpeed * r);
    for (int step = 1; step <= kSteps; ++step) {
      const double heard = trace[(step - 1) * kRow * kRow + receiver];
      worst = std::max(worst, std::abs(heard / height - wavelet(step - r / kSpeed)));
    }
  }
  EXPECT_LT(worst, 0.12);
}

// With an absorbing layer of one point, echoes reach 0.13.
TEST_F(OpenMedium, AbsorbingLayersReflectNothing) {
  EXPECT_LT(error_after(130, "-D L=8"), 1e-4);
  EXPECT_GT(error_after(130, "-D L=1"), 0.1);
}

// --- vlasov

// The field energy oscillates at twice the frequency of the wave, and decays at twice its rate.
TEST_F(Simulations, PlasmaWavesShowLandauDamping) {
  run("vlasov", "--device host --real double --history h.csv --out density=d.npy --out E=e.npy");
  const std::vector<double> energy = history("h.csv", "energy");
  ASSERT_EQ(energy.size(), 400u);
  std::vector<double> when, height;  // of the maxima
  for (size_t n = 1; n + 1 < energy.size(); ++n) {
    const double before = std::log(energy[n - 1]), here = std::log(energy[n]);
    const double behind = std::log(energy[n + 1]);
    if (here < before || here < behind) continue;
    const double shift = 0.5 * (before - behind) / (before - 2 * here + behind);
    when.push_back(0.05 * (static_cast<double>(n) + 1 + shift));
    height.push_back(here - 0.25 * (before - behind) * shift);
  }
  ASSERT_GE(when.size(), 8u);
  const size_t first = 1, last = 7;
  const double time = when[last] - when[first];
  EXPECT_NEAR((height[last] - height[first]) / 2 / time, -0.1533, 0.002);
  EXPECT_NEAR(kPi * static_cast<double>(last - first) / time, 1.4156, 0.01);

  const std::vector<double> mass = history("h.csv", "mass");
  EXPECT_NEAR(mass.back() / mass.front(), 1, 1e-9);
  // Gauss's law, which the program does not use, with fourth-order differences.
  const std::vector<double> field = load<double>("e.npy", 64), density = load<double>("d.npy", 64);
  const double dx = 4 * kPi / 64;
  for (size_t i = 0; i < 64; ++i) {
    const auto at = [&](size_t ahead) { return field[(i + ahead) % 64]; };
    const double slope = (8 * (at(1) - at(63)) - (at(2) - at(62))) / (12 * dx);
    EXPECT_NEAR(slope, 1 - density[i], 5e-6) << i;
  }
}

}  // namespace
}  // namespace stencil::test
