// Each node is assigned the plane at which it can be computed, relative to the point: the latest
// plane that it depends on. Nodes of all pieces are then moved along the column so that this is
// plane 0, and merged into one graph of unique nodes whose edges have delays. This is the retiming
// of a circuit (Leiserson and Saxe, Algorithmica 6, 1991) with planes as clock ticks. Finally,
// nodes whose values would only wait for their use are computed later, so that fewer planes are
// kept.
#include "compiler/schedule/sweeps/column.h"

#include <algorithm>
#include <climits>
#include <map>
#include <optional>

#include "compiler/ir/linear_form.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/uniform.h"

namespace stencil::schedule {

using ir::NodeId;

bool is_operand(const ir::Program& program, const ir::Access& access) {
  if (access.in_place || access.per_step || access.at_points) return false;
  const auto fields = static_cast<ir::FieldId>(program.fields.size());
  return access.field < fields && access.maps.size() == program.grid().ranges.size();
}

ir::Access without_rules(ir::Access access) {
  access.escapes = 0;
  access.excess.clear();
  return access;
}

int SweptColumn::lookback() const {
  int out = 0;
  for (const ColumnValue& value : values) out = std::max(out, value.lookback);
  return out;
}

std::vector<ir::Access> SweptColumn::reads(const ir::Program& program, int before) const {
  std::vector<NodeId> needed;
  for (const ColumnValue& value : values) {
    if (value.lookback >= before) needed.push_back(value.node);
  }
  std::vector<ir::Access> out;
  for (const auto& [id, access] : ir::accesses(*front, needed)) {
    if (is_operand(program, *access)) out.push_back(*access);
  }
  return out;
}

namespace {

// Whether an operation may run before the test that the point is in the region: it never traps.
bool may_be_early(const ir::Node& node) {
  const auto* operation = std::get_if<ir::Operation>(&node.kind);
  if (!operation || !is_float(node.type) || is_storage(node.type)) return false;
  return operation->op != Op::Select && operation->op != Op::Convert;
}

class ColumnBuilder {
 public:
  ColumnBuilder(const ir::Program& program, const ir::Function& function, Column column)
      : program_(program), function_(function), column_(column) {}

  SweptColumn build() {
    for (const ir::Piece& piece : function_.pieces) sort_into(piece);
    find_uses();
    find_waits();
    SweptColumn out;
    const auto front = std::make_shared<ir::Graph>();
    write_front(*front, out);
    for (size_t p = 0; p < function_.pieces.size(); ++p) out.pieces.push_back(write_piece(p));
    out.front = front;
    find_lookbacks(out);
    return out;
  }

 private:
  // A node of a piece that is computed early.
  struct Early {
    NodeId moved;  // in moved_
    int plane;     // relative to the point
  };
  struct Sorted {
    std::vector<std::optional<Early>> early;  // by NodeId
    std::vector<bool> uniform, needed;
    std::vector<NodeId> used;  // early nodes used by nodes that are not early
  };
  // A user of a moved node, computed `delay` planes after it. by = -1: a piece.
  struct Use {
    NodeId by;
    int delay;
  };

  ir::Access instance(int value, int age) const {
    ir::Access access;
    access.field = static_cast<ir::FieldId>(program_.fields.size()) + value;
    access.component = 0;
    access.level = age;
    access.maps.assign(program_.grid().ranges.size(), 0);
    return access;
  }
  std::optional<int> moved_of(const ir::Access& access) const {
    const auto fields = static_cast<ir::FieldId>(program_.fields.size());
    if (access.field < fields) return std::nullopt;
    return access.field - fields;
  }

  // Moves the nodes of a piece to moved_, in which instances refer to other nodes by their id.
  void sort_into(const ir::Piece& piece) {
    const ir::Graph& graph = piece.graph;
    Sorted sorted;
    sorted.early.resize(static_cast<size_t>(graph.size()));
    sorted.uniform = ir::uniformity(graph).uniform;
    sorted.needed = ir::reachable(graph, piece.results);
    std::vector<NodeId> copies(static_cast<size_t>(graph.size()), ir::kNoNode);
    for (NodeId id = 0; id < graph.size(); ++id) {
      const size_t i = static_cast<size_t>(id);
      if (!sorted.needed[i]) continue;
      if (sorted.uniform[i]) {
        copies[i] = copy(graph[id], copies);
        continue;
      }
      sorted.early[i] = early(graph, id, sorted, copies);
    }
    std::vector<bool> is_used(static_cast<size_t>(graph.size()), false);
    for (const NodeId result : piece.results) is_used[result] = true;
    for (NodeId id = 0; id < graph.size(); ++id) {
      const size_t i = static_cast<size_t>(id);
      if (!sorted.needed[i] || sorted.early[i] || sorted.uniform[i]) continue;
      for (const NodeId operand : ir::operands(graph[id])) {
        is_used[operand] = true;
      }
    }
    for (NodeId id = 0; id < graph.size(); ++id) {
      const size_t i = static_cast<size_t>(id);
      if (is_used[i] && sorted.early[i]) sorted.used.push_back(id);
    }
    sorted_.push_back(std::move(sorted));
  }

  NodeId copy(ir::Node node, const std::vector<NodeId>& copies) {
    if (auto* operation = std::get_if<ir::Operation>(&node.kind)) {
      for (NodeId& operand : operation->operands) operand = copies[operand];
    }
    return moved_.add(std::move(node));
  }

  std::optional<Early> early(const ir::Graph& graph, NodeId id, const Sorted& sorted,
                             const std::vector<NodeId>& copies) {
    ir::Node node = graph[id];
    if (auto* access = std::get_if<ir::Access>(&node.kind)) {
      if (!is_operand(program_, *access)) return std::nullopt;
      const int plane = access->offset(0);
      *access = without_rules(std::move(*access));
      access->maps[0].offset = 0;
      return Early{moved_.add(std::move(node)), plane};
    }
    if (column_ != Column::Partial || !may_be_early(node)) return std::nullopt;
    auto& operation = std::get<ir::Operation>(node.kind);
    int plane = INT_MIN;
    for (const NodeId operand : operation.operands) {
      const size_t i = static_cast<size_t>(operand);
      if (sorted.uniform[i]) continue;
      if (!sorted.early[i]) return std::nullopt;
      plane = std::max(plane, sorted.early[i]->plane);
    }
    for (NodeId& operand : operation.operands) {
      const size_t i = static_cast<size_t>(operand);
      if (sorted.uniform[i]) {
        operand = copies[i];
        continue;
      }
      const Early& of = *sorted.early[i];
      operand =
          of.plane == plane
              ? of.moved
              : moved_.add({instance(of.moved, plane - of.plane), graph[operand].type, {}, ""});
    }
    return Early{moved_.add(std::move(node)), plane};
  }

  // The moved nodes that a moved node depends on, and how many planes ago.
  std::vector<std::pair<NodeId, int>> sources(NodeId id) const {
    std::vector<std::pair<NodeId, int>> out;
    for (const NodeId operand : ir::operands(moved_[id])) {
      const auto* access = std::get_if<ir::Access>(&moved_[operand].kind);
      const auto of = access ? moved_of(*access) : std::nullopt;
      out.push_back(of ? std::pair<NodeId, int>{*of, access->level}
                       : std::pair<NodeId, int>{operand, 0});
    }
    return out;
  }

  void find_uses() {
    uses_.resize(static_cast<size_t>(moved_.size()));
    last_ = INT_MIN;
    for (const Sorted& sorted : sorted_) {
      for (const NodeId id : sorted.used) {
        last_ = std::max(last_, sorted.early[id]->plane);
      }
    }
    for (const Sorted& sorted : sorted_) {
      for (const NodeId id : sorted.used) {
        const Early& of = *sorted.early[id];
        uses_[of.moved].push_back({-1, last_ - of.plane});
      }
    }
    for (NodeId id = moved_.size(); id-- > 0;) {
      if (uses_[id].empty()) continue;  // users have greater ids
      for (const auto& [source, delay] : sources(id)) {
        uses_[source].push_back({id, delay});
      }
    }
  }

  // Finds the number of planes by which each node is delayed. The delay is the largest that all
  // uses of the node allow, but at most the delay of each source, so that sources need not be kept
  // longer. Uniform nodes have no plane.
  void find_waits() {
    waits_.assign(static_cast<size_t>(moved_.size()), INT_MAX);
    const auto waits_of = [&](NodeId by) { return by < 0 ? 0 : waits_[by]; };
    bool changed = true;
    while (changed) {
      changed = false;
      for (NodeId id = moved_.size(); id-- > 0;) {
        const size_t i = static_cast<size_t>(id);
        int least = waits_[i];
        for (const Use& use : uses_[i]) {
          const int of = waits_of(use.by);
          if (of != INT_MAX) least = std::min(least, use.delay + of);
        }
        if (!uses_[i].empty()) {
          for (const auto& [source, delay] : sources(id)) {
            if (has_plane(source)) least = std::min(least, waits_[source]);
          }
        }
        changed |= least != waits_[i];
        waits_[i] = least;
      }
    }
  }

  bool has_plane(NodeId id) {
    if (planes_.empty()) {
      planes_.assign(static_cast<size_t>(moved_.size()), false);
      for (NodeId n = 0; n < moved_.size(); ++n) {
        const auto* access = std::get_if<ir::Access>(&moved_[n].kind);
        bool has = access && !access->per_step;
        for (const auto& [source, delay] : sources(n)) has |= planes_[source];
        planes_[n] = has;
      }
    }
    return planes_[id];
  }

  int age(NodeId source, int delay, int waits_of_user) const {
    return delay + waits_of_user - waits_[source];
  }

  // The value for a node, created on first use.
  int value_of(NodeId moved, SweptColumn& out) {
    const auto [entry, fresh] = values_.try_emplace(moved, static_cast<int>(out.values.size()));
    if (fresh) out.values.push_back({placed_[moved], 0, 0});
    return entry->second;
  }

  static void keep(int value, int ages, SweptColumn& out) {
    int& kept = out.values[value].ages;
    kept = std::max(kept, ages);
  }

  void write_front(ir::Graph& front, SweptColumn& out) {
    placed_.assign(static_cast<size_t>(moved_.size()), ir::kNoNode);
    for (NodeId id = 0; id < moved_.size(); ++id) {
      const size_t i = static_cast<size_t>(id);
      ir::Node node = moved_[id];
      auto* access = std::get_if<ir::Access>(&node.kind);
      if (uses_[i].empty() || (access && moved_of(*access))) continue;
      if (access && has_plane(id)) access->maps[0].offset = last_ - waits_[i];
      if (auto* operation = std::get_if<ir::Operation>(&node.kind)) {
        const auto from = sources(id);
        for (size_t o = 0; o < from.size(); ++o) {
          const auto& [source, delay] = from[o];
          const int of = has_plane(source) ? age(source, delay, waits_[i]) : 0;
          operation->operands[o] = placed_[source];
          if (of == 0) continue;
          const int value = value_of(source, out);
          keep(value, of, out);
          operation->operands[o] = front.add({instance(value, of), moved_[source].type, {}, ""});
        }
      }
      placed_[i] = front.add(std::move(node));
    }
    for (const Sorted& sorted : sorted_) {
      for (const NodeId id : sorted.used) {
        const Early& of = *sorted.early[id];
        keep(value_of(of.moved, out), age(of.moved, last_ - of.plane, 0), out);
      }
    }
  }

  SweptColumn::Piece write_piece(size_t p) {
    const ir::Piece& piece = function_.pieces[p];
    const Sorted& sorted = sorted_[p];
    const auto graph = std::make_shared<ir::Graph>();
    std::vector<NodeId> copies(static_cast<size_t>(piece.graph.size()), ir::kNoNode);
    for (NodeId id = 0; id < piece.graph.size(); ++id) {
      const size_t i = static_cast<size_t>(id);
      if (!sorted.needed[i]) continue;
      ir::Node node = piece.graph[id];
      if (const auto& of = sorted.early[i]) {
        const auto value = values_.find(of->moved);
        if (value == values_.end()) continue;  // used only by the front
        node.kind = instance(value->second, age(of->moved, last_ - of->plane, 0));
        copies[i] = graph->add(std::move(node));
        continue;
      }
      if (auto* operation = std::get_if<ir::Operation>(&node.kind)) {
        for (NodeId& operand : operation->operands) {
          operand = copies[operand];
        }
      }
      copies[i] = graph->add(std::move(node));
    }
    SweptColumn::Piece out{graph, {}};
    for (const NodeId result : piece.results) {
      out.results.push_back(copies[result]);
    }
    return out;
  }

  void find_lookbacks(SweptColumn& out) {
    std::vector<int> lookback(static_cast<size_t>(moved_.size()), 0);
    for (NodeId id = moved_.size(); id-- > 0;) {
      const size_t i = static_cast<size_t>(id);
      if (!has_plane(id)) continue;
      for (const Use& use : uses_[i]) {
        const int waits = use.by < 0 ? 0 : waits_[use.by];
        const int of = use.by < 0 ? 0 : lookback[use.by];
        lookback[i] = std::max(lookback[i], age(id, use.delay, waits) + of);
      }
    }
    for (const auto& [moved, value] : values_) {
      out.values[value].lookback = lookback[moved];
    }
  }

  const ir::Program& program_;
  const ir::Function& function_;
  const Column column_;
  ir::Graph moved_;
  std::vector<Sorted> sorted_;          // by piece
  std::vector<std::vector<Use>> uses_;  // by moved node
  std::vector<int> waits_;              // by moved node
  std::vector<bool> planes_;            // by moved node: depends on the plane
  std::vector<NodeId> placed_;          // by moved node: its node in the front
  std::map<NodeId, int> values_;        // by moved node: its value
  int last_ = 0;                        // plane of the front relative to the point, without delays
};

}  // namespace

SweptColumn sweep_column(const ir::Program& program, const ir::Function& function, Column column) {
  if (column != Column::Cache) return ColumnBuilder(program, function, column).build();
  SweptColumn out;
  out.front = std::make_shared<ir::Graph>();
  for (const ir::Piece& piece : function.pieces) {
    out.pieces.push_back({std::make_shared<ir::Graph>(piece.graph), piece.results});
  }
  return out;
}

}  // namespace stencil::schedule
