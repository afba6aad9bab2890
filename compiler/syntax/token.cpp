// A small scanner beside the grammar. PEGTL parses without a separate lexer, so the parser does not
// know the end of the token at which it failed. This file finds it, only after an error. It divides
// every byte sequence into tokens of some kind (Bad for bytes that no program may contain), so
// messages and recovery work on any input. Recovery counts brackets from the start of the item and
// not from the error: after an error within a body, a ';' of that body must not end the item, or
// one mistake would be reported several times.
#include "compiler/syntax/token.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compiler/syntax/grammar.h"

namespace stencil {

namespace {

constexpr size_t kLongestShown = 40;  // bytes of a token quoted in a message

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

size_t skip_blanks_and_comments(std::string_view text, size_t at) {
  while (at < text.size()) {
    if (is_blank(text[at])) {
      ++at;
    } else if (text.substr(at, 2) == "//") {
      at = std::min(text.find_first_of("\r\n", at), text.size());
    } else if (text.substr(at, 2) == "/*") {
      const size_t close = text.find("*/", at + 2);
      at = close == std::string_view::npos ? text.size() : close + 2;
    } else {
      break;
    }
  }
  return at;
}

size_t end_of_number(std::string_view text, size_t at) {
  while (at < text.size() && (is_digit(text[at]) || is_word_byte(text[at]))) ++at;
  if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) {
    ++at;
    while (at < text.size() && (is_digit(text[at]) || is_word_byte(text[at]))) ++at;
  }
  return at;
}

size_t length_of_symbol(std::string_view text, size_t at) {
  static constexpr std::array<std::string_view, 7> kPairs = {
      "<<", ">>", "<=", ">=", "==", "!=", ".."};
  if (std::find(kPairs.begin(), kPairs.end(), text.substr(at, 2)) != kPairs.end()) return 2;
  return std::string_view("()[]{},;:.=+-*/%<>|^&~!@").find(text[at]) != std::string_view::npos;
}

// Length in bytes of the well-formed UTF-8 sequence at `at`, or 1.
size_t length_of_character(std::string_view text, size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 1;
  if (lead > 0xF4 || at + length > text.size()) return 1;
  const auto tail = text.substr(at + 1, length - 1);
  return std::all_of(tail.begin(), tail.end(), is_continuation) ? length : 1;
}

template <typename Rule>
bool matches(std::string_view word) {
  tao::pegtl::memory_input<tao::pegtl::tracking_mode::lazy, tao::pegtl::eol::lf_crlf, const char*>
      in(word.data(), word.data() + word.size(), "");
  return tao::pegtl::parse<tao::pegtl::seq<Rule, tao::pegtl::eof>>(in);
}

}  // namespace

Token token_at(std::string_view text, size_t offset) {
  const size_t begin = skip_blanks_and_comments(text, offset);
  const auto between = text.substr(offset, begin - offset);
  Token token;
  token.first_on_line = between.find_first_of("\r\n") != std::string_view::npos;
  if (begin == text.size()) {
    size_t end = begin;
    while (end > 0 && is_blank(text[end - 1])) --end;
    token.span = {static_cast<uint32_t>(end), static_cast<uint32_t>(end + 1)};
    return token;
  }
  size_t end = begin;
  if (is_word_byte(text[begin])) {
    token.kind = TokenKind::Word;
    while (end < text.size() && (is_word_byte(text[end]) || is_digit(text[end]))) ++end;
  } else if (is_digit(text[begin])) {
    token.kind = TokenKind::Number;
    end = end_of_number(text, begin);
  } else if (const size_t length = length_of_symbol(text, begin)) {
    token.kind = TokenKind::Symbol;
    end += length;
  } else {
    token.kind = TokenKind::Bad;
    end += length_of_character(text, begin);
  }
  token.span = {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  return token;
}

std::string describe(std::string_view text, const Token& token) {
  if (token.kind == TokenKind::End) return "end of file";
  std::string shown(text.substr(token.span.begin, token.span.end - token.span.begin));
  const auto first = static_cast<unsigned char>(shown[0]);
  if (first < 0x20 || first == 0x7F || (first >= 0x80 && shown.size() == 1)) {
    return fmt::format("byte 0x{:02X}", first);
  }
  if (shown.size() > kLongestShown) shown = shown.substr(0, kLongestShown) + "...";
  return "'" + shown + "'";
}

bool is_item_keyword(std::string_view word) {
  return matches<grammar::item_word>(word);
}
bool is_keyword(std::string_view word) {
  return matches<grammar::reserved>(word);
}

namespace {

// Whether the word begins `cycle v {`, `step {` or `start {`. Elsewhere the words may be names.
bool opens_block_item(std::string_view text, const Token& token) {
  const auto spelling = [&](const Token& t) {
    return text.substr(t.span.begin, t.span.end - t.span.begin);
  };
  Token next = token_at(text, token.span.end);
  if (spelling(token) == "cycle") {
    if (next.kind != TokenKind::Word || is_keyword(spelling(next))) return false;
    next = token_at(text, next.span.end);
  } else if (spelling(token) != "step" && spelling(token) != "start") {
    return false;
  }
  return next.kind == TokenKind::Symbol && spelling(next) == "{";
}

}  // namespace

size_t next_item(std::string_view text, size_t item, size_t error) {
  int depth = 0;
  bool after_brace = false;
  Token token = token_at(text, item);
  for (; token.kind != TokenKind::End; token = token_at(text, token.span.end)) {
    const auto word = text.substr(token.span.begin, token.span.end - token.span.begin);
    const bool past_error = token.span.begin > item && token.span.begin >= error;
    if (past_error && token.kind == TokenKind::Word) {
      const bool after_body = depth <= 0 && after_brace;
      const bool keyword = is_item_keyword(word) || opens_block_item(text, token);
      const int signs = token.first_on_line + after_body + keyword;
      if (signs >= 2) return token.span.begin;
    }
    if (word == "(" || word == "[" || word == "{") ++depth;
    if (word == ")" || word == "]" || word == "}") --depth;
    if (past_error && depth <= 0 && word == ";") return token.span.end;
    after_brace = word == "}";
  }
  return text.size();
}

size_t next_statement(std::string_view text, size_t item, size_t error) {
  std::string open;  // the brackets that are open
  Token before;
  Token token = token_at(text, item);
  for (; token.kind != TokenKind::End; before = token, token = token_at(text, token.span.end)) {
    const char c = text[token.span.begin];
    const bool symbol = token.kind == TokenKind::Symbol;
    const bool past_error = token.span.begin >= error;
    if (past_error && begins_item(text, token)) break;
    // The brace of a body follows a name, a number, ')' or ']'; that of an aggregate a symbol.
    const char last = before.span.end > 0 ? text[before.span.end - 1] : ' ';
    const bool opens_body = before.kind != TokenKind::Symbol || last == ')' || last == ']';
    if (symbol && open.empty() && c == '{' && opens_body) {
      if (past_error) break;
      open = "b";
    } else if (symbol && (c == '(' || c == '[' || c == '{')) {
      if (past_error && open == "b" && c == '{') break;
      open += c;
    } else if (symbol && (c == ')' || c == ']' || c == '}') && !open.empty()) {
      if (past_error && open == "b") break;
      open.pop_back();
    } else if (symbol && c == ';') {
      // At the end of a line, a ';' ends the statement even if a bracket lies open.
      const bool ends_line = token_at(text, token.span.end).first_on_line;
      if (open.starts_with('b') && ends_line && open.find('{') == std::string::npos) open = "b";
      if (past_error && open == "b") return token.span.end;
      if (past_error) break;
    }
  }
  return std::string_view::npos;
}

bool begins_item(std::string_view text, const Token& token) {
  const auto word = text.substr(token.span.begin, token.span.end - token.span.begin);
  if (token.kind != TokenKind::Word) return false;
  if (!is_item_keyword(word) && word != "points" && word != "repeat" && word != "record" &&
      !opens_block_item(text, token)) {
    return false;
  }
  const auto line = text.substr(0, token.span.begin).find_last_of("\r\n");
  const size_t begin = line == std::string_view::npos ? 0 : line + 1;
  return token_at(text, begin).span.begin == token.span.begin;
}

}  // namespace stencil
