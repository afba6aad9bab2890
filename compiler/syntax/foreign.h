// Hints for users of NumPy, Fortran, C, MATLAB or Devito who write a construct of these languages.
// One table covers names that semantic analysis does not know (foreign.cpp), another one tokens at
// which the parser fails (foreign_tokens.cpp), a third one boundary rules (foreign_boundaries.cpp);
// each row is one mistake. Examples in hints are one-dimensional.
#pragma once

#include <string>
#include <string_view>

#include "compiler/support/source.h"

namespace stencil {

// What a foreign word stands for. Value also covers functions where the context does not
// distinguish them.
enum class Foreign { Item, Type, Value, Function, Field, Region, Reducer, Member };

// How to write it in this language; empty if no row has the word.
std::string hint_for_foreign_word(Foreign kind, std::string_view word);
// Whether both words stand in one row, as `laplace` and `lap` do.
bool are_foreign_synonyms(Foreign kind, std::string_view word, std::string_view other);

// The boundary rule that is meant by the word at the start of `text`: the rule of another tool, or
// a misspelt one. Empty if none is known.
std::string hint_for_boundary(std::string_view text);

// Where the parser failed: at the first token of `text` from `token` on, in the item that begins at
// `item`. `expected` is what must stand there (messages.h).
struct Stumble {
  std::string_view text;
  uint32_t item;
  Span token;
  std::string_view expected;
};

// The hint for a token that the grammar does not allow at its place; may be empty.
std::string hint_for_foreign_token(const Stumble& stumble);

// The hint for a `number` that runs into `rest`, which must not be empty; `behind` is the text that
// follows.
std::string hint_for_foreign_number(std::string_view number, std::string_view rest,
                                    std::string_view behind);

}  // namespace stencil
