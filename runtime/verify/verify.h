// Compares all devices and schedules with the reference interpreter.
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
  std::string device = "auto";    // "auto": every available device
  std::string schedule = "auto";  // or a line: only that one
  bool quick = false;
  uint64_t seed = 1;
};

// Results for one device and schedule.
struct VerifyRow {
  enum class Verdict { Same, Refused, Failed, Different };
  std::string device;
  std::string schedule;  // the full line
  std::string brief;     // from brief_schedule()
  std::string sizes;     // "9 open, 1 fixed"
  std::string steps;     // "0 1 2 3"
  std::string result;    // "same bits, 48 runs", "refused: ...", or the reason or place of a fault
  Verdict verdict = Verdict::Same;
};

struct VerifyReport {
  std::vector<std::string> sizes;  // labels of the sizes tried
  std::vector<VerifyRow> rows;
  std::vector<std::string> absent;  // "cuda: the CUDA driver ... is not installed"
  bool all_same() const;
  bool device_failed() const;  // a device failed to compile or run a supported case
};

// Called before each row, with its description ("opencl, overlapped T=3 ...") and the report so
// far.
using VerifyProgress =
    std::function<void(const std::string& what, const VerifyReport& so_far, int done, int total)>;

// Errors: code "" with errors in `diagnostics`; R054 if the program's checks fail at all sizes
// tried; R040, R041.
Result<VerifyReport> verify(const ast::Program& tree, const Source& source,
                            const VerifyRequest& request, Diagnostics& diagnostics,
                            const VerifyProgress& progress = {});

}  // namespace stencil::runtime
