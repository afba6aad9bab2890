// Schedules for one program and one machine. What is made for one question (time tiles, proposals,
// plans) is kept for the next.
#pragma once

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
  // `program` is to outlive it.
  explicit Scheduler(const ir::Program& program, const Machine& machine = gpu());
  Scheduler(const Scheduler&) = delete;

  const ir::Program& program() const { return program_; }
  const Machine& machine() const { return machine_; }
  // What families plan.
  const Phases& phases() const { return phases_; }

  // As the free function of schedule.h.
  std::optional<Schedule> parse(const std::string& line, Diagnostics& diagnostics);

  // The schedule without search by people or measurements: the fastest by the model (explore.h), or
  // where that knows none, the proposal of the first family of the table that can serve the program
  // and does not call itself unrewarding for it. `passed_over`, if given, receives why other
  // families were not taken.
  const Proposal& choose(Diagnostics* passed_over = nullptr);
  // What a line takes for settings that it leaves out.
  const Proposal& proposal(const Family& family);

  // The plan, or null and at least one L0xx error that names the feature, the schedule and the
  // reason, with the span of the feature in the program.
  PlanPtr plan(const Schedule& schedule, Diagnostics& diagnostics, Advice advice = Advice::Given);

  // Likewise, without advice, and not kept: for those who go through many.
  PlanPtr plan_once(const Schedule& schedule, Diagnostics& diagnostics) const;

  // The module for this schedule, with the reductions of the program; as plan() refuses it.
  std::optional<kernel::Module> lower(const Schedule& schedule, Diagnostics& diagnostics,
                                      Advice advice = Advice::Given);

 private:
  std::optional<Schedule> parse_preset(const std::string& name, std::istream& further,
                                       Diagnostics& diagnostics);
  Schedule settled(Schedule schedule) const;
  const Proposal& choose_in_order(Diagnostics* passed_over);
  void note_others(const Space& space);
  bool takes_block(const Schedule& schedule, Diagnostics& diagnostics) const;

  const ir::Program& program_;
  const Machine machine_;
  // What kernels compute, where it differs: reassociated under --fp=fast, with named choices where
  // threads are loops.
  const std::optional<ir::Program> computed_;
  const Phases phases_;
  std::map<std::string, Proposal> proposals_;  // by family
  std::optional<Proposal> chosen_;             // by the model
  Diagnostics passed_over_;                    // and why not others
  std::map<std::string, PlanPtr> plans_;       // by schedule line; null: refused
};

}  // namespace stencil::schedule
