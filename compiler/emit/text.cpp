// Breaks lines of output. The expression printer does not know where its text will stand, so it
// marks every good break position with its depth in parentheses. A line that is too long is cut at
// the shallowest mark in the last 60% of the available width.
#include "compiler/emit/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/support/escape.h"

namespace stencil::emit {

namespace {

constexpr size_t kFortranColumns = 132;  // of a line in free form
constexpr char kFirstMark = '\x0e';
constexpr char kLastMark = '\x1f';

bool is_mark(char c) {
  return c >= kFirstMark && c <= kLastMark;
}

// Where to cut `content` so that the first part has at most `room` columns; npos if nowhere.
size_t cut(std::string_view content, size_t room) {
  size_t best = std::string_view::npos;
  size_t any = std::string_view::npos;
  for (size_t i = 1; i < content.size(); ++i) {
    if (!is_mark(content[i])) continue;
    if (i > room && any != std::string_view::npos) break;
    any = i;
    if (i > room) break;
    if (i < room * 2 / 5) continue;
    if (best == std::string_view::npos || content[i] <= content[best]) best = i;
  }
  return best != std::string_view::npos ? best : any;
}

}  // namespace

char soft_space(int depth) {
  return static_cast<char>(std::min<int>(kFirstMark + depth, kLastMark));
}

std::string unbroken(const std::string& line) {
  return kFirstMark + line;
}

std::string comma_list(const std::vector<std::string>& items) {
  std::string list;
  for (const std::string& item : items) {
    if (!list.empty()) list += std::string(",") + soft_space(1);
    list += item;
  }
  return list;
}

std::string with_comment(const std::string& line, const std::string& comment) {
  return comment.empty() ? line : line + "  // " + comment_line(comment);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string plain(std::string_view content) {
  std::string result(content);
  std::replace_if(result.begin(), result.end(), is_mark, ' ');
  return result;
}

void Text::line(std::string_view content) {
  const std::string_view continued = form_ == Form::Fortran ? " &" : "";
  size_t margin = indent_;
  while (margin + content.size() > kColumns) {
    const size_t at = cut(content, kColumns - std::min(margin, kColumns - 20));
    if (at == std::string_view::npos) break;
    broken_line(content.substr(0, at), margin);
    text_.insert(text_.size() - 1, continued);
    content.remove_prefix(at + 1);
    margin = indent_ + 4;
  }
  broken_line(content, margin);
}

// Adds a piece of a line. Fortran limits the columns of a line, and `&` on both sides of a break
// continues any word.
void Text::broken_line(std::string_view content, size_t margin) {
  std::string rest = plain(content);
  const size_t room = kFortranColumns - std::min(margin, kFortranColumns / 2) - 4;
  while (form_ == Form::Fortran && rest.size() > room) {
    text_ += std::string(margin, ' ') + rest.substr(0, room) + "&\n";
    rest = "&" + rest.substr(room);
  }
  text_ += std::string(margin, ' ') + rest + "\n";
}

void Text::commented(const std::string& content, const std::string& note) {
  const size_t width = indent_ + content.size() + note.size() + comment_mark().size() + 3;
  if (note.empty() || width > kColumns) {
    if (!note.empty()) comment(note);
    return line(content);
  }
  line(fmt::format("{}  {} {}", content, comment_mark(), comment_line(note)));
}

void Text::blank() {
  if (text_.size() >= 2 && text_.substr(text_.size() - 2) != "\n\n") text_ += "\n";
}

// Continuation lines of an indented comment are indented by three more columns.
void Text::comment(std::string_view content) {
  const std::string start = std::string(indent_, ' ') + std::string(comment_mark());
  while (true) {
    const size_t end = std::min(content.find('\n'), content.size());
    const std::string_view line = content.substr(0, end);
    const bool whole = line.starts_with(kFirstMark);
    std::string rest = visible(whole ? line.substr(1) : line);
    const size_t inset = std::min(rest.find_first_not_of(' '), size_t{20});
    const std::string hanging(inset > 0 && inset < 20 ? inset + 3 : 0, ' ');
    const size_t room = kColumns - std::min(indent_ + 3, kColumns - 20);
    while (rest.size() > room && !whole) {
      const size_t at = rest.rfind(' ', room);
      const bool one_word = at == std::string::npos || at <= hanging.size();
      if (one_word && form_ == Form::C) break;
      comment_text(start, rest.substr(0, one_word ? room : at));
      rest = hanging + rest.substr(one_word ? room : at + 1);
    }
    comment_text(start, rest);
    if (end == content.size()) return;
    content.remove_prefix(end + 1);
  }
}

void Text::comment_text(const std::string& start, const std::string& content) {
  const std::string line = comment_line(content);
  text_ += start + (line.empty() ? "" : " ") + line + "\n";
}

void Text::verbatim(std::string_view content) {
  text_ += content;
}

void Text::flush_left(std::string_view content) {
  text_ += std::string(content) + "\n";
}

void Text::open(std::string_view content) {
  line(content);
  indent_ += 2;
}

void Text::reopen(std::string_view content) {
  indent_ -= 2;
  open(content);
}

void Text::close(std::string_view content) {
  indent_ -= 2;
  line(content);
}

}  // namespace stencil::emit
