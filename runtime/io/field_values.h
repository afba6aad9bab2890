// Field values in the layout of files: components interleaved point by point.
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

// Converts points `first` to `first + count - 1` (row-major positions) to `type` and writes count *
// values.components elements to `to`.
void load_values(const Values& values, int64_t first, int64_t count, Scalar type, std::byte* to);

// Reverses the bytes of `count` elements of type `type`.
void reverse_bytes(std::byte* values, int64_t count, Scalar type);

// Writes all points to a file in pieces, without a second copy of the field in memory.
Status write_values(FileWriter& file, const Values& values, Scalar type, bool big_endian = false);

// The inverse of load_values(): stores `count` points of elements of `type` at `from` as points
// `first` and following.
void store_values(const std::byte* from, Scalar type, int64_t first, int64_t count,
                  reference::FieldData& field, int level, int component, int components);

// Number of points converted at once.
constexpr int64_t kPointsAtOnce = int64_t{1} << 15;

}  // namespace stencil::runtime
