// Source text and positions in it. Every syntax and IR node carries a Span, so that any later stage
// can refer to its line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stencil {

// A half-open range of byte offsets into one source text. {0, 0} means "no place".
struct Span {
  uint32_t begin = 0;
  uint32_t end = 0;
  bool valid() const { return end > begin; }
  friend bool operator==(const Span&, const Span&) = default;
};

// The smallest span that covers both.
Span join(Span a, Span b);

// One source file: its display name, its text, and where its lines begin.
class Source {
 public:
  Source(std::string name, std::string text);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  std::string_view text(Span span) const;

  struct Position {
    int line = 1;    // from 1
    int column = 1;  // from 1, in bytes
  };
  Position position(uint32_t offset) const;

  // Text of a line (from 1) without its newline; empty for a line that does not exist.
  std::string_view line(int number) const;

 private:
  std::string name_;
  std::string text_;
  std::vector<uint32_t> line_starts_;
};

}  // namespace stencil
