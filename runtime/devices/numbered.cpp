#include "runtime/devices/numbered.h"

#include <fmt/format.h>

#include <sstream>

namespace stencil::runtime {

std::string numbered(const std::string& source) {
  std::istringstream lines(source);
  std::string out;
  int number = 0;
  for (std::string line; std::getline(lines, line);)
    out += fmt::format("{:5} | {}\n", ++number, line);
  return out;
}

}  // namespace stencil::runtime
