// `stencilc devices`: lists the devices of this machine, the reasons why others are absent, and the
// machines for schedules. With --measure: calibrates the available devices (measure.cpp).
#include <fmt/format.h>

#include <vector>

#include "runtime/devices/device_table.h"
#include "tools/stencilc/commands.h"
#include "tools/stencilc/console.h"
#include "tools/stencilc/measure.h"

namespace stencil::tool {

int devices_command(const Arguments& arguments) {
  if (arguments.measure) return measure_devices(arguments);
  std::vector<std::vector<std::string>> rows = {{"device", "present", "description"}};
  const auto columns = schedule::machine_columns();
  std::vector<std::vector<std::string>> here = {columns}, known = {columns};
  for (const runtime::Device& device : runtime::device_table()) {
    const runtime::DeviceInfo info = device.probe("");
    rows.push_back({fmt::format("{:<10}", info.name), info.available ? "yes" : "no",
                    info.available ? info.description : info.reason});
    if (!info.available || !device.runs_kernels) continue;
    here.push_back(describe(runtime::machine_of(device, "")));
    here.back()[0] = device.name;
  }
  for (const schedule::Machine& machine : schedule::machine_table()) {
    known.push_back(describe(machine));
  }
  return print_out(
      table(rows, rows[0].size()) + "\nMachines of these devices, for --machine this\n" +
      table(here, columns.size()) + "\nOther values of --machine\n" + table(known, columns.size()));
}

}  // namespace stencil::tool
