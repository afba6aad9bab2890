#include "compiler/schedule/planes/settings.h"

#include "compiler/schedule/shared_settings.h"

namespace stencil::schedule {

std::vector<Setting> planes_settings() {
  return {
      shared::time_tile(), shared::block(),
      shared::chunk(),     shared::interior("`split` for C++, else `tested`"),
      shared::rows(),
  };
}

}  // namespace stencil::schedule
