// What is left that a program cannot have: the settings of each family are tried one by one, beside
// its defaults for the program. Only the families' `refuse` is asked, so nothing is lowered.
//
// A family that refuses its own defaults is not asked for more. Shapes of blocks and patches are
// not tried: what is wrong with one is no property of the program.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/schedule/family.h"

namespace stencil::schedule {
namespace {

class Collector {
 public:
  Collector(const ir::Program& program, const Machine& machine)
      : program_(program), machine_(machine) {}

  void collect(const Family& family) {
    const Schedule usual = family.defaults(program_, machine_);
    if (refused(family, family.name, usual)) return;
    for (const WordChoice& choice : word_choices(family, usual)) {
      refused(family, family.name + " " + choice.setting, choice.schedule);
    }
    Schedule deeper = usual;
    while (deeper.time_tile++ < kMaxTimeTile && has_time_tile(family)) {
      if (refused(family, fmt::format("{} T={}", family.name, deeper.time_tile), deeper)) return;
    }
  }

  std::vector<Refusal> take() { return std::move(refusals_); }

 private:
  static bool has_time_tile(const Family& family) {
    return std::count(family.settings.begin(), family.settings.end(), Setting::TimeTile) != 0;
  }

  bool refused(const Family& family, const std::string& line, const Schedule& schedule) {
    Diagnostics reasons;
    refuse(family, program_, schedule, machine_, Advice::Given, reasons);
    if (!reasons.has_errors()) return false;
    refusals_.push_back({line, std::move(reasons)});
    return true;
  }

  const ir::Program& program_;
  const Machine machine_;
  std::vector<Refusal> refusals_;
};

}  // namespace

std::vector<Refusal> refusals(const ir::Program& program, const Machine& machine) {
  Collector collector(program, machine);
  for (const Family& family : family_table()) collector.collect(family);
  return collector.take();
}

}  // namespace stencil::schedule
