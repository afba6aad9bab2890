// Field values that are still in files. The owners of a field's rows read them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/io/input_file.h"
#include "runtime/io/rows.h"

namespace stencil::runtime {

struct FieldFile {
  std::shared_ptr<const InputFile> file;
  std::vector<StoredArray> arrays;
  // CRC-32 of each array's bytes, not yet verified; empty: nothing to verify.
  std::vector<uint32_t> checksums = {};
};

// Reads the rows of all arrays into a state and converts them to its types. R010; on failure some
// rows have been read.
Status read_rows(const FieldFile& file, const RowsOf& rows, reference::State& state);
// read_rows() for all rows.
Status read_all_rows(const FieldFile& file, reference::State& state);

// Moves all arrays of a field out of `files`, in order, and removes files without arrays.
std::vector<FieldFile> take_field(std::vector<FieldFile>& files, ir::FieldId field);

}  // namespace stencil::runtime
