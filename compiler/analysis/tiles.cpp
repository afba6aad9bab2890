// Algorithm 2 of Holewinski et al., extended to time levels.
//
// The walk starts from the output box and goes backwards: the last function of the last step first.
// At each function, the box it must compute is the box its target is needed on; its accesses then
// widen the boxes needed of its sources. Since points that a function does not write keep their
// value, what is needed of the target after the function is needed of it before as well, and boxes
// only grow.
//
// The paper keeps the union over all steps; here every step keeps its own boxes, from which the
// union follows (computed_hull) and a schedule can shrink its work step by step instead.
//
// Time levels: when the first writer of a field in a step completes, the levels move on by one, so
// walking backwards over it what was needed of level k+1 becomes needed of level k.
#include "compiler/analysis/tiles.h"

#include <algorithm>
#include <map>

#include "compiler/ir/rewrite.h"
#include "compiler/support/work.h"

namespace stencil::analysis {

Margin hull(const Margin& a, const Margin& b) {
  Margin out(a.size());
  for (size_t d = 0; d < a.size(); ++d) {
    out[d] = {std::max(a[d].low, b[d].low), std::max(a[d].high, b[d].high)};
  }
  return out;
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

bool lands_far(const ir::Program& program, const ir::Access& access) {
  const ir::Field& field = program.fields[static_cast<size_t>(access.field)];
  for (size_t d = 0; d < access.offsets.size(); ++d) {
    if (!access.escapes_below(d) && !access.escapes_above(d)) continue;
    if (field.boundary[d].periodic()) {
      if (!(field.box.ranges[d] == program.grid.ranges[d])) return true;
    } else if (ir::meets(field, access, d, ir::BoundaryKind::Clamp) ||
               ir::meets(field, access, d, ir::BoundaryKind::Mirror)) {
      const ir::Excess& excess = access.excess[d];
      if (access.escapes_below(d) && !excess.below) return true;
      if (access.escapes_above(d) && !excess.above) return true;
    }
  }
  return false;
}

// Where the offset leads below the field from a point that lies b points below it (b < 0: above its
// low edge), b exceeds the offset. A clamped read then lands b away, at the edge. A mirrored one
// lands between there and as far behind the edge as the offset leads before it: b + (b - offset)
// away; if that is beyond the other edge, the rule there leads back, to no farther a place. The
// same holds above with the signs reversed. Where one side moves a read, one that finds a constant
// at the other side is taken for a clamped one: it has a place, too, though its value is dropped.
Reach reach_of(const ir::Field& field, const ir::Access& access, size_t d) {
  const int64_t offset = access.offsets[d];
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

std::vector<Reads> reads_of(const ir::Program& program, const ir::Function& function) {
  std::map<std::pair<ir::FieldId, int>, Reads> found;
  for (const ir::Piece& piece : function.pieces) {
    const auto needed = ir::reachable(piece.graph, piece.results);
    for (ir::NodeId id = 0; id < piece.graph.size(); ++id) {
      const auto* access = std::get_if<ir::Access>(&piece.graph[id].kind);
      if (!access || !needed[static_cast<size_t>(id)]) continue;
      auto [entry, fresh] = found.try_emplace({access->field, access->level},
                                              Reads{access->field, access->level, {}});
      Reads& reads = entry->second;
      if (lands_far(program, *access)) {
        reads.far = true;
        continue;
      }
      Margin reached;
      for (size_t d = 0; d < access->offsets.size(); ++d) {
        reached.push_back(reach_of(program.fields[static_cast<size_t>(access->field)], *access, d));
        reads.at_offset = reads.at_offset || !(reached[d] == Reach{});
      }
      reads.offsets = reads.offsets.empty() ? reached : hull(reads.offsets, reached);
    }
  }
  std::vector<Reads> out;
  for (auto& [key, reads] : found) {
    reads.offsets.resize(static_cast<size_t>(program.grid.rank()));  // if all land far
    out.push_back(std::move(reads));
  }
  return out;
}

namespace {

using Needed = std::vector<std::vector<std::optional<Margin>>>;  // [field][level]

// What is needed before `function` runs, given what is needed after; returns the box it computes.
Margin step_back(const ir::Function& function, const std::vector<Reads>& reads,
                 bool advances_levels, Needed& needed) {
  auto& target = needed[static_cast<size_t>(function.target)];
  const Margin computed = *target[0];
  support::count_work(static_cast<int64_t>(reads.size()));
  if (advances_levels) {
    for (size_t level = 1; level < target.size(); ++level) {
      if (target[level]) widen(target[level - 1], *target[level]);
      target[level].reset();
    }
  }
  for (const Reads& read : reads) {
    widen(needed[static_cast<size_t>(read.field)][static_cast<size_t>(read.level)],
          reached(computed, read));
  }
  return computed;
}

Needed output_boxes(const ir::Program& program) {
  Needed needed(program.fields.size());
  for (size_t f = 0; f < program.fields.size(); ++f) {
    needed[f].resize(static_cast<size_t>(program.fields[f].history));
    if (!ir::is_written(program, static_cast<ir::FieldId>(f))) continue;
    for (auto& level : needed[f]) level = Margin(static_cast<size_t>(program.grid.rank()));
  }
  return needed;
}

}  // namespace

TileAnalysis analyze_tile(const ir::Program& program, int steps) {
  const size_t functions = program.functions.size();
  std::vector<std::vector<Reads>> reads;
  std::vector<bool> advances_levels;
  std::vector<bool> written(program.fields.size(), false);
  for (const ir::Function& function : program.functions) {
    reads.push_back(reads_of(program, function));
    advances_levels.push_back(!written[static_cast<size_t>(function.target)]);
    written[static_cast<size_t>(function.target)] = true;
  }

  TileAnalysis out;
  out.steps = steps;
  out.computed.assign(static_cast<size_t>(steps), std::vector<Margin>(functions));
  out.held.resize(static_cast<size_t>(steps) + 1);
  out.computed_hull = Margin(static_cast<size_t>(program.grid.rank()));
  Needed needed = output_boxes(program);
  out.held.back() = needed;
  for (size_t t = static_cast<size_t>(steps); t-- > 0;) {
    for (size_t f = functions; f-- > 0;) {
      out.computed[t][f] = step_back(program.functions[f], reads[f], advances_levels[f], needed);
      out.computed_hull = hull(out.computed_hull, out.computed[t][f]);
    }
    out.held[t] = needed;
  }
  return out;
}

double redundancy(const TileAnalysis& analysis, const std::vector<int64_t>& output_lengths,
                  bool use_hull) {
  double useful = 0;
  double computed = 0;
  for (const auto& step : analysis.computed) {
    for (const Margin& box : step) {
      const Margin& margin = use_hull ? analysis.computed_hull : box;
      double points = 1;
      double core = 1;
      for (size_t d = 0; d < margin.size(); ++d) {
        core *= static_cast<double>(output_lengths[d]);
        points *= static_cast<double>(output_lengths[d] + margin[d].low + margin[d].high);
      }
      useful += core;
      computed += points;
    }
  }
  return useful > 0 ? computed / useful : 1;
}

}  // namespace stencil::analysis
