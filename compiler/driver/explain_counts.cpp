// `stencilc explain --counts`: tables of the operations that kernels execute
// (compiler/kernel/trace.h).
#include <fmt/format.h>

#include "compiler/driver/compile.h"
#include "compiler/kernel/trace.h"
#include "compiler/schedule/scheduler.h"
#include "compiler/support/layout.h"

namespace stencil {

namespace {

using kernel::Counters;

// Writes 14002632 as "14,002,632".
std::string grouped(int64_t number) {
  std::string out = fmt::format("{}", number);
  for (auto place = static_cast<int>(out.size()) - 3; place > 0; place -= 3) {
    out.insert(static_cast<size_t>(place), ",");
  }
  return out;
}

std::vector<std::pair<std::string, int64_t>> counted(const Counters& c) {
  constexpr int kSector = kernel::kSectorBytes;
  return {
      {"global loads", c.global_loads},
      {"  of 64 bits", c.loads64},
      {"  of 32 bits", c.loads32},
      {"  bytes", c.load_bytes},
      {"  warp requests", c.load_requests},
      {"  sectors", c.load_sectors},
      {"  bytes of sectors", c.load_sectors * kSector},
      {"  lines", c.load_lines},
      {"global stores", c.global_stores},
      {"  of 64 bits", c.stores64},
      {"  of 32 bits", c.stores32},
      {"  bytes", c.store_bytes},
      {"  warp requests", c.store_requests},
      {"  sectors", c.store_sectors},
      {"  bytes of sectors", c.store_sectors * kSector},
      {"  lines", c.store_lines},
      {"shared loads", c.shared_loads},
      {"  wavefronts", c.shared_load_wavefronts},
      {"shared stores", c.shared_stores},
      {"  wavefronts", c.shared_store_wavefronts},
      {"warp branches", c.branches},
      {"  divergent", c.divergent_branches},
      {"block barriers", c.barriers},
      {"warp shuffles", c.shuffles},
      {"flops", c.flops},
      {"operations", c.operations},
  };
}

std::string heading_of_counts(const std::string& name, const kernel::TracedKernel& traced) {
  std::string out =
      fmt::format("{}: {} block{} of {} threads in {} launch{}, {} bytes of shared memory each",
                  name, grouped(traced.blocks), traced.blocks == 1 ? "" : "s", traced.threads,
                  traced.launches, traced.launches == 1 ? "" : "es", traced.shared_bytes);
  if (traced.data_dependent) {
    out +=
        "; conditions and accesses that depend on data are counted as if every thread executed "
        "them";
  }
  if (traced.sampled) out += "; scaled from a sample of the blocks";
  return wrapped(out, "  ", "    ");
}

std::string table_of_counts(const Counters& counters, double updates) {
  std::vector<std::vector<std::string>> rows = {{"", "in all", "per point and step"}};
  for (const auto& [name, count] : counted(counters)) {
    const bool detail = name.starts_with("  ");
    if (count == 0 && detail) continue;
    rows.push_back(
        {name, grouped(count),
         updates > 0 ? fmt::format("{:.4f}", static_cast<double>(count) / updates) : "-"});
  }
  return table(rows, TableStyle{.indent = "    ", .texts = 1});
}

std::string text_of_counts(const kernel::Module& module, const kernel::Trace& trace) {
  const double updates = static_cast<double>(trace.points) * static_cast<double>(trace.steps);
  std::string out = wrapped(
      fmt::format(
          "Counts for a tile of {} step{}, {} points each: elements and operations are counted per "
          "thread, requests per warp; caches and compiler optimisations are not modelled",
          trace.steps, trace.steps == 1 ? "" : "s", grouped(trace.points)),
      "", "  ");
  const auto add = [&](const kernel::TracedKernel& traced, const std::string& note) {
    const std::string& name = module.kernels[traced.kernel].name;
    out += heading_of_counts(name + note, traced) + table_of_counts(traced.counts, updates);
  };
  for (const kernel::TracedKernel& traced : trace.kernels) add(traced, "");
  if (trace.kernels.size() > 1) {
    out += "  All kernels\n" + table_of_counts(trace.total().counts, updates);
  }
  for (const kernel::TracedKernel& traced : trace.reductions) add(traced, ", where it is due");
  return out;
}

}  // namespace

std::string explain_counts(const ir::Program& program, const std::string& schedule_line,
                           Diagnostics& diagnostics, const schedule::Machine& machine,
                           emit::Target target) {
  schedule::Scheduler scheduler(program, machine);
  const auto schedule = scheduler.parse(schedule_line, diagnostics);
  if (!schedule) return "";
  auto module = scheduler.lower(*schedule, diagnostics);
  if (!module) return "";
  emit::Options options;
  options.target = target;
  options.threads_are_loops = machine.threads_are_loops;
  const kernel::Module legal = emit::legalise(std::move(*module), options);
  std::string problem;
  const auto trace = kernel::trace(legal, {.most_work = kMostCountedWork}, problem);
  if (trace) return text_of_counts(legal, *trace);
  diagnostics.error("U041", {}, "cannot count: " + problem).hint =
      "use --target cuda, and set params with -D";
  return "";
}

}  // namespace stencil
