// Source text as it grows: indentation, and lines broken at sensible places.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stencil::emit {

constexpr size_t kColumns = 100;

// A space at which a line may be broken. `depth` says how deep in parentheses it stands: shallow
// places are preferred. In a line handed to Text it is one control character.
char soft_space(int depth);

// "a, b, c", which may be broken behind a comma.
std::string comma_list(const std::vector<std::string>& items);

class Text {
 public:
  // One line (no newline in it) at the current indentation; broken where it is too long, the rest
  // indented by four more.
  void line(std::string_view content);
  void blank();                               // one empty line, never two in a row
  void comment(std::string_view content);     // `// ` before every line of it, wrapped, escaped
  void verbatim(std::string_view content);    // as it is, at column 0; lines end in \n
  void flush_left(std::string_view content);  // a preprocessor line
  void open(std::string_view content);        // line, and what follows is indented
  void reopen(std::string_view content);      // close and open in one: "} else {"
  void close(std::string_view content = "}");

  const std::string& str() const { return text_; }

 private:
  void comment_text(const std::string& start, const std::string& content);

  std::string text_;
  size_t indent_ = 0;
};

// The line with a comment at its end, if there is one.
std::string with_comment(const std::string& line, const std::string& comment);

// The text with every `from` replaced by `to`.
std::string replaced(std::string text, std::string_view from, std::string_view to);

// The text without break marks.
std::string plain(std::string_view content);

}  // namespace stencil::emit
