// The template is filled in one pass, so values that look like placeholders are not expanded.
// Script and style are part of the project; everything else is escaped (html_text, page_data), and
// the page's policy only runs the script with the page's nonce.
#include "tools/stencilc/explore/report_html.h"

#include <fmt/format.h>

#include <functional>
#include <map>

#include "compiler/support/escape.h"
#include "tools/stencilc/explore/page.h"
#include "tools/stencilc/explore/report_json.h"
#include "tools/stencilc/explore/report_sections.h"

namespace stencil::explore {

namespace {

std::string escaped(std::string_view line) {
  std::string out;
  for (const char c : visible(line)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  while (true) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    out += escaped(line);
    if (end == text.npos) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string html_of(const Report& report) {
  const std::map<std::string_view, std::function<std::string()>> parts = {
      {"title", [&] { return html_text(report.program); }},
      {"style", [] { return std::string(page_style()); }},
      {"head", [&] { return head_section(report); }},
      {"rows", [&] { return ranking_rows(report); }},
      {"boxes", [&] { return boxes_table(report); }},
      {"pruned", [&] { return pruned_section(report); }},
      {"sources", [&] { return sources_section(report); }},
      {"data", [&] { return page_data(report); }},
      {"script", [] { return std::string(page_script()); }},
  };
  std::string out;
  std::string_view rest = page_template();
  for (size_t hole = rest.find("{{"); hole != rest.npos; hole = rest.find("{{")) {
    const size_t end = rest.find("}}", hole);
    out += rest.substr(0, hole);
    out += parts.at(rest.substr(hole + 2, end - hole - 2))();
    rest.remove_prefix(end + 2);
  }
  return out + std::string(rest);
}

}  // namespace stencil::explore
