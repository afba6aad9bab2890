#include "runtime/cluster/part_state.h"

#include <algorithm>
#include <cstring>

#include "compiler/decompose/restrict.h"

namespace stencil::runtime {

namespace {

using reference::FieldData;

// Copies the points of a box, whose coordinates may be of images, from one field to another: row by
// row, in pieces that lie side by side in both.
class BoxCopy {
 public:
  BoxCopy(const ir::Program& whole, const decompose::Decomposition& decomposition,
          const ir::Points& box, bool wraps)
      : whole_(whole), decomposition_(decomposition), box_(box), wraps_(wraps) {}

  void operator()(const FieldData& from, int from_level, FieldData& to, int to_level) const {
    if (ir::count(box_) == 0) return;
    const size_t last = box_.size() - 1;
    std::vector<int64_t> point;
    for (const auto& [low, high] : box_) point.push_back(low);
    for (;;) {
      row(point, from, from_level, to, to_level);
      size_t d = last;
      while (d-- > 0 && ++point[d] > box_[d][1]) point[d] = box_[d][0];
      if (d > last) return;
    }
  }

 private:
  std::vector<int64_t> in_grid(const std::vector<int64_t>& point) const {
    std::vector<int64_t> out = point;
    for (size_t d = 0; wraps_ && d < out.size(); ++d) {
      out[d] = decompose::wrapped(whole_, decomposition_, d, point[d]);
    }
    return out;
  }

  void row(std::vector<int64_t> point, const FieldData& from, int from_level, FieldData& to,
           int to_level) const {
    const size_t last = point.size() - 1;
    for (point[last] = box_[last][0]; point[last] <= box_[last][1];) {
      const std::vector<int64_t> source = in_grid(point);
      // Up to the end of the row, or of the grid in it.
      const int64_t rest = box_[last][1] - point[last];
      const int64_t count = 1 + std::min(rest, from.box[last][1] - source[last]);
      for (int c = 0; c < to.component_count(); ++c) {
        const int64_t bytes = size_in_bytes(to.types[static_cast<size_t>(c)]);
        std::memcpy(to.data(to_level, c) + to.position(point) * bytes,
                    from.data(from_level, c) + from.position(source) * bytes,
                    static_cast<size_t>(count * bytes));
      }
      point[last] += count;
    }
  }

  const ir::Program& whole_;
  const decompose::Decomposition& decomposition_;
  const ir::Points& box_;
  const bool wraps_;
};

// A record's values at the points that the part owns.
void give_back_record(const decompose::Decomposition& decomposition, int part,
                      const reference::State& from, ir::FieldId record, ir::FieldId set,
                      reference::State& to) {
  const FieldData& points = from.fields[static_cast<size_t>(set)];
  const FieldData& values = from.fields[static_cast<size_t>(record)];
  FieldData& whole = to.fields[static_cast<size_t>(record)];
  const int64_t bytes = size_in_bytes(values.types[0]);
  std::vector<double> place(decomposition.cuts.size());
  for (int64_t point = 0; point < points.points; ++point) {
    for (size_t d = 0; d < place.size(); ++d) {
      place[d] = points.real(0, static_cast<int>(d), point);
    }
    if (decomposition.part_of(place) != part) continue;
    for (int64_t at = point; at < values.points; at += points.points) {
      std::memcpy(whole.data(0, 0) + at * bytes, values.data(0, 0) + at * bytes,
                  static_cast<size_t>(bytes));
    }
  }
}

}  // namespace

Result<reference::State> state_of_part(const ir::Program& whole, const ir::Program& part,
                                       const decompose::Decomposition& decomposition,
                                       const reference::State& from) {
  std::string error;
  auto state = reference::allocate(part, from.integer_params, from.real_params, error);
  if (!state) return Failure{"R052", "the fields of a part cannot be allocated: " + error, ""};
  for (size_t f = 0; f < state->fields.size(); ++f) {
    FieldData& field = state->fields[f];
    const ir::Points box = field.box;
    const bool wraps = !whole.fields[f].read_in_place();
    const BoxCopy copy(whole, decomposition, box, wraps);
    for (size_t level = 0; level < field.levels.size(); ++level) {
      copy(from.fields[f], static_cast<int>(level), field, static_cast<int>(level));
    }
  }
  state->reductions = from.reductions;
  state->step = from.step;
  state->stopped = from.stopped;
  return std::move(*state);
}

void give_back(const ir::Program& whole, const decompose::Decomposition& decomposition, int part,
               const reference::State& from, const std::vector<int>& levels, reference::State& to) {
  for (size_t f = 0; f < std::min(levels.size(), to.fields.size()); ++f) {
    const auto id = static_cast<ir::FieldId>(f);
    if (!ir::changes(whole, id)) continue;
    const auto record = ir::reduction_into(whole, id);
    if (record && whole.reductions[static_cast<size_t>(*record)].at) {
      const auto set = *whole.reductions[static_cast<size_t>(*record)].at;
      give_back_record(decomposition, part, from, id, set, to);
      continue;
    }
    const ir::Points owned = decompose::owned_points(whole, decomposition, part, id);
    const BoxCopy copy(whole, decomposition, owned, false);
    const int count = std::min(levels[f], static_cast<int>(to.fields[f].levels.size()));
    for (int level = 0; level < count; ++level) {
      copy(from.fields[f], level, to.fields[f], level);
    }
  }
}

}  // namespace stencil::runtime
