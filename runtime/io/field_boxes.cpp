#include "runtime/io/field_boxes.h"

#include <algorithm>
#include <cstring>

namespace stencil::runtime {

namespace {

int64_t position_in(const ir::Points& box, const std::vector<int64_t>& point) {
  int64_t at = 0;
  for (size_t d = 0; d < box.size(); ++d) {
    at = at * (box[d][1] - box[d][0] + 1) + (point[d] - box[d][0]);
  }
  return at;
}

}  // namespace

ir::Points common_points(const ir::Points& a, const ir::Points& b) {
  ir::Points out;
  for (size_t d = 0; d < a.size(); ++d) {
    out.push_back({std::max(a[d][0], b[d][0]), std::min(a[d][1], b[d][1])});
  }
  return out;
}

void for_each_row(
    const ir::Points& box,
    const std::function<void(const std::vector<int64_t>& point, int64_t count)>& visit) {
  if (ir::count(box) == 0) return;
  const size_t last = box.size() - 1;
  std::vector<int64_t> point;
  for (const auto& [low, high] : box) point.push_back(low);
  for (;;) {
    visit(point, box[last][1] - box[last][0] + 1);
    size_t d = last;
    while (d-- > 0 && ++point[d] > box[d][1]) point[d] = box[d][0];
    if (d > last) return;
  }
}

void put_box(const std::byte* from, const ir::Points& inner, const ir::Points& outer, int64_t bytes,
             std::byte* to) {
  for_each_row(inner, [&](const std::vector<int64_t>& point, int64_t count) {
    std::memcpy(to + position_in(outer, point) * bytes, from, static_cast<size_t>(count * bytes));
    from += count * bytes;
  });
}

void take_box(const std::byte* from, const ir::Points& outer, const ir::Points& inner,
              int64_t bytes, std::byte* to) {
  for_each_row(inner, [&](const std::vector<int64_t>& point, int64_t count) {
    std::memcpy(to, from + position_in(outer, point) * bytes, static_cast<size_t>(count * bytes));
    to += count * bytes;
  });
}

void read_box(const reference::State& state, const BoxOfField& what, std::byte* to) {
  const reference::FieldData& field = state.fields[what.field];
  const Scalar type = field.types[what.component];
  take_box(field.data(what.level, what.component), field.box, what.box, size_in_bytes(type), to);
}

}  // namespace stencil::runtime
