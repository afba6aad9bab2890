// A reader must see exactly what a text contains. A carriage return ends a `//` comment for a C
// compiler and hides the start of a line on a terminal; for some programs U+2028 does too. A
// backslash (or its trigraph) at the end of a line, even before blanks, joins the next line to the
// comment. Direction marks display code in a different order (Boucher and Anderson, "Trojan Source:
// Invisible Vulnerabilities", 2021).
#include "compiler/support/escape.h"

#include <fmt/format.h>

#include <algorithm>

namespace stencil {

namespace {

struct Character {
  size_t length = 1;
  uint32_t point = 0;  // Unicode code point
  bool valid = false;
};

Character character_at(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, lead, true};
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || at + length > text.size()) return {};
  uint32_t point = lead & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    point = point << 6 | (byte(i) & 0x3Fu);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
  if (point < kLeast[length] || point > 0x10FFFF || surrogate) return {};
  return {length, point, true};
}

bool is_seen(uint32_t point) {
  const auto within = [point](uint32_t low, uint32_t high) {
    return low <= point && point <= high;
  };
  if (point == '\t') return true;
  return !(point < 0x20 || within(0x7F, 0x9F) || point == 0xAD || point == 0x61C ||
           within(0x200B, 0x200F) || within(0x2028, 0x202E) || within(0x2060, 0x206F) ||
           point == 0xFEFF || within(0xFFF9, 0xFFFB) || within(0xE0000, 0xE007F));
}

std::string written_out(const Character& character, unsigned char byte) {
  if (character.point >= 0x80) return fmt::format("<U+{:04X}>", character.point);
  if (byte == '\n') return "\\n";
  if (byte == '\r') return "\\r";
  return fmt::format("\\x{:02x}", byte);
}

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

}  // namespace

std::string visible(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    if (character.valid && is_seen(character.point)) {
      out += text.substr(at, character.length);
    } else {
      out += written_out(character, static_cast<unsigned char>(text[at]));
    }
    at += character.length;
  }
  return out;
}

size_t columns(std::string_view visible) {
  return static_cast<size_t>(std::count_if(visible.begin(), visible.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string on_one_line(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (!is_blank(c)) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::string comment_line(std::string_view text) {
  std::string out = visible(text);
  for (size_t at = out.find("?\?/"); at != std::string::npos; at = out.find("?\?/", at)) {
    out.insert(at + 1, 1, ' ');
  }
  while (!out.empty() && is_blank(out.back())) out.pop_back();
  if (!out.empty() && out.back() == '\\') out += " //";
  return out;
}

std::string string_literal(std::string_view text) {
  std::string out = "\"";
  for (char c : visible(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?') {
      out += '\\';
      out += c;
    } else if (byte < ' ' || byte > '~') {  // a tab, or a byte of UTF-8: always three digits
      out += fmt::format("\\{:03o}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string xml_attribute(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\n' || c == '\r' || c == '\t') {
      out += fmt::format("&#{};", static_cast<int>(c));
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace stencil
