// Values shared by all forms of a report.
#include "tools/stencilc/explore/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stencil::explore {

int64_t ranked_in(const Report& report) {
  return std::max(report.ranked, static_cast<int64_t>(report.candidates.size()));
}

int64_t points_of(const Report& report) {
  int64_t points = 1;
  for (const int64_t extent : report.extents) points *= extent;
  return points;
}

const Candidate* winner_of(const Report& report) {
  for (const Candidate& candidate : report.candidates) {
    if (candidate.chosen) return &candidate;
  }
  return report.candidates.empty() ? nullptr : &report.candidates.front();
}

bool anything_measured(const Report& report) {
  return std::any_of(report.candidates.begin(), report.candidates.end(),
                     [](const Candidate& candidate) { return candidate.measured.has_value(); });
}

const std::string& line_of(const Candidate& candidate) {
  return candidate.brief.empty() ? candidate.schedule : candidate.brief;
}

std::optional<double> kendall_tau(const Report& report) {
  std::vector<std::pair<double, double>> rates;
  for (const Candidate& candidate : report.candidates) {
    if (candidate.measured && std::isfinite(candidate.predicted) &&
        std::isfinite(*candidate.measured)) {
      rates.emplace_back(candidate.predicted, *candidate.measured);
    }
  }
  int64_t agree = 0, untied_predicted = 0, untied_measured = 0;
  const auto order = [](double a, double b) { return a < b ? -1 : a > b ? 1 : 0; };
  for (size_t i = 0; i < rates.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const int predicted = order(rates[i].first, rates[j].first);
      const int measured = order(rates[i].second, rates[j].second);
      agree += predicted * measured;
      untied_predicted += predicted != 0;
      untied_measured += measured != 0;
    }
  }
  if (untied_predicted == 0 || untied_measured == 0) return std::nullopt;
  return static_cast<double>(agree) / (std::sqrt(static_cast<double>(untied_predicted)) *
                                       std::sqrt(static_cast<double>(untied_measured)));
}

std::string three_digits(double value) {
  if (!std::isfinite(value)) return "-";
  const double size = std::abs(value);
  if (size >= 99.95 && size < 1e6) return fmt::format("{:.0f}", value);
  if (size >= 9.995 && size < 100) return fmt::format("{:.1f}", value);
  if (size >= 0.9995 && size < 10) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3g}", value);
}

}  // namespace stencil::explore
