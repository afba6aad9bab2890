// Writes linear forms as sums with few operations per point. Three parts work together. Translates
// gives every node a shape and a position, so that nodes that are equal up to a shift are
// recognized. fused_operations counts what a graph costs if translates are computed once and
// products fuse with additions. SumWriter writes a sum in one of eight layouts. write_sum tries all
// layouts on a small stand-in graph and keeps the cheapest.
//
// Splitting positions into a base set and its shifts gives partial sums that repeat from point to
// point: a box of n points then needs about log n additions per point.
#include "compiler/ir/linear_form.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>

#include "compiler/ir/rewrite.h"

namespace stencil::ir {

Translates::Translates(const Graph& graph, int dimension, Along along)
    : graph_(graph), dimension_(dimension), along_(along) {}

const Translates::Place& Translates::operator[](NodeId id) {
  for (NodeId next = static_cast<NodeId>(places_.size()); next <= id; ++next) {
    places_.push_back(place(next));
  }
  return places_[id];
}

int Translates::shape(std::vector<int64_t> key) {
  return shapes_.emplace(std::move(key), static_cast<int>(shapes_.size())).first->second;
}

bool Translates::shifts(int dimension) const {
  return (dimension == dimension_) == (along_ == Along::Dimension);
}

// Offsets in dimensions that may shift go to the position, all others into the key of the shape. An
// operation has the position of its first operand that contains an access. An operation that
// depends on the point's coordinates has no translates, because a neighbour would compute it with
// other coordinates. Whether an access escapes is not part of the shape: a boundary rule gives each
// point beyond the edge one value, for all readers.
Translates::Place Translates::place(NodeId id) {
  enum KeyKind : int64_t { kAccess, kOperation, kOther };
  const Node& node = graph_[id];
  const auto type = static_cast<int64_t>(node.type);
  Place result;
  result.plane = kBeforeAllPlanes;
  std::vector<int64_t> key;
  const auto* access = std::get_if<Access>(&node.kind);
  if (access && !access->in_place) {
    key = {kAccess, type, access->field, access->component, access->level};
    for (int d = 0; d < static_cast<int>(access->maps.size()); ++d) {
      const int offset = access->offset(d);
      result.position.push_back(shifts(d) ? offset : 0);
      key.push_back(shifts(d) ? 0 : offset);
      if (d == dimension_) result.plane = offset;
    }
  } else if (const auto* operation = std::get_if<Operation>(&node.kind)) {
    key = {kOperation, type, static_cast<int64_t>(operation->op)};
    result.uniform = true;
    for (NodeId operand : operation->operands) {
      const Place& at = places_[operand];
      if (result.position.empty()) result.position = at.position;
      result.plane = std::max(result.plane, at.plane);
      result.uniform = result.uniform && at.uniform;
      result.indexed = result.indexed || at.indexed;
      key.push_back(at.shape);
      for (size_t d = 0; d < at.position.size(); ++d) {
        key.push_back(at.position[d] - result.position[d]);
      }
    }
    if (result.indexed) key.insert(key.end(), result.position.begin(), result.position.end());
  } else {
    key = {kOther, id};  // a node exists once in a graph, so its id is a key
    const bool placed = access && !access->per_step;  // depends on the point, like an index
    result.indexed = std::holds_alternative<Index>(node.kind) || placed;
    result.uniform = !result.indexed;
  }
  result.shape = shape(std::move(key));
  return result;
}

NodeId add_constant(Graph& graph, Scalar type, double value) {
  const double rounded = type == Scalar::F32 ? static_cast<float>(value) : value;
  return graph.add({Constant{rounded, 0}, type, {}, ""});
}

NodeId magnitude(Graph& graph, Scalar type, const Coefficient& coefficient) {
  const double number = std::fabs(coefficient.number);
  if (number == 1) return coefficient.factor;
  const NodeId constant = add_constant(graph, type, number);
  if (coefficient.factor == kNoNode) return constant;
  return graph.add({Operation{Op::Mul, {constant, coefficient.factor}}, type, {}, ""});
}

namespace {

// Adds coefficients that have distinct factors into one coefficient.
Coefficient add_up(Graph& graph, Scalar type, const std::vector<Coefficient>& parts) {
  if (parts.size() == 1) return parts[0];
  NodeId sum = kNoNode;
  for (const Coefficient& part : parts) {
    // a leading negative part has nothing to be subtracted from
    if (sum == kNoNode && part.number < 0) {
      sum = add_constant(graph, type, part.number);
      if (part.factor != kNoNode) {
        sum = graph.add({Operation{Op::Mul, {sum, part.factor}}, type, {}, ""});
      }
      continue;
    }
    NodeId value = magnitude(graph, type, part);
    if (value == kNoNode) value = add_constant(graph, type, 1);
    const Op op = part.number < 0 ? Op::Sub : Op::Add;
    sum = sum == kNoNode ? value : graph.add({Operation{op, {sum, value}}, type, {}, ""});
  }
  return {1, sum};
}

}  // namespace

LinearForm collect(Graph& graph, Scalar type, const LinearForm& form) {
  struct Collected {
    NodeId value;
    std::vector<Coefficient> parts;  // one per distinct factor
  };
  std::vector<Collected> sums;
  std::unordered_map<NodeId, size_t> of_value;
  for (const Term& term : form.terms) {
    const auto [entry, is_new] = of_value.emplace(term.value, sums.size());
    if (is_new) sums.push_back({term.value, {}});
    auto& parts = sums[entry->second].parts;
    const auto same_factor = std::find_if(parts.begin(), parts.end(), [&](const Coefficient& c) {
      return c.factor == term.coefficient.factor;
    });
    if (same_factor == parts.end()) {
      parts.push_back(term.coefficient);
    } else {
      same_factor->number += term.coefficient.number;
    }
  }
  LinearForm result;
  for (Collected& sum : sums) {
    std::erase_if(sum.parts, [](const Coefficient& c) { return c.number == 0; });
    if (!sum.parts.empty()) result.terms.push_back({add_up(graph, type, sum.parts), sum.value});
  }
  return result;
}

namespace {

NodeId without_sign(const Graph& graph, NodeId id) {
  while (true) {
    const auto* operation = std::get_if<Operation>(&graph[id].kind);
    if (!operation || operation->op != Op::Neg) return id;
    id = operation->operands[0];
  }
}

bool is_float_op(const Graph& graph, NodeId id, Op op) {
  const auto* operation = std::get_if<Operation>(&graph[id].kind);
  return operation && operation->op == op && is_float(graph[id].type);
}

}  // namespace

int fused_operations(const Graph& graph, const std::vector<NodeId>& roots, int stream_dimension) {
  Translates translates(graph, stream_dimension);
  const std::vector<bool> needed = reachable(graph, roots);
  const auto shape = [&](NodeId id) { return translates[id].shape; };
  std::set<int> seen;
  std::map<int, int> uses, fused;  // by shape
  int count = 0;
  for (NodeId root : roots) ++uses[shape(without_sign(graph, root))];
  for (NodeId id = 0; id < graph.size(); ++id) {
    const auto* operation = std::get_if<Operation>(&graph[id].kind);
    if (!needed[id] || !operation || translates[id].uniform) continue;
    if (operation->op == Op::Neg) continue;
    if (!seen.insert(shape(id)).second) continue;
    if (operation->op != Op::Convert) ++count;
    const bool is_sum = is_float_op(graph, id, Op::Add) || is_float_op(graph, id, Op::Sub);
    bool has_product = false;  // only one product fuses with a sum
    for (NodeId operand : operation->operands) {
      const NodeId value = without_sign(graph, operand);
      ++uses[shape(value)];
      const bool is_product = is_float_op(graph, value, Op::Mul) && !translates[value].uniform;
      if (is_sum && is_product && !has_product) {
        ++fused[shape(value)];
        has_product = true;
      }
    }
  }
  for (const auto& [product, sums] : fused) count -= sums == uses[product];
  return count;
}

namespace {

// A term as the writer sees it: the magnitude of its coefficient as a node, its sign, and where its
// value reads.
struct Addend {
  NodeId coefficient;  // kNoNode: 1
  bool negative;
  NodeId value;
  int plane;
  int shape;
  std::vector<int> position;
};

using Position = std::vector<int>;

Position shifted(const Position& position, const Position& by, int times = 1) {
  Position result = position;
  for (size_t d = 0; d < result.size(); ++d) result[d] += by[d] * times;
  return result;
}

// With more positions, the search for translates (quadratic) takes too long for its gain.
constexpr size_t kMostPositions = 256;

// Candidate shifts between translated subsets of the positions, best first. Shifts along one
// dimension come first, then shorter ones, then those along the contiguous dimension. The order
// does not depend on where the set lies; otherwise translates of a sum would be written
// differently.
std::vector<Position> candidate_shifts(const std::vector<Position>& positions) {
  std::vector<std::pair<std::vector<int>, Position>> ranked;
  for (size_t i = 1; i < positions.size(); ++i) {
    const Position shift = shifted(positions[i], positions[0], -1);
    int nonzero = 0, length = 0;
    for (int component : shift) {
      nonzero += component != 0;
      length += std::abs(component);
    }
    std::vector<int> rank = {nonzero, length};
    rank.insert(rank.end(), shift.begin(), shift.end());
    ranked.emplace_back(std::move(rank), shift);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<Position> shifts;
  for (auto& [rank, shift] : ranked) shifts.push_back(std::move(shift));
  return shifts;
}

// The start positions of disjoint runs p, p + shift, ... of `length` positions, chosen greedily in
// order. `left` receives the positions that are in no run.
std::vector<Position> runs(const std::vector<Position>& positions, const Position& shift,
                           int length, std::vector<Position>& left) {
  std::set<Position> free(positions.begin(), positions.end());
  std::vector<Position> starts;
  left.clear();
  for (const Position& start : positions) {
    if (!free.count(start)) continue;
    bool whole = true;
    for (int k = 1; k < length && whole; ++k) whole = free.count(shifted(start, shift, k)) > 0;
    for (int k = 0; k < (whole ? length : 1); ++k) free.erase(shifted(start, shift, k));
    (whole ? starts : left).push_back(start);
  }
  return starts;
}

// Writes sums into a graph, in one of several layouts.
class SumWriter {
 public:
  // `columns`: first form the sums along the streaming dimension that are translates of one
  // another.
  // `across`: terms with equal coefficients share one multiplication even if their planes differ.
  // `plain_first`: start the sum with the values that have no coefficient, one after another, even
  // those of the newest plane. Products then fuse with this sum.
  struct Layout {
    bool columns;
    bool across;
    bool plain_first;
  };

  SumWriter(Graph& graph, Scalar type) : graph_(graph), type_(type) {}

  SignedNode write(const std::vector<Addend>& addends, SignedNode start, Layout layout) {
    return layout.columns ? write_columns(addends, start, layout)
                          : write_chain(addends, start, layout);
  }

 private:
  NodeId add(Op op, NodeId left, NodeId right) {
    return graph_.add({Operation{op, {left, right}}, type_, {}, ""});
  }

  // Adds two signed nodes. If both are negative, the result is the negation of a sum of positive
  // values.
  SignedNode accumulate(SignedNode sum, SignedNode value) {
    if (sum.node == kNoNode) return value;
    if (value.node == kNoNode) return sum;
    if (sum.negative == value.negative) return {add(Op::Add, sum.node, value.node), sum.negative};
    if (value.negative) return {add(Op::Sub, sum.node, value.node), false};
    return {add(Op::Sub, value.node, sum.node), false};
  }

  // Adds groups of the form coefficient * (values with that coefficient), one after another, in the
  // order of the planes. Within a plane the group without coefficient comes first, because a
  // product fuses with the addition of such a value.
  SignedNode write_chain(const std::vector<Addend>& addends, SignedNode sum, const Layout& layout) {
    struct Group {
      int plane;
      std::vector<Addend> addends;
    };
    std::vector<Group> groups;
    std::map<std::pair<int, NodeId>, size_t> group_of;
    for (const Addend& addend : addends) {
      const auto key = std::pair(layout.across ? 0 : addend.plane, addend.coefficient);
      const auto [entry, is_new] = group_of.emplace(key, groups.size());
      if (is_new) groups.push_back({addend.plane, {}});
      Group& group = groups[entry->second];
      group.plane = std::max(group.plane, addend.plane);
      group.addends.push_back(addend);
    }
    const auto is_plain = [](const Group& g) { return g.addends[0].coefficient == kNoNode; };
    std::stable_sort(groups.begin(), groups.end(), [&](const Group& a, const Group& b) {
      if (layout.plain_first && is_plain(a) != is_plain(b)) return is_plain(a);
      if (a.plane != b.plane) return a.plane < b.plane;
      if (is_plain(a) != is_plain(b)) return is_plain(a);
      return a.addends.size() < b.addends.size();
    });
    if (sum.node == kNoNode && !groups.empty()) {
      // A sum that starts with a value instead of a product has one operation less.
      const auto plain = std::find_if(groups.begin(), groups.end(), is_plain);
      if (plain != groups.end() && plain->plane < groups.back().plane) {
        std::rotate(groups.begin(), plain, plain + 1);
      }
    }
    for (const Group& group : groups) {
      if (layout.plain_first && is_plain(group)) {
        for (const Addend& a : group.addends) sum = accumulate(sum, {a.value, a.negative});
        continue;
      }
      SignedNode value = write_plain(group.addends);
      const NodeId coefficient = group.addends[0].coefficient;
      if (coefficient != kNoNode) value.node = add(Op::Mul, coefficient, value.node);
      sum = accumulate(sum, value);
    }
    return sum;
  }

  // The sum of values with coefficients +-1: the positive ones minus the negative ones.
  SignedNode write_plain(const std::vector<Addend>& addends) {
    SignedNode result;
    for (bool negative : {false, true}) {
      std::vector<Addend> same_sign;
      for (const Addend& addend : addends) {
        if (addend.negative == negative) same_sign.push_back(addend);
      }
      if (same_sign.empty()) continue;
      SignedNode sum;
      for (const auto& column_set : translated_columns(same_sign)) {
        const NodeId value = over_positions(column_set, [&](const std::vector<Addend>& column) {
          SignedNode values;
          for (const Addend& a : column) values = accumulate(values, {a.value, false});
          return values.node;
        });
        sum = accumulate(sum, {value, false});
      }
      result = accumulate(result, {sum.node, negative});
    }
    return result;
  }

  SignedNode write_columns(const std::vector<Addend>& addends, SignedNode sum,
                           const Layout& layout) {
    std::vector<ColumnSet> repeated;
    std::vector<Addend> rest;
    for (ColumnSet& set : translated_columns(addends)) {
      if (set.size() > 1 && set.begin()->second.size() > 1) {
        repeated.push_back(std::move(set));
        continue;
      }
      for (const auto& [position, column] : set)
        rest.insert(rest.end(), column.begin(), column.end());
    }
    std::stable_sort(rest.begin(), rest.end(),
                     [](const Addend& a, const Addend& b) { return a.plane < b.plane; });
    sum = write_chain(rest, sum, layout);
    for (const ColumnSet& set : repeated) {
      bool negative = false;
      const NodeId value = over_positions(set, [&](const std::vector<Addend>& column) {
        const SignedNode written = write_chain(column, {}, layout);
        negative = written.negative;  // the same for all columns of the set
        return written.node;
      });
      sum = accumulate(sum, {value, negative});
    }
    return sum;
  }

  // The addends at one position form a column along the streaming dimension. Columns that are
  // translates of one another form a set.
  using ColumnSet = std::map<Position, std::vector<Addend>>;

  static std::vector<ColumnSet> translated_columns(const std::vector<Addend>& addends) {
    std::map<Position, std::vector<Addend>> columns;
    std::vector<Position> order;
    for (const Addend& addend : addends) {
      auto& column = columns[addend.position];
      if (column.empty()) order.push_back(addend.position);
      column.push_back(addend);
    }
    std::vector<ColumnSet> sets;
    std::map<std::vector<std::array<int, 3>>, size_t> set_of;
    for (const Position& position : order) {
      std::vector<std::array<int, 3>> key;
      for (const Addend& a : columns[position]) key.push_back({a.shape, a.coefficient, a.negative});
      const auto [entry, is_new] = set_of.emplace(std::move(key), sets.size());
      if (is_new) sets.emplace_back();
      sets[entry->second].emplace(position, std::move(columns[position]));
    }
    std::stable_sort(sets.begin(), sets.end(), [](const ColumnSet& a, const ColumnSet& b) {
      return a.begin()->second.back().plane < b.begin()->second.back().plane;
    });
    return sets;
  }

  template <class WriteColumn>
  NodeId over_positions(const ColumnSet& set, WriteColumn write_column) {
    std::vector<Position> positions;
    for (const auto& [position, column] : set) positions.push_back(position);
    return write_positions(
        positions, [&](const Position& position) { return write_column(set.at(position)); });
  }

  // The sum of `leaf` over positions in lexicographic order. If the positions are a smaller set and
  // its translates, the sum is written as a sum of translates. n positions then need about log n
  // additions per point.
  NodeId write_positions(const std::vector<Position>& positions,
                         const std::function<NodeId(const Position&)>& leaf) {
    if (positions.size() == 1) return leaf(positions[0]);
    if (positions.size() > 3 && positions.size() <= kMostPositions) {
      const auto shifts = candidate_shifts(positions);
      if (const NodeId sum = write_product_set(positions, shifts, leaf); sum != kNoNode) return sum;
      if (const NodeId sum = write_pairs(positions, shifts, leaf); sum != kNoNode) return sum;
    }
    NodeId sum = kNoNode;
    for (const Position& position : positions) {
      const NodeId value = leaf(position);
      sum = sum == kNoNode ? value : add(Op::Add, sum, value);
    }
    return sum;
  }

  // Handles positions = base + {0, shift, 2 shift, ...}, with at least two positions in the base.
  NodeId write_product_set(const std::vector<Position>& positions,
                           const std::vector<Position>& shifts,
                           const std::function<NodeId(const Position&)>& leaf) {
    for (int length = 2; length <= static_cast<int>(positions.size()) / 2; ++length) {
      if (positions.size() % static_cast<size_t>(length)) continue;
      for (const Position& shift : shifts) {
        std::vector<Position> left;
        const std::vector<Position> base = runs(positions, shift, length, left);
        if (!left.empty()) continue;
        std::vector<Position> multiples;
        for (int k = 0; k < length; ++k) multiples.push_back(shifted(base[0], shift, k));
        return write_positions(multiples, [&](const Position& start) {
          const Position by = shifted(start, base[0], -1);
          std::vector<Position> moved;
          for (const Position& position : base) moved.push_back(shifted(position, by));
          return write_positions(moved, leaf);
        });
      }
    }
    return kNoNode;
  }

  // Handles positions = base + {0, shift} plus others, with the shift that gives the largest base.
  NodeId write_pairs(const std::vector<Position>& positions, const std::vector<Position>& shifts,
                     const std::function<NodeId(const Position&)>& leaf) {
    std::vector<Position> base, others;
    const Position* shift = nullptr;
    for (const Position& candidate : shifts) {
      std::vector<Position> left;
      std::vector<Position> starts = runs(positions, candidate, 2, left);
      if (starts.size() < 2 || starts.size() <= base.size()) continue;
      base = std::move(starts);
      others = std::move(left);
      shift = &candidate;
    }
    if (!shift) return kNoNode;
    std::vector<Position> moved;
    for (const Position& position : base) moved.push_back(shifted(position, *shift));
    const NodeId low = write_positions(base, leaf);
    const NodeId sum = add(Op::Add, low, write_positions(moved, leaf));
    return others.empty() ? sum : add(Op::Add, sum, write_positions(others, leaf));
  }

  Graph& graph_;
  Scalar type_;
};

// The length of the longest chain of operations that depends on an access of the newest plane. A
// product fuses with its user and does not lengthen the chain.
int latency(const Graph& graph, NodeId root, int stream_dimension, int newest) {
  constexpr int kReady = -1;
  std::vector<int> depth(static_cast<size_t>(graph.size()), kReady);
  for (NodeId id = 0; id <= root; ++id) {
    int& own = depth[id];
    if (const auto* access = std::get_if<Access>(&graph[id].kind)) {
      if (access->offset(stream_dimension) == newest) own = 0;
      continue;
    }
    for (NodeId operand : operands(graph[id])) {
      const int before = depth[operand];
      if (before == kReady) continue;
      own = std::max(own, before + !is_float_op(graph, operand, Op::Mul));
    }
  }
  return depth[root] + is_float_op(graph, root, Op::Mul);
}

// Copies the addends into `out` with each value and coefficient replaced by a plain access or
// param. The graph is then small enough to be written in every layout and compared.
std::vector<Addend> stand_ins(const Graph& graph, const std::vector<Addend>& addends,
                              int stream_dimension, Scalar type, Graph& out) {
  std::vector<Addend> result = addends;
  for (Addend& addend : result) {
    if (addend.coefficient != kNoNode) {
      addend.coefficient = out.add({ParamRef{static_cast<int>(addend.coefficient)}, type, {}, ""});
    }
    if (addend.position.empty()) {
      addend.value = out.add({Index{addend.value}, type, {}, ""});
      continue;
    }
    Position offsets = addend.position;
    offsets[stream_dimension] = addend.plane;
    const bool is_product = is_float_op(graph, addend.value, Op::Mul);
    addend.value = out.add({Access{addend.shape, 0, 0, shifts(offsets), 0}, type, {}, ""});
    if (is_product) {
      addend.value = out.add({Operation{Op::Mul, {addend.value, addend.value}}, type, {}, ""});
    }
  }
  return result;
}

}  // namespace

SignedNode write_sum(Graph& graph, Translates& translates, Scalar type, const LinearForm& form,
                     int stream_dimension) {
  SignedNode start;
  std::vector<Addend> addends;
  for (const Term& term : form.terms) {
    const bool negative = term.coefficient.number < 0;
    const NodeId coefficient = magnitude(graph, type, term.coefficient);
    if (term.value != kNoNode) {
      const Translates::Place& at = translates[term.value];
      addends.push_back({coefficient, negative, term.value, at.plane, at.shape, at.position});
    } else if (term.coefficient.factor == kNoNode) {
      start = {add_constant(graph, type, term.coefficient.number), false};
    } else {
      start = {coefficient, negative};
    }
  }
  if (addends.empty()) {
    return start.node == kNoNode ? SignedNode{add_constant(graph, type, 0), false} : start;
  }
  // Sort accesses by plane and then in memory order. Other values keep their order.
  const auto rank = [&](const Addend& a) {
    std::vector<int> key = {a.plane};
    const auto* access = std::get_if<Access>(&graph[a.value].kind);
    const bool in_memory_order = access && !access->in_place;
    key.push_back(in_memory_order ? 0 : 1);
    if (in_memory_order) {
      key.insert(key.end(), {access->field, access->component, access->level});
      const std::vector<int> offsets = offsets_of(access->maps);
      key.insert(key.end(), offsets.begin(), offsets.end());
    }
    return key;
  };
  std::stable_sort(addends.begin(), addends.end(),
                   [&](const Addend& a, const Addend& b) { return rank(a) < rank(b); });
  const int newest = addends.back().plane;

  SumWriter::Layout best{false, false, false};
  if (addends.size() + (start.node != kNoNode) > 2) {
    std::pair<int, int> lowest;
    for (int flags = 0; flags < 8; ++flags) {
      const SumWriter::Layout layout{(flags & 2) != 0, (flags & 1) != 0, (flags & 4) != 0};
      Graph trial;
      const auto trial_addends = stand_ins(graph, addends, stream_dimension, type, trial);
      SignedNode trial_start = start;
      if (start.node != kNoNode) trial_start.node = trial.add({Time{}, type, {}, ""});
      const NodeId sum = SumWriter(trial, type).write(trial_addends, trial_start, layout).node;
      const std::pair cost(fused_operations(trial, {sum}, stream_dimension),
                           latency(trial, sum, stream_dimension, newest));
      if (flags > 0 && cost >= lowest) continue;
      lowest = cost;
      best = layout;
    }
  }
  return SumWriter(graph, type).write(addends, start, best);
}

}  // namespace stencil::ir
