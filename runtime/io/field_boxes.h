// Values in a box of a field's points.
#pragma once

#include <cstddef>
#include <functional>

#include "compiler/ir/part.h"
#include "compiler/reference/state.h"

namespace stencil::runtime {

// One component at one level in a box, which lies in the field and is in its coordinates.
struct BoxOfField {
  ir::FieldId field = 0;
  int level = 0, component = 0;
  ir::Points box;
};

ir::Points common_points(const ir::Points& a, const ir::Points& b);

// Calls visit(point, count) for the rows of a box, `point` being the first, in order.
void for_each_row(
    const ir::Points& box,
    const std::function<void(const std::vector<int64_t>& point, int64_t count)>& visit);

// Elements of a box inside another one, of `bytes` each: both dense.
void put_box(const std::byte* from, const ir::Points& inner, const ir::Points& outer, int64_t bytes,
             std::byte* to);
// The elements of the inner box.
void take_box(const std::byte* from, const ir::Points& outer, const ir::Points& inner,
              int64_t bytes, std::byte* to);

// The values of a state, dense.
void read_box(const reference::State& state, const BoxOfField& what, std::byte* to);

}  // namespace stencil::runtime
