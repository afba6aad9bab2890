#include "runtime/stats.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/runtime/fields.h"

namespace stencil::runtime {
namespace {

TEST(Stats, LeavesOutNans) {
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

TEST(Stats, PrintsATable) {
  ir::Program program;
  program.fields = {
      {.name = "S",
       .components = {{".rho", Scalar::F32}, {".u[0]", Scalar::F32}},
       .box = {},
       .boundary = {},
       .span = {}},
      {.name = "count", .components = {{"", Scalar::I32}}, .box = {}, .boundary = {}, .span = {}}};
  reference::State state;
  state.fields = {make_field({{0, 1}}, {Scalar::F32, Scalar::F32}),
                  make_field({{0, 2}, {0, 3}}, {Scalar::I32})};
  state.fields[0].set_real(0, 0, 0, 1.5);
  for (int64_t i = 0; i < 2; ++i) state.fields[0].set_real(0, 1, i, NAN);
  for (int64_t i = 0; i < 12; ++i) state.fields[1].set_integer(0, 0, i, 1000000 + i);
  EXPECT_EQ(print_statistics(program, state),
            "field   points      min      max       mean          l2  nan\n"
            "S.rho        2        0      1.5       0.75         1.5    0\n"
            "S.u[0]       2        -        -          -           -    2\n"
            "count       12  1000000  1000011  1000005.5  3464120.67    0\n");
}

}  // namespace
}  // namespace stencil::runtime
