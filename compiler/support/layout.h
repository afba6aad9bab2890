// Output for people: lines that fit a terminal, and tables.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stencil {

constexpr size_t kLineWidth = 100;  // columns of printed lines

// `text` as lines of at most `width` columns, each with its newline, broken at blanks. The first
// line begins with `first`, the others with `rest`. A word that is too long is not broken.
std::string wrapped(std::string_view text, const std::string& first = "",
                    const std::string& rest = "", size_t width = kLineWidth);

struct TableStyle {
  std::string indent = "";
  size_t texts = static_cast<size_t>(-1);  // leading text columns, left-aligned and wrapped
  bool text_last = false;                  // the last column is a text column too
};
// Rows as lines, columns two blanks apart. If they need more than kLineWidth columns, the widest
// text columns are wrapped. All rows must have as many cells as the first.
std::string table(const std::vector<std::vector<std::string>>& rows, const TableStyle& style = {});

}  // namespace stencil
