// The parser: applies the grammar to the text, one item after the other.
//
// Parsing item by item, instead of one rule for the whole program, makes recovery a loop: an error
// within an item is recorded, the rest of that item is skipped, and the next item is parsed
// normally. Each item is therefore reported at most once, by its first error, and an error in one
// item never causes one in another. Every iteration consumes text, and each byte is visited a
// bounded number of times, so the time is linear in the length.
#include "compiler/syntax/parse.h"

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

}  // namespace

std::optional<ast::Program> parse(const Source& source, Diagnostics& diagnostics) {
  const std::string_view text = source.text();
  if (text.size() > kMaxSourceBytes) {
    diagnostics.add(file_too_large(text.size(), kMaxSourceBytes).diagnostic);
    return std::nullopt;
  }
  TreeBuilder builder(text);
  int errors = 0;
  size_t at = match<grammar::prologue>(text, 0, builder);
  while (errors < kMaxErrors) {
    size_t item = at;
    try {
      item = match<grammar::skip>(text, at, builder);
      if (item == text.size()) break;
      if (errors > 0 && text[item] == '}' && builder.open_repeats() == 0) {
        at = item + 1;  // closes a construct that had an error
        continue;
      }
      builder.start_item(token_at(text, item).span);
      at = match<grammar::one_item>(text, item, builder);
    } catch (SyntaxError& error) {
      ++errors;
      at = next_item(text, item, error.diagnostic.span.begin);
      diagnostics.add(std::move(error.diagnostic));
    }
  }
  if (errors == 0 && builder.open_repeats() > 0) {
    const Expectation expectation = {"a stencil, or '}' after the last repeated one"};
    diagnostics.add(unexpected_token(builder, text.size(), expectation, false).diagnostic);
    ++errors;
  }
  if (errors > 0) return std::nullopt;
  return builder.take_program();
}

}  // namespace stencil
