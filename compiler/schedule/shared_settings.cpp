#include "compiler/schedule/shared_settings.h"

namespace stencil::schedule::shared {

Setting time_tile() {
  return setting(&SharedSettings::time_tile,
                 {.name = std::string(kTimeTile),
                  .standard = "by program",
                  .meaning = "steps per launch, the time tile. In a step that is "
                             "[cut](language.md#repeat): iterations per launch, at most those of "
                             "the phase",
                  .least = 1,
                  .most = kMaxTimeTile,
                  .unit = "a number of steps",
                  .usual = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32}});
}

Setting block() {
  return {.name = std::string(kBlock),
          .standard = "by program",
          .meaning = "threads per block",
          .shape = &SharedSettings::block,
          .values =
              "up to 1024 threads, 64 in z and further dimensions together; for C++, where "
              "threads are loops, up to 2^20"};
}

Setting elements() {
  return {.name = std::string(kElements),
          .standard = "by program",
          .meaning = "points per thread",
          .shape = &SharedSettings::elements,
          .values = "up to 256"};
}

Setting chunk() {
  return setting(
      &SharedSettings::chunk,
      {.name = std::string(kChunk),
       .standard = "`auto`",
       .meaning = "planes that a block writes. `auto`: in `streaming` chosen so that the "
                  "blocks fill the machine; in `planes` so that little is recomputed at "
                  "the ends; in `sweeps` the planes of `block` and `elements`. With any "
                  "other value, a block of `sweeps` sweeps that many planes",
       .least = 1,
       .most = kAllPlanes,
       .unit = "a number of planes",
       .usual = {0, 1, 2, 3, 5, 8, 20, 64, 256},
       .automatic = true,
       .all = true});
}

Setting prefetch(const std::string& standard) {
  return setting(&SharedSettings::prefetch,
                 {.name = std::string(kPrefetch),
                  .standard = standard,
                  .meaning = "planes loaded ahead of their use; in `sweeps` at most 1",
                  .least = 0,
                  .most = 4,
                  .unit = "a number of planes",
                  .usual = {0, 1, 2, 3, 4},
                  .octave = 0.3});
}

Setting interior(const std::string& standard) {
  return setting(&SharedSettings::interior,
                 {.name = std::string(kInterior),
                  .standard = standard,
                  .meaning = "separate loops without tests for the inside of the grid, or one "
                             "version for all points",
                  .words = {"split", "tested"},
                  .former_name = "edges"});
}

Setting rows() {
  return setting(
      &SharedSettings::rows,
      {.name = std::string(kRows),
       .standard = "`auto`",
       .meaning = "how rows (in x) lie in device memory: padded to aligned starts, or as "
                  "in the user's arrays. `auto` pads, except in C++",
       .words = {"auto", "padded", "dense"},
       .unsaid = true});
}

}  // namespace stencil::schedule::shared
