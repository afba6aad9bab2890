// Escapes text of users (programs, file names, command lines) for terminals and compilers.
// Everything that is copied into a message or an emitted file passes through here.
#pragma once

#include <string>
#include <string_view>

namespace stencil {

// The text with all characters escaped that a terminal would not show as they are: control
// characters except tabs (`\r`, `\x1b`), bytes that are not UTF-8 (`\xff`), and the line ends,
// direction marks and invisible characters of Unicode (`<U+2028>`).
std::string visible(std::string_view text);

// The width of visible text in columns: one per character, however many bytes it has.
size_t columns(std::string_view visible);

// Replaces each run of white space, including line ends, by one blank.
std::string on_one_line(std::string_view text);

// The text as one line of a C `//` comment: visible, and without anything that would continue the
// comment on the next line.
std::string comment_line(std::string_view text);

// The text as a C string literal.
std::string string_literal(std::string_view text);

// The text as the value of an XML attribute.
std::string xml_attribute(std::string_view text);

}  // namespace stencil
