// A field whose components share a type becomes one array with the components as last dimension, as
// NumPy users expect of vectors. Otherwise each component is a separate array.
//
// Input conversions may only round: floats of any width to floats, integers to any type that holds
// them, and anything to bool, where nonzero is true. Rounded values are counted so that the user
// can be warned. All checks precede the first store, in a separate pass if the types make it
// necessary. Both directions work in pieces, so a field is never in memory twice.
#include "runtime/io/npy_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/reference/scalar_types.h"
#include "compiler/support/try.h"
#include "runtime/io/field_values.h"

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

Status check_shape(const NpySource& array, const std::string& name,
                   const std::vector<int64_t>& expected) {
  std::vector<int64_t> vectors_of_one = expected;
  vectors_of_one.push_back(1);
  if (array.shape() == expected || array.shape() == vectors_of_one) return Done{};
  if (array.shape().empty()) {
    return Failure{"R022",
                   "'" + name +
                       "' holds a single number without dimensions, but the field has the shape " +
                       print_shape(expected),
                   "save an array of that shape, such as numpy.full(shape, value)"};
  }
  return Failure{"R022",
                 "'" + name + "' has the shape " + print_shape(array.shape()) +
                     ", but the field has " + print_shape(expected),
                 ""};
}

// Number of bits of integers that the type represents exactly.
int digits(Scalar type) {
  switch (type) {
    case Scalar::Bool:
      return 1;
    case Scalar::I8:
      return 7;
    case Scalar::U8:
    case Scalar::BF16:
      return 8;
    case Scalar::F16:
      return 11;
    case Scalar::I16:
      return 15;
    case Scalar::U16:
      return 16;
    case Scalar::F32:
      return 24;
    case Scalar::I32:
      return 31;
    case Scalar::F64:
      return 53;
    case Scalar::I64:
      return 63;
  }
  return 0;
}

// Whether the type holds all values of the other.
bool holds_all(Scalar type, Scalar other) {
  const bool has_sign = is_float(type) || integer_range(type).least < 0;
  const bool needs_sign = is_float(other) || integer_range(other).least < 0;
  return type == Scalar::Bool || (digits(other) <= digits(type) && (has_sign || !needs_sign));
}

// Whether arrays of the other type can be converted to it, apart from rounding and range.
Status check_types(const NpySource& array, const std::string& name, Scalar type) {
  if (!is_float(array.type()) || is_float(type)) return Done{};
  return Failure{"R023",
                 "'" + name + "' holds " + std::string(stencil::name(array.type())) +
                     " values, but the field holds " + std::string(stencil::name(type)),
                 "convert the array with astype()"};
}

// Checks the conversion of one element from Element to Stored.
template <class Stored, class Element>
Status check_value(Element element, const std::string& name, Scalar type, Rounding& rounding) {
  const auto stored = reference::convert<Stored>(element);
  if constexpr (std::is_integral_v<Stored>) {
    if (integer_range(type).holds(static_cast<int64_t>(element))) return Done{};
    const bool small = is_storage(type);
    return Failure{"R023",
                   fmt::format("'{}' holds {}, which does not fit a {}", name, +element,
                               small ? stencil::name(type) : "32-bit integer"),
                   fmt::format("declare the field as {}", small ? "integer" : "long")};
  }
  const auto back = reference::convert<Element>(stored);
  if (back == element || element != element) return Done{};
  const auto before = reference::convert<double>(element);
  const auto after = reference::convert<double>(stored);
  if (std::isfinite(before) && !std::isfinite(after)) {
    return Failure{"R023",
                   fmt::format("'{}' holds {}, which is too large for the field's type {}", name,
                               before, stencil::name(type)),
                   "use a wider type, for example --real double"};
  }
  if (rounding.values++ == 0) rounding.example = fmt::format("{} becomes {:.9g}", before, after);
  return Done{};
}

// Checks component `c` of the array and adds rounded values to `rounding`.
Status check_values(const NpySource& array, const std::string& name, Scalar type, int c,
                    int components, Rounding& rounding) {
  if (holds_all(type, array.type())) return Done{};
  const int64_t points = array.count() / components;
  std::vector<std::byte> part(static_cast<size_t>(std::min(points, kPointsAtOnce) * components *
                                                  size_in_bytes(array.type())));
  Status sound = Done{};
  for (int64_t at = 0; at < points && sound.ok(); at += kPointsAtOnce) {
    const int64_t count = std::min(kPointsAtOnce, points - at);
    sound = array.load(at * components, count * components, part.data());
    if (!sound.ok()) return sound;
    reference::with_type(array.type(), [&](auto element) {
      using Element = decltype(element);
      const auto* in = reinterpret_cast<const Element*>(part.data()) + c;
      reference::with_type(type, [&](auto stored) {
        using Stored = decltype(stored);
        if constexpr (!reference::kIsNarrowFloat<Element>) {
          for (int64_t i = 0; i < count && sound.ok(); ++i) {
            sound = check_value<Stored>(in[i * components], name, type, rounding);
          }
        }
      });
    });
  }
  return sound;
}

// First component and number of components for a component number or -1.
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

Result<NewFile> npy_file(const std::string& path, const FieldData& field,
                         const Selection& selection) {
  const auto [first, components] = components_of(field, selection.component);
  const Scalar stored = field.types[first];
  for (int c = 0; c < components; ++c) {
    if (field.types[first + c] == stored) continue;
    return Failure{"R024", "the field's components differ in type, so one array cannot hold them",
                   "write one component at a time"};
  }
  const Scalar type = npy_type(stored);
  NewFile file = text_file(path, npy_header(type, shape_of(field, components)));
  file.append(StoredArray{.field = selection.field,
                          .level = selection.level,
                          .component = first,
                          .components = components,
                          .type = type,
                          .points = field.points});
  return file;
}

namespace {

// All checks of from_npy(), before any value is stored.
Result<Rounding> look_at(const NpySource& array, const std::string& name, const FieldData& field,
                         int component) {
  const auto [first, components] = components_of(field, component);
  Rounding rounding;
  Status sound = check_shape(array, name, shape_of(field, components));
  for (int c = 0; c < components && sound.ok(); ++c) {
    const Scalar type = field.types[first + c];
    sound = check_types(array, name, type);
    if (sound.ok()) sound = check_values(array, name, type, c, components, rounding);
  }
  if (!sound.ok()) return sound.failure();
  return rounding;
}

}  // namespace

Result<Rounding> from_npy(const NpySource& array, const std::string& name, FieldData& field,
                          int level, int component) {
  const auto looked = look_at(array, name, field, component);
  if (!looked.ok()) return looked;
  const auto [first, components] = components_of(field, component);
  const int64_t point = components * size_in_bytes(array.type());
  std::vector<std::byte> part(static_cast<size_t>(std::min(field.points, kPointsAtOnce) * point));
  for (int64_t at = 0; at < field.points; at += kPointsAtOnce) {
    const int64_t count = std::min(kPointsAtOnce, field.points - at);
    TRY(array.load(at * components, count * components, part.data()));
    store_values(part.data(), array.type(), at, count, field, level, first, components);
  }
  return looked;
}

Result<NpyInput> find_npy(const std::string& path, const FieldData& field,
                          const Selection& selection) {
  auto opened = TRY(InputFile::open(path));
  auto file = std::make_shared<const InputFile>(std::move(opened));
  const auto source = TRY(NpySource::of(*file));
  const auto rounding = TRY(look_at(source, path, field, selection.component));
  const auto [first, components] = components_of(field, selection.component);
  const StoredArray array{.offset = source.start(),
                          .field = selection.field,
                          .level = selection.level,
                          .component = first,
                          .components = components,
                          .type = source.type(),
                          .points = field.points};
  return NpyInput{{std::move(file), {array}}, rounding};
}

}  // namespace stencil::runtime
