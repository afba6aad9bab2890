// The numbers of a machine, measured: what schedules are chosen by (schedule::Machine), and what
// the models of their cost would take besides. docs/measure.md has how each follows from times.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/measure/report.h"
#include "runtime/measure/timer.h"

namespace stencil::measure {

// How memory is read in the figures: bytes in all, and by each of a device's levels.
struct WorkingSets {
  struct Level {
    std::string name;  // "L1", "L2", "L3", "memory"
    int64_t bytes;
  };
  std::vector<Level> levels;          // the nearest first; memory is the last
  std::vector<int64_t> around_cache;  // from well inside the machine's last cache to well beyond
};
// Multiples of kChunkBytes, powers of two in `levels`; none has more than `most_bytes`.
WorkingSets working_sets(const schedule::Machine& machine, int64_t most_bytes);

// `progress` is told what is being done. Fails as Device::load does if nothing at all can be
// measured; otherwise what could not is left out by name, with the reason.
Result<Report> measure(const runtime::ChosenDevice& device, const Effort& effort = {},
                       const std::function<void(const std::string&)>& progress = {});

}  // namespace stencil::measure
