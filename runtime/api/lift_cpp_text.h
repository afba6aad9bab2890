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
// A number with its C type as suffix, which decides how operations on it are computed.
std::string number_text(lifter::X x);

// The C name of a 64-bit unsigned param that bounds no loop, if there is one. Its value may exceed
// the signed integers of the program.
std::optional<std::string> unsigned_value(const lifter::Lifted& lifted);

}  // namespace stencil::api
