// Database entries for tests.
#pragma once

#include <string>

#include "runtime/tune/database.h"

namespace stencil::tune {

inline Entry entry_at(const Sizes& sizes, const std::string& schedule, double seconds,
                      int64_t runs = 5) {
  return {{"cuda", "NVIDIA H200, 132 cores", "0123456789abcdef", "float", "contract"},
          "heat",
          sizes,
          schedule,
          seconds,
          0.01 * seconds,
          runs,
          1000,
          code_version()};
}

}  // namespace stencil::tune
