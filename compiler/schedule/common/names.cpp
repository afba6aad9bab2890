#include "compiler/schedule/common/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace stencil::schedule {

bool Names::is_free(const std::string& name, Apart apart) const {
  return taken_.count(name) == 0 &&
         std::none_of(apart.begin(), apart.end(),
                      [&](const Names* names) { return names->taken_.count(name) > 0; });
}

std::string Names::unique(const std::string& wanted, Apart apart) {
  std::string name = wanted;
  for (int n = 1; set_aside_.count(name) || !is_free(name, apart); ++n) {
    name = fmt::format("{}_{}", wanted, n);
  }
  taken_.insert(name);
  return name;
}

std::string Names::keep(const std::string& name, Apart apart) {
  if (!is_free(name, apart)) return unique(name, apart);
  taken_.insert(name);
  return name;
}

}  // namespace stencil::schedule
