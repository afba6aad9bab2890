// `stencilc lift`: lifts C and C++ loops to a stencil program; also reads C files for other
// commands.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "compiler/driver/compile.h"
#include "compiler/driver/frontend.h"
#include "compiler/support/source.h"
#include "compiler/support/try.h"
#include "runtime/api/lift.h"
#include "runtime/api/lift_params.h"
#include "runtime/api/lift_replace.h"
#include "runtime/lifting/lifting.h"
#include "runtime/run/source.h"
#include "stencil/lift.h"
#include "tools/stencilc/commands.h"
#include "tools/stencilc/console.h"
#include "tools/stencilc/machine.h"

namespace stencil::tool {

namespace {

LiftOptions lift_options(const Arguments& arguments) {
  LiftOptions options;
  options.function = arguments.function;
  options.flags = arguments.flags;
  options.unroll = arguments.unroll;
  options.params = arguments.params;
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

Result<Source> read_c_program(const Arguments& arguments) {
  LiftOptions options = lift_options(arguments);
  // only commands that run programs execute the user's C code
  const bool runs = arguments.command == Command::Run || arguments.command == Command::Verify;
  options.verify = options.verify && runs;
  auto lifted = lift_source(arguments.file, options);
  if (!lifted.ok()) return lifted.failure();
  if (!runs) {
    lifted.value().proof = fmt::format(
        "this command does not run the C file; 'stencilc lift {}' does", arguments.file);
  }
  tell(lifted.value());
  return Source(arguments.file + " (lifted)", lifted.value().text);
}

namespace {

// Helpers that a drop-in function needs in addition to the emitted file.
constexpr const char* kHostParts = R"(
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <vector>
)";
constexpr const char* kShorter = R"(
// The first elements of an array of the caller, in memory of the length that the program needs.
template <class T>
struct stencil_part {
  T* caller;
  size_t have;
  std::vector<typename std::remove_const<T>::type> own;
  stencil_part(T* at, int64_t present, int64_t needed) : caller(at), have((size_t)present) {
    if (present >= needed) return;
    own.resize((size_t)needed);
    std::copy(at, at + have, own.begin());
  }
  T* data() { return own.empty() ? caller : own.data(); }
  void back() {
    if (!own.empty()) std::copy(own.data(), own.data() + have, caller);
  }
};
)";
constexpr const char* kDeviceParts = R"(
static void stencil_trade(void* a, void* b, size_t bytes) {
  void* spare = nullptr;
  if (cudaMalloc(&spare, bytes) != cudaSuccess) abort();
  cudaMemcpyAsync(spare, a, bytes, cudaMemcpyDeviceToDevice, 0);
  cudaMemcpyAsync(a, b, bytes, cudaMemcpyDeviceToDevice, 0);
  cudaMemcpyAsync(b, spare, bytes, cudaMemcpyDeviceToDevice, 0);
  cudaFree(spare);
}
)";

// Writes FILE.cu or FILE.cpp with the kernels, their entry points and the function, and FILE.h.
ExitStatus replace(const Arguments& arguments) {
  const std::filesystem::path output = arguments.output;
  const bool cuda = output.extension() == ".cu";
  if (!cuda && output.extension() != ".cpp") {
    return usage("U012", "--replace needs an output .cu or .cpp",
                 "name the output, as in -o heat_stencil.cu");
  }
  if (arguments.device_pointers && !cuda) {
    return usage("U010", "--device-pointers needs a .cu output", "");
  }
  auto request = api::lift_request(arguments.file, lift_options(arguments));
  request.options.keep_ghosts = true;
  const auto lifted = runtime::lift_file(request);
  if (!lifted.ok()) return report(lifted.failure());
  if (arguments.verify) {
    const auto proof = api::prove_lifted(lifted.value(), request, arguments.seed);
    if (!proof.ok()) return report(proof.failure());
    tell({"", lifted.value().program.assumed, proof.value().compared, proof.value().text});
  }
  const Source source(arguments.file + " (lifted)", lifted.value().program.text);
  Options options = arguments.program;
  options.name = output.stem().string();
  Diagnostics diagnostics;
  const ProgramOptions program_options = runtime::program_options(options, options.name);
  const auto program = load_program(source, program_options, diagnostics);
  CompileRequest compile_request;
  compile_request.command_line = arguments.command_line;
  compile_request.file_name = arguments.output_name;
  compile_request.emit.target = cuda ? emit::Target::Cuda : emit::Target::Cpp;
  const auto assumed = assume_machine(arguments, &emit::info(compile_request.emit.target));
  if (!assumed.ok()) return report(assumed.failure());
  compile_request.machine = assumed.value().machine;
  compile_request.machine_text = describe(assumed.value());
  compile_request.emit.all_given = true;
  std::optional<Compiled> compiled;
  if (program) compiled = compile(*program, source, compile_request, diagnostics);
  if (const ExitStatus status = report(source, diagnostics); !compiled) return status;
  const std::string name = program_options.name;
  const auto made = api::drop_in(lifted.value(), name, compiled->text, arguments.device_pointers);
  if (!made.ok()) return report(made.failure());
  std::string text = compiled->text + kHostParts;
  if (made.value().definition.find("std::span") != std::string::npos) text += "#include <span>\n";
  if (made.value().definition.find("stencil_part<") != std::string::npos) text += kShorter;
  if (made.value().definition.find("stencil_trade(") != std::string::npos) text += kDeviceParts;
  text += "\n" + made.value().definition;
  const bool plain = !lifted.value().tree.cpp;
  std::string header = "#pragma once\n";
  if (!plain) header += "#include <array>\n#include <span>\n#include <vector>\n";
  if (plain) header += "#ifdef __cplusplus\nextern \"C\"\n#endif\n";
  header += made.value().declaration + "\n";
  std::filesystem::path beside = output;
  const Status written =
      write_files({{arguments.output, text}, {beside.replace_extension(".h").string(), header}});
  return written.ok() ? kSuccess : report(written.failure());
}

}  // namespace

int lift_command(const Arguments& arguments) {
  if (arguments.replace) return replace(arguments);
  if (arguments.device_pointers) return usage("U010", "--device-pointers requires --replace");
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
