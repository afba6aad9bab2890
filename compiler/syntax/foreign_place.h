// The place where the parser failed and the tokens around it, for the hints of foreign_tokens.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/syntax/foreign.h"
#include "compiler/syntax/token.h"

namespace stencil::foreign {

inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
inline bool is_number(std::string_view token) {
  return !token.empty() && is_digit(token[0]);
}

// True if `words`, which are separated by blanks, contain the word.
inline bool is_one_of(std::string_view words, std::string_view word) {
  for (size_t at = 0; at <= words.size() && !word.empty();) {
    const size_t end = std::min(words.find(' ', at), words.size());
    if (words.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

// The place where the parser failed, and its context.
class Place {
 public:
  explicit Place(const Stumble& stumble)
      : text_(stumble.text),
        found_(token_at(stumble.text, stumble.token.begin)),
        expected_(stumble.expected) {
    for (uint32_t at = stumble.item; at < found_.span.begin;) {
      const Token token = token_at(text_, at);
      if (token.span.begin >= found_.span.begin) break;
      if (before_.size() == kMostTokens) {  // of a huge item, keep the beginning and the end
        before_.erase(before_.begin() + kFirstTokens, before_.begin() + kMostTokens / 2);
      }
      before_.push_back(spelling(token));
      at = token.span.end;
    }
  }

  std::string_view token() const { return spelling(found_); }
  bool is_operand() const {
    const bool word = found_.kind == TokenKind::Word && !is_keyword(token());
    return word || found_.kind == TokenKind::Number;
  }
  bool is_word() const { return found_.kind == TokenKind::Word && !is_keyword(token()); }
  bool is_due(std::span<const std::string_view> rules) const {
    return rules.empty() || std::find(rules.begin(), rules.end(), expected_) != rules.end();
  }
  std::string_view item() const { return before_.empty() ? "" : before_.front(); }
  // The bytes directly before and after the token.
  char byte_before() const { return found_.span.begin > 0 ? text_[found_.span.begin - 1] : ' '; }
  char byte_behind() const { return found_.span.end < text_.size() ? text_[found_.span.end] : ' '; }
  // Earlier tokens of the item, counted backwards from this one, and the tokens after it.
  std::string_view back(size_t k = 1) const {
    return k <= before_.size() ? before_[before_.size() - k] : "";
  }
  std::string_view next(int k = 1) const {
    Token token = found_;
    for (; k > 0 && token.kind != TokenKind::End; --k) token = token_at(text_, token.span.end);
    return spelling(token);
  }
  // The text from the token k tokens after this one on; empty behind the last one.
  std::string_view text_from(int k) const {
    Token token = found_;
    for (; k > 0 && token.kind != TokenKind::End; --k) token = token_at(text_, token.span.end);
    return text_.substr(std::min<size_t>(token.span.begin, text_.size()));
  }
  bool ends_item_in_line() const {
    const auto rest = text_.substr(found_.span.begin);
    return rest.substr(0, rest.find_first_of("\r\n")).find(';') != std::string_view::npos;
  }
  bool has_before(std::string_view token) const {
    return std::find(before_.begin(), before_.end(), token) != before_.end();
  }
  // The tokens after the last `word` of the item.
  std::span<const std::string_view> since(std::string_view word) const {
    const auto found = std::find(before_.rbegin(), before_.rend(), word);
    if (found == before_.rend()) return {};
    return std::span(before_).last(static_cast<size_t>(found - before_.rbegin()));
  }
  // The token before the innermost open parenthesis or bracket, and the token before the
  // parenthesis that the previous token closes.
  std::string_view opened_behind() const { return behind_bracket(before_.size(), 1); }
  std::string_view called() const {
    return back() == ")" ? behind_bracket(before_.size() - 1, 1) : "";
  }

 private:
  static constexpr int kFirstTokens = 64, kMostTokens = 8192;

  std::string_view spelling(const Token& token) const {
    if (token.kind == TokenKind::End) return "";
    return text_.substr(token.span.begin, token.span.end - token.span.begin);
  }
  std::string_view behind_bracket(size_t end, int depth) const {
    for (size_t i = end; i-- > 0;) {
      if (before_[i] == ")" || before_[i] == "]") ++depth;
      if (before_[i] == "(" || before_[i] == "[") --depth;
      if (depth == 0) return i > 0 ? before_[i - 1] : "";
    }
    return "";
  }

  std::string_view text_;
  Token found_;
  std::string_view expected_;
  std::vector<std::string_view> before_;
};

}  // namespace stencil::foreign
