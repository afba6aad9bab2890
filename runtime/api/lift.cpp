// Lifting in the public API: reading the C file, verification, the resulting program.
#include "runtime/api/lift.h"

#include <filesystem>

#include "compiler/support/try.h"
#include "runtime/api/guarded.h"
#include "runtime/api/lift_params.h"

namespace stencil {

namespace api {

runtime::LiftRequest lift_request(const std::string& file, const LiftOptions& options) {
  runtime::LiftRequest request;
  request.file = {
      file, options.function, options.flags,
      options.compile_commands.empty() ? runtime::find_database(file) : options.compile_commands};
  request.options.unroll = options.unroll;
  request.options.params = options.params;
  return request;
}

}  // namespace api

Result<LiftedSource> lift_source(const std::string& file, const LiftOptions& options) {
  return api::guarded<LiftedSource>([&]() -> Result<LiftedSource> {
    const auto request = api::lift_request(file, options);
    const auto lifted = TRY(runtime::lift_file(request));
    LiftedSource out{lifted.program.text, lifted.program.assumed, false, "verification is off"};
    if (options.verify) {
      const auto proof = TRY(api::prove_lifted(lifted, request, options.seed));
      out.verified = proof.compared;
      out.proof = proof.text;
    }
    return out;
  });
}

Result<Program> lift(const std::string& file, const LiftOptions& options) {
  const auto source = TRY(lift_source(file, options));
  return Program::from_text(source.text, options.program,
                            std::filesystem::path(file).stem().string() + ".stn");
}

}  // namespace stencil
