// `stencilc explain`: prints the compiler's analysis of a program and the reasons for its schedule.
#include "compiler/driver/compile.h"
#include "compiler/driver/cutting.h"
#include "compiler/driver/frontend.h"
#include "compiler/ir/passes.h"
#include "compiler/support/try.h"
#include "runtime/run/run.h"
#include "runtime/run/source.h"
#include "tools/stencilc/commands.h"
#include "tools/stencilc/console.h"
#include "tools/stencilc/machine.h"

namespace stencil::tool {

namespace {

// --gpus, --ranks: the decomposition at the current values of params.
Result<std::string> explain_cut(const Arguments& arguments, const ir::Program& program,
                                const schedule::Machine& machine, Diagnostics& diagnostics) {
  const auto params = TRY(runtime::bind_params(program));
  const Diagnostics failed = ir::failed_checks(program, params.integers, params.reals);
  for (const Diagnostic& diagnostic : failed.items()) diagnostics.add(diagnostic);
  if (failed.has_errors()) return std::string();
  const auto at_sizes = decompose::at_sizes(program, params.integers);
  if (!at_sizes) return Failure{"R052", "the sizes of the grid overflow", "use smaller sizes (-D)"};
  const bool ranks = arguments.gpus.empty();
  const Link& link = ranks                       ? network_link()
                     : machine.threads_are_loops ? memory_link()
                                                 : gpu_link();
  return explain_subdomains(*at_sizes,
                            {ranks ? arguments.ranks : arguments.gpus, arguments.exchange},
                            arguments.schedule, machine, link, diagnostics);
}

}  // namespace

int explain_command(const Arguments& arguments) {
  const auto source = read_program(arguments);
  if (!source.ok()) return report(source.failure());
  Diagnostics diagnostics;
  std::string text;
  const auto program = load_program(
      source.value(), runtime::program_options(arguments.program, arguments.file), diagnostics);
  const emit::TargetInfo* target = emit::target_called(arguments.target);
  // Only kernels of GPUs have counts.
  if (!target && arguments.counts) target = &emit::targets().front();
  const auto assumed = assume_machine(arguments, target);
  if (!assumed.ok()) return report(assumed.failure());
  const emit::TargetInfo& kernels = *assumed.value().target;
  const schedule::Machine& for_machine = assumed.value().machine;
  const bool cut = !arguments.gpus.empty() || !arguments.ranks.empty();
  if (program && cut) {
    const auto of_subdomains = explain_cut(arguments, *program, for_machine, diagnostics);
    if (!of_subdomains.ok()) return report(of_subdomains.failure());
    text = of_subdomains.value();
  } else if (program) {
    text = explain(*program, source.value(), arguments.schedule, diagnostics, for_machine,
                   arguments.full);
  }
  if (!text.empty() && arguments.counts) {
    const std::string counts =
        explain_counts(*program, arguments.schedule, diagnostics, for_machine, kernels.target);
    if (!counts.empty()) text += "\n" + counts;
  }
  if (const ExitStatus status = report(source.value(), diagnostics)) return status;
  if (!text.empty() && !assumed.value().note.empty()) {
    text = wrapped(assumed.value().note, "") + "\n" + text;
  }
  return print_out(text);
}

}  // namespace stencil::tool
