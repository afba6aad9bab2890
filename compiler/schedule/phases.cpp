#include "compiler/schedule/phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "compiler/kernel/merge.h"
#include "compiler/schedule/common/limits.h"
#include "compiler/schedule/common/operations.h"
#include "compiler/schedule/common/phases.h"
#include "compiler/schedule/common/reduction_work.h"
#include "compiler/schedule/model/predict.h"

namespace stencil::schedule {

namespace {

// Points of the domain of a phase: open sizes are assumed to be large.
double points_of(const PlannedPhase& planned) {
  return usual_points(planned.tiles.program());
}

// The combined plan of a step that is cut into phases.
class CutPlan final : public Plan {
 public:
  // `plans`: one per phase; `small`: whether it is one for a single block; `main`: the plan of the
  // phase with the most work.
  CutPlan(const Phases& phases, const analysis::TimeTiles& whole, std::vector<PlanPtr> plans,
          std::vector<bool> small, PlanPtr main, Rows rows)
      : phases_(phases),
        whole_(whole),
        plans_(std::move(plans)),
        small_(std::move(small)),
        main_(std::move(main)),
        rows_(rows) {}

  // Per step: traffic is summed, shared memory is the maximum. The shape is that of the main phase.
  Footprint cost() const override {
    Footprint out = main_->cost();
    out.bytes_read = out.bytes_written = out.redundancy = 0;
    double runs = 0;
    const double whole = usual_points(whole_.program());
    for (size_t p = 0; p < plans_.size(); ++p) {
      const PlannedPhase& planned = *phases_.all()[p];
      const Footprint each = plans_[p]->cost();
      const double share = points_of(planned) / whole;  // costs are per point of the first grid
      out.bytes_read += each.bytes_read * planned.iterations * share;
      out.bytes_written += each.bytes_written * planned.iterations * share;
      out.redundancy += each.redundancy * planned.runs * share;
      out.shared_bytes = std::max(out.shared_bytes, each.shared_bytes);
      runs += planned.runs * share;
    }
    out.redundancy /= runs;
    for (const ir::Reduction& reduction : whole_.program().reductions) {
      if (reduction.in_step) out.bytes_read += bytes_read(whole_.program(), reduction);
    }
    return out;
  }

  // Kernels in launch order.
  std::optional<TileWork> work() const override {
    const ir::Program& program = whole_.program();
    TileWork out{1, usual_points(program), {}};
    size_t next = phases_.in_start();
    for (const auto& leaf : ir::leaves_of_step(program)) {
      const auto* phase = std::get_if<ir::Phase>(&leaf);
      if (!phase) {
        add_reductions(std::get<ir::Evaluations>(leaf), out);
        continue;
      }
      auto work = plans_[phases_.occurrences()[next++]]->work();
      if (!work) return std::nullopt;
      for (Work& kernel : work->kernels) {
        // The last tile of a repeat is shortened, and costs as much as a full one.
        const int64_t tiles = (phase->iterations + work->steps - 1) / work->steps;
        kernel.launches *= static_cast<double>(phase->times * tiles);
        out.kernels.push_back(std::move(kernel));
      }
    }
    return out;
  }

  std::optional<Stream> stream() const override { return main_->stream(); }
  std::string unrewarding() const override { return main_->unrewarding(); }

  void lower(kernel::Module& module) const override {
    const Interface interface(whole_.program(), rows_);
    size_t next = 0;
    std::vector<std::optional<kernel::Loop>> lowered(plans_.size());
    std::set<int> small;  // kernels
    append_phases(whole_.program(), interface, module, [&](const ir::Phase&) {
      const size_t p = phases_.occurrences()[next++];
      kernel::Loop& open = module.plan;
      if (!lowered[p]) {
        kernel::Loop around = std::exchange(open, {});
        const size_t kernels = module.kernels.size();
        plans_[p]->lower(module);
        lowered[p] = std::exchange(open, std::move(around));
        for (size_t k = kernels; small_[p] && k < module.kernels.size(); ++k) {
          small.insert(static_cast<int>(k));
        }
      }
      // The same kernels in each occurrence.
      open.time_tile = lowered[p]->time_tile;
      open.tile_sizes = lowered[p]->tile_sizes;
      open.actions.insert(open.actions.end(), lowered[p]->actions.begin(),
                          lowered[p]->actions.end());
    });
    if (small.empty()) return;
    Names names = interface.names_in(module);
    kernel::merge_launches(module, module.plan.start, small, names.unique(module.name + "_start"));
    kernel::merge_launches(module, module.plan, small, names.unique(module.name + "_coarse"));
    kernel::drop_unused_kernels(module);
  }

 private:
  void add_reductions(const ir::Evaluations& evaluations, TileWork& out) const {
    for (const ir::ReductionId id : evaluations.reductions) {
      const ir::Reduction& reduction = whole_.program().reductions[id];
      for (Work& launch : work_of(whole_, reduction)) out.kernels.push_back(std::move(launch));
    }
  }

  const Phases& phases_;
  const analysis::TimeTiles& whole_;
  const std::vector<PlanPtr> plans_;
  const std::vector<bool> small_;
  const PlanPtr main_;
  const Rows rows_;
};

}  // namespace

PlannedPhase::PlannedPhase(const ir::Program& whole, const ir::Phase& of)
    : phase(of),
      own(!ir::cuts_steps(whole) ? nullptr
                                 : std::make_unique<ir::Program>(ir::phase_program(whole, of))),
      tiles(own ? *own : whole) {}

namespace {

// Predicted, per iteration of the phase.
std::optional<double> seconds_of(const Plan& plan, const Machine& machine) {
  const auto work = plan.work();
  return work ? std::optional(predict(*work, machine).seconds) : std::nullopt;
}

}  // namespace

const PlannedPhase::Swept& PlannedPhase::swept(const Machine& machine, Rows rows) const {
  const auto [place, fresh] = swept_.try_emplace(rows);
  if (fresh) {
    const Family& direct = *find_family("direct");
    Schedule schedule = direct.propose(tiles, machine).schedule;
    schedule.rows = rows;
    Diagnostics none;
    place->second.plan = direct.plan(tiles, schedule, machine, none);
    place->second.seconds = seconds_of(*place->second.plan, machine);
  }
  return place->second;
}

PlanPtr PlannedPhase::in_one_block(const Machine& machine, Rows rows) const {
  const ir::Program& program = tiles.program();
  double points = 1, instructions = 0;
  for (const ir::Range& range : program.grid().ranges) {
    const ir::Affine extent = range.high - range.low + 1;
    if (!extent.is_constant()) return nullptr;
    points *= static_cast<double>(extent.constant);
  }
  // Per node of a graph: an operation or a load, and one for its address.
  constexpr double kPerNode = 2;
  for (const ir::Function& function : program.functions) {
    for (const ir::Piece& piece : function.pieces) instructions += kPerNode * piece.graph.size();
  }
  const double per_second = machine.instructions_per_second / machine.multiprocessors;
  const auto functions = static_cast<double>(program.functions.size());
  if (points * instructions / per_second > functions * machine.launch_seconds) return nullptr;
  const Family& direct = *find_family("direct");
  Schedule schedule = direct.propose(tiles, machine).schedule;
  if (!machine.threads_are_loops) {  // coarse grids have short rows
    static const std::array<Shape, 4> kBlocks = {Shape{512}, Shape{32, 16}, Shape{16, 8, 4},
                                                 Shape{8, 4, 4, 4}};
    schedule.block = kBlocks[static_cast<size_t>(std::min(program.grid().rank(), 4)) - 1];
    schedule.elements = {};
    schedule = with_fewer_threads(schedule, machine);
    // Several points per thread, if there are as many, hide the latency of memory.
    const int rank = program.grid().rank();
    constexpr int64_t kMostPoints = 8;
    int64_t left = kMostPoints;
    for (int d = 0; d < rank; ++d) {
      const size_t axis = static_cast<size_t>(rank - 1 - d);  // outermost first
      const ir::Range& range = program.grid().ranges[static_cast<size_t>(d)];
      const int64_t extent = (range.high - range.low).constant + 1;
      const int64_t wanted = (extent + schedule.block[axis] - 1) / schedule.block[axis];
      schedule.elements[axis] = static_cast<int>(std::min(wanted, left));
      left /= schedule.elements[axis];
    }
  }
  schedule.rows = rows;
  Diagnostics none;
  return direct.plan(tiles, schedule, machine, none);
}

namespace {

const Schedule* schedule_of(const PlannedPhase& planned, const Schedule& whole) {
  if (whole.phases.empty()) return nullptr;
  const std::string name = planned.name();
  for (const PhaseSchedule& one : whole.phases) {
    if (one.phase == name) return &one.schedule;
  }
  return nullptr;
}

}  // namespace

Schedule PlannedPhase::limited(const Schedule& whole) const {
  const Schedule* of_phase = schedule_of(*this, whole);
  Schedule schedule = of_phase ? *of_phase : whole;
  schedule.rows = whole.rows;
  schedule.phases.clear();
  if (own && schedule.time_tile > phase.iterations) {
    schedule.time_tile = static_cast<int>(phase.iterations);
  }
  return schedule;
}

std::string PlannedPhase::name() const {
  std::string out = phase.iterations > 1 ? fmt::format("{} ", phase.iterations) : "";
  for (size_t f = 0; f < tiles.program().functions.size(); ++f) {
    out += (f > 0 ? "+" : "") + tiles.program().functions[f].name;
  }
  return out;
}

Phases::Phases(const ir::Program& program) : whole_(program) {
  std::vector<std::unique_ptr<PlannedPhase>> found;
  const auto take = [&](const ir::Phase& phase, bool in_step) {
    size_t p = 0;
    while (p < found.size() && !ir::are_alike(program, found[p]->phase, phase)) ++p;
    if (p == found.size()) found.push_back(std::make_unique<PlannedPhase>(program, phase));
    occurrences_.push_back(p);
    if (!in_step) return;
    const auto iterations = static_cast<double>(phase.iterations_per_step());
    found[p]->iterations += iterations;
    found[p]->runs += iterations * static_cast<double>(phase.functions.size());
  };
  for (const ir::Phase& phase : ir::phases_of_start(program)) take(phase, false);
  in_start_ = occurrences_.size();
  for (const ir::Phase& phase : ir::phases(program)) take(phase, true);
  double most = 0;
  for (size_t p = 0; p < found.size(); ++p) {
    const double work = found[p]->runs * points_of(*found[p]);
    if (work > most) main_ = p;
    most = std::max(most, work);
  }
  for (auto& planned : found) all_.push_back(std::move(planned));
}

int64_t Phases::most_iterations() const {
  int64_t most = 1;
  for (const auto& planned : all_) most = std::max(most, planned->phase.iterations);
  return most;
}

// The family's proposal for the main phase. If another phase refuses it, the first proposal for any
// phase that all phases accept.
Proposal Phases::propose(const Family& family, const Machine& machine) const {
  const auto proposed_for = [&](const PlannedPhase& planned) {
    Proposal proposal = family.propose(planned.tiles, machine);
    if (cut() && proposal.schedule.time_tile > most_iterations()) {
      proposal.schedule.time_tile = static_cast<int>(most_iterations());
    }
    return proposal;
  };
  const auto serves_all = [&](const Proposal& proposal) {
    Diagnostics refusals;
    return plan(family, proposal.schedule, machine, refusals) != nullptr;
  };
  Proposal usual = proposed_for(main());
  if (!cut() || serves_all(usual)) return usual;
  for (const auto& planned : all_) {
    Proposal other = proposed_for(*planned);
    if (serves_all(other)) return other;
  }
  return usual;
}

std::vector<const PlannedPhase*> Phases::considerable(const Machine& machine) const {
  constexpr double kPart = 0.03;
  if (!mixed()) return {};
  std::vector<std::pair<double, const PlannedPhase*>> found;
  double all = 0;
  for (const auto& planned : all_) {
    if (planned->iterations == 0) continue;  // of `start`
    const auto seconds = planned->swept(machine, Rows::Auto).seconds.value_or(0);
    all += seconds * planned->iterations;
    if (planned == all_[main_] || planned->in_one_block(machine, Rows::Auto)) continue;
    found.push_back({seconds * planned->iterations, planned.get()});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<const PlannedPhase*> out;
  for (const auto& [seconds, planned] : found) {
    if (seconds >= kPart * all) out.push_back(planned);
  }
  return out;
}

namespace {

// Adds the refusals of a phase, with its name.
void report(const Diagnostics& refusals, const PlannedPhase& planned, Diagnostics& diagnostics) {
  const ir::Program& program = planned.tiles.program();
  for (Diagnostic refusal : refusals.items()) {
    refusal.related.push_back(
        {program.functions.front().span, fmt::format("in the phase {}", planned.name())});
    diagnostics.add(std::move(refusal));
  }
}

}  // namespace

PlanPtr Phases::plan(const Family& family, const Schedule& schedule, const Machine& machine,
                     Diagnostics& diagnostics) const {
  std::vector<PlanPtr> plans;
  std::vector<bool> small;
  for (const auto& planned : all_) {
    const Schedule settings = planned->limited(schedule);
    if (schedule_of(*planned, schedule)) {
      const Family& chosen = *find_family(settings.family);
      Diagnostics refusals;
      plans.push_back(chosen.plan(planned->tiles, settings, machine, refusals));
      report(refusals, *planned, diagnostics);
      if (!plans.back()) return nullptr;
      small.push_back(false);
      continue;
    }
    const bool may_sweep = mixed() && planned != all_[main_];
    if (PlanPtr one = may_sweep ? planned->in_one_block(machine, schedule.rows) : nullptr) {
      plans.push_back(std::move(one));
      small.push_back(true);
      continue;
    }
    small.push_back(false);
    Diagnostics refusals;
    PlanPtr plan = family.plan(planned->tiles, settings, machine, cut() ? refusals : diagnostics);
    if (!may_sweep) report(refusals, *planned, diagnostics);
    if (may_sweep) {
      const PlannedPhase::Swept& other = planned->swept(machine, schedule.rows);
      const auto seconds = plan ? seconds_of(*plan, machine) : std::nullopt;
      const bool slower = seconds && other.seconds && *other.seconds < *seconds;
      if (!plan || slower) plan = other.plan;
    }
    if (!plan) return nullptr;
    plans.push_back(std::move(plan));
  }
  if (!cut()) return plans.front();
  const PlanPtr main = plans[main_];
  return std::make_shared<CutPlan>(*this, whole_, std::move(plans), std::move(small), main,
                                   schedule.rows);
}

}  // namespace stencil::schedule
