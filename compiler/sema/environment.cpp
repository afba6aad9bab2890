// The names of a program. There is one namespace, so that a name means one thing everywhere in a
// file; local names (lets, index names, comprehension variables) may not hide a declaration. Only
// the arguments of a function may, because its body sees nothing of the place where it is applied.
#include "compiler/sema/environment.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>

#include <fmt/format.h>

namespace stencil::sema {

bool is_reserved(const std::string& name) {
  static const std::unordered_set<std::string> reserved = {
      "time", "true",  "false",  "real",  "float", "double", "half", "bfloat", "integer",
      "long", "bool",  "vector", "field", "sum",   "prod",   "min",  "max",    "select",
      "abs",  "sqrt",  "rsqrt",  "exp",   "log",   "pow",    "sin",  "cos",    "tan",
      "tanh", "floor", "ceil",   "fma",   "and",   "or",     "not",  "in"};
  return reserved.count(name) != 0;
}

const char* describe(Declared kind) {
  switch (kind) {
    case Declared::Param:
      return "a param";
    case Declared::Grid:
      return "the grid";
    case Declared::Subgrid:
      return "a subgrid";
    case Declared::Type:
      return "a type";
    case Declared::Field:
      return "a field";
    case Declared::Table:
      return "a table";
    case Declared::Function:
      return "a function";
    case Declared::Reduction:
      return "a reduction";
  }
  return "";
}

std::string suggestion(const std::string& name, const std::vector<std::string>& candidates) {
  auto same_letters = [&](const std::string& other) {
    return std::equal(name.begin(), name.end(), other.begin(), other.end(), [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) ==
             std::tolower(static_cast<unsigned char>(b));
    });
  };
  const auto place = std::find_if(candidates.begin(), candidates.end(), same_letters);
  if (place != candidates.end()) return *place;
  const std::string nearest = nearest_name(name, candidates);
  const bool telling = name.size() > 2 || (name.size() == 2 && nearest[0] == name[0]);
  return telling ? nearest : "";
}

Declaration* Environment::declare(const ast::Identifier& name, Declared kind, int index) {
  if (is_reserved(name.name)) {
    report.error("S003", name.span, fmt::format("'{}' is a reserved name", name.name));
    return nullptr;
  }
  auto [place, inserted] = names.emplace(name.name, Declaration{kind, index, name.span});
  if (!inserted) {
    Diagnostic& error =
        report.error("S002", name.span, fmt::format("'{}' is declared twice", name.name));
    error.related.push_back({place->second.span, "first declared here"});
    return nullptr;
  }
  return &place->second;
}

bool Environment::check_local_name(const ast::Identifier& name) {
  if (is_reserved(name.name)) {
    report.error("S003", name.span, fmt::format("'{}' is a reserved name", name.name));
    return false;
  }
  const auto place = names.find(name.name);
  if (place == names.end()) return true;
  Diagnostic& error =
      report.error("S002", name.span,
                   fmt::format("'{}' is already {}", name.name, describe(place->second.kind)));
  error.related.push_back({place->second.span, "declared here"});
  error.hint = "choose another name";
  return false;
}

Declaration* Environment::find(const std::string& name) {
  const auto place = names.find(name);
  if (place == names.end()) return nullptr;
  place->second.used = true;
  return &place->second;
}

void Environment::unknown_name(const char* what, const std::string& name, Span span,
                               const std::vector<std::string>& others) {
  constexpr int kMaxSuggestions = 20;  // each is a walk over all names
  Diagnostic& error = report.error("S004", span, fmt::format("unknown {} '{}'", what, name));
  if (++names_suggested_ > kMaxSuggestions) return;
  std::vector<std::string> candidates = others;
  for (const auto& [candidate, declaration] : names) candidates.push_back(candidate);
  std::sort(candidates.begin(), candidates.end());
  const std::string nearest = suggestion(name, candidates);
  if (!nearest.empty()) error.hint = fmt::format("did you mean '{}'?", nearest);
}

void Environment::add_check(ir::Check check) {
  if (checks_seen_.emplace(check.span.begin, check.span.end, check.code + check.message).second) {
    program.checks.push_back(std::move(check));
  }
}

std::string Environment::print(const ir::Affine& affine) const {
  std::string text = ir::print(affine, ir::param_names(program));
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

std::string Environment::print(const ir::Box& box) const {
  std::string text;
  for (const ir::Range& range : box.ranges) {
    text += text.empty() ? "[" : ", ";
    text += print(range.low);
    if (!(range.low == range.high)) text += ".." + print(range.high);
  }
  return text + "]";
}

}  // namespace stencil::sema
