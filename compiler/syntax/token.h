// Finds single tokens in program text: for messages, which quote the token that was found, and for
// recovery, which searches for the next item after an error. The grammar itself does not use this.
#pragma once

#include <string>
#include <string_view>

#include "compiler/support/source.h"

namespace stencil {

enum class TokenKind { End, Word, Number, Symbol, Bad };

struct Token {
  TokenKind kind = TokenKind::End;
  Span span;                   // End: the byte after the last visible one
  bool first_on_line = false;  // a line break lies between the given offset and the token
};

// The first token at or after `offset`, skipping blanks and comments. An unterminated comment
// extends to the end of the text.
Token token_at(std::string_view text, size_t offset);

// As shown to users: "'subgrid'", "end of file", "byte 0x00"; long tokens are shortened.
std::string describe(std::string_view text, const Token& token);

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_item_keyword(std::string_view word);  // param, grid, ...
bool is_keyword(std::string_view word);       // any reserved word

// Where to continue after an error at `error` in the item that begins at `item`: after a ';'
// outside all brackets, or at a word that satisfies two of three conditions: it begins a line, it
// follows the closing brace of a body, it is an item's keyword. The result is greater than `item`.
size_t next_item(std::string_view text, size_t item, size_t error);

// Where to continue within the body of the item that begins at `item`, after an error at `error`:
// after the next ';' of the body. Returns npos if the error lies outside of a body, or if the body
// ends or a brace is opened before that ';'.
size_t next_statement(std::string_view text, size_t item, size_t error);

// Whether a word that begins a line starts an item: its keyword is reserved, is 'points', 'repeat'
// or 'record', or opens a block (`cycle v {`, `step {`, `start {`).
bool begins_item(std::string_view text, const Token& token);

}  // namespace stencil
