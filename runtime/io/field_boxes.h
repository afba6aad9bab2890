// Values in a box of a field's points.
#pragma once

#include <cstddef>
#include <functional>

#include "compiler/ir/subdomain.h"
#include "compiler/reference/state.h"

namespace stencil::runtime {

// One component at one level in a box of field coordinates within the field.
struct BoxOfField {
  ir::FieldId field = 0;
  int level = 0, component = 0;
  ir::Points box;
};

ir::Points common_points(const ir::Points& a, const ir::Points& b);

// Calls visit(first point, number of points) for the rows of a box, in order.
void for_each_row(
    const ir::Points& box,
    const std::function<void(const std::vector<int64_t>& point, int64_t count)>& visit);

// Copies the elements of box `inner` (`bytes` bytes each) to their places in box `outer`; both
// dense.
void put_box(const std::byte* from, const ir::Points& inner, const ir::Points& outer, int64_t bytes,
             std::byte* to);
// The inverse of put_box(): extracts the elements of the inner box.
void take_box(const std::byte* from, const ir::Points& outer, const ir::Points& inner,
              int64_t bytes, std::byte* to);

// Copies a box of a state's values to `to`, dense.
void read_box(const reference::State& state, const BoxOfField& what, std::byte* to);

}  // namespace stencil::runtime
