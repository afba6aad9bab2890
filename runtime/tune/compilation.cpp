// Optimisation takes most of the time of a compiler, and its time grows with the code that it sees.
// That is the text, but the parts behind a let with `cases` once for each value: by this, the
// kernels of `planes` for programs of several functions take three times as long as their text
// suggests. docs/design/notes/model-machine-code.md has the measurements.
#include "runtime/tune/compilation.h"

#include "compiler/kernel/instances.h"
#include "compiler/support/diagnostic.h"
#include "runtime/devices/host_device.h"
#include "runtime/run/run.h"

namespace stencil::tune {

namespace {

constexpr double kOnCpu = 2e-5, kOnGpu = 6e-5;  // seconds per character

}  // namespace

double compilation_of(double characters, bool on_cpu) {
  return (on_cpu ? kOnCpu : kOnGpu) * characters;
}

std::optional<double> compilation_of(const ir::Program& program, const schedule::Schedule& schedule,
                                     const schedule::Machine& machine) {
  Diagnostics refusals;
  const auto module = runtime::lower(program, schedule, machine, refusals, schedule::Advice::None);
  if (!module) return std::nullopt;
  const auto characters = static_cast<double>(runtime::host_source(*module).size());
  return compilation_of(characters * kernel::instances_of_nodes(*module),
                        machine.threads_are_loops);
}

}  // namespace stencil::tune
