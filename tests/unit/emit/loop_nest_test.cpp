#include "compiler/emit/loop_nest.h"

#include <gtest/gtest.h>

#include "compiler/kernel/passes.h"

namespace stencil::emit {
namespace {

using namespace kernel;

Kernel kernel_of(const Shape& threads) {
  Kernel kernel;
  kernel.name = "k";
  kernel.threads = threads;
  Buffer shared;
  shared.name = "tile";
  shared.type = Scalar::F32;
  shared.space = Space::Shared;
  shared.extents = {integer(64)};
  Buffer own = shared;
  own.name = "own";
  own.space = Space::Thread;
  kernel.buffers = {shared, own};
  return kernel;
}

Statement store(BufferId buffer, const Expr& at) {
  return {Store{buffer, {at}, real(1, Scalar::F32)}};
}

Statement only_if(Expr condition, Body then) {
  return {If{std::move(condition), std::move(then), {}}};
}

Expr v(const char* name) {
  return variable(name);
}

int64_t value_of(const Expr& expr) {
  const auto* literal = std::get_if<IntegerLiteral>(&expr->kind);
  EXPECT_NE(literal, nullptr);
  return literal ? literal->value : -1;
}

TEST(LoopNest, HasALoopPerDimensionLongerThanOneOutermostFirst) {
  const LoopNest nest = loop_nest(kernel_of({8, 1, 4}), {store(0, v("thread_x"))});
  ASSERT_EQ(nest.loops.size(), 2u);
  EXPECT_EQ(nest.loops[0].name, "thread_z");
  EXPECT_EQ(nest.loops[1].name, "thread_x");
  EXPECT_EQ(value_of(nest.loops[1].begin), 0);
  EXPECT_EQ(value_of(nest.loops[1].end), 8);
  EXPECT_EQ(nest.body.size(), 1u);
}

TEST(LoopNest, CountsTheIterationsLeftAtAnEdge) {
  // let x = origin + thread_x; if (x >= size - 3 and x < size and x >= 0) tile[x] = 1
  const Expr x = v("x"), size = v("size");
  const Body body = {
      {Let{"x", add(v("origin"), v("thread_x"))}},
      only_if(all_of({operation(Op::Ge, {x, sub(size, integer(3))}), less(x, size),
                      operation(Op::Ge, {x, integer(0)})}),
              {store(0, x)}),
  };
  EXPECT_EQ(loop_nest(kernel_of({8}), body).loops.at(0).most, 3);
  EXPECT_EQ(loop_nest(kernel_of({2}), body).loops.at(0).most, 2);
  const Body inside = {
      {Let{"x", add(v("origin"), v("thread_x"))}},
      only_if(all_of({operation(Op::Ge, {x, integer(1)}), less(x, size)}), {store(0, x)}),
  };
  EXPECT_EQ(loop_nest(kernel_of({8}), inside).loops.at(0).most, 8);
}

TEST(LoopNest, ComparisonsOfShiftedThreadsBecomeBounds) {
  // let x = thread_x + 10; if (12 <= x < 17 and flag-like comparison) tile[x] = 1
  const Expr x = v("x");
  const Expr odd = operation(Op::Eq, {operation(Op::Mod, {x, integer(2)}), integer(1)});
  const Body body = {
      {Let{"x", add(v("thread_x"), integer(10))}},
      only_if(all_of({operation(Op::Ge, {x, integer(12)}), less(x, integer(17)), odd}),
              {store(0, x)})};
  const LoopNest nest = loop_nest(kernel_of({8}), body);
  ASSERT_EQ(nest.loops.size(), 1u);
  EXPECT_EQ(value_of(nest.loops[0].begin), 2);
  EXPECT_EQ(value_of(nest.loops[0].end), 7);
  ASSERT_EQ(nest.body.size(), 2u) << "the let, and the condition that is no bound";
  const auto& left = std::get<If>(nest.body[1].kind);
  EXPECT_EQ(std::get<Operation>(left.condition->kind).op, Op::Eq);
}

TEST(LoopNest, ConditionsWithAnElseAreNoBounds) {
  const Expr condition = less(v("thread_x"), integer(3));
  const LoopNest nest = loop_nest(
      kernel_of({8}), {{If{condition, {store(0, v("thread_x"))}, {store(0, integer(0))}}}});
  EXPECT_EQ(value_of(nest.loops[0].end), 8);
  EXPECT_EQ(nest.body.size(), 1u);
}

TEST(LoopNest, ConditionsOnLoadsAreNoBounds) {
  const Expr loaded = convert(load(0, {integer(0)}, Scalar::F32), Scalar::I32);
  const LoopNest nest =
      loop_nest(kernel_of({8}), {only_if(less(v("thread_x"), loaded), {store(0, v("thread_x"))})});
  EXPECT_EQ(value_of(nest.loops[0].end), 8);
}

TEST(LoopNest, UniformConditionsAreHoisted) {
  const Expr uniform = less(v("t"), v("steps"));
  const LoopNest nest = loop_nest(kernel_of({8}), {only_if(uniform, {store(0, v("thread_x"))})});
  ASSERT_EQ(nest.conditions.size(), 1u);
  EXPECT_EQ(nest.conditions[0], uniform);
  EXPECT_TRUE(std::holds_alternative<Store>(nest.body[0].kind));
}

TEST(LoopNest, RowConditionsAreHoistedOutOfTheRow) {
  // let y = origin + thread_y; if (table[y] > 0) tile[thread_x] = 1
  Kernel kernel = kernel_of({8, 4});
  Buffer table = kernel.buffers[0];
  table.name = "table";
  table.type = Scalar::I32;
  table.space = Space::Global;
  table.read_only = true;
  kernel.buffers.push_back(table);
  const auto nest = [&](const Expr& at, bool read_only) {
    kernel.buffers.back().read_only = read_only;
    const Expr some = less(integer(0), load(2, {at}, Scalar::I32));
    return loop_nest(kernel, {{Let{"y", add(v("origin"), v("thread_y"))}},
                              only_if(some, {store(0, v("thread_x"))})});
  };
  const LoopNest by_row = nest(v("y"), true);
  ASSERT_EQ(by_row.loops.size(), 2u);
  EXPECT_EQ(by_row.loops[0].condition, nullptr);
  ASSERT_NE(by_row.loops[1].condition, nullptr);
  EXPECT_EQ(print(by_row.loops[1].condition),
            print(less(integer(0), load(2, {add(v("origin"), v("thread_y"))}, Scalar::I32))));
  EXPECT_TRUE(std::holds_alternative<Store>(by_row.body[0].kind));
  EXPECT_EQ(nest(add(v("y"), v("thread_x")), true).loops[1].condition, nullptr);
  EXPECT_EQ(nest(v("y"), false).loops[1].condition, nullptr);
}

Statement strided(Body body, int64_t step = 8) {
  return {For{LoopKind::Serial, "i", v("thread_x"), integer(50), step, std::move(body)}};
}

TEST(LoopNest, StridedThreadLoopsBecomeOneLoop) {
  const LoopNest nest = loop_nest(kernel_of({8}), {strided({store(0, v("i"))})});
  ASSERT_EQ(nest.loops.size(), 1u);
  EXPECT_EQ(nest.loops[0].name, "i");
  EXPECT_EQ(value_of(nest.loops[0].begin), 0);
  EXPECT_EQ(value_of(nest.loops[0].end), 50);
  EXPECT_TRUE(std::holds_alternative<Store>(nest.body[0].kind));
}

TEST(LoopNest, StridedLoopsOfSomeThreadsAreNotMerged) {
  const LoopNest nest = loop_nest(
      kernel_of({8}), {only_if(less(v("thread_x"), integer(5)), {strided({store(0, v("i"))})})});
  EXPECT_EQ(nest.loops[0].name, "thread_x");
  EXPECT_EQ(value_of(nest.loops[0].end), 5);
  EXPECT_TRUE(std::holds_alternative<For>(nest.body[0].kind));
}

TEST(LoopNest, OtherStridesAndUsesKeepTheThreadLoop) {
  const auto name_of = [](const Body& body) {
    return loop_nest(kernel_of({8}), body).loops[0].name;
  };
  EXPECT_EQ(name_of({strided({store(0, v("i"))}, 4)}), "thread_x") << "another stride";
  EXPECT_EQ(name_of({strided({store(0, v("thread_x"))})}), "thread_x") << "used inside";
  EXPECT_EQ(name_of({strided({store(1, v("i"))})}), "thread_x") << "a per-thread buffer";
}

}  // namespace
}  // namespace stencil::emit
