// NumPy's .npy files, and the way between them and fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/reference/state.h"
#include "runtime/result.h"

namespace stencil::runtime {

// A dense array in C order, little-endian.
struct NpyArray {
  Scalar type = Scalar::F32;  // F16, F32, F64, I32, I64 or Bool
  std::vector<int64_t> shape;
  std::vector<std::byte> data;  // product of the shape elements
};

// Reads versions 1 to 3 of the format with dtype f2, f4, f8, i4, i8, bool, or u1 (which becomes
// I32). `name` is for messages. R020 for bytes that are no intact .npy file, R021 for other dtypes,
// byte orders and Fortran order.
Result<NpyArray> parse_npy(std::string_view bytes, const std::string& name);
Result<NpyArray> read_npy(const std::string& path);

// Version 1, the data aligned to 64 bytes.
std::string format_npy(const NpyArray& array);
Status write_npy(const std::string& path, const NpyArray& array);

// Level `level` of a field as an array of the field's extents; a field of several components gets
// one more dimension, the last, for them. NumPy has no bfloat: it becomes f4, which holds the same
// values. R024 if the components differ in type.
Result<NpyArray> to_npy(const reference::FieldData& field, int level = 0);
NpyArray component_to_npy(const reference::FieldData& field, int level, int component);

// Sets level `level` of a field from an array of the shape that to_npy() gives. Floats are rounded
// to the field's type. R022 for another shape; R023 for floats into integers and integers that do
// not fit. `name` is for messages. On failure the field is unchanged.
Status from_npy(const NpyArray& array, const std::string& name, reference::FieldData& field,
                int level = 0);
Status component_from_npy(const NpyArray& array, const std::string& name,
                          reference::FieldData& field, int level, int component);

}  // namespace stencil::runtime
