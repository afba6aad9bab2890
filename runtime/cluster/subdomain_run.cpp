#include "runtime/cluster/subdomain_run.h"

#include <algorithm>
#include <limits>

#include "compiler/decompose/restrict.h"
#include "compiler/support/try.h"
#include "runtime/run/checkpoint.h"

namespace stencil::runtime {

Status SubdomainRun::start(const LoadedProgram& loaded, reference::State state,
                           Communicator& communicator) {
  state_ = std::make_unique<reference::State>(std::move(state));
  auto session = TRY(loaded.start_subdomain(*state_, communicator));
  session_ = std::move(session);
  present_.assign(state_->fields.size(), std::numeric_limits<int>::max());
  return Done{};
}

Result<int64_t> SubdomainRun::advance(int64_t steps) {
  present_.assign(present_.size(), 0);
  return session_->advance(steps);
}

Status SubdomainRun::bring(const std::vector<int>& levels) {
  std::vector<int> missing(present_.size(), 0);
  for (size_t f = 0; f < std::min(levels.size(), missing.size()); ++f) {
    if (levels[f] > present_[f]) missing[f] = levels[f];
  }
  TRY(session_->fetch(missing));
  for (size_t f = 0; f < missing.size(); ++f) present_[f] = std::max(present_[f], missing[f]);
  return Done{};
}

Status SubdomainRun::read(const BoxOfField& what, std::byte* to) {
  if (ir::count(what.box) == 0) return Done{};
  const auto f = static_cast<size_t>(what.field);
  if (what.level >= present_[f]) {
    const auto read = TRY(session_->read(what, to));
    if (read) return Done{};
    std::vector<int> levels(present_.size(), 0);
    levels[f] = what.level + 1;
    TRY(bring(levels));
  }
  read_box(*state_, what, to);
  return Done{};
}

BoxOfField SubdomainRun::part_of_box(int number, const BoxOfField& what) const {
  BoxOfField out = what;
  out.box =
      common_points(what.box, decompose::owned_points(whole_, decomposition_, number, what.field));
  return out;
}

Result<StateSource> SubdomainRun::source(const std::vector<int>& levels) {
  TRY(bring(levels));
  return StateSource(*state_, rows());
}

Status SubdomainRun::write(const std::vector<SharedFile>& files) {
  auto own = source(levels_of(files, present_.size()));
  return own.ok() ? own.value().write(files) : Status(own.failure());
}

Result<std::vector<uint32_t>> SubdomainRun::checksums(const std::vector<StoredArray>& arrays) {
  auto own = TRY(source(levels_of(arrays, present_.size())));
  return own.checksums(arrays);
}

Result<std::vector<NonFiniteCount>> SubdomainRun::count_non_finite(
    const std::vector<Selection>& places) {
  std::vector<NonFiniteCount> out;
  for (const Selection& place : places) {
    const auto counted = TRY(count_non_finite(place));
    out.push_back(counted);
  }
  return out;
}

Result<NonFiniteCount> SubdomainRun::count_non_finite(const Selection& place) {
  const auto box = box_of_subdomain(whole_, decomposition_, number_, place.field);
  if (box && ir::count(*box) == 0) return NonFiniteCount{};
  if (box) {
    const auto here =
        TRY(session_->count_non_finite({place.field, place.level, place.component, *box}));
    if (here) {
      NonFiniteCount count = *here;
      if (count.first < 0) return count;
      std::vector<int64_t> point(box->size());
      int64_t rest = count.first;
      for (size_t d = point.size(); d-- > 0;) {
        const int64_t extent = (*box)[d][1] - (*box)[d][0] + 1;
        point[d] = (*box)[d][0] + rest % extent;
        rest /= extent;
      }
      count.first = shapes_.fields[place.field].position(point);
      return count;
    }
  }
  auto own = TRY(source(levels_of(std::vector{place}, present_.size())));
  const auto counted = TRY(own.count_non_finite({place}));
  return counted[0];
}

Status check_files(const ir::Program& program, const std::vector<FieldFile>& files,
                   FieldRows& rows) {
  for (const FieldFile& file : files) {
    if (file.checksums.empty()) continue;
    const auto shares = TRY(rows.checksums(file.arrays));
    TRY(check_arrays(program, file, shares));
  }
  return Done{};
}

std::vector<uint32_t> sum_of_checksums(const std::vector<std::vector<uint32_t>>& results) {
  std::vector<uint32_t> out = results[0];
  for (size_t p = 1; p < results.size(); ++p) {
    for (size_t a = 0; a < out.size(); ++a) out[a] ^= results[p][a];
  }
  return out;
}

std::vector<NonFiniteCount> sum_of_counts(const std::vector<std::vector<NonFiniteCount>>& results) {
  std::vector<NonFiniteCount> out = results[0];
  for (size_t p = 1; p < results.size(); ++p) {
    for (size_t a = 0; a < out.size(); ++a) out[a].add(results[p][a]);
  }
  return out;
}

}  // namespace stencil::runtime
