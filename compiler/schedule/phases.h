// A step as a sequence of phases (ir::Phase). Families plan each phase as a separate program whose
// steps are the phase's iterations. Phases combines the plans of all phases into one plan.
//
// In a program with several grids, the settings are those of the phase with the most work. Each
// other phase has the same settings if its grid suits them, and is swept by `direct` otherwise: a
// tile that suits a fine grid may be larger than a coarse one. Sweeps of grids that are so small
// that one block computes them in the time of a launch share a launch (kernel/merge.h).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/schedule/family.h"

namespace stencil::schedule {

// A phase and the program that families plan for it. If the step is not cut, there is one phase,
// and its program is the whole program.
struct PlannedPhase {
  PlannedPhase(const ir::Program& whole, const ir::Phase& phase);
  PlannedPhase(const PlannedPhase&) = delete;

  // The program's schedule for this phase: the settings of its own, if it has any. T is at most the
  // phase's number of iterations.
  Schedule limited(const Schedule& schedule) const;
  // Names of the functions, "smooth+residual", and the iterations if there are several,
  // "6 smooth". Phases of the same functions may have the same name.
  std::string name() const;

  const ir::Phase phase;  // the first of those that are alike
  double runs = 0;        // function evaluations per step, of all that are alike
  double iterations = 0;  // per step, of all that are alike
  const std::unique_ptr<const ir::Program> own;  // null: the phase is the whole step
  const analysis::TimeTiles tiles;
  // The plan of `direct` and its predicted time; made when it is first needed.
  struct Swept {
    PlanPtr plan;
    std::optional<double> seconds;
  };
  const Swept& swept(const Machine& machine, Rows rows) const;
  // The plan of `direct` for a single block, if that takes less time than a launch; otherwise null.
  PlanPtr in_one_block(const Machine& machine, Rows rows) const;

 private:
  mutable std::map<Rows, Swept> swept_;
};

class Phases {
 public:
  // Keeps a reference to `program`.
  explicit Phases(const ir::Program& program);

  // The different phases of the step. A phase that occurs several times is planned once.
  const std::vector<std::unique_ptr<const PlannedPhase>>& all() const { return all_; }
  // The index into all() of each phase of `start` and then of the step, in the order of the text.
  const std::vector<size_t>& occurrences() const { return occurrences_; }
  size_t in_start() const { return in_start_; }  // the number of those of `start`
  bool cut() const { return ir::cuts_steps(whole_.program()); }
  // The phase with the most evaluations at points. Settings are chosen for this phase.
  const PlannedPhase& main() const { return *all_[main_]; }
  // If the step is cut: the largest number of iterations that a tile can have.
  int64_t most_iterations() const;

  // Whether the phases may have different families.
  bool mixed() const { return cut() && whole_.program().domains.size() > 1; }
  // In a mixed program, phases other than main() that take a considerable part of the step, largest
  // first.
  std::vector<const PlannedPhase*> considerable(const Machine& machine) const;

  const ir::Program& whole() const { return whole_.program(); }

  // Like the functions of Family, but for the whole program.
  Proposal propose(const Family& family, const Machine& machine) const;
  PlanPtr plan(const Family& family, const Schedule& schedule, const Machine& machine,
               Diagnostics& diagnostics) const;

 private:
  const analysis::TimeTiles whole_;
  std::vector<std::unique_ptr<const PlannedPhase>> all_;
  std::vector<size_t> occurrences_;
  size_t in_start_ = 0;
  size_t main_ = 0;
};

}  // namespace stencil::schedule
