// The run as a contest of schedules.
//
// Under `strict` and `contract` all schedules give the same bits, so a run may change its schedule
// between two time tiles. It starts at once with one schedule. Threads compile others meanwhile
// (race_supply.h). When one is ready, it takes over the fields, advances the run for some
// milliseconds, and stays if it is faster beyond the noise; otherwise the leader takes the fields
// back. No step is wasted, and real data decide. docs/design/runtime.md has a drawing.
//
//   leader ------------|        |------------|              |--------------
//   candidate 1        |-trial--|            |              |
//   candidate 2 (wins)                       |-trial--------+--------------
//
// A race belongs to a loaded program, and one session at a time takes part in it. Other sessions
// run with the schedule that leads when they start.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/tune/race.h"

namespace stencil::tune {

class RacingProgram : public runtime::LoadedProgram {
 public:
  // `program` must outlive this object. `first`: the program loaded with the first schedule and its
  // kernels.
  RacingProgram(const ir::Program& program, RacedRun run, schedule::Schedule schedule,
                std::shared_ptr<const kernel::Module> module,
                std::unique_ptr<runtime::LoadedProgram> first);
  ~RacingProgram() override;

  RaceReport report() const;  // thread-safe

  Result<std::string> code(runtime::CodeKind kind) const override;
  std::vector<runtime::KernelResources> resources() const override;
  Result<double> copy_seconds(int64_t bytes) const override;
  Result<std::unique_ptr<runtime::Session>> start(reference::State& state) const override;
  Result<std::unique_ptr<runtime::Session>> attach(
      reference::State& state, const runtime::DeviceArrays& arrays) const override;

 private:
  std::unique_ptr<Race> race_;
};

}  // namespace stencil::tune
