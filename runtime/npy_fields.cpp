// Fields from and to .npy files. A field of several components is one array with the components as
// its last dimension if they share a type, as NumPy users expect of vectors; otherwise each
// component is an array of its own.
//
// An input is converted only where no value changes beyond rounding: floats of any width into
// floats, integers into anything that holds them. Everything is checked before the first element is
// stored. Both directions go part by part, so a field is never twice in memory.
#include <algorithm>

#include "runtime/field_values.h"
#include "runtime/mapped_file.h"
#include "runtime/npy.h"

namespace stencil::runtime {
namespace {

using reference::FieldData;

Scalar npy_type(Scalar type) {
  return type == Scalar::BF16 ? Scalar::F32 : type;
}

std::string print_shape(const std::vector<int64_t>& shape) {
  std::string text;
  for (size_t d = 0; d < shape.size(); ++d) text += (d > 0 ? " x " : "") + std::to_string(shape[d]);
  return text;
}

Status check_shape(const NpyView& array, const std::string& name,
                   const std::vector<int64_t>& expected) {
  if (array.shape == expected) return Done{};
  return Failure{"R022",
                 "'" + name + "' has the shape " + print_shape(array.shape) + ", the field has " +
                     print_shape(expected),
                 ""};
}

Status check_values(const NpyView& array, const std::string& name, Scalar type) {
  const bool into_bool = type == Scalar::Bool && array.type != Scalar::Bool;
  if ((is_float(array.type) && !is_float(type)) || into_bool) {
    return Failure{"R023",
                   "'" + name + "' holds " + std::string(stencil::name(array.type)) +
                       " values, the field holds " + std::string(stencil::name(type)),
                   "convert the array with astype()"};
  }
  if (array.type != Scalar::I64 || type != Scalar::I32) return Done{};
  std::vector<int64_t> values(static_cast<size_t>(std::min(array.count, kPointsAtOnce)));
  for (int64_t first = 0; first < array.count; first += kPointsAtOnce) {
    const int64_t count = std::min(kPointsAtOnce, array.count - first);
    array.load(first, count, reinterpret_cast<std::byte*>(values.data()));
    for (int64_t i = 0; i < count; ++i) {
      const int64_t value = values[static_cast<size_t>(i)];
      if (value == static_cast<int32_t>(value)) continue;
      return Failure{
          "R023", "'" + name + "' holds " + std::to_string(value) + ", which is no 32-bit integer",
          "declare the field as long"};
    }
  }
  return Done{};
}

// The first component and how many, of a component's number or -1.
std::pair<int, int> components_of(const FieldData& field, int component) {
  if (component >= 0) return {component, 1};
  return {0, field.component_count()};
}

std::vector<int64_t> shape_of(const FieldData& field, int components) {
  std::vector<int64_t> shape = field.extents;
  if (components > 1) shape.push_back(components);
  return shape;
}

}  // namespace

Result<NewFile> npy_file(const std::string& path, const FieldData& field, int level,
                         int component) {
  const auto [first, components] = components_of(field, component);
  const Scalar stored = field.types[static_cast<size_t>(first)];
  for (int c = 0; c < components; ++c) {
    if (field.types[static_cast<size_t>(first + c)] == stored) continue;
    return Failure{"R024", "the field's components differ in type, one array cannot hold them",
                   "write one component at a time"};
  }
  const Scalar type = npy_type(stored);
  const Values values{field, level, first, components};
  const std::string header = npy_header(type, shape_of(field, components));
  return NewFile{path, static_cast<int64_t>(header.size()) + size_of_values(values, type),
                 [=](FileWriter& file) {
                   const Status begun = file.write(header);
                   return begun.ok() ? write_values(file, values, type) : begun;
                 }};
}

Status from_npy(const NpyView& array, const std::string& name, FieldData& field, int level,
                int component) {
  const auto [first, components] = components_of(field, component);
  const Status shape = check_shape(array, name, shape_of(field, components));
  if (!shape.ok()) return shape;
  for (int c = 0; c < components; ++c) {
    const Status values = check_values(array, name, field.types[static_cast<size_t>(first + c)]);
    if (!values.ok()) return values;
  }
  const int64_t point = components * size_in_bytes(array.type);
  std::vector<std::byte> part(static_cast<size_t>(std::min(field.points, kPointsAtOnce) * point));
  for (int64_t at = 0; at < field.points; at += kPointsAtOnce) {
    const int64_t count = std::min(kPointsAtOnce, field.points - at);
    array.load(at * components, count * components, part.data());
    store_values(part.data(), array.type, at, count, field, level, first, components);
  }
  return Done{};
}

Status read_npy_into(const std::string& path, FieldData& field, int level, int component) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file.ok()) return file.failure();
  const Result<NpyView> view = view_npy(file.value().bytes(), path);
  if (!view.ok()) return view.failure();
  return from_npy(view.value(), path, field, level, component);
}

}  // namespace stencil::runtime
