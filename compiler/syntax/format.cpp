// The formatter works on tokens and not on the tree, because the tree has no comments and no line
// breaks. It follows gofmt: the user decides where lines break, the formatter decides indentation
// and blanks. Blanks around an operator are the user's choice too (2*M/3, a + b), but they are
// equal on both sides.
//
// Columns that the user aligned stay aligned. Several blanks are kept if the token after them
// begins or ends in the same column as a token in the line above or below, if both lines begin with
// the same token. A comment at the end of
// a line keeps its column. Since a line may move while its neighbour is still to be formatted, the
// layout is repeated until it no longer changes.
#include "compiler/syntax/format.h"

#include <algorithm>
#include <array>
#include <vector>

#include "compiler/syntax/parse.h"
#include "compiler/syntax/token.h"

namespace stencil {
namespace formatting {
namespace {

constexpr size_t kIndent = 2, kContinuation = 4, kTab = 8;

enum class Kind { Word, Number, Symbol, LineComment, BlockComment };

struct Lexeme {
  Kind kind = Kind::Word;
  std::string_view text;
  size_t newlines = 0;  // line breaks before it; of the first piece of the text: 1
  size_t blanks = 0;    // blanks between it and the previous piece of its line
  size_t column = 0;    // in its line

  bool is_comment() const { return kind == Kind::LineComment || kind == Kind::BlockComment; }
  bool is(std::string_view symbol) const { return kind == Kind::Symbol && text == symbol; }
  size_t end_column() const { return column + text.size(); }
};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_listed(std::string_view words, std::string_view word) {
  for (size_t at = 0; at <= words.size();) {
    const size_t end = std::min(words.find(' ', at), words.size());
    if (words.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

// The end of the number that begins at `at`, as in the grammar.
size_t number_end(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return i < text.size() ? text[i] : ' '; };
  const auto skip_word = [&] {
    while (is_digit(byte(at)) || is_letter(byte(at))) ++at;
  };
  const bool based = byte(at) == '0' && is_listed("x X b B", text.substr(at + 1, 1));
  if (based) {
    skip_word();
    return at;
  }
  while (is_digit(byte(at))) ++at;
  if (byte(at) == '.' && byte(at + 1) != '.') {
    ++at;
    while (is_digit(byte(at))) ++at;
  }
  const size_t sign = byte(at + 1) == '+' || byte(at + 1) == '-' ? 1 : 0;
  if ((byte(at) == 'e' || byte(at) == 'E') && is_digit(byte(at + 1 + sign))) at += 1 + sign;
  skip_word();
  return at;
}

size_t symbol_size(std::string_view text) {
  return is_listed("<< >> <= >= == != ..", text.substr(0, 2)) ? 2 : 1;
}

std::vector<Lexeme> pieces_of(std::string_view text) {
  std::vector<Lexeme> pieces;
  size_t column = 0;
  for (size_t at = 0, blanks = 0, newlines = 1; at < text.size();) {
    const char c = text[at];
    if (c == '\n') {
      ++newlines;
      column = blanks = 0;
      ++at;
      continue;
    }
    if (c == ' ' || (c >= '\t' && c <= '\r')) {
      const size_t next = c == '\t' ? (column / kTab + 1) * kTab : column + 1;
      blanks += c == '\t' ? 2 : 1;
      column = next;
      ++at;
      continue;
    }
    Lexeme piece;
    size_t end = at + 1;
    if (text.substr(at, 2) == "//") {
      piece.kind = Kind::LineComment;
      end = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at, 2) == "/*") {
      piece.kind = Kind::BlockComment;
      end = std::min(text.find("*/", at + 2), text.size() - 2) + 2;
    } else if (is_letter(c)) {
      while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
    } else if (is_digit(c) || (c == '.' && at + 1 < text.size() && is_digit(text[at + 1]))) {
      piece.kind = Kind::Number;
      end = number_end(text, at);
    } else {
      piece.kind = Kind::Symbol;
      end = at + symbol_size(text.substr(at));
    }
    piece.text = text.substr(at, end - at);
    if (piece.kind == Kind::LineComment) {
      piece.text = piece.text.substr(0, piece.text.find_last_not_of(" \t\r\v\f") + 1);
    }
    piece.newlines = newlines;
    piece.blanks = newlines > 0 ? 0 : blanks;
    piece.column = column;
    pieces.push_back(piece);
    const size_t last_line = text.substr(at, end - at).rfind('\n');
    column = last_line == std::string_view::npos ? column + (end - at) : end - at - last_line - 1;
    newlines = blanks = 0;
    at = end;
  }
  return pieces;
}

// Words of the language that are not reserved, and that follow an operand.
constexpr std::string_view kContextual =
    "within by origin spacing weights over along at where levels";

// Lays the pieces out once.
class Layout {
 public:
  Layout(const std::vector<Lexeme>& pieces, bool keeps_columns)
      : pieces_(pieces), keeps_columns_(keeps_columns) {
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (pieces[i].newlines > 0) lines_.push_back(i);
      line_of_.push_back(lines_.size() - 1);
    }
    lines_.push_back(pieces.size());
  }

  std::string text() {
    for (size_t i = 0; i < pieces_.size(); ++i) {
      if (pieces_[i].newlines > 0) {
        begin_line(i);
      } else {
        const size_t column = column_of(i);
        if (column > out_column_) out_.append(column - out_column_, ' ');
        out_column_ = column;
      }
      place(i);
    }
    if (!out_.empty()) out_ += '\n';
    return std::move(out_);
  }

 private:
  // The previous piece that is not a comment; npos at the start of the text.
  size_t before(size_t i) const {
    while (i-- > 0) {
      if (!pieces_[i].is_comment()) return i;
    }
    return std::string_view::npos;
  }
  bool has_blank_behind(size_t i) const {
    return i + 1 == pieces_.size() || pieces_[i + 1].newlines > 0 || pieces_[i + 1].blanks > 0;
  }
  bool has_blank_before(size_t i) const { return pieces_[i].newlines > 0 || pieces_[i].blanks > 0; }

  bool ends_operand(size_t i) const {
    if (i == std::string_view::npos) return false;
    const Lexeme& piece = pieces_[i];
    if (piece.kind == Kind::Word) {
      if (piece.text == "true" || piece.text == "false") return true;
      return !is_keyword(piece.text) && !is_contextual_word(i) && !is_rule_with_value(i) &&
             !is_statement_word(i);
    }
    return piece.kind == Kind::Number || piece.is(")") || piece.is("]") || piece.is("}");
  }
  // Whether a word that is not reserved has its meaning in the language. No name of the program
  // follows an operand.
  bool is_contextual_word(size_t i) const {
    const Lexeme& piece = pieces_[i];
    return piece.kind == Kind::Word && is_listed(kContextual, piece.text) &&
           ends_operand(before(i));
  }
  // Whether a word that is not reserved begins a statement with an expression.
  bool is_statement_word(size_t i) const {
    if (!is_listed("repeat if", pieces_[i].text) || !open_.empty()) return false;
    const size_t last = before(i);
    if (last == std::string_view::npos || pieces_[last].text == "else") return true;
    return pieces_[last].is(";") || pieces_[last].is("{") || pieces_[last].is("}");
  }
  // Whether a word that is not reserved begins a boundary rule with a value: after `boundary` or
  // `mirror`, or as an entry of the list after `boundary`.
  bool is_rule_with_value(size_t i) const {
    if (!is_listed("fixed gradient", pieces_[i].text)) return false;
    size_t at = before(i);
    const auto is_word = [&](std::string_view word) {
      return at != std::string_view::npos && pieces_[at].text == word;
    };
    if (is_word("boundary") || is_word("mirror")) return true;
    if (!is_word("[") && !is_word(",") && !is_word("..")) return false;
    for (int depth = 0; at != std::string_view::npos; at = before(at)) {
      if (is_word(")") || is_word("]") || is_word("}")) ++depth;
      if (is_word("(") || is_word("[") || is_word("{")) --depth;
      if (depth < 0) break;
    }
    if (!is_word("[")) return false;
    at = before(at);
    return is_word("boundary");
  }
  bool is_unary(size_t i) const {
    const Lexeme& piece = pieces_[i];
    if (piece.is("~") || piece.is("!")) return true;
    return (piece.is("-") || piece.is("+")) && !ends_operand(before(i));
  }
  bool is_binary(size_t i) const {
    constexpr std::string_view kOperators = "+ - * / % | ^ & << >> == != < <= > >= ..";
    const Lexeme& piece = pieces_[i];
    return piece.kind == Kind::Symbol && is_listed(kOperators, piece.text) && !is_unary(i);
  }
  bool opens_body(size_t i) const {
    const size_t last = before(i);
    if (!pieces_[i].is("{") || !open_.empty() || last == std::string_view::npos) return false;
    const Lexeme& piece = pieces_[last];
    return piece.text != "of" && (piece.kind != Kind::Symbol || piece.is(")") || piece.is("]"));
  }
  bool closes_body(size_t i) const {
    return pieces_[i].is("}") && open_.empty() && depth_ > 0 && !in_statement_;
  }

  // Blanks between piece i and the previous piece of its line: 0 or 1.
  size_t blanks_before(size_t i) const {
    const Lexeme &a = pieces_[i - 1], &b = pieces_[i];
    const size_t written = std::min<size_t>(b.blanks, 1);
    if (a.is_comment() || b.is_comment()) return written;
    if (b.is(";") || b.is(",") || b.is(")") || b.is("]")) return 0;
    if (a.is("(") || a.is("[") || is_unary(i - 1)) return 0;
    if (a.is(".") || b.is(".") || a.is("@") || b.is("@")) return 0;
    if (a.is(",")) return !open_.empty() && open_.back() == '[' ? written : 1;
    if (a.is(";") || a.is("=") || b.is("=") || a.is(":") || b.is(":")) return 1;
    if (is_binary(i)) return has_blank_before(i) || has_blank_behind(i) ? 1 : 0;
    if (is_binary(i - 1)) return has_blank_before(i - 1) || has_blank_behind(i - 1) ? 1 : 0;
    if (a.is("{")) return open_.empty() ? 1 : written;
    if (b.is("}")) return open_.empty() ? 1 : written;
    if (b.is("{")) return 1;
    if (b.is("(") || b.is("[")) return blanks_before_bracket(i, written);
    const bool closed = a.is(")") || a.is("]") || a.is("}");
    return (a.kind != Kind::Symbol || closed) && b.kind != Kind::Symbol ? 1 : written;
  }
  size_t blanks_before_bracket(size_t i, size_t written) const {
    const Lexeme &a = pieces_[i - 1], &b = pieces_[i];
    if (a.kind == Kind::Symbol) return a.is(")") || a.is("]") || a.is("}") ? 0 : written;
    if (a.kind == Kind::Number) return 0;
    if (is_keyword(a.text) || is_contextual_word(i - 1) || is_statement_word(i - 1)) return 1;
    const bool range = is_listed("series points record", item_) && !assigned_ && open_.empty();
    return b.is("[") && range ? 1 : 0;
  }

  // Whether a token in the line above or below begins or ends in the same column. Lines that begin
  // with different tokens, as a param and a grid, are not aligned with each other.
  bool is_aligned(size_t i) const {
    const size_t line = line_of_[i];
    const auto shares_column = [&](size_t other) {
      if (pieces_[lines_[other]].text != pieces_[lines_[line]].text) return false;
      for (size_t j = lines_[other]; j < lines_[other + 1]; ++j) {
        const Lexeme& piece = pieces_[j];
        if (j == lines_[other] || piece.is_comment()) continue;
        if (piece.column == pieces_[i].column) return true;
        if (piece.end_column() == pieces_[i].end_column()) return true;
      }
      return false;
    };
    const bool above = line > 0 && pieces_[lines_[line]].newlines == 1;
    const bool below = line + 2 < lines_.size() && pieces_[lines_[line + 1]].newlines == 1;
    return (above && shares_column(line - 1)) || (below && shares_column(line + 1));
  }

  size_t column_of(size_t i) const {
    const Lexeme& piece = pieces_[i];
    if (piece.kind == Kind::LineComment) {
      return std::max(piece.blanks > 1 ? piece.column : 0, out_column_ + 1);
    }
    const size_t least = out_column_ + blanks_before(i);
    const bool kept = keeps_columns_ && piece.blanks > 1 && !piece.is(";") && !piece.is(",");
    return kept && is_aligned(i) ? std::max(least, piece.column) : least;
  }

  void begin_line(size_t i) {
    const Lexeme& piece = pieces_[i];
    if (!out_.empty()) out_.append(std::min<size_t>(piece.newlines, 2), '\n');
    const size_t block = kIndent * depth_;
    size_t column = block;
    if (closes_body(i)) {
      column = block - kIndent;
    } else if (in_statement_) {
      // relative to the line in which the statement begins
      const size_t shifted = piece.column + statement_out_ > statement_in_
                                 ? piece.column + statement_out_ - statement_in_
                                 : 0;
      const bool closer = piece.is(")") || piece.is("]") || piece.is("}");
      column = closer                     ? std::max(shifted, statement_out_)
               : shifted > statement_out_ ? shifted
                                          : statement_out_ + kContinuation;
    } else if (piece.is_comment() && piece.newlines == 1 && last_comment_in_ == piece.column) {
      column = last_comment_out_;  // continues the comment above
    }
    line_in_ = piece.column;
    line_out_ = column;
    out_.append(column, ' ');
    out_column_ = column;
    last_comment_in_ = std::string_view::npos;
  }

  void place(size_t i) {
    const Lexeme& piece = pieces_[i];
    if (piece.is_comment()) {
      last_comment_in_ = piece.column;
      last_comment_out_ = out_column_;
    } else {
      track(i);
    }
    out_ += piece.text;
    const size_t line = piece.text.rfind('\n');
    out_column_ = line == std::string_view::npos ? out_column_ + piece.text.size()
                                                 : piece.text.size() - line - 1;
  }

  // Updates brackets, bodies and statements.
  void track(size_t i) {
    const Lexeme& piece = pieces_[i];
    if (closes_body(i)) {
      --depth_;
      return;
    }
    if (!in_statement_) {
      in_statement_ = true;
      assigned_ = false;
      item_ = piece.text;
      statement_in_ = line_in_;
      statement_out_ = line_out_;
    }
    if (opens_body(i)) {
      ++depth_;
      in_statement_ = false;
    } else if (piece.is("(") || piece.is("[") || piece.is("{")) {
      open_ += piece.text[0];
    } else if ((piece.is(")") || piece.is("]") || piece.is("}")) && !open_.empty()) {
      open_.pop_back();
    } else if (open_.empty()) {
      if (piece.is("=")) assigned_ = true;
      if (piece.is(";")) in_statement_ = false;
    }
  }

  const std::vector<Lexeme>& pieces_;
  const bool keeps_columns_;
  std::vector<size_t> lines_;    // the first piece of each line, and the number of pieces
  std::vector<size_t> line_of_;  // by piece

  std::string out_;
  size_t out_column_ = 0;
  size_t line_in_ = 0, line_out_ = 0;            // indentation of the current line
  size_t statement_in_ = 0, statement_out_ = 0;  // of the line in which the statement begins
  size_t last_comment_in_ = std::string_view::npos, last_comment_out_ = 0;
  std::string open_;  // brackets, without the braces of bodies
  size_t depth_ = 0;  // of bodies
  bool in_statement_ = false;
  bool assigned_ = false;  // the statement has a '='
  std::string_view item_;  // first word of the statement
};

std::string with_line_feeds(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool crlf = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (!crlf) out += text[i] == '\r' ? '\n' : text[i];
  }
  return out;
}

std::string laid_out(std::string text) {
  constexpr int kMostRounds = 20;
  for (int round = 0; round <= kMostRounds; ++round) {
    // If columns do not settle, they are given up.
    std::string next = Layout(pieces_of(text), round < kMostRounds).text();
    if (next == text) return text;
    text = std::move(next);
  }
  return text;
}

}  // namespace
}  // namespace formatting

using namespace formatting;  // NOLINT: names that would clash with those of other files

bool same_tokens(std::string_view a, std::string_view b) {
  const std::string texts[] = {with_line_feeds(a), with_line_feeds(b)};
  const auto left = pieces_of(texts[0]), right = pieces_of(texts[1]);
  return std::equal(
      left.begin(), left.end(), right.begin(), right.end(),
      [](const Lexeme& x, const Lexeme& y) { return x.kind == y.kind && x.text == y.text; });
}

std::optional<std::string> format(const Source& source, Diagnostics& diagnostics) {
  const auto tree = parse(source, diagnostics);
  if (!tree) return std::nullopt;
  std::string text = laid_out(with_line_feeds(source.text()));
  Diagnostics ignored;
  const auto again = parse(Source(source.name(), text), ignored);
  if (again && print(*again) == print(*tree) && same_tokens(source.text(), text)) return text;
  diagnostics.error("K002", {}, "internal error: formatting would change the program").hint =
      "this is a bug of stencilc; please report the program";
  return std::nullopt;
}

}  // namespace stencil
