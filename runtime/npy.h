// NumPy's .npy files, and the way between them and fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/reference/state.h"
#include "runtime/file_writer.h"
#include "runtime/result.h"

namespace stencil::runtime {

// A dense array in C order, little-endian.
struct NpyArray {
  Scalar type = Scalar::F32;  // F16, F32, F64, I32, I64 or Bool
  std::vector<int64_t> shape;
  std::vector<std::byte> data;  // product of the shape elements
};

// An array where it lies, in a file's bytes or in an NpyArray, which must outlive the view.
struct NpyView {
  NpyView() = default;
  NpyView(const NpyArray& array);  // implicit: whatever takes a view takes an array

  // Elements `first` to `first + count - 1` as values of `type`, to `count` elements at `to`.
  void load(int64_t first, int64_t count, std::byte* to) const;

  Scalar type = Scalar::F32;  // as in NpyArray
  std::vector<int64_t> shape;
  const std::byte* stored = nullptr;
  int64_t stored_size = 0;  // bytes of an element there
  int64_t count = 0;        // product of the shape
};

// Reads versions 1 to 3 of the format with dtype f2, f4, f8, i4, i8, bool, or u1 (which becomes
// I32). `name` is for messages. R020 for bytes that are no intact .npy file, R021 for other dtypes,
// byte orders and Fortran order.
Result<NpyView> view_npy(std::string_view bytes, const std::string& name);
Result<NpyArray> parse_npy(std::string_view bytes, const std::string& name);
Result<NpyArray> read_npy(const std::string& path);

// Version 1, the data aligned to 64 bytes. What comes before the elements of a file.
std::string npy_header(Scalar type, const std::vector<int64_t>& shape);
std::string format_npy(const NpyArray& array);
Status write_npy(const std::string& path, const NpyArray& array);

// Level `level` of a field as a file of the field's extents, or one component of it; a field of
// several components gets one more dimension, the last, for them. NumPy has no bfloat: it becomes
// f4, which holds the same values. `component` -1: all. R024 if they differ in type. The field is
// read when the file is written, part by part; it must live until then.
Result<NewFile> npy_file(const std::string& path, const reference::FieldData& field, int level = 0,
                         int component = -1);

// Sets level `level` of a field, or one component of it, from an array of the shape that npy_file()
// gives. Floats are rounded to the field's type. R022 for another shape; R023 for floats into
// integers and integers that do not fit. `name` is for messages. On failure the field is unchanged.
Status from_npy(const NpyView& array, const std::string& name, reference::FieldData& field,
                int level = 0, int component = -1);
// The same from a file, which is mapped and never copied as a whole. Also R010, R020, R021.
Status read_npy_into(const std::string& path, reference::FieldData& field, int level = 0,
                     int component = -1);

}  // namespace stencil::runtime
