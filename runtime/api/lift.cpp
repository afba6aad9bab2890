// Lifting in the public API: reading the C file, verification, the resulting program.
#include "runtime/api/lift.h"

#include <filesystem>

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
    const auto lifted = runtime::lift_file(request);
    if (!lifted.ok()) return lifted.failure();
    LiftedSource out{lifted.value().program.text, lifted.value().program.assumed, false,
                     "verification is off"};
    if (options.verify) {
      const auto proof = api::prove_lifted(lifted.value(), request, options.seed);
      if (!proof.ok()) return proof.failure();
      out.verified = proof.value().compared;
      out.proof = proof.value().text;
    }
    return out;
  });
}

Result<Program> lift(const std::string& file, const LiftOptions& options) {
  const auto source = lift_source(file, options);
  if (!source.ok()) return source.failure();
  return Program::from_text(source.value().text, options.program,
                            std::filesystem::path(file).stem().string() + ".stn");
}

}  // namespace stencil
