// `stencilc lift`: C and C++ loops to a stencil program.
#include <fmt/format.h>

#include "runtime/api/lift_verify.h"
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
  std::string text = lifted.value().program.text;
  if (arguments.verify) {
    const auto proof = api::prove(lifted.value(), request, arguments.seed);
    if (!proof.ok()) return report(proof.failure());
    const std::string said = (proof.value().compared ? "verified: " : "not verified: ") + proof.value().text;
    fmt::print(stderr, "{}\n", said);
  }
  if (arguments.output.empty()) return print_out(text);
  const Status written = write_files({{arguments.output, text}});
  return written.ok() ? kSuccess : report(written.failure());
}

}  // namespace stencil::tool
