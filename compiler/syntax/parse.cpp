// The parser: applies the grammar to the text, one item after the other.
//
// Parsing item by item, instead of one rule for the whole program, makes recovery a loop: an error
// within an item is recorded, the rest of that item is skipped, and the next item is parsed
// normally. An error in one item therefore never causes one in another. After an error in a body,
// the parser continues with the statement after the next ';'. An error within braces, as in a block
// of C, ends the body, because each of its lines would be an error. Blocks of statements (a cycle)
// may contain blocks, so the parser counts their braces. The number of errors is limited
// and each byte is visited a bounded number of times per error, so the time is linear in the
// length.
#include "compiler/syntax/parse.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/syntax/actions.h"
#include "compiler/syntax/messages.h"
#include "compiler/syntax/token.h"

namespace stencil {

namespace {

constexpr size_t kMaxSourceBytes = size_t{64} << 20;
constexpr int kMaxErrors = 100;  // further errors are not useful

// The rest of the text that must still be parsed. Positions are offsets from the start of the whole
// text, so no line numbers are counted here.
using Input = tao::pegtl::memory_input<tao::pegtl::tracking_mode::lazy, tao::pegtl::eol::lf_crlf,
                                       const char*>;

// Applies a rule at `at`; returns the end of the match. The rule either matches or throws a
// SyntaxError.
template <typename Rule>
size_t match(std::string_view text, size_t at, TreeBuilder& builder) {
  Input in(text.data() + at, text.data() + text.size(), "");
  tao::pegtl::parse<Rule, Action, Control>(in, builder);
  return static_cast<size_t>(in.current() - text.data());
}

// The items after which a ';' may be missing, and what completes them.
using Completion = void (TreeBuilder::*)();
constexpr std::pair<std::string_view, Completion> kCompletions[] = {
    {"param", &TreeBuilder::param},     {"grid", &TreeBuilder::grid},
    {"subgrid", &TreeBuilder::subgrid}, {"type", &TreeBuilder::type_decl},
    {"field", &TreeBuilder::field},     {"series", &TreeBuilder::series},
    {"points", &TreeBuilder::points},   {"table", &TreeBuilder::table},
    {"stencil", &TreeBuilder::stencil}, {"function", &TreeBuilder::function},
    {"init", &TreeBuilder::init},       {"reduce", &TreeBuilder::reduce},
    {"record", &TreeBuilder::record},   {"stop", &TreeBuilder::stop},
    {"require", &TreeBuilder::require}};

// Whether the item consists of blocks of statements.
bool has_blocks(std::string_view item_word) {
  return item_word == "cycle" || item_word == "step" || item_word == "start";
}

bool complete_item(TreeBuilder& builder) {
  for (const auto& [word, completion] : kCompletions) {
    if (word != builder.item_word()) continue;
    (builder.*completion)();
    return true;
  }
  return false;
}

// The names that an item with an error declares, as far as its text tells: the words up to the
// first symbol other than a comma. For `double f(double x)` these are `double` and `f`.
ast::BrokenItem broken_item(std::string_view text, size_t item) {
  const auto spelling = [&](const Token& token) {
    return std::string(text.substr(token.span.begin, token.span.end - token.span.begin));
  };
  Token token = token_at(text, item);
  ast::BrokenItem broken;
  if (token.kind != TokenKind::Word) return broken;
  broken.keyword = meant_item(spelling(token));
  constexpr std::string_view kNameless[] = {"stencil", "cycle", "step",   "start",
                                            "repeat",  "stop",  "require"};
  const bool named =
      std::find(std::begin(kNameless), std::end(kNameless), broken.keyword) == std::end(kNameless);
  if (broken.keyword != spelling(token)) broken.names.push_back({spelling(token), token.span});
  for (token = token_at(text, token.span.end); named; token = token_at(text, token.span.end)) {
    const bool word = token.kind == TokenKind::Word && !is_keyword(spelling(token));
    if (word) broken.names.push_back({spelling(token), token.span});
    if (!word && spelling(token) != ",") break;
  }
  return broken;
}

class Parser {
 public:
  Parser(std::string_view text, Diagnostics& diagnostics)
      : text_(text), builder_(text), diagnostics_(diagnostics) {}

  ast::Program program() {
    size_t at = match<grammar::prologue>(text_, 0, builder_);
    std::vector<ast::BrokenItem> broken;
    while (errors_ < kMaxErrors) {
      size_t item = at;
      try {
        item = match<grammar::skip>(text_, at, builder_);
        if (item == text_.size()) break;
        if (errors_ > 0 && text_[item] == '}' && builder_.open_repeats() == 0) {
          at = item + 1;  // closes a construct that had an error
          continue;
        }
        builder_.start_item(token_at(text_, item).span);
        at = match<grammar::one_item>(text_, item, builder_);
      } catch (SyntaxError& error) {
        const bool too_deep = error.diagnostic.code == "P004";
        const size_t place = report(error);
        const bool complete = error.only_end_is_missing && complete_item(builder_);
        if (!complete) broken.push_back(broken_item(text_, item));
        if (complete) {
          at = place;
        } else if (has_blocks(builder_.item_word()) && !too_deep) {
          at = rest_of_blocks(item, place, error.block_is_missing);
        } else {
          at = next_item(text_, item, rest_of_body(item, place));
        }
      }
    }
    if (errors_ >= kMaxErrors) broken.emplace_back();  // the rest is not parsed: it may be any item
    if (errors_ == 0 && builder_.open_repeats() > 0) {
      const Expectation expectation = {"a stencil, a repeat, or '}' after the last repeated one"};
      SyntaxError error = unexpected_token(builder_, text_.size(), expectation, false);
      report(error);
      broken.push_back({"repeat", {}});
    }
    ast::Program program = builder_.take_program();
    program.broken = std::move(broken);
    program.has_errors = errors_ > 0;
    return program;
  }

 private:
  // Returns the place of the error.
  size_t report(SyntaxError& error) {
    ++errors_;
    const size_t place = error.diagnostic.span.begin;
    diagnostics_.add(std::move(error.diagnostic));
    return place;
  }

  // Reports the errors of the statements that follow `error` in the body of an item. Returns the
  // place of the last error.
  size_t rest_of_body(size_t item, size_t error) {
    const bool function = builder_.item_word() == "function";
    if (!function && builder_.item_word() != "stencil") return error;
    while (errors_ < kMaxErrors) {
      size_t at = next_statement(text_, item, error);
      if (at == std::string_view::npos) break;
      builder_.start_item(token_at(text_, item).span);
      try {
        for (;;) {
          at = match<grammar::skip>(text_, at, builder_);
          const Token token = token_at(text_, at);
          if (token.kind == TokenKind::End || text_[at] == '}') return error;
          if (begins_item(text_, token)) return error;
          at = function ? match<grammar::function_statement>(text_, at, builder_)
                        : match<grammar::stencil_statement>(text_, at, builder_);
        }
      } catch (SyntaxError& next) {
        const size_t place = report(next);
        if (place <= error) break;
        error = place;
      }
    }
    return error;
  }

  // The same for the blocks of an item. Returns the place after the item.
  size_t rest_of_blocks(size_t item, size_t error, bool block_is_missing) {
    int assumed = 0;  // braces that are missing
    for (;;) {
      // A brace is assumed if the statements stand in lines of their own, as in a block.
      if (block_is_missing && begins_line(error)) ++assumed;
      int depth = assumed + depth_at(item, error);
      size_t at = after_statement(error, depth);
      builder_.start_item(token_at(text_, item).span);
      try {
        while (depth > 0) {
          at = match<grammar::skip>(text_, at, builder_);
          const Token token = token_at(text_, at);
          if (token.kind == TokenKind::End || ends_blocks(token)) return at;
          if (is(token, "{") || is(token, "}")) {
            depth += is(token, "{") ? 1 : -1;
            at = token.span.end;
          } else if (is(token, "else")) {  // of an `if` with an error
            at = token.span.end;
          } else {
            at = match<grammar::one_statement>(text_, at, builder_);
          }
        }
        const Token token = token_at(text_, at);
        return is(token, ";") ? token.span.end : at;
      } catch (SyntaxError& next) {
        const bool too_deep = next.diagnostic.code == "P004";
        const size_t place = report(next);
        if (too_deep || place <= error || errors_ >= kMaxErrors) {
          return next_item(text_, item, place);
        }
        error = place;
        block_is_missing = next.block_is_missing;
      }
    }
  }

  bool is(const Token& token, std::string_view spelling) const {
    return token.kind != TokenKind::End &&
           text_.substr(token.span.begin, token.span.end - token.span.begin) == spelling;
  }

  bool begins_line(size_t at) const {
    const auto line = text_.substr(0, at).find_last_of("\r\n");
    return token_at(text_, line == std::string_view::npos ? 0 : line + 1).span.begin == at;
  }
  // Whether the next item begins although blocks are open. A `repeat` is also a statement.
  bool ends_blocks(const Token& token) const {
    return begins_item(text_, token) && !is(token, "repeat");
  }

  // The number of braces that are open at `end`, of those from `begin` on.
  int depth_at(size_t begin, size_t end) const {
    int depth = 0;
    for (Token token = token_at(text_, begin);
         token.kind != TokenKind::End && token.span.begin < end;
         token = token_at(text_, token.span.end)) {
      depth += is(token, "{") - is(token, "}");
    }
    return depth;
  }

  // The end of the statement with an error at `at`: after the next ';' or '{', which it counts, or
  // before the next '}' or item.
  size_t after_statement(size_t at, int& depth) const {
    for (Token token = token_at(text_, at);; token = token_at(text_, token.span.end)) {
      if (token.kind == TokenKind::End || ends_blocks(token) || is(token, "}")) {
        return token.span.begin;
      }
      if (is(token, "{")) ++depth;
      if (is(token, "{") || is(token, ";")) return token.span.end;
    }
  }

  std::string_view text_;
  TreeBuilder builder_;
  Diagnostics& diagnostics_;
  int errors_ = 0;
};

}  // namespace

ast::Program parse_with_errors(const Source& source, Diagnostics& diagnostics) {
  const std::string_view text = source.text();
  if (text.size() > kMaxSourceBytes) {
    diagnostics.add(file_too_large(text.size(), kMaxSourceBytes).diagnostic);
    ast::Program none;
    none.broken.emplace_back();
    none.has_errors = true;
    return none;
  }
  return Parser(text, diagnostics).program();
}

std::optional<ast::Program> parse(const Source& source, Diagnostics& diagnostics) {
  ast::Program program = parse_with_errors(source, diagnostics);
  if (program.has_errors) return std::nullopt;
  return program;
}

}  // namespace stencil
