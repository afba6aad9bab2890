// Time per point is nearly constant on large grids. On small ones it falls with the number of
// points, because of launch overhead and idle multiprocessors. Both are straight lines in log-log
// scale.
#include "runtime/tune/entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "stencil/version.h"

namespace stencil::tune {

namespace {

// Increase when kernels of the same schedule line change enough to change their times.
constexpr int kCodeGeneration = 4;

// Whether all extents of `a` are at most those of `b`.
bool within(const Sizes& a, const Sizes& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](int64_t x, int64_t y) { return x <= y; });
}

// The sum of |log2| of the factors between extents; nullopt if one is more than 1.
std::optional<double> distance_within_two(const Sizes& a, const Sizes& b) {
  if (a.size() != b.size()) return std::nullopt;
  double sum = 0;
  for (size_t d = 0; d < a.size(); ++d) {
    const double off = std::fabs(std::log2(static_cast<double>(a[d]) / static_cast<double>(b[d])));
    if (off > 1) return std::nullopt;
    sum += off;
  }
  return sum;
}

struct Neighbours {
  const Entry *below = nullptr, *above = nullptr;
};

double expected_seconds(const Neighbours& sides, const Sizes& sizes) {
  const double x = std::log(points_of(sizes));
  const double x0 = std::log(points_of(sides.below->sizes));
  const double x1 = std::log(points_of(sides.above->sizes));
  const double y0 = std::log(sides.below->seconds) - x0;
  const double y1 = std::log(sides.above->seconds) - x1;
  const double part = x1 > x0 ? (x - x0) / (x1 - x0) : 0;
  return std::exp(y0 + part * (y1 - y0) + x);
}

std::optional<Suggestion> between(const std::vector<Entry>& known, const Sizes& sizes) {
  std::map<std::string, Neighbours> lines;
  for (const Entry& entry : known) {
    Neighbours& sides = lines[entry.schedule];
    const double points = points_of(entry.sizes);
    const bool below = within(entry.sizes, sizes), above = within(sizes, entry.sizes);
    if (below && (!sides.below || points > points_of(sides.below->sizes))) sides.below = &entry;
    if (above && (!sides.above || points < points_of(sides.above->sizes))) sides.above = &entry;
  }
  std::optional<Suggestion> best;
  for (const auto& [line, sides] : lines) {
    if (!sides.below || !sides.above) continue;
    const double seconds = expected_seconds(sides, sizes);
    if (best && best->seconds <= seconds) continue;
    best = Suggestion{line, seconds, {sides.below->sizes, sides.above->sizes}, false};
  }
  return best;
}

std::optional<Suggestion> nearest(const std::vector<Entry>& known, const Sizes& sizes) {
  const Entry* best = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const Entry& entry : known) {
    const auto distance = distance_within_two(entry.sizes, sizes);
    if (!distance || *distance > least) continue;
    // Ties between sizes are broken by their order, so that only entries of one size are compared
    // with each other.
    const bool closer = *distance < least || !best || entry.sizes < best->sizes;
    const bool quicker = best && entry.sizes == best->sizes && entry.seconds < best->seconds;
    if (!closer && !quicker) continue;
    best = &entry;
    least = *distance;
  }
  if (!best) return std::nullopt;
  const double scale = points_of(sizes) / points_of(best->sizes);
  return Suggestion{best->schedule, best->seconds * scale, {best->sizes}, false};
}

}  // namespace

std::string machine_name(const runtime::ChosenDevice& device) {
  const schedule::Machine& machine = device.device.machine;
  const std::string& hardware =
      device.info.hardware.empty() ? machine.description : device.info.hardware;
  return fmt::format("{}, {} cores", hardware, machine.multiprocessors);
}

Key key_of(const ir::Program& program, const runtime::ChosenDevice& device) {
  return {device.device.name, machine_name(device), fingerprint(program),
          std::string(name(program.real)), std::string(name(program.fp))};
}

std::string flaw_of(const Entry& entry) {
  const std::pair<const char*, const std::string*> texts[] = {
      {"device", &entry.key.device},   {"machine", &entry.key.machine},
      {"program", &entry.key.program}, {"real", &entry.key.real},
      {"fp", &entry.key.fp},           {"schedule", &entry.schedule},
      {"version", &entry.version}};
  for (const auto& [what, text] : texts) {
    if (text->empty() || text->size() > 1000) return fmt::format("{} is empty or too long", what);
  }
  if (entry.name.size() > 1000) return "name is too long";
  if (entry.sizes.empty()) return "sizes has no extent";
  for (const int64_t extent : entry.sizes) {
    if (extent < 1) return "sizes has an extent below 1";
  }
  if (!std::isfinite(entry.seconds) || entry.seconds <= 0) return "seconds is not above 0";
  if (!std::isfinite(entry.spread) || entry.spread < 0) return "spread is below 0";
  if (entry.runs < 1) return "runs is below 1";
  return "";
}

std::string code_version() {
  return fmt::format("{}.{}.{}/{}", STENCIL_VERSION_MAJOR, STENCIL_VERSION_MINOR,
                     STENCIL_VERSION_PATCH, kCodeGeneration);
}

std::optional<Suggestion> interpolate(const std::vector<Entry>& known, const Sizes& sizes) {
  const Entry* measured = nullptr;
  for (const Entry& entry : known) {
    if (entry.sizes != sizes || (measured && measured->seconds <= entry.seconds)) continue;
    measured = &entry;
  }
  if (measured) return Suggestion{measured->schedule, measured->seconds, {sizes}, true};
  const auto found = between(known, sizes);
  return found ? found : nearest(known, sizes);
}

}  // namespace stencil::tune
