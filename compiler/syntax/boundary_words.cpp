#include "compiler/syntax/boundary_words.h"

#include <algorithm>

#include "compiler/syntax/token.h"

namespace stencil {
namespace {

std::vector<std::string_view> words_of(std::string_view keyword) {
  std::vector<std::string_view> out;
  for (size_t at = 0; at <= keyword.size();) {
    const size_t end = std::min(keyword.find(' ', at), keyword.size());
    out.push_back(keyword.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

}  // namespace

std::optional<BoundaryWords> boundary_at(std::string_view text) {
  std::optional<BoundaryWords> longest;
  for (const BoundaryRow& row : kBoundaryRows) {
    size_t end = 0;
    bool matches = true;
    for (const std::string_view word : words_of(row.keyword)) {
      if (!matches) break;
      const Token token = token_at(text, end);
      matches = token.kind == TokenKind::Word &&
                text.substr(token.span.begin, token.span.end - token.span.begin) == word;
      end = token.span.end;
    }
    if (matches && (!longest || end > longest->length)) longest = {row.kind, end};
  }
  return longest;
}

const std::vector<std::string>& boundary_words() {
  static const std::vector<std::string> kWords = [] {
    std::vector<std::string> out;
    for (const BoundaryRow& row : kBoundaryRows) {
      for (const std::string_view word : words_of(row.keyword)) {
        if (std::find(out.begin(), out.end(), word) == out.end()) out.emplace_back(word);
      }
    }
    return out;
  }();
  return kWords;
}

bool is_boundary_word(std::string_view word) {
  const std::vector<std::string>& words = boundary_words();
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool precedes_boundary_value(std::string_view word) {
  return std::any_of(std::begin(kBoundaryRows), std::end(kBoundaryRows), [&](const auto& row) {
    return row.takes_value() && words_of(row.keyword).back() == word;
  });
}

}  // namespace stencil
