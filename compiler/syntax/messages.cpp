// The text of the P-errors. Each error says what was found by looking at the token in the text. It
// adds a hint for common mistakes: a C operator where the language has a word, a keyword used as a
// name, a misspelt item. Hints that depend on the place in the grammar stand with the rule
// (messages.h); hints that depend on the token found stand here. Tests compare the texts literally,
// so they fail if a grammar change makes a message less specific.
#include "compiler/syntax/messages.h"

#include <fmt/format.h>

#include "compiler/support/diagnostic.h"
#include "compiler/syntax/ast.h"
#include "compiler/syntax/foreign.h"
#include "compiler/syntax/token.h"

namespace stencil {

namespace {

std::string_view at(std::string_view text, Span span) {
  return text.substr(span.begin, span.end - span.begin);
}

SyntaxError error(std::string code, Span span, std::string message) {
  return {{Severity::Error, std::move(code), span, std::move(message), {}, {}, {}, {}}};
}

std::string with_item(std::string_view text, std::string_view item_word) {
  std::string out(text);
  if (const auto hole = out.find("{}"); hole != std::string::npos) out.replace(hole, 2, item_word);
  return out;
}

bool begins_line(std::string_view text, const Token& token) {
  const auto line = text.find_last_of("\r\n", token.span.begin);
  const size_t begin = line == std::string_view::npos ? 0 : line + 1;
  return token_at(text, begin).span.begin == token.span.begin;
}

// The hint for a word where an item is expected: a misspelt keyword, or an assignment to a field.
std::string item_hint(std::string_view text, const Token& word) {
  const std::string name = meant_item(std::string(at(text, word.span)));
  if (!name.empty()) return fmt::format("did you mean '{}'?", name);
  const auto next = at(text, token_at(text, word.span.end).span);
  const bool assigned = next == "[" || next == "=" || next == "@";
  return assigned ? std::string(kThreeStencilForms) : "";
}

// The hint if an operand follows an operand: 2 A[0], (int) x, math.sin(x); otherwise empty.
std::string hint_of_missing_operator(std::string_view text, const Token& token,
                                     std::string_view expected) {
  const bool operator_due = expected == kExpectation<grammar::end>.expected ||
                            expected == kExpectation<grammar::let_end>.expected ||
                            expected == kExpectation<grammar::piece_end>.expected ||
                            expected == kExpectation<grammar::paren_close>.expected ||
                            expected == kExpectation<grammar::call_close>.expected;
  const auto found = at(text, token.span);
  const bool operand = token.kind == TokenKind::Number || found == "(" ||
                       (token.kind == TokenKind::Word && !is_keyword(found));
  if (!operator_due || !operand || begins_line(text, token)) return "";
  const auto last = text.find_last_not_of(" \t\r\n", token.span.begin - 1);
  const char before = last == std::string_view::npos ? ' ' : text[last];
  if (before == ')') return "an operator is missing; a conversion is a call, as in 'integer(x)'";
  if (before == ']' || before == '.' || (before >= '0' && before <= '9')) {
    return "an operator is missing before it";
  }
  return found == "(" ? "a function is called by its name alone, as in 'sin(x)'" : "";
}

// The word that `found` misspells, among the words in quotes in `expected` and the attributes that
// may follow there; "" if there is none.
std::string meant_attribute(std::string_view item, std::string_view found,
                            std::string_view expected) {
  std::vector<std::string> words;
  for (size_t open = expected.find('\''); open != expected.npos;) {
    const size_t close = expected.find('\'', open + 1);
    if (close == expected.npos) break;
    const std::string_view word = expected.substr(open + 1, close - open - 1);
    if (!word.empty() && word[0] >= 'a' && word[0] <= 'z') words.emplace_back(word);
    open = expected.find('\'', close + 1);
  }
  const bool ends = expected == kExpectation<grammar::end>.expected ||
                    expected == kExpectation<grammar::series_end>.expected;
  if (ends && (item == "field" || item == "series")) {
    for (const char* word : {"history", "constant", "boundary", "along"}) words.emplace_back(word);
  }
  if (expected == kExpectation<grammar::grid_end>.expected) words.emplace_back("cells");
  const std::string meant = nearest_name(std::string(found), words);
  return meant == found ? "" : meant;
}

// A hint from the token found and the byte before it; empty if there is none.
std::string hint_for(const TreeBuilder& builder, const Token& token,
                     const Expectation& expectation) {
  const auto text = builder.text();
  const auto found = at(text, token.span);
  const std::string foreign_token =
      hint_for_foreign_token({text, builder.item_begin(), token.span, expectation.expected});
  if (expectation.expected == kExpectation<grammar::item>.expected) {
    if (!foreign_token.empty()) return foreign_token;
    if (auto foreign = hint_for_foreign_word(Foreign::Item, found); !foreign.empty())
      return foreign;
    if (token.kind == TokenKind::Word) return item_hint(text, token);
    if (found == ";")
      return "an item with a body ends with at most one ';', and an item cannot be empty";
  }
  if (!foreign_token.empty()) return foreign_token;
  if (found == "every" && builder.item_word() == "stencil") {
    return "write it after the field: 'stencil n : F every 4 on REGION = e;'";
  }
  if (expectation.expected == kExpectation<grammar::boundary_rules>.expected ||
      expectation.expected == kExpectation<grammar::boundary_kind>.expected ||
      expectation.expected == kExpectation<grammar::boundary_high>.expected) {
    return hint_for_boundary(text.substr(token.span.begin));
  }
  if (token.kind == TokenKind::Word && is_keyword(found) && !is_item_keyword(found) &&
      expectation.expected == kExpectation<grammar::primary>.expected) {
    return fmt::format("'{}' is a keyword and cannot be used as a name", found);
  }
  if (const std::string meant = meant_attribute(builder.item_word(), found, expectation.expected);
      token.kind == TokenKind::Word && !meant.empty()) {
    return fmt::format("did you mean '{}'?", meant);
  }
  const std::string missing = hint_of_missing_operator(text, token, expectation.expected);
  return missing.empty() ? std::string(expectation.hint) : missing;
}

}  // namespace

SyntaxError unexpected_token(const TreeBuilder& builder, size_t offset, Expectation expectation,
                             bool name_is_due) {
  const auto text = builder.text();
  const Token token = token_at(text, offset);
  const auto found = describe(text, token);
  SyntaxError e = error("P001", token.span, "unexpected " + found);
  if (token.kind == TokenKind::Bad) {
    e = error("P008", token.span, found + " is not part of the language");
  } else if (name_is_due && token.kind == TokenKind::Word && is_keyword(at(text, token.span)) &&
             !begins_item(text, token)) {
    e = error("P007", token.span, found + " is a keyword and cannot be used as a name");
  }
  e.diagnostic.expected = with_item(expectation.expected, builder.item_word());
  e.diagnostic.found = found;
  if (e.diagnostic.code == "P007") {
    e.diagnostic.hint =
        hint_for_foreign_token({text, builder.item_begin(), token.span, expectation.expected});
    if (e.diagnostic.hint.empty()) e.diagnostic.hint = "choose another name";
  } else {
    e.diagnostic.hint = hint_for(builder, token, expectation);
  }
  return e;
}

bool item_may_end_at(std::string_view text, size_t offset) {
  const Token token = token_at(text, offset);
  return token.kind == TokenKind::End || begins_item(text, token);
}

std::string meant_item(const std::string& word) {
  return nearest_name(word, {"param", "grid", "subgrid", "type", "field", "series", "points",
                             "table", "function", "stencil", "cycle", "step", "start", "repeat",
                             "init", "reduce", "record", "stop", "require"});
}

SyntaxError number_out_of_range(std::string_view text, Span number, std::string expected) {
  auto e = error("P002", number, "number out of range");
  e.diagnostic.expected = std::move(expected);
  e.diagnostic.found = describe(text, token_at(text, number.begin));
  return e;
}

SyntaxError unterminated_comment(Span opening) {
  auto e = error("P003", opening, "unterminated comment");
  e.diagnostic.expected = "'*/' after the comment";
  e.diagnostic.found = "end of file";
  return e;
}

SyntaxError nesting_too_deep(Span bracket) {
  auto e = error("P004", bracket, "nesting too deep");
  e.diagnostic.expected =
      fmt::format("at most {} nested brackets, braces and calls", ast::kMaxNesting);
  e.diagnostic.hint = "name a part of it with 'let'";
  return e;
}

SyntaxError blocks_too_deep(Span place) {
  auto e = nesting_too_deep(place);
  e.diagnostic.hint = "make the inner statements a cycle and apply it by its name";
  return e;
}

SyntaxError expression_too_deep(Span place) {
  auto e = error("P005", place, "expression too deep");
  e.diagnostic.expected = fmt::format("at most {} nested operations", ast::kMaxExpressionDepth);
  e.diagnostic.hint = "name a part of it with 'let'";
  return e;
}

SyntaxError chained_comparison(Span comparison) {
  auto e = error("P006", comparison, "comparisons cannot be chained");
  e.diagnostic.hint = "write 'a < b and b < c'";
  return e;
}

SyntaxError malformed_number(std::string_view text, Span number, uint32_t digits_end) {
  auto e = error("P009", number, "malformed number");
  e.diagnostic.expected = "a number such as 12, 0x1F, 0.5 or 1e-6";
  e.diagnostic.found = fmt::format("'{}'", at(text, number).substr(0, 40));
  const auto rest = text.substr(digits_end, number.end - digits_end);
  e.diagnostic.hint = hint_for_foreign_number(at(text, {number.begin, digits_end}), rest,
                                              text.substr(number.end, 40));
  return e;
}

SyntaxError file_too_large(size_t bytes, size_t limit) {
  auto e = error("P010", {}, "file too large");
  e.diagnostic.expected = fmt::format("at most {} bytes", limit);
  e.diagnostic.found = fmt::format("{} bytes", bytes);
  return e;
}

SyntaxError attribute_given_twice(Span attribute, std::string_view name, std::string_view item) {
  auto e = error("P011", attribute, fmt::format("'{}' given twice", name));
  e.diagnostic.expected = fmt::format("each attribute of a {} once", item);
  return e;
}

}  // namespace stencil
