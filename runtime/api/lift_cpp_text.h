// Writes parts of C as C++ text, for the functions of `lift --replace`.
#pragma once

#include <optional>
#include <string>

#include "compiler/lift/lift.h"

namespace stencil::api {

// The C++ name of a C type.
std::string in_cpp(std::string text);
std::string element_name(lifter::CScalar type);
bool is_cpp_keyword(const std::string& name);
// A number as a literal whose suffix gives its C type, which decides how operations on it are
// computed.
std::string number_text(lifter::X x);

// The C name of a 64-bit unsigned param that bounds no loop, if there is such a param. Its value
// may exceed the range of the program's signed integers.
std::optional<std::string> unsigned_value(const lifter::Lifted& lifted);

}  // namespace stencil::api
