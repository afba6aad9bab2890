// Boundary conditions in every rank, also for offsets larger than the grid.
#include "compiler/reference/access.h"

#include "tests/unit/reference/programs.h"

namespace stencil::reference {
namespace {

using Values = std::vector<double>;
using Kind = ir::BoundaryKind;

ir::BoundaryRule rule(Kind kind, double value) {
  ir::BoundaryRule result{kind, {}};
  if (kind == Kind::Constant) result.values = {value};
  return result;
}

// B = A[offset] over 0..last with A = 10, 20, 30, ... and one rule per side. Constants are 7 on the
// low and 8 on the high side.
Values shifted(Kind low, Kind high, int offset, int last = 2) {
  ir::Program program;
  program.domain().box = box({{0, last}});
  program.fields = {field("A", program.grid()), field("B", program.grid())};
  program.fields[0].boundary = {{rule(low, 7), rule(high, 8)}};
  program.functions = {function(
      "shift", 1, {piece(program.grid(), [&](Expression& e) { return e.read(0, {offset}); })})};
  program.run.body = ir::applied_in_order(program.functions.size());
  State state = started(program);
  Values numbers;
  for (int i = 0; i <= last; ++i) numbers.push_back(10 * (i + 1));
  set(state, 0, numbers);
  advance(program, state, 1);
  return values(state, 1);
}

TEST(Boundary, Constant) {
  EXPECT_EQ(shifted(Kind::Constant, Kind::Constant, -1), (Values{7, 10, 20}));
  EXPECT_EQ(shifted(Kind::Constant, Kind::Constant, 2), (Values{30, 8, 8}));
  EXPECT_EQ(shifted(Kind::Constant, Kind::Constant, 9), (Values{8, 8, 8}));
}

TEST(Boundary, Clamp) {
  EXPECT_EQ(shifted(Kind::Clamp, Kind::Clamp, -2), (Values{10, 10, 10}));
  EXPECT_EQ(shifted(Kind::Clamp, Kind::Clamp, 1), (Values{20, 30, 30}));
  EXPECT_EQ(shifted(Kind::Clamp, Kind::Clamp, 9), (Values{30, 30, 30}));
}

TEST(Boundary, MirrorReflectsAboutTheEdgePoint) {
  EXPECT_EQ(shifted(Kind::Mirror, Kind::Mirror, -1), (Values{20, 10, 20}));
  EXPECT_EQ(shifted(Kind::Mirror, Kind::Mirror, 2), (Values{30, 20, 10}));
  EXPECT_EQ(shifted(Kind::Mirror, Kind::Mirror, 4), (Values{10, 20, 30}));
  EXPECT_EQ(shifted(Kind::Mirror, Kind::Mirror, -7), (Values{20, 30, 20}));
}

TEST(Boundary, Periodic) {
  EXPECT_EQ(shifted(Kind::Periodic, Kind::Periodic, -1), (Values{30, 10, 20}));
  EXPECT_EQ(shifted(Kind::Periodic, Kind::Periodic, 7), (Values{20, 30, 10}));
  EXPECT_EQ(shifted(Kind::Periodic, Kind::Periodic, -300), (Values{10, 20, 30}));
}

TEST(Boundary, EachSideHasItsOwnRule) {
  EXPECT_EQ(shifted(Kind::Clamp, Kind::Constant, -2), (Values{10, 10, 10}));
  EXPECT_EQ(shifted(Kind::Clamp, Kind::Constant, 2), (Values{30, 8, 8}));
  EXPECT_EQ(shifted(Kind::Constant, Kind::Mirror, -1), (Values{7, 10, 20}));
  EXPECT_EQ(shifted(Kind::Constant, Kind::Mirror, 2), (Values{30, 20, 10}));
  EXPECT_EQ(shifted(Kind::None, Kind::Clamp, 1), (Values{20, 30, 30}));
}

// Index -3 is reflected to 3, which is outside as well. The rule of the
// other side applies there, once.
TEST(Boundary, MirroredReadsOutsideTheFieldMeetTheOtherSide) {
  EXPECT_EQ(shifted(Kind::Mirror, Kind::Clamp, -3), (Values{30, 30, 20}));
  EXPECT_EQ(shifted(Kind::Mirror, Kind::Constant, -3), (Values{8, 30, 20}));
  EXPECT_EQ(shifted(Kind::Clamp, Kind::Mirror, 3), (Values{20, 10, 10}));
  EXPECT_EQ(shifted(Kind::Constant, Kind::Mirror, 4), (Values{10, 7, 7}));
  EXPECT_EQ(shifted(Kind::Mirror, Kind::Clamp, -5), (Values{30, 30, 30}));
}

TEST(Boundary, MirrorsInOneOrTwoPoints) {
  EXPECT_EQ(shifted(Kind::Mirror, Kind::Mirror, -1, 0), (Values{10}));
  EXPECT_EQ(shifted(Kind::Mirror, Kind::Clamp, -1, 0), (Values{10}));
  EXPECT_EQ(shifted(Kind::Mirror, Kind::Constant, -1, 0), (Values{8}));
  EXPECT_EQ(shifted(Kind::Constant, Kind::Mirror, 1, 0), (Values{7}));
  EXPECT_EQ(shifted(Kind::Mirror, Kind::Mirror, -2, 1), (Values{10, 20}));
  EXPECT_EQ(shifted(Kind::Mirror, Kind::Constant, -2, 1), (Values{8, 20}));
  EXPECT_EQ(shifted(Kind::Mirror, Kind::Clamp, -2, 1), (Values{20, 20}));
}

TEST(Boundary, ResolvesIntoAnExtentOfOne) {
  for (const int64_t index : {-5, -1, 0, 1, 2}) {
    for (const Kind kind : {Kind::Mirror, Kind::Clamp, Kind::Periodic}) {
      EXPECT_EQ(resolve({rule(kind, 0), rule(kind, 0)}, index, 1).index, 0);
    }
  }
  const ir::Boundary rules = {rule(Kind::None, 0), rule(Kind::Constant, 1)};
  EXPECT_EQ(resolve(rules, -1, 4).index, -1);
  EXPECT_EQ(resolve(rules, -1, 4).rule, &rules.low);
  EXPECT_EQ(resolve(rules, 4, 4).rule, &rules.high);
}

// Outer dimensions follow the same rules, and a box need not start at 0.
TEST(Boundary, OuterDimensionsAndShiftedBoxes) {
  ir::Program program;
  program.domain().box = box({{5, 6}, {-3, -2}, {1, 2}});
  program.fields = {field("A", program.grid()), field("B", program.grid())};
  program.fields[0].boundary = ir::uniform_boundary(3, rule(Kind::Periodic, 0));
  program.functions = {function("shift", 1, {piece(program.grid(), [](Expression& e) {
                                  return e.read(0, {-1, 2, 1});
                                })})};
  program.run.body = ir::applied_in_order(program.functions.size());
  State state = started(program);
  set(state, 0, {0, 1, 2, 3, 4, 5, 6, 7});
  advance(program, state, 1);
  EXPECT_EQ(values(state, 1), (Values{5, 4, 7, 6, 1, 0, 3, 2}));

  program.fields[0].boundary = ir::uniform_boundary(3, rule(Kind::Constant, -1));
  state = started(program);
  set(state, 0, {0, 1, 2, 3, 4, 5, 6, 7});
  advance(program, state, 1);
  EXPECT_EQ(values(state, 1), Values(8, -1));
}

// The offset -1 leaves the grid in every dimension at the first point. If the rules of several
// dimensions are constants, the constant of the outermost of them wins.
TEST(Boundary, DimensionsHaveTheirOwnRules) {
  ir::Program program;
  program.domain().box = box({{0, 1}, {0, 1}, {0, 1}});
  program.fields = {field("A", program.grid()), field("B", program.grid())};
  const auto both = [](Kind kind, double value) {
    return ir::Boundary{rule(kind, value), rule(kind, value)};
  };
  program.functions = {function("shift", 1, {piece(program.grid(), [](Expression& e) {
                                  return e.read(0, {-1, -1, -1});
                                })})};
  program.run.body = ir::applied_in_order(program.functions.size());
  const auto run = [&](std::vector<ir::Boundary> boundary) {
    program.fields[0].boundary = std::move(boundary);
    State state = started(program);
    set(state, 0, {0, 1, 2, 3, 4, 5, 6, 7});
    advance(program, state, 1);
    return values(state, 1);
  };
  EXPECT_EQ(run({both(Kind::Periodic, 0), both(Kind::Constant, -1), both(Kind::Constant, -2)}),
            (Values{-1, -1, -2, 4, -1, -1, -2, 0}));
  EXPECT_EQ(run({both(Kind::Constant, -1), both(Kind::Clamp, 0), both(Kind::Constant, -2)}),
            (Values{-1, -1, -1, -1, -2, 0, -2, 0}));
  EXPECT_EQ(run({both(Kind::Mirror, 0), both(Kind::Clamp, 0), both(Kind::Periodic, 0)}),
            (Values{5, 4, 5, 4, 1, 0, 1, 0}));
}

TEST(Boundary, ConstantsAreConvertedToTheComponentType) {
  ir::Program program;
  program.domain().box = box({{0, 0}});
  program.fields = {field("A", program.grid(), Scalar::F16), field("B", program.grid())};
  program.fields[0].boundary = {{rule(Kind::Constant, 0.1), rule(Kind::Constant, 0.1)}};
  program.functions = {
      function("f", 1, {piece(program.grid(), [](Expression& e) { return e.read(0, {1}); })})};
  program.run.body = ir::applied_in_order(program.functions.size());
  State state = started(program);
  advance(program, state, 1);
  EXPECT_EQ(values(state, 1), (Values{0.0999755859375}));
}

TEST(Access, EightDimensions) {
  ir::Program program;
  program.domain().box = box({{0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}});
  program.fields = {field("A", program.grid()), field("B", program.grid())};
  program.fields[0].boundary = ir::uniform_boundary(8, rule(Kind::Periodic, 0));
  program.functions = {function("f", 1, {piece(program.grid(), [](Expression& e) {
                                  return e.read(0, {1, 0, 0, 0, 0, 0, 0, 1});
                                })})};
  program.run.body = ir::applied_in_order(program.functions.size());
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
