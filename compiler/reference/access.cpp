// A row of an access consists of at most three parts: points below the field, inside, and above.
// The inside is contiguous and is returned in place if it has the right type. Points outside are
// resolved one by one. Boundary rules are applied to every point outside, whatever Access::escapes
// says. That member tells kernels where they need no rule. The interpreter must not rely on it,
// because it could then not detect a wrong value of it.
#include "compiler/reference/access.h"

#include <algorithm>

#include "compiler/reference/scalar_types.h"

namespace stencil::reference {
namespace {

int64_t modulo(int64_t a, int64_t n) {
  const int64_t r = a % n;
  return r < 0 ? r + n : r;
}

// Reflects the index between two mirrors.
int64_t reflect(int64_t index, int64_t extent) {
  if (extent == 1) return 0;
  const int64_t period = 2 * (extent - 1);
  const int64_t within = modulo(index, period);
  return within < extent ? within : period - within;
}

// The row-major position of the accessed point in the component's buffer, over the outermost
// `count` dimensions. If a coordinate is outside and its rule does not lead to a point of the
// field, the result has index -1 and the rule of the first such dimension.
Resolved position_of(const ir::Field& field, const FieldData& data, const ir::Access& access,
                     const std::vector<int64_t>& point, size_t count) {
  int64_t position = 0;
  for (size_t d = 0; d < count; ++d) {
    const int64_t index = access.maps[d].of(point[d]) - data.box[d][0];
    Resolved resolved = resolve(field.boundary[d], index, data.extents[d]);
    const bool ruled = resolved.index >= 0 || resolved.rule->kind != ir::BoundaryKind::None;
    // A run never reaches steps outside a series without a rule (ir::StepLimit).
    if (!ruled) resolved.index = std::clamp<int64_t>(index, 0, data.extents[d] - 1);
    if (resolved.index < 0) return resolved;
    position = position * data.extents[d] + resolved.index;
  }
  return {position};
}

// The coordinates of the point in the field's own dimensions.
std::vector<int64_t> own_point(const ir::Field& field, const std::vector<int64_t>& point,
                               int64_t step) {
  std::vector<int64_t> own;
  for (const int d : field.dimensions()) {
    own.push_back(d == ir::kTime ? step : point[d]);
  }
  return own;
}

// Boundary constants are rounded to the component's type, like all values of the field.
void fill_constant(const ir::Field& field, const ir::BoundaryRule& rule, const ir::Access& access,
                   Kernel convert, int64_t count, std::byte* out, int64_t out_size) {
  const double value = rule.values[access.component];
  int64_t stored = 0;
  const Scalar type = field.components[access.component].type;
  fill(type, value, reference::convert<int64_t>(value), &stored, 1);
  const void* const in[] = {&stored};
  for (int64_t i = 0; i < count; ++i) convert(out + i * out_size, in, 1);
}

}  // namespace

Resolved resolve(const ir::Boundary& rules, int64_t index, int64_t extent) {
  if (index >= 0 && index < extent) return {index};
  if (rules.low.kind == ir::BoundaryKind::Mirror && rules.high.kind == ir::BoundaryKind::Mirror) {
    return {reflect(index, extent)};
  }
  const int64_t edge = index < 0 ? 0 : extent - 1;
  const ir::BoundaryRule& rule = index < 0 ? rules.low : rules.high;
  switch (rule.row().image) {  // the rule is plain
    case BoundaryImage::Nowhere:
    case BoundaryImage::Given:
      return {-1, &rule};
    case BoundaryImage::Edge:
    case BoundaryImage::Line:
      return {edge};
    case BoundaryImage::Wrap:
      return {modulo(index, extent)};
    case BoundaryImage::Point:
    case BoundaryImage::Cell:
      break;
  }
  return resolve(rules, 2 * edge - index, extent);  // inside, or the other rule applies
}

namespace {

// A profile or series without the row's dimension has a single value along the row.
void fill_with_one(const ir::Field& field, const FieldData& data, const ir::Access& access,
                   Kernel convert, const std::vector<int64_t>& point, int64_t count, std::byte* out,
                   int64_t out_size) {
  const Resolved place = position_of(field, data, access, point, point.size());
  if (place.index < 0) {
    return fill_constant(field, *place.rule, access, convert, count, out, out_size);
  }
  const int64_t stored_size = size_in_bytes(data.types[access.component]);
  const void* const in[] = {data.data(access.level, access.component) + place.index * stored_size};
  for (int64_t i = 0; i < count; ++i) convert(out + i * out_size, in, 1);
}

// A row of points at which the innermost map scales the index: each is resolved by itself.
void read_mapped(const ir::Field& field, const FieldData& data, const ir::Access& access,
                 Kernel convert, std::vector<int64_t> point, int64_t count, std::byte* out,
                 int64_t out_size) {
  for (int64_t i = 0; i < count; ++i, ++point.back()) {
    fill_with_one(field, data, access, convert, point, 1, out + i * out_size, out_size);
  }
}

}  // namespace

const void* read_row(const ir::Field& field, const FieldData& data, const ir::Access& access,
                     Scalar type, Kernel convert, const std::vector<int64_t>& at, int64_t step,
                     int64_t count, void* buffer) {
  auto* out = static_cast<std::byte*>(buffer);
  const int64_t out_size = size_in_bytes(type);
  const std::vector<int64_t> own =
      field.read_in_place() ? own_point(field, at, step) : std::vector<int64_t>();
  const std::vector<int64_t>& point = field.read_in_place() ? own : at;
  const bool has_row =
      !at.empty() && field.dimension(point.size() - 1) + 1 == static_cast<int>(at.size());
  if (!has_row) {
    fill_with_one(field, data, access, convert, point, count, out, out_size);
    return out;
  }
  const size_t last = data.extents.size() - 1;
  if (!access.maps[last].shifts()) {
    read_mapped(field, data, access, convert, point, count, out, out_size);
    return out;
  }
  Resolved row = position_of(field, data, access, point, last);
  if (row.index < 0) {
    fill_constant(field, *row.rule, access, convert, count, out, out_size);
    return out;
  }
  row.index *= data.extents[last];
  const int64_t extent = data.extents[last];
  const int64_t first = point[last] + access.offset(last) - data.box[last][0];
  const int64_t inside_begin = std::clamp<int64_t>(-first, 0, count);
  const int64_t inside_end = std::clamp<int64_t>(extent - first, inside_begin, count);

  const Scalar stored_type = data.types[access.component];
  const int64_t stored_size = size_in_bytes(stored_type);
  const std::byte* stored = data.data(access.level, access.component) + row.index * stored_size;
  if (inside_begin == 0 && inside_end == count && stored_type == type) {
    return stored + first * stored_size;
  }
  const auto outside = [&](int64_t i) {
    const Resolved resolved = resolve(field.boundary[last], first + i, extent);
    if (resolved.index < 0) {
      fill_constant(field, *resolved.rule, access, convert, 1, out + i * out_size, out_size);
    } else {
      const void* const in[] = {stored + resolved.index * stored_size};
      convert(out + i * out_size, in, 1);
    }
  };
  for (int64_t i = 0; i < inside_begin; ++i) outside(i);
  if (inside_begin < inside_end) {
    const void* const in[] = {stored + (first + inside_begin) * stored_size};
    convert(out + inside_begin * out_size, in, inside_end - inside_begin);
  }
  for (int64_t i = inside_end; i < count; ++i) outside(i);
  return out;
}

}  // namespace stencil::reference
