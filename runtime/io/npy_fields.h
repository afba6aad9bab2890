// Conversion between fields and .npy files.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/reference/state.h"
#include "runtime/io/field_files.h"
#include "runtime/io/new_files.h"
#include "runtime/io/npy.h"
#include "runtime/io/selection.h"
#include "stencil/result.h"

namespace stencil::runtime {

// A selection as a file with the field's extents. If the selection has several components, they
// form an additional last dimension. NumPy has no bfloat, so it becomes f4, which holds the same
// values. R024 if components differ in type. `field` only gives shapes and types.
Result<NewFile> npy_file(const std::string& path, const reference::FieldData& field,
                         const Selection& selection);

// Values that had to be rounded to the field's type.
struct Rounding {
  int64_t values = 0;   // number of changed values
  std::string example;  // "0.1 becomes 0.100000001"
};

// Sets level `level` of a field, or one of its components, from an array of the shape that
// npy_file() writes. Numbers are rounded to the field's type. R022 for another shape; R023 for
// floats in integer fields, integers that do not fit, and numbers that would become infinite; R010.
// `name` is for messages. On failure the field is unchanged, unless reading failed in the middle.
Result<Rounding> from_npy(const NpySource& array, const std::string& name,
                          reference::FieldData& field, int level = 0, int component = -1);

// A file that provides the values of a field.
struct NpyInput {
  FieldFile values;
  Rounding rounding;
};
// Makes the checks of from_npy() without storing values; the file is never copied as a whole.
// `field` only gives shapes and types. R010, R020 to R023.
Result<NpyInput> find_npy(const std::string& path, const reference::FieldData& field,
                          const Selection& selection);

}  // namespace stencil::runtime
