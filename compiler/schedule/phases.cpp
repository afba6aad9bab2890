#include "compiler/schedule/phases.h"

#include <algorithm>
#include <utility>

#include "compiler/schedule/common/limits.h"
#include "compiler/schedule/common/operations.h"
#include "compiler/schedule/common/phases.h"
#include "compiler/schedule/common/reduction_work.h"

namespace stencil::schedule {

namespace {

// Points of the domain of a phase: open sizes are assumed to be large.
double points_of(const PlannedPhase& planned) { return usual_points(planned.tiles.program()); }


// The combined plan of a step that is cut into phases.
class CutPlan final : public Plan {
 public:
  // `plans`: one per phase; `main`: the plan of the phase with the most work.
  CutPlan(const Phases& phases, const analysis::TimeTiles& whole, std::vector<PlanPtr> plans,
          PlanPtr main, Rows rows)
      : phases_(phases),
        whole_(whole),
        plans_(std::move(plans)),
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
        kernel.launches *= static_cast<double>(phase->iterations_per_step()) / work->steps;
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
    append_phases(whole_.program(), interface, module, [&](const ir::Phase&) {
      const size_t p = phases_.occurrences()[next++];
      kernel::Loop& open = module.plan;
      if (!lowered[p]) {
        kernel::Loop around = std::exchange(open, {});
        plans_[p]->lower(module);
        lowered[p] = std::exchange(open, std::move(around));
      }
      // The same kernels in each occurrence.
      open.time_tile = lowered[p]->time_tile;
      open.tile_sizes = lowered[p]->tile_sizes;
      open.actions.insert(open.actions.end(), lowered[p]->actions.begin(),
                          lowered[p]->actions.end());
    });
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
  const PlanPtr main_;
  const Rows rows_;
};

}  // namespace

PlannedPhase::PlannedPhase(const ir::Program& whole, const ir::Phase& of)
    : phase(of),
      own(!ir::cuts_steps(whole) ? nullptr
                                 : std::make_unique<ir::Program>(ir::phase_program(whole, of))),
      tiles(own ? *own : whole) {}

Schedule PlannedPhase::limited(Schedule schedule) const {
  if (own && schedule.time_tile > phase.iterations) {
    schedule.time_tile = static_cast<int>(phase.iterations);
  }
  return schedule;
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

PlanPtr Phases::plan(const Family& family, const Schedule& schedule, const Machine& machine,
                     Diagnostics& diagnostics) const {
  std::vector<PlanPtr> plans;
  for (const auto& planned : all_) {
    plans.push_back(family.plan(planned->tiles, planned->limited(schedule), machine, diagnostics));
    if (!plans.back()) return nullptr;
  }
  if (!cut()) return plans.front();
  const PlanPtr main = plans[main_];
  return std::make_shared<CutPlan>(*this, whole_, std::move(plans), main, schedule.rows);
}

}  // namespace stencil::schedule
