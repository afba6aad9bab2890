// The output at the end of a run: device and speed, reductions, and with --stats the range, mean
// and norm of the fields and their number of NaN.
#include "tools/stencilc/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <vector>

#include "tools/stencilc/console.h"

namespace stencil::tool {

namespace {

using Row = std::vector<std::string>;

std::string print(double value, int digits = 9) {
  return std::isnan(value) ? "nan" : fmt::format("{:.{}g}", value, digits);  // without a NaN's sign
}

Row row_of(const std::string& name, const Statistics& s, int digits) {
  const bool any = s.points > s.nans;
  const auto number = [&](double value) { return any ? print(value, digits) : "-"; };
  return {
      name,         std::to_string(s.points), number(s.least), number(s.greatest), number(s.mean),
      number(s.l2), std::to_string(s.nans)};
}

Result<std::string> reductions(const Program& program, Simulation& simulation) {
  const auto values = STENCIL_TRY(simulation.reductions());
  std::string out;
  for (size_t r = 0; r < values.size(); ++r) {
    const ReductionValue& value = values[r];
    if (program.reductions()[r].profile && value.first_nan == 0) continue;
    const ElementType type = program.reductions()[r].type;
    const bool real = type == ElementType::Float || type == ElementType::Double;
    const std::string text = value.evaluations == 0 ? "not evaluated yet"
                             : real                 ? print(value.value)
                                                    : fmt::format("{}", value.integer);
    std::string line = fmt::format("{} = {}", value.name, text);
    if (program.reductions()[r].profile) line = value.name;
    if (value.first_nan > 0) line += fmt::format(", first NaN at step {}", value.first_nan);
    out += wrapped(line, "reduce    ");
  }
  return out;
}

}  // namespace

std::string describe(const ScheduleRace& race) {
  std::string out =
      fmt::format("{} other schedule{} during the run", race.tried, race.tried == 1 ? "" : "s");
  out += race.changes == 0
             ? std::string(": none is faster")
             : fmt::format(": this one has {:.2f} times the speed of the first", race.gain);
  return out + fmt::format("; {:.2g} s lost by trials", race.lost) +
         (race.changes == 0 ? "" : fmt::format(", {:.2g} s saved", race.saved));
}

Result<std::string> summary(const Kernel& kernel, Simulation& simulation, const Report& report,
                            int64_t first, int64_t wanted, bool full) {
  std::string out = wrapped(
      fmt::format("{}: {}", kernel.device().name, kernel.device().description), "device    ");
  if (!kernel.parts().empty()) out += wrapped(kernel.parts(), "parts     ");
  const auto race = kernel.race();
  const std::string schedule = race ? (full ? race->schedule : race->brief)
                                    : (full ? kernel.schedule() : kernel.brief_schedule());
  const std::string& origin = kernel.schedule_origin();
  const std::string why = origin.empty() ? "" : fmt::format(" ({})", origin);
  if (!schedule.empty()) out += wrapped(schedule + why, "schedule  ");
  if (race && race->tried > 0) out += wrapped(describe(*race), "tried     ");
  std::string steps = fmt::format("{}", report.steps);
  if (report.stopped || report.interrupted || report.nan) steps += fmt::format(" of {}", wanted);
  if (first > 0) steps += fmt::format(", after {} of the checkpoint", first);
  if (first > 0 && wanted == 0) {
    steps +=
        ": nothing is left to do, because the number of steps (--steps) counts from the first step "
        "of the simulation";
  }
  if (report.stopped) steps += ": the stop condition holds";
  if (report.nan) steps += ": " + report.nan->message;
  if (report.interrupted) steps += fmt::format(": interrupted at step {}", first + report.steps);
  out += wrapped(steps, "steps     ");
  out += fmt::format("time      {:.3f} s, {:.4g} GCells/s\n", report.seconds,
                     report.gcells_per_second());
  const auto values = STENCIL_TRY(reductions(kernel.program(), simulation));
  return out + values;
}

std::string describe(const NonFinite& values) {
  if (values.first.empty()) {
    return fmt::format("the reduction {} is infinite at step {}", values.field, values.last);
  }
  std::string counts;
  if (values.nans > 0) counts += fmt::format("{} NaN", values.nans);
  if (values.infinities > 0) {
    counts += fmt::format("{}{} infinite", counts.empty() ? "" : " and ", values.infinities);
  }
  std::string out =
      fmt::format("{} has {} among {} values at step {}, the first at [{}]", values.field, counts,
                  values.values, values.last, fmt::join(values.first, ", "));
  if (values.step < values.last)
    out += fmt::format("; files written since step {} contain such values", values.step);
  return out;
}

Result<std::string> statistics(State& state) {
  std::vector<std::pair<std::string, Statistics>> all;
  for (const FieldInfo& field : state.fields()) {
    for (const ComponentInfo& component : field.components) {
      const std::string name = field.name + component.path;
      const auto values = STENCIL_TRY(state.statistics(name));
      all.emplace_back(name, values);
    }
  }
  std::string text;
  for (const int digits : {9, 7, 5}) {  // fewer if lines would be too long
    std::vector<Row> rows{{"field", "points", "min", "max", "mean", "l2", "nan"}};
    for (const auto& [name, values] : all) rows.push_back(row_of(name, values, digits));
    text = table(rows, 1);
    if (fits(text)) break;
  }
  return text;
}

}  // namespace stencil::tool
