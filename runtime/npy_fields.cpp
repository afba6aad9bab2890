// Fields from and to arrays. A field of several components is one array with the components as its
// last dimension if they share a type, as NumPy users expect of vectors; otherwise each component
// is an array of its own.
//
// An input is converted only where no value changes beyond rounding: floats of any width into
// floats, integers into anything that holds them. Everything is checked before the first element is
// stored.

#include "compiler/reference/scalar_types.h"
#include "runtime/npy.h"

namespace stencil::runtime {
namespace {

using reference::convert;
using reference::FieldData;
using reference::with_type;

Scalar npy_type(Scalar type) {
  return type == Scalar::BF16 ? Scalar::F32 : type;
}

// Stores a component into every `stride`th element of an array, from `first` on.
void gather(const FieldData& field, int level, int component, NpyArray& array, int64_t first,
            int64_t stride) {
  with_type(field.types[component], [&](auto stored) {
    using Stored = decltype(stored);
    const auto* from = reinterpret_cast<const Stored*>(field.data(level, component));
    with_type(array.type, [&](auto element) {
      using Element = decltype(element);
      auto* to = reinterpret_cast<Element*>(array.data.data());
      for (int64_t i = 0; i < field.points; ++i) to[first + i * stride] = convert<Element>(from[i]);
    });
  });
}

// The inverse.
void scatter(const NpyArray& array, int64_t first, int64_t stride, FieldData& field, int level,
             int component) {
  with_type(field.types[component], [&](auto stored) {
    using Stored = decltype(stored);
    auto* to = reinterpret_cast<Stored*>(field.data(level, component));
    with_type(array.type, [&](auto element) {
      using Element = decltype(element);
      const auto* from = reinterpret_cast<const Element*>(array.data.data());
      for (int64_t i = 0; i < field.points; ++i) to[i] = convert<Stored>(from[first + i * stride]);
    });
  });
}

std::string print_shape(const std::vector<int64_t>& shape) {
  std::string text;
  for (size_t d = 0; d < shape.size(); ++d) text += (d > 0 ? " x " : "") + std::to_string(shape[d]);
  return text;
}

Status check_shape(const NpyArray& array, const std::string& name,
                   const std::vector<int64_t>& expected) {
  if (array.shape == expected) return Done{};
  return Failure{"R022",
                 "'" + name + "' has the shape " + print_shape(array.shape) + ", the field has " +
                     print_shape(expected),
                 ""};
}

Status check_values(const NpyArray& array, const std::string& name, Scalar type) {
  const bool into_bool = type == Scalar::Bool && array.type != Scalar::Bool;
  if ((is_float(array.type) && !is_float(type)) || into_bool) {
    return Failure{"R023",
                   "'" + name + "' holds " + std::string(stencil::name(array.type)) +
                       " values, the field holds " + std::string(stencil::name(type)),
                   "convert the array with astype()"};
  }
  if (array.type != Scalar::I64 || type != Scalar::I32) return Done{};
  const auto* values = reinterpret_cast<const int64_t*>(array.data.data());
  const size_t count = array.data.size() / sizeof(int64_t);
  for (size_t i = 0; i < count; ++i) {
    if (values[i] == static_cast<int32_t>(values[i])) continue;
    return Failure{
        "R023",
        "'" + name + "' holds " + std::to_string(values[i]) + ", which is no 32-bit integer",
        "declare the field as long"};
  }
  return Done{};
}

NpyArray zeros(Scalar type, std::vector<int64_t> shape, int64_t count) {
  const int64_t size = count * size_in_bytes(npy_type(type));
  return {npy_type(type), std::move(shape), std::vector<std::byte>(static_cast<size_t>(size))};
}

std::vector<int64_t> full_shape(const FieldData& field) {
  std::vector<int64_t> shape = field.extents;
  if (field.component_count() > 1) shape.push_back(field.component_count());
  return shape;
}

}  // namespace

Result<NpyArray> to_npy(const FieldData& field, int level) {
  for (const Scalar type : field.types) {
    if (type != field.types[0]) {
      return Failure{"R024", "the field's components differ in type, one array cannot hold them",
                     "write one component at a time"};
    }
  }
  const int components = field.component_count();
  NpyArray array = zeros(field.types[0], full_shape(field), field.points * components);
  for (int c = 0; c < components; ++c) gather(field, level, c, array, c, components);
  return array;
}

NpyArray component_to_npy(const FieldData& field, int level, int component) {
  NpyArray array = zeros(field.types[component], field.extents, field.points);
  gather(field, level, component, array, 0, 1);
  return array;
}

Status from_npy(const NpyArray& array, const std::string& name, FieldData& field, int level) {
  const Status shape = check_shape(array, name, full_shape(field));
  if (!shape.ok()) return shape;
  for (const Scalar type : field.types) {
    const Status values = check_values(array, name, type);
    if (!values.ok()) return values;
  }
  const int components = field.component_count();
  for (int c = 0; c < components; ++c) scatter(array, c, components, field, level, c);
  return Done{};
}

Status component_from_npy(const NpyArray& array, const std::string& name, FieldData& field,
                          int level, int component) {
  const Status shape = check_shape(array, name, field.extents);
  if (!shape.ok()) return shape;
  const Status values = check_values(array, name, field.types[component]);
  if (!values.ok()) return values;
  scatter(array, 0, 1, field, level, component);
  return Done{};
}

}  // namespace stencil::runtime
