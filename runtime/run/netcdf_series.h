// A .nc file that grows during a run.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/io/netcdf.h"
#include "runtime/run/outputs.h"

namespace stencil::runtime {

// The records that a resumed run keeps in the file of an earlier one: those up to step `step` whose
// steps are multiples of `every`. The run writes later ones again, and an earlier run's last state
// is not part of the series. 0 if there is no file. R010; R038 if the file has other contents.
Result<int64_t> records_kept(const std::string& path, const NetcdfLayout& layout, int64_t step,
                             int64_t every);

// A record per step. Each record is on disk before the number of records counts it, so the file is
// valid at any moment, whatever ends the process.
class NetcdfSeries {
 public:
  // `program` must outlive it. A run that begins at step 0 writes a new file. R031; R038 as
  // records_kept().
  static Result<NetcdfSeries> begin(const ir::Program& program, const Output& output,
                                    const reference::State& state);

  // Adds the current step, unless the file has it. R011.
  Status add(FieldSource& fields);
  // Adds the last step and completes the file. R011.
  Status finish(FieldSource& fields);

 private:
  NetcdfSeries(const ir::Program& program, Output output, NetcdfLayout layout)
      : program_(program), output_(std::move(output)), layout_(std::move(layout)) {}
  Status open(FieldSource& fields);
  Status resize() const;
  Status write(FieldSource& fields, std::vector<StoredArray> arrays) const;
  Status write_bytes(int64_t offset, const std::string& bytes) const;

  const ir::Program& program_;
  Output output_;
  NetcdfLayout layout_;
  int64_t records_ = 0;
  std::optional<int64_t> last_step_ = {};  // of the last record that this run has added
  bool is_open_ = false;
};

}  // namespace stencil::runtime
