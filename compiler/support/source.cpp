// Positions are stored as byte offsets and converted to lines and columns only when a message is
// shown, by a binary search over the line starts. A line ends with LF, CR LF or CR. Tabs and
// multi-byte characters count as their bytes; the caret line repeats tabs so that it stays aligned
// with the text.
#include "compiler/support/source.h"

#include <algorithm>

namespace stencil {

Span join(Span a, Span b) {
  if (!a.valid()) return b;
  if (!b.valid()) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

Source::Source(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (size_t i = 0; i < text_.size(); ++i) {
    const bool ends = text_[i] == '\n' || (text_[i] == '\r' && text_.compare(i + 1, 1, "\n") != 0);
    if (ends) line_starts_.push_back(static_cast<uint32_t>(i + 1));
  }
}

std::string_view Source::text(Span span) const {
  const size_t begin = std::min<size_t>(span.begin, text_.size());
  const size_t end = std::clamp<size_t>(span.end, begin, text_.size());
  return std::string_view(text_).substr(begin, end - begin);
}

Source::Position Source::position(uint32_t offset) const {
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const int line = static_cast<int>(next - line_starts_.begin());
  return {line, static_cast<int>(offset - line_starts_[line - 1]) + 1};
}

std::string_view Source::line(int number) const {
  if (number < 1 || number > static_cast<int>(line_starts_.size())) return {};
  const size_t begin = line_starts_[number - 1];
  const size_t end = std::min(text_.find_first_of("\r\n", begin), text_.size());
  return std::string_view(text_).substr(begin, end - begin);
}

}  // namespace stencil
