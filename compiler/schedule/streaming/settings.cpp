#include "compiler/schedule/streaming/settings.h"

#include "compiler/schedule/shared_settings.h"

namespace stencil::schedule {

std::vector<Setting> streaming_settings() {
  return {
      shared::time_tile(),
      shared::block(),
      shared::elements(),
      shared::chunk(),
      shared::prefetch("2"),
      setting(&StreamingSettings::unroll,
              {.name = "unroll",
               .standard = "`auto`",
               .meaning = "planes per iteration of the loop. `auto`: the number of planes kept, so "
                          "that no value moves between registers",
               .least = 1,
               .most = 16,
               .unit = "a number of planes",
               .usual = {0, 1, 2, 3, 4},
               .automatic = true,
               .octave = 0.3,
               .from_automatic = 0.3}),
      setting(&StreamingSettings::occupancy,
              {.name = "occupancy",
               .standard = "`auto`",
               .meaning = "occupancy, in blocks per multiprocessor, that limits the registers per "
                          "thread",
               .least = 1,
               .most = 32,
               .unit = "blocks per multiprocessor",
               .usual = {0, 1, 2, 3, 4, 8, 12},
               .automatic = true,
               .former_name = "resident"}),
      setting(
          &StreamingSettings::loads,
          {.name = "loads",
           .standard = "`async`",
           .meaning = "how planes are prefetched: into registers; by asynchronous copies into "
                      "shared memory (not with `prefetch=0`, nor for types of 8 or 16 bits); or "
                      "by bulk copies of a whole plane of a tile (not with `prefetch=0`; CUDA "
                      "from compute capability 9.0)",
           .words = {"registers", "async", "bulk"}}),
      setting(
          &StreamingSettings::form,
          {.name = "form",
           .standard = "by program",
           .meaning = "the sum of a point is computed at once, or plane by plane as they arrive "
                      "(`--fp fast` only)",
           .words = {"gather", "scatter"},
           .reorders = true}),
      shared::interior("`split` in 2-D if points differ, else `tested`"),
      shared::rows(),
  };
}

}  // namespace stencil::schedule
