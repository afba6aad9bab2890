// Feeds arbitrary bytes to the parser and, if they parse, to semantic analysis.
//
// The front end must not crash. It must return a result if and only if it reports no error, and
// every message must be renderable. Inputs are cut at 64 KiB: the depth and length limits are
// reached well below that, and longer inputs only slow the fuzzer down.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "compiler/sema/analyze.h"
#include "compiler/syntax/parse.h"

namespace {

constexpr size_t kMaxInput = size_t{64} << 10;

void require(bool promise) {
  if (!promise) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > kMaxInput) return -1;
  const stencil::Source source("fuzz.stn", std::string(reinterpret_cast<const char*>(data), size));
  stencil::Diagnostics diagnostics;
  const auto program = stencil::parse(source, diagnostics);
  require(program.has_value() != diagnostics.has_errors());
  if (program) {
    stencil::print(*program);
    const auto analyzed = stencil::analyze(*program, source, {}, diagnostics);
    require(analyzed.has_value() != diagnostics.has_errors());
  }
  stencil::render(source, diagnostics);
  return 0;
}
