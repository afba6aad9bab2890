#include "runtime/run/stats.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/runtime/fields.h"

namespace stencil::runtime {
namespace {

TEST(Stats, IgnoresNans) {
  reference::FieldData field = make_field({{0, 4}}, {Scalar::F64});
  const double values[] = {NAN, 3, 4, NAN, 12};
  for (int64_t i = 0; i < 5; ++i) field.set_real(0, 0, i, values[i]);
  const Statistics s = statistics_of(field, 0);
  EXPECT_EQ(s.points, 5);
  EXPECT_EQ(s.nans, 2);
  EXPECT_EQ(s.least, 3);
  EXPECT_EQ(s.greatest, 12);
  EXPECT_EQ(s.mean, 19.0 / 3);
  EXPECT_EQ(s.l2, 13);
  field.set_real(0, 0, 4, -12);
  EXPECT_EQ(statistics_of(field, 0).least, -12);
}

TEST(Stats, NormOfLargeValuesDoesNotOverflow) {
  reference::FieldData field = make_field({{0, 1}}, {Scalar::F64});
  field.set_real(0, 0, 0, 3e300);
  field.set_real(0, 0, 1, 4e300);
  EXPECT_DOUBLE_EQ(statistics_of(field, 0).l2, 5e300);
}

}  // namespace
}  // namespace stencil::runtime
