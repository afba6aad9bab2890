// The backward analysis computes what T steps read around an arbitrary output box. For a thread
// block this is the halo of a time tile; for a subdomain it is the halo that neighbours send.
//
//   uncut step   exchange, T steps, reductions that are due: one halo covers all of it
//   cut step     per phase: exchange, reductions before it, exchange, its iterations;
//                after the last phase: exchange, reductions
//   start        per phase: exchange, its iterations
//
// What a phase reads from another grid is the image of what it computes under the index maps. The
// halo there is as deep as the subdomain needs whose image extends farthest beyond its owned
// points.
#include "compiler/decompose/needs.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "compiler/analysis/time_tile.h"
#include "compiler/decompose/pieces.h"
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

struct Places {
  int64_t low, high;
};

// The places of a field in dimension d that an access may read at the points `low` to `high`;
// nullopt: all values are constants of a boundary rule. Where the dimension wraps around, places
// continue beyond the edge.
std::optional<Places> places_read(const ir::Field& field, const ir::Access& access, size_t d,
                                  int64_t low, int64_t high, bool wraps) {
  const ir::IndexMap& map = access.maps[d];
  Places out = {map.of(low), map.of(high)};
  if (wraps) return out;
  const ir::Boundary& rules = field.boundary[d];
  const int64_t first = low_of(field.box, d), last = high_of(field.box, d);
  if (out.high < first && rules.low.kind == ir::BoundaryKind::Constant) return std::nullopt;
  if (out.low > last && rules.high.kind == ir::BoundaryKind::Constant) return std::nullopt;
  const bool below = out.low < first && rules.low.kind == ir::BoundaryKind::Mirror;
  const bool above = out.high > last && rules.high.kind == ir::BoundaryKind::Mirror;
  const int64_t from_below = 2 * first - out.low, from_above = 2 * last - out.high;
  const bool often = (below && from_below > last) || (above && from_above < first);
  if (often) return Places{first, last};
  if (below) out.high = std::max(out.high, from_below);
  if (above) out.low = std::min(out.low, from_above);
  return Places{std::clamp(out.low, first, last), std::clamp(out.high, first, last)};
}

class Collector {
 public:
  Collector(const ir::Program& program, const Decomposition& decomposition, int64_t steps)
      : program_(program),
        decomposition_(decomposition),
        steps_(steps),
        none_(decomposition.cuts.size()) {
    out_.depth.assign(program.domains.size(), none_);
    out_.computed.assign(program.functions.size(), none_);
  }

  Needs run() {
    step();
    for (const ir::Phase& phase : ir::phases_of_start(program_)) {
      const int64_t steps = std::min(steps_, phase.iterations);
      out_.in_start.push_back(of_phase(phase, steps));
      out_.start_lasts.push_back(steps);
    }
    return std::move(out_);
  }

 private:
  void step() {
    if (!ir::cuts_steps(program_)) {
      Reads between;
      for (const ir::Reduction& reduction : program_.reductions) add(reduction, between);
      std::vector<size_t> functions(program_.functions.size());
      std::iota(functions.begin(), functions.end(), 0);
      return take(of_steps(program_, functions, steps_, between), steps_);
    }
    const auto leaves = ir::leaves_of_step(program_);
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (const auto* phase = std::get_if<ir::Phase>(&leaves[i])) {
        const int64_t steps = std::min(steps_, phase->iterations);
        take(of_phase(*phase, steps), steps);
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
      take(needs(reads), 1);
    }
  }

  void take(std::vector<Need> needs, int64_t steps) {
    out_.by_occasion.push_back(std::move(needs));
    out_.lasts.push_back(steps);
  }

  // Cycles have many phases that are alike.
  std::vector<Need> of_phase(const ir::Phase& phase, int64_t steps) {
    for (const auto& [known, needs] : known_) {
      if (ir::are_alike(program_, known, phase)) return needs;
    }
    known_.push_back(
        {phase, of_steps(ir::phase_program(program_, phase), phase.functions, steps, {})});
    return known_.back().second;
  }

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
    deepen(reduction.domain, taken);
    const ir::Piece& piece = reduction.piece;
    add_across(piece, reduction.domain, taken, reads);
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
      const std::vector<int64_t>& bounds = decomposition_.bounds[reduction.domain][d];
      for (size_t p = 1; p + 1 < bounds.size(); ++p) {
        const int64_t bound = bounds[p];
        if (bound <= low || bound > high) continue;
        const int64_t tile = low + floor_div(bound - 1 - low, lengths[d]) * lengths[d];
        out[d].high = std::max(out[d].high, std::min(tile + lengths[d], high + 1) - bound);
      }
    }
    return out;
  }

  // Adds the reads of other grids by a piece on `domain`, at points up to `computed` beyond the
  // owned ones.
  void add_across(const ir::Piece& piece, ir::DomainId domain, const Margin& computed,
                  Reads& reads) const {
    for (const auto& [id, access] : ir::accesses(piece.graph, piece.results)) {
      if (!is_across(program_, *access)) continue;
      Margin margin = none_;
      for (size_t d = 0; d < margin.size(); ++d) {
        if (decomposition_.cuts[d] == 1) continue;
        const ir::Range& range = piece.region.ranges[d];
        margin[d] = reach_across({*access, domain, d}, {range.low.constant, range.high.constant},
                                 computed[d]);
      }
      widen(reads, access->field, access->level, margin);
    }
  }

  struct Across {
    const ir::Access& access;
    ir::DomainId domain;  // of the points that read
    size_t d;
  };
  // How far beyond its owned points of the field's domain some subdomain reads.
  analysis::Reach reach_across(const Across& across, const Places& region,
                               const analysis::Reach& computed) const {
    const auto& [access, domain, d] = across;
    const ir::Field& field = program_.fields[access.field];
    const std::vector<int64_t>& here = decomposition_.bounds[domain][d];
    const std::vector<int64_t>& there = decomposition_.bounds[field.domain][d];
    const bool wraps = decomposition_.wraps[d];
    const int64_t period = here.back() - here.front();
    analysis::Reach out;
    for (size_t p = 0; p + 1 < here.size(); ++p) {
      for (const int64_t shift : {-period, int64_t{0}, period}) {  // images of the region
        if (shift != 0 && !wraps) continue;
        const int64_t low = std::max(region.low + shift, here[p] - computed.low);
        const int64_t high = std::min(region.high + shift, here[p + 1] - 1 + computed.high);
        if (low > high) continue;
        const auto read = places_read(field, access, d, low, high, wraps);
        if (!read) continue;
        out.low = std::max(out.low, there[p] - read->low);
        out.high = std::max(out.high, read->high - (there[p + 1] - 1));
      }
    }
    return out;
  }

  // The needs of `steps` steps of a program, or of iterations of a phase. `functions`: their
  // numbers in the whole program. `behind`: reads of the state after the steps.
  std::vector<Need> of_steps(const ir::Program& program, const std::vector<size_t>& functions,
                             int64_t steps, const Reads& behind) {
    const analysis::TimeTile tile =
        analysis::unroll(program, static_cast<int>(steps), analysis::Ends::Any);
    const ir::DomainId domain = program.domain_id();
    const auto is_here = [&](ir::FieldId field) { return program_.fields[field].domain == domain; };
    Margin left = none_;  // how far values must be correct beyond the owned points after the steps
    for (const auto& [read, margin] : behind) {
      if (is_here(read.first)) left = analysis::hull(left, margin);
    }
    Reads reads;
    for (const auto& [read, margin] : behind) {
      widen(reads, read.first, read.second, is_here(read.first) ? left : margin);
    }
    for (const analysis::Version& version : tile.versions) {
      if (!version.needed || !is_here(version.field)) continue;
      if (program_.fields[version.field].read_in_place()) continue;
      const Margin margin = plus(analysis::hull(*version.needed, none_), left);
      deepen(domain, margin);  // intermediate values need memory even if neighbours send nothing
      if (version.in_memory()) widen(reads, version.field, version.level, margin);
    }
    Reads unused;  // by stages whose results nothing needs, but which kernels compute
    for (const analysis::Stage& stage : tile.stages) {
      const bool needed = !stage.computed.empty();
      const Margin computed =
          needed ? in_cut_dimensions(plus(analysis::hull(stage.computed, none_), left)) : none_;
      Margin& most = out_.computed[functions[stage.function]];
      most = analysis::hull(most, computed);
      for (const ir::Piece& piece : program.functions[stage.function].pieces) {
        add_across(piece, domain, computed, needed ? reads : unused);
      }
    }
    for (const auto& [read, margin] : unused) deepen(program_.fields[read.first].domain, margin);
    return needs(reads);
  }

  static Margin plus(Margin margin, const Margin& more) {
    for (size_t d = 0; d < margin.size(); ++d) {
      margin[d].low += more[d].low;
      margin[d].high += more[d].high;
    }
    return margin;
  }

  void deepen(ir::DomainId domain, const Margin& margin) {
    out_.depth[domain] = analysis::hull(out_.depth[domain], in_cut_dimensions(margin));
  }

  std::vector<Need> needs(const Reads& reads) {
    std::vector<Need> needs;
    for (const auto& [read, margin] : reads) {
      const Margin cut = in_cut_dimensions(margin);
      deepen(program_.fields[read.first].domain, cut);
      const bool reaches = std::any_of(
          cut.begin(), cut.end(), [](const auto& reach) { return reach.low + reach.high > 0; });
      if (reaches && ir::changes(program_, read.first))
        needs.push_back({read.first, read.second, cut});
    }
    return needs;
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
  std::vector<std::pair<ir::Phase, std::vector<Need>>> known_;  // phases and their needs
  Needs out_;
};

}  // namespace

Needs needs_of(const ir::Program& program, const Decomposition& decomposition, int64_t steps) {
  return Collector(program, decomposition, steps).run();
}

// The readers of a tile's values are the later tiles before the next exchange, and reductions.
analysis::Margin left_by_tile(const ir::Program& program, const Decomposition& decomposition) {
  if (ir::cuts_steps(program)) return decomposition.needs.depth[0];  // the hull over phases
  return needs_of(program, decomposition, decomposition.steps - decomposition.common_tile).depth[0];
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
    const ir::Points owned = decomposition.owned(subdomain, reduction.domain);
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
