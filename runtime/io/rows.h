// The values of fields for files: by rows, so that a field that lies in parts, in several memories
// or processes, is one array of a file that all of them write.
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

// Values of a field in a file: row-major over the field's box, components `component` to
// `component + components - 1` interleaved, point by point.
struct StoredArray {
  int64_t offset = 0;  // in the file, in bytes
  ir::FieldId field = 0;
  int level = 0;
  int component = 0, components = 1;
  Scalar type = Scalar::F32;  // of the elements in the file
  int64_t points = 0;         // of the field

  int64_t bytes_of_point() const { return components * size_in_bytes(type); }
  int64_t bytes() const { return points * bytes_of_point(); }
};

// A file in the making that several write into, each by a descriptor of its own: a process that
// shares the file system finds it as `temporary`.
struct SharedFile {
  std::string path;  // for messages
  std::string temporary;
  int64_t bytes = 0;  // of the whole
  std::vector<StoredArray> arrays;
};

// How many levels of each field (by FieldId) these look at; 0: none.
std::vector<int> levels_of(const std::vector<StoredArray>& arrays, size_t fields);
std::vector<int> levels_of(const std::vector<SharedFile>& files, size_t fields);
std::vector<int> levels_of(const std::vector<Selection>& places, size_t fields);

// Points that lie side by side, in a state's field as well as in the whole one.
struct Row {
  int64_t here = 0, there = 0;  // positions of the first
  int64_t count = 0;
};
// Calls the visitor for the rows of a field that somebody answers for, in ascending order of
// `there`.
using RowsOf = std::function<void(ir::FieldId, const std::function<void(const Row&)>&)>;

// Who has all rows of all fields, wherever they are, and does with them what is asked. All calls
// fail as devices do (device.h) where values come from one.
class FieldRows {
 public:
  virtual ~FieldRows() = default;
  // Writes the arrays into the files, and brings them to the disk. R011, with the rank that failed
  // if there are several; then some of it is written.
  virtual Status write(const std::vector<SharedFile>& files) = 0;
  // What makes the CRC-32 of each array's bytes (whole_checksum()).
  virtual Result<std::vector<uint32_t>> checksums(const std::vector<StoredArray>& arrays) = 0;
  // Of one component each; `first` is a position in the field.
  virtual Result<std::vector<NonFiniteCount>> count_non_finite(
      const std::vector<Selection>& places) = 0;
};

// The fields of a run for who looks at them between its steps.
class FieldSource : public FieldRows {
 public:
  // Where the run is: the step, params, reductions and the shapes of fields. Of values only those
  // that gather() has brought.
  virtual const reference::State& state() const = 0;
  // Brings the newest `levels[f]` levels of every field f into state(). More than there are: all;
  // a field beyond the end of `levels`: none.
  virtual Status gather(const std::vector<int>& levels) = 0;
};

// A state that has everything itself; or, of a part, the rows that `rows` says.
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

// Why this process cannot write into the file; nothing if it can.
Status reaches(const SharedFile& file);

}  // namespace stencil::runtime
