// One formatter for the messages of all stages, so that place, caret, expected/found and hint look
// the same from the parser to the device. tests/errors compares its output literally.
#include "compiler/support/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "compiler/support/escape.h"

namespace stencil {

Diagnostic& Diagnostics::error(std::string code, Span span, std::string message) {
  items_.push_back({Severity::Error, std::move(code), span, std::move(message), {}, {}, {}, {}});
  return items_.back();
}

Diagnostic& Diagnostics::warning(std::string code, Span span, std::string message) {
  items_.push_back({Severity::Warning, std::move(code), span, std::move(message), {}, {}, {}, {}});
  return items_.back();
}

bool Diagnostics::has_errors() const {
  return std::any_of(items_.begin(), items_.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::Error; });
}

void Diagnostics::sort_by_place() {
  std::stable_sort(items_.begin(), items_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return a.span.begin < b.span.begin;
  });
}

namespace {

const char* severity_name(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Note:
      return "note";
  }
  return "";
}

// Messages that quote a compiler have several lines. All lines but the first are indented, so that
// none looks like a separate message, even if a file name contains a line end.
std::string visible_lines(std::string_view text) {
  std::string out;
  for (size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
    out += visible(text.substr(0, end)) + "\n  ";
    text.remove_prefix(end + 1);
  }
  return out + visible(text);
}

constexpr size_t kWidestLine = 160;  // longer source lines are shown in part

std::string underlined_line(const Source& source, Span span) {
  const auto start = source.position(span.begin);
  std::string_view line = source.line(start.line);
  size_t column = static_cast<size_t>(start.column - 1);
  size_t length = std::max<size_t>(1, span.end - span.begin);
  const char* cut_left = "";
  if (line.size() > kWidestLine && column > kWidestLine / 2) {
    const size_t skip = column - kWidestLine / 2;
    line.remove_prefix(std::min(skip, line.size()));
    column -= skip;
    cut_left = "...";
  }
  const bool cut_right = line.size() > kWidestLine;
  if (cut_right) line = line.substr(0, kWidestLine);
  column = std::min(column, line.size());
  length = std::clamp<size_t>(length, 1, std::max<size_t>(1, line.size() - column));
  std::string marks;
  for (char c : visible(line.substr(0, column))) {
    if (c == '\t') marks += c;
    if (c != '\t' && columns({&c, 1}) > 0) marks += ' ';
  }
  marks += '^';
  marks.append(std::max<size_t>(1, columns(visible(line.substr(column, length)))) - 1, '~');
  std::string indent(cut_left[0] ? 3 : 0, ' ');
  return fmt::format("{:5} | {}{}{}\n      | {}{}\n", start.line, cut_left, visible(line),
                     cut_right ? "..." : "", indent, marks);
}

}  // namespace

std::string render(const Source& source, const Diagnostic& d) {
  std::string out;
  const std::string file = visible(source.name());
  if (d.span.valid()) {
    const auto at = source.position(d.span.begin);
    out = fmt::format("{}:{}:{}: ", file, at.line, at.column);
  } else if (!file.empty()) {
    out = file + ": ";
  }
  out += fmt::format("{}{}{}: {}\n", severity_name(d.severity), d.code.empty() ? "" : " ", d.code,
                     visible_lines(d.message));
  if (d.span.valid()) out += underlined_line(source, d.span);
  if (!d.expected.empty()) out += fmt::format("      = expected: {}\n", visible_lines(d.expected));
  if (!d.found.empty()) out += fmt::format("      = found: {}\n", visible_lines(d.found));
  for (const auto& related : d.related) {
    const auto at = source.position(related.span.begin);
    out += fmt::format("      = {}:{}:{}: {}\n", file, at.line, at.column,
                       visible_lines(related.message));
  }
  if (!d.hint.empty()) out += fmt::format("      = hint: {}\n", visible_lines(d.hint));
  return out;
}

// Shows at most kMostErrors errors and says how many more there are.
std::string render(const Source& source, const Diagnostics& diagnostics) {
  constexpr size_t kMostErrors = 20;
  std::string out;
  size_t errors = 0;
  for (const auto& d : diagnostics.items()) {
    const bool is_error = d.severity == Severity::Error;
    if (!is_error || errors < kMostErrors) out += render(source, d);
    errors += is_error;
  }
  if (errors > kMostErrors) {
    out += fmt::format("{}: {} more error{} not shown\n", visible(source.name()),
                       errors - kMostErrors, errors == kMostErrors + 1 ? " is" : "s are");
  }
  return out;
}

std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates) {
  std::string best;
  size_t best_distance = std::max<size_t>(1, name.size() / 3) + 1;
  for (const auto& candidate : candidates) {
    if (candidate.size() > name.size() + best_distance) continue;
    // Edits are an insertion, a deletion, a substitution, or a swap of two neighbours.
    std::vector<size_t> row(candidate.size() + 1), above, above_that;
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 1; i <= name.size(); ++i) {
      above_that = std::exchange(above, row);
      row[0] = i;
      for (size_t j = 1; j <= candidate.size(); ++j) {
        const size_t substitute = above[j - 1] + (name[i - 1] != candidate[j - 1]);
        row[j] = std::min({substitute, above[j] + 1, row[j - 1] + 1});
        const bool traded =
            i > 1 && j > 1 && name[i - 1] == candidate[j - 2] && name[i - 2] == candidate[j - 1];
        if (traded) row[j] = std::min(row[j], above_that[j - 2] + 1);
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace stencil
