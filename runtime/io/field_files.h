// Values of fields that lie in files, until who has rows of the fields reads them.
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
  // CRC-32 of each array's bytes, which has yet to be compared; empty: nothing is to be compared.
  std::vector<uint32_t> checksums = {};
};

// Reads the rows of all arrays into a state, whose own types they are converted to. R010. On
// failure some are read.
Status read_rows(const FieldFile& file, const RowsOf& rows, reference::State& state);
// The same for a state that has all rows.
Status read_all_rows(const FieldFile& file, reference::State& state);

// Moves the arrays of a field out of the files, in order; files without arrays are gone.
std::vector<FieldFile> take_field(std::vector<FieldFile>& files, ir::FieldId field);

}  // namespace stencil::runtime
