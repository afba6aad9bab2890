#include "compiler/schedule/streaming/resources.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "compiler/kernel/kernel.h"
#include "compiler/schedule/common/operations.h"

namespace stencil::schedule {

int vector_length(const StreamPlan& plan, Scalar type) {
  const int limit = 16 / size_in_bytes(type);
  int length = 1;
  while (2 * length <= limit && plan.patch[0] % (2 * length) == 0) length *= 2;
  return length;
}

std::vector<int> published_rows(const Quantity& quantity, int patch_rows) {
  std::vector<int> rows;
  for (int k = 0; k < patch_rows; ++k) {
    if (k < quantity.rows_above || k >= patch_rows - quantity.rows_below) rows.push_back(k);
  }
  return rows;
}

double expected_registers(const StreamPlan& plan) {
  // Fitted to the registers that ptxas 13.0 allocated for 2,460 kernels of 36 programs without a
  // limit: 13 % RMS error. Integer programs need as many registers again, because compilers share
  // partial sums among points.
  constexpr double kFloats = 1.27, kIntegers = 2.17, kBeside = 0.93, kMaking = 0.36;
  constexpr double kLoaded = 3.5, kRing = 2.1, kStage = 0.22, kCall = 0.12, kAddresses = 30;
  const int points = plan.patch[0] * plan.patch[1];
  const auto beside = [&](const Cells& cells) {
    int count = 0;
    for (const auto& [row, sides] : cells) {
      const bool own = row >= 0 && row < plan.patch[1];
      count += sides.low + sides.high + (own ? 0 : plan.patch[0]);
    }
    return count;
  };
  double out =
      kAddresses + kStage * static_cast<double>(plan.stages.size()) + kCall * plan.call_words;
  for (const Quantity& quantity : plan.quantities) {
    const double each = words(quantity.type);
    for (int age = 0; age + 1 < quantity.ages; ++age) {
      out += each * points * (is_float(quantity.type) ? kFloats : kIntegers);
      out += each * kBeside * beside(quantity.kept[age]);
    }
    out += quantity.loaded() ? kLoaded : 0;
    out += quantity.ring > 0 ? kRing : 0;
  }
  double making = 0;  // per stage: the plane under construction, and cells fetched for it
  for (const StreamStage& stage : plan.stages) {
    double of_stage = 0;
    for (const int result : stage.results) {
      of_stage += points * words(plan.quantities[result].type);
    }
    for (const auto& [id, age] : stage.planes) {
      const Quantity& quantity = plan.quantities[id];
      of_stage += words(quantity.type) * beside(quantity.fetched[age]);
    }
    making = std::max(making, of_stage);
  }
  return out + kMaking * making;
}

int estimate_registers(const StreamPlan& plan) {
  // If the expected registers are below 90 % of the limit, one kernel in fifty spills.
  constexpr double kMargin = 1.1;
  return static_cast<int>(kMargin * expected_registers(plan));
}

namespace {

QueuePlane queue_plane(const StreamPlan& plan, const Quantity& quantity) {
  QueuePlane plane;
  int above = plan.patch[1];
  Sides sides;
  for (const auto& [row, columns] : quantity.halo) {
    plane.row = std::max(plane.row, -row);
    above = std::max(above, row + 1);
    sides = {std::max(sides.low, columns.low), std::max(sides.high, columns.high)};
  }
  plane.column = sides.low;
  plane.row_count = plane.row + above;
  plane.column_count = sides.low + plan.patch[0] + sides.high;
  return plane;
}

QueuePlane hull(const QueuePlane& a, const QueuePlane& b) {
  QueuePlane out;
  out.row = std::max(a.row, b.row);
  out.column = std::max(a.column, b.column);
  out.row_count = out.row + std::max(a.row_count - a.row, b.row_count - b.row);
  out.column_count = out.column + std::max(a.column_count - a.column, b.column_count - b.column);
  return out;
}

}  // namespace

std::vector<QueueSeries> queue_series(const StreamPlan& plan) {
  using Key = std::tuple<ir::FieldId, int, int, int>;
  std::map<Key, QueueSeries> found;
  std::vector<Key> order;
  for (size_t id = 0; id < plan.quantities.size(); ++id) {
    const Quantity& quantity = plan.quantities[id];
    const int alone = plan.steps == 1 ? quantity.version : 0;  // no loop over versions
    const auto [entry, fresh] =
        found.try_emplace({quantity.field, quantity.component, quantity.part, alone});
    QueueSeries& series = entry->second;
    if (fresh) order.push_back(entry->first);
    const QueuePlane plane = queue_plane(plan, quantity);
    series.plane = fresh ? plane : hull(series.plane, plane);
    series.ages = std::max(series.ages, quantity.ages);
    series.members.push_back(static_cast<int>(id));
  }
  std::vector<QueueSeries> out;
  for (const auto& key : order) {
    QueueSeries& series = found.at(key);
    std::sort(series.members.begin(), series.members.end(), [&](int a, int b) {
      return plan.quantities[a].version < plan.quantities[b].version;
    });
    out.push_back(std::move(series));
  }
  return out;
}

namespace {

// Upper bound on per-thread arrays for sums over sources and for sampled values, for all steps.
int64_t kept_at_points(const StreamPlan& plan) {
  int64_t values = 0;
  for (const StreamStage& stage : plan.stages) {
    values += static_cast<int64_t>(reads_at_points(stage).size());
    if (!stage.sampled.empty()) values += static_cast<int64_t>(stage.results.size());
  }
  const int64_t points = bounded_product(plan.patch[0], plan.patch[1]);
  return bounded_product(bounded_product(values, points), size_in_bytes(Scalar::F64));
}

}  // namespace

// Includes the coordinates of the thread's patch and one mask per piece (the number of cross
// sections is at most the number of pieces).
int64_t queue_bytes(const StreamPlan& plan, int threads) {
  int64_t bytes = 0;
  for (const QueueSeries& series : queue_series(plan)) {
    const Scalar type = plan.quantities[series.members[0]].type;
    const int64_t points = bounded_product(series.plane.row_count, series.plane.column_count);
    const int64_t planes =
        bounded_product(series.ages, static_cast<int64_t>(series.members.size()));
    const int64_t each = bounded_product(planes, size_in_bytes(type));
    bytes = bounded_sum(bytes, bounded_product(points, each));
  }
  bytes = bounded_sum(bytes, kept_at_points(plan));
  int64_t integers = plan.rank - 1;
  for (const StreamStage& stage : plan.stages)
    integers += static_cast<int64_t>(stage.pieces.size());
  bytes = bounded_sum(bytes, integers * size_in_bytes(Scalar::I32));
  return bounded_product(bytes, threads);
}

int64_t ring_rows(const StreamPlan& plan, Scalar type) {
  int64_t rows = plan.cover[1];
  while (plan.bulk && rows * plan.cover[0] * size_in_bytes(type) % kernel::kBulkAlignment != 0) {
    ++rows;
  }
  return rows;
}

namespace {

// Shared memory that emulates shuffles, used for one group of rows with equal sides at a time.
int64_t exchange_bytes(const StreamPlan& plan, int tiles) {
  std::map<Scalar, int64_t> places;
  for (const Quantity& quantity : plan.quantities) {
    for (const Cells& cells : quantity.fetched) {
      std::map<std::pair<int, int>, int64_t> groups;
      for (const auto& [row, sides] : cells)
        groups[{sides.low, sides.high}] += sides.low + sides.high;
      for (const auto& [sides, count] : groups) {
        places[quantity.type] = std::max(places[quantity.type], count);
      }
    }
  }
  int64_t bytes = 0;
  for (const auto& [type, count] : places) bytes += count * size_in_bytes(type);
  return bytes * plan.threads[0] * plan.threads[1] * tiles;
}

}  // namespace

int64_t shared_bytes(const StreamPlan& plan, int tiles) {
  int64_t bytes = 0;
  const auto align = [&](int64_t to) { bytes = (bytes + to - 1) / to * to; };
  int batches = 0;
  for (const Quantity& quantity : plan.quantities) {
    const int64_t row = plan.cover[0] * size_in_bytes(quantity.type);
    const int64_t published = static_cast<int64_t>(published_rows(quantity, plan.patch[1]).size());
    bytes += quantity.published_planes * plan.threads[1] * published * row;
    align(plan.bulk && quantity.ring > 0 ? kernel::kBulkAlignment : 16);
    bytes += quantity.ring * ring_rows(plan, quantity.type) * tiles * row;
    align(16);
    if (plan.bulk) batches = std::max(batches, quantity.ring);
  }
  bytes += int64_t{8} * batches;  // one 8-byte barrier per batch in the ring
  if (!plan.machine.shuffles) bytes += exchange_bytes(plan, tiles);
  const bool populated = plan.at_points || plan.sampled;
  bytes += (plan.at_points + plan.sampled + populated) * kPointFlags;
  align(16);
  return bytes;
}

}  // namespace stencil::schedule
