// Parts of C as text of C++, for the functions of `lift --replace`.
#pragma once

#include <optional>
#include <string>

#include "compiler/lift/lift.h"

namespace stencil::api {

// A type of C as C++ calls it.
std::string in_cpp(std::string text);
std::string element_name(lifter::CScalar type);
bool is_cpp_keyword(const std::string& name);
// A number with its type in C, which decides how operations on it are computed.
std::string number_text(lifter::X x);

// The name of an unsigned param of 64 bits that bounds no loop. It may have any value, and the
// program has signed numbers.
std::optional<std::string> unsigned_value(const lifter::Lifted& lifted);

}  // namespace stencil::api
