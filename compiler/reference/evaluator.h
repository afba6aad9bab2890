// Runs an expression graph over rows of points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/reference/kernels.h"
#include "compiler/reference/state.h"

namespace stencil::reference {

// Points evaluated at once: long enough to hide the dispatch per node, short enough that the rows
// of a graph stay in cache.
constexpr int64_t kLongestRow = 1024;

// Evaluates `results` of one graph, row by row:
//
//   Evaluator evaluator(program, state, graph, results, longest_row);
//   evaluator.begin_sweep();               // once per sweep, in which step and levels are fixed
//   evaluator.evaluate_row(point, count);  // points point, point + (0,...,0,1), ...
//   use(evaluator.result(0));              // `count` values of the result's type
//
// Holds references to all of its arguments; `program` and `state` must be accepted by allocate().
class Evaluator {
 public:
  Evaluator(const ir::Program& program, const State& state, const ir::Graph& graph,
            const std::vector<ir::NodeId>& results, int64_t longest_row);

  void begin_sweep();
  void evaluate_row(const std::vector<int64_t>& point, int64_t count);

  // Valid until the next row. May point into a field.
  const void* result(size_t index) const { return rows_[results_[index]]; }

 private:
  void mark_live();
  void assign_row_buffers();
  void evaluate(ir::NodeId id, const std::vector<int64_t>& point, int64_t count);

  const ir::Program& program_;
  const State& state_;
  const ir::Graph& graph_;
  const std::vector<ir::NodeId>& results_;
  int64_t longest_row_;

  std::vector<bool> live_;           // by node: some result depends on it
  std::vector<ir::NodeId> uniform_;  // live nodes with one value per sweep, in order
  std::vector<ir::NodeId> varying_;  // the other live nodes, in order
  std::vector<Kernel> kernels_;      // by node: an operation, or the conversion of an access
  std::vector<int> row_buffers_;     // by node: its row buffer
  std::vector<int64_t> buffers_;     // longest_row_ elements of the widest type each
  std::vector<const void*> rows_;    // by node: its values for the current row
};

// The rows of a box, row-major, split into rows of at most `longest_row` points.
class Rows {
 public:
  Rows(ConcreteBox box, int64_t longest_row);

  int64_t count() const { return count_; }
  // The first point of a row, 0..count()-1.
  std::vector<int64_t> start(int64_t row) const;
  // Calls visit(point, count) for the rows `first` to `end` - 1: `count` points starting at
  // `point`.
  template <class Visit>
  void visit(int64_t first, int64_t end, Visit visit) const {
    if (first >= end) return;
    const size_t last = box_.size() - 1;
    std::vector<int64_t> point = start(first);
    for (int64_t row = first; row < end; ++row) {
      const int64_t left = box_[last][1] - point[last] + 1;
      visit(point, left < longest_row_ ? left : longest_row_);
      point[last] += longest_row_;
      for (size_t d = last; d > 0 && point[d] > box_[d][1]; --d) {
        point[d] = box_[d][0];
        ++point[d - 1];
      }
    }
  }

 private:
  ConcreteBox box_;
  int64_t longest_row_;
  int64_t count_ = 0;
};

}  // namespace stencil::reference
