// `stencilc devices`: which devices this machine has, and why it lacks the others.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/device.h"
#include "tools/stencilc/commands.h"
#include "tools/stencilc/console.h"

namespace stencil::tool {

int devices_command() {
  std::string text = fmt::format("{:<10}  {:<7}  {}\n", "device", "present", "what it is");
  for (const runtime::DeviceInfo& info : runtime::devices()) {
    text += fmt::format("{:<10}  {:<7}  {}\n", info.name, info.available ? "yes" : "no",
                        info.available ? info.description : info.reason);
  }
  return print_out(text);
}

}  // namespace stencil::tool
