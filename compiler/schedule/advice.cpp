// Suggests an alternative to a refused tile, for example to one that is smaller than its halo. The
// width of the halo depends on the program, T and the family. Larger blocks run into other limits
// (threads, shared memory, registers). So alternatives are found by trial, in this order: larger
// blocks, more elements per thread, fewer steps, another family. Blocks and elements are enlarged
// by doubling lengths, and the smallest shape is tried first. A trial makes a plan but lowers
// nothing, so it is cheap.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "compiler/schedule/advice.h"

namespace stencil::schedule {
namespace {

constexpr int kMostDoublings = 5;   // of the length in one dimension
constexpr int kMostDimensions = 3;  // lengths are doubled in these only, x first

// All shapes that result from `shape` by doubling lengths, smallest first.
std::vector<Shape> enlarged(const Shape& shape, int rank) {
  std::vector<Shape> shapes = {shape};
  for (int d = 0; d < std::min(rank, kMostDimensions); ++d) {
    const size_t known = shapes.size();
    for (size_t i = 0; i < known; ++i) {
      for (int doublings = 1; doublings <= kMostDoublings; ++doublings) {
        Shape larger = shapes[i];
        larger[d] <<= doublings;
        shapes.push_back(larger);
      }
    }
  }
  std::stable_sort(shapes.begin() + 1, shapes.end(),
                   [](const Shape& a, const Shape& b) { return a.product() < b.product(); });
  return {shapes.begin() + 1, shapes.end()};
}

bool serves(Scheduler& scheduler, const Schedule& schedule) {
  Diagnostics reasons;
  const auto parsed = scheduler.parse(print(schedule, scheduler.program().grid().rank()), reasons);
  return parsed && scheduler.plan(*parsed, reasons, Advice::None);
}

// Whether all offsets of reads are at most 64 points. With larger offsets, a tile that holds its
// halo would be useless and each plan takes long, so the families' hints do not apply.
bool has_small_offsets(const ir::Program& program) {
  constexpr int kFarthest = 64;
  for (const ir::Function& function : program.functions) {
    for (const ir::Piece& piece : function.pieces) {
      for (const ir::Node& node : piece.graph.nodes()) {
        const auto* access = std::get_if<ir::Access>(&node.kind);
        if (access && !access->in_place &&
            std::any_of(access->maps.begin(), access->maps.end(),
                        [](const ir::IndexMap& map) { return std::abs(map.offset) > kFarthest; })) {
          return false;
        }
      }
    }
  }
  return true;
}

// "block=32x32", or "" if no enlarged shape works.
std::string shape_that_would_do(Scheduler& scheduler, const Family& family, const Schedule& refused,
                                std::string_view setting) {
  if (!family.has(setting)) return "";
  const bool block = setting == shared::kBlock;
  const int rank = scheduler.program().grid().rank();
  for (const Shape& shape : enlarged(block ? refused.block : refused.elements, rank)) {
    Schedule larger = refused;
    (block ? larger.block : larger.elements) = shape;
    if (!serves(scheduler, larger)) continue;
    return fmt::format("{}={}", setting, print(shape, rank));
  }
  return "";
}

// The largest T below that of `refused` that the family accepts; 0 if there is none. Tries only T=1
// if the program has large offsets.
int steps_that_would_do(Scheduler& scheduler, const Schedule& refused, bool small_offsets) {
  Schedule shorter = refused;
  while (shorter.time_tile > 1) {
    shorter.time_tile = small_offsets ? shorter.time_tile - 1 : 1;
    if (serves(scheduler, shorter)) return shorter.time_tile;
  }
  return 0;
}

// The first other family that accepts the program with its defaults. The last family of the table
// supports every program.
std::string family_that_would_do(Scheduler& scheduler, const Family& refusing) {
  for (const Family& family : family_table()) {
    if (family.on_request || family.name == refusing.name) continue;
    if (serves(scheduler, scheduler.proposal(family).schedule)) return family.name;
  }
  return family_table().back().name;
}

// The hint of the refusal, with an alternative that works. The family's own hint is used only for
// programs with small offsets.
std::string advised(Scheduler& scheduler, const Family& family, const Schedule& schedule,
                    const Diagnostic& reason) {
  const bool small_offsets = has_small_offsets(scheduler.program());
  if (small_offsets && reason.code != "L014") return reason.hint;
  for (const std::string_view setting : {shared::kBlock, shared::kElements}) {
    if (!small_offsets) break;
    const std::string shape = shape_that_would_do(scheduler, family, schedule, setting);
    if (!shape.empty()) return fmt::format("{}; {} would work", reason.hint, shape);
  }
  const int steps = steps_that_would_do(scheduler, schedule, small_offsets);
  if (steps > 0) return fmt::format("fewer steps per tile; T={} would work", steps);
  return fmt::format("{}; --schedule {} would work",
                     small_offsets ? reason.hint : "the program reads at large offsets",
                     family_that_would_do(scheduler, family));
}

}  // namespace

void advise(Scheduler& scheduler, const Family& family, const Schedule& schedule,
            Diagnostics& reasons) {
  Diagnostics advised_reasons;
  for (Diagnostic reason : reasons.items()) {
    constexpr std::string_view kOfTiles[] = {"L010", "L014", "L015", "L018", "L026"};
    if (std::count(std::begin(kOfTiles), std::end(kOfTiles), reason.code) > 0) {
      reason.hint = advised(scheduler, family, schedule, reason);
    }
    advised_reasons.add(std::move(reason));
  }
  reasons = std::move(advised_reasons);
}

}  // namespace stencil::schedule
