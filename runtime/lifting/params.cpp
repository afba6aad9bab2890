// A macro or constant can be a param only if the lifter sees its name wherever its number matters.
// Clang loses the name in many ways: sizeof, template arguments, enumerators, derived constants.
// The uses of a macro or constant are therefore not analysed. The file is lifted again with other
// values, and the resulting programs must be equal except for the default of the param.
#include "runtime/lifting/params.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <regex>
#include <set>

#include "compiler/support/numbers.h"
#include "compiler/support/try.h"
#include "runtime/io/files.h"

namespace stencil::runtime {

namespace {

constexpr int64_t kLongestText = int64_t{64} << 20;
constexpr int64_t kOthers[] = {1, 10};  // added to the current values
// Range of the integers in the file near which params are tested. Programs do not compare a size
// that can run with an integer outside of this range.
constexpr int64_t kLeast = 2, kLargest = 1 << 20;
constexpr size_t kMost = 24;  // largest number of values that values_beside_integers() returns

std::string replaced(const std::string& text, const std::string& pattern, int64_t value,
                     bool& found) {
  const std::regex expression(pattern);
  found = std::regex_search(text, expression);
  return std::regex_replace(text, expression, fmt::format("$01{}", value));
}

// The text of a program without the defaults of these params.
std::string without_defaults(std::string text, const std::vector<std::string>& params) {
  for (const std::string& param : params) {
    text = std::regex_replace(
        text, std::regex("(param " + param + " : (integer|long)) = -?[0-9]+;"), "$1;");
  }
  return text;
}

// The first line that differs, in both texts.
std::pair<std::string, std::string> difference(const std::string& a, const std::string& b) {
  size_t begin = 0;
  while (begin < a.size() && begin < b.size() && a[begin] == b[begin]) ++begin;
  const auto line = [&](const std::string& text) {
    const size_t at = std::min(begin, text.size());
    const size_t first = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    const size_t from = first == std::string::npos ? 0 : first + 1;
    return text.substr(from, std::min(text.find('\n', at), text.size()) - from);
  };
  return {line(a), line(b)};
}

}  // namespace

Result<CFile> at_values(const CFile& file, const NamedValues& values) {
  CFile out = file;
  if (out.text.empty()) {
    const auto text = TRY(read_file(file.path, kLongestText));
    out.text = text;
  }
  for (const auto& [name, value] : values) {
    bool constant = false, macro = false;
    out.text = replaced(
        out.text, "(\\b(?:const|constexpr)\\b[^;{}()]*\\b" + name + "\\s*(?:=|\\{)\\s*)[0-9]+",
        value, constant);
    out.text = replaced(out.text, "([ \\t]*#[ \\t]*define[ \\t]+" + name + "[ \\t]+[( \\t]*)[0-9]+",
                        value, macro);
    if (!constant) out.flags.push_back(fmt::format("-D{}={}", name, value));
  }
  return out;
}

std::vector<NamedValues> values_to_test(const std::vector<std::string>& params,
                                        const std::vector<int64_t>& first) {
  std::vector<NamedValues> out;
  for (int64_t value : first) {
    NamedValues values;
    for (const std::string& param : params) {
      values[param] = value;
      value += 3;
    }
    out.push_back(std::move(values));
  }
  return out;
}

std::vector<int64_t> values_beside_integers(const CFile& file) {
  std::string text = file.text;
  if (text.empty()) {
    const auto read = read_file(file.path, kLongestText);
    if (!read.ok()) return {};
    text = read.value();
  }
  std::set<int64_t> found;
  // The expression also matches names and reals, so that digits within them do not count as
  // integers.
  const std::regex integer("[A-Za-z_0-9.]+");
  for (std::sregex_iterator at(text.begin(), text.end(), integer), end; at != end; ++at) {
    std::string word = at->str();
    while (!word.empty() && std::strchr("uUlL", word.back()) != nullptr) word.pop_back();
    const auto value = parse_number<int64_t>(word);
    if (!value || *value < kLeast || *value > kLargest) continue;
    for (int64_t beside : {*value - 1, *value, *value + 1}) {
      if (beside >= kLeast) found.insert(beside);
    }
  }
  std::vector<int64_t> out(found.begin(), found.end());
  // If there are too many values, keep the largest. The other tested values are usually smaller.
  if (out.size() > kMost) out.erase(out.begin(), out.end() - static_cast<ptrdiff_t>(kMost));
  return out;
}

namespace {

struct ParamCheck {
  const LiftRequest& request;
  const lifter::Lifted& lifted;

  // Makes a failure that refuses a param at its first use.
  Failure refused(const std::string& param, const std::string& why, const std::string& hint) const {
    lifter::CPlace place;
    for (const lifter::CNode& node : lifted.tree.nodes) {
      if (node.kind != lifter::CKind::Int || node.text != param) continue;
      place = {node.file, node.line, node.column};
      break;
    }
    return shown_in_c(
        request.file.path, lifted.tree.files,
        {"C028", place, fmt::format("'{}' cannot become a param: {}", param, why), hint});
  }

  Status each(const std::string& param) const {
    const auto& symbols = lifted.execution.symbols;
    const bool used = std::any_of(symbols.begin(), symbols.end(), [&](const lifter::SymbolInfo& s) {
      return s.value && s.c_expression == param;
    });
    if (!used) {
      return refused(param,
                     "the lifted code does not use a macro or constant of this name as an integer",
                     "give the name N of '#define N 1000' or 'const int N = 1000'");
    }
    const auto& conditions = lifted.tree.conditions;
    if (std::find(conditions.begin(), conditions.end(), param) != conditions.end()) {
      return refused(param, "an #if tests it, so another value may give a different program",
                     "set its value with a compiler flag after --: -- -D" + param + "=512");
    }
    return Done{};
  }

  // Refuses a param unless these values give the same program. `must_lift`: the file must also be
  // liftable with these values.
  Status other(const NamedValues& values, bool must_lift) const {
    const std::string& first = values.begin()->first;
    const std::string with = fmt::format("with {}={}", first, values.begin()->second);
    LiftRequest changed = request;
    auto file = at_values(request.file, values);
    if (!file.ok()) return file.failure();
    changed.file = std::move(file).value();
    const auto again = lift_as_it_stands(changed);
    if (!again.ok()) {
      if (!must_lift) return Done{};
      return refused(
          first, fmt::format("{} the file cannot be lifted ({})", with, again.failure().message),
          "");
    }
    for (const lifter::CNode& node : again.value().tree.nodes) {
      const auto value = values.find(node.text);
      if (node.kind != lifter::CKind::Int || value == values.end()) continue;
      if (node.integer == value->second) continue;
      return refused(node.text,
                     "it is not defined in this file, and -D does not override its definition",
                     "put #ifndef around the definition in the header");
    }
    const auto& params = request.options.params;
    const std::string here = without_defaults(lifted.program.text, params);
    const std::string there = without_defaults(again.value().program.text, params);
    if (here == there) return Done{};
    const auto [a, b] = difference(here, there);
    return refused(
        first,
        fmt::format("{} the program differs in more than the default: '{}' instead of '{}'", with,
                    b, a),
        "the compiler replaces the name by its value in sizeof, template arguments and derived "
        "constants; avoid these uses, or make the derived constant a param as well");
  }

  // The current values of the params, each increased by `added`.
  NamedValues current(int64_t added) const {
    NamedValues values;
    for (const lifter::SymbolInfo& symbol : lifted.execution.symbols) {
      if (symbol.value) values[symbol.c_expression] = *symbol.value + added;
    }
    return values;
  }
};

}  // namespace

Status check_params(const LiftRequest& request, const lifter::Lifted& lifted) {
  const ParamCheck check{request, lifted};
  for (const std::string& param : request.options.params) {
    TRY(check.each(param));
  }
  for (int64_t added : kOthers) {
    TRY(check.other(check.current(added), true));
  }
  if (request.options.params.empty()) return Done{};
  // Numbers derived from a param can also change far from the current value of the param.
  std::vector<int64_t> far = values_beside_integers(request.file);
  far.insert(far.begin(), {14, 23});
  for (const NamedValues& values : values_to_test(request.options.params, far)) {
    TRY(check.other(values, false));
  }
  return Done{};
}

}  // namespace stencil::runtime
