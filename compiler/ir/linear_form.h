// Linear forms and how they are written as sums: the basis of reassociation under --fp=fast.
//
//   form       = coefficient * value + ...        each value is an access or a non-linear node
//   translates = nodes that are equal up to a common shift of all their accesses
//
// A schedule that computes neighbouring points together can reuse a translate that it has computed
// for a neighbour. Sums are therefore written in a shape that repeats from point to point, and a
// tree that repeats is counted once per point.
#pragma once

#include <map>
#include <vector>

#include "compiler/ir/program.h"

namespace stencil::ir {

constexpr NodeId kNoNode = -1;

// number * factor. The factor is uniform: it is the same at all points of a sweep (params, time,
// constants and expressions of these).
struct Coefficient {
  double number = 1;
  NodeId factor = kNoNode;  // kNoNode: 1
};

struct Term {
  Coefficient coefficient;
  NodeId value = kNoNode;  // kNoNode: the value is 1, so the term is a uniform addend
};

// A sum of terms of one floating-point type.
struct LinearForm {
  std::vector<Term> terms;
};

// A node with a sign. It lets the user of a sum absorb a negation instead of computing it.
struct SignedNode {
  NodeId node = kNoNode;
  bool negative = false;
};

// Finds which nodes of a growing graph are translates of one another, and by which shift.
class Translates {
 public:
  enum class Along {
    Others,     // shifts in every dimension except the given one
    Dimension,  // shifts only in the given dimension
  };
  struct Place {
    int shape = 0;  // equal for translates
    // The shift between two translates is the difference of their positions. Empty: no access.
    std::vector<int> position;
    int plane = 0;  // largest offset in `dimension`; kBeforeAllPlanes without an access
    bool uniform = false;
    bool indexed = false;  // depends on the coordinates of the point
  };
  static constexpr int kBeforeAllPlanes = -static_cast<int>(kLargestOffset) - 1;

  // Keeps a reference to `graph`, which may grow.
  Translates(const Graph& graph, int dimension, Along along = Along::Others);

  const Place& operator[](NodeId id);

 private:
  Place place(NodeId id);
  int shape(std::vector<int64_t> key);
  bool shifts(int dimension) const;

  const Graph& graph_;
  int dimension_;
  Along along_;
  std::vector<Place> places_;
  std::map<std::vector<int64_t>, int> shapes_;
};

// Adds a constant, rounded to the given floating-point type.
NodeId add_constant(Graph& graph, Scalar type, double value);

// The uniform node |number| * factor, or kNoNode if that is 1.
NodeId magnitude(Graph& graph, Scalar type, const Coefficient& coefficient);

// Combines like terms: one term per value, in order of first appearance, without terms that cancel.
// Coefficients with different factors are added by uniform nodes in the graph.
LinearForm collect(Graph& graph, Scalar type, const LinearForm& form);

// Writes a collected form as nodes. It chooses the layout with the fewest operations
// per point and, on a tie, the shortest dependency chain from the newest plane (the largest offset
// in the streaming dimension). `translates` must be that of `graph` with shifts in the other
// dimensions (Along::Others).
SignedNode write_sum(Graph& graph, Translates& translates, Scalar type, const LinearForm& form,
                     int stream_dimension);

// The number of operations per point that the roots need. A product that is used only by sums is
// fused with them. Trees that are translates in dimensions other than the streaming dimension count
// once. Negations, conversions and uniform nodes do not count; uniform nodes are computed once per
// sweep.
int fused_operations(const Graph& graph, const std::vector<NodeId>& roots, int stream_dimension);

}  // namespace stencil::ir
