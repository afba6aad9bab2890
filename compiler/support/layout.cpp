// A table is narrowed at its widest text column, down to the longest word in it, until it fits.
#include "compiler/support/layout.h"

#include <fmt/format.h>

#include <algorithm>

namespace stencil {

namespace {

constexpr size_t kNarrowest = 16;  // width of a wrapped column

// The parts of `text` between the blanks at which it is broken; at least one.
std::vector<std::string> broken(std::string_view text, size_t first_room, size_t room) {
  std::vector<std::string> out;
  while (true) {
    const size_t most = out.empty() ? first_room : room;
    if (text.size() <= most) break;
    size_t blank = text.rfind(' ', most);
    if (blank == text.npos || blank == 0) blank = text.find(' ', most);
    if (blank == text.npos) break;
    out.emplace_back(text.substr(0, text.find_last_not_of(' ', blank) + 1));
    const size_t next = text.find_first_not_of(' ', blank);
    text = next == text.npos ? std::string_view() : text.substr(next);
  }
  if (!text.empty() || out.empty()) out.emplace_back(text);
  return out;
}

size_t longest_word(std::string_view text) {
  size_t longest = 0;
  for (const std::string& word : broken(text, 1, 1)) longest = std::max(longest, word.size());
  return longest;
}

bool is_text(const TableStyle& style, size_t column, size_t columns) {
  return column < style.texts || (style.text_last && column + 1 == columns);
}

std::vector<size_t> widths_of(const std::vector<std::vector<std::string>>& rows,
                              const TableStyle& style) {
  const size_t columns = rows.front().size();
  std::vector<size_t> widths(columns, 0), least(columns, kNarrowest);
  for (const auto& row : rows) {
    for (size_t c = 0; c < columns; ++c) {
      widths[c] = std::max(widths[c], row[c].size());
      if (is_text(style, c, columns)) least[c] = std::max(least[c], longest_word(row[c]));
    }
  }
  size_t whole = style.indent.size() + 2 * (columns - 1);
  for (const size_t width : widths) whole += width;
  while (whole > kLineWidth) {
    size_t widest = columns;
    for (size_t c = 0; c < columns; ++c) {
      const bool shrinks = is_text(style, c, columns) && widths[c] > least[c];
      if (shrinks && (widest == columns || widths[c] > widths[widest])) widest = c;
    }
    if (widest == columns) break;  // words and numbers that do not fit
    --widths[widest];
    --whole;
  }
  return widths;
}

}  // namespace

std::string wrapped(std::string_view text, const std::string& first, const std::string& rest,
                    size_t width) {
  const auto room = [&](const std::string& start) {
    return width > start.size() ? width - start.size() : 1;
  };
  std::string out;
  for (const std::string& part : broken(text, room(first), room(rest))) {
    out += (out.empty() ? first : rest) + part + "\n";
  }
  return out;
}

std::string table(const std::vector<std::vector<std::string>>& rows, const TableStyle& style) {
  if (rows.empty()) return "";
  const size_t columns = rows.front().size();
  const std::vector<size_t> widths = widths_of(rows, style);
  std::string out;
  for (const auto& row : rows) {
    std::vector<std::vector<std::string>> cells;
    size_t height = 1;
    for (size_t c = 0; c < columns; ++c) {
      const bool wraps = is_text(style, c, columns);
      cells.push_back(wraps ? broken(row[c], widths[c], widths[c]) : std::vector{row[c]});
      height = std::max(height, cells.back().size());
    }
    for (size_t h = 0; h < height; ++h) {
      std::string line = style.indent;
      for (size_t c = 0; c < columns; ++c) {
        const std::string cell = h < cells[c].size() ? cells[c][h] : "";
        line += c > 0 ? "  " : "";
        line += is_text(style, c, columns) ? fmt::format("{:<{}}", cell, widths[c])
                                           : fmt::format("{:>{}}", cell, widths[c]);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
  }
  return out;
}

}  // namespace stencil
