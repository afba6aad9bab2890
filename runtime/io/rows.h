// Field values for files, organised in rows, so that a field distributed over several memories or
// processes becomes one array in a file that all of them write.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compiler/reference/state.h"
#include "runtime/io/non_finite_count.h"
#include "runtime/io/selection.h"
#include "stencil/result.h"

namespace stencil::runtime {

// A field's values in a file: row-major over the field's box, with components `component` to
// `component + components - 1` interleaved.
struct StoredArray {
  int64_t offset = 0;  // in the file, in bytes
  ir::FieldId field = 0;
  int level = 0;
  int component = 0, components = 1;
  Scalar type = Scalar::F32;  // of the elements in the file
  int64_t points = 0;         // of the whole field
  bool big_endian = false;    // otherwise little-endian

  int64_t bytes_of_point() const { return components * size_in_bytes(type); }
  int64_t bytes() const { return points * bytes_of_point(); }
};

// A file that several writers write, each with its own descriptor. Processes on the same file
// system open it as `temporary`.
struct SharedFile {
  std::string path;  // for messages
  std::string temporary;
  int64_t bytes = 0;  // final size
  std::vector<StoredArray> arrays;
};

// For each field (by FieldId), the number of levels that these arrays need; 0: none.
std::vector<int> levels_of(const std::vector<StoredArray>& arrays, size_t fields);
std::vector<int> levels_of(const std::vector<SharedFile>& files, size_t fields);
std::vector<int> levels_of(const std::vector<Selection>& places, size_t fields);

// Adjacent points, in the field of a state and in the whole field.
struct Row {
  int64_t here = 0, there = 0;  // positions of the first point in state and whole field
  int64_t count = 0;
};
// Calls the visitor for the rows of a field that one owner is responsible for, ascending in
// `there`.
using RowsOf = std::function<void(ir::FieldId, const std::function<void(const Row&)>&)>;

// Access to all rows of all fields, wherever they are. Calls fail as devices do (device.h) if
// values come from a device.
class FieldRows {
 public:
  virtual ~FieldRows() = default;
  // Writes the arrays into the files and flushes them to disk. R011, naming the failed rank if
  // there are several; the files are then partly written.
  virtual Status write(const std::vector<SharedFile>& files) = 0;
  // Each array's share of its CRC-32 (whole_checksum()).
  virtual Result<std::vector<uint32_t>> checksums(const std::vector<StoredArray>& arrays) = 0;
  // Counts NaN and infinities. Each place has one component. NonFiniteCount::first is a position in
  // the field.
  virtual Result<std::vector<NonFiniteCount>> count_non_finite(
      const std::vector<Selection>& places) = 0;
};

// The fields of a run, for readers between its steps.
class FieldSource : public FieldRows {
 public:
  // Step, params, reductions and field shapes of the run. Field values are valid only after
  // gather().
  virtual const reference::State& state() const = 0;
  // Copies the newest `levels[f]` levels of each field f to state(). Larger numbers mean all
  // levels; fields beyond the end of `levels` are not copied.
  virtual Status gather(const std::vector<int>& levels) = 0;
};

// A source on one state: with all rows, or for a subdomain those given by `rows`.
class StateSource : public FieldSource {
 public:
  explicit StateSource(const reference::State& state, RowsOf rows = {});

  const reference::State& state() const override { return state_; }
  Status gather(const std::vector<int>&) override { return Done{}; }
  Status write(const std::vector<SharedFile>& files) override;
  Result<std::vector<uint32_t>> checksums(const std::vector<StoredArray>& arrays) override;
  Result<std::vector<NonFiniteCount>> count_non_finite(
      const std::vector<Selection>& places) override;

 private:
  void for_each_row(ir::FieldId field, const std::function<void(const Row&)>& visit) const;
  template <class Visit>
  Status for_each_piece(const StoredArray& array, const Visit& visit) const;

  const reference::State& state_;
  const RowsOf rows_;
};

// Why this process cannot write to the file; Done if it can.
Status reaches(const SharedFile& file);

}  // namespace stencil::runtime
