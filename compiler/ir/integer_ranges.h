// Ranges of the integer values of a graph, from sizes, coordinates and the number of steps.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/ir/program.h"

namespace stencil::ir {

// Holds the product of two 64-bit integers.
using WideInteger = __int128;

// The mathematical value of an integer operation, without overflow. nullopt if the value is
// undefined (division by zero) or always in range (bit operations, shifts, remainders).
std::optional<WideInteger> exact_value(Op op, int64_t a, int64_t b);

// The ranges of the integer nodes of one graph. Nodes must be appended operands first.
class IntegerRanges {
 public:
  struct Interval {
    int64_t least = 0, most = 0;
    bool overflows = false;  // the exact result may not fit the type
    // The value depends only on known sizes, coordinates and steps, so overflow.cpp can evaluate it
    // at points.
    bool decided = false;
  };

  // `region`: the points at which the graph is evaluated; null for a graph that is not evaluated at
  // points. Coordinates and steps may lie up to `margin` beyond it, because kernels also compute
  // unused values there.
  IntegerRanges(const Program& program, const Box* region, int64_t margin);

  // The range of a node whose operands are in `graph` and have been appended.
  Interval of(const Graph& graph, const Node& node) const;
  // Records that `node` has the id `id` in `graph`: the next new id, or one that is already known.
  void append(const Graph& graph, const Node& node, NodeId id);
  const Interval& operator[](NodeId id) const { return known_[id].range; }

 private:
  // A linear combination of params and coordinates, plus a constant.
  struct Form {
    Affine affine;
    std::vector<int64_t> indices;  // coefficients, by dimension
  };
  struct Known {
    Interval range;
    std::optional<Form> form;
  };

  Interval leaf(const Node& node) const;
  Interval operation(const Graph& graph, const Node& node, const Operation& operation) const;
  std::optional<Form> form_of(const Graph& graph, const Node& node) const;
  std::optional<Interval> range_of(const Form& form) const;
  Interval param(ParamId id) const;

  const Program& program_;
  const Box* region_;
  int64_t margin_;
  std::vector<Known> known_;
  std::vector<Interval> params_;
  std::vector<int64_t> extents_;  // by param: number of grid dimensions with that extent
};

}  // namespace stencil::ir
