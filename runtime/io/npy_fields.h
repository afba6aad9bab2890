// Fields from and to .npy files.
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

// A selection as a file of the field's extents; a field of several components gets one more
// dimension, the last, for them. NumPy has no bfloat: it becomes f4, which holds the same values.
// R024 if components differ in type. `field`: its shape.
Result<NewFile> npy_file(const std::string& path, const reference::FieldData& field,
                         const Selection& selection);

// What became of values that the field's type holds only rounded.
struct Rounding {
  int64_t values = 0;   // that changed
  std::string example;  // "0.1 becomes 0.100000001"
};

// Sets level `level` of a field, or one component of it, from an array of the shape that npy_file()
// gives. Numbers are rounded to the field's type. R022 for another shape; R023 for floats into
// integers, integers that do not fit, and numbers that would become infinite; R010. `name` is for
// messages. On failure the field is unchanged, unless the file could not be read to its end.
Result<Rounding> from_npy(const NpySource& array, const std::string& name,
                          reference::FieldData& field, int level = 0, int component = -1);

// A file that a field is to be set from.
struct NpyInput {
  FieldFile values;
  Rounding rounding;
};
// Looks at what from_npy() looks at, and takes no value yet; the file is never copied as a whole.
// `field`: its shape. R010, R020 to R023.
Result<NpyInput> find_npy(const std::string& path, const reference::FieldData& field,
                          const Selection& selection);

}  // namespace stencil::runtime
