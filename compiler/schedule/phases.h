// A step as phases (ir::Phase). Families plan each as a program of its own, whose steps are the
// phase's iterations, and know nothing of the others; here their plans become one.
#pragma once

#include <memory>
#include <vector>

#include "compiler/schedule/family.h"

namespace stencil::schedule {

// A phase with what families plan it by: of a step that nothing cuts, the program itself.
struct PlannedPhase {
  PlannedPhase(const ir::Program& whole, const ir::Phase& phase);
  PlannedPhase(const PlannedPhase&) = delete;

  // What a schedule of the program is in this phase: no tile has more iterations than the phase.
  Schedule limited(Schedule schedule) const;

  const ir::Phase phase;
  const std::unique_ptr<const ir::Program> own;  // null: it is the whole step
  const analysis::TimeTiles tiles;
};

class Phases {
 public:
  // `program` is to outlive it.
  explicit Phases(const ir::Program& program);

  const std::vector<std::unique_ptr<const PlannedPhase>>& all() const { return all_; }
  bool cut() const { return ir::cuts_steps(whole_.program()); }
  // The one that has most to do: what is chosen for one phase is chosen for this one.
  const PlannedPhase& main() const { return *all_[main_]; }
  // Of a step that is cut: the most iterations that a tile can have.
  int64_t most_iterations() const;

  // As those of a family, for the program.
  Proposal propose(const Family& family, const Machine& machine) const;
  PlanPtr plan(const Family& family, const Schedule& schedule, const Machine& machine,
               Diagnostics& diagnostics) const;

 private:
  const analysis::TimeTiles whole_;
  std::vector<std::unique_ptr<const PlannedPhase>> all_;
  size_t main_ = 0;
};

}  // namespace stencil::schedule
