// What people write who come from NumPy, Fortran, C or Matlab, and how it is written here. One
// table for the parser, which stumbles over tokens, and semantic analysis, which does not know
// names: a slip is a row.
#pragma once

#include <string_view>

namespace stencil {

// What a foreign word stands for. Values may be functions, where that is not told apart.
enum class Foreign { Item, Type, Value, Function, Field, Region, Reducer, Boundary };

// How that is said here; empty if the word is in no row.
std::string_view hint_for_foreign_word(Foreign kind, std::string_view word);

// The same for a token that the grammar does not allow where it stands: `before` is the byte before
// it in the text, `expected` what is due there (messages.h).
std::string_view hint_for_foreign_token(std::string_view token, char before,
                                        std::string_view expected);

}  // namespace stencil
