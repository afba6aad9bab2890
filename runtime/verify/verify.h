// Comparing every device and schedule with the reference interpreter.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/sema/analyze.h"
#include "runtime/verify/compare.h"
#include "stencil/result.h"

namespace stencil::runtime {

struct VerifyRequest {
  ProgramOptions options;         // options.steps, if given, is the only step count tried
  std::string device = "auto";    // "auto": every device present
  std::string schedule = "auto";  // or one line, to try only that
  bool quick = false;
  uint64_t seed = 1;
};

// One device and schedule.
struct VerifyRow {
  enum class Verdict { Same, Refused, Failed, Different };
  std::string device;
  std::string schedule;  // the whole line
  std::string brief;     // the line as brief_schedule() has it
  std::string sizes;     // "9 open, 1 fixed"
  std::string steps;     // "0 1 2 3"
  std::string result;    // "same bits, 48 runs", "refused: ...", the reason or place of a fault
  Verdict verdict = Verdict::Same;
};

struct VerifyReport {
  std::vector<std::string> sizes;  // labels of the sizes tried
  std::vector<VerifyRow> rows;
  std::vector<std::string> absent;  // "cuda: the CUDA driver ... is not installed"
  bool all_same() const;
  bool device_failed() const;  // some device could not compile or run what it should
};

// Called before each row with its place ("opencl, overlapped T=3 ...") and all that is known so
// far.
using VerifyProgress =
    std::function<void(const std::string& what, const VerifyReport& so_far, int done, int total)>;

// Fails with errors in `diagnostics` (code ""), or with R054 if there is no size at which the
// program's checks hold, or R040, R041.
Result<VerifyReport> verify(const ast::Program& tree, const Source& source,
                            const VerifyRequest& request, Diagnostics& diagnostics,
                            const VerifyProgress& progress = {});

}  // namespace stencil::runtime
