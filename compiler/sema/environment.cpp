// The names of a program. There is one namespace, so a name has one meaning everywhere in a file.
// Local names (lets, index names, comprehension variables) must not hide a declaration. Only the
// arguments of a function may hide one, because the body of a function does not see the place of
// its application.
#include "compiler/sema/environment.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/sema/ast_names.h"
#include "compiler/sema/coordinates.h"

namespace stencil::sema {
namespace {

// The kind of an item, and the names that it declares in the common namespace.
struct DeclaredNames {
  using Names = std::vector<const ast::Identifier*>;
  std::pair<Declared, Names> operator()(const ast::Param& param) const {
    return {Declared::Param, {&param.name}};
  }
  std::pair<Declared, Names> operator()(const ast::Grid& grid) const {
    return {Declared::Grid, {&grid.name}};
  }
  std::pair<Declared, Names> operator()(const ast::Subgrid& subgrid) const {
    return {Declared::Subgrid, {&subgrid.name}};
  }
  std::pair<Declared, Names> operator()(const ast::TypeDecl& type) const {
    return {Declared::Type, {&type.name}};
  }
  std::pair<Declared, Names> operator()(const ast::Field& field) const {
    return fields(field.names);
  }
  std::pair<Declared, Names> operator()(const ast::Series& series) const {
    return fields(series.names);
  }
  std::pair<Declared, Names> operator()(const ast::Points& points) const {
    return fields(points.names);
  }
  std::pair<Declared, Names> operator()(const ast::Table& table) const {
    return {Declared::Table, {&table.name}};
  }
  std::pair<Declared, Names> operator()(const ast::Function& function) const {
    return {Declared::Function, {&function.name}};
  }
  std::pair<Declared, Names> operator()(const ast::Reduce& reduce) const {
    return {reduce.over || reduce.at ? Declared::Field : Declared::Reduction, {&reduce.name}};
  }
  std::pair<Declared, Names> operator()(const ast::Stencil&) const { return {}; }
  std::pair<Declared, Names> operator()(const ast::Cycle&) const { return {}; }
  std::pair<Declared, Names> operator()(const ast::StepBlock&) const { return {}; }
  std::pair<Declared, Names> operator()(const ast::StartBlock&) const { return {}; }
  std::pair<Declared, Names> operator()(const ast::Repeat&) const { return {}; }
  std::pair<Declared, Names> operator()(const ast::RepeatEnd&) const { return {}; }
  std::pair<Declared, Names> operator()(const ast::Init&) const { return {}; }
  std::pair<Declared, Names> operator()(const ast::Stop&) const { return {}; }
  std::pair<Declared, Names> operator()(const ast::Require&) const { return {}; }

 private:
  static std::pair<Declared, Names> fields(const std::vector<ast::Identifier>& declared) {
    Names names;
    for (const ast::Identifier& name : declared) names.push_back(&name);
    return {Declared::Field, std::move(names)};
  }
};

const char* what_it_is(Foreign kind) {
  switch (kind) {
    case Foreign::Type:
      return "type";
    case Foreign::Function:
      return "function";
    case Foreign::Field:
      return "field";
    case Foreign::Region:
      return "region";
    default:
      return "name";
  }
}

const char* why_not_here(Declared kind) {
  switch (kind) {
    case Declared::Function:
      return "functions are inlined, so each can use only functions declared before it, without "
             "recursion";
    case Declared::Type:
      return "a type cannot contain itself";
    case Declared::Param:
      return "the value of a param may use the params declared before it";
    default:
      return "it can be used after this item";
  }
}

}  // namespace

Environment::Environment(const ast::Program& syntax, const Source& source,
                         const ProgramOptions& options, Diagnostics& diagnostics)
    : source(source), options(options), report(diagnostics, source) {
  for (const ast::Item& item : syntax.items) {
    const auto [kind, names] = std::visit(DeclaredNames{}, item.kind);
    for (const ast::Identifier* name : names) {
      if (written_names_.emplace(name->name, written_.size()).second) {
        written_.push_back({kind, name->span, item.span});
      }
    }
  }
  for (const ast::BrokenItem& item : syntax.broken) {
    const bool is_init = item.keyword == "init";
    for (const ast::Identifier& name : item.names) {
      if (is_init) unparsed_inits.insert(name.name);
      if (is_init || find_written(name.name) || is_reserved(name.name)) continue;
      names.emplace(name.name, Declaration{Declared::Field, -1, name.span, true, false, true});
    }
  }
}

bool is_reserved(const std::string& name) {
  static const std::unordered_set<std::string> reserved = {
      "time", "true",   "false", "real",   "float", "double", "half",  "bfloat", "integer", "long",
      "byte", "ubyte",  "short", "ushort", "bool",  "vector", "field", "sum",    "prod",    "min",
      "max",  "select", "abs",   "sqrt",   "rsqrt", "exp",    "log",   "pow",    "sin",     "cos",
      "tan",  "tanh",   "floor", "ceil",   "fma",   "and",    "or",    "not",    "in"};
  return reserved.count(name) != 0;
}

bool Environment::means_library(const std::string& name) const {
  static const std::unordered_set<std::string> library = {
#define STENCIL_FUNCTION(op, name, operands) #name,
#include "compiler/support/functions.def"
      "round", "trunc", "sign", "lshr", "pi", "random"};
  return library.count(name) != 0 && !find_written(name);
}

const char* describe(Declared kind) {
  switch (kind) {
    case Declared::Param:
    case Declared::ParamGroup:
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

namespace {

bool same_letters(const std::string& name, const std::string& other) {
  return std::equal(name.begin(), name.end(), other.begin(), other.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  });
}

// Functions that no program can declare; the others are those of the library.
bool is_reserved_function(const std::string& name) {
  static const std::unordered_set<std::string> functions = {
      "select", "abs", "sqrt", "rsqrt", "exp",   "log",  "pow",
      "sin",    "cos", "tan",  "tanh",  "floor", "ceil", "fma"};
  return functions.count(name) != 0;
}

}  // namespace

std::string suggestion(const std::string& name, const std::vector<std::string>& candidates) {
  const auto place =
      std::find_if(candidates.begin(), candidates.end(),
                   [&](const std::string& other) { return same_letters(name, other); });
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
  if (place == names.end() || place->second.unparsed) return true;
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

const WrittenName* Environment::find_written(const std::string& name) const {
  const auto place = written_names_.find(name);
  return place == written_names_.end() ? nullptr : &written_[place->second];
}

bool Environment::is_field_or_function(const std::string& name) const {
  const WrittenName* written = find_written(name);
  return written && (written->kind == Declared::Field || written->kind == Declared::Function);
}

const WrittenName* Environment::item_around(Span span) const {
  auto behind = std::upper_bound(
      written_.begin(), written_.end(), span.begin,
      [](uint32_t begin, const WrittenName& written) { return begin < written.item.begin; });
  if (behind == written_.begin() || !contains((--behind)->item, span)) return nullptr;
  return &*behind;
}

void Environment::check_order(const std::string& name, Span span) {
  const WrittenName* written = find_written(name);
  if (!written) return;
  const char* fault = nullptr;
  if (contains(written->item, span)) {
    fault = "in its own definition";
  } else if (written->kind == Declared::Function && written->name.begin > span.begin) {
    const WrittenName* user = item_around(span);
    if (user && user->kind == Declared::Function) fault = "before it is declared";
  }
  if (!fault) return;
  report.error("S024", span, fmt::format("'{}' is used {}", name, fault)).hint =
      why_not_here(written->kind);
}

Declaration* Environment::use(const std::string& name, Span span) {
  check_order(name, span);
  return find(name);
}

void Environment::check_names(const ast::Expr& expr,
                              const std::unordered_set<std::string>& visible) {
  for_each_free_name(expr, [&](const std::string& name, Span span) {
    if (visible.count(name) || is_reserved(name)) return;
    check_order(name, span);
    if (!names.count(name) && !coordinate_named(name) && !means_library(name) && !means_level(name))
      unknown_name(Foreign::Value, name, span, {visible.begin(), visible.end()});
  });
}

// The hint for a name that is declared but unknown at `span`. The name is declared further down
// among items of its kind, or its kind cannot be used in the item.
std::string Environment::hint_of_later(const std::string& name, Span span) const {
  const WrittenName* later = find_written(name);
  if (!later) return "";
  const WrittenName* user = item_around(span);
  if (user && user->kind == later->kind && later->name.begin > span.begin) {
    return fmt::format("'{}' is declared further down: move it up", name);
  }
  return fmt::format("'{}' is {}, which cannot be used here", name, describe(later->kind));
}

// Whether the text at `span` begins a piece in a body. Then the user may have written x = 1; where
// let x = 1; was meant.
bool Environment::begins_piece(Span span) const {
  if (!span.valid()) return false;
  const std::string_view before = source.text({0, span.begin});
  const size_t last = before.find_last_not_of(" \t\r\n");
  return last != std::string_view::npos && (before[last] == '{' || before[last] == ';');
}

void Environment::unknown_name(Foreign kind, const std::string& name, Span span,
                               const std::vector<std::string>& others) {
  // Searching is limited, because each suggestion searches all names.
  constexpr int kMaxSuggestions = 20;
  const WrittenName* written = find_written(name);
  if (written && contains(written->item, span)) return;  // check_order() has reported the error
  if (written && is_reserved(name)) return;              // declare() reports the error
  Diagnostic& error =
      report.error("S004", span, fmt::format("unknown {} '{}'", what_it_is(kind), name));
  if (++names_suggested_ > kMaxSuggestions) return;
  error.hint = hint_of_later(name, span);
  if (error.hint.empty() && kind == Foreign::Function) error.hint = hint_of_related(name);
  std::vector<std::string> candidates = others;
  for (const auto& [candidate, declaration] : names) candidates.push_back(candidate);
  std::sort(candidates.begin(), candidates.end());
  const std::string nearest = suggestion(name, candidates);
  // A declared name that differs only in case is more likely than a word of another language.
  const bool other_case = name.size() > 1 && same_letters(name, nearest);
  if (error.hint.empty() && !other_case) error.hint = hint_for_foreign_word(kind, name);
  const bool function = is_reserved_function(name) || (means_library(name) && name != "pi");
  if (error.hint.empty() && kind == Foreign::Value && function) {
    error.hint = fmt::format("'{0}' is a function: write '{0}(x)'", name);
  }
  if (!error.hint.empty()) return;
  if (!nearest.empty()) error.hint = fmt::format("did you mean '{}'?", nearest);
  if (kind == Foreign::Region && error.hint.empty() && begins_piece(span)) {
    error.hint = "a local value of a body begins with 'let'";
  }
  if (coordinate_named(name)) {
    error.hint =
        fmt::format("it is a function of an index: {}(i), with the i of a box [i in ...]", name);
  }
  if (error.hint.empty()) error.hint = declared_names(kind);
}

std::vector<std::string> Environment::names_of(std::initializer_list<Declared> kinds) const {
  std::vector<std::pair<uint32_t, std::string>> found;
  for (const auto& [name, declaration] : names) {
    const bool wanted = std::find(kinds.begin(), kinds.end(), declaration.kind) != kinds.end();
    if (!wanted || declaration.index < 0) continue;  // below 0: of an item with a syntax error
    found.emplace_back(declaration.span.begin, name);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> out;
  for (auto& [place, name] : found) out.push_back(std::move(name));
  return out;
}

// The hint for an unknown function if a function of the program has a related name: one name begins
// with the other, or both are names of other tools for the same function.
std::string Environment::hint_of_related(const std::string& name) const {
  constexpr size_t kLeast = 3;  // shorter names begin many others
  for (const std::string& other : names_of({Declared::Function})) {
    const bool begins = std::min(name.size(), other.size()) >= kLeast &&
                        (name.starts_with(other) || other.starts_with(name));
    if (begins || are_foreign_synonyms(Foreign::Function, name, other)) {
      return fmt::format("did you mean '{}'?", other);
    }
  }
  return "";
}

// The hint for an unknown name that resembles no other: what is declared.
std::string Environment::declared_names(Foreign kind) const {
  constexpr size_t kMostShown = 8;
  std::string hint;
  const auto list = [&](const char* one, const char* several,
                        std::initializer_list<Declared> kinds) {
    std::vector<std::string> found = names_of(kinds);
    if (found.empty()) return;
    const bool single = found.size() == 1;
    if (found.size() > kMostShown) {
      found.resize(kMostShown);
      found.emplace_back("...");
    }
    hint += fmt::format("{}the {} {} {}", hint.empty() ? "" : "; ", single ? one : several,
                        single ? "is" : "are", fmt::join(found, ", "));
  };
  switch (kind) {
    case Foreign::Value:
      list("field", "fields", {Declared::Field});
      list("param", "params", {Declared::Param, Declared::ParamGroup});
      break;
    case Foreign::Field:
      list("field", "fields", {Declared::Field});
      break;
    case Foreign::Function:
      list("function of the program", "functions of the program", {Declared::Function});
      break;
    case Foreign::Region:
      list("region", "regions", {Declared::Grid, Declared::Subgrid});
      break;
    default:
      break;
  }
  return hint;
}

std::string Environment::point() const {
  std::string offsets = "[0";
  for (int d = 1; d < rank(); ++d) offsets += ",0";
  return offsets + "]";
}

std::string Environment::point(const ir::Field& field) const {
  std::string offsets;
  for (size_t d = 0; d < field.box.ranges.size(); ++d) {
    if (field.dimension(d) == ir::kPoints) continue;
    offsets += offsets.empty() ? "[" : ",";
    offsets += field.dimension(d) == ir::kTime ? "time" : "0";
  }
  return offsets.empty() ? offsets : offsets + "]";
}

std::optional<ir::ReductionId> Environment::reduction_into(ir::FieldId field) const {
  for (size_t r = 0; r < reductions.size(); ++r) {
    if (reductions[r].profile == field) return static_cast<ir::ReductionId>(r);
  }
  return std::nullopt;
}

void Environment::add_check(ir::Check check) {
  // Checks of several dimensions may share code and message.
  std::string what = check.code + check.message;
  for (const ir::Affine& affine : check.any_nonnegative) what += "\n" + print(affine);
  if (checks_seen_.emplace(check.span.begin, check.span.end, std::move(what)).second) {
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
