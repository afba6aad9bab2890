// NaN and infinities in runs: in reductions, in stop conditions, under --fp fast, and in
// conversions to half and bfloat, on every device that needs only a compiler.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <ranges>

#include "compiler/reference/interpreter.h"
#include "compiler/reference/scalar_types.h"
#include "runtime/run/non_finite.h"
#include "runtime/verify/compare.h"
#include "tests/unit/runtime/fields.h"
#include "tests/unit/runtime/programs.h"

namespace stencil::runtime {
namespace {

class Nan : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto device = choose_device(GetParam());
    if (!device.ok()) GTEST_SKIP() << device.failure().message;
  }
  static Prepared prepared(const ir::Program& program, const std::string& schedule = "auto") {
    Diagnostics diagnostics;
    auto out = prepare(program, GetParam(), schedule, diagnostics);
    EXPECT_TRUE(out.ok()) << out.failure().message;
    return std::move(out).value();
  }
  static reference::State started(const ir::Program& program) {
    return initial_state(program, bind_params(program).value());
  }
};
INSTANTIATE_TEST_SUITE_P(All, Nan, testing::Values("reference", "host", "opencl"));

const char* const kExtremes = R"(
grid G = [0..69, 0..39] steps 9;
field A : real on G;
field D : double on G;
field K : integer on G;
stencil s : A on G = A[0,0];
stencil t : D on G = D[0,0];
stencil u : K on G = K[0,0];
reduce low = min(A[0,0]) on G;
reduce high = max(A[0,0]) on G every 2;
reduce total = sum(A[0,0]) on G;
reduce low_of_doubles = min(D[0,0]) on G;
reduce least = min(K[0,0]) on G;
)";

// NaN at any position of the summation order: in the first and last lane, in a clipped tile, before
// and after numbers.
TEST_P(Nan, PropagatesThroughEveryReduction) {
  for (const FpMode fp : {FpMode::Strict, FpMode::Fast}) {
    ProgramOptions options;
    options.fp = fp;
    const ir::Program program = program_of(kExtremes, options);
    const Prepared ready = prepared(program);
    for (const int64_t position : {0, 1, 31, 40, 1279, 2000, 2799}) {
      reference::State state = started(program);
      state.fields[0].set_real(0, 0, 5, 3);
      state.fields[0].set_real(0, 0, 6, -kInfinity);
      state.fields[0].set_real(0, 0, position, kNan);
      state.fields[1].set_real(0, 0, 2799 - position, std::copysign(kNan, -1.0));
      reference::State expected = state;
      reference::advance(program, expected, 3);
      ASSERT_TRUE(execute(program, ready, state, 3).ok());
      const auto difference = compare(program, expected, state);
      EXPECT_FALSE(difference) << position << " " << difference->where << difference->actual;
      for (const int r : {0, 1, 2, 3}) {
        EXPECT_TRUE(state.reductions[r].is_nan()) << r << " " << position;
        EXPECT_EQ(state.reductions[r].first_nan, r == 1 ? 2 : 1);
      }
      EXPECT_EQ(state.reductions[4].integer, 0);
      EXPECT_EQ(state.reductions[4].first_nan, 0);
    }
  }
}

TEST_P(Nan, InfinitiesAreNotCountedAsNan) {
  const ir::Program program = program_of(kExtremes);
  reference::State state = started(program);
  state.fields[0].set_real(0, 0, 77, kInfinity);
  ASSERT_TRUE(execute(program, prepared(program), state, 2).ok());
  EXPECT_EQ(state.reductions[0].real, 0);
  EXPECT_EQ(state.reductions[1].real, kInfinity);
  EXPECT_EQ(state.reductions[0].first_nan, 0);
}

// Grows until it overflows. The first condition would hold for NaN in
// C, the second is its negation.
std::string blow_up(const char* condition) {
  return std::string(R"(
grid G = [0..39, 0..39] steps 400;
field T : real on G history 2;
stencil s : T[1..38, 1..38] =
    T[0,0] + 0.6 * (T[-1,0] + T[1,0] + T[0,-1] + T[0,1] - 4 * T[0,0]);
init T[i,j] = select(i == 19 and j == 19, 1.0, 0.0);
reduce change = max(abs(T[0,0] - T@-1[0,0])) on [1..38, 1..38] every 3;
reduce other = sum(T[0,0]) on [1..1, 1..1];
stop when )") +
         condition + ";\n";
}

TEST_P(Nan, NeverStopsARun) {
  for (const char* condition : {"change < 1e-6",
                                "not (change > 1e-6) and other == other or "
                                "change != change",
                                "not (change >= 0)"}) {
    const ir::Program program = program_of(blow_up(condition).c_str());
    reference::State state = started(program);
    reference::State expected = state;
    reference::advance(program, expected, 400);
    ASSERT_GT(expected.reductions[0].first_nan, 60) << condition;
    ASSERT_EQ(expected.reductions[0].first_nan % 3, 0);
    const auto report = execute(program, prepared(program), state, 400);
    ASSERT_TRUE(report.ok()) << report.failure().message;
    EXPECT_EQ(report.value().steps, 400) << condition;
    EXPECT_FALSE(report.value().stopped);
    EXPECT_FALSE(report.value().nan) << "the run was to continue";
    const auto difference = compare(program, expected, state);
    EXPECT_FALSE(difference) << difference->where << " " << difference->actual;
  }
}

TEST_P(Nan, EndsARunOnRequest) {
  const ir::Program program = program_of(blow_up("change < -1").c_str());
  const Prepared ready = prepared(program);
  reference::State state = started(program);
  reference::State expected = state;
  reference::advance(program, expected, 400);
  int written = 0;
  Event last;
  last.at_end = true;
  last.action = [&](FieldSource&) -> Status { return ++written, Done{}; };
  const auto report = execute(program, ready, state, 4000, {}, {last}, OnNan::Stop);
  ASSERT_TRUE(report.ok()) << report.failure().message;
  ASSERT_TRUE(report.value().nan);
  EXPECT_EQ(*report.value().nan, 0);
  EXPECT_FALSE(report.value().stopped);
  EXPECT_EQ(written, 1);
  EXPECT_LT(report.value().steps, 4000);
  EXPECT_EQ(state.reductions[0].first_nan, expected.reductions[0].first_nan);
  // If the run is continued, it reports the same step, also in a new session.
  const auto more = execute(program, ready, state, 30);
  ASSERT_TRUE(more.ok());
  EXPECT_EQ(more.value().steps, 30);
  EXPECT_EQ(state.reductions[0].first_nan, expected.reductions[0].first_nan);
}

// Everything not listed in docs/reference/language.md (Floating point)
// behaves the same under --fp=fast.
const char* const kMissingValues = R"(
grid G = [0..299] steps 1;
field A, B : real on G constant;
field D : double on G constant;
field R : vector 10 of real on G;
field N : vector 4 of integer on G;
field h : half on G;
stencil r : R on G = {select(A[0] == A[0], A[0], 5), select(A[0] != A[0], 1, 0), min(A[0], B[0]),
    max(A[0], B[0]), select(A[0] < B[0], 1, 2), select(not (A[0] < B[0]), 1, 2), abs(A[0]),
    select(A[0] - B[0] == 0, 1, 2), A[0] / B[0], sqrt(abs(A[0])) / B[0]};
stencil n : N on G = {integer(A[0]), integer(D[0]), integer(A[0] > B[0]), integer(-A[0])};
stencil k : h on G = A[0];
)";

TEST_P(Nan, IsAnOrdinaryValueUnderFast) {
  ProgramOptions options;
  options.fp = FpMode::Fast;
  const ir::Program program = program_of(kMissingValues, options);
  reference::State state = started(program);
  const double values[] = {kNan, kInfinity, -kInfinity, 0, 1, -2, 16};
  constexpr int kValues = 7;
  for (int64_t i = 0; i < 300; ++i) {
    state.fields[0].set_real(0, 0, i, values[i % kValues]);
    state.fields[1].set_real(0, 0, i, values[i / kValues % kValues]);
    state.fields[2].set_real(0, 0, i, values[i % kValues] * 1e10);
  }
  reference::State expected = state;
  reference::advance(program, expected, 1);
  ASSERT_TRUE(execute(program, prepared(program), state, 1).ok());
  for (size_t f = 3; f < state.fields.size(); ++f) {
    const reference::FieldData& got = state.fields[f];
    for (int c = 0; c < got.component_count(); ++c) {
      for (int64_t i = 0; i < 300; ++i) {
        const double a = expected.fields[f].real(0, c, i), b = got.real(0, c, i);
        const bool same = a == b || (std::isnan(a) && std::isnan(b));
        const bool near = std::isfinite(a) && std::fabs(a - b) <= 1e-5 * std::fabs(a);
        EXPECT_TRUE(same || near) << program.fields[f].name << " " << c << " [" << i << "]: " << a
                                  << " " << b;
      }
    }
  }
}

// --- Towards half and bfloat
// -------------------------------------------------------------------------------------

const char* const kNarrowing = R"(
grid G = [0..2047] steps 1;
field D : double on G constant;
field L : long on G constant;
field K : integer on G constant;
field h : vector 3 of half on G;
field b : vector 3 of bfloat on G;
stencil h : h on G = {D[0], L[0], K[0]};
stencil b : b on G = {D[0], L[0], K[0]};
)";

// The nearest value of the format, with ties to even, computed without bit manipulation.
template <class Storage>
double nearest(long double exact) {
  const auto value = [](int bits) {
    return static_cast<long double>(reference::widen(Storage{static_cast<uint16_t>(bits)}));
  };
  const auto magnitudes = std::views::iota(0, 0x8000);
  const int high = *std::ranges::partition_point(magnitudes, [&](int bits) {
    return value(bits) <= fabsl(exact) && !std::isinf(value(bits));
  });  // the first value above `exact`
  const int low = high - 1;
  const long double below = value(low);
  // Above the largest finite value, rounding assumes a next value at the spacing below it.
  const bool last = std::isinf(value(high));
  const long double above = last ? 2 * value(low) - value(low - 1) : value(high);
  const long double middle = (below + above) / 2;
  const bool up = fabsl(exact) > middle || (fabsl(exact) == middle && low % 2 == 1);
  const double chosen = static_cast<double>(value(up ? low + 1 : low));
  return exact < 0 ? -chosen : chosen;
}

// Midpoints between neighbours, and the closest values that the type can represent.
std::vector<double> adversaries() {
  std::vector<double> out = {0x1p-24,
                             0x1p-25,
                             0x1p-26,
                             65519.99999999,
                             65520,
                             1e300,
                             0x1p-1074,
                             0x1.fefffffffffffp127,
                             0x1.ffp127,
                             1 + 0x1p-11 + 0x1p-40,
                             1 + 0x1p-8 + 0x1p-40};
  for (const int exponent : {-133, -126, -24, -20, -14, -3, 0, 7, 15}) {
    for (const int digits : {7, 10}) {
      for (const int odd : {0, 1, 5, 64}) {
        const double unit = std::ldexp(1.0, exponent - digits);
        const double middle = std::ldexp(1.0, exponent) + (odd + 0.5) * unit;
        for (const double beside : {0.0, 1e-6, -1e-6, 1e-13, -1e-13}) {
          out.push_back(middle + beside * unit);
        }
      }
    }
  }
  return out;
}

TEST_P(Nan, DoublesAndIntegersRoundToHalfAndBfloatOnce) {
  const ir::Program program = program_of(kNarrowing);
  reference::State state = started(program);
  const std::vector<double> doubles = adversaries();
  ASSERT_LT(2 * doubles.size(), 2048u);
  std::vector<double> given;
  std::vector<int64_t> longs;
  for (const double value : doubles) given.insert(given.end(), {value, -value});
  for (int shift = 0; shift < 62; ++shift) {
    for (const int64_t digits : {257, 258, 259, 2049, 2050, 2051}) {
      for (const int64_t beside : {-1, 0, 1}) {
        if (shift > 62 - 12) continue;
        longs.insert(longs.end(), {(digits << shift) + beside, -(digits << shift) + beside});
      }
    }
  }
  ASSERT_LT(longs.size(), 2048u);
  const auto integer = [&](size_t i) { return i < longs.size() ? longs[i] : 0; };
  const auto narrow = [&](size_t i) { return static_cast<int32_t>(integer(i) % 2147483647); };
  given.resize(2048, 0);
  for (size_t i = 0; i < 2048; ++i) {
    const auto at = static_cast<int64_t>(i);
    state.fields[0].set_real(0, 0, at, given[i]);
    state.fields[1].set_integer(0, 0, at, integer(i));
    state.fields[2].set_integer(0, 0, at, narrow(i));
  }
  ASSERT_TRUE(execute(program, prepared(program), state, 1).ok());
  for (size_t i = 0; i < 2048; ++i) {
    const auto at = static_cast<int64_t>(i);
    const long double values[] = {given[i], static_cast<long double>(integer(i)),
                                  static_cast<long double>(narrow(i))};
    for (int c = 0; c < 3; ++c) {
      EXPECT_EQ(state.fields[3].real(0, c, at), nearest<reference::Half>(values[c]))
          << c << ": " << static_cast<double>(values[c]);
      EXPECT_EQ(state.fields[4].real(0, c, at), nearest<reference::Bfloat>(values[c]))
          << c << ": " << static_cast<double>(values[c]);
    }
  }
}

TEST_P(Nan, LiteralsRoundToHalfAndBfloatOnce) {
  const ir::Program program = program_of(R"(
param n : integer = 2;
grid G = [0..9] steps 1;
field h, g : half on G;
field b : bfloat on G;
stencil h : h on G = 1.000488281250909494701772928;
stencil g : g on G = select(h[0] < n, 1.000488281250909494701772928, 1.5);
stencil b : b on G = 1.003906250000909494701772928;
)");
  reference::State state = started(program);
  ASSERT_TRUE(execute(program, prepared(program), state, 1).ok());
  EXPECT_EQ(state.fields[0].real(0, 0, 3), 1 + 0x1p-10);
  EXPECT_EQ(state.fields[1].real(0, 0, 3), 1 + 0x1p-10);
  EXPECT_EQ(state.fields[2].real(0, 0, 3), 1 + 0x1p-7);
}

// --- Values that are not finite
// -----------------------------------------------------------------------------------

NonFinite non_finite_of(const reference::FieldData& field, const Selection& place) {
  reference::State state;
  state.fields = {field};
  const auto counts = StateSource(state).count_non_finite({place});
  EXPECT_TRUE(counts.ok());
  return non_finite_at(place, counts.value()[0], field);
}

TEST(NonFinite, AreCountedInEveryType) {
  for (const Scalar type : {Scalar::F16, Scalar::BF16, Scalar::F32, Scalar::F64}) {
    reference::FieldData field = make_field({{-3, 46}, {10, 109}}, {Scalar::I32, type});
    EXPECT_FALSE(non_finite_of(field, {0, 0, 1}).any());
    field.set_real(0, 1, 4999, -kInfinity);
    field.set_real(0, 1, 4000, kInfinity);
    field.set_real(0, 1, 2537, kNan);
    field.set_real(0, 1, 2538, std::copysign(kNan, -1.0));
    field.set_real(0, 1, 2539, 60000);
    field.set_real(0, 1, 2540, std::copysign(kNan, -1.0));
    const NonFinite found = non_finite_of(field, {0, 0, 1});
    EXPECT_EQ(found.values, 5000);
    EXPECT_EQ(found.nans, 3);
    EXPECT_EQ(found.infinities, 2);
    EXPECT_EQ(found.first, (std::vector<int64_t>{22, 47}));
    EXPECT_FALSE(non_finite_of(field, {0, 0, 0}).any());
  }
}

TEST(NonFinite, TheFirstStepIsRemembered) {
  const ir::Program program = program_of(kWave);
  reference::State state = initial_state(program, bind_params(program).value());
  StateSource fields(state);
  const std::vector<Output> outputs = {{"x.npy", {{0, 1, -1}}, {}, {}},
                                       {"y.npy", {{0, 0, -1}}, {}, {}}};
  NonFiniteWatch watch(program, outputs);
  ASSERT_TRUE(watch.look(fields, outputs).ok());
  EXPECT_TRUE(watch.found().empty());
  state.fields[0].set_real(0, 0, 7, kNan);
  state.step = 3;  // only the other output is written
  ASSERT_TRUE(watch.look(fields, {outputs[0]}).ok());
  EXPECT_TRUE(watch.found().empty());
  state.step = 4;
  ASSERT_TRUE(watch.look(fields, outputs).ok());
  state.fields[0].set_real(0, 0, 3, kNan);
  state.step = 6;
  ASSERT_TRUE(watch.look(fields, outputs).ok());
  const auto found = watch.found();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].place.level, 0);
  EXPECT_EQ(found[0].nans, 2);
  EXPECT_EQ(found[0].first, std::vector<int64_t>{3});
  EXPECT_EQ(found[0].step, 4);
}

}  // namespace
}  // namespace stencil::runtime
