// Text of users (programs, file names, command lines) where others will read it: terminals and
// compilers. Whatever is copied into a message or an emitted file passes through here.
#pragma once

#include <string>
#include <string_view>

namespace stencil {

// The text with everything written out that acts on a reader instead of being seen: control
// characters but for tabs (`\r`, `\x1b`), bytes that are no UTF-8 (`\xff`), and the line ends,
// direction marks and invisible characters of Unicode (`<U+2028>`).
std::string visible(std::string_view text);

// Columns of visible text: a character each, whatever its bytes.
size_t columns(std::string_view visible);

// Runs of blanks, line ends included, as one blank each.
std::string on_one_line(std::string_view text);

// The text as one line of a `//` comment of C: visible, and without what would carry the comment
// over to the next line.
std::string comment_line(std::string_view text);

// The text as a string literal of C.
std::string string_literal(std::string_view text);

// The text as the value of an XML attribute.
std::string xml_attribute(std::string_view text);

}  // namespace stencil
