// `stencilc explain --gpus N`: how a grid is cut, what subdomains exchange, and the cost of the
// exchanges. All data is computed by decompose and cut(); this file only formats it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "compiler/decompose/restrict.h"
#include "compiler/driver/brief_schedule.h"
#include "compiler/driver/cutting.h"
#include "compiler/ir/axes.h"
#include "compiler/schedule/explore.h"
#include "compiler/schedule/scheduler.h"
#include "compiler/support/layout.h"

namespace stencil {

namespace {

using SubdomainRow = std::vector<std::string>;

std::string in_units(double bytes) {
  const char* units[] = {"bytes", "kB", "MB", "GB"};
  size_t unit = 0;
  while (bytes >= 1000 && unit < 3) {
    bytes /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} bytes", bytes)
                   : fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string microseconds(double seconds) {
  return seconds < 1e-4 ? fmt::format("{:.3g}", 1e6 * seconds)
                        : fmt::format("{:.0f}", 1e6 * seconds);
}

// The extents of a box, x first.
std::string extents_of(const ir::Points& box) {
  std::vector<int64_t> extents;
  for (const auto& [low, high] : box) extents.insert(extents.begin(), high - low + 1);
  return fmt::format("{}", fmt::join(extents, " x "));
}

ir::Points box_of(const ir::Box& box) {
  ir::Points out;
  for (size_t d = 0; d < box.ranges.size(); ++d) {
    out.push_back({decompose::low_of(box, d), decompose::high_of(box, d)});
  }
  return out;
}

// The depth of halos below and above: "4+4 in z, 2+0 in y and x".
std::string depth_of(const decompose::Decomposition& decomposition,
                     const analysis::Margin& margin) {
  std::string out, last;
  for (size_t d = 0; d < margin.size(); ++d) {
    if (decomposition.cuts[d] == 1) continue;
    const std::string depth = fmt::format("{}+{}", margin[d].low, margin[d].high);
    const std::string axis = kAxes[margin.size() - 1 - d];
    if (!out.empty()) out += depth == last ? " and " : ", ";
    out += depth == last ? axis : fmt::format("{} in {}", depth, axis);
    last = depth;
  }
  return out;
}

// The margin clipped to this subdomain: 0 on sides without a neighbour.
analysis::Margin of_subdomain(const decompose::Decomposition& decomposition, int subdomain,
                              analysis::Margin margin) {
  const std::vector<int> place = decomposition.place_of(subdomain);
  for (size_t d = 0; d < margin.size(); ++d) {
    if (decomposition.wraps[d]) continue;
    if (place[d] == 0) margin[d].low = 0;
    if (place[d] + 1 == decomposition.cuts[d]) margin[d].high = 0;
  }
  return margin;
}

std::string times(int64_t count, const char* one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string every(int64_t count, const char* one) {
  return count == 1 ? fmt::format("every {}", one) : fmt::format("every {} {}s", count, one);
}

// The time of an exchange within the program, by occasion (decompose::Needs).
std::string occasion_of(const ir::Program& program, const decompose::Decomposition& decomposition,
                        size_t occasion) {
  const int64_t lasts = decomposition.needs.lasts[occasion];
  if (!ir::cuts_steps(program)) return every(lasts, "step");
  const bool last = occasion + 1 == decomposition.needs.lasts.size();
  if (last) return "at the end of a step";
  const auto phase = fmt::format("phase {}", occasion / 2 + 1);
  if (occasion % 2 == 0) return "reductions ahead of " + phase;
  return fmt::format("{}: {}", phase, every(lasts, "iteration"));
}

std::string messages_section(const ir::Program& program, const Cutting& cutting) {
  const decompose::Decomposition& decomposition = cutting.decomposition;
  std::vector<SubdomainRow> rows = {{"when", "field", "points", "bytes"}};
  for (size_t o = 0; o < decomposition.needs.by_occasion.size(); ++o) {
    for (const decompose::Need& need : decomposition.needs.by_occasion[o]) {
      const ir::Field& field = program.fields[need.field];
      rows.push_back(
          {occasion_of(program, decomposition, o),
           need.level ? fmt::format("{}@-{}", field.name, need.level) : field.name,
           depth_of(decomposition,
                    of_subdomain(decomposition, typical_subdomain(decomposition), need.margin)),
           in_units(decompose::bytes_received(program, decomposition, need))});
    }
  }
  if (rows.size() == 1)
    return "Subdomains exchange nothing: no subdomain reads points of another one\n";
  return "Halo that the subdomain with the most neighbours receives: points below and above its "
         "own\n" +
         table(rows, TableStyle{.indent = "  ", .texts = 3});
}

std::string percent(double part) {
  return fmt::format("{:.1f}%", 100 * part);
}

// The predictions for several numbers of steps between exchanges.
std::string steps_section(const ir::Program& program, const Cutting& cutting,
                          const std::string& line, const schedule::Machine& machine,
                          const Link& link) {
  const int64_t tile = std::max(cutting.schedule.time_tile, 1);
  std::set<int64_t> tried = {1, tile, 2 * tile, 4 * tile, 8 * tile, cutting.decomposition.steps};
  std::vector<SubdomainRow> rows = {
      {"steps", "halo", "redundant work", "exchange (us)", "waiting (us)", "efficiency"}};
  for (const int64_t steps : tried) {
    Diagnostics refusals;
    const auto other = cut(program, {decompose::print(cutting.decomposition.cuts), steps}, line,
                           machine, link, refusals);
    if (!other || other->decomposition.steps != steps) continue;
    const auto& lasts = other->decomposition.needs.lasts;
    if (*std::max_element(lasts.begin(), lasts.end()) != steps) continue;  // all phases are shorter
    const CutPrediction& expected = other->prediction;
    const auto between = static_cast<double>(steps);
    rows.push_back({fmt::format("{}", steps),
                    depth_of(other->decomposition, other->decomposition.needs.depth[0]),
                    fmt::format("{:.3f}", expected.redundancy),
                    microseconds(expected.exchange * between),
                    microseconds(expected.waited * between), percent(expected.efficiency())});
  }
  return "Steps between exchanges, as the model expects (*: chosen or given)\n" +
         table(rows, TableStyle{.indent = "  ", .texts = 2});
}

std::string cuts_section(const ir::Program& program, const Cutting& cutting,
                         const CutRequest& request, const std::string& line,
                         const schedule::Machine& machine, const Link& link) {
  const decompose::Decomposition& decomposition = cutting.decomposition;
  std::vector<SubdomainRow> rows = {
      {"cut (x first)", "points of a subdomain", "steps", "per step (us)", "efficiency"}};
  for (const decompose::Cuts& cuts :
       decompose::all_cuts(decomposition.subdomains(), program.grid().rank())) {
    Diagnostics refusals;
    const auto other =
        cut(program, {decompose::print(cuts), request.steps}, line, machine, link, refusals);
    if (!other) {
      const auto& why = refusals.items();
      rows.push_back(
          {decompose::print(cuts), why.empty() ? "refused" : why.front().message, "", "", ""});
      continue;
    }
    const ir::Points owned = other->decomposition.owned(typical_subdomain(other->decomposition));
    rows.push_back({decompose::print(cuts) + (cuts == decomposition.cuts ? " *" : ""),
                    extents_of(owned), fmt::format("{}", other->decomposition.steps),
                    microseconds(other->prediction.seconds()),
                    percent(other->prediction.efficiency())});
  }
  return fmt::format(
             "Ways to cut the grid; the choice adds {:.0f}% to the time of cuts whose exchanges do "
             "not overlap with tiles\n",
             100 * (kBetweenTiles - 1)) +
         table(rows, TableStyle{.indent = "  ", .texts = 2});
}

// The speedup as ", 1.9 times one device". Empty if the model does not know the schedule.
std::string times_one_device(const ir::Program& program, const std::string& line,
                             const schedule::Machine& machine, double seconds) {
  schedule::Scheduler scheduler(program, machine);
  Diagnostics refusals;
  const auto schedule = scheduler.parse(line, refusals);
  const auto alone = schedule ? schedule::predict(scheduler, *schedule) : std::nullopt;
  return alone ? fmt::format(", {:.2g} times one device", alone->prediction.seconds / seconds) : "";
}

}  // namespace

std::string explain_subdomains(const ir::Program& program, const CutRequest& request,
                               const std::string& line, const schedule::Machine& machine,
                               const Link& link, Diagnostics& diagnostics) {
  const auto cutting = cut(program, request, line, machine, link, diagnostics);
  if (!cutting) return "";
  const decompose::Decomposition& decomposition = cutting->decomposition;
  const int subdomain = typical_subdomain(decomposition);
  const ir::Program own = decompose::restrict_to(program, decomposition, subdomain);
  const CutPrediction& expected = cutting->prediction;
  const ir::Points owned = decomposition.owned(subdomain);
  const double seconds = expected.seconds();
  double points = decomposition.subdomains();
  for (const auto& [low, high] : owned) points *= static_cast<double>(high - low + 1);
  const bool beside = expected.beside_tiles;
  std::string tiles = fmt::format("tiles are of {}", times(decomposition.common_tile, "step"));
  if (decomposition.common_tile < cutting->schedule.time_tile) {
    tiles += fmt::format(" and not {}", cutting->schedule.time_tile);
  }
  if (request.steps > decomposition.steps) {
    tiles += fmt::format(
        " (and not every {}: tiles must be whole, and halos no deeper than a subdomain)",
        request.steps);
  }
  std::vector<SubdomainRow> rows = {
      {"grid", fmt::format("{} points (x first), cut {} into {} subdomains",
                           extents_of(box_of(program.grid())), decompose::print(decomposition.cuts),
                           decomposition.subdomains())},
      {"for", fmt::format("{} ({}); {}: {} us and {:.0f} GB/s into a subdomain", machine.name,
                          machine.description, link.name, microseconds(link.seconds),
                          1e-9 * link.bytes_per_second)},
      {"a subdomain owns", fmt::format("{} points; including its halo, it stores {}",
                                       extents_of(owned), extents_of(box_of(own.grid())))},
      {"schedule", brief_schedule(cutting->schedule, own, {machine})},
      {"exchange", fmt::format("{}, {}; {}", every(decomposition.steps, "step"), tiles,
                               beside ? "overlapped with the interior of the last tile"
                                      : "not overlapped with computation")},
      {"redundant work",
       fmt::format("{:.3f} points computed per owned point", expected.redundancy)},
      {"expected per step",
       fmt::format("{} us computing, {} us waiting for other subdomains",
                   microseconds(expected.compute), microseconds(expected.waited))},
      {"expected",
       fmt::format("{:.4g} GCells/s{}; {} of the rate of {} independent devices on such grids",
                   1e-9 * points / seconds, times_one_device(program, line, machine, seconds),
                   percent(expected.efficiency()), decomposition.subdomains())},
  };
  const std::string own_line = schedule::print(cutting->schedule, program.grid().rank());
  return "Subdomains, one for each device\n" +
         table(rows, TableStyle{.indent = "  ", .text_last = true}) + "\n" +
         messages_section(program, *cutting) + "\n" +
         steps_section(program, *cutting, own_line, machine, link) + "\n" +
         cuts_section(program, *cutting, request, line, machine, link);
}

}  // namespace stencil
