// Row buffers are shared between nodes; these graphs break if one is given away too early.
#include "compiler/reference/evaluator.h"

#include "tests/unit/reference/programs.h"

namespace stencil::reference {
namespace {

class EvaluatorTest : public ::testing::Test {
 protected:
  // Evaluates at the points 2, 3, 4 of one dimension.
  std::vector<std::vector<float>> evaluate(const std::vector<ir::NodeId>& results) {
    Evaluator evaluator(program, state, graph, results, 3);
    evaluator.begin_sweep();
    evaluator.evaluate_row({2}, 3);
    std::vector<std::vector<float>> rows;
    for (size_t i = 0; i < results.size(); ++i) {
      const auto* row = static_cast<const float*>(evaluator.result(i));
      rows.push_back({row, row + 3});
    }
    return rows;
  }
  ir::NodeId number(double value) { return e.number(Scalar::F32, value); }

  ir::Program program;
  State state;
  ir::Graph graph;
  Expression e{graph};
  const ir::NodeId x = e.convert(e.index(0), Scalar::F32);
};

TEST_F(EvaluatorTest, AnOperandUsedTwiceIsReleasedOnce) {
  const auto square = e.op(Op::Mul, {x, x});
  const auto one_more = e.op(Op::Add, {square, number(1)});
  const auto two_more = e.op(Op::Add, {square, number(2)});
  const auto product = e.op(Op::Mul, {one_more, two_more});
  EXPECT_EQ(evaluate({product})[0], (std::vector<float>{5 * 6, 10 * 11, 17 * 18}));
}

TEST_F(EvaluatorTest, ResultsOutliveTheirLastUse) {
  const auto square = e.op(Op::Mul, {x, x});
  auto sum = e.op(Op::Add, {square, number(1)});
  for (int i = 2; i < 6; ++i) sum = e.op(Op::Add, {sum, number(i)});
  const auto rows = evaluate({square, sum});
  EXPECT_EQ(rows[0], (std::vector<float>{4, 9, 16}));
  EXPECT_EQ(rows[1], (std::vector<float>{19, 24, 31}));
}

TEST_F(EvaluatorTest, UniformResultsFillTheRow) {
  state.step = 7;
  const auto time = e.convert(e.time(), Scalar::F32);
  const auto rows = evaluate({e.op(Op::Add, {time, number(0.5)}), x});
  EXPECT_EQ(rows[0], std::vector<float>(3, 7.5));
  EXPECT_EQ(rows[1], (std::vector<float>{2, 3, 4}));
}

TEST(Rows, AreCutAndOrdered) {
  std::vector<std::vector<int64_t>> seen;
  for_each_row({{5, 6}, {1, 1}, {0, 4}}, 3, [&](const std::vector<int64_t>& point, int64_t count) {
    seen.push_back(point);
    seen.back().push_back(count);
  });
  const std::vector<std::vector<int64_t>> expected{
      {5, 1, 0, 3}, {5, 1, 3, 2}, {6, 1, 0, 3}, {6, 1, 3, 2}};
  EXPECT_EQ(seen, expected);
  for_each_row({{5, 6}, {1, 0}}, 3,
               [](const auto&, int64_t) { FAIL() << "an empty box has no rows"; });
}

}  // namespace
}  // namespace stencil::reference
