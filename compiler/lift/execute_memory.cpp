// Arrays, symbols and the names of paths. An array is created when its path is first used. A scalar
// from outside of the region becomes a symbol when the region reads it before assigning to it.
#include <fmt/format.h>

#include "compiler/lift/executor.h"
#include "compiler/support/numbers.h"

namespace stencil::lifter {

namespace {

// The number of the variable in a path: 3 for "(*v3).u".
int variable_number(const std::string& path) {
  if (path.rfind("(returned", 0) == 0) return -1;  // an object returned by a call
  const size_t at = path.find('v');
  if (at == std::string::npos) return -1;
  const size_t end = path.find_first_not_of("0123456789", at + 1);
  return static_cast<int>(
      parse_integer(path.substr(at + 1, end - at - 1), 0, INT32_MAX).value_or(-1));
}

}  // namespace

int Executor::variable_of_path(const std::string& path) const {
  return variable_number(path);
}

bool Executor::is_local(const std::string& path) const {
  const int variable = variable_number(path);
  if (variable < 0) return true;
  const CVariable& v = tree_.variables[variable];
  if (v.storage == CVariable::Storage::Global) return false;
  const CFunction& entry = tree_.functions[tree_.entry];
  return std::find(entry.parameters.begin(), entry.parameters.end(), variable) ==
         entry.parameters.end();
}

// Whether a path leads into an array of constants, whose values are kept in cells.
bool Executor::is_table(const std::string& path) const {
  const int variable = variable_number(path);
  if (variable < 0 || path[0] != 'v') return false;
  const CVariable& v = tree_.variables[variable];
  if (v.initial >= 0) return true;
  const CTypeInfo* type = type_of(v.type);
  if (type->kind != CTypeInfo::Kind::Array || !is_local(path)) return false;
  while (type->kind == CTypeInfo::Kind::Array) type = type_of(type->of);
  return type->constant;
}

// Reads an element of a table at a subscript that is not constant, as selects between all elements.
// In C, any other subscript is undefined.
Value Executor::read_table(const LValue& of) {
  constexpr int64_t kMostElements = 64;
  const auto element = [&](int64_t k) {
    return cells_.find(fmt::format("{}[{}]{}", of.path, k, of.behind));
  };
  const auto present = [&] {
    int64_t count = 0;
    while (count <= kMostElements && element(count) != cells_.end()) ++count;
    return count;
  };
  int64_t count = present();
  // If cells have been dropped, the initial values are evaluated again. They are constants, so the
  // result is equal.
  const int variable = variable_number(of.path);
  const CVariable& v = tree_.variables[variable];
  const CTypeInfo* type = type_of(v.type);
  for (char c : of.path) {
    if (c == '[' && type->kind == CTypeInfo::Kind::Array) type = type_of(type->of);
  }
  const bool known = type->kind == CTypeInfo::Kind::Array && of.behind.empty() &&
                     of.path.find('.') == std::string::npos;
  const bool global = v.storage == CVariable::Storage::Global && v.initial >= 0;
  if (known && global && count < std::min(type->extent, kMostElements)) {
    initialise(fmt::format("v{}", variable), v.type, v.initial);
    count = present();
  }
  if (known && count < std::min(type->extent, kMostElements)) return unknown(of.why);
  if (count == 0) return unknown(of.why);
  if (count > kMostElements) {
    return unknown(
        fmt::format("an element of '{}', a table of more than {} constants, at a "
                    "subscript that is not known",
                    c_expression(of.path), kMostElements));
  }
  X out = nullptr;
  for (int64_t k = count; k-- > 0;) {
    const Value& value = element(k)->second;
    if (value.kind != Value::Kind::Scalar) return unknown(of.why);
    X here = pool_.binary("==", of.at, pool_.integer(k, of.at->type), CScalar::I32);
    out = out == nullptr ? value.x : pool_.select(here, value.x, out);
  }
  return scalar_value(out);
}

// The C spelling of a path: "(*v3).u" is "s->u".
std::string Executor::c_expression(const std::string& path) const {
  std::string out;
  for (size_t i = 0; i < path.size();) {
    if (path[i] == 'v' && i + 1 < path.size() &&
        std::isdigit(static_cast<unsigned char>(path[i + 1]))) {
      size_t end = i + 1;
      while (end < path.size() && std::isdigit(static_cast<unsigned char>(path[end]))) ++end;
      const int number = variable_number(path.substr(i));
      out += tree_.variables[number].name;
      i = end;
    } else {
      out += path[i++];
    }
  }
  return out;
}

std::string Executor::name_of_path(const std::string& path) const {
  std::string out;
  const std::string c = c_expression(path);
  bool gap = false;
  for (char ch : c) {
    if (std::isalnum(static_cast<unsigned char>(ch)) || ch == '_') {
      if (gap && !out.empty()) out += '_';
      gap = false;
      out += ch;
    } else {
      gap = true;
    }
  }
  if (out.rfind("this_", 0) == 0) out = out.substr(5);
  return out.empty() ? "value" : out;
}

std::string Executor::distinct(std::string name) {
  static const std::set<std::string> kReserved = {
      "and",     "boundary", "constant", "every",    "false",   "field",  "function", "grid",
      "history", "in",       "init",     "let",      "not",     "of",     "on",       "or",
      "param",   "reduce",   "require",  "series",   "stencil", "steps",  "stop",     "subgrid",
      "table",   "true",     "type",     "when",     "time",    "real",   "float",    "double",
      "integer", "long",     "half",     "bfloat",   "byte",    "short",  "ubyte",    "ushort",
      "bool",    "vector",   "sum",      "prod",     "min",     "max",    "abs",      "sqrt",
      "rsqrt",   "fma",      "select",   "exp",      "log",     "pow",    "sin",      "cos",
      "tan",     "tanh",     "floor",    "ceil",     "G",       "along",  "points",   "record",
      "at",      "where",    "else",     "repeat",   "by",      "within", "over",     "initial",
      "weights", "origin",   "spacing",  "position", "pi",      "sign",   "round",    "trunc",
      "lshr",    "random"};
  std::string out = name;
  for (int i = 2; kReserved.count(out) > 0 || names_.count(out) > 0; ++i) {
    out = i == 2 ? name + "_" : fmt::format("{}_{}", name, i);
  }
  names_.insert(out);
  return out;
}

X Executor::symbol_named(const std::string& name, const std::string& c_expression, int variable,
                         CScalar type) {
  const auto found = symbol_paths_.find(c_expression);
  int id = found != symbol_paths_.end() ? found->second : -1;
  if (id < 0) {
    id = static_cast<int>(out_.symbols.size());
    symbol_paths_[c_expression] = id;
    out_.symbols.push_back({distinct(name), c_expression, type, variable});
  }
  const SymbolInfo& symbol = out_.symbols[id];
  return pool_.leaf(XKind::Symbol, symbol.type, id, symbol.name);
}

X Executor::symbol_of(const std::string& path, CScalar type) {
  X symbol = symbol_named(name_of_path(path), c_expression(path), variable_of_path(path), type);
  SymbolInfo& info = out_.symbols[symbol->id];
  const int variable = variable_of_path(path);
  if (variable < 0) return symbol;
  const CVariable& root = tree_.variables[variable];
  const std::string object = object_of(path, false);
  if (!object.empty() || root.storage == CVariable::Storage::Global) info.object = object;
  info.restricted = type_of(root.type)->restricted && object == fmt::format("(*v{})", variable);
  return symbol;
}

// The memory object that contains a path (ArrayInfo::object). `pointer`: use the target of the
// path.
std::string Executor::object_of(const std::string& path, bool pointer) const {
  if (pointer) return path + "*";
  const size_t end = path.rfind(')');
  if (end != std::string::npos) return path.substr(0, end + 1);
  const int variable = variable_of_path(path);
  if (variable < 0) return "";
  const CVariable& root = tree_.variables[variable];
  const CTypeInfo::Kind kind = type_of(root.type)->kind;
  // a parameter declared as double a[n][m] is a pointer
  const bool adjusted =
      kind == CTypeInfo::Kind::Array && root.storage == CVariable::Storage::Parameter;
  return adjusted || kind == CTypeInfo::Kind::Reference ? fmt::format("v{}&", variable) : "";
}

// Finds the pointer parameters that C assigns through and uses only as *p or p[0]. They are
// results, not arrays.
void Executor::find_single() {
  const CFunction& entry = tree_.functions[tree_.entry];
  if (tree_.region) return;
  std::map<int, int> uses, alone, written;
  const auto variable_in = [&](const CNode& n) {  // the variable in *p or p[0], else -1
    const bool first = n.kind == CKind::Subscript && node(n.children[1]).kind == CKind::Int &&
                       node(n.children[1]).integer == 0;
    if (n.kind != CKind::Deref && !first) return -1;
    const CNode* base = &node(n.children[0]);
    while (base->kind == CKind::Cast) base = &node(base->children[0]);
    return base->kind == CKind::Variable ? static_cast<int>(base->integer) : -1;
  };
  const auto visit = [&](int index, const auto& self) -> void {
    const CNode& n = node(index);
    if (n.kind == CKind::Variable) ++uses[static_cast<int>(n.integer)];
    if (const int v = variable_in(n); v >= 0) ++alone[v];
    if (n.kind == CKind::Assign || n.kind == CKind::Step) {
      if (const int v = variable_in(node(n.children[0])); v >= 0) ++written[v];
    }
    for (int child : n.children) self(child, self);
  };
  visit(entry.body, visit);
  for (int parameter : entry.parameters) {
    const CTypeInfo* type = type_of(tree_.variables[parameter].type);
    if (type->kind != CTypeInfo::Kind::Pointer || scalar_of(type->of) == CScalar::None) continue;
    if (written[parameter] > 0 && alone[parameter] == uses[parameter]) single_.insert(parameter);
  }
}

// Whether this node is a macro or constant that becomes a param.
bool Executor::is_param(const CNode& n) const {
  return n.kind == CKind::Int && !n.text.empty() &&
         std::find(options_.params.begin(), options_.params.end(), n.text) != options_.params.end();
}

bool Executor::has_param(int index) const {
  const CNode& n = node(index);
  return is_param(n) || std::any_of(n.children.begin(), n.children.end(),
                                    [&](int child) { return has_param(child); });
}

// Returns the array at a path and creates it on first use. `type` is the type of the path: an
// array, container or pointer. Returns -1 unless the elements are numbers.
int Executor::array_of(const std::string& path, int type, bool pointer) {
  if (const auto found = array_paths_.find(path); found != array_paths_.end()) return found->second;
  ArrayInfo made;
  made.c_expression = c_expression(path);
  made.variable = variable_of_path(path);
  made.local = is_local(path);
  const CTypeInfo* info = type_of(type);
  made.restricted = info->restricted;
  int levels = 0;
  bool first = true;
  for (; info != nullptr; info = type_of(info->of), first = false) {
    if (info->kind == CTypeInfo::Kind::Reference) continue;
    if (info->kind == CTypeInfo::Kind::Scalar) break;
    X extent = nullptr;
    if (info->kind == CTypeInfo::Kind::Array) {
      if (info->extent >= 0) extent = pool_.integer(info->extent, CScalar::I64);
      if (info->size >= 0 && (info->extent < 0 || has_param(info->size)))
        extent = scalar(info->size);
      if (extent != nullptr && extent->kind == XKind::Unknown) extent = nullptr;
    } else if (info->kind == CTypeInfo::Kind::Sequence) {
      if (first) (info->view != CTypeInfo::View::None ? made.view : made.sequence) = true;
      if (info->extent >= 0) extent = pool_.integer(info->extent, CScalar::I64);
      if (!first) made.rows = true;
    } else if (info->kind == CTypeInfo::Kind::Pointer) {
      if (!first) made.rows = true;
    } else {
      info = nullptr;
      break;
    }
    made.extents.push_back(extent);
    ++levels;
  }
  if (info == nullptr || levels == 0) return -1;
  made.object = object_of(path, pointer || made.view);
  made.element = info->scalar;
  made.constant = info->constant;
  made.linear = levels == 1 && made.extents[0] == nullptr;
  made.name = distinct(name_of_path(path));
  const int id = static_cast<int>(out_.arrays.size());
  out_.arrays.push_back(std::move(made));
  array_paths_[path] = id;
  return id;
}

// Whether two accesses refer to the same element. nullopt if that depends on values.
std::optional<bool> Executor::same_element(const std::vector<X>& a, const std::vector<X>& b) const {
  bool same = true;
  if (a.size() != b.size()) return std::nullopt;
  std::optional<bool> out = true;
  for (size_t i = 0; i < a.size(); ++i) {
    const Poly difference = Poly::of(a[i]) - Poly::of(b[i]);
    if (difference.zero()) continue;
    same = false;
    if (difference.is_constant() || known_at_least_zero(difference - Poly(1)) ||
        known_at_least_zero(-difference - Poly(1))) {
      return false;
    }
    out = std::nullopt;
  }
  return same ? std::optional(true) : out;
}

X Executor::load(int array, const std::vector<X>& as_written, const CNode& at) {
  std::vector<X> subscripts;
  for (X s : as_written) {
    subscripts.push_back(in_nest_ ? bent(s) : s);
    keeps_values(subscripts.back(), at);
  }
  const ArrayInfo& info = out_.arrays[array];
  // A subscript a ? b : c becomes a select between elements.
  for (size_t i = 0; i < subscripts.size(); ++i) {
    X choice = nullptr;
    each_node(subscripts[i], [&](X n) {
      if (n->kind == XKind::Select && choice == nullptr) choice = n;
    });
    if (choice == nullptr) continue;
    X parts[2];
    for (int arm = 0; arm < 2; ++arm) {
      std::map<X, X> done;
      std::vector<X> with = subscripts;
      with[i] = transformed(pool_, subscripts[i], done, [&](X n) -> X {
        return n == choice ? n->args[static_cast<size_t>(arm) + 1] : nullptr;
      });
      parts[arm] = load(array, with, at);
    }
    return pool_.select(choice->args[0], parts[0], parts[1]);
  }
  if (fused_) {
    for (auto it = stores_.rbegin(); it != stores_.rend(); ++it) {
      if (it->array != array) continue;
      const bool open = it->domain.size() <= active_.size() &&
                        (it->domain.empty() ||
                         active_[it->domain.size() - 1].domain.index == it->domain.back().index);
      if (!open) throw Unfusable();
      const auto same = same_element(it->subscripts, subscripts);
      if (!same) throw Unfusable();
      if (*same) return it->value;
    }
  }
  // A load sees the values after the previous nests. In ordered mode it also sees the previous
  // stores of this nest.
  const int64_t nests = in_nest_ ? epoch_ - 1 : epoch_;
  const int64_t when = nests * kEpoch + (fused_ ? 0 : static_cast<int64_t>(stores_.size()));
  return pool_.load(array, subscripts, info.element, when);
}

void Executor::store(int array, std::vector<X> subscripts, X value, const CNode& at) {
  ArrayInfo& info = out_.arrays[array];
  if (value->kind == XKind::Unknown) {
    refuse("C022", at, fmt::format("'{}' is assigned {}", info.c_expression, value->text));
  }
  for (const auto& [path, id] : array_paths_) {
    if (id == array && !probing_ && stored_.insert(path).second) throw Restart();
  }
  each_node(value, [&](X n) {
    if (n->kind == XKind::Carried && n->id < 0) {
      refuse(
          "C011", at,
          fmt::format("'{}' needs the value of '{}' from the previous step", info.c_expression,
                      n->text),
          "a program passes only arrays from step to step: compute it in the step that needs it");
    }
    if (n->kind == XKind::Carried) {
      refuse(
          "C011", at,
          fmt::format("'{}' needs the value of '{}' from the previous iteration", info.c_expression,
                      n->text),
          "a recurrence along a loop, as in a line solver, cannot be run for all points at once");
    }
    if (n->kind == XKind::Unknown)
      refuse("C022", at, fmt::format("'{}' is assigned {}", info.c_expression, n->text));
  });
  value = pool_.cast(value, info.element);
  const auto write = [&] {
    for (X& s : subscripts) s = resolved(s, at);
    if (guard_ != nullptr) value = pool_.select(guard_, value, load(array, subscripts, at));
    Store made{array, subscripts, value, {}, where(at), "", guard_ != nullptr};
    for (const Active& loop : active_) {
      made.domain.push_back(loop.domain);
      made.unsplit.push_back(loop.unsplit);
    }
    made.key = key_of(static_cast<int>(&at - tree_.nodes.data()));
    stores_.push_back(std::move(made));
  };
  if (in_nest_) return write();
  nest(where(at), write);
}

// Sets the cells of a path from an initializer.
void Executor::initialise(const std::string& path, int type, int index) {
  const CTypeInfo* info = type_of(type);
  const CNode& from = node(index);
  if (info->kind == CTypeInfo::Kind::Reference) return;
  // eval() refuses an initializer with side effects.
  if (from.kind == CKind::Unknown) (void)eval(index);
  if (info->kind == CTypeInfo::Kind::Array) {
    if (from.kind != CKind::List) return;
    // a std::array contains a C array, so its list has one more level
    const bool inner = from.children.size() == 1 && node(from.children[0]).kind == CKind::List;
    if (inner && scalar_of(info->of) != CScalar::None)
      return initialise(path, type, from.children[0]);
    // Elements without an initializer are zero.
    for (int64_t i = 0; i < std::min<int64_t>(info->extent, 4096); ++i) {
      const std::string element = fmt::format("{}[{}]", path, i);
      if (i < static_cast<int64_t>(from.children.size())) {
        initialise(element, info->of, from.children[i]);
      } else if (const CScalar scalar = scalar_of(info->of); scalar != CScalar::None) {
        cells_[element] = scalar_value(pool_.integer(0, scalar));
      }
    }
    return;
  }
  if (info->kind == CTypeInfo::Kind::Struct) {
    if (from.kind == CKind::List) {
      for (size_t i = 0; i < std::min(info->members.size(), from.children.size()); ++i) {
        initialise(path + "." + info->members[i], info->member_types[i], from.children[i]);
      }
      return;
    }
    const LValue source = place(index);
    LValue target;
    target.kind = LValue::Kind::Cell;
    target.path = path;
    target.type = type;
    assign_object(target, source, from);
    return;
  }
  cells_[path] =
      from.kind == CKind::List && from.children.size() == 1 ? eval(from.children[0]) : eval(index);
}

}  // namespace stencil::lifter
