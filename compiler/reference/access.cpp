// An access to a row is at most three pieces: points below the field, points inside, points above.
// The inside is one contiguous run, returned in place if its type is already right; the outside is
// resolved point by point. The boundary rule is applied wherever a point is outside, whatever
// Access::escapes promises: escapes tell the kernels where they need no rule, and an oracle that
// believed them could not contradict them.
#include "compiler/reference/access.h"

#include <algorithm>

#include "compiler/reference/scalar_types.h"

namespace stencil::reference {
namespace {

int64_t modulo(int64_t a, int64_t n) {
  const int64_t r = a % n;
  return r < 0 ? r + n : r;
}

// Position of the row's index 0 in the component's buffer; -1 if an outer dimension is outside and
// has no substitute.
int64_t row_position(const ir::Field& field, const FieldData& data, const ir::Access& access,
                     const std::vector<int64_t>& point) {
  int64_t position = 0;
  const size_t last = data.extents.size() - 1;
  for (size_t d = 0; d < last; ++d) {
    const int64_t index = point[d] + access.offsets[d] - data.box[d][0];
    const int64_t resolved = resolve(field.boundary, index, data.extents[d]);
    if (resolved < 0) return -1;
    position = position * data.extents[d] + resolved;
  }
  return position * data.extents[last];
}

// The constant is a value of the component's type, like any other point of the field.
void fill_constant(const ir::Field& field, const ir::Access& access, Kernel convert, int64_t count,
                   std::byte* out, int64_t out_size) {
  const double value = field.boundary_values[access.component];
  int64_t stored = 0;
  const Scalar type = field.components[access.component].type;
  fill(type, value, reference::convert<int64_t>(value), &stored, 1);
  const void* const in[] = {&stored};
  for (int64_t i = 0; i < count; ++i) convert(out + i * out_size, in, 1);
}

}  // namespace

int64_t resolve(ir::BoundaryKind boundary, int64_t index, int64_t extent) {
  if (index >= 0 && index < extent) return index;
  switch (boundary) {
    case ir::BoundaryKind::None:
    case ir::BoundaryKind::Constant:
      return -1;
    case ir::BoundaryKind::Clamp:
      return index < 0 ? 0 : extent - 1;
    case ir::BoundaryKind::Periodic:
      return modulo(index, extent);
    case ir::BoundaryKind::Mirror:
      break;
  }
  if (extent == 1) return 0;
  const int64_t period = 2 * (extent - 1);
  const int64_t within = modulo(index, period);
  return within < extent ? within : period - within;
}

const void* read_row(const ir::Field& field, const FieldData& data, const ir::Access& access,
                     Scalar type, Kernel convert, const std::vector<int64_t>& point, int64_t count,
                     void* buffer) {
  auto* out = static_cast<std::byte*>(buffer);
  const int64_t out_size = size_in_bytes(type);
  const int64_t row = data.points == 0 ? -1 : row_position(field, data, access, point);
  if (row < 0) {
    fill_constant(field, access, convert, count, out, out_size);
    return out;
  }
  const size_t last = data.extents.size() - 1;
  const int64_t extent = data.extents[last];
  const int64_t first = point[last] + access.offsets[last] - data.box[last][0];
  const int64_t inside_begin = std::clamp<int64_t>(-first, 0, count);
  const int64_t inside_end = std::clamp<int64_t>(extent - first, inside_begin, count);

  const Scalar stored_type = data.types[access.component];
  const int64_t stored_size = size_in_bytes(stored_type);
  const std::byte* stored = data.data(access.level, access.component) + row * stored_size;
  if (inside_begin == 0 && inside_end == count && stored_type == type) {
    return stored + first * stored_size;
  }
  const auto outside = [&](int64_t i) {
    const int64_t index = resolve(field.boundary, first + i, extent);
    if (index < 0) {
      fill_constant(field, access, convert, 1, out + i * out_size, out_size);
    } else {
      const void* const in[] = {stored + index * stored_size};
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
