// What a look at the numbers of a run should tell: extent of the values, mean, norm, and whether
// anything went wrong (NaN). Sums are in long double, so squares of large doubles do not overflow
// and millions of points do not drown the last ones.
#include "runtime/stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace stencil::runtime {
namespace {

using Row = std::vector<std::string>;

Row describe(const std::string& name, const Statistics& s) {
  const auto number = [&](double value) { return s.any() ? fmt::format("{:.9g}", value) : "-"; };
  return {
      name,         std::to_string(s.points), number(s.least), number(s.greatest), number(s.mean),
      number(s.l2), std::to_string(s.nans)};
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

Statistics statistics_of(const reference::FieldData& field, int component) {
  Statistics result;
  result.points = field.points;
  long double sum = 0;
  long double squares = 0;
  for (int64_t i = 0; i < field.points; ++i) {
    const double value = field.real(0, component, i);
    if (std::isnan(value)) {
      ++result.nans;
      continue;
    }
    const bool first = i == result.nans;
    result.least = first ? value : std::min(result.least, value);
    result.greatest = first ? value : std::max(result.greatest, value);
    sum += value;
    squares += static_cast<long double>(value) * value;
  }
  if (!result.any()) return result;
  result.mean = static_cast<double>(sum / static_cast<long double>(result.points - result.nans));
  result.l2 = static_cast<double>(std::sqrt(squares));
  return result;
}

std::string print_statistics(const ir::Program& program, const reference::State& state) {
  std::vector<Row> rows{{"field", "points", "min", "max", "mean", "l2", "nan"}};
  for (size_t f = 0; f < program.fields.size(); ++f) {
    const ir::Field& field = program.fields[f];
    for (size_t c = 0; c < field.components.size(); ++c) {
      rows.push_back(describe(field.name + field.components[c].path,
                              statistics_of(state.fields[f], static_cast<int>(c))));
    }
  }
  return print_table(rows);
}

}  // namespace stencil::runtime
