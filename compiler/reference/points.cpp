#include "compiler/reference/points.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "compiler/reference/access.h"

namespace stencil::reference {

namespace {

constexpr int64_t kMostEntries = std::numeric_limits<int32_t>::max();

const double* values(const FieldData& data, int component) {
  return reinterpret_cast<const double*>(data.data(0, component));
}

}  // namespace

PointSet::PointSet(const ir::Program& program, ir::FieldId set, const State& state)
    : field_(program.fields[set]), set_{} {
  const ir::PointSet& declared = *field_.as_point_set();
  const FieldData& data = state.fields[set];
  const ConcreteBox grid = *concrete(program.domains[field_.domain].box, state.integer_params);
  const ConcreteBox within = *concrete(declared.within, state.integer_params);
  const int rank = static_cast<int>(grid.size());
  for (int d = 0; d < rank; ++d) {
    const auto i = static_cast<size_t>(d);
    low_.push_back(grid[i][0]);
    high_.push_back(grid[i][1]);
    first_.push_back(within[i][0]);
    last_.push_back(within[i][1]);
    at_.push_back(values(data, d));
    for (int k = 0; k < declared.width && declared.weighted; ++k) {
      weights_.push_back(values(data, rank + d * declared.width + k));
    }
  }
  first_number_ = data.box[0][0];
  set_ = {rank,          low_.data(),  high_.data(),
          first_.data(), last_.data(), declared.width,
          data.points,   at_.data(),   declared.weighted ? weights_.data() : nullptr};
}

int64_t PointSet::corners() const {
  int64_t corners = 1;
  for (int d = 0; d < set_.rank; ++d) corners *= set_.width;
  return corners;
}

std::optional<std::string> PointSet::refusal() const {
  if (set_.points > kMostEntries / corners()) {
    return fmt::format("the points of '{}' have weights for more than {} grid points in total",
                       field_.name, kMostEntries);
  }
  const int64_t point = stencil_misplaced(set_);
  if (point < 0) return std::nullopt;
  std::string at, box;
  for (size_t d = 0; d < low_.size(); ++d) {
    at += fmt::format("{}{}", d == 0 ? "" : ", ", at_[d][point]);
    box += fmt::format("{}{}..{}", d == 0 ? "" : ", ", first_[d], last_[d]);
  }
  return fmt::format("point {} of '{}' lies at ({}), not in [{}]", first_number_ + point,
                     field_.name, at, box);
}

PlacedPoints PointSet::place() const {
  const int last = set_.rank - 1;
  const int64_t planes = last > 0 ? high_[0] - low_[0] + 1 : 1;
  int64_t buckets = (high_.back() - low_.back()) / 32 + 1;
  for (int d = 1; d < last; ++d) {
    buckets *= high_[d] - low_[d] + 1;
  }
  const auto most = static_cast<size_t>(set_.points * corners());
  PlacedPoints out;
  out.slabs.resize(static_cast<size_t>(planes));
  out.starts.resize(static_cast<size_t>(std::min(planes, set_.points * set_.width) * buckets + 1));
  out.columns.resize(most);
  out.numbers.resize(most);
  out.entries.resize(most);
  out.firsts.resize(static_cast<size_t>(set_.points * set_.rank));
  int64_t entries = 0;
  if (field_.as_point_set()->weight == Scalar::F32) {
    out.single.resize(most);
    entries = stencil_place_points<float>(
        set_, {out.slabs.data(), out.starts.data(), out.columns.data(), out.numbers.data(),
               out.single.data(), out.entries.data(), out.firsts.data(), nullptr});
  } else {
    out.weights.resize(most);
    entries = stencil_place_points<double>(
        set_, {out.slabs.data(), out.starts.data(), out.columns.data(), out.numbers.data(),
               out.weights.data(), out.entries.data(), out.firsts.data(), nullptr});
  }
  out.columns.resize(static_cast<size_t>(entries));
  out.numbers.resize(static_cast<size_t>(entries));
  return out;
}

std::optional<std::string> misplaced_points(const ir::Program& program, const State& state) {
  for (size_t f = 0; f < program.fields.size(); ++f) {
    if (!program.fields[f].is_point_set()) continue;
    const FieldData& data = state.fields[f];
    if (data.levels.empty() || data.levels[0].empty() || data.levels[0][0].size() == 0) continue;
    const auto refusal = PointSet(program, static_cast<ir::FieldId>(f), state).refusal();
    if (refusal) return refusal;
  }
  return std::nullopt;
}

void spread_points(const ir::Program& program, ir::FieldId field, State& state) {
  const ir::Field& set = program.fields[field];
  if (!set.is_point_set()) return;
  const ConcreteBox within = *concrete(set.as_point_set()->within, state.integer_params);
  FieldData& data = state.fields[field];
  for (size_t d = 0; d < within.size(); ++d) {
    const auto low = static_cast<double>(within[d][0]), high = static_cast<double>(within[d][1]);
    for (int64_t p = 0; p < data.points; ++p) {
      const double part = std::min(std::abs(data.real(0, static_cast<int>(d), p)), 1.0);
      data.set_real(0, static_cast<int>(d), p, low + part * (high - low));
    }
  }
}

void spread_points(const ir::Program& program, State& state) {
  for (size_t f = 0; f < program.fields.size(); ++f) {
    spread_points(program, static_cast<ir::FieldId>(f), state);
  }
}

namespace {

// For a series at points: where the values of a step begin. If the step lies outside of the series
// and the boundary is a constant: the rule with the constant that replaces the values.
struct StepValues {
  int64_t first = 0;
  const ir::BoundaryRule* rule = nullptr;
};

StepValues values_of_step(const ir::Field& field, const FieldData& data, const ir::Access& access,
                          int64_t step) {
  if (!field.is_series()) return {};
  const int64_t index = step + access.offset(0) - data.box[0][0];
  Resolved resolved = resolve(field.boundary[0], index, data.extents[0]);
  if (resolved.index < 0 && resolved.rule->kind == ir::BoundaryKind::Constant) {
    return {0, resolved.rule};
  }
  // A run never reaches steps outside a series without a rule (ir::StepLimit).
  if (resolved.index < 0) resolved.index = std::clamp<int64_t>(index, 0, data.extents[0] - 1);
  return {resolved.index * data.extents.back()};
}

template <class T>
void sum(const ir::Program& program, const State& state, const ir::Access& access,
         const std::vector<int64_t>& point, int64_t count, T* out) {
  std::fill(out, out + count, T{0});
  const ir::Field& field = program.fields[access.field];
  const FieldData& data = state.fields[access.field];
  const PlacedPoints& placed = *state.placed[*field.set()];
  const StepValues from = values_of_step(field, data, access, state.step);
  const ConcreteBox grid = *concrete(program.domains[field.domain].box, state.integer_params);
  const size_t last = grid.size() - 1;
  const int64_t slab = placed.slabs[last > 0 ? point[0] - grid[0][0] : 0];
  if (slab < 0) return;
  int64_t row = slab;
  for (size_t d = 1; d < last; ++d) {
    row = row * (grid[d][1] - grid[d][0] + 1) + point[d] - grid[d][0];
  }
  const int64_t buckets = (grid[last][1] - grid[last][0]) / 32 + 1;
  const int64_t begin = (point[last] - grid[last][0]) / 32;
  const int64_t end = (point[last] + count - 1 - grid[last][0]) / 32 + 1;
  const auto entry_at = [&](int64_t bucket) { return placed.starts[row * buckets + bucket]; };
  for (int64_t e = entry_at(begin); e < entry_at(end); ++e) {
    const auto entry = static_cast<size_t>(e);
    const int64_t i = placed.columns[entry] - point[last];
    if (i < 0 || i >= count) continue;
    const T weight = placed.weight<T>(static_cast<int32_t>(e));
    if (field.is_point_set()) {
      out[i] += weight;
      continue;
    }
    const double value = from.rule
                             ? from.rule->values[access.component]
                             : data.real(0, access.component, from.first + placed.numbers[entry]);
    out[i] += weight * static_cast<T>(value);
  }
}

}  // namespace

void sum_at_points(const ir::Program& program, const State& state, const ir::Access& access,
                   Scalar type, const std::vector<int64_t>& point, int64_t count, void* out) {
  if (type == Scalar::F32)
    return sum(program, state, access, point, count, static_cast<float*>(out));
  sum(program, state, access, point, count, static_cast<double*>(out));
}

}  // namespace stencil::reference
