#include "runtime/cluster/part_run.h"

#include <algorithm>
#include <limits>

#include "compiler/decompose/restrict.h"
#include "runtime/run/checkpoint.h"

namespace stencil::runtime {

Status PartRun::start(const LoadedProgram& loaded, reference::State state, Communicator& parts) {
  state_ = std::make_unique<reference::State>(std::move(state));
  auto session = loaded.start_part(*state_, parts);
  if (!session.ok()) return session.failure();
  session_ = std::move(session).value();
  present_.assign(state_->fields.size(), std::numeric_limits<int>::max());
  return Done{};
}

Result<int64_t> PartRun::advance(int64_t steps) {
  present_.assign(present_.size(), 0);
  return session_->advance(steps);
}

Status PartRun::bring(const std::vector<int>& levels) {
  std::vector<int> missing(present_.size(), 0);
  for (size_t f = 0; f < std::min(levels.size(), missing.size()); ++f) {
    if (levels[f] > present_[f]) missing[f] = levels[f];
  }
  const Status fetched = session_->fetch(missing);
  if (!fetched.ok()) return fetched;
  for (size_t f = 0; f < missing.size(); ++f) present_[f] = std::max(present_[f], missing[f]);
  return Done{};
}

Status PartRun::read(const BoxOfField& what, std::byte* to) {
  if (ir::count(what.box) == 0) return Done{};
  const auto f = static_cast<size_t>(what.field);
  if (what.level >= present_[f]) {
    const auto read = session_->read(what, to);
    if (!read.ok()) return read.failure();
    if (read.value()) return Done{};
    std::vector<int> levels(present_.size(), 0);
    levels[f] = what.level + 1;
    const Status brought = bring(levels);
    if (!brought.ok()) return brought;
  }
  read_box(*state_, what, to);
  return Done{};
}

BoxOfField PartRun::part_of_box(int number, const BoxOfField& what) const {
  BoxOfField out = what;
  out.box =
      common_points(what.box, decompose::owned_points(whole_, decomposition_, number, what.field));
  return out;
}

Result<StateSource> PartRun::source(const std::vector<int>& levels) {
  const Status brought = bring(levels);
  if (!brought.ok()) return brought.failure();
  return StateSource(*state_, rows());
}

Status PartRun::write(const std::vector<SharedFile>& files) {
  auto own = source(levels_of(files, present_.size()));
  return own.ok() ? own.value().write(files) : Status(own.failure());
}

Result<std::vector<uint32_t>> PartRun::checksums(const std::vector<StoredArray>& arrays) {
  auto own = source(levels_of(arrays, present_.size()));
  if (!own.ok()) return own.failure();
  return own.value().checksums(arrays);
}

Result<std::vector<NonFiniteCount>> PartRun::count_non_finite(
    const std::vector<Selection>& places) {
  std::vector<NonFiniteCount> out;
  for (const Selection& place : places) {
    const auto counted = count_non_finite(place);
    if (!counted.ok()) return counted.failure();
    out.push_back(counted.value());
  }
  return out;
}

Result<NonFiniteCount> PartRun::count_non_finite(const Selection& place) {
  const auto box = box_of_part(whole_, decomposition_, number_, place.field);
  if (box && ir::count(*box) == 0) return NonFiniteCount{};
  if (box) {
    const auto here = session_->count_non_finite({place.field, place.level, place.component, *box});
    if (!here.ok()) return here.failure();
    if (here.value()) {
      NonFiniteCount count = *here.value();
      if (count.first < 0) return count;
      std::vector<int64_t> point(box->size());
      int64_t rest = count.first;
      for (size_t d = point.size(); d-- > 0;) {
        const int64_t extent = (*box)[d][1] - (*box)[d][0] + 1;
        point[d] = (*box)[d][0] + rest % extent;
        rest /= extent;
      }
      count.first = shapes_.fields[static_cast<size_t>(place.field)].position(point);
      return count;
    }
  }
  auto own = source(levels_of(std::vector{place}, present_.size()));
  if (!own.ok()) return own.failure();
  const auto counted = own.value().count_non_finite({place});
  if (!counted.ok()) return counted.failure();
  return counted.value()[0];
}

Status check_files(const ir::Program& program, const std::vector<FieldFile>& files,
                   FieldRows& rows) {
  for (const FieldFile& file : files) {
    if (file.checksums.empty()) continue;
    const auto shares = rows.checksums(file.arrays);
    if (!shares.ok()) return shares.failure();
    const Status same = check_arrays(program, file, shares.value());
    if (!same.ok()) return same;
  }
  return Done{};
}

std::vector<uint32_t> sum_of_checksums(const std::vector<std::vector<uint32_t>>& parts) {
  std::vector<uint32_t> out = parts[0];
  for (size_t p = 1; p < parts.size(); ++p) {
    for (size_t a = 0; a < out.size(); ++a) out[a] ^= parts[p][a];
  }
  return out;
}

std::vector<NonFiniteCount> sum_of_counts(const std::vector<std::vector<NonFiniteCount>>& parts) {
  std::vector<NonFiniteCount> out = parts[0];
  for (size_t p = 1; p < parts.size(); ++p) {
    for (size_t a = 0; a < out.size(); ++a) out[a].add(parts[p][a]);
  }
  return out;
}

}  // namespace stencil::runtime
