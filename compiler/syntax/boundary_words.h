// The keywords of boundary rules in program text, from the table of boundary rules.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/support/boundary.h"

namespace stencil {

struct BoundaryWords {
  BoundaryKind kind;
  size_t length;  // of the keyword as written; blanks and comments may separate its words
};

// The rule with the longest keyword at the start of `text`.
std::optional<BoundaryWords> boundary_at(std::string_view text);

// Every word of a keyword, once: both `mirror` and `gradient` of `mirror gradient`.
const std::vector<std::string>& boundary_words();
bool is_boundary_word(std::string_view word);
// Whether the word ends the keyword of a rule that takes a value.
bool precedes_boundary_value(std::string_view word);

// What the parser expects after the word `boundary`, as a constant expression. `or_list`: a list of
// rules in brackets is allowed as well.
template <bool or_list>
inline constexpr auto kExpectedBoundary = [] {
  constexpr auto write = [](auto add) {
    add("a boundary: ");
    list_boundaries(add);
    if (or_list) add(", or a list of them in brackets, one for each dimension");
  };
  constexpr size_t size = [&] {
    size_t sum = 0;
    write([&](std::string_view part) { sum += part.size(); });
    return sum;
  }();
  std::array<char, size> out{};
  size_t at = 0;
  write([&](std::string_view part) {
    for (const char c : part) out[at++] = c;
  });
  return out;
}();
template <bool or_list>
constexpr std::string_view expected_boundary() {
  return {kExpectedBoundary<or_list>.data(), kExpectedBoundary<or_list>.size()};
}

}  // namespace stencil
