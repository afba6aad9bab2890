// Boundary rules, also for offsets larger than the grid, in every rank.
#include "compiler/reference/access.h"

#include "tests/unit/reference/programs.h"

namespace stencil::reference {
namespace {

using Values = std::vector<double>;

// B = A[offset] over 0..2 with A = 10, 20, 30 under a boundary rule.
Values shifted(ir::BoundaryKind boundary, int offset) {
  ir::Program program;
  program.grid = box({{0, 2}});
  program.fields = {field("A", program.grid), field("B", program.grid)};
  program.fields[0].boundary = boundary;
  program.fields[0].boundary_values = {7};
  program.functions = {function(
      "shift", 1, {piece(program.grid, [&](Expression& e) { return e.read(0, {offset}); })})};
  State state = started(program);
  set(state, 0, {10, 20, 30});
  advance(program, state, 1);
  return values(state, 1);
}

TEST(Boundary, Constant) {
  EXPECT_EQ(shifted(ir::BoundaryKind::Constant, -1), (Values{7, 10, 20}));
  EXPECT_EQ(shifted(ir::BoundaryKind::Constant, 2), (Values{30, 7, 7}));
  EXPECT_EQ(shifted(ir::BoundaryKind::Constant, 9), (Values{7, 7, 7}));
}

TEST(Boundary, Clamp) {
  EXPECT_EQ(shifted(ir::BoundaryKind::Clamp, -2), (Values{10, 10, 10}));
  EXPECT_EQ(shifted(ir::BoundaryKind::Clamp, 1), (Values{20, 30, 30}));
  EXPECT_EQ(shifted(ir::BoundaryKind::Clamp, 9), (Values{30, 30, 30}));
}

TEST(Boundary, MirrorReflectsAboutTheEdgePoint) {
  EXPECT_EQ(shifted(ir::BoundaryKind::Mirror, -1), (Values{20, 10, 20}));
  EXPECT_EQ(shifted(ir::BoundaryKind::Mirror, 2), (Values{30, 20, 10}));
  EXPECT_EQ(shifted(ir::BoundaryKind::Mirror, 4), (Values{10, 20, 30}));
  EXPECT_EQ(shifted(ir::BoundaryKind::Mirror, -7), (Values{20, 30, 20}));
}

TEST(Boundary, Periodic) {
  EXPECT_EQ(shifted(ir::BoundaryKind::Periodic, -1), (Values{30, 10, 20}));
  EXPECT_EQ(shifted(ir::BoundaryKind::Periodic, 7), (Values{20, 30, 10}));
  EXPECT_EQ(shifted(ir::BoundaryKind::Periodic, -300), (Values{10, 20, 30}));
}

TEST(Boundary, ResolvesIntoAnExtentOfOne) {
  for (const int64_t index : {-5, -1, 0, 1, 2}) {
    EXPECT_EQ(resolve(ir::BoundaryKind::Mirror, index, 1), 0);
    EXPECT_EQ(resolve(ir::BoundaryKind::Clamp, index, 1), 0);
    EXPECT_EQ(resolve(ir::BoundaryKind::Periodic, index, 1), 0);
  }
  EXPECT_EQ(resolve(ir::BoundaryKind::None, -1, 4), -1);
  EXPECT_EQ(resolve(ir::BoundaryKind::Constant, 4, 4), -1);
}

// Outer dimensions take the same rules, and a box need not start at 0.
TEST(Boundary, OuterDimensionsAndShiftedBoxes) {
  ir::Program program;
  program.grid = box({{5, 6}, {-3, -2}, {1, 2}});
  program.fields = {field("A", program.grid), field("B", program.grid)};
  program.fields[0].boundary = ir::BoundaryKind::Periodic;
  program.functions = {function("shift", 1, {piece(program.grid, [](Expression& e) {
                                  return e.read(0, {-1, 2, 1});
                                })})};
  State state = started(program);
  set(state, 0, {0, 1, 2, 3, 4, 5, 6, 7});
  advance(program, state, 1);
  EXPECT_EQ(values(state, 1), (Values{5, 4, 7, 6, 1, 0, 3, 2}));

  program.fields[0].boundary = ir::BoundaryKind::Constant;
  program.fields[0].boundary_values = {-1};
  state = started(program);
  set(state, 0, {0, 1, 2, 3, 4, 5, 6, 7});
  advance(program, state, 1);
  EXPECT_EQ(values(state, 1), Values(8, -1));
}

TEST(Boundary, ConstantIsAValueOfTheComponentsType) {
  ir::Program program;
  program.grid = box({{0, 0}});
  program.fields = {field("A", program.grid, Scalar::F16), field("B", program.grid)};
  program.fields[0].boundary = ir::BoundaryKind::Constant;
  program.fields[0].boundary_values = {0.1};
  program.functions = {
      function("f", 1, {piece(program.grid, [](Expression& e) { return e.read(0, {1}); })})};
  State state = started(program);
  advance(program, state, 1);
  EXPECT_EQ(values(state, 1), (Values{0.0999755859375}));
}

TEST(Access, EightDimensions) {
  ir::Program program;
  program.grid = box({{0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}});
  program.fields = {field("A", program.grid), field("B", program.grid)};
  program.fields[0].boundary = ir::BoundaryKind::Periodic;
  program.functions = {function("f", 1, {piece(program.grid, [](Expression& e) {
                                  return e.read(0, {1, 0, 0, 0, 0, 0, 0, 1});
                                })})};
  State state = started(program);
  Values numbers(256);
  for (int i = 0; i < 256; ++i) numbers[i] = i;
  set(state, 0, numbers);
  advance(program, state, 1);
  const Values got = values(state, 1);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(got[i], i ^ 0x81);
}

}  // namespace
}  // namespace stencil::reference
