// Values are converted in pieces that fit in cache, by loops specialised for both types.
#include "runtime/io/field_values.h"

#include <algorithm>
#include <vector>

#include "compiler/reference/scalar_types.h"
#include "compiler/support/try.h"

namespace stencil::runtime {

using reference::convert;
using reference::with_type;

void load_values(const Values& values, int64_t first, int64_t count, Scalar type, std::byte* to) {
  for (int c = 0; c < values.components; ++c) {
    const int component = values.component + c;
    with_type(values.field.types[component], [&](auto stored) {
      using Stored = decltype(stored);
      const auto* from =
          reinterpret_cast<const Stored*>(values.field.data(values.level, component)) + first;
      with_type(type, [&](auto element) {
        using Element = decltype(element);
        auto* out = reinterpret_cast<Element*>(to) + c;
        for (int64_t i = 0; i < count; ++i) out[i * values.components] = convert<Element>(from[i]);
      });
    });
  }
}

void store_values(const std::byte* from, Scalar type, int64_t first, int64_t count,
                  reference::FieldData& field, int level, int component, int components) {
  for (int c = 0; c < components; ++c) {
    with_type(field.types[component + c], [&](auto stored) {
      using Stored = decltype(stored);
      auto* to = reinterpret_cast<Stored*>(field.data(level, component + c)) + first;
      with_type(type, [&](auto element) {
        using Element = decltype(element);
        const auto* in = reinterpret_cast<const Element*>(from) + c;
        for (int64_t i = 0; i < count; ++i) to[i] = convert<Stored>(in[i * components]);
      });
    });
  }
}

void reverse_bytes(std::byte* values, int64_t count, Scalar type) {
  const int64_t size = size_in_bytes(type);
  for (int64_t i = 0; i < count && size > 1; ++i) {
    std::reverse(values + i * size, values + (i + 1) * size);
  }
}

Status write_values(FileWriter& file, const Values& values, Scalar type, bool big_endian) {
  const int64_t point = values.components * size_in_bytes(type);
  const int64_t points = values.field.points;
  std::vector<std::byte> part(static_cast<size_t>(std::min(points, kPointsAtOnce) * point));
  for (int64_t first = 0; first < points; first += kPointsAtOnce) {
    const int64_t count = std::min(kPointsAtOnce, points - first);
    load_values(values, first, count, type, part.data());
    if (big_endian) reverse_bytes(part.data(), count * values.components, type);
    TRY(file.write(
        {reinterpret_cast<const char*>(part.data()), static_cast<size_t>(count * point)}));
  }
  return Done{};
}

}  // namespace stencil::runtime
