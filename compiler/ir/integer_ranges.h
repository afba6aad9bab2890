// What values the integers of a graph can have, as far as sizes, coordinates and steps decide it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/ir/program.h"

namespace stencil::ir {

// An integer of 64 bits plus what a product of two needs.
using WideInteger = __int128;

// The exact value of an operation on integers, which no type bounds; nothing for one that has no
// such value (a quotient by zero), or whose value is always in range (bits, shifts, remainders).
std::optional<WideInteger> exact_value(Op op, int64_t a, int64_t b);

// The ranges of the integer nodes of one graph, which is visited operands first.
class IntegerRanges {
 public:
  struct Interval {
    int64_t least = 0, most = 0;
    bool overflows = false;  // the exact value of the operation may lie outside of its type
    // Known sizes, coordinates and steps alone decide the value, so that every value between may be
    // asked for (overflow.cpp).
    bool decided = false;
  };

  // `region`: of the points at which the graph is evaluated; null: at none. Coordinates and steps
  // may lie `margin` beyond: kernels compute values at such places that nothing uses.
  IntegerRanges(const Program& program, const Box* region, int64_t margin);

  // The range of a node whose operands are in `graph` and have been appended.
  Interval of(const Graph& graph, const Node& node) const;
  // `node` has become `id`: the next one, or one that is known.
  void append(const Graph& graph, const Node& node, NodeId id);
  const Interval& operator[](NodeId id) const { return known_[static_cast<size_t>(id)].range; }

 private:
  // A sum of params and coordinates times numbers.
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
  std::vector<int64_t> extents_;  // by param: how many dimensions of the grid have it as extent
};

}  // namespace stencil::ir
