// Serializes the tree to text and parses it back. Numbers are separated by blanks, strings are
// preceded by their lengths. libstencil_host.so and the lifter both compile this file, so it uses
// only the standard library.
#include "compiler/lift/c_tree.h"

#include <charconv>
#include <cstring>

namespace stencil::lifter {

bool is_floating(CScalar type) {
  return type == CScalar::F32 || type == CScalar::F64;
}
bool is_integer(CScalar type) {
  return type != CScalar::None && !is_floating(type);
}
bool is_unsigned(CScalar type) {
  switch (type) {
    case CScalar::Bool:
    case CScalar::U8:
    case CScalar::U16:
    case CScalar::U32:
    case CScalar::U64:
      return true;
    default:
      return false;
  }
}
int bits_of(CScalar type) {
  switch (type) {
    case CScalar::None:
      return 0;
    case CScalar::Bool:
      return 1;
    case CScalar::I8:
    case CScalar::U8:
      return 8;
    case CScalar::I16:
    case CScalar::U16:
      return 16;
    case CScalar::I32:
    case CScalar::U32:
    case CScalar::F32:
      return 32;
    default:
      return 64;
  }
}
const char* name_of(CScalar type) {
  constexpr const char* kNames[] = {"void",  "_Bool",          "signed char", "unsigned char",
                                    "short", "unsigned short", "int",         "unsigned int",
                                    "long",  "unsigned long",  "float",       "double"};
  return kNames[static_cast<size_t>(type)];
}

namespace {

constexpr const char* kHeader = "stencil-c-tree 1";

struct Writer {
  std::string out;
  void integer(int64_t value) { out += std::to_string(value) + ' '; }
  void real(double value) {
    int64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    integer(bits);
  }
  void text(const std::string& value) {
    integer(static_cast<int64_t>(value.size()));
    out += value;
    out += ' ';
  }
  void numbers(const std::vector<int>& values) {
    integer(static_cast<int64_t>(values.size()));
    for (int value : values) integer(value);
  }
};

struct Reader {
  std::string_view in;
  bool bad = false;

  int64_t integer() {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(in.data(), in.data() + in.size(), value);
    const auto used = static_cast<size_t>(end - in.data());
    if (error != std::errc() || used >= in.size()) {
      bad = true;
      in = {};
      return 0;
    }
    in.remove_prefix(used + 1);
    return value;
  }
  int number() { return static_cast<int>(integer()); }
  double real() {
    const int64_t bits = integer();
    double value;
    std::memcpy(&value, &bits, sizeof bits);
    return value;
  }
  std::string text() {
    const size_t size = count();
    std::string value(in.substr(0, size));
    in.remove_prefix(std::min(in.size(), size + 1));
    return value;
  }
  // Reads the number of elements that follow. Each element takes at least one byte, so the
  // remaining length bounds the number.
  size_t count() {
    const int64_t size = integer();
    if (size < 0 || static_cast<uint64_t>(size) > in.size()) {
      bad = true;
      in = {};
      return 0;
    }
    return static_cast<size_t>(size);
  }
  std::vector<int> numbers() {
    std::vector<int> values(count());
    for (int& value : values) value = number();
    return values;
  }
};

// The visit_* functions list the fields once; writing and reading share them.
template <class Stream, class Type>
void visit_type(Stream& s, Type& t) {
  s(t.kind, t.scalar, t.of, t.extent, t.size, t.constant, t.restricted, t.view, t.text, t.members,
    t.member_types);
}
template <class Stream, class Variable>
void visit_variable(Stream& s, Variable& v) {
  s(v.name, v.type, v.storage, v.initial, v.line);
}
template <class Stream, class Function>
void visit_function(Stream& s, Function& f) {
  s(f.name, f.parameters, f.result, f.body, f.line, f.member, f.scope);
}
template <class Stream, class Node>
void visit_node(Stream& s, Node& n) {
  s(n.kind, n.type, n.integer, n.real, n.text, n.children, n.line, n.column, n.file);
}

struct Out : Writer {
  template <class... Values>
  void operator()(const Values&... values) {
    (put(values), ...);
  }
  void put(const std::string& value) { text(value); }
  void put(double value) { real(value); }
  void put(const std::vector<int>& value) { numbers(value); }
  void put(const std::vector<std::string>& values) {
    integer(static_cast<int64_t>(values.size()));
    for (const std::string& value : values) text(value);
  }
  template <class Number>
  void put(const Number& value) {
    integer(static_cast<int64_t>(value));
  }
};

struct In : Reader {
  template <class... Values>
  void operator()(Values&... values) {
    (take(values), ...);
  }
  void take(std::string& value) { value = text(); }
  void take(double& value) { value = real(); }
  void take(std::vector<int>& value) { value = numbers(); }
  void take(std::vector<std::string>& values) {
    values.resize(count());
    for (std::string& value : values) value = text();
  }
  template <class Number>
  void take(Number& value) {
    value = static_cast<Number>(integer());
  }
};

template <class Stream, class Tree>
void visit_head(Stream& s, Tree& tree) {
  s(tree.files, tree.cpp, tree.entry, tree.region, tree.conditions, tree.region_text,
    tree.region_line);
}

bool within(int index, size_t size, bool optional) {
  return index >= (optional ? -1 : 0) && index < static_cast<int>(size);
}

size_t least_children(CKind kind) {
  switch (kind) {
    case CKind::Unary:
    case CKind::Step:
    case CKind::Cast:
    case CKind::Member:
    case CKind::Deref:
    case CKind::Address:
      return 1;
    case CKind::Binary:
    case CKind::Assign:
    case CKind::Subscript:
    case CKind::Comma:
    case CKind::If:
    case CKind::While:
    case CKind::Do:
      return 2;
    case CKind::Choice:
      return 3;
    case CKind::For:
      return 4;
    default:
      return 0;
  }
}

bool sound(const CTree& tree) {
  const size_t types = tree.types.size(), nodes = tree.nodes.size(), vars = tree.variables.size();
  for (const CTypeInfo& type : tree.types) {
    if (!within(type.of, types, true) || !within(type.size, nodes, true)) return false;
    if (type.members.size() != type.member_types.size()) return false;
    if (type.kind > CTypeInfo::Kind::Other || type.scalar > CScalar::F64 ||
        type.view > CTypeInfo::View::Left) {
      return false;
    }
    for (int member : type.member_types) {
      if (!within(member, types, false)) return false;
    }
  }
  for (const CVariable& variable : tree.variables) {
    if (!within(variable.type, types, false) || !within(variable.initial, nodes, true))
      return false;
  }
  for (const CFunction& function : tree.functions) {
    if (!within(function.body, nodes, false) || !within(function.result, types, false))
      return false;
    for (int parameter : function.parameters) {
      if (!within(parameter, vars, false)) return false;
    }
  }
  for (size_t index = 0; index < nodes; ++index) {
    const CNode& node = tree.nodes[index];
    if (node.children.size() < least_children(node.kind)) return false;
    if (node.kind > CKind::Unknown || !within(node.type, types, true)) return false;
    for (int child : node.children) {
      if (!within(child, index, false))
        return false;  // children precede their parents, so the tree has no cycles
    }
    if ((node.kind == CKind::Variable || node.kind == CKind::Declare) &&
        (node.integer < 0 || node.integer >= static_cast<int64_t>(vars))) {
      return false;
    }
    if (node.kind == CKind::Call &&
        (node.integer < -1 || node.integer >= static_cast<int64_t>(tree.functions.size()))) {
      return false;
    }
  }
  return within(tree.entry, tree.functions.size(), false);
}

}  // namespace

std::string write(const CTree& tree) {
  Out out;
  out.text(kHeader);
  visit_head(out, tree);
  const auto list = [&](const auto& values, auto visit) {
    out.integer(static_cast<int64_t>(values.size()));
    for (const auto& value : values) visit(out, value);
  };
  list(tree.types, [](Out& s, const CTypeInfo& t) { visit_type(s, t); });
  list(tree.variables, [](Out& s, const CVariable& v) { visit_variable(s, v); });
  list(tree.functions, [](Out& s, const CFunction& f) { visit_function(s, f); });
  list(tree.nodes, [](Out& s, const CNode& n) { visit_node(s, n); });
  return out.out;
}

std::optional<CTree> read_tree(std::string_view text) {
  In in;
  in.in = text;
  if (in.text() != kHeader) return std::nullopt;
  CTree tree;
  visit_head(in, tree);
  const auto list = [&](auto& values, auto visit) {
    values.resize(in.count());
    for (auto& value : values) visit(in, value);
  };
  list(tree.types, [](In& s, CTypeInfo& t) { visit_type(s, t); });
  list(tree.variables, [](In& s, CVariable& v) { visit_variable(s, v); });
  list(tree.functions, [](In& s, CFunction& f) { visit_function(s, f); });
  list(tree.nodes, [](In& s, CNode& n) { visit_node(s, n); });
  if (in.bad || !sound(tree)) return std::nullopt;
  return tree;
}

}  // namespace stencil::lifter
