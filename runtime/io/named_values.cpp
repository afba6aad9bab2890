#include "runtime/io/named_values.h"

#include <fmt/format.h>

namespace stencil::runtime {
namespace {

// ".u[1]" -> ".u", "[0]" -> "".
std::string without_index(const std::string& path) {
  return path.substr(0, path.ends_with("]") ? path.rfind('[') : path.size());
}

// Whether components a and b of a field are elements of one vector, to be written as one array.
bool same_vector(const ir::Component& a, const ir::Component& b) {
  return a.type == b.type && b.path.ends_with("]") &&
         without_index(a.path) == without_index(b.path);
}

}  // namespace

std::vector<NamedValues> values_of(const ir::Program& program, const Selection& selection) {
  const ir::Field& field = program.fields[selection.field];
  const std::string level = selection.level == 0 ? "" : fmt::format("@-{}", selection.level);
  const auto& components = field.components;
  if (selection.component >= 0) {
    const auto only = static_cast<size_t>(selection.component);
    return {{field.name + components[only].path + level, selection.component, 1}};
  }
  std::vector<NamedValues> out;
  for (size_t first = 0, end = 0; first < components.size(); first = end) {
    for (end = first + 1; end < components.size(); ++end) {
      if (!same_vector(components[first], components[end])) break;
    }
    const std::string& path = components[first].path;
    out.push_back({field.name + (end - first > 1 ? without_index(path) : path) + level,
                   static_cast<int>(first), static_cast<int>(end - first)});
  }
  return out;
}

}  // namespace stencil::runtime
