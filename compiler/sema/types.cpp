// Element types. The stencil IR has only scalars. Structures and vectors exist only in semantic
// analysis, where a value is a list of scalar leaves and a type tree. The type tree decides which
// leaves a member or index selects, and which values one operation can combine.
#include "compiler/sema/types.h"

#include <algorithm>

#include <fmt/format.h>

namespace stencil::sema {
namespace {

void append_leaves(const Type& type, const std::string& path, std::vector<ir::Component>& out) {
  if (const auto* scalar = std::get_if<ScalarType>(&type.kind)) {
    out.push_back({path, scalar->scalar});
  } else if (const auto* vector = std::get_if<VectorType>(&type.kind)) {
    for (int i = 0; i < vector->length; ++i) {
      append_leaves(*vector->element, fmt::format("{}[{}]", path, i), out);
    }
  } else if (const auto* structure = std::get_if<StructType>(&type.kind)) {
    for (const auto& [name, member] : structure->members) {
      append_leaves(*member, path + "." + name, out);
    }
  }
}

}  // namespace

TypePtr scalar_type(Scalar scalar) {
  static const std::vector<TypePtr> types = [] {
    std::vector<TypePtr> all;
    for (size_t s = 0; s < kScalarTypes; ++s) {
      all.push_back(std::make_shared<Type>(Type{ScalarType{static_cast<Scalar>(s)}}));
    }
    return all;
  }();
  return types[static_cast<size_t>(scalar)];
}

TypePtr vector_type(int64_t length, TypePtr element, int limit) {
  if (length < 1 || length > limit / element->components || element->depth >= kMaxTypeDepth) {
    return nullptr;
  }
  const int components = static_cast<int>(length) * element->components;
  const int depth = element->depth + 1;
  return std::make_shared<Type>(
      Type{VectorType{static_cast<int>(length), std::move(element)}, components, depth});
}

TypePtr struct_type(std::vector<std::pair<std::string, TypePtr>> members) {
  int64_t components = 0;
  int depth = 0;
  for (const auto& [name, member] : members) {
    components += member->components;
    depth = std::max(depth, member->depth);
  }
  if (components > kMaxComponents || depth >= kMaxTypeDepth) return nullptr;
  return std::make_shared<Type>(
      Type{StructType{std::move(members)}, static_cast<int>(components), depth + 1});
}

bool same_shape(const Type& a, const Type& b) {
  if (&a == &b) return true;
  if (a.kind.index() != b.kind.index() || a.components != b.components) return false;
  if (const auto* vector = std::get_if<VectorType>(&a.kind)) {
    const auto& other = std::get<VectorType>(b.kind);
    return vector->length == other.length && same_shape(*vector->element, *other.element);
  }
  if (const auto* structure = std::get_if<StructType>(&a.kind)) {
    const auto& other = std::get<StructType>(b.kind);
    return std::equal(structure->members.begin(), structure->members.end(), other.members.begin(),
                      other.members.end(), [](const auto& x, const auto& y) {
                        return x.first == y.first && same_shape(*x.second, *y.second);
                      });
  }
  return true;
}

std::string describe(const Type& type) {
  if (const auto* vector = std::get_if<VectorType>(&type.kind)) {
    const std::string element =
        vector->element->scalar() ? "" : ", each " + describe(*vector->element);
    return fmt::format("a vector of {}{}", vector->length, element);
  }
  if (const auto* structure = std::get_if<StructType>(&type.kind)) {
    std::string names;
    for (const auto& [name, member] : structure->members) {
      names += (names.empty() ? "" : ", ") + name;
    }
    return "a structure { " + names + " }";
  }
  return "a scalar";
}

std::vector<ir::Component> flatten(const Type& type) {
  std::vector<ir::Component> components;
  components.reserve(static_cast<size_t>(type.components));
  append_leaves(type, "", components);
  return components;
}

}  // namespace stencil::sema
