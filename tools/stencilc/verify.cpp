// `stencilc verify`: the table of what was compared, and an exit status for scripts.
#include "runtime/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "compiler/syntax/parse.h"
#include "runtime/api/source.h"
#include "tools/stencilc/commands.h"
#include "tools/stencilc/console.h"
#include "tools/stencilc/progress.h"

namespace stencil::tool {

namespace {

using runtime::VerifyReport;
using runtime::VerifyRow;

std::string table(const std::vector<VerifyRow>& rows) {
  size_t device = 6, schedule = 8, sizes = 5, steps = 5;
  for (const VerifyRow& row : rows) {
    device = std::max(device, row.device.size());
    schedule = std::max(schedule, row.schedule.size());
    sizes = std::max(sizes, row.sizes.size());
    steps = std::max(steps, row.steps.size());
  }
  const auto line = [&](const std::string& d, const std::string& s, const std::string& z,
                        const std::string& t, const std::string& result) {
    return fmt::format("{:<{}}  {:<{}}  {:<{}}  {:<{}}  {}\n", d, device, s, schedule, z, sizes, t,
                       steps, result);
  };
  std::string out = line("device", "schedule", "sizes", "steps", "result");
  for (const VerifyRow& row : rows) {
    out += line(row.device, row.schedule, row.sizes, row.steps, row.result);
  }
  return out;
}

std::string conclusion(const VerifyReport& report, double seconds) {
  int same = 0, refused = 0, bad = 0;
  for (const VerifyRow& row : report.rows) {
    same += row.verdict == VerifyRow::Verdict::Same;
    refused += row.verdict == VerifyRow::Verdict::Refused;
    bad +=
        row.verdict == VerifyRow::Verdict::Different || row.verdict == VerifyRow::Verdict::Failed;
  }
  std::string out = fmt::format("{}: {} agree with the reference, {} refused, {} wrong; {:.1f} s\n",
                                bad > 0              ? "FAILED"
                                : report.interrupted ? "interrupted"
                                                     : "verified",
                                same, refused, bad, seconds);
  if (same == 0 && bad == 0 && !report.interrupted) {
    out += "nothing was compared: only the reference interpreter runs this program here\n";
  }
  return out;
}

}  // namespace

int verify_command(const Arguments& arguments) {
  const auto source = api::read_source(arguments.file);
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

  InterruptGuard guard;
  guard.note_first();
  ProgressLine line;
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const auto verified =
      runtime::verify(*tree, source.value(), request, diagnostics,
                      [&](const std::string& what, int done, int total) {
                        line.show(seconds(), fmt::format("[{}/{}] {}", done, total, what));
                        return !InterruptGuard::interrupted();
                      });
  line.erase();
  const ExitStatus status = report(source.value(), diagnostics);
  if (!verified.ok()) return verified.failure().code.empty() ? status : report(verified.failure());

  const VerifyReport& result = verified.value();
  std::string text = fmt::format("sizes: {}\n\n", fmt::join(result.sizes, "; "));
  text += table(result.rows) + "\n";
  for (const std::string& absent : result.absent) text += "not present: " + absent + "\n";
  text += conclusion(result, seconds());
  if (const ExitStatus printed = print_out(text)) return printed;
  if (!result.all_same()) return kProgramAtFault;
  if (result.interrupted) return interrupted_by(InterruptGuard::signal_number());
  return result.device_failed() ? kDeviceAtFault : kSuccess;
}

}  // namespace stencil::tool
