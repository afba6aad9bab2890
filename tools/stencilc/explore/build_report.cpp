#include "tools/stencilc/explore/build_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/driver/brief_schedule.h"
#include "compiler/schedule/settings.h"

namespace stencil::explore {

using schedule::Operations;
using schedule::Prediction;
using schedule::Schedule;
using schedule::TileWork;
using schedule::Work;

namespace {

// Per point and step, of all kernels.
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
  if (prediction.spills) return "threads get too few registers";
  return fmt::format("{:.0f}% of the time, if alone",
                     100 * prediction.of(prediction.limit) / prediction.seconds);
}

}  // namespace

std::vector<Candidate> candidates_of(schedule::Scheduler& scheduler,
                                     const std::vector<schedule::Candidate>& ranked, size_t most) {
  constexpr size_t kBrief = 50;  // brief lines take a while to find
  const ir::Program& program = scheduler.program();
  std::vector<Candidate> out;
  for (const schedule::Candidate& each : ranked) {
    if (out.size() >= most) break;
    Diagnostics none;
    const schedule::PlanPtr plan = scheduler.plan_once(each.schedule, none);
    const TileWork work = *plan->work();
    const Totals totals = totals_of(work, scheduler.machine());
    const schedule::Footprint cost = plan->cost();
    const Prediction& prediction = each.prediction;
    Candidate candidate;
    candidate.schedule = schedule::print(each.schedule, program.grid.rank());
    if (out.size() < kBrief) {
      candidate.brief = brief_schedule(each.schedule, program, {scheduler.machine()});
    }
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
    candidate.shared_bytes_moved = 4 * (totals.operations.shared + totals.operations.copies);
    candidate.redundancy = cost.redundancy;
    candidate.registers = static_cast<int>(prediction.registers);
    candidate.spills = prediction.spills;
    candidate.shared_bytes = cost.shared_bytes;
    candidate.threads = cost.threads;
    candidate.blocks = static_cast<int64_t>(prediction.blocks);
    candidate.resident_blocks = prediction.resident;
    candidate.occupancy = prediction.occupancy;
    candidate.waves = prediction.waves;
    out.push_back(std::move(candidate));
  }
  return out;
}

Winner winner_of(schedule::Scheduler& scheduler, const Schedule& schedule) {
  const ir::Program& program = scheduler.program();
  Diagnostics none;
  const schedule::PlanPtr plan = scheduler.plan_once(schedule, none);
  const auto stream = plan->stream();
  const auto tile = analysis::unroll(program, std::max(schedule.time_tile, 1));
  Winner out;
  out.streams = stream.has_value();
  out.output = plan->cost().output;
  out.planes_loaded = stream ? stream->planes : 0;
  out.prefetch = schedule.prefetch;
  for (const analysis::Version& version : tile.versions) {
    if (!version.needed) continue;
    const std::string& field = program.fields[static_cast<size_t>(version.field)].name;
    HaloBox box{0, field, "", *version.needed};
    if (!version.in_memory()) {
      const analysis::Stage& stage = tile.stages[static_cast<size_t>(version.stage)];
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
  std::map<int, Neighbour> best;
  for (const schedule::Candidate& candidate : space.ranked) {
    if (candidate.schedule.family != schedule.family) continue;
    const int steps = candidate.schedule.time_tile;
    // Of others there is just what one family proposes.
    const auto& usual = schedule::usual_time_tiles();
    if (std::count(usual.begin(), usual.end(), steps) == 0) continue;
    const double rate = 1e-9 * candidate.prediction.points_per_second;
    const auto [entry, fresh] = best.try_emplace(steps, Neighbour{steps, 0, Limit::Memory});
    if (rate > entry->second.predicted) {
      entry->second = {steps, rate, candidate.prediction.limit};
    }
  }
  std::vector<Neighbour> out;
  for (const auto& [steps, neighbour] : best) out.push_back(neighbour);
  return out;
}

ReportMachine machine_of(const schedule::Machine& machine) {
  return {machine.name, machine.description, machine.bytes_per_second,
          machine.instructions_per_second, machine.double_cost};
}

}  // namespace stencil::explore
