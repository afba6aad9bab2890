// Text for people: lines that fit a terminal, and tables.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stencil {

constexpr size_t kLineWidth = 100;  // columns of what is printed

// `text` as lines of at most `width` columns, each with its newline, broken at blanks: the first
// begins with `first`, the others with `rest`. A word that has no room stays whole.
std::string wrapped(std::string_view text, const std::string& first = "",
                    const std::string& rest = "", size_t width = kLineWidth);

struct TableStyle {
  std::string indent = "";
  size_t texts = static_cast<size_t>(-1);  // columns from the left that are text: set left, wrapped
  bool text_last = false;                  // the last column is text as well
};
// Rows as lines, columns two blanks apart. Where they need more than kLineWidth columns, the widest
// texts take several lines. All rows have as many cells as the first.
std::string table(const std::vector<std::vector<std::string>>& rows, const TableStyle& style = {});

}  // namespace stencil
