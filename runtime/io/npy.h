// NumPy's .npy files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/support/scalar.h"
#include "runtime/io/input_file.h"
#include "stencil/result.h"

namespace stencil::runtime {

// A dense array in C order, little-endian.
struct NpyArray {
  Scalar type = Scalar::F32;  // any but BF16
  std::vector<int64_t> shape;
  std::vector<std::byte> data;  // number of elements: product of `shape`
};

// An array within a file or an NpyArray, which must outlive this object.
class NpySource {
 public:
  NpySource(const NpyArray& array);  // implicit: an array is accepted wherever a source is
  // Reads the header of format versions 1 to 3 with dtype f2, f4, f8, i1, i2, i4, i8, u1, u2 or
  // bool. R010; R020 if it is not an intact .npy file; R021 for other dtypes or byte orders, and
  // for Fortran order.
  static Result<NpySource> of(const InputFile& file);

  Scalar type() const { return type_; }  // as in NpyArray
  const std::vector<int64_t>& shape() const { return shape_; }
  int64_t count() const { return count_; }  // product of the shape
  int64_t start() const { return start_; }  // offset of the elements in the file

  // Copies elements `first` to `first + count - 1`, as values of type(), to `to`. R010.
  Status load(int64_t first, int64_t count, std::byte* to) const;

 private:
  NpySource() = default;
  Status stored(int64_t first, int64_t count, std::byte* to) const;  // as in the file

  Scalar type_ = Scalar::F32;
  std::vector<int64_t> shape_;
  int64_t count_ = 0;
  const InputFile* file_ = nullptr;  // null: memory_
  int64_t start_ = 0;
  const std::byte* memory_ = nullptr;  // null: file_
};

// `name` is for messages. Errors: those of NpySource::of().
Result<NpyArray> parse_npy(std::string_view bytes, const std::string& name);
Result<NpyArray> read_npy(const std::string& path);

// The header of a file, up to its elements: version 1, data aligned to 64 bytes.
std::string npy_header(Scalar type, const std::vector<int64_t>& shape);
std::string format_npy(const NpyArray& array);
Status write_npy(const std::string& path, const NpyArray& array);

}  // namespace stencil::runtime
