// The same content as on the page, in the same order.
#include "tools/stencilc/explore/report_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/support/escape.h"
#include "compiler/support/layout.h"

namespace stencil::explore {

namespace {

using Row = std::vector<std::string>;

std::string labelled(const std::string& label, const std::string& text) {
  const std::string first = fmt::format("{:<10}", label);
  return wrapped(visible(text), first, std::string(first.size(), ' '));
}

std::string heading(const Report& report) {
  std::string out = report.note.empty() ? "" : wrapped(visible(report.note)) + "\n";
  out += labelled("program", report.program);
  const ReportMachine& machine = report.machine;
  out += labelled("machine", fmt::format("{} ({})", machine.name, machine.description));
  if (!report.device.empty()) out += labelled("device", report.device);
  out += labelled("size",
                  fmt::format("{} points, {} steps, {}, --fp={}", fmt::join(report.extents, " x "),
                              report.steps, report.real, report.fp));
  out +=
      labelled("space", fmt::format("{} schedules considered, {} ranked, in {} s", report.looked_at,
                                    ranked_in(report), three_digits(report.seconds)));
  return out;
}

std::string ranking(const Report& report, size_t rows) {
  const bool measured = anything_measured(report);
  Row header = {"rank", "schedule", "predicted"};
  if (measured) header.push_back("measured");
  header.push_back("limit and reason");
  std::vector<Row> lines = {header};
  for (size_t i = 0; i < report.candidates.size(); ++i) {
    const Candidate& candidate = report.candidates[i];
    if (i >= rows && !candidate.chosen) continue;
    Row row = {fmt::format("{}{}", i + 1, candidate.chosen ? " *" : ""),
               visible(line_of(candidate)), three_digits(candidate.predicted)};
    if (measured) row.push_back(candidate.measured ? three_digits(*candidate.measured) : "-");
    std::string why(schedule::name(candidate.limit));
    if (!candidate.reason.empty()) why += ": " + visible(candidate.reason);
    row.push_back(std::move(why));
    lines.push_back(std::move(row));
  }
  return "Ranking, in GCells/s" + std::string(measured ? "" : " (nothing was measured)") + "\n" +
         table(lines, {.indent = "  ", .texts = 2, .text_last = true});
}

// The machine code of the first candidates, next to the model's counts.
std::string codes(const Report& report, size_t rows) {
  std::vector<Row> lines = {{"rank", "kernel", "instructions", "slots", "counted", "of these"}};
  for (size_t i = 0; i < std::min(rows, report.candidates.size()); ++i) {
    for (const Code& code : report.candidates[i].code) {
      Row row = {std::to_string(i + 1),
                 visible(code.kernel),
                 "-",
                 "-",
                 three_digits(code.counted_slots),
                 "not known: " + visible(code.unmatched)};
      if (code.unmatched.empty()) {
        std::vector<std::string> classes;
        for (const Count& count : code.issued) {
          classes.push_back(fmt::format("{} {}", three_digits(count.count), count.name));
        }
        row[2] = three_digits(code.issued.front().count);
        row[3] = three_digits(code.issued_slots);
        row[5] = fmt::format("{}", fmt::join(classes.begin() + 1, classes.end(), ", "));
      }
      lines.push_back(std::move(row));
    }
  }
  if (lines.size() == 1) return "";
  return "\nMachine code, per iteration of a kernel's main loop\n" +
         table(lines, {.indent = "  ", .texts = 2, .text_last = true});
}

// The candidate that `auto` takes.
std::string automatic(const Report& report) {
  const auto& all = report.candidates;
  const auto taken = std::find_if(all.begin(), all.end(), [&](const Candidate& candidate) {
    return candidate.schedule == report.automatic;
  });
  if (report.automatic.empty()) return "";
  const std::string& origin = report.automatic_origin;
  if (taken == all.end()) return labelled("auto", report.automatic);
  return labelled("auto", fmt::format("rank {}{}{}", taken - all.begin() + 1,
                                      taken == all.begin() ? "" : ": " + line_of(*taken),
                                      !origin.empty()             ? " (" + origin + ")"
                                      : anything_measured(report) ? ""
                                                                  : ", until times are known"));
}

std::string neighbours(const Report& report) {
  std::vector<Row> lines = {{"T", "predicted", "limit"}};
  for (const Neighbour& neighbour : report.neighbours) {
    lines.push_back({std::to_string(neighbour.time_tile), three_digits(neighbour.predicted),
                     std::string(schedule::name(neighbour.limit))});
  }
  return "\nThe winner with other time tiles\n" +
         table(lines, {.indent = "  ", .texts = 1, .text_last = true});
}

std::string pruned(const Report& report) {
  std::vector<Row> lines = {{"reason", "schedules", "example"}};
  for (const Pruned& pruned : report.pruned) {
    lines.push_back(
        {visible(pruned.reason), std::to_string(pruned.count), visible(pruned.example)});
  }
  return "\nNot ranked\n" + table(lines, {.indent = "  ", .texts = 1, .text_last = true});
}

}  // namespace

std::string text_of(const Report& report, size_t rows) {
  std::string out = heading(report);
  out += "\n";
  if (report.candidates.empty()) {
    out += "No schedule fits this program and machine.\n";
  } else {
    out += ranking(report, rows) + codes(report, rows) + "\n" + automatic(report);
  }
  const auto measured = std::count_if(report.candidates.begin(), report.candidates.end(),
                                      [](const Candidate& c) { return c.measured.has_value(); });
  if (const auto tau = kendall_tau(report)) {
    out += "\n" + wrapped(fmt::format("Prediction against measurement: Kendall's tau {:.2f} over "
                                      "{} schedules.",
                                      *tau, measured));
  }
  if (!report.neighbours.empty()) out += neighbours(report);
  if (!report.pruned.empty()) out += pruned(report);
  if (!report.command.empty()) {
    // Not wrapped, so that it can be copied.
    out += "\nTo run the winner\n  " + visible(report.command) + "\n";
  }
  return out;
}

}  // namespace stencil::explore
