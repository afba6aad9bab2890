// The backward analysis computes what T steps read around an arbitrary output box. For a thread
// block this is the halo of a time tile; for a subdomain it is the halo that neighbours send.
//
//   uncut step   exchange, T steps, reductions that are due: one halo covers all of it
//   cut step     per phase: exchange, reductions before it, exchange, its iterations;
//                after the last phase: exchange, reductions
#include "compiler/decompose/needs.h"

#include <algorithm>
#include <map>

#include "compiler/analysis/time_tile.h"
#include "compiler/ir/rewrite.h"

namespace stencil::decompose {

namespace {

using analysis::Margin;

// Rounds towards minus infinity; b > 0.
int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

using Reads = std::map<std::pair<ir::FieldId, int>, Margin>;  // keyed by field and level

void widen(Reads& reads, ir::FieldId field, int level, const Margin& by) {
  const auto [entry, fresh] = reads.try_emplace({field, level}, by);
  if (!fresh) entry->second = analysis::hull(entry->second, by);
}

class Collector {
 public:
  Collector(const ir::Program& program, const Decomposition& decomposition, int64_t steps)
      : program_(program),
        decomposition_(decomposition),
        steps_(steps),
        none_(decomposition.cuts.size()) {
    out_.depth = none_;
  }

  Needs run() {
    if (!ir::cuts_steps(program_)) {
      Reads between;
      for (const ir::Reduction& reduction : program_.reductions) add(reduction, between);
      phase(program_, steps_, between);
      return std::move(out_);
    }
    const auto leaves = ir::leaves_of_step(program_);
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (const auto* phase = std::get_if<ir::Phase>(&leaves[i])) {
        this->phase(ir::phase_program(program_, *phase), std::min(steps_, phase->iterations), {});
        continue;
      }
      Reads reads;
      for (const ir::ReductionId id : std::get<ir::Evaluations>(leaves[i]).reductions) {
        add(program_.reductions[id], reads);
      }
      const bool last = i + 1 == leaves.size();
      for (const ir::Reduction& reduction : program_.reductions) {
        if (last && !reduction.in_step) add(reduction, reads);
      }
      take(reads, 1);
    }
    return std::move(out_);
  }

 private:
  // A reduction reads around the tiles that a subdomain takes, which may end in another subdomain.
  void add(const ir::Reduction& reduction, Reads& reads) {
    Margin taken = none_;
    if (reduction.at) {
      const ir::PointSet& set = *program_.fields[*reduction.at].as_point_set();
      for (analysis::Reach& reach : taken) reach = {set.width, set.width};
    } else if (!reduction.target) {
      taken = beyond_owned(reduction);
    }
    // Reduction tiles and point weights extend the halo even where the reduction reads no field.
    out_.depth = analysis::hull(out_.depth, in_cut_dimensions(taken));
    const ir::Piece& piece = reduction.piece;
    for (const auto& [id, access] : ir::accesses(piece.graph, piece.results)) {
      if (access->in_place) continue;
      const ir::Field& field = program_.fields[access->field];
      Margin margin = taken;
      for (size_t d = 0; d < margin.size(); ++d) {
        const analysis::Reach reach = analysis::reach_of(field, *access, d);
        margin[d].low += reach.low;
        margin[d].high += reach.high;
      }
      widen(reads, access->field, access->level, margin);
    }
  }

  Margin beyond_owned(const ir::Reduction& reduction) const {
    Margin out = none_;
    const auto lengths = ir::reduction_tile(program_.grid().rank());
    for (size_t d = 0; d < out.size(); ++d) {
      const int64_t low = low_of(reduction.piece.region, d);
      const int64_t high = high_of(reduction.piece.region, d);
      for (size_t p = 1; p + 1 < decomposition_.bounds[d].size(); ++p) {
        const int64_t bound = decomposition_.bounds[d][p];
        if (bound <= low || bound > high) continue;
        const int64_t tile = low + floor_div(bound - 1 - low, lengths[d]) * lengths[d];
        out[d].high = std::max(out[d].high, std::min(tile + lengths[d], high + 1) - bound);
      }
    }
    return out;
  }

  // `behind`: reads of the state after the phase's steps.
  void phase(const ir::Program& program, int64_t steps, const Reads& behind) {
    const analysis::TimeTile tile =
        analysis::unroll(program, static_cast<int>(steps), analysis::Ends::Any);
    Margin left = none_;  // how far values must be correct beyond the owned points after the steps
    for (const auto& [read, margin] : behind) left = analysis::hull(left, margin);
    Reads reads;
    for (const auto& [read, margin] : behind) widen(reads, read.first, read.second, left);
    for (const analysis::Version& version : tile.versions) {
      if (!version.needed) continue;
      if (program_.fields[version.field].read_in_place()) continue;
      Margin margin = analysis::hull(*version.needed, none_);
      for (size_t d = 0; d < margin.size(); ++d) {
        margin[d].low += left[d].low;
        margin[d].high += left[d].high;
      }
      // Intermediate values need memory even if they read nothing that neighbours send.
      out_.depth = analysis::hull(out_.depth, in_cut_dimensions(margin));
      if (version.in_memory()) widen(reads, version.field, version.level, margin);
    }
    take(reads, steps);
  }

  void take(const Reads& reads, int64_t steps) {
    std::vector<Need> needs;
    for (const auto& [read, margin] : reads) {
      const Margin cut = in_cut_dimensions(margin);
      out_.depth = analysis::hull(out_.depth, cut);
      const bool reaches = std::any_of(
          cut.begin(), cut.end(), [](const auto& reach) { return reach.low + reach.high > 0; });
      if (reaches && ir::changes(program_, read.first))
        needs.push_back({read.first, read.second, cut});
    }
    out_.by_occasion.push_back(std::move(needs));
    out_.lasts.push_back(steps);
  }

  Margin in_cut_dimensions(const Margin& margin) const {
    Margin out = none_;
    for (size_t d = 0; d < out.size(); ++d) {
      if (decomposition_.cuts[d] == 1) continue;
      out[d] = {std::max<int64_t>(margin[d].low, 0), std::max<int64_t>(margin[d].high, 0)};
    }
    return out;
  }

  const ir::Program& program_;
  const Decomposition& decomposition_;
  const int64_t steps_;
  const Margin none_;
  Needs out_;
};

}  // namespace

Needs needs_of(const ir::Program& program, const Decomposition& decomposition, int64_t steps) {
  return Collector(program, decomposition, steps).run();
}

// The readers of a tile's values are the later tiles before the next exchange, and reductions.
analysis::Margin left_by_tile(const ir::Program& program, const Decomposition& decomposition) {
  if (ir::cuts_steps(program)) return decomposition.needs.depth;  // the hull over phases
  return needs_of(program, decomposition, decomposition.steps - decomposition.common_tile).depth;
}

ir::SharedTiles tiles_of(const ir::Program& program, const ir::Reduction& reduction,
                         const Decomposition& decomposition) {
  const auto lengths = ir::reduction_tile(program.grid().rank());
  const ir::Box& region = reduction.piece.region;
  ir::SharedTiles out;
  for (size_t d = 0; d < lengths.size(); ++d) {
    const int64_t points = std::max<int64_t>(high_of(region, d) - low_of(region, d) + 1, 0);
    out.counts.push_back((points + lengths[d] - 1) / lengths[d]);
  }
  for (int subdomain = 0; subdomain < decomposition.subdomains(); ++subdomain) {
    const ir::Points owned = decomposition.owned(subdomain);
    ir::Points taken;
    for (size_t d = 0; d < lengths.size(); ++d) {
      const int64_t low = low_of(region, d);
      const int64_t first = floor_div(owned[d][0] - low + lengths[d] - 1, lengths[d]);
      const int64_t last = floor_div(owned[d][1] - low, lengths[d]);
      taken.push_back({std::max<int64_t>(first, 0), std::min(last, out.counts[d] - 1)});
    }
    out.taken.push_back(std::move(taken));
  }
  return out;
}

ir::Points region_of(const ir::Program& program, const ir::Reduction& reduction,
                     const ir::SharedTiles& tiles, int subdomain) {
  const auto lengths = ir::reduction_tile(program.grid().rank());
  const ir::Box& region = reduction.piece.region;
  ir::Points out;
  for (size_t d = 0; d < lengths.size(); ++d) {
    const auto& [first, last] = tiles.taken[subdomain][d];
    const int64_t low = low_of(region, d) + first * lengths[d];
    const int64_t end =
        std::min(low_of(region, d) + (last + 1) * lengths[d], high_of(region, d) + 1);
    out.push_back({low, std::max(end, low) - 1});
  }
  return out;
}

}  // namespace stencil::decompose
