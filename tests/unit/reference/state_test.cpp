// Allocation of states, and the programs that are refused before a run.
#include "compiler/reference/state.h"

#include "tests/unit/reference/programs.h"

namespace stencil::reference {
namespace {

ir::Program shift_program(ir::Box grid, ir::Box region, int offset) {
  ir::Program program;
  program.domain().box = std::move(grid);
  program.fields = {field("A", program.grid()), field("B", program.grid())};
  program.functions = {function(
      "shift", 1, {piece(std::move(region), [&](Expression& e) { return e.read(0, {offset}); })})};
  program.run.body = ir::applied_in_order(program.functions.size());
  return program;
}

TEST(State, ConcreteBoxes) {
  ir::Box open;
  open.ranges = {{{1, {}}, {-2, {{0, 1}}}}, {{0, {{1, 2}}}, {3, {{1, 2}}}}};
  const auto box = concrete(open, {10, 4});
  ASSERT_TRUE(box.has_value());
  EXPECT_EQ(*box, (ConcreteBox{{1, 8}, {8, 11}}));
  EXPECT_EQ(count_points(*box), 32);
  EXPECT_EQ(count_points({{5, 4}, {0, int64_t{1} << 60}, {0, int64_t{1} << 60}}), 0);
  EXPECT_EQ(count_points({{0, int64_t{1} << 40}, {0, int64_t{1} << 40}}), std::nullopt);
  EXPECT_EQ(concrete(open, {INT64_MAX, INT64_MAX}), std::nullopt);
}

TEST(State, RefusesSizesThatOverflow) {
  ir::Program program;
  program.domain().box = box({{0, int64_t{1} << 31}, {0, int64_t{1} << 31}});
  program.fields = {field("big", program.grid())};
  EXPECT_EQ(refused(program), "field 'big' is too large");
  program.domain().box = box({{0, int64_t{1} << 40}, {0, int64_t{1} << 40}});
  program.fields = {field("big", program.grid())};
  EXPECT_EQ(refused(program), "field 'big' is too large");
}

TEST(State, RefusesAccessesThatLeaveTheField) {
  started(shift_program(box({{0, 9}}), box({{1, 9}}), -1));
  EXPECT_EQ(refused(shift_program(box({{0, 9}}), box({{0, 9}}), -1)),
            "function 'shift': an access to field 'A' leaves the field");
  EXPECT_EQ(refused(shift_program(box({{0, 9}}), box({{0, 8}}), 2)),
            "function 'shift': an access to field 'A' leaves the field");
  EXPECT_EQ(refused(shift_program(box({{0, 9}}), box({{1, 10}}), -1)),
            "function 'shift': a region leaves its field");
  started(shift_program(box({{0, 9}}), box({{20, 19}}), 5));  // an empty region reads nothing
}

TEST(State, RefusesInitsThatMissPoints) {
  ir::Program program = shift_program(box({{0, 9}}), box({{1, 9}}), -1);
  const auto one = [](Expression& e) { return e.number(Scalar::F32, 1); };
  program.inits = {{0, piece(box({{0, 9}}), one)}};
  started(program);
  program.inits = {{0, piece(box({{0, 8}}), one)}};
  EXPECT_EQ(refused(program), "init of 'A': it leaves points without a value");
}

TEST(Buffer, ThrowsIfOutOfMemory) {
  EXPECT_THROW(Buffer(size_t{1} << 62), std::bad_alloc);
  EXPECT_EQ(Buffer(0).size(), 0u);
}

// A mirror whose far side has no rule: reflected reads could leave the field.
TEST(State, RefusesReflectedReadsOutsideTheField) {
  for (const int last : {0, 1, 2, 3}) {
    ir::Program program = shift_program(box({{0, last}}), box({{0, 0}}), -2);
    program.fields[0].boundary = {{{ir::BoundaryKind::Mirror, {}}, {}}};
    if (last >= 2) {
      started(program);
    } else {
      EXPECT_EQ(refused(program), "function 'shift': an access to field 'A' leaves the field");
    }
  }
}

TEST(State, RefusesConstantsWithoutValues) {
  ir::Program program = shift_program(box({{0, 9}}), box({{0, 9}}), -1);
  program.fields[0].boundary = {{{ir::BoundaryKind::Clamp, {}}, {ir::BoundaryKind::Constant, {}}}};
  EXPECT_EQ(refused(program), "function 'shift': field 'A' lacks boundary values");
  program.fields[0].boundary = {};
  EXPECT_EQ(refused(program), "function 'shift': an access to field 'A' has the wrong rank");
}

TEST(State, RefusesOperatorsOnUnsupportedTypes) {
  ir::Program program;
  program.domain().box = box({{0, 1}});
  program.fields = {field("A", program.grid(), Scalar::I32)};
  program.functions = {function("f", 0, {piece(program.grid(), [](Expression& e) {
                                  return e.op(Op::Sqrt, {e.read(0, {0}, 0, Scalar::I32)});
                                })})};
  program.run.body = ir::applied_in_order(program.functions.size());
  const std::string reason = "function 'f': operator 'sqrt' is not defined for its operands";
  EXPECT_EQ(refused(program), reason);
  program.functions[0].pieces[0].region = box({{1, 0}});
  EXPECT_EQ(refused(program), reason);  // also if no point is computed
}

TEST(State, RefusesReadingAFieldWithoutPoints) {
  ir::Program program = shift_program(box({{0, 9}}), box({{0, 9}}), 0);
  program.fields[0].box = box({{3, 2}});
  program.fields[0].boundary = ir::uniform_boundary(1, {ir::BoundaryKind::Clamp, {}});
  EXPECT_EQ(refused(program), "function 'shift': field 'A' is read but has no points");
  program.fields[0].boundary = ir::uniform_boundary(1, {ir::BoundaryKind::Constant, {4}});
  State state = started(program);
  advance(program, state, 1);
  EXPECT_EQ(values(state, 1), std::vector<double>(10, 4));
}

TEST(State, ElementsOfEveryType) {
  ir::Program program;
  program.domain().box = box({{0, 2}, {5, 7}});
  program.fields = {field("f", program.grid())};
  program.fields[0].components = {{".h", Scalar::F16}, {".b", Scalar::BF16}, {".d", Scalar::F64},
                                  {".i", Scalar::I32}, {".l", Scalar::I64},  {".t", Scalar::Bool},
                                  {".y", Scalar::I8},  {".u", Scalar::U8},   {".s", Scalar::I16},
                                  {".w", Scalar::U16}};
  State state = started(program);
  FieldData& data = state.fields[0];
  EXPECT_EQ(data.position({1, 6}), 4);
  EXPECT_EQ(data.size_in_bytes(0), 18);
  EXPECT_TRUE(data.spare.empty());
  for (int c = 0; c < data.component_count(); ++c) data.set_real(0, c, 4, 257.9);
  EXPECT_EQ(data.real(0, 0, 4), 258);
  EXPECT_EQ(data.real(0, 1, 4), 258);
  EXPECT_EQ(data.real(0, 2, 4), 257.9);
  EXPECT_EQ(data.integer(0, 3, 4), 257);
  EXPECT_EQ(data.integer(0, 5, 4), 1);
  EXPECT_EQ(data.integer(0, 6, 4), 1);
  EXPECT_EQ(data.integer(0, 8, 4), 257);
  EXPECT_EQ(data.size_in_bytes(7), 9);
  for (int c = 6; c < 10; ++c) data.set_integer(0, c, 4, -2);
  EXPECT_EQ(data.integer(0, 6, 4), -2);
  EXPECT_EQ(data.integer(0, 7, 4), 254);
  EXPECT_EQ(data.integer(0, 8, 4), -2);
  EXPECT_EQ(data.integer(0, 9, 4), 65534);
  data.set_integer(0, 4, 4, INT64_MAX);
  EXPECT_EQ(data.integer(0, 4, 4), INT64_MAX);
  EXPECT_EQ(data.real(0, 2, 3), 0);
}

}  // namespace
}  // namespace stencil::reference
