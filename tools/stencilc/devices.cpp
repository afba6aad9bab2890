// `stencilc devices`: which devices this machine has, why it lacks the others, and the machines that
// schedules are made for.
#include <fmt/format.h>

#include <vector>

#include "runtime/devices/device_table.h"
#include "compiler/support/layout.h"
#include "tools/stencilc/commands.h"
#include "tools/stencilc/console.h"

namespace stencil::tool {

int devices_command() {
  std::vector<std::vector<std::string>> rows = {{"device", "present", "what it is"}};
  std::string here;
  for (const runtime::Device& device : runtime::device_table()) {
    const runtime::DeviceInfo info = device.probe("");
    rows.push_back({fmt::format("{:<10}", info.name), info.available ? "yes" : "no",
                    info.available ? info.description : info.reason});
    if (!info.available || !device.runs_kernels) continue;
    const schedule::Machine machine = runtime::machine_of(device, "");
    here += wrapped(fmt::format("{:<10}  {}", device.name, describe(machine)), "  ",
                    std::string(14, ' '));
  }
  std::string table_of_machines;
  for (const schedule::Machine& machine : schedule::machine_table()) {
    table_of_machines += wrapped(fmt::format("{:<10}  {}", machine.name, describe(machine)), "  ",
                                 std::string(14, ' '));
  }
  return print_out(table(rows, rows[0].size()) + "\nMachines of these devices (--machine this)\n" +
                   here + "\nMachines that --machine names\n" + table_of_machines);
}

}  // namespace stencil::tool
