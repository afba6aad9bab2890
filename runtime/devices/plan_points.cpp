#include "runtime/devices/plan_points.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "compiler/support/place_points.h"
#include "compiler/support/try.h"

namespace stencil::runtime {

namespace {

// Records read a point's weights from its entries. So points that another subdomain owns get no
// entries here.
void leave_to_others(const kernel::PointSet& set, const stencil_point_set& points,
                     std::vector<int32_t>& entries) {
  if (set.owned.empty() || points.points == 0) return;
  const auto corners = static_cast<int64_t>(entries.size()) / points.points;
  for (int64_t point = 0; point < points.points; ++point) {
    bool own = true;
    for (size_t d = 0; d < set.owned.size(); ++d) {
      const double at = std::floor(points.at[d][point]);
      own = own && at >= static_cast<double>(set.owned[d][0]) &&
            at <= static_cast<double>(set.owned[d][1]);
    }
    if (!own) std::fill_n(entries.begin() + point * corners, corners, -1);
  }
}

template <class Real>
Status fill(const kernel::Plan& plan, const kernel::PointSet& set, const stencil_point_set& points,
            const std::function<std::optional<int64_t>(const kernel::Expr&)>& value,
            const std::function<Status(int, std::span<const std::byte>)>& put) {
  const auto table = [&](int scratch) {
    const auto elements = value(plan.scratch[scratch].elements);
    return std::vector<int32_t>(static_cast<size_t>(elements.value_or(0)));
  };
  std::vector<int32_t> slabs = table(set.slabs), starts = table(set.starts),
                       columns = table(set.columns), numbers = table(set.numbers),
                       entries = table(set.entries), firsts = table(set.firsts),
                       counts = table(set.counts);
  std::vector<Real> weights(entries.size());
  stencil_place_points<Real>(
      points, {slabs.data(), starts.data(), columns.data(), numbers.data(), weights.data(),
               entries.data(), firsts.data(), counts.data()});
  leave_to_others(set, points, entries);
  for (const auto& [scratch, values] : {std::pair{set.slabs, &slabs},
                                        {set.starts, &starts},
                                        {set.columns, &columns},
                                        {set.numbers, &numbers},
                                        {set.entries, &entries},
                                        {set.firsts, &firsts},
                                        {set.counts, &counts}}) {
    TRY(put(scratch, std::as_bytes(std::span(*values))));
  }
  return put(set.weights, std::as_bytes(std::span(weights)));
}

}  // namespace

Status place_points(const kernel::Plan& plan, const kernel::PointSet& set,
                    const reference::State& state,
                    const std::function<std::optional<int64_t>(const kernel::Expr&)>& value,
                    const std::function<Status(int, std::span<const std::byte>)>& put) {
  const size_t rank = set.low.size();
  std::vector<int64_t> bounds[4];
  const std::vector<kernel::Expr>* const given[] = {&set.low, &set.high, &set.first, &set.last};
  for (size_t b = 0; b < 4; ++b) {
    for (const kernel::Expr& bound : *given[b]) bounds[b].push_back(value(bound).value_or(0));
  }
  std::vector<const double*> at, weights;
  const size_t values = set.weighted ? rank * static_cast<size_t>(set.width + 1) : rank;
  const auto field = static_cast<size_t>(plan.arrays[set.arrays].field);
  for (size_t component = 0; component < values; ++component) {
    const auto* data =
        reinterpret_cast<const double*>(state.fields[field].data(0, static_cast<int>(component)));
    (component < rank ? at : weights).push_back(data);
  }
  const stencil_point_set points{static_cast<int>(rank),
                                 bounds[0].data(),
                                 bounds[1].data(),
                                 bounds[2].data(),
                                 bounds[3].data(),
                                 set.width,
                                 value(set.points).value_or(0),
                                 at.data(),
                                 set.weighted ? weights.data() : nullptr};
  return set.weight == Scalar::F32 ? fill<float>(plan, set, points, value, put)
                                   : fill<double>(plan, set, points, value, put);
}

}  // namespace stencil::runtime
