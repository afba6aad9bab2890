// `stencilc verify`: prints the comparisons and returns an exit status for scripts.
#include "runtime/verify/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <optional>

#include "compiler/syntax/parse.h"
#include "runtime/run/source.h"
#include "runtime/tune/timed_choice.h"
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
    if (row.verdict == VerifyRow::Verdict::NotRun) continue;
    cells.push_back(
        {row.device, full ? row.schedule : row.brief, row.sizes, row.steps, row.result});
  }
  return table(cells, cells[0].size());
}

int64_t count_of(const VerifyReport& report, VerifyRow::Verdict verdict) {
  return std::count_if(report.rows.begin(), report.rows.end(),
                       [&](const VerifyRow& row) { return row.verdict == verdict; });
}

// Why no case was compared, for the last line.
std::string reason_for_nothing(const VerifyReport& report, std::optional<double> budget,
                               bool interrupted) {
  if (report.device_failed()) return "the devices failed";
  if (interrupted) return "a signal ended it";
  if (!report.complete() && budget) {
    return fmt::format("no case fits into {:g} s; give a larger --budget, or --full", *budget);
  }
  return report.rows.empty() ? "only the reference interpreter runs this program here"
                             : "every schedule was refused";
}

// The last two lines. The first word is "verified" only if every case of the plan was run and
// agrees.
std::string conclusion(const VerifyReport& report, double seconds, std::optional<double> budget,
                       bool interrupted) {
  using Verdict = VerifyRow::Verdict;
  const int64_t same = count_of(report, Verdict::Same),
                refused = count_of(report, Verdict::Refused),
                bad = count_of(report, Verdict::Different) + count_of(report, Verdict::Failed);
  const bool whole = report.complete() && report.run > 0;
  std::string out =
      fmt::format("{}: {} agree with the reference{}, {} refused, {} wrong; {:.1f} s\n",
                  bad > 0       ? "FAILED"
                  : interrupted ? "interrupted"
                  : whole       ? "verified"
                                : "incomplete",
                  same, whole || same == 0 ? "" : " so far", refused, bad, seconds);
  out += fmt::format("{} of {} cases", report.run, report.planned);
  if (report.refused > 0) out += fmt::format(", {} refused", report.refused);
  if (report.run == 0) {
    out += "; nothing was compared: " + reason_for_nothing(report, budget, interrupted);
  } else if (!report.complete() && bad == 0) {
    out += ", the rest with --full";
  }
  return out + "\n";
}

// Prints the results and returns the exit status.
int conclude(const VerifyReport& result, double seconds, std::optional<double> budget,
             bool interrupted, bool full) {
  warn_of_cache();
  std::string text;
  if (!result.sizes.empty()) {
    text = wrapped(fmt::format("{}", fmt::join(result.sizes, "; ")), "sizes: ") + "\n";
  }
  if (result.planned > 0 || !result.rows.empty()) text += table_of(result.rows, full) + "\n";
  for (const std::string& absent : result.absent) {
    text += wrapped(absent, "not present: ");
  }
  text += conclusion(result, seconds, budget, interrupted);
  if (const ExitStatus printed = print_out(text)) return printed;
  if (!result.all_same()) return kProgramAtFault;
  if (interrupted) return interrupted_by(InterruptGuard::signal_number());
  return result.device_failed() || result.run == 0 ? kDeviceAtFault : kSuccess;
}

// Handles signals and the display during a verification. Compilers and kernels cannot be
// interrupted, so a separate thread watches for signals, prints the results so far and ends the
// process.
class Watch {
 public:
  Watch(bool full, std::optional<double> budget) : full_(full), budget_(budget) {
    guard_.note_first();
    using namespace std::chrono_literals;
    looks_.emplace(50ms, [this] {
      if (InterruptGuard::interrupted()) end_process(true);
      const std::lock_guard<std::mutex> held(mutex_);
      show();
    });
  }
  // Updates the results so far and the next comparison.
  void now(const VerifyReport& known, const std::string& next) {
    const std::lock_guard<std::mutex> held(mutex_);
    known_ = known;
    next_ = next;
    show();
  }
  // Prints the results and ends the process, whatever its other threads do.
  [[noreturn]] void end_process(const VerifyReport& known) {
    {
      const std::lock_guard<std::mutex> held(mutex_);
      known_ = known;
    }
    end_process(false);
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
  [[noreturn]] void end_process(bool interrupted) {
    const std::lock_guard<std::mutex> held(mutex_);
    line_.erase();
    const int status = conclude(known_, seconds(), budget_, interrupted, full_);
    remove_temporary_files();
    std::_Exit(status);
  }
  void show() {
    if (next_.empty()) return;
    const int64_t done = known_.run + known_.refused;
    line_.show(seconds(), describe_verification(done, known_.planned, seconds(), budget_, next_,
                                                line_.width()));
  }

  const bool full_;  // print full schedule lines
  const std::optional<double> budget_;
  InterruptGuard guard_;
  ProgressLine line_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  VerifyReport known_;
  std::string next_;
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
  request.options = runtime::program_options(arguments.program, arguments.file);
  request.device = arguments.device;
  request.schedule = arguments.schedule;
  request.quick = arguments.quick;
  request.seed = arguments.seed;
  if (!arguments.full) request.budget = arguments.budget;
  request.line_in_use = [](const ir::Program& program, const runtime::ChosenDevice& device) {
    const auto stored = tune::automatic_line(program, device, {.only_stored = true});
    return stored ? std::optional(stored->line) : std::nullopt;
  };

  Watch watch(arguments.full, request.budget);
  std::optional<ExitStatus> reported;
  const auto report_once = [&] {
    if (!reported) reported = report(source.value(), diagnostics);
  };
  request.before_waiting = [&](const VerifyReport& known) {
    report_once();
    watch.end_process(known);
  };
  const auto verified = runtime::verify(*tree, source.value(), request, diagnostics,
                                        [&](const std::string& what, const VerifyReport& known) {
                                          report_once();  // no diagnostics are added after this
                                          watch.now(known, what);
                                        });
  watch.end();
  report_once();
  if (!verified.ok()) {
    return verified.failure().code.empty() ? *reported : report(verified.failure());
  }
  return conclude(verified.value(), watch.seconds(), request.budget, false, arguments.full);
}

}  // namespace stencil::tool
