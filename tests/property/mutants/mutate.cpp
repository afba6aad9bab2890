#include "tests/property/mutants/mutate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "compiler/support/boundary.h"

namespace stencil::property {

namespace {

struct Token {
  size_t at, length;
  bool in_brackets;  // an offset, a bound, or a list of boundaries
};

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// Words, numbers and operators outside comments.
std::vector<Token> tokens_of(const std::string& text) {
  std::vector<Token> out;
  int depth = 0;
  for (size_t at = 0; at < text.size();) {
    if (text.compare(at, 2, "//") == 0) {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    size_t end = at + 1;
    const bool digit = std::isdigit(static_cast<unsigned char>(text[at]));
    if (digit) {
      const auto goes_on = [&](size_t i) {
        if (text[i] == '.') return text.compare(i, 2, "..") != 0;
        const bool sign = (text[i] == '-' || text[i] == '+') && std::tolower(text[i - 1]) == 'e';
        return sign || in_word(text[i]);
      };
      while (end < text.size() && goes_on(end)) ++end;
    } else if (in_word(text[at])) {
      while (end < text.size() && in_word(text[end])) ++end;
    } else if (at + 1 < text.size()) {
      static const std::set<std::string> kPairs = {"<=", ">=", "==", "!=", "..", "@-"};
      if (kPairs.count(text.substr(at, 2))) ++end;
    }
    if (text[at] == '[') ++depth;
    if (text[at] == ']') --depth;
    if (!std::isspace(static_cast<unsigned char>(text[at])))
      out.push_back({at, end - at, depth > 0});
    at = end;
  }
  return out;
}

std::string text_of(const std::string& text, const Token& token) {
  return text.substr(token.at, token.length);
}

bool is_number(const std::string& token) {
  return std::isdigit(static_cast<unsigned char>(token[0])) != 0;
}
bool is_name(const std::string& token) {
  return std::isalpha(static_cast<unsigned char>(token[0])) || token[0] == '_';
}

std::vector<std::string> boundary_rules() {
  std::vector<std::string> out;
  for (const BoundaryRow& row : kBoundaryRows) {
    for (const char* value : {"0", "0.75"}) {
      out.push_back(std::string(row.keyword) + (row.takes_value() ? std::string(" ") + value : ""));
      if (!row.takes_value()) break;
    }
  }
  return out;
}

// Each row lists words that can replace each other.
const std::vector<std::vector<std::string>>& alternatives() {
  static const std::vector<std::vector<std::string>> kRows = {
      {"+", "-", "*", "/"},
      {"<", "<=", ">", ">=", "==", "!="},
      {"and", "or"},
      {"min", "max"},
      {"sum", "prod", "min", "max"},
      {"sqrt", "abs", "floor", "ceil", "trunc", "round", "exp", "sin", "cos", "tanh", "rsqrt"},
      boundary_rules(),
      {"real", "float", "double", "half", "bfloat", "integer", "long", "short", "byte", "bool"}};
  return kRows;
}

std::string changed_number(const std::string& number, bool in_brackets, Random& random) {
  const bool real = number.find_first_of(".eE") != std::string::npos;
  if (real) {
    return random.pick<std::string>({"0.0", "1.0", "0.5", "2.0", "1e-30", "1e30", "3",
                                     "(-" + number + ")", number + " * 0.1", number + " * 16.0"});
  }
  const int64_t value = std::strtoll(number.c_str(), nullptr, 10);
  if (in_brackets || random.chance(60)) {
    return std::to_string(std::max<int64_t>(
        0, random.pick<int64_t>({value + 1, value - 1, value + 2, value - 2, 0, 1, 2, 3, 4})));
  }
  return random.pick<std::string>({std::to_string(2 * value), std::to_string(value / 2),
                                   "(-" + number + ")", number + ".5", std::to_string(value + 7),
                                   "2147483647"});
}

// The statements. Each ends with a semicolon outside brackets and braces, or with a brace.
std::vector<Token> statements_of(const std::string& text) {
  std::vector<Token> out;
  int depth = 0;
  size_t begin = std::string::npos;
  for (const Token& token : tokens_of(text)) {
    if (begin == std::string::npos) begin = token.at;
    const char c = text[token.at];
    if (c == '{' || c == '(' || c == '[') ++depth;
    if (c == '}' || c == ')' || c == ']') --depth;
    const bool body_ends = c == '}' && text.find_first_of(";,.*+-/)", token.at) !=
                                           text.find_first_not_of(" \n", token.at + 1);
    if (depth != 0 || (c != ';' && !body_ends)) continue;
    out.push_back({begin, token.at + 1 - begin, false});
    begin = std::string::npos;
  }
  return out;
}

std::string with_statements_changed(std::string text, Random& random) {
  const std::vector<Token> all = statements_of(text);
  if (all.empty()) return text;
  const auto a = static_cast<size_t>(random.below(static_cast<int>(all.size())));
  const auto b = static_cast<size_t>(random.below(static_cast<int>(all.size())));
  switch (random.below(3)) {
    case 0:
      return text.erase(all[a].at, all[a].length);
    case 1:
      return text.insert(all[b].at, text_of(text, all[a]) + "\n");
    default:
      break;
  }
  const Token &first = all[std::min(a, b)], &second = all[std::max(a, b)];
  const std::string one = text_of(text, first), other = text_of(text, second);
  text.replace(second.at, second.length, one);
  return text.replace(first.at, first.length, other);
}

}  // namespace

std::string mutated(const std::string& text, Random& random) {
  if (random.chance(12)) return with_statements_changed(text, random);
  const std::vector<Token> tokens = tokens_of(text);
  std::vector<std::string> names;
  for (const Token& token : tokens) {
    if (is_name(text_of(text, token))) names.push_back(text_of(text, token));
  }
  // A drawn token may have no replacement.
  for (int attempt = 0; attempt < 100; ++attempt) {
    const Token& token = random.pick(tokens);
    const std::string old = text_of(text, token);
    std::string now;
    if (is_number(old)) {
      now = changed_number(old, token.in_brackets, random);
    } else {
      for (const auto& row : alternatives()) {
        if (std::find(row.begin(), row.end(), old) != row.end()) now = random.pick(row);
      }
      if (now.empty() && is_name(old) && random.chance(30)) now = random.pick(names);
    }
    if (now.empty() || now == old) continue;
    std::string out = text;
    return out.replace(token.at, token.length, now);
  }
  return text;
}

}  // namespace stencil::property
