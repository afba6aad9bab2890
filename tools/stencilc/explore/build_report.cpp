#include "tools/stencilc/explore/build_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "compiler/driver/brief_schedule.h"
#include "compiler/schedule/common/operations.h"
#include "compiler/schedule/settings.h"

namespace stencil::explore {

using schedule::Operations;
using schedule::Prediction;
using schedule::Schedule;
using schedule::TileWork;
using schedule::Work;

namespace {

// Per point and step, over all kernels.
struct Totals {
  Operations operations;
  double instructions = 0, memory = 0, cache = 0, barriers = 0;
};

Totals totals_of(const TileWork& work, const schedule::Machine& machine) {
  Totals out;
  for (const Work& kernel : work.kernels) {
    const double points = work.points * work.steps;
    const double iterations = kernel.iterations * kernel.blocks * kernel.launches / points;
    out.operations.add(kernel.iteration, iterations * kernel.threads);
    out.barriers += kernel.barriers * iterations;
    out.cache += kernel.bytes * iterations;
    out.memory += kernel.bytes * kernel.compulsory * iterations;
  }
  out.instructions = schedule::instructions(out.operations, machine);
  return out;
}

std::vector<Count> counts_of(const Totals& totals) {
  const Operations& o = totals.operations;
  std::vector<Count> out;
  const auto add = [&](const std::string& name, double count) {
    if (count > 0) out.push_back({name, count});
  };
  add("single precision", o.single);
  add("double precision", o.real);
  add("integer", o.integer);
  add("calls", o.calls + o.real_calls);
  add("divisions by constants", o.multiplied + o.real_multiplied);
  add("selections by place", o.selects);
  add("words loaded", o.loads);
  add("words stored", o.stores);
  add("words copied to shared memory", o.copies);
  add("words of shared memory", o.shared);
  add("words shuffled", o.shuffles);
  add("memory instructions", o.accesses);
  add("barriers", totals.barriers);
  return out;
}

std::vector<Term> terms_of(const Prediction& prediction, double points) {
  std::vector<Term> out;
  for (size_t i = 0; i < schedule::kLimits; ++i) {
    const auto limit = static_cast<Limit>(i);
    const bool overlaps = limit != Limit::Tail && limit != Limit::Launch;
    out.push_back({schedule::name(limit), prediction.of(limit) / points, overlaps});
  }
  return out;
}

std::string reason_of(const Prediction& prediction) {
  if (prediction.spills) return "registers spill";
  return fmt::format("alone it takes {:.0f}% of the time",
                     100 * prediction.of(prediction.limit) / prediction.seconds);
}

// Does not set the brief line.
Candidate candidate_of(schedule::Scheduler& scheduler, const schedule::Candidate& each) {
  Diagnostics none;
  const schedule::PlanPtr plan = scheduler.plan_once(each.schedule, none);
  const TileWork work = *plan->work();
  const Totals totals = totals_of(work, scheduler.machine());
  const schedule::Footprint cost = plan->cost();
  const Prediction& prediction = each.prediction;
  constexpr double kWord = 4;
  Candidate candidate;
  candidate.schedule = schedule::print(each.schedule, scheduler.program().grid().rank());
  candidate.family = each.schedule.family;
  candidate.time_tile = each.schedule.time_tile;
  candidate.predicted = 1e-9 * prediction.points_per_second;
  candidate.limit = prediction.limit;
  candidate.headroom = prediction.headroom;
  candidate.reason = reason_of(prediction);
  candidate.terms = terms_of(prediction, work.points);
  candidate.counts = counts_of(totals);
  candidate.instructions = totals.instructions;
  candidate.memory_bytes = totals.memory;
  candidate.cache_bytes = totals.cache;
  candidate.shared_bytes_moved = kWord * (totals.operations.shared + totals.operations.copies);
  candidate.words_loaded = cost.bytes_read / kWord;
  candidate.redundancy = cost.redundancy;
  candidate.registers = static_cast<int>(prediction.registers);
  candidate.spills = prediction.spills;
  candidate.shared_bytes = cost.shared_bytes;
  candidate.threads = cost.threads;
  candidate.elements = each.schedule.elements.product();
  candidate.blocks = static_cast<int64_t>(prediction.blocks);
  candidate.blocks_per_multiprocessor = prediction.blocks_per_multiprocessor;
  candidate.occupancy = prediction.occupancy;
  candidate.waves = prediction.waves;
  return candidate;
}

// For each key, the schedule ranked first. Skips schedules without a key, and unusual T that only
// one family proposes.
template <class Key, class KeyOf>
std::map<Key, const schedule::Candidate*> first_of_each(const schedule::Space& space,
                                                        KeyOf key_of) {
  const auto& usual = schedule::usual_time_tiles();
  std::map<Key, const schedule::Candidate*> out;
  for (const schedule::Candidate& candidate : space.ranked) {
    if (std::count(usual.begin(), usual.end(), candidate.schedule.time_tile) == 0) continue;
    if (const std::optional<Key> key = key_of(candidate)) out.try_emplace(*key, &candidate);
  }
  return out;
}

// Identifies a point of a curve over T.
using TileKey = std::pair<int64_t, int>;  // points per thread (0: any), and T

std::map<TileKey, const schedule::Candidate*> best_tiles(const schedule::Space& space,
                                                         bool any_elements) {
  return first_of_each<TileKey>(
      space, [&](const schedule::Candidate& candidate) -> std::optional<TileKey> {
        if (candidate.prediction.spills) return std::nullopt;
        const Schedule& schedule = candidate.schedule;
        return TileKey{any_elements ? 0 : schedule.elements.product(), schedule.time_tile};
      });
}

// For each TileKey: the best ranked candidate and the best measurement. If only timed schedules
// have a key, one of these becomes its candidate.
std::vector<Best> curves_of(schedule::Scheduler& scheduler, const schedule::Space& space,
                            const std::vector<Candidate>& candidates, bool any_elements) {
  std::map<TileKey, Best> best;
  for (const auto& [key, candidate] : best_tiles(space, any_elements)) {
    best[key] = {candidate_of(scheduler, *candidate), std::nullopt, ""};
  }
  for (const Candidate& candidate : candidates) {
    if (!candidate.measured) continue;
    const TileKey key{any_elements ? 0 : candidate.elements, candidate.time_tile};
    Best& same = best.try_emplace(key, Best{candidate, std::nullopt, ""}).first->second;
    if (*candidate.measured <= same.measured.value_or(0)) continue;
    same.measured = candidate.measured;
    same.timed = candidate.schedule;
  }
  std::vector<Best> out;
  for (auto& [key, each] : best) out.push_back(std::move(each));
  return out;
}

}  // namespace

std::vector<Candidate> candidates_of(schedule::Scheduler& scheduler,
                                     const std::vector<schedule::Candidate>& ranked, size_t most) {
  constexpr size_t kBrief = 50;  // finding brief lines takes a while
  std::vector<Candidate> out;
  for (const schedule::Candidate& each : ranked) {
    if (out.size() >= most) break;
    out.push_back(candidate_of(scheduler, each));
    if (out.size() > kBrief) continue;
    out.back().brief = brief_schedule(each.schedule, scheduler.program(), {scheduler.machine()});
  }
  return out;
}

Winner winner_of(schedule::Scheduler& scheduler, const Schedule& schedule) {
  const schedule::PlannedPhase& main = scheduler.phases().main();  // the main phase of a step
  const ir::Program& program = main.own ? *main.own : scheduler.program();
  Diagnostics none;
  const schedule::PlanPtr plan = scheduler.plan_once(schedule, none);
  const auto stream = plan->stream();
  const auto tile = analysis::unroll(program, std::max(main.limited(schedule).time_tile, 1));
  Winner out;
  out.streams = stream.has_value();
  out.output = plan->cost().output;
  out.planes_loaded = stream ? stream->planes : 0;
  out.prefetch = schedule.prefetch;
  for (const analysis::Version& version : tile.versions) {
    if (!version.needed) continue;
    const std::string& field = program.fields[version.field].name;
    HaloBox box{0, field, "", *version.needed};
    if (!version.in_memory()) {
      const analysis::Stage& stage = tile.stages[version.stage];
      box.step = stage.step + 1;
      box.function = program.functions[stage.function].name;
    } else if (version.level > 0) {
      box.field += fmt::format("@-{}", version.level);
    }
    out.halo.push_back(std::move(box));
  }
  const bool known = stream && stream->lags.size() == tile.stages.size();
  for (size_t i = 0; i < tile.stages.size(); ++i) {
    const analysis::Stage& stage = tile.stages[i];
    if (stage.computed.empty()) continue;
    out.stages.push_back({stage.step + 1, program.functions[stage.function].name,
                          known ? stream->lags[i] : 0, stage.computed});
  }
  return out;
}

std::vector<Neighbour> neighbours_of(const schedule::Space& space, const Schedule& schedule) {
  const auto best =
      first_of_each<int>(space, [&](const schedule::Candidate& candidate) -> std::optional<int> {
        if (candidate.schedule.family != schedule.family) return std::nullopt;
        return candidate.schedule.time_tile;
      });
  std::vector<Neighbour> out;
  for (const auto& [steps, candidate] : best) {
    out.push_back(
        {steps, 1e-9 * candidate->prediction.points_per_second, candidate->prediction.limit});
  }
  return out;
}

void add_curves(schedule::Scheduler& scheduler, const schedule::Space& space, Report& report) {
  report.flops = flops_of(scheduler.program());
  report.by_elements = curves_of(scheduler, space, report.candidates, false);
  report.by_time_tile = curves_of(scheduler, space, report.candidates, true);
}

double flops_of(const ir::Program& program) {
  // The fraction of a dimension's points in the range.
  const auto part = [&](const ir::Range& range, int d) {
    const ir::Range& whole = program.grid().ranges[d];
    const auto points = static_cast<double>(schedule::usual_extent(program, d));
    const ir::Affine length = range.high - range.low + 1;
    if (length.is_constant()) return static_cast<double>(length.constant) / points;
    const ir::Affine less = whole.high - whole.low + 1 - length;
    return less.is_constant() ? 1 - static_cast<double>(less.constant) / points : 1;
  };
  const auto flops_of_function = [&](const ir::Function& function) {
    double flops = 0;
    for (const ir::Piece& piece : function.pieces) {
      double share = 1;
      for (int d = 0; d < piece.region.rank(); ++d) {
        share *= std::max(0.0, part(piece.region.ranges[d], d));
      }
      flops += share * ir::count_flops(piece);
    }
    return flops;
  };
  double flops = 0;
  for (const ir::Phase& phase : ir::phases(program)) {
    for (const size_t f : phase.functions) {
      flops += static_cast<double>(phase.iterations_per_step()) *
               flops_of_function(program.functions[f]);
    }
  }
  return flops;
}

ReportMachine machine_of(const schedule::Machine& machine) {
  return {machine.name, machine.description, machine.bytes_per_second,
          machine.instructions_per_second, machine.double_cost};
}

}  // namespace stencil::explore
