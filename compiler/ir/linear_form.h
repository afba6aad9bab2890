// Linear forms and how they are written: what reassociation under --fp=fast is made of.
//
//   form       = coefficient * value + ...        every value an access or a non-linear node
//   translates = nodes that are equal up to a common shift of all their accesses
//
// A schedule that computes neighbouring points together finds the translates of a sum already
// computed for a neighbour, so a sum is written in a shape that repeats, and a tree that repeats
// counts once per point.
#pragma once

#include <map>
#include <vector>

#include "compiler/ir/program.h"

namespace stencil::ir {

constexpr NodeId kNoNode = -1;

// number * factor. The factor is uniform: the same at all points of a sweep (params, time,
// constants and what is computed from them).
struct Coefficient {
  double number = 1;
  NodeId factor = kNoNode;  // kNoNode: 1
};

struct Term {
  Coefficient coefficient;
  NodeId value = kNoNode;  // kNoNode: 1, so the term is a uniform addend
};

// A sum of terms, of one floating type.
struct LinearForm {
  std::vector<Term> terms;
};

// A node with a sign, so that a sum need not end in a negation that its user can absorb.
struct SignedNode {
  NodeId node = kNoNode;
  bool negative = false;
};

// Where the nodes of a growing graph read: which are translates of one another, and how far apart.
class Translates {
 public:
  enum class Along {
    Others,     // shifts in every dimension but the given one
    Dimension,  // shifts in the given dimension alone
  };
  struct Place {
    int shape = 0;  // equal for translates
    std::vector<int>
        position;   // translates differ by the difference of positions; empty: no access
    int plane = 0;  // largest offset in the dimension; kBeforeAllPlanes without access
    bool uniform = false;
    bool indexed = false;  // computed from coordinates of the point
  };
  static constexpr int kBeforeAllPlanes = -static_cast<int>(kLargestOffset) - 1;

  // Refers to `graph`, which may grow.
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

// A constant of the given floating type, rounded to it.
NodeId add_constant(Graph& graph, Scalar type, double value);

// The uniform node |number| * factor; kNoNode if that is 1.
NodeId magnitude(Graph& graph, Scalar type, const Coefficient& coefficient);

// One term per value, in order of first appearance; terms that cancel are gone. Coefficients with
// different factors are added up as uniform nodes of the graph.
LinearForm collect(Graph& graph, Scalar type, const LinearForm& form);

// Writes a collected form with the fewest operations per point among the layouts it knows, then
// with the shortest chain behind the newest plane (the largest offset in the stream dimension).
// `translates` is that of `graph` along the other dimensions.
SignedNode write_sum(Graph& graph, Translates& translates, Scalar type, const LinearForm& form,
                     int stream_dimension);

// Operations per point that the roots need. A product that only feeds sums is fused with them;
// trees that are translates in dimensions other than the stream dimension count once; negations,
// conversions, and uniform nodes, which are computed once per sweep, do not count.
int fused_operations(const Graph& graph, const std::vector<NodeId>& roots, int stream_dimension);

}  // namespace stencil::ir
