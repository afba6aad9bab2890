// NetCDF files (.nc) in the classic formats.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/reference/state.h"
#include "runtime/io/new_files.h"
#include "runtime/io/selection.h"

namespace stencil::runtime {

// Where everything is in a file: the header, the values that do not depend on time, then records of
// equal size, one per step.
struct NetcdfLayout {
  std::vector<StoredText> texts;    // the header, for 0 records, and the coordinates
  std::vector<StoredArray> fixed;   // fields without a time dimension
  std::vector<StoredArray> record;  // of record 0
  int64_t first_record = 0, record_bytes = 0;
  int count_bytes = 4;  // of the number of records, at offset kCountOffset

  static constexpr int64_t kCountOffset = 4;
  // Offset of the step of record `number`, and its bytes.
  int64_t record_at(int64_t number) const { return first_record + number * record_bytes; }
  static std::string step_bytes(int64_t step);
  std::string count(int64_t records) const;
};

// The layout for these values. Fields that steps change have the dimension `time`; constant fields
// and records (tables of receivers), which are complete only at the end, do not. Variables are
// named as in the program, with '_' for characters that the CF conventions do not allow ("S_rho",
// "U_minus_1"). Dimensions of the grid are x, y, ..., each with a variable of its coordinates.
// Other ranges of the same dimension are x_2, .... half and bfloat become float, bool becomes byte.
// R031 for a field without points, or of more than 2^31-1 points along a dimension. Only params and
// field shapes of `state` are used.
Result<NetcdfLayout> netcdf_layout(const ir::Program& program, const reference::State& state,
                                   const std::vector<Selection>& selections);

// A file with one record, the current step.
Result<NewFile> netcdf_file(const std::string& path, const ir::Program& program,
                            const reference::State& state,
                            const std::vector<Selection>& selections);

}  // namespace stencil::runtime
