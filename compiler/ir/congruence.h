// Values that depend on coordinates modulo a small number alone: strides, colours.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/ir/program.h"

namespace stencil::ir {

// A node whose value the remainder of an affine form of the coordinates decides.
struct Congruence {
  NodeId node = 0;
  std::vector<int64_t> coefficients;  // by dimension, from 0 to modulus - 1
  int64_t constant = 0;               // likewise
  int64_t modulus = 2;
  enum class Kind {
    Remainder,  // the value is the remainder, from 0 to modulus - 1
    Equal,      // a condition: the remainder is `to`
    Different,  // it is not
  } kind = Kind::Remainder;
  int64_t to = 0;
  // Of a condition: the node itself says more. `%` has the sign of the dividend, so i % 2 == 1
  // holds for no negative i; where Equal fails the node is false, where Different holds it is true.
  bool partly = false;

  // What dimension d must be known modulo.
  int64_t period(int d) const;
};

// Those of a graph that is evaluated at points of `region`, in order; what the node is elsewhere
// does not matter. `%` by a constant, and `&` with 2^k - 1.
std::vector<Congruence> congruences(const Graph& graph, const Box& region);

// What coordinates are when a kernel is compiled: that of dimension d is remainder[d], modulo
// modulus[d].
struct Residue {
  std::vector<int64_t> modulus, remainder;
};

// The value of the node at points with this residue; nothing if it does not follow from that.
std::optional<int64_t> value_at(const Congruence& congruence, const Residue& residue);

// The results of a graph at points with this residue: without what they do not need there.
struct Residual {
  Graph graph;
  std::vector<NodeId> results;
};
Residual at_residue(const Graph& graph, const std::vector<NodeId>& results,
                    const std::vector<Congruence>& congruences, const Residue& residue);

}  // namespace stencil::ir
