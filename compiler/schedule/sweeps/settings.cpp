#include "compiler/schedule/sweeps/settings.h"

#include "compiler/schedule/shared_settings.h"

namespace stencil::schedule {

namespace {

// A setting that belonged to `direct`, or that makes a line of `direct` one of this family. Lines
// omit it at its first value.
Setting of_direct(Setting row) {
  row.former_family = "direct";
  row.unsaid = true;
  return row;
}

}  // namespace

std::vector<Setting> sweeps_settings() {
  return {
      shared::block(),
      shared::elements(),
      of_direct(shared::chunk()),
      of_direct(shared::prefetch("0")),
      of_direct(setting(
          &SweepsSettings::column,
          {.name = "column",
           .standard = "`cache`",
           .meaning =
               "what a sweeping thread keeps of its column: nothing; operands; or everything "
               "that can be computed before the last plane arrives, as partial sums",
           .words = {"cache", "registers", "partial"}})),
      of_direct(setting(
          &SweepsSettings::operands,
          {.name = "operands",
           .standard = "`cache`",
           .meaning =
               "where a thread reads values beside its points. `cache`: global memory, through the "
               "caches. `shared`, `rows`, `tile`: shared memory with the halo of the block's tile, "
               "without the halo in x, or without any halo; the rest comes from global memory. "
               "`shuffles`: registers of other threads of its row",
           .words = {"cache", "shared", "rows", "tile", "shuffles"}})),
      of_direct(setting(
          &SweepsSettings::halo,
          {.name = "halo",
           .standard = "`border`",
           .meaning =
               "how the halo of a shared tile is loaded. `border`: by the threads next to "
               "it. `cover`: by additional threads (tiles overlap). `remap`: by all threads, "
               "renumbered over the tile with its halo. In x, `remap` widens the halo to "
               "whole sectors of 32 bytes if tiles begin with one",
           .words = {"border", "cover", "remap"}})),
      of_direct(setting(
          &SweepsSettings::memory,
          {.name = "memory",
           .standard = "`plain`",
           .meaning =
               "what loads from global memory read. `plain`: the arrays; loads beyond a field's "
               "edge are tested. `haloed`: copies of the arrays with a replicated halo, which a "
               "kernel fills by the boundary rules before each sweep; loads are not tested",
           .words = {"plain", "haloed"}})),
      shared::rows(),
  };
}

}  // namespace stencil::schedule
