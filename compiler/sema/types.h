// Element types as trees, and their lists of scalar components.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/support/scalar.h"

namespace stencil::sema {

struct Type;
using TypePtr = std::shared_ptr<const Type>;

struct ScalarType {
  Scalar scalar;
};
struct VectorType {
  int length;
  TypePtr element;
};
struct StructType {
  std::vector<std::pair<std::string, TypePtr>> members;
};

constexpr int kMaxComponents = 1024;     // scalars in one element of a field
constexpr int kMaxTableEntries = 65536;  // scalars in a table
constexpr int kMaxTypeDepth = 32;        // nesting depth of structures and vectors

struct Type {
  std::variant<ScalarType, VectorType, StructType> kind;
  int components = 1;  // number of scalar leaves, in declaration order; vectors start at index 0
  int depth = 0;

  bool scalar() const { return std::holds_alternative<ScalarType>(kind); }
};

TypePtr scalar_type(Scalar scalar);
// Returns null if the type would exceed kMaxTypeDepth or `limit` components.
TypePtr vector_type(int64_t length, TypePtr element, int limit = kMaxComponents);
TypePtr struct_type(std::vector<std::pair<std::string, TypePtr>> members);

// Whether all vector lengths and member names are equal. The scalar types at the leaves may differ,
// because conversions handle them.
bool same_shape(const Type& a, const Type& b);

// The type as a phrase for messages: "a scalar", "a vector of 2", "a structure { rho, u }".
std::string describe(const Type& type);

// The scalar leaves in order, with paths as in ir::Component ("", ".rho", ".u[0]").
std::vector<ir::Component> flatten(const Type& type);

}  // namespace stencil::sema
