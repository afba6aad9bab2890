// `stencilc lift`: C and C++ loops to a stencil program; and C files where other commands take
// programs.
#include <fmt/format.h>

#include <cstdio>

#include "compiler/support/source.h"
#include "runtime/api/source.h"
#include "runtime/lifting/lifting.h"
#include "stencil/lift.h"
#include "tools/stencilc/commands.h"
#include "tools/stencilc/console.h"

namespace stencil::tool {

namespace {

LiftOptions lift_options(const Arguments& arguments) {
  LiftOptions options;
  options.function = arguments.function;
  options.flags = arguments.flags;
  options.unroll = arguments.unroll;
  options.verify = arguments.verify;
  options.seed = arguments.seed;
  return options;
}

void tell(const LiftedSource& lifted) {
  for (const std::string& assumed : lifted.assumed) {
    fmt::print(stderr, "{}", wrapped(assumed, "assumed: "));
  }
  fmt::print(stderr, "{}",
             wrapped(lifted.proof, lifted.verified ? "verified: " : "not verified: "));
}

}  // namespace

Result<Source> read_program(const Arguments& arguments) {
  if (!runtime::is_c_file(arguments.file)) return api::read_source(arguments.file);
  const auto lifted = lift_source(arguments.file, lift_options(arguments));
  if (!lifted.ok()) return lifted.failure();
  tell(lifted.value());
  return Source(arguments.file + " (lifted)", lifted.value().text);
}

int lift_command(const Arguments& arguments) {
  const auto lifted = lift_source(arguments.file, lift_options(arguments));
  if (!lifted.ok()) return report(lifted.failure());
  if (!arguments.output.empty()) {
    const Status written = write_files({{arguments.output, lifted.value().text}});
    if (!written.ok()) return report(written.failure());
  }
  tell(lifted.value());
  return arguments.output.empty() ? print_out(lifted.value().text) : kSuccess;
}

}  // namespace stencil::tool
