#include "runtime/verify/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/unit/runtime/programs.h"

namespace stencil::runtime {
namespace {

class Compare : public testing::Test {
 protected:
  ir::Program program = program_of(kWave);
  Params params = bind_params(program).value();
  reference::State expected = initial_state(program, params);
  reference::State actual = expected;
};

TEST_F(Compare, EqualStatesDoNotDiffer) {
  EXPECT_FALSE(compare(program, expected, actual));
}

TEST_F(Compare, NamesTheFirstPointAndCountsAll) {
  actual.fields[0].set_real(0, 0, 12, 3);
  actual.fields[0].set_real(0, 0, 30, 3);
  const auto difference = compare(program, expected, actual);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->where, "U[12]");
  EXPECT_EQ(difference->expected, "0 (0x0p+0)");
  EXPECT_EQ(difference->actual, "3 (0x1.8p+1)");
  EXPECT_EQ(difference->count, 2);
}

TEST_F(Compare, ComparesOlderLevels) {
  actual.fields[0].set_real(1, 0, 4, 1);
  const auto difference = compare(program, expected, actual);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->where, "U@-1[4]");
}

TEST_F(Compare, DetectsTheSignOfZero) {
  actual.fields[0].set_real(0, 0, 0, -0.0);
  EXPECT_TRUE(compare(program, expected, actual));
}

TEST_F(Compare, AnyNanEqualsAnyNan) {
  const uint32_t quiet = 0x7fc00000, other = 0xffc12345;
  std::memcpy(expected.fields[0].data(0, 0), &quiet, 4);
  std::memcpy(actual.fields[0].data(0, 0), &other, 4);
  EXPECT_FALSE(compare(program, expected, actual));
  actual.fields[0].set_real(0, 0, 0, 1);
  EXPECT_TRUE(compare(program, expected, actual));
}

TEST_F(Compare, ToleranceIsRelativeToTheLargestValue) {
  expected.fields[0].set_real(0, 0, 3, 1024);
  actual.fields[0].set_real(0, 0, 3, 1024);
  actual.fields[0].set_real(0, 0, 20, 4 * 1024 * 0x1p-23);
  EXPECT_TRUE(compare(program, expected, actual));
  EXPECT_TRUE(compare(program, expected, actual, {3}));
  EXPECT_FALSE(compare(program, expected, actual, {4}));
  expected.fields[0].set_real(0, 0, 20, std::numeric_limits<double>::infinity());
  EXPECT_FALSE(compare(program, expected, actual, {4}));
}

// If rounding may differ, subnormal numbers compare equal to zero,
// even if all values are that small.
TEST_F(Compare, ToleranceTreatsSubnormalNumbersAsZero) {
  expected.fields[0].set_real(0, 0, 10, 0);  // all expected values
  actual = expected;
  expected.fields[0].set_real(0, 0, 3, 1e-39);
  EXPECT_FALSE(compare(program, expected, actual, {4}));
  EXPECT_TRUE(compare(program, expected, actual));
  expected.fields[0].set_real(0, 0, 3, 1e-36);
  EXPECT_TRUE(compare(program, expected, actual, {4}));
}

TEST_F(Compare, ToleranceMayBeAFractionOfTheLargestValue) {
  expected.fields[0].set_real(0, 0, 3, 1000);
  actual.fields[0].set_real(0, 0, 3, 1000);
  actual.fields[0].set_real(0, 0, 20, 0.125);
  EXPECT_TRUE(compare(program, expected, actual, {0, 0.0001}));
  EXPECT_FALSE(compare(program, expected, actual, {0, 0.000125}));
  EXPECT_FALSE(compare(program, expected, actual, {0.5, 0.000125})) << "the larger of both";
}

// Threads compare parts of the field; the reported point is still the first.
TEST_F(Compare, FindsTheFirstOfManyPoints) {
  ProgramOptions options;
  options.definitions["N"] = "5000000";
  program = program_of(kWave, options);
  expected = initial_state(program, bind_params(program).value());
  actual = expected;
  for (const int64_t point : {4999999, 1048577, 3000000}) actual.fields[0].set_real(0, 0, point, 7);
  const auto difference = compare(program, expected, actual);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->where, "U[1048577]");
  EXPECT_EQ(difference->count, 3);
}

TEST(UsesTranscendentals, ChecksEveryPiece) {
  EXPECT_FALSE(uses_transcendentals(program_of(kDecay)));
  EXPECT_TRUE(uses_transcendentals(program_of(R"(
grid G = [0..9] steps 1;
field A : real on G;
stencil s : A { [0..4] = sqrt(A[0]); [5..9] = exp(A[0]); }
)")));
}

}  // namespace
}  // namespace stencil::runtime
