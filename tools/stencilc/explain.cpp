// `stencilc explain`: what the compiler knows about a program and why it chose what it chose.
#include "compiler/driver/compile.h"
#include "compiler/driver/frontend.h"
#include "runtime/api/source.h"
#include "runtime/devices/device_table.h"
#include "tools/stencilc/commands.h"
#include "tools/stencilc/console.h"

namespace stencil::tool {

int explain_command(const Arguments& arguments) {
  const auto source = api::read_source(arguments.file);
  if (!source.ok()) return report(source.failure());
  Diagnostics diagnostics;
  std::string text;
  const auto program = load_program(
      source.value(), api::program_options(arguments.program, arguments.file), diagnostics);
  const emit::TargetInfo* target = emit::target_called(arguments.target);
  schedule::Machine machine = machine_of(target ? target->target : emit::targets().front().target);
  if (arguments.device != "auto") {
    const auto chosen = runtime::choose_device(arguments.device);
    if (!chosen.ok()) return report(chosen.failure());
    machine = chosen.value().device.machine;
  }
  if (program) {
    text =
        explain(*program, source.value(), arguments.schedule, diagnostics, machine, arguments.full);
  }
  if (const ExitStatus status = report(source.value(), diagnostics)) return status;
  return print_out(text);
}

}  // namespace stencil::tool
