// Expressions of the stencil IR as graphs. Each common subexpression is one node. A graph is a list
// of nodes in topological order, so every pass is a loop over a vector (no recursion, no depth
// limit), and the interpreter evaluates the nodes in order. The grammar is in program.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "compiler/ir/affine.h"
#include "compiler/support/ids.h"
#include "compiler/support/scalar.h"
#include "compiler/support/source.h"

namespace stencil::ir {

using DomainId = Id<struct Domain>;
using FieldId = Id<struct Field>;
using NodeId = Id<struct Node>;
using ReductionId = Id<struct Reduction>;

// A literal of the node's type: `integer` for Bool (0 or 1), I32 and I64, `real` for floats. The
// value of an F32 node is already rounded to float.
struct Constant {
  double real = 0;
  int64_t integer = 0;
  friend bool operator==(const Constant&, const Constant&) = default;
};
struct ParamRef {
  ParamId param;
  friend bool operator==(const ParamRef&, const ParamRef&) = default;
};
struct Index {
  int dimension;
  friend bool operator==(const Index&, const Index&) = default;
};  // I32 coordinate of the point
struct Time {
  friend bool operator==(const Time&, const Time&) = default;
};  // I32, index of the running step from 0
// The current value of a reduction or, if `replaced`, the value before its last evaluation. The
// stop condition may read any reduction; functions and reductions may read only those with a place
// in the step (Reduction::place).
struct ReductionRef {
  ReductionId reduction;
  bool replaced = false;
  friend bool operator==(const ReductionRef&, const ReductionRef&) = default;
};
// How far a region extends beyond a field's box in one dimension, in grid points, at the low and
// the high end. 0 if it ends inside the box. nullopt if the distance is not known to be at most
// kMostExcess.
struct Excess {
  std::optional<int64_t> below, above;
  friend bool operator==(const Excess&, const Excess&) = default;
};
constexpr int64_t kMostExcess = 4;
inline int64_t floor_quotient(int64_t value, int64_t divisor) {  // divisor > 0
  return value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor);
}
// How an access finds its place in one dimension from the point or the step at `i`:
//
//   floor((scale * i + offset) / divisor)
//
// An access to a field of the same domain has the scale 1 and the divisor 1. From a coarse grid to
// a fine one the scale is the ratio of the grids; from a fine grid to a coarse one the divisor is.
// Scale and divisor are at least 1 and have no common factor.
struct IndexMap {
  int offset = 0;
  int scale = 1, divisor = 1;
  IndexMap(int offset = 0) : offset(offset) {}
  bool shifts() const { return scale == 1 && divisor == 1; }  // only adds the offset
  int64_t of(int64_t i) const { return floor_quotient(scale * i + offset, divisor); }
  friend bool operator==(const IndexMap&, const IndexMap&) = default;
};
// Index maps that add the offsets, and the offsets of maps that all do.
std::vector<IndexMap> shifts(const std::vector<int>& offsets);
std::vector<int> offsets_of(const std::vector<IndexMap>& maps);

struct Access {
  FieldId field;
  int component;               // into Field::components
  int level;                   // 0 is the newest, 1 is @-1, ...
  std::vector<IndexMap> maps;  // from the point or the step, one per dimension of the field
  // A bit is set if some point of the region may read below (bit 2d) or above (bit 2d + 1) the
  // field's box in dimension d, so that the boundary rule of that side applies. Always 0 where the
  // rule is BoundaryKind::None.
  uint32_t escapes = 0;
  // How far the region extends beyond the field's box, per dimension. This bounds how far from the
  // point a boundary rule may lead. Empty if nothing escapes.
  std::vector<Excess> excess = {};
  // Kernels read the value directly from memory: Field::read_in_place(), or a field of another
  // domain than the function's. No function of the same phase writes such a field.
  bool in_place = false;
  bool per_step = false;   // in_place, and time is the only dimension: one value for all points
  bool at_points = false;  // in_place, and the field is a set of points or has a value per point
  bool weights_in_double = false;  // for a set of points: sum its weights in F64, not F32
  int rank() const { return static_cast<int>(maps.size()); }
  // Only if the map shifts.
  int offset(size_t d) const { return maps[d].offset; }
  // The access reads the place of the point or the step itself.
  bool at_point() const {
    return std::all_of(maps.begin(), maps.end(), [](const auto& map) { return map == IndexMap{}; });
  }
  bool escapes_below(size_t d) const { return escapes >> (2 * d) & 1; }
  bool escapes_above(size_t d) const { return escapes >> (2 * d + 1) & 1; }
  friend bool operator==(const Access&, const Access&) = default;
};
struct Operation {
  Op op;
  std::vector<NodeId> operands;
  friend bool operator==(const Operation&, const Operation&) = default;
};

struct Node {
  std::variant<Constant, ParamRef, Index, Time, ReductionRef, Access, Operation> kind;
  Scalar type;  // of the value; only a Convert whose result is stored has a storage type
  Span span;
  std::string hint;  // name of the `let` that it came from, for readable output; may be empty
};

// An expression graph. `add` returns the existing node if one of the same kind and type exists.
class Graph {
 public:
  NodeId add(Node node);

  const IdVector<NodeId, Node>& nodes() const { return nodes_; }
  const Node& operator[](NodeId id) const { return nodes_[id]; }
  int size() const { return static_cast<int>(nodes_.size()); }
  void name(NodeId id, const std::string& hint);  // keeps the first name given

 private:
  IdVector<NodeId, Node> nodes_;
  std::unordered_multimap<uint64_t, NodeId> index_;  // hash of kind and type -> node
};

}  // namespace stencil::ir
