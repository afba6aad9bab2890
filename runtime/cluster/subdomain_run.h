// One running subdomain: its state, its device session, and which levels of the state are up to
// date.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "compiler/decompose/decomposition.h"
#include "runtime/cluster/subdomain_state.h"
#include "runtime/devices/communicator.h"
#include "runtime/devices/device.h"
#include "runtime/io/field_boxes.h"
#include "runtime/io/rows.h"

namespace stencil::runtime {

class SubdomainRun : public FieldRows {
 public:
  // All arguments must outlive this object. `shapes`: the whole state; needs no storage.
  SubdomainRun(const ir::Program& whole, const decompose::Decomposition& decomposition, int number,
               const reference::State& shapes)
      : whole_(whole), decomposition_(decomposition), number_(number), shapes_(shapes) {}

  // Opens the session on a state of the subdomain.
  Status start(const LoadedProgram& loaded, reference::State state, Communicator& communicator);
  Result<int64_t> advance(int64_t steps);
  // Copies the newest `levels[f]` levels of each field f to state(), unless they are up to date
  // there.
  Status bring(const std::vector<int>& levels);
  // Copies the values of a box to `to`; the subdomain must own the box. Grid fields only.
  Status read(const BoxOfField& what, std::byte* to);
  // The part of the box that this subdomain owns.
  BoxOfField own_part_of(const BoxOfField& what) const { return part_of_box(number_, what); }
  BoxOfField part_of_box(int number, const BoxOfField& what) const;
  const reference::State& state() const { return *state_; }
  // The rows of the whole state that this subdomain is responsible for, within state().
  RowsOf rows() const {
    return rows_of_subdomain(whole_, decomposition_, number_, *state_, shapes_);
  }
  std::optional<double> seconds() const { return session_->seconds(); }

  // For the rows that this subdomain is responsible for.
  Status write(const std::vector<SharedFile>& files) override;
  Result<std::vector<uint32_t>> checksums(const std::vector<StoredArray>& arrays) override;
  Result<std::vector<NonFiniteCount>> count_non_finite(
      const std::vector<Selection>& places) override;

 private:
  Result<NonFiniteCount> count_non_finite(const Selection& place);
  // Its rows, after copying the levels.
  Result<StateSource> source(const std::vector<int>& levels);

  const ir::Program& whole_;
  const decompose::Decomposition& decomposition_;
  const int number_;
  const reference::State& shapes_;
  std::unique_ptr<reference::State> state_;
  std::unique_ptr<Session> session_;  // declared after state_, so destroyed first
  std::vector<int> present_;          // up-to-date levels of each field, newest first
};

// Checks that the subdomains started from the saved values (check_arrays()).
Status check_files(const ir::Program& program, const std::vector<FieldFile>& files,
                   FieldRows& rows);

// Combine the results of all subdomains.
std::vector<uint32_t> sum_of_checksums(const std::vector<std::vector<uint32_t>>& results);
std::vector<NonFiniteCount> sum_of_counts(const std::vector<std::vector<NonFiniteCount>>& results);

}  // namespace stencil::runtime
