// Finds schedules that a program cannot have, by changing one setting of each family's defaults at
// a time. Families only make plans here; nothing is lowered.
//
// If a family refuses its own defaults, its other settings are not tried. Block and element shapes
// are not tried either, because a bad shape says nothing about the program.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/schedule/scheduler.h"
#include "compiler/schedule/settings.h"

namespace stencil::schedule {
namespace {

class Collector {
 public:
  Collector(const ir::Program& program, const Machine& machine) : scheduler_(program, machine) {}

  void collect(const Family& family) {
    const Schedule usual = scheduler_.proposal(family).schedule;
    if (refused(family.name, usual)) return;
    for (const Setting& setting : family.settings) {
      // Skip settings that lines omit: they are tried together with other settings.
      if (!setting.is_word() || setting.unsaid) continue;
      for (const Choice& choice : choices(usual, setting, scheduler_.program().grid().rank())) {
        refused(family.name + " " + choice.setting, choice.schedule);
      }
    }
    if (!family.has(shared::kTimeTile)) return;
    Schedule deeper = usual;
    while (deeper.time_tile++ < kMaxTimeTile) {
      if (refused(fmt::format("{} T={}", family.name, deeper.time_tile), deeper)) return;
    }
  }

  std::vector<Refusal> take() { return std::move(refusals_); }

 private:
  bool refused(const std::string& line, const Schedule& schedule) {
    Diagnostics reasons;
    if (scheduler_.plan(schedule, reasons)) return false;
    refusals_.push_back({line, std::move(reasons)});
    return true;
  }

  Scheduler scheduler_;
  std::vector<Refusal> refusals_;
};

}  // namespace

std::vector<Refusal> refusals(const ir::Program& program, const Machine& machine) {
  Collector collector(program, machine);
  for (const Family& family : family_table()) collector.collect(family);
  return collector.take();
}

}  // namespace stencil::schedule
