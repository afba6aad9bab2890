// Compares all devices and schedules with the reference interpreter.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/sema/analyze.h"
#include "runtime/devices/device_table.h"
#include "runtime/verify/compare.h"
#include "stencil/result.h"

namespace stencil::runtime {

struct VerifyReport;

struct VerifyRequest {
  ProgramOptions options;         // options.steps, if given, is the only step count tried
  std::string device = "auto";    // "auto": every available device
  std::string schedule = "auto";  // or a line: only that one
  bool quick = false;
  uint64_t seed = 1;
  // Seconds after which no case is started, counted from the call; nullopt: run all cases.
  std::optional<double> budget = {};
  // The schedule line that a run with "auto" would take on a device; null or nullopt: the model's.
  std::function<std::optional<std::string>(const ir::Program&, const ChosenDevice&)> line_in_use =
      {};
  // Called when the budget has ended while kernels are still being compiled. verify() then waits
  // for these compilers; the callback may end the process instead.
  std::function<void(const VerifyReport&)> before_waiting = {};
};

// Results for one device and schedule.
struct VerifyRow {
  enum class Verdict { NotRun, Same, Refused, Failed, Different };
  std::string device;
  std::string schedule;  // the full line
  std::string brief;     // from brief_schedule()
  std::string sizes;     // "9 open, 1 fixed": those that were run
  std::string steps;     // "0 1 2 3": those that were run
  std::string result;    // "same bits, 48 runs", "refused: ...", or the reason or place of a fault
  Verdict verdict = Verdict::NotRun;
  int64_t planned = 0, run = 0;  // cases
};

struct VerifyReport {
  std::vector<std::string> sizes;  // labels of the sizes that were run
  std::vector<VerifyRow> rows;
  std::vector<std::string> absent;  // "cuda: the CUDA driver ... is not installed"
  // Cases, one comparison each. `refused`: planned ones whose kernels the device cannot run.
  int64_t planned = 0, run = 0, refused = 0;
  bool all_same() const;
  bool device_failed() const;  // a device failed to compile or run a supported case
  bool complete() const { return run + refused == planned; }  // every case was run or refused
};

// Called before the first case, and before others a few times per second, with the case's device
// and schedule ("opencl, overlapped T=3 ...") and the report so far.
using VerifyProgress = std::function<void(const std::string& what, const VerifyReport& so_far)>;

// Cases run in the order of plan_cases() (verify_plan.h). Within a budget, no case is started that
// is expected to end after it, so the call ends at most one case later, apart from
// `before_waiting`. Errors: code "" with errors in `diagnostics`; R054 if the program's checks fail
// at all sizes tried; R040, R041.
Result<VerifyReport> verify(const ast::Program& tree, const Source& source,
                            const VerifyRequest& request, Diagnostics& diagnostics,
                            const VerifyProgress& progress = {});

}  // namespace stencil::runtime
