// All outputs of a run, each with its interval.
#pragma once

#include <memory>
#include <vector>

#include "runtime/run/non_finite.h"
#include "runtime/run/outputs.h"

namespace stencil::runtime {

// Series, growing files, and the files of the final state.
class RunOutputs {
 public:
  // For a run from the step of `state` to `last_step`. `program` must outlive it. Errors of
  // NetcdfSeries::begin().
  static Result<RunOutputs> begin(const ir::Program& program, const std::vector<Output>& outputs,
                                  const reference::State& state, int64_t last_step);

  // Events that write the outputs and let `watch` look at what they wrote. This object and the
  // watch must outlive them.
  std::vector<Event> events(NonFiniteWatch& watch);
  // Events that encode animations at the end of the run. They may take minutes, so they come after
  // the checkpoint: a killed process then loses only animations.
  std::vector<Event> encodings(NonFiniteWatch& watch);

 private:
  struct Growing {
    Output output;
    std::unique_ptr<GrowingFile> file;
  };
  struct Numbered {
    std::vector<Output> outputs;
    std::unique_ptr<Series> series;
  };

  // Events that finish the animations, or the other growing files.
  std::vector<Event> finishing(NonFiniteWatch& watch, bool animations);

  explicit RunOutputs(const ir::Program& program) : program_(program) {}

  const ir::Program& program_;
  std::vector<Numbered> series_;  // one per interval
  std::vector<Growing> growing_;
  std::vector<Output> final_;  // files of the final state
};

}  // namespace stencil::runtime
