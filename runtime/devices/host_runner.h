// Execution of a host program (compiler/host_ir/program.h) on an accelerator.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/host_ir/program.h"
#include "compiler/reference/state.h"
#include "runtime/devices/accelerator.h"
#include "runtime/devices/launch_recordings.h"
#include "runtime/devices/plan_memory.h"
#include "runtime/devices/replays.h"
#include "runtime/devices/subdomain_exchange.h"

namespace stencil::runtime {

class HostRunner {
 public:
  // All arguments must outlive this object. `exchanges`: null if the program is not a subdomain's.
  HostRunner(Accelerator& accelerator, const kernel::Module& module, reference::State& state,
             PlanMemory& memory, Replays& replays, SubdomainExchange* exchanges)
      : accelerator_(accelerator),
        module_(module),
        state_(state),
        memory_(memory),
        replays_(replays),
        exchanges_(exchanges),
        recordings_(accelerator) {}

  // Executes the beginning of the program, with values from `origin`.
  Status begin(const host_ir::Program& program, const PlanMemory::Origin& origin);
  // The same program with exchanges that overlap, or with a cycle. The variables keep their values.
  void set_program(host_ir::Program program);

  // Copies the newest levels of the user's arrays, which the user may have changed.
  Status refresh_copies();
  // Takes up to this many steps; returns the number of steps taken.
  Result<int64_t> run(int64_t steps);
  // Moves the levels of the user's arrays to their memory.
  Status bring_home();
  // Reads the values of the reductions into the state; the device must have done its work.
  Status collect();

 private:
  struct Value {
    std::string name;
    int64_t value = 0;
    std::optional<size_t> reduction = {};  // whose number of evaluations it is
  };

  Value* find(const std::string& name);  // null: there is none
  int64_t& variable(const std::string& name) { return find(name)->value; }
  int64_t evaluate(const kernel::Expr& expr);
  void assign(const std::string& name, int64_t value);
  void read_state();

  Status execute(const host_ir::Body& body);
  Status execute(const host_ir::For& loop);
  Status iterate(const host_ir::For& loop);
  Status execute(const host_ir::Launch& launch);
  Status execute(const host_ir::Replay& replay);
  Status launch_blocks(const kernel::Launch& launch);
  Accelerator::Call call(const host_ir::Launch& launch);
  Status exchange(const kernel::Exchange& exchange);
  Status restore(const kernel::Reduction& reduction, const reference::ReductionValue& value);
  Status collect(const kernel::Reduction& reduction, reference::ReductionValue& value);
  Status answer();
  Accelerator::Mark& mark(host_ir::MarkName name) { return marks_[static_cast<size_t>(name)]; }
  Status await(host_ir::MarkName name);
  Status await_exchange();
  Result<bool> replay(const host_ir::For& loop);
  Status take_cycle(const host_ir::For& loop);

  friend struct HostStatement;

  Accelerator& accelerator_;
  const kernel::Module& module_;
  reference::State& state_;
  PlanMemory& memory_;
  Replays& replays_;
  SubdomainExchange* const exchanges_;
  LaunchRecordings recordings_;
  std::optional<std::vector<Accelerator::Call>> gathered_;  // the launches of the current replay
  host_ir::Program program_;
  PlanMemory::Origin origin_;
  std::vector<Value> variables_;
  bool leaving_ = false;                             // the loop over the steps
  std::map<const kernel::Launch*, int64_t> blocks_;  // number of blocks, by launch of the plan
  Accelerator::Mark marks_[4];                       // by MarkName; null: not set
  Accelerator::Call bound_;
  // State at the beginning and the end of a recorded cycle.
  std::vector<std::vector<Accelerator::Memory>> recorded_slots_;
  std::vector<int64_t> recorded_tiles_;
};

}  // namespace stencil::runtime
