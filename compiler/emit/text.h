// Text under construction: indentation and line breaking.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stencil::emit {

constexpr size_t kColumns = 100;

// A space at which a line may be broken. `depth` is its depth in parentheses: shallow places are
// preferred. In a line passed to Text it is one control character.
char soft_space(int depth);

// Marks a line of a comment that stays on one line so that the user can copy it, such as a command.
std::string unbroken(const std::string& line);

// "a, b, c", with possible breaks after the commas.
std::string comma_list(const std::vector<std::string>& items);

// How a language spells comments and continues lines.
enum class Form { C, Fortran };

class Text {
 public:
  explicit Text(Form form = Form::C) : form_(form) {}

  // One line (without a newline) at the current indentation. If it is too long it is broken, with
  // the rest indented by four more.
  void line(std::string_view content);
  void blank();  // one empty line, never two in a row
  // `// ` or `! ` before each line, escaped. Long lines are broken, except those of unbroken().
  void comment(std::string_view content);
  // A line with a comment at its end, or above if it would not fit.
  void commented(const std::string& content, const std::string& comment);
  void verbatim(std::string_view content);    // unchanged, at column 0; lines end in \n
  void flush_left(std::string_view content);  // a preprocessor line
  void open(std::string_view content);        // a line; what follows is indented
  void reopen(std::string_view content);      // close and open in one: "} else {"
  void close(std::string_view content = "}");

  const std::string& str() const { return text_; }

 private:
  void comment_text(const std::string& start, const std::string& content);
  void broken_line(std::string_view content, size_t margin);
  std::string_view comment_mark() const { return form_ == Form::C ? "//" : "!"; }

  Form form_;
  std::string text_;
  size_t indent_ = 0;
};

// The line with a comment at its end, if it is not empty.
std::string with_comment(const std::string& line, const std::string& comment);

// The text with every `from` replaced by `to`.
std::string replaced(std::string text, std::string_view from, std::string_view to);

// The text without break marks.
std::string plain(std::string_view content);

}  // namespace stencil::emit
