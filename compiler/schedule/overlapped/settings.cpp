#include "compiler/schedule/overlapped/settings.h"

#include "compiler/schedule/shared_settings.h"

namespace stencil::schedule {

std::vector<Setting> overlapped_settings() {
  return {
      shared::time_tile(),
      shared::block(),
      shared::elements(),
      setting(&OverlappedSettings::regions,
              {.name = "regions",
               .standard = "`hull`",
               .meaning = "the box computed at each step: the box that later steps need, or the "
                          "largest box at every step",
               .words = {"shrink", "hull"}}),
      shared::rows(),
  };
}

}  // namespace stencil::schedule
