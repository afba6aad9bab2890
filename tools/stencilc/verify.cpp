// `stencilc verify`: prints the comparisons and returns an exit status for scripts.
#include "runtime/verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <optional>

#include "compiler/syntax/parse.h"
#include "runtime/api/source.h"
#include "stencil/files.h"
#include "tools/stencilc/commands.h"
#include "tools/stencilc/console.h"
#include "tools/stencilc/periodic.h"
#include "tools/stencilc/progress.h"

namespace stencil::tool {

namespace {

using runtime::VerifyReport;
using runtime::VerifyRow;

std::string table_of(const std::vector<VerifyRow>& rows, bool full) {
  std::vector<std::vector<std::string>> cells = {
      {"device", "schedule", "sizes", "steps", "result"}};
  for (const VerifyRow& row : rows) {
    cells.push_back(
        {row.device, full ? row.schedule : row.brief, row.sizes, row.steps, row.result});
  }
  return table(cells, cells[0].size());
}

std::string conclusion(const VerifyReport& report, double seconds, bool interrupted) {
  int same = 0, refused = 0, bad = 0;
  for (const VerifyRow& row : report.rows) {
    same += row.verdict == VerifyRow::Verdict::Same;
    refused += row.verdict == VerifyRow::Verdict::Refused;
    bad +=
        row.verdict == VerifyRow::Verdict::Different || row.verdict == VerifyRow::Verdict::Failed;
  }
  std::string out = fmt::format("{}: {} agree with the reference, {} refused, {} wrong; {:.1f} s\n",
                                bad > 0       ? "FAILED"
                                : interrupted ? "interrupted"
                                              : "verified",
                                same, refused, bad, seconds);
  if (same == 0 && bad == 0 && !interrupted) {
    out += "nothing was compared: only the reference interpreter runs this program here\n";
  }
  return out;
}

// Prints the results and returns the exit status.
int conclude(const VerifyReport& result, double seconds, bool interrupted, bool full) {
  warn_of_cache();
  std::string text;
  if (!result.sizes.empty()) {
    text = wrapped(fmt::format("{}", fmt::join(result.sizes, "; ")), "sizes: ") + "\n";
    text += table_of(result.rows, full) + "\n";
  }
  for (const std::string& absent : result.absent) {
    text += wrapped(absent, "not present: ");
  }
  text += conclusion(result, seconds, interrupted);
  if (const ExitStatus printed = print_out(text)) return printed;
  if (!result.all_same()) return kProgramAtFault;
  if (interrupted) return interrupted_by(InterruptGuard::signal_number());
  return result.device_failed() ? kDeviceAtFault : kSuccess;
}

// Handles signals during a verification. Compilers and kernels cannot be interrupted, so a separate
// thread watches for signals, prints the results so far and ends the process.
class Watch {
 public:
  explicit Watch(bool full) : full_(full) {
    guard_.note_first();
    using namespace std::chrono_literals;
    looks_.emplace(50ms, [this] {
      if (InterruptGuard::interrupted()) end_process();
    });
  }
  // Updates the results so far and the next comparison.
  void now(const VerifyReport& known, const std::string& next) {
    const std::lock_guard<std::mutex> held(mutex_);
    known_ = known;
    line_.show(seconds(), next);
  }
  // Stops watching for signals.
  void end() {
    looks_.reset();
    line_.erase();
  }
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  [[noreturn]] void end_process() {
    const std::lock_guard<std::mutex> held(mutex_);
    line_.erase();
    const int status = conclude(known_, seconds(), true, full_);
    remove_temporary_files();
    std::_Exit(status);
  }

  const bool full_;  // print full schedule lines
  InterruptGuard guard_;
  ProgressLine line_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  VerifyReport known_;
  std::optional<Periodic> looks_;  // watches for signals; last member, so that it ends first
};

}  // namespace

int verify_command(const Arguments& arguments) {
  const auto source = read_program(arguments);
  if (!source.ok()) return report(source.failure());
  Diagnostics diagnostics;
  const auto tree = parse(source.value(), diagnostics);
  if (!tree) return report(source.value(), diagnostics);
  runtime::VerifyRequest request;
  request.options = api::program_options(arguments.program, arguments.file);
  request.device = arguments.device;
  request.schedule = arguments.schedule;
  request.quick = arguments.quick;
  request.seed = arguments.seed;

  Watch watch(arguments.full);
  std::optional<ExitStatus> reported;
  const auto report_once = [&] {
    if (!reported) reported = report(source.value(), diagnostics);
  };
  const auto verified =
      runtime::verify(*tree, source.value(), request, diagnostics,
                      [&](const std::string& what, const VerifyReport& known, int done, int total) {
                        report_once();  // no diagnostics are added after this
                        watch.now(known, fmt::format("[{}/{}] {}", done, total, what));
                      });
  watch.end();
  report_once();
  if (!verified.ok()) {
    return verified.failure().code.empty() ? *reported : report(verified.failure());
  }
  return conclude(verified.value(), watch.seconds(), false, arguments.full);
}

}  // namespace stencil::tool
