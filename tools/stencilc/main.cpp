// stencilc: the command-line tool.
//
//   words --parse_command_line--> Arguments --a subcommand--> files, text, an exit status
//
// The compiler itself starts in compiler/driver/compile.cpp.
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "compiler/schedule/schedule.h"
#include "compiler/support/diagnostic.h"
#include "runtime/devices/environment.h"
#include "tools/stencilc/commands.h"
#include "tools/stencilc/console.h"
#include "tools/stencilc/death.h"
#include "tools/stencilc/options.h"

namespace stencil::tool {
namespace {

int dispatch(const Arguments& arguments) {
  const Status understood = runtime::check_environment();
  if (!understood.ok()) return report(understood.failure());
  if (const auto unknown = runtime::unknown_variables()) warn(*unknown);
  report(Source("stencilc", ""), schedule::notes_on_old_names(arguments.schedule));
  switch (arguments.command) {
    case Command::Compile:
      return compile_command(arguments);
    case Command::Check:
      return check_command(arguments);
    case Command::Format:
      return format_command(arguments);
    case Command::Completion:
      return print_out(completion_script(arguments.shell));
    case Command::Explain:
      return explain_command(arguments);
    case Command::Explore:
      return explore_command(arguments);
    case Command::Run:
      return run_command(arguments);
    case Command::Verify:
      return verify_command(arguments);
    case Command::Lift:
      return lift_command(arguments);
    case Command::Devices:
      return devices_command(arguments);
    case Command::Cache:
      return cache_command(arguments);
    case Command::Tuned:
      return tuned_command(arguments);
  }
  return kUsage;
}

int stencilc(int argc, const char* const* argv) {
  const auto parsed = parse_command_line(argc, argv);
  if (const auto* answer = std::get_if<Answer>(&parsed)) {
    if (!answer->to_stderr) return print_out(answer->text);
    std::fputs(answer->text.c_str(), stderr);
    return answer->status;
  }
  return dispatch(std::get<Arguments>(parsed));
}

int guarded(int argc, const char* const* argv) {
  try {
    return stencilc(argc, argv);
  } catch (const std::bad_alloc&) {
    return usage("R046", "not enough memory", "use smaller sizes (-D)");
  } catch (const std::exception& error) {
    return usage("R075", std::string("internal error: ") + error.what(),
                 "please report it with the program and the command");
  }
}

}  // namespace
}  // namespace stencil::tool

int main(int argc, char** argv) {
  // Exceeding the file-size limit and writing to a closed pipe become errors of write(): a run
  // whose messages are not read must still complete its outputs.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  stencil::tool::announce_death();
  return stencil::tool::guarded(argc, argv);
}
