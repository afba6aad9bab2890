// Reductions over some dimensions: the profiles that they produce, and where these can be read.
#include <gtest/gtest.h>

#include "tests/unit/sema/fixture.h"

namespace stencil::test {
namespace {

const std::string kRoom =
    "param N : integer; grid G = [0..N-1, 2..9, 0..N] steps 4; require N >= 4;"
    "field A, B : real on G boundary clamp; field n : integer on G; field d : double on G;";

TEST(ReduceOver, IsAProfileOverItsRegionWithTheTypeOfItsValue) {
  const ir::Program program =
      program_of(kRoom +
                 "stencil s : A on G = A[0,0,0];"
                 "reduce mean = sum(A[0,0,0]) over [0, 2] on [0..N-1, 3..8 by 2, 1..N-1] every 3;"
                 "reduce plane = max(n[0,0,0]) over 1 on G boundary [clamp, constant 7 .. mirror];"
                 "reduce wide = min(d[0,0,0] * A[0,0,0]) over 2 on G;");
  ASSERT_EQ(program.fields.size(), 7u);
  const ir::Field& mean = program.fields[4];
  EXPECT_EQ(mean.name, "mean");
  EXPECT_EQ(mean.dimensions(), std::vector<int>{1});
  EXPECT_EQ(mean.components[0].type, Scalar::F32);
  EXPECT_EQ(mean.box.ranges[0].low.constant, 3);
  EXPECT_EQ(mean.history, 1);
  EXPECT_FALSE(mean.constant);
  const ir::Field& plane = program.fields[5];
  EXPECT_EQ(plane.dimensions(), (std::vector<int>{0, 2}));
  EXPECT_EQ(plane.components[0].type, Scalar::I32);
  EXPECT_EQ(plane.boundary[0].low.kind, ir::BoundaryKind::Clamp);
  EXPECT_EQ(plane.boundary[1].low.values, std::vector<double>{7});
  EXPECT_EQ(program.fields[6].components[0].type, Scalar::F64);
  EXPECT_EQ(program.reductions[0].target, 4);
  EXPECT_EQ(program.reductions[0].every, 3);
  EXPECT_EQ(ir::reduced_dimensions(program, program.reductions[0]), (std::vector<int>{0, 2}));
  EXPECT_FALSE(ir::cuts_steps(program));
  EXPECT_TRUE(ir::changes(program, 4));
  EXPECT_FALSE(ir::is_written(program, 4));
  EXPECT_EQ(ir::verify(program), std::vector<std::string>{});
}

// Before its place and in itself, NAME@-1 is the current value; after
// its place it is the previous one.
TEST(ReduceOver, IsReadInTheStepLikeAProfile) {
  const ir::Program program =
      program_of(kRoom +
                 "stencil s : A on G = A[0,0,0] + p@-1[1,0];"
                 "reduce p = sum(real(A[0,0,0]) + p@-1[0,-1]) over 1 on G boundary clamp;"
                 "function twice(u : field) = 2 * u[0,1];"
                 "stencil t : B on G = p[0,0] - p@-1[0,0] + twice(p@-1);"
                 "init p[i,j] = i + j;");
  EXPECT_EQ(ir::functions_before(program, 0), 1u);
  EXPECT_EQ(program.fields[4].history, 2);
  EXPECT_EQ(result(program, 0), "add(A[0,0,0], p[1,0])");
  EXPECT_EQ(result(program, 1), "add(sub(p[0,0], p@-1[0,0]), mul(2f, p@-1[0,1]))");
  EXPECT_EQ(program.inits.size(), 1u);
  EXPECT_EQ(ir::verify(program), std::vector<std::string>{});
}

TEST(ReduceOver, MayBeReducedFurther) {
  const ir::Program program =
      program_of(kRoom +
                 "stencil s : A on G = A[0,0,0];"
                 "reduce p = sum(A[0,0,0]) over [1, 2] on G;"
                 "reduce most = max(p[0]) on [0..N-1, 2, 0] every 2; stop when most < 1;");
  EXPECT_EQ(ir::functions_before(program, 0), 1u);  // because it is read
  EXPECT_EQ(ir::functions_before(program, 1), std::nullopt);
}

}  // namespace
}  // namespace stencil::test
