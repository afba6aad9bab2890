// Schedules of one program for one machine. Caches time tiles, proposals and plans between queries.
#pragma once

#include <functional>
#include <istream>
#include <map>
#include <optional>
#include <string>

#include "compiler/schedule/family.h"
#include "compiler/schedule/phases.h"

namespace stencil::schedule {

struct Space;  // explore.h

class Scheduler {
 public:
  // Keeps a reference to `program`.
  explicit Scheduler(const ir::Program& program, const Machine& machine = gpu());
  Scheduler(const Scheduler&) = delete;

  const ir::Program& program() const { return program_; }
  const Machine& machine() const { return machine_; }
  // The phases that families plan.
  const Phases& phases() const { return phases_; }

  // Same as schedule::parse (schedule.h).
  std::optional<Schedule> parse(const std::string& line, Diagnostics& diagnostics);

  // The schedule for "auto", without user settings or measurements. The result is the schedule that
  // the model predicts to be fastest (explore.h). If the model has no candidate, the result is the
  // proposal of the first family that supports the program and is not `unrewarding`. `passed_over`,
  // if given, receives the reasons why other families were not chosen.
  const Proposal& choose(Diagnostics* passed_over = nullptr);
  // The schedule with the settings that `choose` gives for each phase that takes a considerable
  // part of a step, alone. nullopt if it gives none for the main phase, or if their combination is
  // refused.
  using ChooseForPhase = std::function<std::optional<Schedule>(const ir::Program& phase)>;
  std::optional<Schedule> by_phases(const ChooseForPhase& choose) const;
  // Default settings of a family for this program.
  const Proposal& proposal(const Family& family);

  // The plan. On failure returns null and reports at least one L0xx error that names the feature,
  // the schedule and the reason, with the feature's span in the program.
  PlanPtr plan(const Schedule& schedule, Diagnostics& diagnostics, Advice advice = Advice::Given);

  // Like plan(), but without advice and without caching, for callers that try many schedules.
  PlanPtr plan_once(const Schedule& schedule, Diagnostics& diagnostics) const;

  // The module for this schedule, including the program's reductions. Fails like plan().
  std::optional<kernel::Module> lower(const Schedule& schedule, Diagnostics& diagnostics,
                                      Advice advice = Advice::Given);

 private:
  std::optional<Schedule> parse_one(const std::string& line, Diagnostics& diagnostics);
  std::optional<PhaseSchedule> parse_phase(const std::string& text, Diagnostics& diagnostics);
  std::optional<Schedule> parse_preset(const std::string& name, std::istream& further,
                                       Diagnostics& diagnostics);
  Schedule settled(Schedule schedule) const;
  const Proposal& choose_in_order(Diagnostics* passed_over);
  void note_others(const Space& space);
  bool takes_block(const Schedule& schedule, Diagnostics& diagnostics) const;

  const ir::Program& program_;
  const Machine machine_;
  // The program that kernels compute, if it differs from program_: reassociated under --fp=fast,
  // and with named operands of selects if threads are loops (ir/choices.h).
  const std::optional<ir::Program> computed_;
  const Phases phases_;
  std::map<std::string, Proposal> proposals_;  // by family
  std::optional<Proposal> chosen_;             // by the model
  Diagnostics passed_over_;                    // why the other families were not chosen
  std::map<std::string, PlanPtr> plans_;       // by schedule line; null: refused
};

}  // namespace stencil::schedule
