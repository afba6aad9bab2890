#include "compiler/schedule/direct/settings.h"

#include "compiler/schedule/shared_settings.h"

namespace stencil::schedule {

std::vector<Setting> direct_settings() {
  return {shared::block(), shared::elements(), shared::rows()};
}

}  // namespace stencil::schedule
