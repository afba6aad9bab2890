// page/table.js renders the ranking again, in the same form.
#include "tools/stencilc/explore/report_sections.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tools/stencilc/explore/report_html.h"

namespace stencil::explore {

namespace {

constexpr size_t kRows = 50;  // rows of the ranking without JavaScript
constexpr const char* kTimes = " \u00d7 ";
constexpr const char* kDot = " \u00b7 ";

std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3 + (number < 0); at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string duration(double seconds) {
  const auto [unit, scale] = seconds < 1e-9   ? std::pair{"ps", 1e12}
                             : seconds < 1e-6 ? std::pair{"ns", 1e9}
                             : seconds < 1e-3 ? std::pair{"\u00b5s", 1e6}
                             : seconds < 1    ? std::pair{"ms", 1e3}
                                              : std::pair{"s", 1.0};
  return fmt::format("{} {}", three_digits(seconds * scale), unit);
}

std::string limit_mark(Limit limit) {
  return fmt::format("<span class=\"limit\" data-limit=\"{0}\">{0}</span>", schedule::name(limit));
}

std::string line(const char* name, const std::string& content) {
  return fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, content);
}

std::string copied(const std::string& text, const char* what) {
  return fmt::format(
      "<div class=\"copied\"><code>{}</code><button type=\"button\" class=\"copy\" "
      "aria-label=\"Copy the {}\">Copy</button></div>",
      html_text(text), what);
}

std::string figure(const char* name, const std::string& value, const std::string& note) {
  return fmt::format("<div><dt>{}</dt><dd>{} <small>{}</small></dd></div>\n", name, value, note);
}

std::string facts_of(const Report& report) {
  std::vector<std::string> sides;
  for (const int64_t extent : report.extents) sides.push_back(grouped(extent));
  const ReportMachine& machine = report.machine;
  std::vector<std::string> facts = {
      fmt::format("{} points", fmt::join(sides, kTimes)),
      fmt::format("{} steps", grouped(report.steps)),
      fmt::format("{}, --fp={}", html_text(report.real), html_text(report.fp)),
      fmt::format("{} ({})", html_text(machine.description), html_text(machine.name))};
  if (!report.device.empty()) facts.push_back("measured on " + html_text(report.device));
  facts.push_back("<code>" + html_text(report.file) + "</code>");
  const std::string note =
      report.note.empty() ? "" : fmt::format("<p class=\"note\">{}</p>\n", html_text(report.note));
  return fmt::format("<p class=\"facts\"><span>{}</span></p>\n",
                     fmt::join(facts, std::string("</span>") + kDot + "<span>")) +
         note;
}

std::string space_of(const Report& report) {
  return fmt::format("<p class=\"note\">{} schedules considered, {} ranked, in {}.</p>\n",
                     grouped(report.looked_at), grouped(ranked_in(report)),
                     duration(report.seconds));
}

std::string winner_section(const Report& report, const Candidate& winner) {
  std::string out = "<section class=\"winner\" aria-label=\"Winner\">\n<dl class=\"figures\">\n";
  out += figure("predicted", three_digits(winner.predicted), "GCells/s");
  if (winner.measured) {
    const double off = (*winner.measured / winner.predicted - 1) * 100;
    out += figure("measured", three_digits(*winner.measured),
                  fmt::format("GCells/s, {}{:.0f}%", off < 0 ? "\u2212" : "+", std::abs(off)));
  }
  out += figure("limit", limit_mark(winner.limit), "");
  out += figure("next limit", three_digits(winner.headroom) + "\u00d7", "away");
  const double cells = static_cast<double>(points_of(report)) * static_cast<double>(report.steps);
  const double rate = winner.measured.value_or(winner.predicted);
  if (rate > 0) {
    out += figure("time", duration(cells / (rate * 1e9)),
                  fmt::format("for {} steps", grouped(report.steps)));
  }
  out += "</dl>\n<dl class=\"lines\">\n";
  out += line("schedule", copied(winner.schedule, "schedule"));
  if (!winner.reason.empty()) out += line("why", html_text(winner.reason));
  if (!report.command.empty()) out += line("to run it", copied(report.command, "command"));
  out += "</dl>\n";
  return out + space_of(report) + "</section>\n";
}

std::string row_of(const Candidate& c, size_t rank) {
  const std::string measured = c.measured ? three_digits(*c.measured) : "";
  return fmt::format(
      "<tr class=\"candidate{}\"><td class=\"number\">{}</td><th scope=\"row\"><code>{}</code></th>"
      "<td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td>"
      "<td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>"
      "<td class=\"number\">{}</td><td class=\"number\">{:.0f}%</td></tr>\n",
      c.chosen ? " chosen" : "", rank, html_text(line_of(c)), three_digits(c.predicted), measured,
      limit_mark(c.limit), three_digits(c.headroom), three_digits(c.redundancy),
      three_digits(c.memory_bytes), c.compiled_registers.value_or(c.registers), c.occupancy * 100);
}

// "-3 ... +3" with typographic characters.
std::string sides_of(const analysis::Reach& reach) {
  const auto signed_number = [](int64_t value, bool low) {
    const bool minus = low ? value > 0 : value < 0;
    return value == 0 ? std::string("0")
                      : (minus ? "\u2212" : "+") + grouped(value < 0 ? -value : value);
  };
  return signed_number(reach.low, true) + " \u2026 " + signed_number(reach.high, false);
}

std::string box_cells(const Margin& box) {
  std::string out;
  for (const analysis::Reach& reach : box)
    out += "<td class=\"number\">" + sides_of(reach) + "</td>";
  return out;
}

std::string axis_heads(const Report& report) {
  std::string out;
  for (const std::string& axis : report.axes) {
    out += "<th scope=\"col\" class=\"number\">" + html_text(axis) + "</th>";
  }
  return out;
}

std::string pre(const std::string& id, const std::string& text) {
  return fmt::format(
      "<div class=\"source\"><button type=\"button\" class=\"copy\" aria-label=\"Copy the "
      "text\">Copy</button><pre id=\"{}\" tabindex=\"0\"><code>{}</code></pre></div>\n",
      id, html_text(text));
}

}  // namespace

std::string head_section(const Report& report) {
  std::string out = "<header>\n<p class=\"tool\">stencilc explore</p>\n";
  out += fmt::format("<h1>{}</h1>\n{}</header>\n", html_text(report.program), facts_of(report));
  const Candidate* winner = winner_of(report);
  if (winner) return out + winner_section(report, *winner);
  return out + "<section class=\"winner\">\n<p>No schedule fits this program and machine.</p>\n" +
         space_of(report) + "</section>\n";
}

std::string ranking_rows(const Report& report) {
  std::string out;
  for (size_t i = 0; i < std::min(kRows, report.candidates.size()); ++i) {
    out += row_of(report.candidates[i], i + 1);
  }
  return out;
}

std::string boxes_table(const Report& report) {
  if (!report.winner) return "";
  std::string out =
      "<details>\n<summary>The boxes as numbers</summary>\n<p class=\"note\">Points beyond the "
      "output box, low and high.</p>\n<div class=\"scroll\"><table>\n<caption>Needed of each "
      "field</caption>\n<thead><tr><th scope=\"col\" class=\"number\">step</th><th "
      "scope=\"col\">field</th><th scope=\"col\">computed by</th>" +
      axis_heads(report) + "</tr></thead>\n<tbody>\n";
  for (const HaloBox& box : report.winner->halo) {
    out += fmt::format("<tr><td class=\"number\">{}</td><td>{}</td><td>{}</td>{}</tr>\n", box.step,
                       html_text(box.field),
                       box.function.empty() ? "<em>loaded</em>" : html_text(box.function),
                       box_cells(box.margin));
  }
  out +=
      "</tbody></table></div>\n<div class=\"scroll\"><table>\n<caption>Computed by each "
      "stage</caption>\n<thead><tr><th scope=\"col\" class=\"number\">step</th><th "
      "scope=\"col\">function</th>";
  const bool streams = report.winner->streams;
  if (streams) out += "<th scope=\"col\" class=\"number\">lag</th>";
  out += axis_heads(report) + "</tr></thead>\n<tbody>\n";
  for (const TileStage& stage : report.winner->stages) {
    out += fmt::format("<tr><td class=\"number\">{}</td><td>{}</td>", stage.step,
                       html_text(stage.function));
    if (streams) out += fmt::format("<td class=\"number\">{}</td>", stage.lag);
    out += box_cells(stage.computed) + "</tr>\n";
  }
  return out + "</tbody></table></div>\n</details>\n";
}

std::string pruned_section(const Report& report) {
  if (report.pruned.empty()) return "<p class=\"note\">Every schedule was ranked.</p>\n";
  int64_t most = 1;
  for (const Pruned& pruned : report.pruned) most = std::max(most, pruned.count);
  std::string out =
      "<div class=\"scroll\"><table class=\"pruned\">\n<thead><tr><th scope=\"col\">reason</th><th "
      "scope=\"col\" class=\"number\">schedules</th><th scope=\"col\">example</th></tr></thead>\n"
      "<tbody>\n";
  for (const Pruned& pruned : report.pruned) {
    out += fmt::format(
        "<tr><th scope=\"row\">{}</th><td class=\"number\"><span class=\"share\" style=\"--share: "
        "{:.1f}%\">{}</span></td><td><code>{}</code></td></tr>\n",
        html_text(pruned.reason),
        100 * static_cast<double>(pruned.count) / static_cast<double>(most), grouped(pruned.count),
        html_text(pruned.example));
  }
  return out + "</tbody></table></div>\n";
}

std::string sources_section(const Report& report) {
  std::string out;
  if (report.winner && !report.winner->source.empty()) {
    out += "<section id=\"kernels\">\n<h2>Kernels of the winner</h2>\n<p class=\"note\">" +
           html_text(report.winner->target) + "</p>\n" +
           pre("kernel-source", report.winner->source) + "</section>\n";
  }
  return out + "<section id=\"program\">\n<h2>Program</h2>\n<p class=\"note\"><code>" +
         html_text(report.file) + "</code></p>\n" + pre("program-source", report.source) +
         "</section>\n";
}

}  // namespace stencil::explore
