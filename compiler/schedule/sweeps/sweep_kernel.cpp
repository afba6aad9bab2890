#include "compiler/schedule/sweeps/sweep_kernel.h"

#include "compiler/analysis/reads.h"
#include "compiler/schedule/parts/limits.h"
#include "compiler/schedule/sweeps/tile_kernel.h"

namespace stencil::schedule {

void append_sweeps(const Interface& interface, const std::vector<SweepTile>& sweeps,
                   kernel::Module& module) {
  Names kernel_names = interface.names_in(module);
  for (const SweepTile& tile : sweeps) {
    provide_copies(*tile.sweep, module.plan);
    lower_sweep(interface, tile, kernel_names, module);
  }
}

void count_sweeps(const ir::Program& program, const std::vector<Sweep>& sweeps, Footprint& out) {
  for (const Sweep& sweep : sweeps) {
    for (const analysis::Reads& reads : analysis::reads_of(program, *sweep.function)) {
      const size_t field = static_cast<size_t>(reads.field);
      out.bytes_read += static_cast<double>(bytes_per_point(program.fields[field]));
    }
    for (const ir::FieldId target : sweep.function->targets) {
      out.bytes_written +=
          static_cast<double>(bytes_per_point(program.fields[static_cast<size_t>(target)]));
    }
  }
}

}  // namespace stencil::schedule
