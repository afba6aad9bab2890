// Element types as trees, and how they flatten into scalar components.
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
constexpr int kMaxTypeDepth = 32;        // structures and vectors within each other

struct Type {
  std::variant<ScalarType, VectorType, StructType> kind;
  int components = 1;  // scalar leaves, in declaration order, vectors from index 0
  int depth = 0;

  bool scalar() const { return std::holds_alternative<ScalarType>(kind); }
};

TypePtr scalar_type(Scalar scalar);
// Null if the type would exceed kMaxTypeDepth or `limit` components.
TypePtr vector_type(int64_t length, TypePtr element, int limit = kMaxComponents);
TypePtr struct_type(std::vector<std::pair<std::string, TypePtr>> members);

// Equal vector lengths and member names throughout; the scalar types at the leaves may differ, they
// are a matter of conversion.
bool same_shape(const Type& a, const Type& b);

// "scalar", "vector of 2", "structure { rho, u }": for messages.
std::string describe(const Type& type);

// The scalar leaves: paths as in ir::Component ("", ".rho", ".u[0]").
std::vector<ir::Component> flatten(const Type& type);

}  // namespace stencil::sema
