// The name of a computation, which does not depend on its sizes.
#include "runtime/tune/fingerprint.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/runtime/programs.h"

namespace stencil::tune {
namespace {

using runtime::kConverging;
using runtime::kDecay;
using runtime::kWave;
using runtime::program_of;

ir::Program with(const std::string& text, std::map<std::string, std::string> values,
                 Scalar real = Scalar::F32, FpMode fp = FpMode::Contract) {
  ProgramOptions options;
  options.definitions = std::move(values);
  options.real = real;
  options.fp = fp;
  return program_of(text, options);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Fingerprint, IsTheSameAtEverySize) {
  const std::string name = fingerprint(with(kDecay, {{"N", "200"}}));
  EXPECT_EQ(name.size(), 32u);
  EXPECT_EQ(name, fingerprint(with(kDecay, {{"N", "201"}})));
  EXPECT_EQ(name, fingerprint(with(kDecay, {{"N", "8192"}})));
  // Sizes inside an expression, a coordinate and a boundary.
  const char* const placed = R"(
param N : integer = 300;
grid G = [0..N-1, 0..2*N] steps 3;
field A : real on G boundary clamp;
stencil s : A {
  [i in 0..N/2, j in 0..2*N] = A[-1,0] + (1.0 / (N - 1)) * A[1,0] + select(j == N / 3, 1.0, 0.0);
  [N/2+1..N-1, 0..2*N] = A[0,1];
}
)";
  const std::string piecewise = fingerprint(with(placed, {{"N", "300"}}));
  EXPECT_EQ(piecewise, fingerprint(with(placed, {{"N", "1000"}})));
  EXPECT_EQ(piecewise, fingerprint(with(placed, {{"N", "777"}})));
}

TEST(Fingerprint, IgnoresWhatDoesNotAffectSpeed) {
  const std::string name = fingerprint(program_of(kDecay));
  EXPECT_EQ(name, fingerprint(program_of(replaced(kDecay, "steps 7", "steps 9"))));
  EXPECT_EQ(name, fingerprint(program_of(replaced(kDecay, "0.5 * i - j", "1.0"))));
  EXPECT_EQ(name, fingerprint(program_of(replaced(kDecay, "stencil decay", "stencil other"))));
  EXPECT_EQ(name, fingerprint(with(kDecay, {{"a", "0.75"}})));
}

// The fastest schedule for a few sources is not the fastest for thousands.
TEST(Fingerprint, DistinguishesFewPointsFromMany) {
  const char* const shots = R"(
param S : integer = 1;
grid G = [0..99, 0..99] steps 3;
points shots [0..S-1] on G;
field A : real on G;
init shots[s] = { 1.5, 2.5 };
stencil s : A on G = A[0,0] + shots;
)";
  const std::string few = fingerprint(with(shots, {{"S", "10"}}));
  EXPECT_EQ(few, fingerprint(with(shots, {{"S", "99"}})));
  EXPECT_NE(few, fingerprint(with(shots, {{"S", "9"}})));
  EXPECT_NE(few, fingerprint(with(shots, {{"S", "1000"}})));
}

TEST(Fingerprint, DistinguishesComputations) {
  const ir::Program decay = program_of(kDecay);
  std::vector<std::string> names = {
      fingerprint(decay),
      fingerprint(program_of(kWave)),
      fingerprint(program_of(kConverging)),
      fingerprint(with(kDecay, {}, Scalar::F64)),
      fingerprint(with(kDecay, {}, Scalar::F32, FpMode::Strict)),
      fingerprint(program_of(replaced(kDecay, "A[0,-1]", "A[0,1]"))),
      fingerprint(program_of(replaced(kDecay, "+ time", "- time"))),
      fingerprint(program_of(replaced(kDecay, "1..N-2", "2..N-2"))),
      fingerprint(program_of(replaced(kDecay, "real on G", "real on G boundary clamp"))),
      fingerprint(program_of(replaced(kDecay, "real on G", "real on G history 2"))),
      fingerprint(program_of(replaced(kConverging, "every 5", "every 6"))),
      fingerprint(program_of(replaced(kWave, "2 * U[0] -", "1 * U[0] -"))),
      fingerprint(program_of(replaced(kWave, "2 * U[0] -", "U[0] -")))};
  // The front end may drop a factor of 1; both spellings are the same program.
  std::sort(names.begin(), names.end());
  const auto repeated = std::adjacent_find(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()) - names.begin() + (repeated != names.end()),
            static_cast<std::ptrdiff_t>(names.size()));
}

TEST(Fingerprint, DistinguishesGrids) {
  std::set<std::string> found;
  for (const char* grids :
       {"grid C of F by 2; grid D of F by 4;", "grid C of F by 4; grid D of F by 2;",
        "grid C of F by 2 cells; grid D of F by 4;", "grid C of F by 2; grid D of C by 2;"}) {
    for (const char* domain : {"C", "D"}) {
      found.insert(canonical(program_of(
          fmt::format("grid F = [0..1023] steps 4; {} field A : real on {} boundary clamp;"
                      "stencil s : A on {} = A[1];",
                      grids, domain, domain))));
    }
  }
  EXPECT_EQ(found.size(), 8u);
}

TEST(Fingerprint, CoversProfilesAndSeries) {
  const char* const text = R"(
param N : integer = 64;
grid G = [0..N-1, 0..N-1] steps 3;
field A : real on G;
field p : real on G along 0 constant;
series w : real [0..9] on G;
series q : real [0..9];
stencil s : A on G = A[0,0] * p[0] + w[time,0,0] + q[time];
)";
  const std::string name = fingerprint(program_of(text));
  EXPECT_EQ(name, fingerprint(with(text, {{"N", "1000"}})));
  EXPECT_EQ(name, fingerprint(program_of(replaced(text, "[0..9]", "[0..99]"))));
  EXPECT_NE(name, fingerprint(program_of(replaced(text, "along 0", "along 1"))));
  EXPECT_NE(name, fingerprint(program_of(replaced(text, "q[time]", "q[time + 1]"))));
}

TEST(Sizes, AreTheExtentsOfTheGrid) {
  EXPECT_EQ(sizes_of(program_of(kDecay)), (Sizes{20, 23}));
  ProgramOptions options;
  options.open = {"N"};
  const ir::Program open = program_of(kDecay, options);
  EXPECT_EQ(sizes_of(open), std::nullopt);
  const auto params = runtime::bind_params(open, {{"N", "40"}});
  ASSERT_TRUE(params.ok());
  EXPECT_EQ(sizes_of(open, params.value().integers), (Sizes{40, 43}));
  EXPECT_EQ(sizes_of(open, {0, 0}), std::nullopt) << "empty";
}

TEST(Sizes, ParseWhatPrintWrites) {
  EXPECT_EQ(print(Sizes{3, 40, 500}), "3x40x500");
  EXPECT_EQ(parse_sizes("3x40x500"), (Sizes{3, 40, 500}));
  EXPECT_EQ(parse_sizes("7"), (Sizes{7}));
  for (const char* text :
       {"", "x", "3x", "x3", "3x0", "3x-1", "3xx4", "3y4", "99999999999999999999"}) {
    EXPECT_EQ(parse_sizes(text), std::nullopt) << text;
  }
  EXPECT_EQ(points_of({1 << 30, 1 << 30, 1 << 30}), 0x1p90);
}

}  // namespace
}  // namespace stencil::tune
