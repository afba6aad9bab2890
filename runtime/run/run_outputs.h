// All outputs of a run, each with its interval.
#pragma once

#include <memory>
#include <vector>

#include "runtime/run/animation.h"
#include "runtime/run/netcdf_series.h"
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
  // If there are animations: the event that writes them and the files of the final state, all or
  // none. Encoding may take minutes, so this event comes after the checkpoint: a killed process
  // then loses no steps. Else events() writes the files of the final state.
  std::vector<Event> encodings(NonFiniteWatch& watch);

 private:
  template <class File>
  struct Growing {
    Output output;
    std::unique_ptr<File> file;
  };
  struct Numbered {
    std::vector<Output> outputs;
    std::unique_ptr<Series> series;
  };

  explicit RunOutputs(const ir::Program& program) : program_(program) {}

  const ir::Program& program_;
  std::vector<Numbered> series_;  // one per interval
  std::vector<Growing<NetcdfSeries>> records_;
  std::vector<Growing<Animation>> animations_;
  std::vector<Output> final_;  // files of the final state
};

}  // namespace stencil::runtime
