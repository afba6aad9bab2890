// What a look at the end of a run should tell: where it ran and how fast, its reductions, and for
// --stats the extent of the values, mean, norm, and whether anything went wrong (NaN).
#include "tools/stencilc/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace stencil::tool {

namespace {

using Row = std::vector<std::string>;

std::string print(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{:.9g}", value);  // its sign means nothing
}

Row describe(const std::string& name, const Statistics& s) {
  const bool any = s.points > s.nans;
  const auto number = [&](double value) { return any ? print(value) : "-"; };
  return {
      name,         std::to_string(s.points), number(s.least), number(s.greatest), number(s.mean),
      number(s.l2), std::to_string(s.nans)};
}

Result<std::string> reductions(const Program& program, Simulation& simulation) {
  const auto values = simulation.reductions();
  if (!values.ok()) return values.failure();
  std::string out;
  for (size_t r = 0; r < values.value().size(); ++r) {
    const ReductionValue& value = values.value()[r];
    const ElementType type = program.reductions()[r].type;
    const bool real = type == ElementType::Float || type == ElementType::Double;
    const std::string text = value.evaluations == 0 ? "not evaluated yet"
                             : real                 ? print(value.value)
                                                    : fmt::format("{}", value.integer);
    out += fmt::format("reduce    {} = {}", value.name, text);
    if (value.first_nan > 0) out += fmt::format(", first NaN at step {}", value.first_nan);
    out += '\n';
  }
  return out;
}

// The first column to the left, the others to the right.
std::string print_table(const std::vector<Row>& rows) {
  std::vector<size_t> widths(rows[0].size(), 0);
  for (const Row& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const Row& row : rows) {
    text += fmt::format("{:<{}}", row[0], widths[0]);
    for (size_t c = 1; c < row.size(); ++c) text += fmt::format("  {:>{}}", row[c], widths[c]);
    text += '\n';
  }
  return text;
}

}  // namespace

Result<std::string> summary(const Kernel& kernel, Simulation& simulation, const Report& report,
                            int64_t first, int64_t wanted) {
  std::string out =
      fmt::format("device    {}: {}\n", kernel.device().name, kernel.device().description);
  if (!kernel.schedule().empty()) out += fmt::format("schedule  {}\n", kernel.schedule());
  out += fmt::format("steps     {}", report.steps);
  if (report.stopped || report.interrupted || report.nan) out += fmt::format(" of {}", wanted);
  if (first > 0) out += fmt::format(", after {} of the checkpoint", first);
  if (report.stopped) out += ": the stop condition holds";
  if (report.nan) out += ": " + report.nan->message;
  if (report.interrupted) out += fmt::format(": interrupted at step {}", first + report.steps);
  out += fmt::format("\ntime      {:.3f} s, {:.4g} GCells/s\n", report.seconds,
                     report.gcells_per_second());
  const auto values = reductions(kernel.program(), simulation);
  if (!values.ok()) return values.failure();
  return out + values.value();
}

std::string describe(const NonFinite& values, int64_t step) {
  std::string counts;
  if (values.nans > 0) counts += fmt::format("{} NaN", values.nans);
  if (values.infinities > 0) {
    counts += fmt::format("{}{} infinite", counts.empty() ? "" : " and ", values.infinities);
  }
  std::string out =
      fmt::format("{} has {} among {} values at step {}, the first at [{}]", values.field, counts,
                  values.values, step, fmt::join(values.first, ", "));
  if (values.step < step) out += fmt::format("; its files have some since step {}", values.step);
  return out;
}

Result<std::string> statistics(State& state) {
  std::vector<Row> rows{{"field", "points", "min", "max", "mean", "l2", "nan"}};
  for (const FieldInfo& field : state.fields()) {
    for (const ComponentInfo& component : field.components) {
      const std::string name = field.name + component.path;
      const auto values = state.statistics(name);
      if (!values.ok()) return values.failure();
      rows.push_back(describe(name, values.value()));
    }
  }
  return print_table(rows);
}

}  // namespace stencil::tool
