// `stencilc lift`: C and C++ loops to a stencil program.
#include <fmt/format.h>

#include "runtime/lifting/lifting.h"
#include "tools/stencilc/commands.h"
#include "tools/stencilc/console.h"

namespace stencil::tool {

int lift_command(const Arguments& arguments) {
  runtime::LiftRequest request;
  request.file = {arguments.file, arguments.function, arguments.flags,
                  runtime::find_database(arguments.file)};
  request.options.unroll = arguments.unroll;
  const auto lifted = runtime::lift_file(request);
  if (!lifted.ok()) return report(lifted.failure());
  const std::string& text = lifted.value().program.text;
  if (arguments.output.empty()) return print_out(text);
  const Status written = write_files({{arguments.output, text}});
  return written.ok() ? kSuccess : report(written.failure());
}

}  // namespace stencil::tool
