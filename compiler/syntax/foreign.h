// What people write who come from NumPy, Fortran, C, MATLAB or Devito, and how it is written here.
// One table for names (foreign.cpp), which semantic analysis does not know, and one for tokens
// (foreign_tokens.cpp), over which the parser stumbles: a slip is a row. The examples in hints have
// one dimension.
#pragma once

#include <string>
#include <string_view>

#include "compiler/support/source.h"

namespace stencil {

// What a foreign word stands for. Values may be functions, where that is not told apart.
enum class Foreign { Item, Type, Value, Function, Field, Region, Reducer, Boundary, Member };

// How that is said here; empty if the word is in no row.
std::string_view hint_for_foreign_word(Foreign kind, std::string_view word);

// Where the parser stumbled: at the first token of `text` from `token` on, in the item that begins
// at `item`; `expected` is what is due there (messages.h).
struct Stumble {
  std::string_view text;
  uint32_t item;
  Span token;
  std::string_view expected;
};

// The same for a token that the grammar does not allow where it stands.
std::string hint_for_foreign_token(const Stumble& stumble);

// The same for a `number` that runs into `rest`, which is not empty; `behind` follows in the text.
std::string hint_for_foreign_number(std::string_view number, std::string_view rest,
                                    std::string_view behind);

}  // namespace stencil
