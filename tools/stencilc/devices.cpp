// `stencilc devices`: which devices this machine has, and why it lacks the others.
#include <fmt/format.h>

#include <vector>

#include "runtime/devices/device_table.h"
#include "tools/stencilc/commands.h"
#include "tools/stencilc/console.h"

namespace stencil::tool {

int devices_command() {
  std::vector<std::vector<std::string>> rows = {{"device", "present", "what it is"}};
  for (const runtime::DeviceInfo& info : runtime::devices()) {
    rows.push_back({fmt::format("{:<10}", info.name), info.available ? "yes" : "no",
                    info.available ? info.description : info.reason});
  }
  return print_out(table(rows, rows[0].size()));
}

}  // namespace stencil::tool
