// Finds values that depend only on coordinates modulo a small number (strides, colours), and
// specializes graphs for a given remainder.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/ir/program.h"

namespace stencil::ir {

// A node whose value depends only on the remainder of an affine form of the coordinates.
struct Congruence {
  NodeId node = 0;
  std::vector<int64_t> coefficients;  // by dimension, from 0 to modulus - 1
  int64_t constant = 0;               // from 0 to modulus - 1
  int64_t modulus = 2;
  enum class Kind {
    Remainder,  // the value is the remainder, from 0 to modulus - 1
    Equal,      // a condition: the remainder is `to`
    Different,  // a condition: the remainder is not `to`
  } kind = Kind::Remainder;
  int64_t to = 0;
  // For conditions: the remainder alone does not always decide the value. `%` has the sign of its
  // dividend, so i % 2 == 1 is false for all negative i. The node is false wherever Equal fails and
  // true wherever Different holds; at the remaining points the sign decides.
  bool partly = false;

  // The coordinate in dimension d must be known modulo this number.
  int64_t period(int d) const;
};

// The congruences of a graph that is evaluated at points of `region`, in order of their nodes. Only
// values inside the region matter. Recognises `%` by a constant and `&` with 2^k - 1.
std::vector<Congruence> congruences(const Graph& graph, const Box& region);

// What is known about the coordinates when a kernel is compiled: the coordinate of dimension d is
// remainder[d] modulo modulus[d].
struct Residue {
  std::vector<int64_t> modulus, remainder;
};

// The value of the node at points with this residue; nullopt if the residue does not determine it.
std::optional<int64_t> value_at(const Congruence& congruence, const Residue& residue);

// A graph specialised for points with a given residue. It has only the nodes that its results need
// there.
struct Residual {
  Graph graph;
  std::vector<NodeId> results;
};
Residual at_residue(const Graph& graph, const std::vector<NodeId>& results,
                    const std::vector<Congruence>& congruences, const Residue& residue);

// The graph in which nodes have these integer values, with constant folding. `values`: by node.
Residual with_values(const Graph& graph, const std::vector<NodeId>& results,
                     const std::vector<std::optional<int64_t>>& values);

}  // namespace stencil::ir
