// A part of a run that is under way: its state, the session of its device, and what the state has.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "compiler/decompose/decomposition.h"
#include "runtime/cluster/part_state.h"
#include "runtime/devices/communicator.h"
#include "runtime/devices/device.h"
#include "runtime/io/field_boxes.h"
#include "runtime/io/rows.h"

namespace stencil::runtime {

class PartRun : public FieldRows {
 public:
  // All must outlive it. `shapes`: the whole state, which needs no storage.
  PartRun(const ir::Program& whole, const decompose::Decomposition& decomposition, int number,
          const reference::State& shapes)
      : whole_(whole), decomposition_(decomposition), number_(number), shapes_(shapes) {}

  // Starts it from a state of the part.
  Status start(const LoadedProgram& loaded, reference::State state, Communicator& parts);
  Result<int64_t> advance(int64_t steps);
  // Brings back what state() does not have of the newest `levels[f]` levels of each field f.
  Status bring(const std::vector<int>& levels);
  // The values of a box that the part owns; of a field of the grid.
  Status read(const BoxOfField& what, std::byte* to);
  // What the part owns of such a box.
  BoxOfField own_part_of(const BoxOfField& what) const { return part_of_box(number_, what); }
  BoxOfField part_of_box(int number, const BoxOfField& what) const;
  const reference::State& state() const { return *state_; }
  // Of state(), those of the whole that the part answers for.
  RowsOf rows() const { return rows_of_part(whole_, decomposition_, number_, *state_, shapes_); }
  std::optional<double> seconds() const { return session_->seconds(); }

  // Of the rows that the part answers for.
  Status write(const std::vector<SharedFile>& files) override;
  Result<std::vector<uint32_t>> checksums(const std::vector<StoredArray>& arrays) override;
  Result<std::vector<NonFiniteCount>> count_non_finite(
      const std::vector<Selection>& places) override;

 private:
  Result<NonFiniteCount> count_non_finite(const Selection& place);
  // Its rows, once the levels are there.
  Result<StateSource> source(const std::vector<int>& levels);

  const ir::Program& whole_;
  const decompose::Decomposition& decomposition_;
  const int number_;
  const reference::State& shapes_;
  std::unique_ptr<reference::State> state_;
  std::unique_ptr<Session> session_;  // ends before its state
  std::vector<int> present_;          // levels of each field, the newest first
};

// Whether what the parts have begun with is what was saved (check_arrays()).
Status check_files(const ir::Program& program, const std::vector<FieldFile>& files,
                   FieldRows& rows);

// What the parts of a whole found out.
std::vector<uint32_t> sum_of_checksums(const std::vector<std::vector<uint32_t>>& parts);
std::vector<NonFiniteCount> sum_of_counts(const std::vector<std::vector<NonFiniteCount>>& parts);

}  // namespace stencil::runtime
