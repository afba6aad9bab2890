// Assumptions about memory: which objects do not overlap, and how long arrays are.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/lift/program_writer.h"

namespace stencil::lifter {

namespace {

// Converts a path to C notation: "(*p).n" becomes p->n, "(*s)" becomes *s.
std::string readable(std::string name) {
  for (size_t at = name.find(")."); at != std::string::npos; at = name.find(").")) {
    const size_t begin = name.rfind("(*", at);
    if (begin == std::string::npos) break;
    name =
        name.substr(0, begin) + name.substr(begin + 2, at - begin - 2) + "->" + name.substr(at + 2);
  }
  const bool pointed = name.rfind("(*", 0) == 0 && name.find(')') == name.size() - 1;
  return pointed ? name.substr(1, name.size() - 2) : name;
}

// Whether C allows a program to access an object of one type as the other type. Signed and unsigned
// variants are compatible, and character types may access any object.
bool compatible(CScalar a, CScalar b) {
  const auto character = [](CScalar type) { return type == CScalar::I8 || type == CScalar::U8; };
  if (a == b || character(a) || character(b)) return true;
  if (a == CScalar::Bool || b == CScalar::Bool) return false;
  return is_integer(a) && is_integer(b) && bits_of(a) == bits_of(b);
}

}  // namespace

// Arrays and scalars outside of the function that the function reads or writes. Arrays that become
// fields come first.
std::vector<ProgramWriter::InMemory> ProgramWriter::memory() const {
  std::vector<int> arrays;
  const auto use = [&](int array) {
    if (array < 0 || info(array).local) return;
    if (std::find(arrays.begin(), arrays.end(), array) == arrays.end()) arrays.push_back(array);
  };
  std::set<int> written;
  for (const auto& [part, role] : roles_.of) {
    use(part.array);
    if (shapes_.shape(part.array).stored || role.copies > 1) written.insert(part.array);
  }
  for (const PointFieldBinding& field : out_.point_fields) {
    use(field.array);
    if (field.written) written.insert(field.array);
  }
  for (const PointStatement& one : execution_.points) {
    use(one.store.array);
    written.insert(one.store.array);
  }
  for (const PointSetBinding& set : out_.point_sets) {
    for (const auto& coordinate : set.place) use(coordinate.array);
  }
  std::vector<InMemory> numbers;
  for (const SymbolInfo& symbol : execution_.symbols) {
    if (symbol.object) {
      const bool left =
          std::any_of(execution_.left.begin(), execution_.left.end(),
                      [&](const Left& one) { return one.c_expression == symbol.c_expression; });
      numbers.push_back({readable(symbol.c_expression), *symbol.object, symbol.type,
                         symbol.restricted, left, -1});
    }
    // The region reads an element such as w[0] as a scalar.
    for (size_t a = 0; a < execution_.arrays.size(); ++a) {
      if (symbol.c_expression.rfind(execution_.arrays[a].c_expression + "[", 0) == 0)
        use(static_cast<int>(a));
    }
  }
  std::vector<InMemory> out;
  for (int a : arrays) {
    const ArrayInfo& array = info(a);
    // Declared constant arrays are never written.
    if (array.constant && array.object.empty()) continue;
    out.push_back({readable(array.c_expression), array.object, array.element, array.restricted,
                   written.count(a) > 0, a});
  }
  out.insert(out.end(), numbers.begin(), numbers.end());
  return out;
}

// Assumes that written objects overlap no other object. Only overlaps that C's aliasing rules allow
// need such an assumption.
void ProgramWriter::aliasing() {
  const std::vector<InMemory> all = memory();
  std::vector<std::string> names;
  for (const InMemory& one : all) {
    const bool listed = std::any_of(all.begin(), all.end(), [&](const InMemory& other) {
      return one.object != other.object && (one.written || other.written) && !one.restricted &&
             !other.restricted && compatible(one.type, other.type);
    });
    if (listed && std::find(names.begin(), names.end(), one.name) == names.end())
      names.push_back(one.name);
  }
  if (!names.empty())
    out_.assumed.push_back(fmt::format("{} do not overlap", fmt::join(names, ", ")));
  for (const auto& [part, role] : roles_.of) {
    if (!info(part.array).rows) continue;
    out_.assumed.push_back(fmt::format("the rows of {} do not overlap and have the same length",
                                       info(part.array).c_expression));
  }
}

// A strided loop may end before its bound, but the arrays of the program extend to the bound.
void ProgramWriter::longer() {
  std::map<int64_t, std::vector<std::string>> names;
  for (const auto& [part, role] : roles_.of) {
    auto& list = names[shapes_.shape(part.array).spare];
    const std::string name = readable(info(part.array).c_expression);
    if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
  }
  for (const auto& [spare, list] : names) {
    if (spare == 0) continue;
    out_.assumed.push_back(fmt::format(
        "the memory of {} extends {} element{} beyond the last one that a strided loop accesses",
        fmt::join(list, ", "), spare == 1 ? "1" : fmt::format("up to {}", spare),
        spare == 1 ? "" : "s"));
  }
}

}  // namespace stencil::lifter
