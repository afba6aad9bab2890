// Row buffers are shared between nodes. These graphs give wrong results if
// a buffer is released too early.
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
  const auto note = [&](const std::vector<int64_t>& point, int64_t count) {
    seen.push_back(point);
    seen.back().push_back(count);
  };
  const Rows rows({{5, 6}, {-1, 1}, {0, 4}}, 3);
  rows.visit(0, rows.count(), note);
  std::vector<std::vector<int64_t>> expected;
  for (const int64_t i : {5, 6}) {
    for (const int64_t j : {-1, 0, 1}) {
      expected.push_back({i, j, 0, 3});
      expected.push_back({i, j, 3, 2});
    }
  }
  EXPECT_EQ(seen, expected);
  // Iteration can start at any row.
  for (int64_t cut = 0; cut <= rows.count(); ++cut) {
    seen.clear();
    rows.visit(0, cut, note);
    rows.visit(cut, rows.count(), note);
    EXPECT_EQ(seen, expected) << cut;
  }
  const Rows line({{2, 8}}, 3);
  seen.clear();
  line.visit(1, line.count(), note);
  EXPECT_EQ(seen, (std::vector<std::vector<int64_t>>{{5, 3}, {8, 1}}));
  EXPECT_EQ(Rows({{5, 6}, {1, 0}}, 3).count(), 0);
}

}  // namespace
}  // namespace stencil::reference
