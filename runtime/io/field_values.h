// The values of a field as files hold them: components interleaved, point by point.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compiler/reference/state.h"
#include "runtime/io/file_writer.h"

namespace stencil::runtime {

// Components `component` to `component + components - 1` of a level.
struct Values {
  const reference::FieldData& field;
  int level = 0;
  int component = 0;
  int components = 1;
};

// Points `first` to `first + count - 1` (positions in row-major order), converted to `type`:
// count * values.components elements at `to`.
void load_values(const Values& values, int64_t first, int64_t count, Scalar type, std::byte* to);

// All points to a file, part by part, so that no second copy of the field is in memory.
Status write_values(FileWriter& file, const Values& values, Scalar type);

// The inverse: elements of `type` at `from` become points `first` to `first + count - 1`.
void store_values(const std::byte* from, Scalar type, int64_t first, int64_t count,
                  reference::FieldData& field, int level, int component, int components);

// Points in a part of a field that is converted at once.
constexpr int64_t kPointsAtOnce = int64_t{1} << 15;

}  // namespace stencil::runtime
