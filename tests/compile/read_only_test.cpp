// Loads of fields that a kernel only reads are loads through the read-only path (ld.global.nc), the
// present counterpart of texture fetches. NVRTC compiles kernels of every family to PTX, which
// needs no GPU. Skipped on machines without NVRTC.
#include <fmt/format.h>

#include <regex>
#include <string>

#include "compiler/driver/compile.h"
#include "compiler/driver/frontend.h"
#include "compiler/emit/emit.h"
#include "runtime/devices/nvrtc.h"

namespace {

using namespace stencil;

// Kernels read A and B and write the spare copy of A.
const char* const kProgram =
    "grid G = [0..63, 0..63, 0..63] steps 4; field A : real on G boundary clamp;"
    "field B : real on G constant;"
    "stencil s : A on G = B[0,0,0] * (A[-1,0,0] + A[1,0,0] + A[0,-1,0] + A[0,1,0] + A[0,0,-1] + "
    "A[0,0,1]);";

const char* const kLines[] = {"direct",
                              "direct rows=padded",
                              "overlapped T=2",
                              "planes T=2",
                              "streaming T=2 loads=registers",
                              "sweeps memory=haloed",
                              "@krotkiewski",
                              "@krotkiewski memory=haloed",
                              "@vizitiu-2dshmreg"};

// Matches of `pattern` in the text.
int count(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  return static_cast<int>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), regex), std::sregex_iterator()));
}

bool passes(const runtime::Nvrtc& nvrtc, const std::string& line) {
  const Source source("read_only.stn", kProgram);
  Diagnostics diagnostics;
  const auto program = load_program(source, {}, diagnostics);
  CompileRequest request;
  request.schedule = line;
  request.emit.kernels_only = true;
  const auto compiled = program ? compile(*program, source, request, diagnostics) : std::nullopt;
  if (!compiled) {
    fmt::print("{}: {}\n", line, render(source, diagnostics));
    return false;
  }
  runtime::NvrtcJob job{compiled->text, 80, emit::required_flags(emit::Target::Cuda, program->fp)};
  job.output = runtime::NvrtcOutput::Ptx;
  const auto ptx = nvrtc.compile(job);
  if (!ptx.ok()) {
    fmt::print("{}: {}\n", line, ptx.failure().message);
    return false;
  }
  const int all = count(ptx.value(), R"(\bld\.global\.)");
  const int read_only = count(ptx.value(), R"(\bld\.global\.nc\.)");
  fmt::print("{}: {} of {} loads by the read-only path\n", line, read_only, all);
  return all > 0 && read_only == all;
}

}  // namespace

int main() {
  const auto nvrtc = stencil::runtime::Nvrtc::open(0);
  if (!nvrtc.ok()) {
    fmt::print("SKIPPED: {}\n", nvrtc.failure().message);
    return 77;
  }
  int failed = 0;
  for (const char* line : kLines) failed += passes(nvrtc.value(), line) ? 0 : 1;
  return failed > 0 ? 1 : 0;
}
