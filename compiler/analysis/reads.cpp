#include "compiler/analysis/reads.h"

#include <algorithm>
#include <map>

#include "compiler/ir/rewrite.h"

namespace stencil::analysis {

Margin hull(const Margin& a, const Margin& b) {
  Margin out(a.size());
  for (size_t d = 0; d < a.size(); ++d) {
    out[d] = {std::max(a[d].low, b[d].low), std::max(a[d].high, b[d].high)};
  }
  return out;
}

double points(const std::vector<int64_t>& lengths, const Margin& margin) {
  double points = 1;
  for (size_t d = 0; d < margin.size(); ++d) {
    points *= static_cast<double>(lengths[d] + margin[d].low + margin[d].high);
  }
  return points;
}

void widen(std::optional<Margin>& needed, const Margin& by) {
  needed = needed ? hull(*needed, by) : by;
}

Margin reached(const Margin& computed, const Reads& reads) {
  Margin out = computed;
  for (size_t d = 0; d < out.size(); ++d) {
    out[d].low += reads.offsets[d].low;
    out[d].high += reads.offsets[d].high;
  }
  return out;
}

bool resolves_outside_halo(const ir::Program& program, const ir::Access& access) {
  const ir::Field& field = program.fields[access.field];
  for (size_t d = 0; d < access.maps.size(); ++d) {
    if (!access.escapes_below(d) && !access.escapes_above(d)) continue;
    if (field.boundary[d].periodic()) {
      if (!(field.box.ranges[d] == program.domains[field.domain].box.ranges[d])) return true;
    } else if (ir::meets(field, access, d, ir::BoundaryKind::Clamp) ||
               ir::meets(field, access, d, ir::BoundaryKind::Mirror)) {
      const ir::Excess& excess = access.excess[d];
      if (access.escapes_below(d) && !excess.below) return true;
      if (access.escapes_above(d) && !excess.above) return true;
    }
  }
  return false;
}

// Let the point lie b points below the field's low edge (b < 0: above it). The access leaves the
// field there if b > offset. A clamped access then resolves to the edge, at distance b. A mirrored
// access would reach b - offset points beyond the edge, so it resolves to the point b - offset
// points inside, at distance b + (b - offset). If that is beyond the far edge, the rule of the far
// edge brings it back, and the distance does not grow. The high edge is the same with reversed
// signs. If one edge moves accesses, an access that finds a constant at the other edge is treated
// as clamped: it needs a position, although its value is dropped.
Reach reach_of(const ir::Field& field, const ir::Access& access, size_t d) {
  const int64_t offset = access.offset(d);
  Reach reach = {-offset, offset};
  const bool clamps = ir::meets(field, access, d, ir::BoundaryKind::Clamp);
  const bool mirrors = ir::meets(field, access, d, ir::BoundaryKind::Mirror);
  if (!clamps && !mirrors) return reach;
  if (access.escapes_below(d)) {
    const int64_t most = access.excess[d].below.value_or(0);
    const bool mirror = field.boundary[d].low.kind == ir::BoundaryKind::Mirror;
    reach.high = std::max(reach.high, mirror ? 2 * most - offset : most);
  }
  if (access.escapes_above(d)) {
    const int64_t most = access.excess[d].above.value_or(0);
    const bool mirror = field.boundary[d].high.kind == ir::BoundaryKind::Mirror;
    reach.low = std::max(reach.low, mirror ? 2 * most + offset : most);
  }
  return reach;
}

namespace {

// True if a boundary rule may redirect the access. This is possible even at offset 0, if the region
// is known only at run time to lie within the field.
bool is_led(const ir::Field& field, const ir::Access& access, size_t d) {
  using ir::BoundaryKind;
  return ir::meets(field, access, d, BoundaryKind::Clamp) ||
         ir::meets(field, access, d, BoundaryKind::Mirror) ||
         ir::meets(field, access, d, BoundaryKind::Periodic);
}

}  // namespace

std::vector<Reads> reads_of(const ir::Program& program, const ir::Function& function) {
  std::map<std::pair<ir::FieldId, int>, Reads> found;
  for (const ir::Piece& piece : function.pieces) {
    for (const auto& [id, access] : ir::accesses(piece.graph, piece.results)) {
      if (access->in_place) continue;
      auto [entry, fresh] = found.try_emplace({access->field, access->level},
                                              Reads{access->field, access->level, {}});
      Reads& reads = entry->second;
      if (resolves_outside_halo(program, *access)) {
        reads.outside_halo = true;
        continue;
      }
      Margin reached;
      for (size_t d = 0; d < access->maps.size(); ++d) {
        const ir::Field& field = program.fields[access->field];
        reached.push_back(reach_of(field, *access, d));
        reads.at_offset = reads.at_offset || !(reached[d] == Reach{}) || is_led(field, *access, d);
      }
      reads.offsets = reads.offsets.empty() ? reached : hull(reads.offsets, reached);
    }
  }
  std::vector<Reads> out;
  for (auto& [key, reads] : found) {
    // not set yet if all accesses resolve outside the halo
    reads.offsets.resize(static_cast<size_t>(program.grid().rank()));
    out.push_back(std::move(reads));
  }
  return out;
}

std::vector<Reads> reads_in_place(const ir::Function& function) {
  std::map<ir::FieldId, Reads> found;
  for (const ir::Piece& piece : function.pieces) {
    for (const auto& [id, access] : ir::accesses(piece.graph, piece.results)) {
      if (!access->in_place) continue;
      Margin at;
      for (const int offset : ir::offsets_of(access->maps))
        at.push_back({-int64_t{offset}, offset});
      const auto [entry, fresh] = found.try_emplace(access->field, Reads{access->field, 0, at});
      if (!fresh) entry->second.offsets = hull(entry->second.offsets, at);
    }
  }
  std::vector<Reads> out;
  for (auto& [field, reads] : found) out.push_back(std::move(reads));
  return out;
}

void add_reads_at_points(const ir::Graph& graph, const std::vector<ir::NodeId>& results,
                         std::vector<ir::Access>& to) {
  for (const auto& [id, access] : ir::accesses(graph, results)) {
    if (access->at_points && std::find(to.begin(), to.end(), *access) == to.end()) {
      to.push_back(*access);
    }
  }
}

std::vector<ReadOutsideHalo> reads_outside_halo(const ir::Program& program) {
  std::vector<ReadOutsideHalo> out;
  for (size_t f = 0; f < program.functions.size(); ++f) {
    for (const ir::Piece& piece : program.functions[f].pieces) {
      for (const auto& [id, access] : ir::accesses(piece.graph, piece.results)) {
        if (access->in_place || !resolves_outside_halo(program, *access)) continue;
        out.push_back({f, access->field, piece.graph[id].span});
      }
    }
  }
  return out;
}

std::vector<bool> image_dimensions(const ir::Program& program, bool written_only) {
  std::vector<bool> out(static_cast<size_t>(program.grid().rank()), false);
  for (const ir::Function& function : program.functions) {
    for (const ir::Piece& piece : function.pieces) {
      for (const auto& [id, access] : ir::accesses(piece.graph, piece.results)) {
        if (access->in_place || (written_only && !ir::is_written(program, access->field))) continue;
        const ir::Field& field = program.fields[access->field];
        if (resolves_outside_halo(program, *access)) continue;
        for (size_t d = 0; d < out.size(); ++d) {
          const bool crosses = access->escapes_below(d) || access->escapes_above(d);
          out[d] = out[d] || (crosses && field.boundary[d].periodic());
        }
      }
    }
  }
  return out;
}

}  // namespace stencil::analysis
